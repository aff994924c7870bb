//! One row a difference.

use crate::stand::{Got, Stand, execution, fresh, start_body};
use rehearsal_script::runs::{Failure, MessageOutcome};
use serde_json::{Value, json};

const GUIDE: &str = include_str!("../../../../../docs/guide/daemon.md");

/// What differs, as the guide's table calls it, and what shows it.
const ROWS: [(&str, fn()); 17] = [
    ("error body", error_body),
    ("handshake", handshake),
    ("routes without the major", without_major),
    ("recovery", recovery),
    ("access to it", access),
    ("body", body),
    ("path", path),
    ("key", key),
    ("key space", key_space),
    ("start", start),
    ("access profiles", access_profiles),
    ("states", states),
    ("cancel", cancel),
    ("answer to a question", answer),
    ("message", message),
    ("detail", detail),
    ("events", events),
];

#[test]
fn every_difference_of_the_guide_is_shown() {
    let table = GUIDE.split("| matter | as the real daemon |").nth(1).unwrap();
    let told = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    let told: Vec<&str> = told.map(|line| line.split('|').nth(1).unwrap().trim()).collect();
    let shown: Vec<&str> = ROWS.iter().map(|(name, _)| *name).collect();
    assert_eq!(told, shown);
    for (name, row) in ROWS {
        // Said by the harness where the row fails.
        println!("row: {name}");
        row();
    }
}

fn engine(name: &str) -> Stand {
    Stand::with(&format!("engine/{name}"), &["--as-engine", "--scripted-clock"])
}

fn scripted(name: &str, script: &str) -> Stand {
    Stand::scripted(&format!("engine/{name}"), script, &["--as-engine", "--scripted-clock"])
}

/// The names of an object's fields, sorted.
fn names(body: &Value) -> Vec<&str> {
    let mut names: Vec<&str> = body.as_object().unwrap().keys().map(String::as_str).collect();
    names.sort_unstable();
    names
}

/// A request with head lines of its own.
fn with_head(stand: &Stand, method: &str, path: &str, head: &str, body: &str) -> Got {
    let length = body.len();
    let text = format!("{method} {path} HTTP/1.1\r\n{head}Content-Length: {length}\r\n\r\n{body}");
    Got::of(&stand.connect().send(text).reply())
}

fn error_body() {
    let stand = engine("error-body");
    let got = stand.start_with(&fresh(), "", &json!({}));
    assert!(got.head.contains("content-type: application/problem+json"), "{}", got.head);
    let all = ["code", "context", "evidenceRefs", "fieldErrors", "message", "requiredActions", "retryable"];
    assert_eq!(names(&got.body), all);
    assert_eq!(got.body["fieldErrors"][0]["pointer"], "/prompt");
    let refused = stand.raw("GET", "/v2/runs/x", "Origin: https://evil.example\r\n", b"");
    assert_eq!(refused.refusal(), (403, "host_not_allowed"));
    let got = stand.start_with(&fresh(), "work", &json!({"scope": {"kind": "project", "root": "/a"}}));
    assert!(got.body["requiredActions"][0].is_string(), "{got:?}");
}

fn handshake() {
    let stand = engine("handshake");
    let ask = |body: Value| stand.post("/v2/handshake", "", &body);
    let good = ask(json!({"protocolMajor": 3, "client": "c"})).body;
    assert_eq!(good["operationsPath"], "/v2/operations");
    assert_eq!(good["servingMode"], "normal");
    assert!(good["engine"]["entry"].is_string() && good["engine"]["sha"].is_string());
    for body in [
        json!({}),
        json!({"protocolMajor": 3}),
        json!({"client": "c"}),
        json!({"protocolMajor": "3", "client": "c"}),
        json!({"protocolMajor": 3, "client": ""}),
        json!({"protocolMajor": 3, "client": "c", "more": 1}),
    ] {
        assert_eq!(ask(body.clone()).refusal(), (400, "invalid_request"), "{body}");
    }
    let other = ask(json!({"protocolMajor": 4, "client": "c"}));
    assert_eq!(other.refusal(), (426, "incompatible_protocol_major"));
}

fn without_major() {
    let stand = engine("without-major");
    let head = format!("Host: 127.0.0.1\r\nAuthorization: Bearer {}\r\n", stand.token);
    for path in ["/v2/runs/x", "/v2/quota", "/v2/nowhere"] {
        assert_eq!(
            with_head(&stand, "GET", path, &head, "").refusal(),
            (426, "handshake_required"),
            "{path}"
        );
    }
    let head = format!("{head}X-Claudexor-Protocol-Major: 2\r\n");
    let other = with_head(&stand, "GET", "/v2/quota", &head, "");
    assert_eq!(other.refusal(), (426, "incompatible_protocol_major"));
}

fn recovery() {
    let stand = Stand::with("engine/recovery", &["--as-engine", "--recovery-only"]);
    let mode = stand.post("/v2/handshake", "", &json!({"protocolMajor": 3, "client": "c"}));
    assert_eq!(mode.body["servingMode"], "recovery_only");
    assert_eq!(stand.get("/v2/operations").status, 200);
    for got in
        [stand.get("/v2/quota"), stand.get("/v2/runs/x"), stand.start_with(&fresh(), "work", &json!({}))]
    {
        assert_eq!(got.refusal(), (503, "daemon_recovery_only"));
        assert_eq!(got.body["retryable"], true);
    }
    // Who may not ask hears nothing of it.
    let stranger = with_head(&stand, "GET", "/v2/quota", "Host: 127.0.0.1\r\n", "");
    assert_eq!(stranger.refusal(), (401, "unauthorized"));
}

fn access() {
    let stand = engine("access");
    let token = &stand.token;
    let ask = |host: &str, scheme: &str, more: &str| {
        let major = "X-Claudexor-Protocol-Major: 3\r\n";
        let head = format!("Host: {host}\r\nAuthorization: {scheme} {token}\r\n{major}{more}");
        with_head(&stand, "GET", "/v2/quota", &head, "").status
    };
    for scheme in ["Bearer", "bearer", "BEARER"] {
        assert_eq!(ask("localhost:1", scheme, ""), 200, "{scheme}");
    }
    assert_eq!(ask("localhost", "Basic", ""), 401);
    assert_eq!(ask("localhost", "Bearer", "Origin: http://127.0.0.1:5\r\n"), 200);
    assert_eq!(ask("localhost", "Bearer", "Origin: http://example.org\r\n"), 403);
    assert_eq!(ask("example.org", "Bearer", ""), 403);
    assert_eq!(with_head(&stand, "GET", "/healthz", "Host: localhost\r\n", "").status, 200);
    assert_eq!(with_head(&stand, "GET", "/healthz", "Host: example.org\r\n", "").status, 403);
    assert_eq!(with_head(&stand, "GET", "/v2/nowhere", "Host: localhost\r\n", "").status, 401);
}

fn body() {
    let stand = engine("body");
    let run = stand.start("[FAKE:ASK]");
    let question = stand.pending(&run);
    let (runs, of) = ("/v2/runs".to_owned(), |rest: &str| format!("/v2/runs/{run}/{rest}"));
    let keyed = || format!("Idempotency-Key: {}\r\n", fresh());
    let large = stand.raw("POST", &runs, "Content-Length: 10485761\r\n", b"");
    assert_eq!(large.status, 400, "two lengths");
    let head = stand.head("Content-Length: 10485761\r\n\r\n");
    let seen = stand.connect().send(format!("POST /v2/runs HTTP/1.1\r\n{head}")).reply();
    assert_eq!(Got::of(&seen).refusal(), (413, "body_too_large"));
    assert_eq!(
        stand.raw("POST", &runs, &keyed(), b"{\"prompt\": \"\xff\"}").refusal(),
        (400, "invalid_encoding")
    );
    let answer = of(&format!("interactions/{question}/answer"));
    let good = json!({"prompt": "work", "harnesses": ["fake-harness"], "primaryHarness": "fake-harness"});
    let with = |name: &str, value: Value| {
        let mut body = good.clone();
        body[name] = value;
        body
    };
    for (path, body, pointer) in [
        (&runs, with("promt", json!("x")), "/promt"),
        (&runs, with("scope", json!({"kind": "none", "path": "/a"})), "/scope/path"),
        (&runs, with("execution", json!({"isolated": true})), "/execution/isolated"),
        (&runs, with("threadId", json!("t")), "/threadId"),
        (&of("messages"), json!({"text": "x", "attempt": "a01"}), "/attempt"),
        (&of("control"), json!({"control": {"kind": "cancel", "why": "x"}}), "/control/why"),
        (&answer, json!({"answers": [{"freeText": "x"}, {"text": "x"}]}), "/answers/1/text"),
        (&"/v2/projects".to_owned(), json!({"root": "/a", "name": "n"}), "/name"),
    ] {
        let got = stand.post(path, &fresh(), &body);
        assert_eq!(got.refusal(), (400, "invalid_request"), "{path} {body}: {got:?}");
        assert_eq!(got.body["fieldErrors"][0]["pointer"], pointer);
    }
    let secret = format!("sk-{}", "a1".repeat(20));
    for (path, body) in [
        (&runs, with("prompt", json!(format!("log in with {secret}, please")))),
        (&runs, with("instructions", json!(secret))),
        (&of("messages"), json!({"text": secret})),
        (&answer, json!({"answers": [{"freeText": secret}]})),
        (&"/v2/settings".to_owned(), json!({"harnesses": {"h": {"apiKey": "x"}}})),
    ] {
        let got = stand.post(path, &fresh(), &body);
        assert_eq!(got.refusal(), (400, "inline_secret_rejected"), "{path}");
        assert!(!got.body.to_string().contains(&secret));
    }
    // A field of a schema may be called so, and what the real daemon takes beyond the fake is taken.
    let schema =
        with("outputSchema", json!({"type": "object", "properties": {"password": {"type": "string"}}}));
    assert_eq!(stand.post(&runs, &fresh(), &schema).status, 200);
    assert_eq!(stand.post(&runs, &fresh(), &with("maxTurns", json!(3))).status, 200);
}

fn path() {
    let stand = engine("path");
    assert_eq!(stand.get("/v2/runs/%zz").refusal(), (400, "malformed_request_path"));
    assert_eq!(stand.get("/v2/runs/%41").refusal(), (404, "run_not_found"));
}

fn key() {
    let stand = engine("key");
    let start = |key: &str| stand.start_with(key, "work", &json!({}));
    assert_eq!(start("").refusal(), (400, "idempotency_key_required"));
    assert_eq!(start(&"k".repeat(257)).refusal(), (400, "invalid_idempotency_key"));
    assert_eq!(start(&"k".repeat(256)).status, 200);
    let run = stand.start("[FAKE:HANG]");
    assert_eq!(stand.message(&run, "", "x").refusal(), (400, "idempotency_key_required"));
    assert_eq!(
        stand.post("/v2/projects", "", &json!({"root": "/a"})).refusal().1,
        "idempotency_key_required"
    );
}

fn key_space() {
    let stand = engine("key-space");
    let scope = |root: &str| json!({"scope": {"kind": "project", "root": root, "ephemeral": true}});
    let key = fresh();
    let one = stand.start_with(&key, "[FAKE:HANG]", &scope("/one"));
    let two = stand.start_with(&key, "[FAKE:HANG]", &scope("/two"));
    assert_eq!((one.status, two.status), (200, 200));
    assert_ne!(one.body["runId"], two.body["runId"]);
    assert_eq!(stand.start_with(&key, "[FAKE:HANG]", &scope("/one/")).refusal().1, "idempotency_conflict");
    assert_eq!(stand.start_with(&key, "[FAKE:HANG]", &scope("/one")), one);
    let run = |got: &Got| got.body["runId"].as_str().unwrap().to_owned();
    // The same key for another operation, and for a run of another project.
    assert_eq!(stand.message(&run(&one), &key, "hurry").body["runId"], one.body["runId"]);
    assert_eq!(stand.message(&run(&two), &key, "hurry").body["runId"], two.body["runId"]);
    let third = stand.start_with(&fresh(), "[FAKE:HANG]", &scope("/one"));
    assert_eq!(stand.message(&run(&third), &key, "hurry").refusal(), (409, "idempotency_conflict"));
}

fn start() {
    let stand = engine("start");
    let (live, work) = stand.workspace("one");
    let whole = execution(&work, &live);
    let got = stand.start_with(&fresh(), "[FAKE:MUTATE]", &whole);
    assert_eq!(got.refusal(), (404, "project_not_registered"));
    assert_eq!(stand.post("/v2/projects", &fresh(), &json!({"root": live})).body["created"], true);
    let got = stand.start_with(&fresh(), "[FAKE:MUTATE]", &whole);
    assert_eq!((got.status, names(&got.body)), (200, vec!["jobId", "runDir", "runId", "taskId"]));
    // Each part of a delegation is asked for, whether files are written or not.
    let runs = stand.run_dirs();
    for (at, value) in [
        ("/execution/delegated", json!(false)),
        ("/execution/isolation", json!("envelope")),
        ("/scope/kind", json!("none")),
        ("/mode", json!("ask")),
        ("/execution/workspaceRoot", json!("relative/work")),
        ("/execution/workspaceRoot", json!(work.join("missing"))),
        ("/execution/workspaceRoot", json!(work.join("tracked.txt"))),
    ] {
        let mut body = start_body("only read", &whole);
        *body.pointer_mut(at).unwrap() = value.clone();
        let got = stand.post("/v2/runs", &fresh(), &body);
        assert_eq!(got.refusal(), (400, "execution_workspace_invalid"), "{at} {value}");
    }
    assert_eq!(stand.run_dirs(), runs);
    assert_eq!(stand.start_with(&fresh(), "only read", &whole).status, 200);
    for field in
        ["threadId", "turnId", "planRunId", "planRef", "retryOf", "parentRunId", "delegatedFromRunId"]
    {
        let got = stand.start_with(&fresh(), "work", &json!({field: "x"}));
        assert_eq!(got.refusal(), (400, "invalid_request"), "{field}");
        assert_eq!(got.body["fieldErrors"][0]["pointer"], format!("/{field}"));
    }
}

fn access_profiles() {
    let stand = engine("access-profiles");
    let start = |access: &str| {
        let scope = json!({"kind": "project", "root": "/a", "ephemeral": true});
        stand.start_with(&fresh(), "work", &json!({"access": access, "scope": scope}))
    };
    assert_eq!(start("external_sandbox_full").refusal(), (409, "retired_access_profile"));
    assert_eq!(start("full").refusal(), (409, "trust_full_access_required"));
    assert_eq!(stand.post("/v2/trust", "", &json!({"root": "/a", "level": "full_access"})).status, 200);
    for access in ["full", "workspace_write", "readonly"] {
        assert_eq!(start(access).status, 200, "{access}");
    }
    let rows = stand.get("/v2/harnesses").body["harnesses"].clone();
    assert_eq!(rows[0]["accessProfilesSupported"], json!(["readonly", "workspace_write", "full"]));
}

const QUEUES: &str = "version: 1
runs:
  - {id: '[twice]', queued: 2, steps: [{ask: {question: q}}, {end: succeeded}]}
  - {id: '[later]', queued: 30s, steps: [{edit: {a.txt: x}}, {hang: true}]}
  - {id: '[broken]', steps: [{end: interrupted}]}
";

fn states() {
    let stand = scripted("states", QUEUES);
    let state = |run: &str| stand.detail(run)["summary"]["state"].as_str().unwrap().to_owned();
    let key = fresh();
    let start = |key: &str, prompt: &str| stand.start_with(key, prompt, &json!({}));
    let queued = start(&key, "[twice]");
    assert_eq!((queued.status, queued.body["state"].as_str()), (202, Some("queued")));
    assert_eq!(start(&key, "[twice]"), queued);
    assert_eq!(start(&key, "[other]").refusal(), (409, "idempotency_conflict"));
    let begun = start(&key, "[twice]");
    assert_eq!((begun.status, &begun.body["jobId"]), (200, &queued.body["jobId"]));
    assert_eq!(start(&key, "[twice]"), begun);
    let run = begun.body["runId"].as_str().unwrap();
    let detail = stand.detail(run);
    assert_eq!(detail["summary"]["waitingOnUser"], true);
    let kinds: Vec<_> =
        detail["timeline"].as_array().unwrap().iter().map(|row| row["type"].clone()).collect();
    assert_eq!(kinds, ["run.queued", "run.started", "interaction.requested"]);

    // By the clock, with files to write when it begins.
    let (live, work) = stand.workspace("one");
    let mut more = execution(&work, &live);
    more["scope"]["ephemeral"] = json!(true);
    let key = fresh();
    assert_eq!(stand.start_with(&key, "[later]", &more).status, 202);
    let id = stand.run_dirs().into_iter().find(|id| id != run).unwrap();
    assert_eq!(state(&id), "queued");
    assert_eq!(stand.message(&id, &fresh(), "hurry").body["reason"], "no_active_turn");
    assert!(!work.join("a.txt").exists());
    stand.advance("30s");
    assert_eq!(state(&id), "running");
    assert!(work.join("a.txt").exists());
    assert_eq!(stand.start_with(&key, "[later]", &more).body["runId"], id);

    let broken = stand.start("[broken]");
    assert_eq!(state(&broken), "interrupted");
    assert_eq!(stand.cancel(&broken).status, 409);

    // One that is cancelled in its queue never begins.
    let cancelled = start(&fresh(), "[twice]");
    assert_eq!(cancelled.status, 202);
    let all = [run, &id, &broken];
    let id = stand.run_dirs().into_iter().find(|id| !all.contains(&id.as_str())).unwrap();
    assert_eq!(stand.cancel(&id).status, 200);
    assert_eq!(state(&id), "cancelled");

    // Without --as-engine such scripts play as the four states allow.
    let plain = Stand::scripted("engine/states-plain", QUEUES, &[]);
    let got = plain.start_with(&fresh(), "[twice]", &json!({}));
    assert_eq!(got.status, 200);
    let broken = plain.start("[broken]");
    assert_eq!(plain.detail(&broken)["summary"]["state"], "failed");
}

fn cancel() {
    let stand = engine("cancel");
    let run = stand.start("[FAKE:HANG]");
    let whole = json!({"accepted": true, "status": "applied", "runId": run, "cascadeRunIds": []});
    assert_eq!(stand.cancel(&run).body, whole);
    assert_eq!(stand.cancel(&run).refusal(), (409, "run_terminal"));
    let done = stand.start("work");
    stand.detail(&done);
    assert_eq!(stand.cancel(&done).refusal(), (409, "run_terminal"));
}

fn answer() {
    let stand = engine("answer");
    let run = stand.start("[FAKE:TURN]");
    let question = stand.pending(&run);
    let status = |got: Got| (got.status, got.body["status"].as_str().unwrap_or_default().to_owned());
    let rows = json!([{"freeText": "x"}]);
    assert_eq!(status(stand.answer(&run, "none", &rows)), (404, "not_found".to_owned()));
    assert_eq!(status(stand.answer(&run, &question, &rows)).0, 200);
    assert_eq!(status(stand.answer(&run, &question, &rows)), (409, "already_resolved".to_owned()));
    // The second question is given up after 15 minutes.
    let detail = stand.detail(&run);
    let open = &detail["pendingInteractions"][0];
    assert!(open["timeoutAt"].is_string());
    let second = open["interactionId"].as_str().unwrap().to_owned();
    stand.advance("899s");
    assert_eq!(stand.pending(&run), second);
    stand.advance("1s");
    assert_eq!(stand.detail(&run)["pendingInteractions"], json!([]));
    assert_eq!(status(stand.answer(&run, &second, &rows)).0, 409);
    // One of a run that ends is released.
    let run = stand.start("[FAKE:ASK]");
    let question = stand.pending(&run);
    stand.cancel(&run);
    assert_eq!(status(stand.answer(&run, &question, &rows)).0, 409);
}

fn message() {
    let outcomes = MessageOutcome::OUTCOMES;
    let reasons = MessageOutcome::REASONS;
    let taken = outcomes[..2].iter().map(|outcome| format!("{{outcome: {outcome}}}"));
    let refused = reasons
        .iter()
        .enumerate()
        .map(|(at, reason)| format!("{{outcome: {}, reason: {reason}}}", outcomes[2 + at % 4]));
    let rows: Vec<String> = taken.chain(refused).collect();
    let script = format!(
        "version: 1\nruns:\n  - {{id: '[told]', steps: [{{hang: true}}], messages: [{}]}}\n",
        rows.join(", ")
    );
    let stand = scripted("message", &script);
    let run = stand.start("[told]");
    let mut told = Vec::new();
    for _ in &rows {
        let got = stand.message(&run, &fresh(), "hurry");
        assert_eq!(got.status, 200);
        let word = |name: &str| got.body[name].as_str().unwrap_or_default().to_owned();
        assert_eq!(got.body["accepted"], outcomes[..2].contains(&word("outcome").as_str()));
        told.push((word("outcome"), word("reason")));
    }
    assert!(outcomes.iter().all(|outcome| told.iter().any(|(seen, _)| seen == outcome)));
    assert!(reasons.iter().all(|reason| told.iter().any(|(_, seen)| seen == reason)));
    let rows = stand.detail(&run)["timeline"].clone();
    let kinds: Vec<&str> = rows.as_array().unwrap().iter().map(|row| row["type"].as_str().unwrap()).collect();
    assert_eq!(kinds[..4], ["run.started", "message.delivered", "message.accepted", "message.refused"]);
    let long = "x".repeat(65_537);
    assert_eq!(stand.message(&run, &fresh(), &long).refusal(), (413, "message_too_long"));
}

fn detail() {
    let codes = Failure::CODES.iter().map(|code| {
        format!(
            "  - {{id: '[{code}]', steps: [{{end: {{failure: {{code: {code}, resets_after: 2h, next_actions: [wait]}}}}}}]}}\n"
        )
    });
    let script = format!(
        "version: 1\nruns:\n  - {{id: '[long]', steps: [{{end: {{text: x, bytes: 300000}}}}]}}\n{}",
        codes.collect::<String>()
    );
    let stand = scripted("detail", &script);
    let run = stand.start("[FAKE:ASK]");
    let names =
        ["artifacts", "budget", "children", "decision", "planQuestions", "requiredActions", "runFacts"];
    let live = stand.detail(&run);
    for name in names.into_iter().chain(["timeline", "workProduct"]) {
        assert!(live.get(name).is_some(), "{name}");
    }
    for code in Failure::CODES {
        let failed = stand.detail(&stand.start(&format!("[{code}]")));
        assert_eq!(failed["summary"]["state"], "failed");
        let failure = &failed["failure"];
        assert_eq!(
            (failure["code"].as_str(), failure["nextActions"][0].as_str()),
            (Some(code), Some("wait"))
        );
        assert_eq!(failure["resetsAt"], "2026-09-01T02:00:00.000Z");
        for name in ["phase", "category", "safeMessage"] {
            assert!(failure[name].is_string(), "{name}");
        }
    }
    let long = stand.detail(&stand.start("[long]"));
    let output = &long["primaryOutput"];
    assert_eq!((output["truncated"].as_bool(), output["bytes"].as_u64()), (Some(true), Some(300_000)));
    assert_eq!(output["text"].as_str().unwrap().len(), 256 * 1024);
    let (at, work) = stand.workspace("one");
    let mut more = execution(&work, &at);
    more["scope"]["ephemeral"] = json!(true);
    let got = stand.start_with(&fresh(), "[FAKE:MUTATE]", &more);
    let mutated = stand.detail(got.body["runId"].as_str().unwrap());
    assert!(mutated["candidates"][0]["confinement"]["mechanism"].is_string());
}

fn events() {
    let stand = engine("events");
    let ends =
        [("work", "run.completed"), ("[FAKE:INPUT_REQUIRED]", "run.blocked"), ("[FAKE:HANG]", "run.failed")];
    for (prompt, end) in ends {
        let run = stand.start(prompt);
        stand.detail(&run);
        stand.cancel(&run);
        let seen = stand.listen(&run, "").read_to_end();
        let text = seen.text();
        assert!(text.contains(": connected\n\n"), "{text}");
        assert!(text.contains(&format!("event: {end}\ndata: {{")), "{text}");
        assert!(text.contains("\nevent: end\n") || text.contains("event: end\ndata"), "{text}");
        let behind = stand.listen(&run, "1").read_to_end();
        assert!(!behind.text().contains("id: 1\n") && behind.text().contains("id: 2\n"));
        let bad = Got::of(&stand.listen(&run, "x").reply());
        assert_eq!(bad.refusal(), (400, "invalid_run_event_cursor"));
    }
}
