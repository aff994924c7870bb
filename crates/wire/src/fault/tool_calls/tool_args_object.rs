//! The arguments are an object instead of a text that holds one.

use super::{DELTA, chunk, index_of, is_object};
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-object",
    group: Group::ToolCalls,
    summary: "the arguments of each call are an object, not a text; in a stream they come whole where the call begins",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-args-object", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["FoundationAgents/OpenManus#1115"],
    right_reaction: "the object is taken, or the reply is a clear error",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let whole = everywhere(events, &["/choices/*/message/tool_calls/*/function/arguments"], |arguments| {
        let text = arguments.value.as_str()?;
        if is_object(&text) { arguments.put(&text) } else { None }
    });
    let object = |call: usize| {
        let arguments = given.reply.calls.get(call).map(|call| call.arguments.as_str());
        // A line break would end the event.
        arguments.filter(|text| is_object(text)).map(|text| text.replace(['\n', '\r'], " "))
    };
    events.retain(|event| chunk(event).is_none_or(|chunk| chunk.opens || object(chunk.of.1).is_none()));
    let begun = everywhere(events, &[DELTA], |call| {
        call.set_in("/function", "arguments", &object(index_of(call.value)?)?)
    });
    whole || begun
}
