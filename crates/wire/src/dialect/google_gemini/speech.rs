//! What the Gemini API says of a deviation from the documented request, as error bodies in public threads quote it: first what
//! its reader of JSON cannot place, with a path in the names of the protocol buffer; then what a field may not be.

use super::read::camel;
use crate::json::Value;
use crate::reject::Reject;
use crate::rule::shape::{At, Place, Shape, Speech, Step, Wrong, place};
use std::borrow::Cow;

/// How the API speaks. Nothing but what the table names may stand in a request.
pub(crate) const SPEECH: Speech = Speech { words, closed: |_| true, key: Some(camel) };

/// A key as the protocol buffer names it.
fn underscored(key: &str) -> Cow<'_, str> {
    let mut out = String::with_capacity(key.len() + 4);
    for letter in key.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    Cow::Owned(out)
}

fn words(wrong: &Wrong<'_>, it: Value<'_>, at: At<'_>) -> Box<Reject> {
    let (path, pointer) = place(at, underscored);
    let (field, message) = match *wrong {
        Wrong::Unknown => {
            let (key, above) = match at {
                Some(Place { above, step: Step::Key(key) }) => (*key, place(*above, underscored).0),
                Some(_) | None => ("", String::new()),
            };
            let inside = if above.is_empty() { String::new() } else { format!(" at '{above}'") };
            let what =
                format!("Invalid JSON payload received. Unknown name \"{key}\"{inside}: Cannot find field.");
            (Some(above), what)
        }
        Wrong::Body => (None, "Invalid JSON payload received. Root element must be a message.".to_owned()),
        Wrong::Missing(_) | Wrong::ShortList(_) | Wrong::Null => (None, missing(&path)),
        Wrong::Below(_, limit) => (None, range(&path, &format!("at least {limit}"))),
        Wrong::Above(_, limit) => (None, range(&path, &format!("at most {limit}"))),
        Wrong::Kind(shape) => {
            let what = format!("Invalid value at '{path}' ({}), {}", expected(shape), shown(it));
            (Some(path), what)
        }
        Wrong::TagKind(_)
        | Wrong::Tag(_)
        | Wrong::Word(_)
        | Wrong::Pattern(_)
        | Wrong::ShortText(..)
        | Wrong::LongText(..)
        | Wrong::LongList(_)
        | Wrong::LargeMap(_) => {
            let what = format!("Invalid value at '{path}' (TYPE_ENUM), {}", shown(it));
            (Some(path), what)
        }
    };
    let reject = Reject::of_no_place("", 400, None, message);
    Box::new(Reject { pointer, param: field.filter(|field| !field.is_empty()), ..reject })
}

fn missing(path: &str) -> String {
    match path {
        "contents" => "* GenerateContentRequest.contents: contents is not specified\n".to_owned(),
        path => format!("* GenerateContentRequest.{path}: [REQUIRED_FIELD_MISSING]\n"),
    }
}

fn range(path: &str, bound: &str) -> String {
    let name = path.rsplit('.').next().unwrap_or(path);
    format!("* GenerateContentRequest.{path}: {name} must be {bound}.\n")
}

/// A value of the request, cut where it is long.
fn shown(it: Value<'_>) -> String {
    const SHOWN: usize = 80;
    it.text().chars().take(SHOWN).collect()
}

/// What a shape asks for, as the reader of JSON names it.
fn expected(shape: &Shape) -> &'static str {
    match shape {
        Shape::Bool => "TYPE_BOOL",
        Shape::Integer(..) => "TYPE_INT32",
        Shape::Decimal(..) => "TYPE_FLOAT",
        Shape::Text(_) => "TYPE_STRING",
        Shape::Word(_) => "TYPE_ENUM",
        Shape::Any
        | Shape::List(..)
        | Shape::Object(_)
        | Shape::Map(..)
        | Shape::Open
        | Shape::Tagged(..)
        | Shape::Familiar(..) => "TYPE_MESSAGE",
        Shape::Either(shapes) => shapes.first().map_or("TYPE_MESSAGE", expected),
        Shape::Spoken(_, shape) => expected(shape),
    }
}
