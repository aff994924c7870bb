//! Arguments of a megabyte.

use crate::fault::places::{Spot, everywhere, renumber};
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};
use crate::json::{Value, edit, parse, quoted};

const BYTES: Param = Param {
    name: "bytes",
    kind: ParamKind::Count,
    default: "1048576",
    doc: "blanks in the arguments of each call, 64 MiB at most",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-args-huge",
    group: Group::ToolCalls,
    summary: "the arguments of each call are 1 MB: the same object with blanks behind its first brace",
    dialects: Dialects::All,
    params: &[BYTES],
    example: r#"{"fault": {"name": "tool-args-huge", "bytes": 70000}, "tool_calls": [{"name": "read_file", "arguments": {"path": "notes.md"}}]}"#,
    reports: &["SamSaffron/term-llm#298", "CommandCodeAI/command-code#785"],
    right_reaction: "the call is run, or a limit is named",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(documents)],
};

/// Where arguments stand whole, as a text or as an object.
const WHOLE: &[&str] = &[
    "/choices/*/message/tool_calls/*/function/arguments",
    "/arguments",
    "/item/arguments",
    "/output/*/arguments",
    "/response/output/*/arguments",
    "/content/*/input",
    "/candidates/*/content/parts/*/functionCall/args",
    "/message/tool_calls/*/function/arguments",
];

const MOST: usize = 64 * 1024 * 1024;

/// Most blanks in one piece of a stream: long lines are a fault of their own.
const PIECE: usize = 16 * 1024;

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let blanks = " ".repeat(given.params.count(&BYTES).min(MOST));
    let whole = everywhere(events, WHOLE, |arguments| padded(arguments, &blanks));
    let before = events.len();
    if given.stream {
        pad_pieces(events, &blanks);
    }
    whole || events.len() > before
}

fn padded(arguments: Spot<'_>, blanks: &str) -> Option<String> {
    let json = arguments.value.text();
    let brace = ["{", "\"{"].into_iter().find(|begin| json.starts_with(begin))?;
    arguments.put(&[brace, blanks, &json[brace.len()..]].concat())
}

/// Puts pieces of blanks behind the first brace of each call.
fn pad_pieces(events: &mut Vec<Event>, blanks: &str) {
    let mut begun = Vec::new();
    for event in std::mem::take(events) {
        let piece =
            arguments(&event).filter(|(_, piece)| !piece.is_empty() && !begun.contains(&call(&event)));
        let Some((at, piece)) = piece else {
            events.push(event);
            continue;
        };
        begun.push(call(&event));
        let Some(rest) = piece.strip_prefix('{') else {
            events.push(event);
            continue;
        };
        let blanks =
            (0..blanks.len()).step_by(PIECE).map(|from| &blanks[from..blanks.len().min(from + PIECE)]);
        let texts = std::iter::once("{").chain(blanks).chain(Some(rest).filter(|rest| !rest.is_empty()));
        events.extend(texts.filter_map(|text| {
            Some(Event { data: edit::replace(&event.data, at, &quoted(text))?, ..event.clone() })
        }));
    }
    renumber(events);
}

/// The choice and the call that a piece belongs to, in any dialect.
fn call(event: &Event) -> Vec<Option<i64>> {
    let Ok(tape) = parse(event.data.as_bytes()) else { return Vec::new() };
    let numbers = ["/choices/0/index", "/choices/0/delta/tool_calls/0/index", "/output_index", "/index"];
    numbers.iter().map(|at| tape.root().at(at)?.as_i64()).collect()
}

/// Where an event of a stream holds a piece of a call's arguments.
const PIECES: &[&str] =
    &["/choices/0/delta/tool_calls/0/function/arguments", "/delta/partial_json", "/delta"];

/// The pointer to the piece of a call's arguments that this event is, and the piece.
fn arguments(event: &Event) -> Option<(&'static str, String)> {
    let tape = parse(event.data.as_bytes()).ok()?;
    let kind = tape.root().get("type").and_then(Value::as_str);
    let is_piece = kind.is_none_or(|kind| {
        matches!(&*kind, "response.function_call_arguments.delta" | "content_block_delta")
    });
    let mut found = PIECES.iter().filter_map(|at| Some((*at, tape.root().at(at)?.as_str()?.into_owned())));
    found.next().filter(|_| is_piece)
}
