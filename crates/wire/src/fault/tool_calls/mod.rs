//! Faults of tool calls.

pub(super) mod parallel_tool_calls;
pub(super) mod tool_args_double;
pub(super) mod tool_args_empty;
pub(super) mod tool_args_huge;
pub(super) mod tool_args_invalid;
pub(super) mod tool_args_nested_string;
pub(super) mod tool_args_non_object;
pub(super) mod tool_args_object;
pub(super) mod tool_forever;
pub(super) mod tool_id_empty;
pub(super) mod tool_id_long;
pub(super) mod tool_id_missing;
pub(super) mod tool_id_reused;
pub(super) mod tool_index_all_zero;
pub(super) mod tool_index_drift;
pub(super) mod tool_index_duplicate_in_chunk;
pub(super) mod tool_index_missing;
pub(super) mod tool_index_out_of_order;
pub(super) mod tool_name_repeated;
pub(super) mod tool_name_split;
pub(super) mod tool_type_repeated;
pub(super) mod tool_unknown_name;

use super::answer::Event;
use super::places::{Spot, everywhere};
use super::{Dialects, Params};
use crate::json::{Kind, Value, parse, quoted};
use crate::reply::{IssuedCall, Reply};

/// Dialects in which arguments are a text of JSON, which may hold anything.
const TEXTS: Dialects = Dialects::Only(&["openai-chat", "openai-responses"]);

/// The call in a chunk of the chat API.
const DELTA: &str = "/choices/*/delta/tool_calls/*";

/// Changes the pieces that continue a call of the chat API: all but the one that names it.
fn continued(events: &mut [Event], change: impl Fn(Spot<'_>) -> Option<String>) -> bool {
    everywhere(events, &[DELTA], |spot| if opens(spot.value) { None } else { change(spot) })
}

/// Whether this piece of a call begins it.
fn opens(call: Value<'_>) -> bool {
    call.get("id").is_some_and(|id| !id.is_str(""))
}

/// The number that a piece of a call has.
fn index_of(call: Value<'_>) -> Option<usize> {
    usize::try_from(call.get("index")?.as_i64()?).ok()
}

/// A chunk of the chat API that holds a piece of a call.
struct Chunk {
    /// The choice and the call that it belongs to.
    of: (i64, usize),
    /// Whether it begins the call.
    opens: bool,
    /// The piece as JSON.
    piece: String,
}

fn chunk(event: &Event) -> Option<Chunk> {
    let tape = parse(event.data.as_bytes()).ok()?;
    let choice = tape.root().at("/choices/0")?;
    let piece = choice.at("/delta/tool_calls/0")?;
    let of = (choice.get("index")?.as_i64()?, index_of(piece)?);
    Some(Chunk { of, opens: opens(piece), piece: piece.text().to_owned() })
}

/// Where the ids of calls stand.
const IDS: &[&str] = &[
    "/choices/*/delta/tool_calls/*/id",
    "/choices/*/message/tool_calls/*/id",
    "/item/call_id",
    "/output/*/call_id",
    "/response/output/*/call_id",
    "/content_block/id",
    "/content/*/id",
    "/candidates/*/content/parts/*/functionCall/id",
    "/message/tool_calls/*/id",
];

/// Gives the calls other ids.
fn rename(events: &mut [Event], id: impl Fn(&str) -> String) -> bool {
    everywhere(events, IDS, |spot| spot.put(&quoted(&id(&spot.value.as_str()?))))
}

/// Changes the arguments of calls; gives whether any changed.
fn argue(calls: &mut [IssuedCall], change: impl Fn(&str) -> Option<String>) -> bool {
    let mut changed = false;
    for call in calls {
        if let Some(arguments) = change(&call.arguments).filter(|made| *made != call.arguments) {
            call.arguments = arguments;
            changed = true;
        }
    }
    changed
}

/// The last call, if there is one.
fn last(reply: &mut Reply) -> &mut [IssuedCall] {
    let before = reply.calls.len().saturating_sub(1);
    &mut reply.calls[before..]
}

/// Says the last call again until there are so many; false without a call, or where there are as many already.
fn repeat_last_call(reply: &mut Reply, count: usize) -> bool {
    let Some(call) = reply.calls.last().cloned().filter(|_| reply.calls.len() < count) else { return false };
    for number in reply.calls.len()..count {
        let id = format!("{}_{number}", call.id);
        reply.calls.push(IssuedCall { id, ..call.clone() });
    }
    true
}

/// A second call, for faults of several calls in one turn.
fn two_calls(reply: &mut Reply, _: &Params<'_>) -> bool {
    repeat_last_call(reply, 2)
}

/// Whether a text is a JSON object.
fn is_object(text: &str) -> bool {
    parse(text.as_bytes()).is_ok_and(|tape| tape.root().kind() == Kind::Object)
}
