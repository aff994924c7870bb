//! The body of a request as JSON, and the one form of it that digests are made of.

use super::Problem;
use rehearsal_journal::digest;
use rehearsal_wire::json::{self, Kind, Tape, Value, write_string};
use std::collections::BTreeMap;

/// What came as a body.
#[derive(Debug)]
pub(crate) enum Body<'t> {
    /// Nothing.
    Empty,
    /// An object.
    Object(Tape<'t>),
    /// Something else, and why it cannot be read.
    Wrong(&'static str, String),
}

impl<'t> Body<'t> {
    /// Reads a body.
    #[must_use]
    pub(crate) fn read(bytes: &'t [u8]) -> Self {
        if bytes.is_empty() {
            return Self::Empty;
        }
        if std::str::from_utf8(bytes).is_err() {
            return Self::Wrong("invalid_encoding", "the body is not UTF-8 text".to_owned());
        }
        match json::parse(bytes) {
            Ok(tape) if tape.root().kind() == Kind::Object => Self::Object(tape),
            Ok(tape) => {
                let what = tape.root().kind().phrase();
                Self::Wrong("invalid_request", format!("the body is {what}, not an object"))
            }
            Err(broken) => Self::Wrong("invalid_json", format!("the body is not JSON: {broken}")),
        }
    }

    /// The object, where one came.
    #[must_use]
    pub(crate) fn object(&self) -> Option<Value<'_>> {
        match self {
            Self::Object(tape) => Some(tape.root()),
            Self::Empty | Self::Wrong(..) => None,
        }
    }

    /// A value of the object; null counts as absent.
    pub(crate) fn get(&self, key: &str) -> Option<Value<'_>> {
        self.object()?.get(key).filter(|value| !value.is_null())
    }

    /// A text of the object.
    pub(crate) fn text(&self, key: &str) -> Option<String> {
        self.get(key)?.as_str().map(std::borrow::Cow::into_owned)
    }

    /// Why it cannot be used at all.
    pub(crate) fn problem(&self) -> Option<Problem> {
        match self {
            Self::Empty | Self::Object(_) => None,
            Self::Wrong(code, why) => Some(Problem::new(400, code, why.clone())),
        }
    }

    /// Whether it holds half a surrogate pair, which is no text.
    pub(crate) fn is_half_text(&self) -> bool {
        matches!(self, Self::Object(tape) if tape.lone_surrogate.is_some())
    }

    /// SHA-256 over the canonical form: member order, white space and escapes are of no account.
    pub(crate) fn digest(&self) -> [u8; 32] {
        let mut out = Vec::new();
        match self.object() {
            Some(object) => canonical(&mut out, object),
            None => out.extend_from_slice(b"{}"),
        }
        digest::of(&out)
    }

    /// The object as JSON text; `{}` where none came.
    pub(crate) fn shown(&self) -> Vec<u8> {
        let mut out = Vec::new();
        match self.object() {
            Some(object) => json::write_value(&mut out, object),
            None => out.extend_from_slice(b"{}"),
        }
        out
    }
}

/// Appends a value in its canonical form. The depth is bounded by the reader.
pub(crate) fn canonical(out: &mut Vec<u8>, value: Value<'_>) {
    match value.kind() {
        Kind::Null | Kind::Bool => out.extend_from_slice(value.text().as_bytes()),
        Kind::Number => out.extend_from_slice(number(value.text()).as_bytes()),
        Kind::String => write_string(out, &value.as_str().unwrap_or_default()),
        Kind::Array => {
            out.push(b'[');
            for (at, item) in value.items().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                canonical(out, item);
            }
            out.push(b']');
        }
        Kind::Object => {
            // Of a key that stands twice the last one counts.
            let sorted: BTreeMap<_, _> = value
                .entries()
                .map(|(key, value)| (key.as_str().unwrap_or_default().into_owned(), value))
                .collect();
            out.push(b'{');
            for (at, (key, value)) in sorted.into_iter().enumerate() {
                if at > 0 {
                    out.extend_from_slice(b", ");
                }
                write_string(out, &key);
                out.extend_from_slice(b": ");
                canonical(out, value);
            }
            out.push(b'}');
        }
    }
}

/// Whole numbers are equal by their digits, others as doubles; a whole one never equals another.
fn number(text: &str) -> String {
    if text.contains(['.', 'e', 'E']) {
        return text.parse::<f64>().map_or_else(|_| text.to_owned(), |double| format!("{double:?}"));
    }
    if text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::Body;

    #[test]
    fn equal_bodies_have_one_digest_and_others_have_others() {
        let digest = |text: &str| Body::read(text.as_bytes()).digest();
        let one = digest(r#"{"a": [1, 2], "b": {"c": "h\u00e9", "d": 1.0}}"#);
        assert_eq!(one, digest("{\"b\":{\"d\":1.00,\"c\":\"hé\"},\n\"a\":[1,2]}"));
        assert_eq!(digest("{}"), digest(""));
        for other in [
            r#"{"a": [2, 1], "b": {"c": "hé", "d": 1.0}}"#,
            r#"{"a": [1, 2], "b": {"c": "hé", "d": 1}}"#,
            r#"{"a": [1, 2], "b": {"c": "hé", "d": 1.0}, "e": null}"#,
        ] {
            assert_ne!(one, digest(other), "{other}");
        }
    }

    #[test]
    fn what_is_no_object_is_no_body() {
        for (text, code) in [
            (&b"[]"[..], "invalid_request"),
            (b"null", "invalid_request"),
            (b"\"x\"", "invalid_request"),
            (b"{", "invalid_json"),
            (b"\xff", "invalid_encoding"),
        ] {
            assert_eq!(Body::read(text).problem().unwrap().code, code);
        }
        assert!(Body::read(&b"[".repeat(100_000)).problem().is_some());
    }
}
