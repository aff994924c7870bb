//! Which route a request target names, and which case's lane it is on. Exact and case-sensitive, as the providers are.

use crate::visit::percent_decoded;
use rehearsal_journal::event::CommandRan;
use rehearsal_journal::redact::REDACTED;
use rehearsal_wire::dialect::mount::Mounted;
use rehearsal_wire::dialect::{Dialect, Serves, claiming, place};
use rehearsal_wire::json::{self, Kind, Value};
use rehearsal_wire::rule::Header;
pub(crate) use rehearsal_wire::target::{Target, query, split};

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

/// A target as it may be shown where its token is a secret, or was meant to be one.
pub(crate) fn without_token(target: &str) -> String {
    match split(target).token.filter(|token| !token.is_empty()) {
        Some(token) => target.replacen(&format!("/t/{token}"), &format!("/t/{REDACTED}"), 1),
        None => target.to_owned(),
    }
}

/// What stands at a path for a request with these headers.
pub(crate) fn find<'p>(method: &str, path: &'p str, headers: &[Header<'_>]) -> Place<'p> {
    match path {
        HEALTH => return Place::Health,
        "/gate/stats" => return Place::Stats,
        COMMAND => return Place::Command,
        "/gate/faults" => return Place::Faults,
        _ => {}
    }
    place::find(method, path, headers).map_or(Place::Nowhere, |found| {
        let place::Place { dialect, serves, named, method, mounted } = found;
        Place::Provider { dialect, serves, named, method, mounted }
    })
}

/// The dialect of a request that is refused before it is read: that of its path, else the one that its headers claim.
pub(crate) fn spoken(method: &str, path: &str, headers: &[Header<'_>]) -> Option<&'static Dialect> {
    match find(method, path, headers) {
        Place::Provider { dialect, .. } => Some(dialect),
        Place::Health | Place::Stats | Place::Command | Place::Faults | Place::Nowhere => claiming(headers),
    }
}

/// The id of the kept reply that a path names, if it names one.
pub(crate) fn kept(method: &str, path: &str) -> Option<String> {
    // What a route spells out has no part that could be an id.
    if place::is_spelt(path) {
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
    use super::{Place, find, kept, without_token};

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
