//! What clients lean on beside runs: uploads, model operations, trust, projects, quota.

use crate::stand::{Stand, execution, fresh};
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::digest;
use serde_json::{Value, json};

fn sum(bytes: &[u8]) -> String {
    digest::text(&digest::of(bytes))
}

/// Announces an upload; its id.
fn announce(stand: &Stand, body: &Value) -> String {
    let got = stand.post("/v2/uploads", &fresh(), body);
    assert_eq!((got.status, got.body["state"].as_str()), (200, Some("open")), "{got:?}");
    got.body["uploadId"].as_str().unwrap().to_owned()
}

#[test]
fn an_upload_is_finalized_when_it_is_what_was_announced() {
    let stand = Stand::new("uploads");
    let text = b"words \xff that are no text";
    let body = json!({"bytes": text.len(), "sha256": sum(text)});
    let key = fresh();
    let first = stand.post("/v2/uploads", &key, &body);
    assert_eq!(stand.post("/v2/uploads", &key, &body), first);
    assert_eq!(
        stand.post("/v2/uploads", &key, &json!({"bytes": 1})).refusal(),
        (409, "idempotency_conflict")
    );
    let path = format!("/v2/uploads/{}", first.body["uploadId"].as_str().unwrap());
    let put = |bytes: &[u8]| stand.raw("PUT", &format!("{path}/bytes"), "", bytes);
    let finalize = || stand.post(&format!("{path}/finalize"), "", &json!({}));
    assert_eq!(finalize().refusal(), (409, "upload_incomplete"));
    assert_eq!(put(b"short").refusal(), (400, "upload_length_mismatch"));
    assert_eq!(put(&[b'x'; 24]).status, 200);
    assert_eq!(finalize().refusal(), (422, "upload_digest_mismatch"));
    assert_eq!(put(text).body["receivedBytes"], text.len());
    assert_eq!(finalize().body["state"], "finalized");
    assert_eq!(finalize().status, 200);
    assert_eq!(put(text).refusal(), (409, "upload_finalized"));
    assert_eq!(stand.get(&path).body["sha256"], sum(text));
    assert_eq!(stand.raw("DELETE", &path, "", b"").body["removed"], true);
    assert_eq!(stand.get(&path).refusal(), (404, "upload_not_found"));
    for (body, status) in [
        (json!({}), 400),
        (json!({"bytes": 0}), 400),
        (json!({"bytes": "7"}), 400),
        (json!({"bytes": 7, "sha256": "abc"}), 400),
        (json!({"bytes": 11 << 20}), 413),
    ] {
        assert_eq!(stand.post("/v2/uploads", &fresh(), &body).status, status, "{body}");
    }
    assert_eq!(stand.post("/v2/uploads", "", &body).refusal(), (400, "missing_idempotency_key"));
}

#[test]
fn a_model_operation_is_read_until_it_ends_and_forgotten_when_acknowledged() {
    let mut stand = Stand::new("model-operations");
    let key = fresh();
    let body = json!({"model": "m-1", "input": "say something"});
    let first = stand.post("/v2/model-operations", &key, &body);
    assert_eq!((first.status, first.body["state"].as_str()), (200, Some("running")));
    assert_eq!(stand.post("/v2/model-operations", &key, &body), first);
    let path = format!("/v2/model-operations/{}", first.body["operationId"].as_str().unwrap());
    let early = (409, "operation_not_terminal");
    assert_eq!(stand.get(&format!("{path}/result")).refusal(), early);
    let ack = || stand.post(&format!("{path}/ack"), "", &json!({}));
    assert_eq!(ack().refusal(), early);
    assert_eq!(stand.get(&path).body["state"], "succeeded");
    let result = stand.get(&format!("{path}/result"));
    assert_eq!(
        (result.body["model"].as_str(), result.body["usage"]["outputTokens"].as_u64()),
        (Some("m-1"), Some(40))
    );
    assert_eq!(ack().body["acknowledged"], true);
    assert_eq!(ack().refusal(), (404, "model_operation_not_found"));

    let hung = stand.post("/v2/model-operations", &fresh(), &json!({"input": "[FAKE:HANG]"}));
    let path = format!("/v2/model-operations/{}", hung.body["operationId"].as_str().unwrap());
    for _ in 0..3 {
        assert_eq!(stand.get(&path).body["state"], "running");
    }
    let control = |body: &Value| stand.post(&format!("{path}/control"), "", body);
    assert_eq!(control(&json!({"control": "stop"})).refusal(), (400, "unknown_control"));
    assert_eq!(control(&json!({"control": {"kind": "cancel"}})).body["status"], "applied");
    assert_eq!(control(&json!({"control": {"kind": "cancel"}})).refusal(), (409, "operation_terminal"));
    assert_eq!(stand.get(&format!("{path}/result")).refusal(), (409, "operation_without_result"));

    let refused = stand.post("/v2/model-operations", &fresh(), &json!({"input": "[FAKE:REFUSE]"}));
    assert_eq!(refused.refusal(), (400, "fake_route_refused"));
    let upload = announce(&stand, &json!({"bytes": 3}));
    let with = json!({"input": "look at it", "uploadId": upload});
    let key = fresh();
    assert_eq!(stand.post("/v2/model-operations", &key, &with).refusal(), (409, "upload_not_finalized"));
    assert_eq!(stand.raw("PUT", &format!("/v2/uploads/{upload}/bytes"), "", b"abc").status, 200);
    assert_eq!(stand.post(&format!("/v2/uploads/{upload}/finalize"), "", &json!({})).status, 200);
    assert_eq!(stand.post("/v2/model-operations", &key, &with).status, 200);
    assert_eq!(stand.get("/v2/model-sources").body["sources"][0]["id"], "fake-harness");
    assert_eq!(stand.get("/v2/model-sources/fake-harness/models").body["models"][0]["id"], "mock-model-echo");
    stand.stop();
    let facts = serde_json::to_string(&stand.facts()).unwrap();
    assert!(facts.contains(r#""item":"model_operation""#) && facts.contains(r#""state":"acknowledged""#));
    assert!(!facts.contains("say something"));
}

#[test]
fn full_access_needs_a_trusted_root_with_the_real_daemon() {
    let stand = Stand::with("trust", &["--as-engine"]);
    let more = json!({"access": "full", "scope": {"kind": "project", "root": "/a/b", "ephemeral": true}});
    let key = fresh();
    let refused = stand.start_with(&key, "work", &more);
    assert_eq!(refused.refusal(), (409, "trust_full_access_required"));
    assert!(refused.body["requiredActions"][0].as_str().unwrap().contains("/v2/trust"));
    let trust = |level: &str| stand.post("/v2/trust", "", &json!({"root": "/a//b/", "level": level}));
    assert_eq!(trust("full_access").body["root"], "/a/b");
    assert_eq!(stand.get("/v2/trust").body["trusted"][0]["root"], "/a/b");
    // Nothing was kept under the key: it is good once trust is given.
    assert_eq!(stand.start_with(&key, "work", &more).status, 200);
    assert_eq!(trust("none").status, 200);
    assert_eq!(stand.start_with(&fresh(), "work", &more).refusal(), (409, "trust_full_access_required"));
    assert_eq!(trust("some").refusal(), (400, "invalid_request"));
}

#[test]
fn a_project_must_be_registered_where_that_is_asked() {
    for (name, extra) in [("register-engine", "--as-engine"), ("register", "--require-project")] {
        let stand = Stand::with(name, &[extra]);
        let more =
            |ephemeral: bool| json!({"scope": {"kind": "project", "root": "/a/b/", "ephemeral": ephemeral}});
        let refused = stand.start_with(&fresh(), "work", &more(false));
        assert_eq!(refused.refusal(), (404, "project_not_registered"));
        let action = &refused.body["requiredActions"][0];
        let told = action.as_str().or(action["message"].as_str()).unwrap();
        assert!(told.contains("POST /v2/projects"), "{told}");
        assert_eq!(stand.start_with(&fresh(), "work", &more(true)).status, 200);
        let registered = stand.post("/v2/projects", &fresh(), &json!({"root": "/a/b"}));
        assert_eq!(registered.body["created"], true);
        assert_eq!(stand.start_with(&fresh(), "work", &more(false)).status, 200);
    }
}

#[test]
fn the_real_daemons_start_wants_a_whole_delegation_and_says_more() {
    let stand = Stand::with("engine-start", &["--as-engine"]);
    let (live, work) = stand.workspace("one");
    assert_eq!(stand.post("/v2/projects", &fresh(), &json!({"root": live})).status, 200);
    let whole = execution(&work, &live);
    let got = stand.start_with(&fresh(), "[FAKE:MUTATE]", &whole);
    assert_eq!(got.status, 200, "{got:?}");
    assert!(got.body["jobId"].is_string() && got.body["taskId"].is_string());
    for (of, field, value) in [
        ("execution", "delegated", json!(false)),
        ("execution", "isolation", json!("copy")),
        ("scope", "kind", json!("x")),
    ] {
        let mut more = whole.clone();
        more[of][field] = value;
        let got = stand.start_with(&fresh(), "[FAKE:MUTATE]", &more);
        assert_eq!(got.refusal(), (400, "execution_workspace_invalid"), "{field}");
    }
    let run = got.body["runId"].as_str().unwrap();
    let detail = stand.detail(run);
    assert_eq!(detail["workProduct"]["changedFiles"], json!(["delegated_new.txt", "tracked.txt"]));
    assert_eq!(detail["candidates"][0]["confinement"]["mechanism"], "fake-sandbox");
    assert_eq!(detail["lastSeq"], detail["timeline"].as_array().unwrap().len());
    assert_eq!(stand.post("/v2/runs", "", &json!({})).refusal(), (400, "idempotency_key_required"));
    let handshake = stand.post("/v2/handshake", "", &json!({"protocolMajor": 3, "client": "c", "more": 1}));
    assert_eq!(handshake.refusal(), (400, "invalid_request"));
    let handshake = stand.post("/v2/handshake", "", &json!({"protocolMajor": 3, "client": "c"}));
    assert_eq!(handshake.body["servingMode"], "normal");
    let health = stand.connect().send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").reply();
    assert_eq!(health.status(), 200);
}

#[test]
fn quota_is_what_the_file_says() {
    let script = "version: 1\nquota:\n  snapshots: [{scope: weekly, remaining: 0.25, at: 12345678901234567890}]\n  absences: [{scope: daily}]\nruns: []\n";
    let stand = Stand::scripted("quota", script, &[]);
    let quota = json!({"snapshots": [{"scope": "weekly", "remaining": 0.25, "at": 12_345_678_901_234_567_890_u64}], "absences": [{"scope": "daily"}]});
    assert_eq!(stand.get("/v2/quota").body, quota);
    assert_eq!(stand.post("/v2/quota", "", &json!({})).body, quota);
    let plain = Stand::new("no-quota");
    assert_eq!(plain.get("/v2/quota").body, json!({"snapshots": [], "absences": []}));
}

#[test]
fn the_operations_that_are_listed_are_served() {
    let stand = Stand::new("operations");
    let run = stand.start("[FAKE:HANG]");
    let list = stand.get("/v2/operations").body["operations"].clone();
    for row in list.as_array().unwrap() {
        let path =
            row["path"].as_str().unwrap().replacen(":id", &run, 1).replace(":id", "x").replace("<path>", "x");
        let got = stand.raw(row["method"].as_str().unwrap(), &path, "Last-Event-ID: x\r\n", b"");
        let code = got.body["code"].as_str().unwrap_or_default();
        assert!(code != "not_found" && code != "unauthorized", "{row}: {got:?}");
        if row["idempotency"] == "key_required" {
            assert_eq!(got.refusal(), (400, "missing_idempotency_key"), "{row}");
        }
    }
    let names: Vec<_> = list.as_array().unwrap().iter().map(|row| row["id"].as_str().unwrap()).collect();
    assert!(names.contains(&"upload.fill") && names.contains(&"model-operation.ack"));
    assert!(
        stand
            .facts()
            .iter()
            .any(|fact| matches!(fact, Fact::Decided(decided) if decided.operation == "upload.fill"))
    );
}
