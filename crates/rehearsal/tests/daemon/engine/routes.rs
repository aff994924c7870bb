//! One row a route of the real daemon: it is served, or refused in the real daemon's form and named in the guide.

use crate::stand::{Stand, fresh};
use serde_json::json;

const GUIDE: &str = include_str!("../../../../../docs/guide/daemon.md");

/// Routes of the real daemon that are served.
const SERVED: [(&str, &str); 38] = [
    ("GET", "/healthz"),
    ("GET", "/v2/agent-capabilities"),
    ("GET", "/v2/credential-profiles"),
    ("GET", "/v2/daemon/status"),
    ("POST", "/v2/handshake"),
    ("GET", "/v2/harnesses"),
    ("GET", "/v2/harnesses/:id/models"),
    ("POST", "/v2/model-operations"),
    ("GET", "/v2/model-operations/:id"),
    ("POST", "/v2/model-operations/:id/ack"),
    ("POST", "/v2/model-operations/:id/control"),
    ("GET", "/v2/model-operations/:id/result"),
    ("GET", "/v2/model-sources"),
    ("GET", "/v2/model-sources/:id/models"),
    ("GET", "/v2/operations"),
    ("GET", "/v2/projects"),
    ("POST", "/v2/projects"),
    ("DELETE", "/v2/projects/:id"),
    ("GET", "/v2/quota"),
    ("POST", "/v2/quota"),
    ("GET", "/v2/runs"),
    ("POST", "/v2/runs"),
    ("GET", "/v2/runs/:id"),
    ("GET", "/v2/runs/:id/artifacts"),
    ("GET", "/v2/runs/:id/artifacts/<path>"),
    ("POST", "/v2/runs/:id/control"),
    ("GET", "/v2/runs/:id/events"),
    ("POST", "/v2/runs/:id/interactions/:id/answer"),
    ("POST", "/v2/runs/:id/messages"),
    ("GET", "/v2/settings"),
    ("POST", "/v2/settings"),
    ("GET", "/v2/trust"),
    ("POST", "/v2/trust"),
    ("POST", "/v2/uploads"),
    ("DELETE", "/v2/uploads/:id"),
    ("GET", "/v2/uploads/:id"),
    ("PUT", "/v2/uploads/:id/bytes"),
    ("POST", "/v2/uploads/:id/finalize"),
];

/// Those that are not: they are refused in its form, and the guide says so.
const REFUSED: [(&str, &str); 54] = [
    ("GET", "/v2/account-pools"),
    ("POST", "/v2/account-resets"),
    ("GET", "/v2/account-resets/:id"),
    ("POST", "/v2/accounts-migration/rollback"),
    ("POST", "/v2/credential-profiles"),
    ("DELETE", "/v2/credential-profiles/:harness/:profileId"),
    ("PATCH", "/v2/credential-profiles/:harness/:profileId"),
    ("GET", "/v2/filesystem/directories"),
    ("GET", "/v2/global/events"),
    ("POST", "/v2/harnesses/:id/auth-readiness"),
    ("POST", "/v2/maintenance/gc"),
    ("GET", "/v2/maintenance/harnesses"),
    ("POST", "/v2/maintenance/operations"),
    ("GET", "/v2/maintenance/operations/:id"),
    ("POST", "/v2/maintenance/operations/:id/cancel"),
    ("GET", "/v2/projects/:id/events"),
    ("GET", "/v2/projects/:id/file"),
    ("GET", "/v2/projects/:id/outputs"),
    ("GET", "/v2/projects/:id/outputs/<path>"),
    ("POST", "/v2/projects/:id/relink"),
    ("GET", "/v2/recovery/partitions/:id"),
    ("POST", "/v2/recovery/partitions/:id/export"),
    ("POST", "/v2/recovery/partitions/:id/quarantine"),
    ("POST", "/v2/recovery/partitions/:id/validate"),
    ("GET", "/v2/run-applicability"),
    ("POST", "/v2/runs/:id/apply"),
    ("POST", "/v2/runs/:id/apply/check"),
    ("POST", "/v2/runs/:id/decision"),
    ("GET", "/v2/runs/:id/produced"),
    ("GET", "/v2/runs/:id/produced/<path>"),
    ("POST", "/v2/runs/:id/retry"),
    ("GET", "/v2/runs/:id/run-again"),
    ("GET", "/v2/secrets"),
    ("POST", "/v2/secrets"),
    ("DELETE", "/v2/secrets/:id"),
    ("GET", "/v2/setup/jobs"),
    ("POST", "/v2/setup/jobs"),
    ("GET", "/v2/setup/jobs/:id"),
    ("POST", "/v2/setup/jobs/:id/cancel"),
    ("GET", "/v2/setup/jobs/:id/events"),
    ("POST", "/v2/setup/jobs/:id/extend"),
    ("POST", "/v2/setup/jobs/:id/input"),
    ("POST", "/v2/setup/jobs/:id/reconcile"),
    ("GET", "/v2/setup/jobs/:id/snapshot"),
    ("GET", "/v2/threads"),
    ("POST", "/v2/threads"),
    ("GET", "/v2/threads/:id"),
    ("PATCH", "/v2/threads/:id"),
    ("POST", "/v2/threads/:id/apply"),
    ("POST", "/v2/threads/:id/purge"),
    ("POST", "/v2/threads/:id/restore"),
    ("POST", "/v2/threads/:id/trash"),
    ("POST", "/v2/threads/:id/turns"),
    ("POST", "/v2/threads/:id/turns/:id/retry"),
];

#[test]
fn routes_that_are_served_are_found() {
    let stand = Stand::with("engine/served", &["--as-engine"]);
    let run = stand.start("[FAKE:HANG]");
    for (method, path) in SERVED {
        let path =
            path.replacen("runs/:id", &format!("runs/{run}"), 1).replace("<path>", "x").replace(":id", "x");
        let got = stand.raw(method, &path, "Last-Event-ID: x\r\n", b"");
        assert_ne!(got.refusal(), (404, "not_found"), "{method} {path}");
        assert!(![401, 426, 501].contains(&got.status), "{method} {path}: {got:?}");
    }
}

#[test]
fn routes_that_are_not_served_are_refused_in_form_and_named_in_the_guide() {
    let stand = Stand::with("engine/refused", &["--as-engine"]);
    let run = stand.start("[FAKE:HANG]");
    let told = GUIDE.split("Not served with `--as-engine`").nth(1).unwrap();
    let told = told.split("\n\n").next().unwrap();
    for (method, path) in REFUSED {
        let asked =
            path.replacen("runs/:id", &format!("runs/{run}"), 1).replace("<path>", "x").replace(":id", "x");
        let got = stand.raw(method, &asked, &format!("Idempotency-Key: {}\r\n", fresh()), b"");
        assert_eq!(got.refusal(), (404, "not_found"), "{method} {path}");
        assert!(got.head.contains("application/problem+json"), "{}", got.head);
        assert_eq!((&got.body["retryable"], &got.body["fieldErrors"]), (&json!(false), &json!([])));
        // The guide names a family by the part of its paths that all of them have.
        let part = path.trim_start_matches("/v2/").replace(":id", "ID").replace("<path>", "PATH");
        let is_told = told.split('`').skip(1).step_by(2).any(|name| {
            let name = name.trim_start_matches("GET ").trim_start_matches("/v2/");
            name.strip_suffix('…').map_or(part == name, |family| part.starts_with(family))
        });
        assert!(is_told, "{method} {part} is not in the guide");
        // Without a token nothing is said of any route.
        let text = format!("{method} {asked} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n");
        assert_eq!(stand.connect().send(text).reply().status(), 401);
    }
}

#[test]
fn runs_are_listed_page_by_page_newest_first() {
    let stand = Stand::with("engine/list", &["--as-engine", "--scripted-clock"]);
    let mut runs: Vec<String> = (0..5)
        .map(|_| {
            stand.advance("1s");
            stand.start("[FAKE:HANG]")
        })
        .collect();
    runs.reverse();
    stand.cancel(&runs[0]);
    let ids = |path: &str| -> (Vec<String>, Option<String>) {
        let body = stand.get(path).body;
        let rows = body["runs"].as_array().unwrap().iter();
        let next = body["nextCursor"].as_str().map(str::to_owned);
        (rows.map(|row| row["id"].as_str().unwrap().to_owned()).collect(), next)
    };
    assert_eq!(ids("/v2/runs"), (runs.clone(), None));
    let (first, next) = ids("/v2/runs?limit=2");
    assert_eq!(first, runs[..2]);
    // A run that is started meanwhile moves no page.
    stand.start("[FAKE:HANG]");
    let (second, next) = ids(&format!("/v2/runs?limit=2&cursor={}", next.unwrap()));
    assert_eq!(second, runs[2..4]);
    assert_eq!(ids(&format!("/v2/runs?limit=2&cursor={}", next.unwrap())), (runs[4..].to_vec(), None));
    assert_eq!(ids("/v2/runs?state=cancelled").0, runs[..1]);
    for query in ["limit=0", "limit=1001", "limit=x", "state=done", "cursor=x"] {
        assert_eq!(stand.get(&format!("/v2/runs?{query}")).refusal(), (400, "invalid_request"), "{query}");
    }
    let status = stand.get("/v2/daemon/status").body;
    assert_eq!((&status["servingMode"], &status["runs"]["running"]), (&json!("normal"), &json!(5)));
    assert_eq!(stand.get("/v2/credential-profiles").body["profiles"][0]["profileId"], "fake-profile-1");
    let operations = stand.get("/v2/operations").body["operations"].clone();
    let is_told = |path: &str| operations.as_array().unwrap().iter().any(|row| row["path"] == path);
    assert!(is_told("/v2/runs") && is_told("/v2/daemon/status") && is_told("/v2/credential-profiles"));
    let plain = Stand::new("engine/list-plain");
    assert_eq!(plain.get("/v2/runs").refusal(), (404, "not_found"));
}
