//! What the API says of a deviation: code, place and sentence, after error bodies quoted in public threads.

use super::super::say;
use super::walk::{At, Place, Step};
use super::{Field, Need, Shape, Speech, Wrong};
use crate::json::{Kind, Value};
use crate::reject::Reject;
use std::borrow::Cow;

/// How the API of OpenAI speaks of its documented requests; nothing but what they name may stand in them.
pub(super) const SPEECH: Speech = Speech { words, closed: |_| true, key: None };

fn words(wrong: &Wrong<'_>, it: Value<'_>, at: At<'_>) -> Box<Reject> {
    match *wrong {
        Wrong::Body => no_object(it),
        Wrong::Unknown => unknown(at),
        Wrong::Missing(field) => missing(field, at),
        Wrong::Null => null(at),
        Wrong::Kind(shape) => kind(it, shape, at),
        Wrong::TagKind(words) => tag(it, words, at),
        Wrong::Tag(words) | Wrong::Word(words) => word(it, words, at),
        Wrong::Pattern(wanted) => pattern(wanted, at),
        Wrong::ShortText(length, min) => short_text(length, min, at),
        Wrong::LongText(length, max) => long_text(length, max, at),
        Wrong::ShortList(min) => short_list(it, min, at),
        Wrong::LongList(max) => long_list(it, max, at),
        Wrong::LargeMap(most) => large_map(it, most, at),
        Wrong::Below(what, limit) => bound(what, it, Err(limit), at),
        Wrong::Above(what, limit) => bound(what, it, Ok(limit), at),
    }
}

/// The spelling of a key as the request has it.
const AS_IT_IS: fn(&str) -> Cow<'_, str> = |key| Cow::Borrowed(key);

/// A place as an API spells it, `tools[0].function.name`, whose spelling of a key is given; and as an RFC 6901 pointer.
pub(crate) fn place(at: At<'_>, spelt: fn(&str) -> Cow<'_, str>) -> (String, String) {
    let Some(place_here) = at else { return Default::default() };
    let (mut param, mut pointer) = place(place_here.above, spelt);
    match place_here.step {
        Step::Key(key) => {
            if !param.is_empty() {
                param.push('.');
            }
            param.push_str(&spelt(key));
            pointer.push('/');
            pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        }
        Step::Index(index) => {
            param.push_str(&format!("[{index}]"));
            pointer.push_str(&format!("/{index}"));
        }
        Step::Variant(_) => {}
    }
    (param, pointer)
}

/// The older spelling: `messages.[0].content`.
fn plain(param: &str) -> String {
    param.replace('[', ".[")
}

#[cold]
fn refuse(code: &'static str, at: At<'_>, sentence: impl FnOnce(&str) -> String) -> Box<Reject> {
    let (param, pointer) = place(at, AS_IT_IS);
    let message = sentence(&param);
    say::api(Some(code), Some(param), pointer, message)
}

#[cold]
fn no_object(body: Value<'_>) -> Box<Reject> {
    let message = format!("Invalid type for the body: expected an object, but got {} instead.", actual(body));
    say::api(None, None, "", message)
}

#[cold]
fn unknown(at: At<'_>) -> Box<Reject> {
    refuse("unknown_parameter", at, |param| format!("Unknown parameter: '{param}'."))
}

#[cold]
fn missing(field: &Field, at: At<'_>) -> Box<Reject> {
    if field.need == Need::RequiredPlainly {
        let (param, pointer) = place(at, AS_IT_IS);
        let message = format!("Missing parameter '{}': messages with this role must have one.", field.name);
        return say::api(None, Some(plain(&param)), pointer, message);
    }
    let sentence = |param: &str| format!("Missing required parameter: '{param}'.");
    refuse("missing_required_parameter", at, sentence)
}

#[cold]
fn null(at: At<'_>) -> Box<Reject> {
    let (param, pointer) = place(at, AS_IT_IS);
    let key = match at {
        Some(Place { step: Step::Key(key), .. }) => key,
        Some(Place { step: Step::Index(_) | Step::Variant(_), .. }) | None => "",
    };
    let message = format!("Invalid value for '{key}': expected a string, got null.");
    say::api(None, Some(plain(&param)), pointer, message)
}

#[cold]
fn kind(it: Value<'_>, shape: &Shape, at: At<'_>) -> Box<Reject> {
    let found = actual(it);
    refuse("invalid_type", at, |param| {
        format!("Invalid type for '{param}': expected {}, but got {found} instead.", expected(shape))
    })
}

/// A discriminating key that is not even a string.
#[cold]
fn tag(it: Value<'_>, words: &[&str], at: At<'_>) -> Box<Reject> {
    let found = actual(it);
    refuse("invalid_type", at, |param| {
        format!(
            "Invalid type for '{param}': expected one of {}, but got {found} instead.",
            all_of(words, "or")
        )
    })
}

#[cold]
fn word(it: Value<'_>, words: &[&str], at: At<'_>) -> Box<Reject> {
    let text = it.as_str().unwrap_or_default();
    let shown = say::quoted(&text);
    refuse("invalid_value", at, |_| {
        format!(
            "Invalid value: '{}'. Supported values are: {}.",
            shown.trim_matches('"'),
            all_of(words, "and")
        )
    })
}

#[cold]
fn pattern(pattern: &str, at: At<'_>) -> Box<Reject> {
    refuse("invalid_value", at, |param| {
        format!(
            "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern '{pattern}'."
        )
    })
}

#[cold]
fn short_text(length: usize, min: usize, at: At<'_>) -> Box<Reject> {
    let (code, what, got) = if length == 0 {
        ("empty_string", "empty string", "an empty string".to_owned())
    } else {
        ("string_below_min_length", "string too short", format!("a string with length {length}"))
    };
    refuse(code, at, |param| {
        format!(
            "Invalid '{param}': {what}. Expected a string with minimum length {min}, but got {got} instead."
        )
    })
}

#[cold]
fn long_text(length: usize, max: usize, at: At<'_>) -> Box<Reject> {
    refuse("string_above_max_length", at, |param| {
        format!(
            "Invalid '{param}': string too long. Expected a string with maximum length {max}, \
             but got a string with length {length} instead."
        )
    })
}

#[cold]
fn short_list(it: Value<'_>, min: usize, at: At<'_>) -> Box<Reject> {
    let (code, what, got) = if it.is_empty() {
        ("empty_array", "empty array", "an empty array".to_owned())
    } else {
        ("array_below_min_length", "array too short", format!("an array with length {}", it.len()))
    };
    refuse(code, at, |param| {
        format!(
            "Invalid '{param}': {what}. Expected an array with minimum length {min}, but got {got} instead."
        )
    })
}

#[cold]
fn long_list(it: Value<'_>, max: usize, at: At<'_>) -> Box<Reject> {
    refuse("array_above_max_length", at, |param| {
        format!(
            "Invalid '{param}': array too long. Expected an array with maximum length {max}, \
             but got an array with length {} instead.",
            it.len()
        )
    })
}

#[cold]
fn large_map(it: Value<'_>, most: usize, at: At<'_>) -> Box<Reject> {
    refuse("object_above_max_properties", at, |param| {
        format!(
            "Invalid '{param}': too many properties. Expected an object with at most {most} properties, \
             but got an object with {} properties instead.",
            it.len()
        )
    })
}

/// A number below (`Err`) or above (`Ok`) a bound.
#[cold]
fn bound(what: &str, it: Value<'_>, bound: Result<&str, &str>, at: At<'_>) -> Box<Reject> {
    let (code, side, sign) = match (bound, what) {
        (Err(_), "integer") => ("integer_below_min_value", "below minimum", ">="),
        (Ok(_), "integer") => ("integer_above_max_value", "above maximum", "<="),
        (Err(_), _) => ("decimal_below_min_value", "below minimum", ">="),
        (Ok(_), _) => ("decimal_above_max_value", "above maximum", "<="),
    };
    let (Ok(limit) | Err(limit)) = bound;
    let found = say::shown(it);
    refuse(code, at, |param| {
        format!(
            "Invalid '{param}': {what} {side} value. Expected a value {sign} {limit}, but got {found} instead."
        )
    })
}

/// What a value is, as the API names it.
fn actual(it: Value<'_>) -> &'static str {
    match it.kind() {
        Kind::Number if it.as_i64().is_some() => "an integer",
        Kind::Number => "a decimal number",
        Kind::Null | Kind::Bool | Kind::String | Kind::Array | Kind::Object => it.kind().phrase(),
    }
}

/// What a shape asks for, as the API names it.
fn expected(shape: &Shape) -> String {
    match shape {
        Shape::Any => "any value".to_owned(),
        Shape::Spoken(_, shape) => expected(shape),
        Shape::Bool => "a boolean".to_owned(),
        Shape::Integer(..) => "an integer".to_owned(),
        Shape::Decimal(..) => "a decimal".to_owned(),
        Shape::Text(_) => "a string".to_owned(),
        Shape::Word(words) => format!("one of {}", all_of(words, "or")),
        Shape::List(of, ..) => format!("an array of {}", many(of)),
        Shape::Object(_) | Shape::Map(..) | Shape::Open | Shape::Tagged(..) | Shape::Familiar(..) => {
            "an object".to_owned()
        }
        Shape::Either(shapes) => {
            let parts: Vec<String> = shapes.iter().map(expected).collect();
            let bare: Vec<&str> = parts.iter().map(|part| part.trim_start_matches("a ")).collect();
            format!("one of {}", bare.join(" or ").replace("or an ", "or "))
        }
    }
}

fn many(of: &Shape) -> &'static str {
    match of {
        Shape::Any => "values",
        Shape::Bool => "booleans",
        Shape::Integer(..) => "integers",
        Shape::Decimal(..) => "numbers",
        Shape::Text(_) | Shape::Word(_) => "strings",
        Shape::List(..) => "arrays",
        Shape::Object(_) | Shape::Map(..) | Shape::Open | Shape::Tagged(..) | Shape::Familiar(..) => {
            "objects"
        }
        Shape::Either(_) | Shape::Spoken(..) => "values",
    }
}

/// `'a', 'b', and 'c'`.
fn all_of(words: &[&str], joint: &str) -> String {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [first, second] => format!("{first} {joint} {second}"),
        [most @ .., last] => format!("{}, {joint} {last}", most.join(", ")),
    }
}
