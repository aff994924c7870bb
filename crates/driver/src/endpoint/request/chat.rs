//! A conversation as the chat API takes it.

use super::{
    Choice, Dialing, Limit, Message, Opening, Said, Structured, Talk, key, list, message, named, number, text,
};
use rehearsal_wire::json::write_string;

pub(super) fn write(out: &mut Vec<u8>, talk: &Talk<'_>, dialing: &Dialing, opening: &Opening<'_>) {
    key(out, "messages");
    out.push(b'[');
    if let Some(system) = opening.system {
        message(out, "system", system);
        out.extend_from_slice(if talk.messages.is_empty() { b"}" } else { b"}," });
    }
    for (at, one) in talk.messages.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        match one {
            Message::User(own) => message(out, "user", opening.user(at, own)),
            Message::Assistant(said) => assistant(out, said),
            Message::Result { call, text: told } => {
                out.extend_from_slice(b"{\"role\":\"tool\"");
                text(out, "tool_call_id", call);
                text(out, "content", told);
            }
        }
        out.push(b'}');
    }
    out.push(b']');
    tools(out, talk);
    match (dialing.structured, talk.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"response_format\":{\"type\":\"json_schema\",\"json_schema\":{");
            named(out, schema);
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonObject, _) => {
            out.extend_from_slice(b",\"response_format\":{\"type\":\"json_object\"}");
        }
        (Structured::JsonSchema, None) | (Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) => number(out, "max_tokens", most),
        Limit::MaxCompletionTokens(most) => number(out, "max_completion_tokens", most),
        Limit::None => {}
    }
    if talk.stream && dialing.stream_usage {
        out.extend_from_slice(b",\"stream_options\":{\"include_usage\":true}");
    }
}

/// A turn of the model without its end. Null stays null, which only a turn with calls may be, and arguments keep every byte.
fn assistant(out: &mut Vec<u8>, said: &Said) {
    match &said.content {
        None if !said.calls.is_empty() => {
            out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":null");
        }
        content => message(out, "assistant", content.as_deref().unwrap_or_default()),
    }
    if let Some(reasoning) = &said.reasoning {
        text(out, "reasoning_content", reasoning);
    }
    if said.calls.is_empty() {
        return;
    }
    key(out, "tool_calls");
    list(out, &said.calls, |out, call| {
        out.extend_from_slice(b"{\"id\":");
        write_string(out, &call.id);
        out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
        write_string(out, &call.name);
        text(out, "arguments", &call.arguments);
        out.extend_from_slice(b"}}");
    });
}

fn tools(out: &mut Vec<u8>, talk: &Talk<'_>) {
    if talk.tools.is_empty() {
        return;
    }
    key(out, "tools");
    list(out, talk.tools, |out, tool| {
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        write_string(out, tool.name);
        text(out, "description", tool.description);
        key(out, "parameters");
        out.extend_from_slice(tool.parameters.trim().as_bytes());
        out.extend_from_slice(b"}}");
    });
    match talk.choice {
        Some(Choice::Auto) => text(out, "tool_choice", "auto"),
        Some(Choice::Never) => text(out, "tool_choice", "none"),
        Some(Choice::Any) => text(out, "tool_choice", "required"),
        Some(Choice::Only(name)) => {
            out.extend_from_slice(b",\"tool_choice\":{\"type\":\"function\",\"function\":{\"name\":");
            write_string(out, name);
            out.extend_from_slice(b"}}");
        }
        None => {}
    }
    if let Some(parallel) = talk.parallel {
        key(out, "parallel_tool_calls");
        out.extend_from_slice(parallel.to_string().as_bytes());
    }
}
