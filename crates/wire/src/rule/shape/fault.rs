//! What the API says of a deviation: code, place and sentence, after error bodies quoted in public threads.

use super::super::say;
use super::walk::{Place, Step};
use super::{Field, Need, Shape};
use crate::json::{Kind, Value};
use crate::reject::Reject;

type At<'p> = Option<&'p Place<'p>>;

/// A place as the API spells it, `tools[0].function.name`, and as an RFC 6901 pointer.
fn place(at: At<'_>) -> (String, String) {
    let Some(place_here) = at else { return Default::default() };
    let (mut param, mut pointer) = place(place_here.above);
    match place_here.step {
        Step::Key(key) => {
            if !param.is_empty() {
                param.push('.');
            }
            param.push_str(key);
            pointer.push('/');
            pointer.push_str(&key.replace('~', "~0").replace('/', "~1"));
        }
        Step::Index(index) => {
            param.push_str(&format!("[{index}]"));
            pointer.push_str(&format!("/{index}"));
        }
    }
    (param, pointer)
}

/// The older spelling: `messages.[0].content`.
fn plain(param: &str) -> String {
    param.replace('[', ".[")
}

#[cold]
fn refuse(code: &'static str, at: At<'_>, sentence: impl FnOnce(&str) -> String) -> Box<Reject> {
    let (param, pointer) = place(at);
    let message = sentence(&param);
    say::api(Some(code), Some(param), pointer, message)
}

#[cold]
pub(super) fn no_object(body: Value<'_>) -> Box<Reject> {
    let message = format!("Invalid type for the body: expected an object, but got {} instead.", actual(body));
    say::api(None, None, "", message)
}

#[cold]
pub(super) fn unknown(at: &Place<'_>) -> Box<Reject> {
    refuse("unknown_parameter", Some(at), |param| format!("Unknown parameter: '{param}'."))
}

#[cold]
pub(super) fn missing(field: &Field, at: &Place<'_>) -> Box<Reject> {
    if field.need == Need::RequiredPlainly {
        let (param, pointer) = place(Some(at));
        let message = format!("Missing parameter '{}': messages with this role must have one.", field.name);
        return say::api(None, Some(plain(&param)), pointer, message);
    }
    let sentence = |param: &str| format!("Missing required parameter: '{param}'.");
    refuse("missing_required_parameter", Some(at), sentence)
}

#[cold]
pub(super) fn null(at: &Place<'_>) -> Box<Reject> {
    let (param, pointer) = place(Some(at));
    let key = match at.step {
        Step::Key(key) => key,
        Step::Index(_) => "",
    };
    let message = format!("Invalid value for '{key}': expected a string, got null.");
    say::api(None, Some(plain(&param)), pointer, message)
}

#[cold]
pub(super) fn kind(it: Value<'_>, shape: &Shape, at: At<'_>) -> Box<Reject> {
    let found = actual(it);
    refuse("invalid_type", at, |param| {
        format!("Invalid type for '{param}': expected {}, but got {found} instead.", expected(shape))
    })
}

/// A discriminating key that is not even a string.
#[cold]
pub(super) fn tag(it: Value<'_>, words: &[&str], at: &Place<'_>) -> Box<Reject> {
    let found = actual(it);
    refuse("invalid_type", Some(at), |param| {
        format!(
            "Invalid type for '{param}': expected one of {}, but got {found} instead.",
            all_of(words, "or")
        )
    })
}

#[cold]
pub(super) fn word(it: Value<'_>, words: &[&str], at: At<'_>) -> Box<Reject> {
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
pub(super) fn pattern(pattern: &str, at: At<'_>) -> Box<Reject> {
    refuse("invalid_value", at, |param| {
        format!(
            "Invalid '{param}': string does not match pattern. Expected a string that matches the pattern '{pattern}'."
        )
    })
}

#[cold]
pub(super) fn short_text(length: usize, min: usize, at: At<'_>) -> Box<Reject> {
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
pub(super) fn long_text(length: usize, max: usize, at: At<'_>) -> Box<Reject> {
    refuse("string_above_max_length", at, |param| {
        format!(
            "Invalid '{param}': string too long. Expected a string with maximum length {max}, \
             but got a string with length {length} instead."
        )
    })
}

#[cold]
pub(super) fn short_list(it: Value<'_>, min: usize, at: At<'_>) -> Box<Reject> {
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
pub(super) fn long_list(it: Value<'_>, max: usize, at: At<'_>) -> Box<Reject> {
    refuse("array_above_max_length", at, |param| {
        format!(
            "Invalid '{param}': array too long. Expected an array with maximum length {max}, \
             but got an array with length {} instead.",
            it.len()
        )
    })
}

#[cold]
pub(super) fn large_map(it: Value<'_>, most: usize, at: At<'_>) -> Box<Reject> {
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
pub(super) fn bound(what: &str, it: Value<'_>, bound: Result<&str, &str>, at: At<'_>) -> Box<Reject> {
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
        Shape::Either(_) => "values",
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
