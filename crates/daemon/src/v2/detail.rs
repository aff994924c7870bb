//! The detail of a run, and the telemetry that is written when an ended one is read.

use super::timeline::kind;
use super::{Call, Problem, Reply};
use crate::core::{Step, Then};
use crate::effect::Effect;
use crate::failure;
use crate::run::{Open, Run, What, output_beginning, output_bytes};
use crate::setting::{Manner, Setting};
use rehearsal_script::runs::Answers;
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

/// Most bytes of a final text that the detail shows: that of the real daemon.
const PREVIEW: usize = 256 * 1024;
/// The row numbers of an ended run begin here.
const ENDED_SEQ: u64 = 3;
/// When questions were asked whose time does not matter.
const REQUESTED: &str = "2026-09-01T00:00:00Z";

pub(crate) fn read(call: &mut Call<'_, '_>, id: &str) -> Step {
    let now_ms = call.now_ms;
    if let Some(run) = call.state.runs.get_mut(id) {
        run.poll(now_ms);
    }
    call.touched(id);
    call.go_on(id, Then::Detail)
}

/// The telemetry of a run that is over, where it is still to be written.
pub(crate) fn telemetry(call: &Call<'_, '_>, id: &str) -> Option<Effect> {
    let run = call.state.run(id)?;
    let setting = call.setting;
    let again = !run.telemetry || call.is_seed();
    if !run.is_over() || !again || setting.runs.is_empty() {
        return None;
    }
    let text = json!({
        "schema_version": 2,
        "run_id": id,
        "final_attempt_id": "a01",
        "attempts": [{
            "attempt_id": "a01",
            "harness_id": setting.harness,
            "observed_model": setting.model,
            "profile_id": setting.profile,
        }],
    });
    Some(Effect::Telemetry { run: id.to_owned(), text: text.to_string() })
}

/// Answers with the detail.
pub(crate) fn detail(call: &mut Call<'_, '_>, id: &str) -> Step {
    let Some(run) = call.state.run(id) else { return call.refuse(&Problem::not_found()) };
    let body = body(call.setting, run);
    call.say_about(Some((id, Answers::Poll)), Reply::json(200, &body))
}

fn body(setting: &Setting, run: &Run) -> Value {
    let mut summary = json!({
        "state": run.state.word(),
        "model": setting.model,
        "effectiveAccess": run.access,
        "waitingOnUser": run.open.is_some(),
        "runDir": setting.run_dir(&run.id),
    });
    let pending: Vec<Value> = run.open.iter().map(|open| question(setting, run, open)).collect();
    let mut body = json!({
        "id": run.id,
        "lastSeq": last_seq(setting.manner, run),
        "pendingInteractions": pending,
    });
    if run.is_over() {
        ended(setting, run, &mut summary, &mut body);
    }
    body["summary"] = summary;
    if setting.manner != Manner::Seed {
        further(setting, run, &mut body);
    }
    body
}

/// The contract counts polls and says 3 in the end, but never falls; the real daemon numbers the rows of the timeline.
fn last_seq(manner: Manner, run: &Run) -> u64 {
    match manner {
        Manner::Engine => run.last_row(),
        Manner::Seed if run.is_over() => ENDED_SEQ,
        Manner::Corrected if run.is_over() => run.polls.max(ENDED_SEQ),
        Manner::Seed | Manner::Corrected => run.polls,
    }
}

fn ended(setting: &Setting, run: &Run, summary: &mut Value, body: &mut Value) {
    summary["spendUsd"] = json!(0.0);
    summary["spendEstimated"] = json!(false);
    summary["inputTokens"] = json!(120);
    summary["outputTokens"] = json!(40);
    summary["cachedInputTokens"] = json!(0);
    summary["authRoute"] = json!({"profileId": setting.profile});
    if !run.script.required_inputs.is_empty() {
        let work = json!({"required_inputs": run.script.required_inputs});
        summary["outcomeFacts"] = json!({"reason": "input_required", "work_state": work});
    }
    let bytes = output_bytes(run);
    let text = output_beginning(run, PREVIEW);
    let shown = match setting.manner {
        Manner::Seed => text.as_str(),
        Manner::Corrected | Manner::Engine => beginning(&text),
    };
    body["outcomeBanner"] = json!(run.state.word());
    body["finalSummary"] = json!(format!("The run {} {}.", run.id, run.state.word()));
    body["primaryOutput"] = json!({
        "text": shown,
        "bytes": bytes,
        "truncated": (shown.len() as u64) < bytes,
        "path": super::artifact::OUTPUT,
    });
}

/// As much of a text as the detail shows, whole characters.
fn beginning(text: &str) -> &str {
    let mut end = text.len().min(PREVIEW);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

fn question(setting: &Setting, run: &Run, open: &Open) -> Value {
    let asked = &open.question;
    let options: Vec<Value> = asked
        .options
        .iter()
        .map(|(label, description)| json!({"label": label, "description": description}))
        .collect();
    let timed = open.until_ms.is_some() || setting.manner == Manner::Engine;
    json!({
        "interactionId": open.id,
        "runId": run.id,
        "attemptId": "a01",
        "harnessId": setting.harness,
        "sourceTool": "AskUserQuestion",
        "questions": [{
            "id": "q1",
            "question": asked.text,
            "header": asked.header,
            "options": options,
            "multi_select": asked.multi_select,
        }],
        "requestedAt": if timed { rfc3339(open.at_ms) } else { REQUESTED.to_owned() },
        "timeoutAt": open.until_ms.map(rfc3339),
    })
}

/// What the real daemon says beyond the contract.
fn further(setting: &Setting, run: &Run, body: &mut Value) {
    let rows: Vec<Value> = run
        .timeline
        .iter()
        .map(|row| json!({"seq": row.seq, "type": kind(run, &row.what), "at": rfc3339(row.at_ms)}))
        .collect();
    body["timeline"] = json!(rows);
    body["children"] = json!([]);
    let written = run.timeline.iter().filter_map(|row| match &row.what {
        What::Edited(paths) => Some(paths),
        _ => None,
    });
    body["workProduct"] = json!({"changedFiles": written.flatten().collect::<Vec<_>>()});
    if run.is_over() {
        body["artifacts"] = json!(super::artifact::rows(run));
    }
    let mut actions: Vec<Value> =
        run.open.iter().map(|open| json!({"kind": "answer_interaction", "interactionId": open.id})).collect();
    if let (Some((failure, _)), Some(mut facts)) = (&run.failure, failure::facts(run)) {
        facts["safeMessage"] = json!(failure.message);
        body["failure"] = facts;
        actions.extend(failure.next_actions.iter().map(|action| json!({"kind": action})));
    }
    body["requiredActions"] = json!(actions);
    if setting.manner == Manner::Engine {
        body["artifacts"] = json!(super::artifact::rows(run));
        body["budget"] = json!({"spentUsd": 0.0, "spendEstimated": false, "limitUsd": null});
        body["decision"] = Value::Null;
        body["planQuestions"] = json!([]);
        body["runFacts"] = json!({"harnessId": setting.harness, "model": setting.model, "attempts": 1});
    }
    if run.script.attempt && run.is_over() {
        let proof =
            json!({"mechanism": "fake-sandbox", "verifiedDeniedPath": format!("{}/daemon", setting.runs)});
        body["candidates"] = json!([{"attemptId": "a01", "confinement": proof}]);
    }
}
