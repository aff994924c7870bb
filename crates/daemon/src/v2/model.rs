//! Model operations: started, read, ended, acknowledged. The shapes are guesses: the real daemon's are not public.

use super::once::once;
use super::{Call, Problem, Reply};
use crate::core::Step;
use crate::run::of_prompt;
use crate::state::{MOST_OPERATIONS, Operation};
use crate::uploads::Stand;
use rehearsal_journal::daemon::Fact;
use rehearsal_script::runs::Act;
use serde_json::{Value, json};

pub(crate) fn create(call: &mut Call<'_, '_>) -> Step {
    once(call, "model-operation.create", |call, key| {
        let body = &call.heard.body;
        let model = body.text("model").unwrap_or_else(|| call.setting.model.clone());
        if let Some(upload) = body.get("uploadId") {
            let upload = upload.as_str().unwrap_or_default();
            let stand = call.state.uploads.get(&upload).map(|upload| upload.stand);
            if stand != Some(Stand::Finalized) {
                let why = "the upload is not finalized, or there is none";
                return Err(Problem::new(409, "upload_not_finalized", why));
            }
        }
        // The markers of runs work here, too.
        let script = of_prompt(&body.text("input").unwrap_or_default());
        if let Some(refusal) = script.refuse {
            return Err(Problem::new(refusal.status, &refusal.code, refusal.message));
        }
        if call.state.operations.len() >= MOST_OPERATIONS {
            return Err(Problem::new(429, "too_many_operations", "acknowledge an operation first").later());
        }
        let id = format!("mop-{}", call.setting.id("model-operation", key, 16));
        let hangs = script.steps.iter().any(|step| step.act == Act::Hang);
        let operation =
            Operation { model, state: "running", hangs, fails: !script.required_inputs.is_empty() };
        let row = row(&id, &operation);
        call.state.operations.insert(id.clone(), operation);
        changed(call, &id, "running");
        Ok(Reply::json(200, &row))
    })
}

/// What is asked of one operation.
pub(crate) fn one(call: &mut Call<'_, '_>, id: &str, rest: &[&str]) -> Step {
    let Some(operation) = call.state.operations.get(id).cloned() else {
        return call.refuse(&Problem::new(
            404,
            "model_operation_not_found",
            "there is no operation of this id",
        ));
    };
    match (call.heard.method, rest) {
        ("GET", []) => {
            if operation.state == "running" && !operation.hangs {
                move_to(call, id, if operation.fails { "failed" } else { "succeeded" });
            }
            let body = call.state.operations.get(id).map_or(Value::Null, |operation| row(id, operation));
            call.ok(&body)
        }
        ("GET", ["result"]) => result(call, id, &operation),
        ("POST", ["control"]) => {
            let control = call.heard.body.get("control");
            if !control.and_then(|control| control.get("kind")).is_some_and(|kind| kind.is_str("cancel")) {
                let why = "the one control is {\"control\": {\"kind\": \"cancel\"}}";
                return call.refuse(&Problem::new(400, "unknown_control", why));
            }
            if operation.state != "running" {
                return call.refuse(&Problem::new(409, "operation_terminal", "the operation is over"));
            }
            move_to(call, id, "cancelled");
            call.ok(&json!({"accepted": true, "status": "applied", "operationId": id}))
        }
        ("POST", ["ack"]) => {
            if operation.state == "running" {
                return call.refuse(
                    &Problem::new(409, "operation_not_terminal", "the operation is under way").later(),
                );
            }
            call.state.operations.remove(id);
            changed(call, id, "acknowledged");
            call.ok(&json!({"acknowledged": true, "operationId": id}))
        }
        _ => call.refuse(&Problem::not_found()),
    }
}

fn result(call: &mut Call<'_, '_>, id: &str, operation: &Operation) -> Step {
    match operation.state {
        "succeeded" => call.ok(&json!({
            "operationId": id,
            "model": operation.model,
            "output": {"text": format!("FAKE_MODEL_RESULT {id}: done.")},
            "usage": {"inputTokens": 120, "outputTokens": 40, "costUsd": 0.0},
        })),
        "running" => {
            call.refuse(&Problem::new(409, "operation_not_terminal", "the operation is under way").later())
        }
        _ => call.refuse(&Problem::new(
            409,
            "operation_without_result",
            format!("the operation {}", operation.state),
        )),
    }
}

fn move_to(call: &mut Call<'_, '_>, id: &str, state: &'static str) {
    if let Some(operation) = call.state.operations.get_mut(id) {
        operation.state = state;
    }
    changed(call, id, state);
}

fn changed(call: &mut Call<'_, '_>, id: &str, state: &str) {
    let (item, id, state) = ("model_operation".to_owned(), id.to_owned(), state.to_owned());
    call.facts.push(Fact::ItemChanged { item, id, state });
}

fn row(id: &str, operation: &Operation) -> Value {
    json!({"operationId": id, "state": operation.state, "model": operation.model})
}

pub(crate) fn sources(call: &mut Call<'_, '_>) -> Step {
    let row = json!({"id": call.setting.harness, "kind": "harness", "enabled": true});
    call.ok(&json!({"sources": [row]}))
}

pub(crate) fn models(call: &mut Call<'_, '_>, source: &str) -> Step {
    if source != call.setting.harness {
        return call.refuse(&Problem::new(404, "model_source_not_found", "there is no source of this id"));
    }
    call.ok(&json!({"models": [{"id": call.setting.model, "default": true}]}))
}
