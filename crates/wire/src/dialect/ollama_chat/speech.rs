//! What Ollama says of a deviation from its request types: the words of Go's reader of JSON, as its error bodies have them.

use crate::json::{Kind, Value};
use crate::reject::Reject;
use crate::rule::shape::{At, Shape, Wrong, place};
use std::borrow::Cow;

/// A place as Go spells it: `tools.function.name`, of whichever tool.
fn without_numbers(path: &str) -> String {
    path.split('[').map(|part| part.split_once(']').map_or(part, |(_, rest)| rest)).collect()
}

/// What is said of a request of this Go type.
pub(in crate::dialect) fn said(of: &str, wrong: &Wrong<'_>, it: Value<'_>, at: At<'_>) -> Box<Reject> {
    let (path, pointer) = place(at, |key| Cow::Borrowed(key));
    let path = without_numbers(&path);
    let message = match wrong {
        Wrong::Missing(field) => format!("{} is required", field.name),
        Wrong::ShortText(..) => format!("{path} is required"),
        Wrong::Body => format!("json: cannot unmarshal {} into Go value of type api.{of}", kind(it)),
        Wrong::Kind(shape) => {
            let go = go(shape);
            format!("json: cannot unmarshal {} into Go struct field {of}.{path} of type {go}", kind(it))
        }
        Wrong::Unknown
        | Wrong::Null
        | Wrong::TagKind(_)
        | Wrong::Tag(_)
        | Wrong::Word(_)
        | Wrong::Pattern(_)
        | Wrong::LongText(..)
        | Wrong::ShortList(_)
        | Wrong::LongList(_)
        | Wrong::LargeMap(_)
        | Wrong::Below(..)
        | Wrong::Above(..) => format!("invalid value in {of}.{path}"),
    };
    Box::new(Reject { pointer, ..Reject::of_no_place("", 400, None, message) })
}

fn kind(it: Value<'_>) -> &'static str {
    match it.kind() {
        Kind::Null => "null",
        Kind::Bool => "bool",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array => "array",
        Kind::Object => "object",
    }
}

fn go(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "bool",
        Shape::Integer(..) => "int",
        Shape::Decimal(..) => "float64",
        Shape::Text(_) | Shape::Word(_) => "string",
        Shape::List(..) => "[]interface {}",
        Shape::Any
        | Shape::Object(_)
        | Shape::Map(..)
        | Shape::Open
        | Shape::Tagged(..)
        | Shape::Familiar(..) => "map[string]interface {}",
        Shape::Either(shapes) => shapes.first().map_or("interface {}", go),
        Shape::Spoken(_, shape) => go(shape),
    }
}
