//! The timeline of a run as server-sent events.

use super::{Call, Form, Problem, Reply};
use crate::core::Step;
use crate::run::{Row, Run, State, What};
use rehearsal_journal::daemon::Closed;
use rehearsal_script::runs::Answers;
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

pub(crate) fn events(call: &mut Call<'_, '_>, id: &str) -> Step {
    let now_ms = call.now_ms;
    if let Some(run) = call.state.runs.get_mut(id) {
        run.catch_up(now_ms);
    }
    call.touched(id);
    let last = call.state.run(id).map_or(0, Run::last_row);
    let cursor = match call.heard.last_event {
        "" => Some(0),
        text => text.parse::<u64>().ok().filter(|seq| *seq <= last && !text.starts_with('+')),
    };
    let Some(after) = cursor else {
        let why = format!("Last-Event-ID must be the number of a row that was sent, 0 to {last}");
        return call.refuse(&Problem::new(400, "invalid_run_event_cursor", why));
    };
    let reply = Reply { status: 200, form: Form::Events { run: id.to_owned(), after } };
    call.say_about(Some((id, Answers::Events)), reply)
}

/// The type of a row.
pub(crate) fn kind(run: &Run, what: &What) -> &'static str {
    match what {
        What::Queued => "run.queued",
        What::Started => "run.started",
        What::Asked(_) => "interaction.requested",
        What::Closed(..) => "interaction.resolved",
        What::Message { taken, .. } => match taken.outcome.as_str() {
            "delivered" => "message.delivered",
            "accepted" => "message.accepted",
            _ => "message.refused",
        },
        What::Edited(_) => "workspace.edited",
        What::Note(_) => "run.note",
        What::Update(_) => "run.update",
        What::Called(_) => "client.called",
        What::CallAnswered(..) => "client.answered",
        What::Cancelling(_) => "run.cancelling",
        What::Ended(State::Succeeded) => "run.completed",
        What::Ended(State::Failed) if !run.script.required_inputs.is_empty() => "run.blocked",
        What::Ended(_) => "run.failed",
    }
}

/// Whether nothing follows a row.
pub(crate) fn is_last(row: &Row) -> bool {
    matches!(row.what, What::Ended(_))
}

/// A row as an event.
pub(crate) fn frame(run: &Run, row: &Row) -> String {
    let kind = kind(run, &row.what);
    let mut data = data(&row.what);
    data["runId"] = json!(run.id);
    data["seq"] = json!(row.seq);
    data["type"] = json!(kind);
    data["at"] = json!(rfc3339(row.at_ms));
    format!("id: {}\nevent: {kind}\ndata: {data}\n\n", row.seq)
}

fn data(what: &What) -> Value {
    match what {
        What::Queued | What::Started => json!({}),
        What::Asked(id) => json!({"interactionId": id}),
        What::Closed(id, how) => {
            let status = match how {
                Closed::Answered => "answered",
                Closed::TimedOut => "timed_out",
                Closed::Released => "released",
            };
            json!({"interactionId": id, "status": status})
        }
        What::Message { id, taken } => {
            json!({"messageId": id, "outcome": taken.outcome, "reason": taken.reason})
        }
        What::Edited(paths) => json!({"paths": paths}),
        What::Note(text) => json!({"text": text}),
        What::Update(text) => json!({"update": serde_json::from_str::<Value>(text).unwrap_or_default()}),
        What::Called(method) => json!({"method": method}),
        What::CallAnswered(method, well) => json!({"method": method, "succeeded": well}),
        What::Cancelling(reason) => json!({"reason": reason}),
        What::Ended(state) => json!({"state": state.word()}),
    }
}
