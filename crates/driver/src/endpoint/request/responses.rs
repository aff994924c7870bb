//! A conversation as the Responses API takes it: calls and their results are items of their own.

use super::{
    Choice, Dialing, Limit, Message, Opening, Structured, Talk, key, list, message, named, number, text,
};
use rehearsal_wire::json::write_string;

pub(super) fn write(out: &mut Vec<u8>, talk: &Talk<'_>, dialing: &Dialing, opening: &Opening<'_>) {
    if let Some(system) = opening.system {
        text(out, "instructions", system);
    }
    key(out, "input");
    out.push(b'[');
    for (at, one) in talk.messages.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        item(out, at, one, opening);
    }
    out.push(b']');
    tools(out, talk);
    match (dialing.structured, talk.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"text\":{\"format\":{\"type\":\"json_schema\",");
            named(out, schema);
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonObject, _) => {
            out.extend_from_slice(b",\"text\":{\"format\":{\"type\":\"json_object\"}}");
        }
        (Structured::JsonSchema, None) | (Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) | Limit::MaxCompletionTokens(most) => number(out, "max_output_tokens", most),
        Limit::None => {}
    }
    // A task is nobody's to keep.
    out.extend_from_slice(b",\"store\":false");
}

/// The items of one message.
fn item(out: &mut Vec<u8>, at: usize, one: &Message, opening: &Opening<'_>) {
    match one {
        Message::User(own) => message(out, "user", opening.user(at, own)),
        Message::Assistant(said) => {
            if let Some(words) = said.words() {
                message(out, "assistant", words);
                out.extend_from_slice(if said.calls.is_empty() { b"" } else { b"}," });
            }
            for (at, call) in said.calls.iter().enumerate() {
                out.extend_from_slice(if at > 0 { b"}," } else { b"" });
                out.extend_from_slice(b"{\"type\":\"function_call\"");
                text(out, "call_id", &call.id);
                text(out, "name", &call.name);
                text(out, "arguments", &call.arguments);
            }
        }
        Message::Result { call, text: told } => {
            out.extend_from_slice(b"{\"type\":\"function_call_output\"");
            text(out, "call_id", call);
            text(out, "output", told);
        }
    }
    out.push(b'}');
}

fn tools(out: &mut Vec<u8>, talk: &Talk<'_>) {
    if talk.tools.is_empty() {
        return;
    }
    key(out, "tools");
    list(out, talk.tools, |out, tool| {
        out.extend_from_slice(b"{\"type\":\"function\",\"name\":");
        write_string(out, tool.name);
        text(out, "description", tool.description);
        key(out, "parameters");
        out.extend_from_slice(tool.parameters.trim().as_bytes());
        // Here the usual value is true, and then few schemas are taken.
        out.extend_from_slice(b",\"strict\":false}");
    });
    match talk.choice {
        Some(Choice::Auto) => text(out, "tool_choice", "auto"),
        Some(Choice::Never) => text(out, "tool_choice", "none"),
        Some(Choice::Any) => text(out, "tool_choice", "required"),
        Some(Choice::Only(name)) => {
            out.extend_from_slice(b",\"tool_choice\":{\"type\":\"function\",\"name\":");
            write_string(out, name);
            out.push(b'}');
        }
        None => {}
    }
    if let Some(parallel) = talk.parallel {
        key(out, "parallel_tool_calls");
        out.extend_from_slice(parallel.to_string().as_bytes());
    }
}
