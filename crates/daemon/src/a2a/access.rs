//! Who may ask over A2A, in which version and with which bodies.

use super::answer::Binding;
use super::card::VERSION;
use super::fault::{Fault, Sort};
use super::route;
use crate::core::Heard;
use crate::setting::Setting;
use crate::v2::{Body, NOT_HERE, is_here, is_known};
use rehearsal_wire::json::Value;

/// Headers that A2A knows.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Headers<'t> {
    /// `A2A-Version`; empty where missing.
    pub(crate) version: &'t str,
    /// `Content-Type`; empty where missing.
    pub(crate) content: &'t str,
}

/// Pages of other sites must not reach us through a browser on this machine.
pub(crate) fn host(heard: &Heard<'_>) -> Result<(), Fault> {
    if is_here(heard) { Ok(()) } else { Err(Fault::new(Sort::Forbidden, NOT_HERE)) }
}

/// Everything but the card needs the daemon's token.
pub(crate) fn token(setting: &Setting, heard: &Heard<'_>) -> Result<(), Fault> {
    if is_known(setting, heard.authorization) {
        return Ok(());
    }
    let why = "send the token of the daemon's token file as `Authorization: Bearer TOKEN`";
    Err(Fault::new(Sort::Unauthenticated, why))
}

/// The version must be ours; patch numbers do not count (section 3.6 of the specification).
pub(crate) fn version(heard: &Heard<'_>) -> Result<(), Fault> {
    let mut named = heard.a2a.version.trim().to_owned();
    if named.is_empty() {
        let all = route::parameters(heard.target);
        let found = all.into_iter().find(|(name, _)| name.eq_ignore_ascii_case("A2A-Version"));
        named = found.map(|(_, version)| version).unwrap_or_default();
    }
    let is_patch = |rest: &str| {
        rest.strip_prefix('.')
            .is_some_and(|patch| !patch.is_empty() && patch.bytes().all(|byte| byte.is_ascii_digit()))
    };
    if named == VERSION || named.strip_prefix(VERSION).is_some_and(is_patch) {
        return Ok(());
    }
    let why = if named.is_empty() {
        format!("A2A-Version is missing, which means 0.3; this agent speaks {VERSION}")
    } else {
        format!("this agent speaks version {VERSION} of A2A, not {named:?}")
    };
    Err(Fault::new(Sort::Version, why).with("supportedVersions", VERSION))
}

/// A body must say that it is JSON, where it says anything.
pub(crate) fn content(heard: &Heard<'_>, binding: &Binding) -> Result<(), Fault> {
    let kind = heard.a2a.content.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    let takes: &[&str] = match binding {
        Binding::Rpc(_) => &["application/json"],
        Binding::Rest => &["application/json", "application/a2a+json"],
    };
    if kind.is_empty() || heard.raw.is_empty() || takes.contains(&kind.as_str()) {
        return Ok(());
    }
    let why = format!("a body of content type {kind:?} is not taken; send {}", takes.join(" or "));
    Err(Fault::new(Sort::ContentType, why))
}

/// The object in the body, where one came.
pub(crate) fn object<'h>(heard: &'h Heard<'_>) -> Result<Option<Value<'h>>, Fault> {
    match &heard.body {
        Body::Empty => Ok(None),
        Body::Wrong("invalid_request", why) => Err(Fault::new(Sort::InvalidRequest, why.clone())),
        Body::Wrong(_, why) => Err(Fault::new(Sort::Parse, why.clone())),
        Body::Object(tape) => {
            if let Some(at) = tape.duplicate_key {
                let why = format!("a key stands twice in one object, the second time at byte {at}");
                return Err(Fault::new(Sort::InvalidRequest, why));
            }
            if let Some(at) = tape.lone_surrogate {
                let why = format!("half a surrogate pair, which is no text, stands at byte {at}");
                return Err(Fault::new(Sort::InvalidRequest, why));
            }
            Ok(Some(tape.root()))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Headers, content, host, version};
    use crate::a2a::answer::Binding;
    use crate::core::Heard;

    #[test]
    fn the_version_is_taken_from_header_or_query_without_its_patch() {
        for (header, target, fits) in [
            ("1.0", "/a2a", true),
            ("1.0.7", "/a2a", true),
            ("", "/a2a?A2A-Version=1.0", true),
            ("0.3", "/a2a?A2A-Version=1.0", false),
            ("", "/a2a", false),
            ("1.1", "/a2a", false),
            ("1", "/a2a", false),
            ("1.0.", "/a2a", false),
            ("1.0.x", "/a2a", false),
            ("1.01", "/a2a", false),
        ] {
            let a2a = Headers { version: header, ..Headers::default() };
            let heard = Heard { target, a2a, ..Heard::nothing() };
            assert_eq!(version(&heard).is_ok(), fits, "{header} {target}");
        }
    }

    #[test]
    fn bodies_of_other_content_types_are_refused() {
        for (kind, rpc, rest) in [
            ("", true, true),
            ("Application/JSON; charset=utf-8", true, true),
            ("application/a2a+json", false, true),
            ("text/plain", false, false),
        ] {
            let a2a = Headers { content: kind, ..Headers::default() };
            let heard = Heard { raw: b"{}", a2a, ..Heard::nothing() };
            assert_eq!(content(&heard, &Binding::rpc()).is_ok(), rpc, "{kind}");
            assert_eq!(content(&heard, &Binding::Rest).is_ok(), rest, "{kind}");
            let empty = Heard { a2a, ..Heard::nothing() };
            assert!(content(&empty, &Binding::Rest).is_ok(), "{kind}");
        }
    }

    #[test]
    fn only_this_machine_is_listened_to() {
        let ask = |name, origin| host(&Heard { host: name, origin, ..Heard::nothing() }).is_ok();
        assert!(ask("localhost:1", Some("http://127.0.0.1:2")));
        assert!(!ask("evil.example", None));
        assert!(!ask("localhost", Some("https://evil.example")));
        assert!(!ask("localhost", Some("null")));
    }
}
