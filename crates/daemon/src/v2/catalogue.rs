//! What the daemon says of itself: handshake, harnesses, operations, quota, settings.

use super::access::other_major;
use super::reply::JSON;
use super::{Call, Form, Problem, Reply};
use crate::core::Step;
use crate::run::State;
use crate::setting::{Manner, Setting};
use bytes::Bytes;
use rehearsal_wire::json::Kind;
use serde_json::json;

/// How the engine says it was started.
const ENTRY: &str = "daemon";

/// The access profile that the real daemon no longer gives to anybody.
pub(crate) const RETIRED: &str = "external_sandbox_full";
/// The one that came in its place.
pub(crate) const FULL: &str = "full";

/// The access profiles that runs may have.
pub(crate) fn access(manner: Manner) -> [&'static str; 3] {
    match manner {
        Manner::Seed | Manner::Corrected => ["readonly", "workspace_write", RETIRED],
        Manner::Engine => ["readonly", "workspace_write", FULL],
    }
}

pub(crate) fn handshake(call: &mut Call<'_, '_>) -> Step {
    if !call.is_seed()
        && let Some(problem) = unfit(call)
    {
        return call.refuse(&problem);
    }
    let setting = call.setting;
    let mut body = json!({
        "compatible": true,
        "protocolMajor": 3,
        "engine": {"version": setting.version, "sha": setting.sha},
    });
    if call.is_engine() {
        body["operationsPath"] = json!("/v2/operations");
        body["servingMode"] = json!(serving(setting));
        body["engine"]["entry"] = json!(ENTRY);
    }
    call.ok(&body)
}

/// What is wrong with the body of a handshake. The real daemon wants both of its fields and no other.
fn unfit(call: &Call<'_, '_>) -> Option<Problem> {
    let body = &call.heard.body;
    match body.get("protocolMajor") {
        Some(major) if major.as_i64() == Some(3) => {}
        Some(major) if major.kind() == Kind::Number => return Some(other_major(major.text())),
        Some(_) => return Some(Problem::field("/protocolMajor", "must be a number")),
        None if call.is_engine() => return Some(Problem::field("/protocolMajor", "is missing")),
        None => {}
    }
    if !call.is_engine() {
        return None;
    }
    if body.text("client").is_none_or(|client| client.is_empty()) {
        return Some(Problem::field("/client", "must be a text that is not empty"));
    }
    let known = ["protocolMajor", "client"];
    let unknown = body.object()?.entries().find(|(key, _)| !known.iter().any(|known| key.is_str(known)));
    unknown.map(|(key, _)| {
        Problem::field(&format!("/{}", key.as_str().unwrap_or_default()), "is no field of a handshake")
    })
}

pub(crate) fn harnesses(call: &mut Call<'_, '_>) -> Step {
    let setting = call.setting;
    let row = json!({
        "id": setting.harness,
        "enabled": true,
        "accessProfilesSupported": access(setting.manner),
        "liveInput": setting.live.word(),
    });
    call.ok(&json!({"harnesses": [row]}))
}

pub(crate) fn operations(call: &mut Call<'_, '_>) -> Step {
    let row = |id: &str, method: &str, path: &str, mutability: &str, idempotency: &str| json!({"id": id, "method": method, "path": path, "mutability": mutability, "idempotency": idempotency});
    let mut rows = vec![
        row("run.message", "POST", "/v2/runs/:id/messages", "mutating", "key_required"),
        row("run.control", "POST", "/v2/runs/:id/control", "mutating", "natural"),
    ];
    if !call.is_seed() {
        let further: [(&str, &str, &str, &str, &str); 15] = [
            ("run.start", "POST", "/v2/runs", "mutating", "key_required"),
            ("run.read", "GET", "/v2/runs/:id", "reading", "natural"),
            ("run.events", "GET", "/v2/runs/:id/events", "reading", "natural"),
            ("run.artifact", "GET", "/v2/runs/:id/artifacts/<path>", "reading", "natural"),
            ("run.answer", "POST", "/v2/runs/:id/interactions/:id/answer", "mutating", "natural"),
            ("project.register", "POST", "/v2/projects", "mutating", "key_required"),
            ("project.remove", "DELETE", "/v2/projects/:id", "mutating", "natural"),
            ("upload.create", "POST", "/v2/uploads", "mutating", "key_required"),
            ("upload.fill", "PUT", "/v2/uploads/:id/bytes", "mutating", "natural"),
            ("upload.finalize", "POST", "/v2/uploads/:id/finalize", "mutating", "natural"),
            ("model-operation.create", "POST", "/v2/model-operations", "mutating", "key_required"),
            ("model-operation.read", "GET", "/v2/model-operations/:id", "reading", "natural"),
            ("model-operation.result", "GET", "/v2/model-operations/:id/result", "reading", "natural"),
            ("model-operation.control", "POST", "/v2/model-operations/:id/control", "mutating", "natural"),
            ("model-operation.ack", "POST", "/v2/model-operations/:id/ack", "mutating", "natural"),
        ];
        rows.extend(
            further.map(|(id, method, path, mutability, key)| row(id, method, path, mutability, key)),
        );
    }
    if call.is_engine() {
        let more = [
            ("run.list", "/v2/runs"),
            ("daemon.status", "/v2/daemon/status"),
            ("credential-profile.list", "/v2/credential-profiles"),
        ];
        rows.extend(more.map(|(id, path)| row(id, "GET", path, "reading", "natural")));
    }
    call.ok(&json!({"protocolMajor": 3, "operations": rows}))
}

pub(crate) fn quota(call: &mut Call<'_, '_>) -> Step {
    let scripts = &call.setting.scripts;
    let (snapshots, absences) = (scripts.snapshots.join(", "), scripts.absences.join(", "));
    // As the file has them, numbers and order included.
    let text = format!("{{\"snapshots\": [{snapshots}], \"absences\": [{absences}]}}");
    call.say(Reply { status: 200, form: Form::Whole(JSON, Bytes::from(text)) })
}

/// How the daemon stands. The shape is a guess.
pub(crate) fn status(call: &mut Call<'_, '_>) -> Step {
    let of = |state: State| call.state.runs.values().filter(|run| run.state == state).count();
    let runs = json!({"queued": of(State::Queued), "running": of(State::Running)});
    let setting = call.setting;
    let engine = json!({"version": setting.version, "sha": setting.sha, "entry": ENTRY});
    call.ok(&json!({"servingMode": serving(setting), "engine": engine, "runs": runs}))
}

/// The credential profiles: the one that runs say they used. The shape is a guess.
pub(crate) fn profiles(call: &mut Call<'_, '_>) -> Step {
    let setting = call.setting;
    let row = json!({"profileId": setting.profile, "harness": setting.harness, "enabled": true});
    call.ok(&json!({"profiles": [row]}))
}

fn serving(setting: &Setting) -> &'static str {
    if setting.recovery { "recovery_only" } else { "normal" }
}

pub(crate) fn settings(call: &mut Call<'_, '_>) -> Step {
    call.ok(&json!({"harnesses": {}}))
}
