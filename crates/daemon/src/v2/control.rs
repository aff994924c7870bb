//! Cancelling a run.

use super::{Call, Problem, Reply};
use crate::core::Step;
use rehearsal_script::runs::Answers;
use serde_json::json;

pub(crate) fn control(call: &mut Call<'_, '_>, id: &str) -> Step {
    let control = call.heard.body.get("control");
    let is_cancel = control.and_then(|control| control.get("kind")).is_some_and(|kind| kind.is_str("cancel"));
    if !is_cancel {
        let why = "the one control is {\"control\": {\"kind\": \"cancel\"}}";
        return call.refuse(&Problem::new(400, "unknown_control", why));
    }
    let reason = control.and_then(|control| control.get("reason")?.as_str()).map(|text| text.into_owned());
    let (keep, engine, now_ms) = (call.is_seed(), call.is_engine(), call.now_ms);
    let Some(run) = call.state.runs.get_mut(id) else { return call.refuse(&Problem::not_found()) };
    run.catch_up(now_ms);
    let late = run.is_over();
    // An edit that came due meanwhile is not begun any more.
    run.cancel(reason, keep, now_ms);
    call.touched(id);
    if late && engine {
        return call.refuse(&Problem::new(
            409,
            "run_terminal",
            "the run is over: there is nothing to cancel",
        ));
    }
    let body = match engine {
        true => json!({"accepted": true, "status": "applied", "runId": id, "cascadeRunIds": []}),
        false => json!({"accepted": true, "status": "cancelling"}),
    };
    call.say_about(Some((id, Answers::Control)), Reply::json(200, &body))
}
