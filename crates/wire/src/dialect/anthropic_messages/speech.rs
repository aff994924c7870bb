//! What the Messages API says of a deviation from the documented request: the place in dots, then a sentence, as error
//! bodies in public threads quote it. Its validator is pydantic; the sentences for lengths and bounds are pydantic's.

use crate::json::{Kind, Value};
use crate::reject::Reject;
use crate::rule::Asked;
use crate::rule::shape::{At, Place, Shape, Speech, Step, Wrong};

/// How the API speaks. The table holds for the versions that it was made from, without a beta.
pub(crate) const SPEECH: Speech = Speech { words, closed, key: None };

/// The newest version that the table knows, as a date.
const NEWEST: &str = "2026-10-21";

/// The header that names betas.
pub(crate) const BETA: &str = "anthropic-beta";

fn closed(asked: &Asked<'_>) -> bool {
    let version = asked.header("anthropic-version").and_then(|value| std::str::from_utf8(value).ok());
    asked.header(BETA).is_none() && version.is_none_or(|version| version.trim() <= NEWEST)
}

/// A place as the API spells it, `messages.0.content.1.text.text`, and as an RFC 6901 pointer.
fn place(at: At<'_>) -> (String, String) {
    let Some(Place { above, step }) = at else { return Default::default() };
    let (mut path, mut pointer) = place(*above);
    let mut part = |name: &str| {
        if !path.is_empty() {
            path.push('.');
        }
        path.push_str(name);
    };
    match step {
        Step::Key(key) => {
            part(key);
            pointer.push('/');
            pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        }
        Step::Index(index) => {
            part(&index.to_string());
            pointer.push_str(&format!("/{index}"));
        }
        // A message is told by its role, which the API does not spell.
        Step::Variant("user" | "assistant" | "system") => {}
        Step::Variant(name) => part(name),
    }
    (path, pointer)
}

fn words(wrong: &Wrong<'_>, it: Value<'_>, at: At<'_>) -> Box<Reject> {
    let (mut path, pointer) = place(at);
    // Of a wrong tag the API names the object, but for the roles of messages.
    if let (Wrong::Tag(_), Some(Place { above, step: Step::Key("type") })) = (wrong, at) {
        path = place(*above).0;
    }
    let sentence = sentence(wrong, it, &path);
    let message = if path.is_empty() { sentence } else { format!("{path}: {sentence}") };
    let reject = Reject::of_no_place("", 400, None, message);
    Box::new(Reject { pointer, ..reject })
}

fn sentence(wrong: &Wrong<'_>, it: Value<'_>, path: &str) -> String {
    match *wrong {
        Wrong::Body => "Input should be a valid dictionary".to_owned(),
        Wrong::Unknown => "Extra inputs are not permitted".to_owned(),
        Wrong::Missing(_) => "Field required".to_owned(),
        Wrong::Null => "Input should not be null".to_owned(),
        Wrong::Kind(shape) => format!("Input should be {}", expected(shape)),
        Wrong::TagKind(words) | Wrong::Word(words) => format!("Input should be {}", any_of(words)),
        Wrong::Tag(words) if path.ends_with("role") => format!("Input should be {}", any_of(words)),
        Wrong::Tag(words) => {
            let all: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
            format!(
                "Input tag '{}' found using 'type' does not match any of the expected tags: {}",
                shown(it),
                all.join(", ")
            )
        }
        Wrong::Pattern(pattern) => format!("String should match pattern '{pattern}'"),
        Wrong::ShortText(_, min) => format!("String should have at least {min} character{}", plural(min)),
        Wrong::LongText(_, max) => format!("String should have at most {max} character{}", plural(max)),
        Wrong::ShortList(_) if path == "messages" => "at least one message is required".to_owned(),
        Wrong::ShortList(min) => {
            format!("List should have at least {min} item{} after validation, not {}", plural(min), it.len())
        }
        Wrong::LongList(max) => {
            format!("List should have at most {max} item{} after validation, not {}", plural(max), it.len())
        }
        Wrong::LargeMap(max) => {
            format!(
                "Dictionary should have at most {max} item{} after validation, not {}",
                plural(max),
                it.len()
            )
        }
        Wrong::Below(_, limit) => format!("Input should be greater than or equal to {limit}"),
        Wrong::Above(_, limit) => format!("Input should be less than or equal to {limit}"),
    }
}

/// A word of the request, cut where it is long.
fn shown(it: Value<'_>) -> String {
    const SHOWN: usize = 80;
    it.as_str().unwrap_or_default().chars().take(SHOWN).collect()
}

fn plural(count: usize) -> &'static str {
    if count == 1 { "" } else { "s" }
}

/// `'a', 'b' or 'c'`.
fn any_of(words: &[&str]) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.as_slice() {
        [most @ .., last] if !most.is_empty() => format!("{} or {last}", most.join(", ")),
        quoted => quoted.concat(),
    }
}

/// What a shape asks for, as the API names it.
fn expected(shape: &Shape) -> String {
    let plain = match shape {
        Shape::Any => "a valid value",
        Shape::Bool => "a valid boolean",
        Shape::Integer(..) => "a valid integer",
        Shape::Decimal(..) => "a valid number",
        Shape::Text(_) => "a valid string",
        Shape::Word(words) => return any_of(words),
        Shape::List(..) => "a valid list",
        Shape::Object(_) | Shape::Map(..) | Shape::Open | Shape::Tagged(..) | Shape::Familiar(..) => {
            "a valid dictionary"
        }
        Shape::Either(shapes) => return shapes.iter().map(expected).collect::<Vec<_>>().join(" or "),
        Shape::Spoken(_, shape) => return expected(shape),
    };
    plain.to_owned()
}

/// Whether a value is a list or a text: what a message may say.
pub(crate) fn says_nothing(content: Value<'_>) -> bool {
    match content.kind() {
        Kind::String => content.is_str(""),
        Kind::Array => content.is_empty(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => false,
    }
}
