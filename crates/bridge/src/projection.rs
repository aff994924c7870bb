//! What of a bridge's record everybody may see: counts and digests, never content, keys or the provider's name of the model.

use crate::setting::{Mode, Setting};
use crate::state::{Row, State};
use rehearsal_journal::bridge::{Action, Done, Hop, Kind};
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

/// Bytes that most lines need at most.
const ROOM: usize = 1024;

/// The state: the body of the status route, whose reader has the token, and the public file. There only configured cases have
/// a row: names of lanes are whatever clients write into their base URLs.
#[must_use]
pub fn state(setting: &Setting, state: &State, recorded_at: &str, is_private: bool) -> Vec<u8> {
    let shown = is_private || are_configured(setting);
    let cases: BTreeMap<&String, &Row> = state.cases.iter().filter(|_| shown).collect();
    line(&json!({
        "recordedAt": recorded_at,
        "modelAlias": setting.alias(),
        "armedCase": state.armed,
        "cases": cases,
        "counters": state.counters,
    }))
}

/// The health.
#[must_use]
pub fn health(setting: &Setting, state: &State) -> Vec<u8> {
    line(&json!({
        "status": "ok",
        "scope": "bridge-ready-only",
        "modelAlias": setting.alias(),
        "armedCase": state.armed,
        "generationBackendForwards": state.counters.generation_backend_forwards,
    }))
}

/// The answer to an operator who armed a case, or disarmed the one that was.
#[must_use]
pub fn armed(setting: &Setting, case: Option<&str>) -> Vec<u8> {
    let mut value = json!({"armedCase": case, "modelAlias": setting.alias()});
    if case.is_some() {
        value["remainingBackendForwards"] = json!(1);
    }
    line(&value)
}

/// What of a request that is over everybody may see, in the order in which it is written.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Shown<'d> {
    action: Action,
    at: &'d str,
    backend_forwarded: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    case_id: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    choice_content_unchanged: Option<bool>,
    #[serde(skip_serializing_if = "Option::is_none")]
    error_code: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    input_equivalent: Option<bool>,
    kind: Kind,
    method: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    model_alias: Option<&'d str>,
    path: &'d str,
    request_bytes: u64,
    request_sha256: &'d str,
    sequence: u64,
    served_response_bytes: u64,
    served_response_sha256: &'d str,
    #[serde(skip_serializing_if = "Option::is_none")]
    status: Option<u16>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_request_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_request_sha256: Option<&'d str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_response_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    upstream_response_sha256: Option<&'d str>,
}

/// The public line of a request that is over.
#[must_use]
pub fn event(setting: &Setting, done: &Done, at: &str) -> Vec<u8> {
    let (upstream_request, upstream_response) =
        (done.upstream_request.as_ref(), done.upstream_response.as_ref());
    let bytes = |hop: &Hop| hop.bytes;
    let shown = Shown {
        action: done.action,
        at,
        backend_forwarded: done.forwarded,
        case_id: done.case.as_deref().filter(|_| are_configured(setting)),
        choice_content_unchanged: done.choices_unchanged,
        error_code: done.code.as_deref(),
        input_equivalent: done.input_equivalent,
        kind: done.kind,
        method: method(&done.method),
        model_alias: setting.alias(),
        path: &done.route,
        request_bytes: done.request.bytes,
        request_sha256: &done.request.sha256,
        sequence: done.sequence,
        served_response_bytes: done.served.bytes,
        served_response_sha256: &done.served.sha256,
        status: done.status,
        upstream_request_bytes: upstream_request.map(bytes),
        upstream_request_sha256: upstream_request.map(|hop| hop.sha256.as_str()),
        upstream_response_bytes: upstream_response.map(bytes),
        upstream_response_sha256: upstream_response.map(|hop| hop.sha256.as_str()),
    };
    let mut line = Vec::with_capacity(ROOM);
    // Numbers and texts into memory: nothing in it can fail.
    drop(serde_json::to_writer(&mut line, &shown));
    line.push(b'\n');
    line
}

/// Whether the names of cases are those of a list, not whatever clients make up.
fn are_configured(setting: &Setting) -> bool {
    match setting.mode {
        Mode::Cases(_) => true,
        Mode::Open(_) => false,
    }
}

/// A method that HTTP knows, else a word in its place: clients may send anything there.
fn method(method: &str) -> &str {
    const KNOWN: &[&str] = &["GET", "HEAD", "POST", "OPTIONS", "PUT", "PATCH", "DELETE"];
    KNOWN.iter().find(|known| **known == method).copied().unwrap_or("other")
}

/// What the bridge is set to. The private form also names what only its owner may know.
#[must_use]
pub fn configuration(setting: &Setting, upstream: &str, is_private: bool) -> Vec<u8> {
    let expected: Map<String, Value> =
        setting.cases().iter().map(|case| (case.id.clone(), json!(case.sha256))).collect();
    let mut value = json!({
        "version": 1,
        "modelAlias": setting.alias(),
        "upstream": upstream,
        "allowedOrigin": setting.origin,
        "controlHeader": setting.control_header,
        "maxBackendForwardsPerCase": 1,
        "inputExpectedHashes": expected,
        "startupInferenceRequests": 0,
    });
    if is_private {
        value["realBackendModelId"] = json!(setting.names.as_ref().map(|names| names.real()));
        value["controlTokenFile"] = json!("control-token.txt");
        value["stateFile"] = json!("journal-0001.jsonl");
    }
    let mut text = serde_json::to_vec_pretty(&value).unwrap_or_default();
    text.push(b'\n');
    text
}

/// The line for whoever started the bridge: where it is, and that nothing was asked of the provider.
#[must_use]
pub fn started(setting: &Setting, state: &State, address: &str, at: &str) -> String {
    let per_case = matches!(setting.mode, Mode::Cases(_)).then_some(1);
    json!({
        "startedAt": at,
        "pid": rehearsal_world::process::own_id(),
        "endpoint": format!("http://{address}"),
        "modelAlias": setting.alias(),
        "maxBackendForwardsPerCase": per_case,
        "armedCase": state.armed,
        "startupInferenceRequests": 0,
    })
    .to_string()
}

/// Compact JSON and a line feed.
fn line(value: &Value) -> Vec<u8> {
    let mut line = value.to_string().into_bytes();
    line.push(b'\n');
    line
}
