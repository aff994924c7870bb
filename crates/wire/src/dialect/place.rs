//! Which dialect has something at a path, and what. Exact and case-sensitive, as the providers are.

use super::mount::{Mounted, mounted};
use super::{DIALECTS, Dialect, Serves};
use crate::rule::Header;
use std::collections::HashMap;
use std::sync::LazyLock;

/// A route of a dialect that a path stands for.
#[derive(Clone, Copy, Debug)]
pub struct Place<'p> {
    /// The dialect.
    pub dialect: &'static Dialect,
    /// What it serves there.
    pub serves: Serves,
    /// What stands for the part in braces of the route, as it was sent: a model, the id of a reply.
    pub named: &'p str,
    /// The route's method, in capitals.
    pub method: &'static str,
    /// The mount that the path stands below, if it is no path of the dialect's own.
    pub mounted: Option<Mounted<'p>>,
}

/// Whether a route spells this path out, so that no part of it can be an id.
#[must_use]
pub fn is_spelt(path: &str) -> bool {
    SERVED.contains_key(path)
}

/// What stands at a path for a request with these headers: of the dialects that it may be of, the one that claims the request,
/// else the one with a route for this method, else the first.
#[must_use]
pub fn find<'p>(method: &str, path: &'p str, headers: &[Header<'_>]) -> Option<Place<'p>> {
    let whole = Path { whole: path, mounted: None };
    let own = match SERVED.get(path) {
        Some(dialects) => among(dialects.iter().copied(), method, headers, whole),
        None => among(DIALECTS.iter(), method, headers, whole),
    };
    own.or_else(|| below(method, path, headers))
}

/// The dialects that have something at each path that a route spells out. Every request asks, and to compare its path with the
/// routes of all dialects costs a tenth of its time.
static SERVED: LazyLock<HashMap<&'static str, Vec<&'static Dialect>>> = LazyLock::new(|| {
    let is_spelt = |path: &&str| !path.contains('{');
    let paths = |dialect: &'static Dialect| dialect.routes.iter().map(|route| route.path);
    let spelt: Vec<_> = DIALECTS.iter().flat_map(paths).filter(is_spelt).collect();
    let mut served: HashMap<_, Vec<&Dialect>> = HashMap::new();
    for dialect in DIALECTS {
        let mut has = |path| {
            let dialects = served.entry(path).or_default();
            if dialects.last().is_none_or(|last| !std::ptr::eq(*last, dialect)) {
                dialects.push(dialect);
            }
        };
        paths(dialect).filter(is_spelt).for_each(&mut has);
        // A part in braces may stand for what another route spells out.
        for ends in paths(dialect).filter_map(around_braces) {
            spelt.iter().filter(|path| between(ends, path).is_some()).for_each(|path| has(path));
        }
    }
    served
});

/// What stands at a path below a mount.
fn below<'p>(method: &str, path: &'p str, headers: &[Header<'_>]) -> Option<Place<'p>> {
    let mounted = mounted(path)?;
    let served = DIALECTS.iter().filter(|dialect| mounted.mount.dialects.include(dialect.name));
    among(served, method, headers, Path { whole: mounted.rest, mounted: Some(mounted) })
}

/// A path as routes are compared with it.
#[derive(Clone, Copy)]
struct Path<'p> {
    /// The path itself; what stands behind the root of a mount.
    whole: &'p str,
    mounted: Option<Mounted<'p>>,
}

fn among<'p>(
    dialects: impl Iterator<Item = &'static Dialect>,
    method: &str,
    headers: &[Header<'_>],
    path: Path<'p>,
) -> Option<Place<'p>> {
    let (mut first, mut fitting) = (None, None);
    for dialect in dialects {
        let Some((place, fits)) = in_dialect(dialect, method, path) else { continue };
        if (dialect.claims)(headers) {
            return Some(place);
        }
        let best = if fits { &mut fitting } else { &mut first };
        best.get_or_insert(place);
    }
    fitting.or(first)
}

/// What a dialect has at a path, and whether for this method.
fn in_dialect<'p>(dialect: &'static Dialect, method: &str, path: Path<'p>) -> Option<(Place<'p>, bool)> {
    let Path { whole, mounted } = path;
    let mut other = None;
    for route in dialect.routes {
        let own = if mounted.is_none() { Some(route.path) } else { route.path.strip_prefix("/v1") };
        let Some(named) = own.and_then(|own| named(own, whole)) else { continue };
        let place = Place { dialect, serves: route.serves, named, method: route.method, mounted };
        if route.method == method {
            return Some((place, true));
        }
        other.get_or_insert(place);
    }
    other.map(|place| (place, false))
}

/// What stands in a path for the part in braces of a route; nothing for a route without one.
fn named<'p>(route: &str, path: &'p str) -> Option<&'p str> {
    // Most requests name a route as it is spelt. A path may even spell the braces: then they are what it names.
    if path == route && !path.contains('{') {
        return Some("");
    }
    between(around_braces(route)?, path)
}

/// What stands before and behind the part in braces of a route that has one.
fn around_braces(route: &str) -> Option<(&str, &str)> {
    let (before, rest) = route.split_once('{')?;
    Some((before, rest.split_once('}').map_or("", |(_, after)| after)))
}

/// What stands in a path between these ends, one part of it.
fn between<'p>((before, after): (&str, &str), path: &'p str) -> Option<&'p str> {
    let named = path.strip_prefix(before)?.strip_suffix(after)?;
    (!named.is_empty() && !named.contains('/')).then_some(named)
}
