//! What the real daemon looks for in every body before it asks what the body says: secrets, and fields that it does not know.
//!
//! Facts are those of razzant/claudexor: its fence for secret-like values, and its schemas of requests.

use super::{Body, Problem};
use crate::core::Heard;
use rehearsal_wire::json::{Kind, Value};

/// Fields of an operation: a pointer to an object (`*` for all entries of a list) and what may stand in it. A start's own are read where
/// it is; what is not listed takes any field.
const FIELDS: [(&str, &str, &[&str]); 9] = [
    ("run.start", "/scope", &["kind", "root", "context", "ephemeral"]),
    ("run.start", "/execution", &["isolation", "delegated", "workspaceRoot"]),
    ("run.message", "", &["text", "expectedAttemptId"]),
    ("run.answer", "", &["answers"]),
    ("run.answer", "/answers/*", &["questionId", "selectedLabels", "freeText"]),
    ("run.control", "", &["control"]),
    ("run.control", "/control", &["kind", "reason"]),
    ("project.register", "", &["root"]),
    ("trust.write", "", &["root", "level"]),
];

/// Names of fields that hold secrets, in small letters and without `_` and `-`.
const SECRETS: [&str; 9] = [
    "apikey",
    "accesstoken",
    "refreshtoken",
    "authtoken",
    "authorization",
    "bearertoken",
    "clientsecret",
    "password",
    "secret",
];

/// Beginnings of well-known keys, and how many letters and digits must follow at least.
const KEYS: [(&str, usize); 10] = [
    ("sk-", 16),
    ("key_", 20),
    ("ghp_", 20),
    ("gho_", 20),
    ("github_pat_", 20),
    ("AKIA", 16),
    ("AIza", 30),
    ("xoxb-", 10),
    ("xoxp-", 10),
    ("Bearer ", 20),
];

/// Subtrees that are schemas of their author: the names in them are names of fields.
const SCHEMAS: [&str; 2] = ["outputSchema", "output_schema"];

/// Why a request is refused whatever it is about.
pub(crate) fn unfit(heard: &Heard<'_>, operation: &str) -> Option<Problem> {
    if let Some(why) = malformed(heard.target) {
        return Some(Problem::new(400, "malformed_request_path", why));
    }
    if let Some(at) = heard.secret() {
        let why = format!("a value that looks like a secret stands at {at}");
        let problem = Problem::new(400, "inline_secret_rejected", why);
        return Some(problem.action("remove_secret", "take it out, and name a credential profile instead"));
    }
    let object = heard.body.object()?;
    let mut of_it = FIELDS.iter().filter(|(name, ..)| *name == operation);
    of_it.find_map(|(_, pointer, known)| unknown(object, pointer, known))
}

/// Where the first value stands in a body that looks like a secret, as a JSON pointer.
pub(crate) fn secret_in(body: &Body<'_>) -> Option<String> {
    body.object().and_then(|object| secret(object, "", false))
}

/// What is wrong with the spelling of a path: a percent sign without two hexadecimal digits.
fn malformed(target: &str) -> Option<&'static str> {
    let path = target.split('?').next().unwrap_or_default();
    let is_byte = |part: &str| part.get(..2).is_some_and(|two| two.bytes().all(|it| it.is_ascii_hexdigit()));
    let broken = path.split('%').skip(1).any(|part| !is_byte(part));
    broken.then_some("a % in the path is not followed by two hexadecimal digits")
}

/// The first field that an object at this place does not know.
fn unknown(root: Value<'_>, pointer: &str, known: &[&str]) -> Option<Problem> {
    let objects: Vec<(String, Value<'_>)> = match pointer.strip_suffix("/*") {
        None => root.at(pointer).map(|object| (pointer.to_owned(), object)).into_iter().collect(),
        Some(list) => {
            let items = root.at(list).filter(|list| list.kind() == Kind::Array);
            let items = items.into_iter().flat_map(|list| list.items().enumerate());
            items.map(|(at, item)| (format!("{list}/{at}"), item)).collect()
        }
    };
    let mut objects = objects.into_iter().filter(|(_, object)| object.kind() == Kind::Object);
    objects.find_map(|(at, object)| {
        let mut keys = object.entries().map(|(key, _)| key.as_str().unwrap_or_default());
        let key = keys.find(|key| !known.contains(&key.as_ref()))?;
        let why = format!("is no field here; known are {}", known.join(", "));
        Some(Problem::field(&format!("{at}/{}", token(&key)), why))
    })
}

/// A key as a part of a JSON pointer (RFC 6901).
fn token(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}

/// Where the first secret stands. In schemas only values count. The depth is bounded by the reader.
fn secret(value: Value<'_>, at: &str, in_schema: bool) -> Option<String> {
    match value.kind() {
        Kind::String => is_key(&value.as_str().unwrap_or_default()).then(|| at.to_owned()),
        Kind::Array => {
            let mut items = value.items().enumerate();
            items.find_map(|(number, item)| secret(item, &format!("{at}/{number}"), in_schema))
        }
        Kind::Object => value.entries().find_map(|(key, inner)| {
            let key = key.as_str().unwrap_or_default();
            let at = format!("{at}/{}", token(&key));
            let name: String = key.chars().filter(|letter| !matches!(letter, '_' | '-')).collect();
            let is_named = !in_schema && SECRETS.contains(&name.to_ascii_lowercase().as_str());
            if is_named && inner.as_str().is_some_and(|text| !text.is_empty()) {
                return Some(at);
            }
            secret(inner, &at, in_schema || SCHEMAS.contains(&key.as_ref()))
        }),
        Kind::Null | Kind::Bool | Kind::Number => None,
    }
}

/// Whether a text holds something that looks like a key.
fn is_key(text: &str) -> bool {
    let is_part = |letter: char| letter.is_ascii_alphanumeric() || "._~+/-=".contains(letter);
    let is_there = |begin: &str, least: usize| {
        text.match_indices(begin).any(|(at, _)| {
            let before = text.get(..at).and_then(|before| before.chars().last());
            let rest = text.get(at + begin.len()..).unwrap_or_default();
            let follow = rest.chars().take_while(|letter| is_part(*letter) || *letter == '_');
            !before.is_some_and(is_part) && follow.count() >= least
        })
    };
    KEYS.iter().any(|(begin, least)| is_there(begin, *least))
        || (text.contains("-----BEGIN ") && text.contains("PRIVATE KEY-----"))
}

#[cfg(test)]
mod tests {
    use super::{Body, is_key, malformed, secret};

    #[test]
    fn what_looks_like_a_key_is_known_and_prose_is_not() {
        let letters = "abcdefghijklmnopqrstuvwxyz0123456789";
        for begin in ["sk-", "use sk-ant-", "(ghp_", "Authorization: Bearer ", "key_"] {
            assert!(is_key(&format!("{begin}{letters}")), "{begin}");
        }
        assert!(is_key("-----BEGIN RSA PRIVATE KEY-----"));
        for text in
            ["Bearer of good news", "task-list-of-many-things-to-do", "sk-short", "the key_ is lost", ""]
        {
            assert!(!is_key(text), "{text}");
        }
    }

    #[test]
    fn secrets_are_told_by_their_place_and_names_in_schemas_are_none() {
        let key = format!("ghp_{}", "x".repeat(36));
        for (text, at) in [
            (r#"{"a": [{"apiKey": "x"}]}"#, Some("/a/0/apiKey")),
            (r#"{"client-secret": "x"}"#, Some("/client-secret")),
            (r#"{"outputSchema": {"password": "string"}}"#, None),
            (r#"{"outputSchema": {"const": "KEY"}}"#, Some("/outputSchema/const")),
            (r#"{"password": null, "secret": "", "tokens": 7}"#, None),
            (r#"{"a/b~": "KEY"}"#, Some("/a~1b~0")),
        ] {
            let text = text.replace("KEY", &key);
            let Body::Object(tape) = Body::read(text.as_bytes()) else { panic!("{text}") };
            assert_eq!(secret(tape.root(), "", false).as_deref(), at, "{text}");
        }
    }

    #[test]
    fn a_percent_sign_needs_two_digits() {
        assert!(malformed("/v2/runs/%4").is_some() && malformed("/v2/%zz").is_some());
        assert!(malformed("/v2/runs/%2f?x=%").is_none() && malformed("/v2").is_none());
    }
}
