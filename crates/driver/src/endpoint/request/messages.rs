//! A conversation as the Messages API takes it: user and assistant take turns, calls and results are blocks.

use super::{
    Choice, Dialing, Limit, Message, Opening, Said, Structured, Talk, USUAL_LIMIT, key, list, message,
    number, text,
};
use rehearsal_wire::json::{self, Kind, write_string};

pub(super) fn write(out: &mut Vec<u8>, talk: &Talk<'_>, dialing: &Dialing, opening: &Opening<'_>) {
    if let Some(system) = opening.system {
        text(out, "system", system);
    }
    key(out, "messages");
    turns(out, talk, opening);
    tools(out, talk);
    match (dialing.structured, talk.schema) {
        (Structured::JsonSchema, Some(schema)) => {
            out.extend_from_slice(b",\"output_config\":{\"format\":{\"type\":\"json_schema\",\"schema\":");
            out.extend_from_slice(schema.text.trim().as_bytes());
            out.extend_from_slice(b"}}");
        }
        (Structured::JsonSchema, None) | (Structured::JsonObject | Structured::None, _) => {}
    }
    match dialing.limit {
        Limit::MaxTokens(most) | Limit::MaxCompletionTokens(most) => number(out, "max_tokens", most),
        Limit::None => number(out, "max_tokens", USUAL_LIMIT),
    }
}

/// The messages; results of calls, and what the user says behind them, are one message of the user.
fn turns(out: &mut Vec<u8>, talk: &Talk<'_>, opening: &Opening<'_>) {
    out.push(b'[');
    let mut at = 0;
    while let Some(one) = talk.messages.get(at) {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        match one {
            Message::User(own) => {
                message(out, "user", opening.user(at, own));
                at += 1;
            }
            Message::Assistant(said) => {
                assistant(out, said);
                at += 1;
            }
            Message::Result { .. } => at += results(out, &talk.messages[at..]),
        }
        out.push(b'}');
    }
    out.push(b']');
}

/// A message without its end.
fn assistant(out: &mut Vec<u8>, said: &Said) {
    let words = said.words();
    if said.calls.is_empty() {
        return message(out, "assistant", words.unwrap_or_default());
    }
    out.extend_from_slice(b"{\"role\":\"assistant\",\"content\":[");
    if let Some(words) = words {
        block(out, words);
        out.push(b',');
    }
    for (at, call) in said.calls.iter().enumerate() {
        out.extend_from_slice(if at > 0 { b"," } else { b"" });
        out.extend_from_slice(b"{\"type\":\"tool_use\"");
        text(out, "id", &call.id);
        text(out, "name", &call.name);
        key(out, "input");
        input(out, &call.arguments);
        out.push(b'}');
    }
    out.push(b']');
}

/// A message of the user without its end, from the results at the beginning of these messages and the user's words behind them.
/// Gives how many messages are in it.
fn results(out: &mut Vec<u8>, messages: &[Message]) -> usize {
    out.extend_from_slice(b"{\"role\":\"user\",\"content\":[");
    let mut taken = 0;
    for one in messages {
        if taken > 0 && !matches!(one, Message::Assistant(_)) {
            out.push(b',');
        }
        match one {
            Message::Result { call, text: told } => {
                out.extend_from_slice(b"{\"type\":\"tool_result\"");
                text(out, "tool_use_id", call);
                text(out, "content", told);
                out.push(b'}');
            }
            // An empty block is refused.
            Message::User(own) => block(out, if own.trim().is_empty() { "(nothing)" } else { own }),
            Message::Assistant(_) => break,
        }
        taken += 1;
    }
    out.push(b']');
    taken
}

fn block(out: &mut Vec<u8>, words: &str) {
    out.extend_from_slice(b"{\"type\":\"text\"");
    text(out, "text", words);
    out.push(b'}');
}

/// The arguments, which are an object here: a text that is none goes back inside one, so that the model sees what it said.
fn input(out: &mut Vec<u8>, arguments: &str) {
    let arguments = arguments.trim();
    let fits = |tape: json::Tape<'_>| tape.root().kind() == Kind::Object && tape.duplicate_key.is_none();
    let is_object = json::parse(arguments.as_bytes()).is_ok_and(fits);
    match arguments {
        "" => out.extend_from_slice(b"{}"),
        object if is_object => out.extend_from_slice(object.as_bytes()),
        other => {
            out.extend_from_slice(b"{\"arguments\":");
            write_string(out, other);
            out.push(b'}');
        }
    }
}

fn tools(out: &mut Vec<u8>, talk: &Talk<'_>) {
    if talk.tools.is_empty() {
        return;
    }
    key(out, "tools");
    list(out, talk.tools, |out, tool| {
        out.extend_from_slice(b"{\"name\":");
        write_string(out, tool.name);
        text(out, "description", tool.description);
        key(out, "input_schema");
        out.extend_from_slice(tool.parameters.trim().as_bytes());
        out.push(b'}');
    });
    let (kind, name) = match (talk.choice, talk.parallel) {
        (None, None) => return,
        (Some(Choice::Auto), _) | (None, Some(_)) => ("auto", None),
        (Some(Choice::Never), _) => ("none", None),
        (Some(Choice::Any), _) => ("any", None),
        (Some(Choice::Only(name)), _) => ("tool", Some(name)),
    };
    out.extend_from_slice(b",\"tool_choice\":{\"type\":");
    write_string(out, kind);
    if let Some(name) = name {
        text(out, "name", name);
    }
    // Where no call is allowed there is no such member.
    if let Some(parallel) = talk.parallel.filter(|_| kind != "none") {
        key(out, "disable_parallel_tool_use");
        out.extend_from_slice((!parallel).to_string().as_bytes());
    }
    out.push(b'}');
}
