//! What a completion request means: `system` is an instruction, `prompt` is what a user says, `context` is an earlier reply.

use super::super::ollama_chat::read::setting;
use super::super::openai_completions::read::point;
use crate::json::{Kind, Tape, Value};
use crate::turn::{Kept, Message, Role, Turn};

/// Where a request says which reply it goes on from.
const CONTEXT: &str = "/context";

/// Reads the body.
pub(super) fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn { stream: true, include_usage: true, ..Turn::new(point) };
    let (mut system, mut prompt) = (None, None);
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "system" => system = value.as_str().filter(|text| !text.is_empty()),
            "prompt" => prompt = value.as_str(),
            "context" => turn.kept = kept(value),
            _ => setting(&mut turn, &key, value),
        }
    }
    let said = [(Role::System, system), (Role::User, prompt)];
    let said = said.into_iter().filter_map(|(role, text)| Some((role, text?))).enumerate();
    turn.messages = said
        .map(|(index, (role, text))| Message {
            index,
            role,
            texts: vec![text],
            calls: Vec::new(),
            answers: Vec::new(),
        })
        .collect();
    turn.listed = turn.messages.len();
    turn
}

/// The reply that a context came with: its numbers are the letters of the id. Those of a real server name none.
fn kept(context: Value<'_>) -> Option<Kept<'_>> {
    let letter = |number: Value<'_>| number.as_i64().and_then(|number| u8::try_from(number).ok());
    let letters: Option<Vec<u8>> = context.items().map(letter).collect();
    let id = String::from_utf8(letters.filter(|_| context.kind() == Kind::Array)?).ok()?;
    id.starts_with("gen_gate_").then(|| Kept { id: id.into(), pointer: CONTEXT, with_setting: false })
}
