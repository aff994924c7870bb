//! The name of a tool arrives in two pieces.

use super::{DELTA, index_of, opens};
use crate::fault::places::{CHAT, everywhere, followed};
use crate::fault::{Arrives, Event, Fault, Given, Group, Work};
use crate::json::{Value, edit, parse, quoted};

const CALLS: &str = "/choices/0/delta/tool_calls";

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-name-split",
    group: Group::ToolCalls,
    summary: "the tool's name arrives in two pieces",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-name-split", "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["continuedev/continue#5849"],
    right_reaction: "a piece of a name that is no repeat is joined to what came before",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, _: &Given<'_>) -> bool {
    let split = followed(events, |event| second(event).into_iter().collect());
    split
        && everywhere(events, &[DELTA], |call| {
            let (first, _) = halves(call.value).filter(|_| opens(call.value))?;
            call.set_in("/function", "name", &quoted(&first))
        })
}

/// The chunk with the second half of the name, where this one begins a call.
fn second(event: &Event) -> Option<String> {
    let tape = parse(event.data.as_bytes()).ok()?;
    let call = tape.root().at(CALLS)?.items().next().filter(|call| opens(*call))?;
    let (_, second) = halves(call)?;
    let piece = format!(r#"[{{"index":{},"function":{{"name":{}}}}}]"#, index_of(call)?, quoted(&second));
    edit::replace(&event.data, CALLS, &piece)
}

/// The name that a call begins with, in two halves.
fn halves(call: Value<'_>) -> Option<(String, String)> {
    let name = call.at("/function/name")?.as_str()?;
    let (middle, _) = name.char_indices().nth(name.chars().count() / 2).filter(|(at, _)| *at > 0)?;
    let (first, second) = name.split_at(middle);
    Some((first.to_owned(), second.to_owned()))
}
