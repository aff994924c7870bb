//! What follows from a request alone: what a model is, embeddings.

use super::super::vectors::{mark, tokens, unit, write};
use super::error::DETAILS;
use crate::calendar::{Moment, NEW_YEAR};
use crate::json::{Kind, Tape, Value, write_number, write_string};
use crate::reject::Reject;
use std::borrow::Cow;

/// Numbers of an embedding where the request does not say, and most where it does.
const DIMENSIONS: usize = 768;
const MOST_DIMENSIONS: i64 = 16_384;

fn no(pointer: &str, message: &str) -> Box<Reject> {
    Box::new(Reject {
        pointer: pointer.to_owned(),
        ..Reject::of_no_place("ollama-shape", 400, None, message)
    })
}

fn model<'t>(tape: &'t Tape<'t>, keys: &[&str]) -> Result<Cow<'t, str>, Box<Reject>> {
    let named = keys.iter().filter_map(|key| tape.root().get(key)?.as_str()).find(|name| !name.is_empty());
    named.ok_or_else(|| no("/model", "model is required"))
}

/// The answer to `POST /api/show`: the same for every model but for its name. It can do whatever a script may ask of it.
pub(super) fn show(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let name = model(tape, &["model", "name"])?;
    let mut out = b"{\"modelfile\":".to_vec();
    write_string(&mut out, &format!("FROM {name}\n"));
    out.extend_from_slice(b",\"parameters\":\"\",\"template\":\"{{ .Prompt }}\",\"details\":");
    out.extend_from_slice(DETAILS.as_bytes());
    out.extend_from_slice(
        br#","model_info":{"general.architecture":"llama","general.parameter_count":3212749888,"llama.context_length":131072,"llama.embedding_length":768},"capabilities":["completion","tools","thinking","vision","embedding"],"modified_at":"#,
    );
    write_string(&mut out, &Moment::of(NEW_YEAR).rfc3339());
    out.push(b'}');
    Ok(out)
}

/// The answer to `POST /api/embed`: a vector for each text.
pub(super) fn embed(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    let name = model(tape, &["model"])?;
    let input = tape.root().get("input").filter(|input| !input.is_null());
    let texts: Option<Vec<_>> = match input {
        None => Some(Vec::new()),
        Some(input) if input.kind() == Kind::Array => input.items().map(Value::as_str).collect(),
        Some(input) => input.as_str().map(|text| if text.is_empty() { Vec::new() } else { vec![text] }),
    };
    let Some(texts) = texts else { return Err(no("/input", "invalid input type")) };
    let asked = tape
        .root()
        .get("dimensions")
        .and_then(Value::as_i64)
        .filter(|asked| (1..=MOST_DIMENSIONS).contains(asked));
    let dimensions = asked.and_then(|asked| usize::try_from(asked).ok()).unwrap_or(DIMENSIONS);
    let mut out = b"{\"model\":".to_vec();
    write_string(&mut out, &name);
    out.extend_from_slice(b",\"embeddings\":[");
    for (i, text) in texts.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"" } else { b"," });
        write(&mut out, &unit(mark(text.bytes()), dimensions));
    }
    out.extend_from_slice(b"],\"total_duration\":2000000,\"load_duration\":1000000,\"prompt_eval_count\":");
    write_number(&mut out, texts.iter().map(|text| tokens(text)).sum());
    out.push(b'}');
    Ok(out)
}

/// The answer to `POST /api/embeddings`, the older form: one vector, none for no text.
pub(super) fn embeddings(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    model(tape, &["model"])?;
    let prompt = tape.root().get("prompt").and_then(Value::as_str).unwrap_or_default();
    let mut out = b"{\"embedding\":".to_vec();
    let dimensions = if prompt.is_empty() { 0 } else { DIMENSIONS };
    write(&mut out, &unit(mark(prompt.bytes()), dimensions));
    out.push(b'}');
    Ok(out)
}
