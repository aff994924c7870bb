//! Clients that break HTTP, send too much, or have no token. Rows 8 to 14, 21 to 23 of the known defects.

use crate::stand::{Got, Stand, command, fresh, start_body};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

#[test]
fn a_client_that_never_reads_stalls_nobody() {
    let stand = Stand::new("never-reads");
    let mut silent = stand.connect();
    let many = b"GET /v2/quota HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".repeat(2000);
    // Until its own sending stalls, or for long enough.
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for _ in 0..20 {
                if silent.try_send(&many).is_err() {
                    return;
                }
            }
        });
        for _ in 0..10 {
            assert_eq!(stand.get("/v2/quota").status, 200);
        }
        let run = stand.start("work");
        assert_eq!(stand.detail(&run)["summary"]["state"], "succeeded");
    });
}

#[test]
fn a_large_body_is_refused_and_a_strangers_is_not_kept() {
    let stand = Stand::new("large");
    let head = stand.head("Content-Length: 67108864\r\n\r\n");
    let got = Got::of(&stand.connect().send(format!("POST /v2/runs HTTP/1.1\r\n{head}")).reply());
    assert_eq!(got.refusal(), (413, "body_too_large"));
    let stranger = "POST /v2/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 67108864\r\n\r\n";
    let got = Got::of(&stand.connect().send(stranger).reply());
    assert_eq!(got.refusal(), (401, "unauthorized"));
    let body = format!("{{\"x\": \"{}\"}}", "x".repeat(1 << 20));
    let stranger =
        format!("POST /v2/runs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {}\r\n\r\n{body}", body.len());
    assert_eq!(Got::of(&stand.connect().send(stranger).reply()).status, 401);
    assert!(fs::metadata(stand.folder.join("wire.jsonl")).unwrap().len() < 4096);
    let data = fs::read_dir(stand.folder.join("data/daemon")).unwrap().next().unwrap().unwrap().path();
    assert!(fs::read_dir(data).unwrap().all(|file| file.unwrap().metadata().unwrap().len() < 16384));
}

#[test]
fn bad_json_is_refused_and_its_key_stays_free() {
    let stand = Stand::new("bad-json");
    let key = fresh();
    let header = format!("Idempotency-Key: {key}\r\n");
    for (body, code) in [
        (&b"{\"prompt\": "[..], "invalid_json"),
        (b"[]", "invalid_request"),
        (b"null", "invalid_request"),
        (b"\"text\"", "invalid_request"),
        (b"7", "invalid_request"),
        (b"{\"prompt\": \"\xff\"}", "invalid_encoding"),
        (&b"[".repeat(100_000), "invalid_json"),
    ] {
        let got = stand.raw("POST", "/v2/runs", &header, body);
        assert_eq!(got.refusal(), (400, code));
    }
    assert_eq!(stand.start_with(&key, "work", &json!({})).status, 200);
}

#[test]
fn bodies_end_where_http_says_whatever_the_method() {
    let stand = Stand::new("framing");
    let body = start_body("chunks", &json!({})).to_string();
    let head = stand.head(&format!("Idempotency-Key: {}\r\nTransfer-Encoding: chunked\r\n\r\n", fresh()));
    let mut client = stand.connect();
    client.send(format!("POST /v2/runs HTTP/1.1\r\n{head}{:x}\r\n{body}\r\n0\r\n\r\n", body.len()));
    assert_eq!(client.reply().status(), 200);
    let inner = "GET /v2/quota HTTP/1.1\r\nX: ";
    for method in ["DELETE", "GET"] {
        let head = stand.head(&format!("Content-Length: {}\r\n\r\n", inner.len()));
        client.send(format!("{method} /v2/projects/none HTTP/1.1\r\n{head}{inner}"));
        assert_eq!(client.reply().status(), 404);
    }
    client.send(format!("GET /v2/operations HTTP/1.1\r\n{}", stand.head("\r\n")));
    assert!(client.reply().text().contains("run.message"));
}

#[test]
fn a_bad_content_length_is_refused_at_once() {
    let stand = Stand::new("content-length");
    for length in ["abc", "-1", "99999999999999999999999"] {
        let head = stand.head(&format!("Content-Length: {length}\r\n\r\n"));
        let got = Got::of(&stand.connect().send(format!("POST /v2/runs HTTP/1.1\r\n{head}{{}}")).reply());
        assert!(matches!(got.status, 400 | 413), "{length}: {got:?}");
        assert!(!got.body["code"].as_str().unwrap().is_empty());
    }
    let head = stand.head("Content-Length: 50\r\n\r\n");
    let seen =
        stand.connect().send(format!("POST /v2/runs HTTP/1.1\r\n{head}{{}}")).half_close().read_to_end();
    assert_eq!(Got::of(&seen).status, 400);
}

#[test]
fn another_major_is_426_and_so_is_none() {
    let stand = Stand::new("major");
    let asked = |major: &str, path: &str, body: &Value| {
        let head = format!("Host: 127.0.0.1\r\nAuthorization: Bearer {}\r\n{major}", stand.token);
        let (method, body) = if body.is_null() { ("GET", String::new()) } else { ("POST", body.to_string()) };
        let request =
            format!("{method} {path} HTTP/1.1\r\n{head}Content-Length: {}\r\n\r\n{body}", body.len());
        Got::of(&stand.connect().send(request).reply())
    };
    let wrong = (426, "incompatible_protocol_major");
    let three = "X-Claudexor-Protocol-Major: 3\r\n";
    assert_eq!(asked(three, "/v2/handshake", &json!({"protocolMajor": 99})).refusal(), wrong);
    assert_eq!(asked("", "/v2/handshake", &json!({"protocolMajor": 3})).status, 200);
    assert_eq!(asked("X-Claudexor-Protocol-Major: 4\r\n", "/v2/quota", &Value::Null).refusal(), wrong);
    let got = asked("", "/v2/quota", &Value::Null);
    assert_eq!(got.refusal(), (426, "handshake_required"));
    assert_eq!(got.body["requiredActions"][0]["kind"], "handshake");
    assert!(got.head.contains("content-type: application/problem+json"));
}

#[test]
fn another_host_or_origin_is_refused() {
    let stand = Stand::new("host");
    for (host, origin) in [("evil.example", ""), ("127.0.0.1", "Origin: http://evil.example\r\n")] {
        let head = format!(
            "Host: {host}\r\n{origin}Authorization: Bearer {}\r\nX-Claudexor-Protocol-Major: 3\r\n\r\n",
            stand.token
        );
        let got = Got::of(&stand.connect().send(format!("GET /v2/quota HTTP/1.1\r\n{head}")).reply());
        assert_eq!(got.refusal(), (403, "host_not_allowed"));
    }
}

#[test]
fn eighty_starts_at_once_are_all_served() {
    let stand = Stand::new("burst");
    let mut clients: Vec<_> = (0..80).map(|_| stand.connect()).collect();
    for client in &mut clients {
        let body = start_body("burst", &json!({})).to_string();
        let head =
            stand.head(&format!("Idempotency-Key: {}\r\nContent-Length: {}\r\n\r\n", fresh(), body.len()));
        client.send(format!("POST /v2/runs HTTP/1.1\r\n{head}{body}"));
    }
    assert!(clients.iter_mut().all(|client| client.reply().status() == 200));
    assert_eq!(stand.run_dirs().len(), 80);
}

#[test]
fn token_and_descriptor_are_private_and_name_absolute_paths() {
    let mut stand = Stand::new("descriptor");
    for name in ["token", "control-api.json"] {
        let mode = fs::metadata(stand.folder.join("cfg/daemon").join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let digits = stand.token.strip_prefix("fake-daemon-token-").unwrap();
    assert!(digits.len() == 32 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
    // A second daemon does not take the place of the first.
    let second = command(&stand.folder, &[]).output().unwrap();
    assert_eq!(second.status.code(), Some(3));
    assert!(rehearsal_testkit::said(&second).contains("in use by another process"));
    assert_eq!(stand.get("/v2/quota").status, 200);
    stand.kill();
    let again = Stand::in_folder(stand.folder.clone(), &[]);
    assert_ne!(again.token, stand.token);
    assert_eq!(again.get("/v2/quota").status, 200);
}

#[test]
fn a_daemon_of_the_same_seed_after_a_kill_starts_runs_beside_the_old_ones() {
    let mut stand = Stand::with("same-seed", &["--seed", "7"]);
    let first = stand.start_with("one", "[FAKE:HANG]", &json!({}));
    stand.kill();
    let again = Stand::in_folder(stand.folder.clone(), &["--seed", "7"]);
    let old = first.body["runId"].as_str().unwrap();
    assert_eq!(again.get(&format!("/v2/runs/{old}")).refusal(), (404, "run_not_found"));
    // The receipt went with the process: that is another run, in a folder of its own.
    let second = again.start_with("one", "[FAKE:HANG]", &json!({}));
    assert_eq!((first.status, second.status), (200, 200), "{second:?}");
    assert_ne!(first.body, second.body);
    assert_eq!(again.run_dirs().len(), 2);
}

#[test]
fn a_daemon_that_is_asked_to_end_waits_for_nobody_who_listens() {
    let mut stand = Stand::new("end-with-listeners");
    let run = stand.start("[FAKE:HANG]");
    let mut clients: Vec<_> = (0..5).map(|_| stand.listen(&run, "")).collect();
    let message =
        json!({"message": {"messageId": "m", "role": "ROLE_USER", "parts": [{"text": "[FAKE:HANG]"}]}});
    let body = message.to_string();
    for path in ["message:stream", "message:send"] {
        let json =
            format!("A2A-Version: 1.0\r\nContent-Type: application/json\r\nContent-Length: {}", body.len());
        let mut client = stand.connect();
        client.send(format!("POST /a2a/{path} HTTP/1.1\r\n{}{body}", stand.head(&format!("{json}\r\n\r\n"))));
        clients.push(client);
    }
    for client in &mut clients {
        assert!(client.read_at_least(15).starts_with(b"HTTP/1.1 200 OK"));
    }
    let clock = std::time::Instant::now();
    stand.stop();
    // Less than whoever is still being answered gets.
    assert!(clock.elapsed().as_secs() < 5, "{:?}", clock.elapsed());
    for mut client in clients {
        assert_ne!(client.read_to_end().end, rehearsal_testkit::End::Open);
    }
}

#[test]
fn a_token_in_the_wrong_place_is_in_no_file() {
    let mut stand = Stand::new("misplaced-token");
    let token = stand.token.clone();
    let run = stand.start_with(&token, "[FAKE:HANG]", &json!({})).body["runId"].as_str().unwrap().to_owned();
    assert_eq!(stand.message(&run, &format!("{token}-1"), &token).status, 200);
    assert_eq!(stand.get(&format!("/v2/runs/{token}?x={token}")).status, 404);
    let extra = format!("X-Other: {token}\r\nIdempotency-Key: {token}\r\n");
    assert_eq!(stand.raw("GET", "/v2/quota", &extra, b"").status, 200);
    assert_eq!(stand.raw(&token, "/v2/quota", "", b"").status, 404);
    let message = json!({"message": {"messageId": token, "role": "ROLE_USER", "parts": [{"text": token}]}});
    let headers = "A2A-Version: 1.0\r\nContent-Type: application/json\r\n";
    assert_eq!(stand.raw("POST", "/a2a/message:send", headers, message.to_string().as_bytes()).status, 200);
    stand.stop();
    let holds = |path: &std::path::Path| {
        fs::read(path).unwrap().windows(token.len()).any(|window| window == token.as_bytes())
    };
    let files = all_files(&stand.folder);
    assert!(files.iter().any(|path| path.ends_with("wire.jsonl")), "{files:?}");
    let found: Vec<_> = files.iter().filter(|path| !path.ends_with("daemon/token") && holds(path)).collect();
    assert!(found.is_empty(), "{found:?}");
}

/// All files below a folder.
fn all_files(folder: &std::path::Path) -> Vec<std::path::PathBuf> {
    let inside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    inside.flat_map(|path| if path.is_dir() { all_files(&path) } else { vec![path] }).collect()
}
