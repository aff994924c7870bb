//! What of a bridge's record everybody may see: counts and digests, never content, keys or the provider's name of the model.

use crate::setting::{Mode, Setting};
use crate::state::{Row, State};
use rehearsal_journal::bridge::{Done, Hop};
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;

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

/// The public line of a request that is over.
#[must_use]
pub fn event(setting: &Setting, done: &Done, at: &str) -> Vec<u8> {
    let mut fields = Map::new();
    let mut put = |key: &str, value: Value| drop(fields.insert(key.to_owned(), value));
    put("sequence", json!(done.sequence));
    put("at", json!(at));
    put("kind", json!(done.kind));
    put("method", json!(method(&done.method)));
    put("path", json!(done.route));
    if let Some(case) = done.case.as_ref().filter(|_| are_configured(setting)) {
        put("caseId", json!(case));
    }
    put("action", json!(done.action));
    if let Some(status) = done.status {
        put("status", json!(status));
    }
    put("backendForwarded", json!(done.forwarded));
    if let Some(alias) = setting.alias() {
        put("modelAlias", json!(alias));
    }
    let mut hop = |name: &str, hop: Option<&Hop>| {
        if let Some(hop) = hop {
            put(&format!("{name}Bytes"), json!(hop.bytes));
            put(&format!("{name}Sha256"), json!(hop.sha256));
        }
    };
    hop("request", Some(&done.request));
    hop("upstreamRequest", done.upstream_request.as_ref());
    hop("upstreamResponse", done.upstream_response.as_ref());
    hop("servedResponse", Some(&done.served));
    for (key, value) in
        [("inputEquivalent", done.input_equivalent), ("choiceContentUnchanged", done.choices_unchanged)]
    {
        if let Some(value) = value {
            put(key, json!(value));
        }
    }
    if let Some(code) = &done.code {
        put("errorCode", json!(code));
    }
    line(&Value::Object(fields))
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
