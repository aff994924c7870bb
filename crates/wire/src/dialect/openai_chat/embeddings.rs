//! Embeddings of the OpenAI API, `POST /v1/embeddings`: made up, and the same for the same input.
//!
//! Limits and sentences after the OpenAPI document 2.3.0 of 2026-08-21 and the error bodies that public threads quote.

use super::render::key;
use crate::base64;
use crate::dialect::vectors::{mark, tokens, unit, write};
use crate::json::{Kind, Tape, Value, write_number, write_string};
use crate::reject::Reject;

/// Most inputs of one request, and most tokens of one input.
const MOST_INPUTS: usize = 2048;
const MOST_TOKENS: usize = 8192;

/// What a model gives: its word, how many numbers, whether fewer may be asked for. Unknown models are like the first.
const MODELS: &[(&str, usize, bool)] = &[
    ("text-embedding-3-small", 1536, true),
    ("text-embedding-3-large", 3072, true),
    ("text-embedding-ada-002", 1536, false),
];

/// The answer.
pub(super) fn embeddings(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let body = tape.root();
    let model = body.get("model").and_then(Value::as_str).filter(|model| !model.is_empty());
    let Some(model) = model else { return Err(no("/model", "you must provide a model parameter")) };
    known(body)?;
    let inputs = inputs(body)?;
    let dimensions = dimensions(body, &model)?;
    let as_text = match body.get("encoding_format").filter(|format| !format.is_null()) {
        None => false,
        Some(format) if format.is_str("float") => false,
        Some(format) if format.is_str("base64") => true,
        Some(format) => {
            let message = format!(
                "Invalid value for 'encoding_format' = {}. Must be one of 'float' or 'base64'.",
                format.text()
            );
            return Err(no("/encoding_format", message));
        }
    };
    let mut out = Vec::with_capacity(inputs.len() * dimensions * 12);
    out.extend_from_slice(b"{\"object\": \"list\", \"data\": [");
    for (index, input) in inputs.iter().enumerate() {
        out.extend_from_slice(if index == 0 { b"" } else { b", " });
        out.extend_from_slice(b"{\"object\": \"embedding\", \"index\": ");
        write_number(&mut out, index as u64);
        key(&mut out, "embedding");
        let vector = unit(input.mark, dimensions);
        if as_text {
            let bytes: Vec<u8> = vector.iter().flat_map(|number| number.to_le_bytes()).collect();
            write_string(&mut out, &base64::encode_plain(&bytes));
        } else {
            write(&mut out, &vector);
        }
        out.push(b'}');
    }
    out.push(b']');
    key(&mut out, "model");
    write_string(&mut out, &model);
    let spent = inputs.iter().map(|input| input.tokens).sum();
    out.extend_from_slice(b", \"usage\": {\"prompt_tokens\": ");
    write_number(&mut out, spent);
    key(&mut out, "total_tokens");
    write_number(&mut out, spent);
    out.extend_from_slice(b"}}");
    Ok(out)
}

fn no(pointer: &str, message: impl Into<String>) -> Box<Reject> {
    Box::new(Reject { pointer: pointer.to_owned(), ..Reject::of_no_place("embeddings", 400, None, message) })
}

/// Every documented key.
const KEYS: &[&str] = &["model", "input", "encoding_format", "dimensions", "user"];

fn known(body: Value<'_>) -> Result<(), Box<Reject>> {
    let unknown = body.entries().find(|(name, _)| !KEYS.iter().any(|known| name.is_str(known)));
    let Some(name) = unknown.and_then(|(name, _)| name.as_str()) else { return Ok(()) };
    Err(no(&format!("/{name}"), format!("Unrecognized request argument supplied: {name}")))
}

/// One input: a number that stands for it, and its tokens.
struct Input {
    mark: u64,
    tokens: u64,
}

/// What is to be embedded: a text, texts, the numbers of tokens, or several lists of them.
fn inputs(body: Value<'_>) -> Result<Vec<Input>, Box<Reject>> {
    let invalid = || {
        no(
            "/input",
            "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.",
        )
    };
    let Some(input) = body.get("input") else { return Err(invalid()) };
    let all = match input.kind() {
        Kind::String => vec![input],
        Kind::Array if input.items().all(is_token) => vec![input],
        Kind::Array if input.len() <= MOST_INPUTS => input.items().collect(),
        Kind::Array | Kind::Null | Kind::Bool | Kind::Number | Kind::Object => return Err(invalid()),
    };
    all.into_iter().map(|one| read(one).ok_or_else(invalid)?).collect()
}

fn is_token(value: Value<'_>) -> bool {
    value.as_i64().is_some_and(|token| token >= 0)
}

/// One input; none for what is none. Texts are not refused for their length: only the model's own tokenizer could count it.
fn read(value: Value<'_>) -> Option<Result<Input, Box<Reject>>> {
    if let Some(text) = value.as_str() {
        return (!text.is_empty()).then(|| Ok(Input { mark: mark(text.bytes()), tokens: tokens(&text) }));
    }
    if value.is_empty() || value.kind() != Kind::Array || !value.items().all(is_token) {
        return None;
    }
    let given = value.len();
    if given > MOST_TOKENS {
        return Some(Err(no(
            "/input",
            format!(
                "This model's maximum context length is {MOST_TOKENS} tokens, however you requested {given} tokens ({given} in your prompt; 0 for the completion). Please reduce your prompt; or completion length."
            ),
        )));
    }
    let numbers = value.items().filter_map(Value::as_i64).flat_map(i64::to_le_bytes);
    Some(Ok(Input { mark: mark(numbers), tokens: given as u64 }))
}

/// How many numbers a vector has.
fn dimensions(body: Value<'_>, model: &str) -> Result<usize, Box<Reject>> {
    let known = MODELS.iter().find(|(name, _, _)| *name == model).unwrap_or(&MODELS[0]);
    let (_, most, fewer) = *known;
    let Some(asked) = body.get("dimensions").filter(|asked| !asked.is_null()) else { return Ok(most) };
    let at = "/dimensions";
    if !fewer {
        return Err(no(at, "This model does not support specifying dimensions."));
    }
    match asked.as_i64().map(usize::try_from) {
        Some(Ok(asked)) if (1..=most).contains(&asked) => Ok(asked),
        Some(Ok(asked)) if asked > most => Err(no(
            at,
            format!("Invalid value for 'dimensions' = {asked}. Must be less than or equal to {most}."),
        )),
        Some(_) | None => Err(no(
            at,
            format!("Invalid value for 'dimensions' = {}. Must be an integer of at least 1.", asked.text()),
        )),
    }
}
