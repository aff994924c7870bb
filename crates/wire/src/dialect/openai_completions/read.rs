//! What a completion request means: its prompts are what a user says.

use super::super::exactly;
use super::super::openai_chat::read::choices;
use crate::json::{Kind, Tape, Value};
use crate::turn::{Message, Role, Spot, Turn};

/// Reads the body.
pub(super) fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn::new(point);
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "model" => turn.model = Some(value),
            "stream" => turn.stream = value.as_bool() == Some(true),
            "stream_options" => {
                turn.include_usage = value.get("include_usage").and_then(Value::as_bool) == Some(true);
            }
            "n" => turn.choices = choices(value),
            "max_tokens" => turn.room = value.as_i64(),
            "prompt" => {
                turn.messages = prompts(value);
                turn.listed = turn.messages.len();
            }
            _ => {}
        }
    }
    turn
}

/// One message of the user with all prompts: several are asked for in one request, not one after the other.
fn prompts(value: Value<'_>) -> Vec<Message<'_>> {
    let texts = match value.kind() {
        Kind::Array => exactly(value, value.items().filter_map(Value::as_str)),
        Kind::String | Kind::Null | Kind::Bool | Kind::Number | Kind::Object => {
            value.as_str().into_iter().collect()
        }
    };
    vec![Message { index: 0, role: Role::User, texts, calls: Vec::new(), answers: Vec::new() }]
}

/// Everything is said in one place.
pub(in crate::dialect) fn point(spot: Spot) -> String {
    match spot {
        Spot::List
        | Spot::Message(_)
        | Spot::Content(_)
        | Spot::Calls(_)
        | Spot::Call(..)
        | Spot::CallId(..)
        | Spot::CallName(..)
        | Spot::CallArguments(..) => "/prompt".to_owned(),
    }
}
