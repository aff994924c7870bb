//! Which route a request target names, and which case's lane it is on. Exact and case-sensitive, as the providers are.

use crate::visit::percent_decoded;
use rehearsal_journal::event::CommandRan;
use rehearsal_journal::redact::REDACTED;
use rehearsal_wire::dialect::mount::{self, Mounted};
use rehearsal_wire::dialect::{DIALECTS, Dialect, Serves, claiming};
use rehearsal_wire::json::{self, Kind, Value};
use rehearsal_wire::rule::Header;
use std::collections::HashMap;
use std::sync::LazyLock;

/// The path that tells whether the server is there.
pub(crate) const HEALTH: &str = "/gate/health";

/// The path at which a shim tells of a command.
pub(crate) const COMMAND: &str = "/gate/command";

/// Longest body of `POST /gate/command`, and most words of a command.
const COMMAND_BYTES: usize = 64 << 10;
const COMMAND_WORDS: usize = 1000;

/// What stands at a path.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Place<'p> {
    /// A route of a dialect.
    Provider {
        dialect: &'static Dialect,
        serves: Serves,
        /// What stands for the part in braces of the route, as it was sent: a model, the id of a reply.
        named: &'p str,
        method: &'static str,
        /// The mount that the path stands below, if it is no path of the dialect's own.
        mounted: Option<Mounted<'p>>,
    },
    /// `GET /gate/health`.
    Health,
    /// `GET /gate/stats`.
    Stats,
    /// `POST /gate/command`: a shim on PATH tells of a command. On the lane of a case only.
    Command,
    /// `/gate/faults`: which faults lie over the scripts. Not on the lane of a case.
    Faults,
    /// Nothing.
    Nowhere,
}

/// A target taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Target<'p> {
    /// The case token of `/t/<token>/…`.
    pub(crate) token: Option<&'p str>,
    /// The path without lane and query, with one leading slash where it has any.
    pub(crate) path: &'p str,
}

/// Takes a request target apart: absolute form, query, a run of leading slashes (cut to one, as the original stub's library does), lane.
pub(crate) fn split(target: &str) -> Target<'_> {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| target.strip_prefix(scheme))
        .map_or(target, |after| after.find('/').map_or("/", |slash| &after[slash..]));
    let path = rest.split('?').next().unwrap_or("");
    let slashes = path.len() - path.trim_start_matches('/').len();
    let path = &path[slashes.saturating_sub(1)..];
    match path.strip_prefix("/t/").and_then(|lane| lane.split_once('/').map(|(token, _)| token)) {
        Some(token) => Target { token: Some(token), path: &path["/t/".len() + token.len()..] },
        None => Target { token: None, path },
    }
}

/// What stands behind the question mark of a target.
pub(crate) fn query(target: &str) -> &str {
    target.split_once('?').map_or("", |(_, query)| query)
}

/// A target as it may be shown where its token is a secret, or was meant to be one.
pub(crate) fn without_token(target: &str) -> String {
    match split(target).token.filter(|token| !token.is_empty()) {
        Some(token) => target.replacen(&format!("/t/{token}"), &format!("/t/{REDACTED}"), 1),
        None => target.to_owned(),
    }
}

/// What stands at a path for a request with these headers: of the dialects that it may be of, the one that claims the request,
/// else the one with a route for this method, else the first.
pub(crate) fn find<'p>(method: &str, path: &'p str, headers: &[Header<'_>]) -> Place<'p> {
    match path {
        HEALTH => return Place::Health,
        "/gate/stats" => return Place::Stats,
        COMMAND => return Place::Command,
        "/gate/faults" => return Place::Faults,
        _ => {}
    }
    let whole = Path { whole: path, mounted: None };
    let own = match SERVED.get(path) {
        Some(dialects) => among(dialects.iter().copied(), method, headers, whole),
        None => among(DIALECTS.iter(), method, headers, whole),
    };
    own.or_else(|| below(method, path, headers)).unwrap_or(Place::Nowhere)
}

/// The dialects that have something at each path that a route spells out. Every request asks, and to compare its path with the
/// routes of all dialects costs a tenth of its time.
static SERVED: LazyLock<HashMap<&'static str, Vec<&'static Dialect>>> = LazyLock::new(|| {
    let spelt = DIALECTS.iter().flat_map(|dialect| dialect.routes).map(|route| route.path);
    let at = |path: &str| {
        let has = |dialect: &&Dialect| dialect.routes.iter().any(|route| named(route.path, path).is_some());
        DIALECTS.iter().filter(has).collect()
    };
    spelt.filter(|path| !path.contains('{')).map(|path| (path, at(path))).collect()
});

/// What stands at a path below a mount.
fn below<'p>(method: &str, path: &'p str, headers: &[Header<'_>]) -> Option<Place<'p>> {
    let mounted = mount::mounted(path)?;
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

/// The dialect of a request that is refused before it is read: that of its path, else the one that its headers claim.
pub(crate) fn spoken(method: &str, path: &str, headers: &[Header<'_>]) -> Option<&'static Dialect> {
    match find(method, path, headers) {
        Place::Provider { dialect, .. } => Some(dialect),
        Place::Health | Place::Stats | Place::Command | Place::Faults | Place::Nowhere => claiming(headers),
    }
}

/// What a dialect has at a path, and whether for this method.
fn in_dialect<'p>(dialect: &'static Dialect, method: &str, path: Path<'p>) -> Option<(Place<'p>, bool)> {
    let Path { whole, mounted } = path;
    let mut other = None;
    for route in dialect.routes {
        let own = if mounted.is_none() { Some(route.path) } else { route.path.strip_prefix("/v1") };
        let Some(named) = own.and_then(|own| named(own, whole)) else { continue };
        let place = Place::Provider { dialect, serves: route.serves, named, method: route.method, mounted };
        if route.method == method {
            return Some((place, true));
        }
        other.get_or_insert(place);
    }
    other.map(|place| (place, false))
}

/// What stands in a path for the part in braces of a route; nothing for a route without one.
fn named<'p>(route: &str, path: &'p str) -> Option<&'p str> {
    let Some((before, rest)) = route.split_once('{') else { return (path == route).then_some("") };
    let after = rest.split_once('}').map_or("", |(_, after)| after);
    let named = path.strip_prefix(before)?.strip_suffix(after)?;
    (!named.is_empty() && !named.contains('/')).then_some(named)
}

/// The id of the kept reply that a path names, if it names one.
pub(crate) fn kept(method: &str, path: &str) -> Option<String> {
    // What a route spells out has no part that could be an id.
    if SERVED.contains_key(path) {
        return None;
    }
    match find(method, path, &[]) {
        Place::Provider { serves: Serves::Kept(_), named, .. } => Some(percent_decoded(named)),
        Place::Provider { .. }
        | Place::Health
        | Place::Stats
        | Place::Command
        | Place::Faults
        | Place::Nowhere => None,
    }
}

/// What is asked of `/gate/faults`: `{"fault": NAME}`, or null for none.
pub(crate) fn fault(body: &[u8]) -> Result<Option<String>, String> {
    const FORM: &str = "the body must be {\"fault\": \"NAME[:key=value…]\"}, or {\"fault\": null} for none";
    let tape = json::parse(body).map_err(|broken| format!("{FORM}; it is no JSON: {broken}"))?;
    if tape.root().len() != 1 {
        return Err(FORM.to_owned());
    }
    match tape.root().get("fault") {
        Some(fault) if fault.is_null() => Ok(None),
        Some(fault) => fault.as_str().map(|name| Some(name.into_owned())).ok_or_else(|| FORM.to_owned()),
        None => Err(FORM.to_owned()),
    }
}

/// What a shim tells: `{"argv": [NAME, ARGUMENT…], "folder": FOLDER}`.
pub(crate) fn command(body: &[u8]) -> Result<CommandRan, String> {
    if body.len() > COMMAND_BYTES {
        return Err(format!("a command has at most {COMMAND_BYTES} bytes"));
    }
    let tape = json::parse(body).map_err(|broken| format!("the body is no JSON: {broken}"))?;
    let text = |value: Value<'_>| value.as_str().map(|text| text.into_owned());
    let argv = tape.root().get("argv").filter(|argv| argv.kind() == Kind::Array && !argv.is_empty());
    let argv: Option<Vec<_>> = argv.and_then(|argv| argv.items().map(text).collect());
    match (argv, tape.root().get("folder").and_then(text)) {
        (Some(argv), Some(folder)) if argv.len() <= COMMAND_WORDS => Ok(CommandRan { argv, folder }),
        (Some(_), Some(_)) => Err(format!("a command has at most {COMMAND_WORDS} words")),
        (None, _) | (_, None) => {
            Err("the body must be {\"argv\": [NAME, …], \"folder\": FOLDER}, all of them texts".to_owned())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, find, kept, split, without_token};

    #[test]
    fn a_shown_target_holds_no_token() {
        for (target, shown) in [
            ("/t/secret/v1/models?a=b", "/t/<redacted>/v1/models?a=b"),
            ("//t/secret/v1/models", "//t/<redacted>/v1/models"),
            ("http://host/t/secret/v1/t/secret", "http://host/t/<redacted>/v1/t/secret"),
            ("/v1/models", "/v1/models"),
            ("/t//v1", "/t//v1"),
            ("", ""),
        ] {
            assert_eq!(without_token(target), shown, "{target}");
        }
    }

    #[test]
    fn targets_are_taken_apart() {
        for (target, token, path) in [
            ("/v1/chat/completions", None, "/v1/chat/completions"),
            ("/v1/chat/completions?a?b=/x", None, "/v1/chat/completions"),
            ("///v1/models", None, "/v1/models"),
            ("http://example.invalid/v1/models?x", None, "/v1/models"),
            ("http://example.invalid", None, "/"),
            ("v1/chat/completions", None, "v1/chat/completions"),
            ("/t/abc/v1/models", Some("abc"), "/v1/models"),
            ("/t/abc", None, "/t/abc"),
            ("/t//v1", Some(""), "/v1"),
            ("*", None, "*"),
            ("", None, ""),
        ] {
            let got = split(target);
            assert_eq!((got.token, got.path), (token, path), "{target}");
        }
    }

    #[test]
    fn routes_are_exact() {
        for path in [
            "/v1/chat/completions/",
            "/V1/chat/completions",
            "/v1//chat/completions",
            "/v1/models/a/b",
            "/gate",
            "/",
        ] {
            assert!(matches!(find("GET", path, &[]), Place::Nowhere), "{path}");
        }
        let place = find("GET", "/v1/models/gpt-4o", &[]);
        assert!(matches!(place, Place::Provider { named: "gpt-4o", method: "GET", .. }));
    }

    #[test]
    fn a_path_with_several_methods_is_told_by_them() {
        for (method, path, wanted) in [
            ("GET", "/v1/responses/resp_1", "GET"),
            ("DELETE", "/v1/responses/resp_1", "DELETE"),
            ("PUT", "/v1/responses/resp_1", "GET"),
            ("POST", "/v1/responses/resp_1/cancel", "POST"),
            ("GET", "/v1/responses/resp_1/input_items", "GET"),
        ] {
            let place = find(method, path, &[]);
            let Place::Provider { named: "resp_1", method, .. } = place else { panic!("{place:?}") };
            assert_eq!(method, wanted, "{path}");
        }
        assert!(matches!(find("GET", "/v1/responses/a/b", &[]), Place::Nowhere));
        assert!(matches!(find("POST", "/v1/responses//cancel", &[]), Place::Nowhere));
        assert_eq!(kept("GET", "/v1/responses/resp%5F1"), Some("resp_1".to_owned()));
        assert_eq!(kept("POST", "/v1/responses"), None);
    }

    #[test]
    fn a_path_of_several_dialects_is_that_of_the_one_that_claims_the_request() {
        for (headers, wanted) in [
            (&[][..], "openai-chat"),
            (&[("Anthropic-Version", &b"2023-06-01"[..])][..], "anthropic-messages"),
        ] {
            let Place::Provider { dialect, .. } = find("GET", "/v1/models", headers) else {
                panic!("it is served")
            };
            assert_eq!(dialect.name, wanted);
        }
    }
}
