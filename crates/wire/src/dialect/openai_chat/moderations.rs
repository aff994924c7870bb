//! Moderation of the OpenAI API, `POST /v1/moderations`: every input is harmless, with scores that follow from it.
//!
//! Shapes after the OpenAPI document 2.3.0 of 2026-08-21.

use super::render::key;
use crate::dialect::push_hex;
use crate::dialect::vectors::mark;
use crate::json::{Kind, Tape, Value, write_string};
use crate::reject::Reject;

/// Every category, whether only the newer models know it, and whether pictures count for it.
const CATEGORIES: &[(&str, bool, bool)] = &[
    ("harassment", false, false),
    ("harassment/threatening", false, false),
    ("sexual", false, true),
    ("hate", false, false),
    ("hate/threatening", false, false),
    ("illicit", true, false),
    ("illicit/violent", true, false),
    ("self-harm/intent", false, true),
    ("self-harm/instructions", false, true),
    ("self-harm", false, true),
    ("sexual/minors", false, false),
    ("violence", false, true),
    ("violence/graphic", false, true),
];

/// What one result is of.
struct Input<'t> {
    value: Value<'t>,
    text: bool,
    image: bool,
}

/// The answer.
pub(super) fn moderations(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let body = tape.root();
    let model = body.get("model").filter(|model| !model.is_null());
    let model = match model.map(|model| model.as_str().ok_or(model)) {
        None => "omni-moderation-latest".into(),
        Some(Ok(model)) => model,
        Some(Err(other)) => {
            let kind = other.kind().phrase();
            return Err(no(
                "/model",
                format!("Invalid type for 'model': expected a string, but got {kind} instead."),
            ));
        }
    };
    let inputs = inputs(body)?;
    // The older models know texts and fewer categories.
    let newer = !model.starts_with("text-moderation");
    let mut id = String::from("modr-");
    push_hex(&mut id, mark(tape.source().bytes()), 16);
    let mut out = Vec::with_capacity(1200 * inputs.len());
    out.extend_from_slice(b"{\"id\": ");
    write_string(&mut out, &id);
    key(&mut out, "model");
    write_string(&mut out, &model);
    key(&mut out, "results");
    for (index, input) in inputs.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"[{\"flagged\": false" } else { b", {\"flagged\": false" });
        table(&mut out, "categories", newer, |out, _| out.extend_from_slice(b"false"));
        table(&mut out, "category_scores", newer, |out, name| {
            // A millionth is what harmless texts get; at most two in ten thousand here.
            let millionths = mark(input.value.text().bytes().chain(name.bytes())) % 200 + 1;
            out.extend_from_slice(format!("0.{millionths:06}").as_bytes());
        });
        if newer {
            table(&mut out, "category_applied_input_types", newer, |out, name| types(out, name, input));
        }
        out.push(b'}');
    }
    out.extend_from_slice(b"]}");
    Ok(out)
}

fn table(out: &mut Vec<u8>, name: &str, newer: bool, value: impl Fn(&mut Vec<u8>, &str)) {
    key(out, name);
    let known = CATEGORIES.iter().filter(|(_, only_newer, _)| newer || !only_newer);
    for (i, (category, _, _)) in known.enumerate() {
        out.extend_from_slice(if i == 0 { b"{" } else { b", " });
        write_string(out, category);
        out.extend_from_slice(b": ");
        value(out, category);
    }
    out.push(b'}');
}

/// The kinds of input that a category was judged by.
fn types(out: &mut Vec<u8>, category: &str, input: &Input<'_>) {
    let sees = CATEGORIES.iter().any(|(name, _, images)| *name == category && *images);
    out.extend_from_slice(match (input.text, input.image && sees) {
        (true, true) => b"[\"text\", \"image\"]",
        (true, false) => b"[\"text\"]",
        (false, true) => b"[\"image\"]",
        (false, false) => b"[]",
    });
}

fn no(pointer: &str, message: impl Into<String>) -> Box<Reject> {
    Box::new(Reject { pointer: pointer.to_owned(), ..Reject::of_no_place("moderations", 400, None, message) })
}

/// A text, several texts with a result each, or the parts of one input that may hold pictures.
fn inputs(body: Value<'_>) -> Result<Vec<Input<'_>>, Box<Reject>> {
    let Some(input) = body.get("input").filter(|input| !input.is_null()) else {
        let missing = no("/input", "Missing required parameter: 'input'.");
        return Err(Box::new(Reject {
            param: Some("input".to_owned()),
            code: Some("missing_required_parameter"),
            ..*missing
        }));
    };
    let text = |value| Input { value, text: true, image: false };
    let is = |part: Value<'_>, kind| part.get("type").is_some_and(|word| word.is_str(kind));
    match input.kind() {
        Kind::String => Ok(vec![text(input)]),
        Kind::Array if input.items().all(|item| item.kind() == Kind::String) && !input.is_empty() => {
            Ok(input.items().map(text).collect())
        }
        Kind::Array
            if input.items().all(|part| is(part, "text") || is(part, "image_url")) && !input.is_empty() =>
        {
            let holds = |kind| input.items().any(|part| is(part, kind));
            Ok(vec![Input { value: input, text: holds("text"), image: holds("image_url") }])
        }
        Kind::Array | Kind::Null | Kind::Bool | Kind::Number | Kind::Object => Err(no(
            "/input",
            "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
        )),
    }
}
