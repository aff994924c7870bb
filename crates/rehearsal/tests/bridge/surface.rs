//! What the HTTP side takes and what it refuses: framing, hosts, methods, slow and many clients, JSON of the wrong shape.

use crate::stand::{CHAT, Got, ORIGIN, Running, Stand, body, case};
use rehearsal_journal::bridge::Action;
use rehearsal_testkit::{End, RawClient};
use serde_json::{Value, json};
use std::time::{Duration, Instant};

/// Sends bytes, the address in the place of `HOST`; gives all statuses that came back and how the connection ended.
fn statuses(running: &Running, bytes: &str, patience: Duration) -> (Vec<u16>, End) {
    let mut client = running.client();
    drop(client.try_send(bytes.replace("HOST", &running.address.to_string()).as_bytes()));
    let seen = client.read_for(patience);
    let text = seen.text();
    let statuses = text.split("HTTP/1.1 ").skip(1).filter_map(|part| part.get(..3)?.parse().ok()).collect();
    (statuses, seen.end)
}

const PATIENCE: Duration = Duration::from_secs(20);

#[test]
fn a_body_never_becomes_a_request_of_its_own() {
    let stand = Stand::cases("smuggled", 1);
    let running = stand.start();
    let hidden = "GET /v1/models HTTP/1.1\r\nHost: HOST\r\n\r\n";
    let padding = "x".repeat(1 << 20);
    let post = format!("POST {CHAT} HTTP/1.1\r\nHost: HOST\r\n");
    let length = hidden.len();
    for (name, request, first) in [
        ("too large", format!("{post}Content-Length: {}\r\n\r\n{hidden}{padding}", (1 << 20) + length), 413),
        (
            "chunks that are too large",
            format!(
                "{post}Transfer-Encoding: chunked\r\n\r\n{:x}\r\n{hidden}{padding}\r\n0\r\n\r\n",
                padding.len() + length
            ),
            413,
        ),
        (
            "both lengths",
            format!("{post}Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n{hidden}"),
            400,
        ),
        ("two lengths", format!("{post}Content-Length: 0\r\nContent-Length: {length}\r\n\r\n{hidden}"), 400),
        ("a length below nothing", format!("{post}Content-Length: -1\r\n\r\n{hidden}"), 400),
        ("a length that is no number", format!("{post}Content-Length: abc\r\n\r\n{hidden}"), 400),
        ("chunks without a size", format!("{post}Transfer-Encoding: chunked\r\n\r\n{hidden}"), 400),
    ] {
        let (got, end) = statuses(&running, &request, PATIENCE);
        assert_eq!(got, [first], "{name}");
        assert_ne!(end, End::Open, "{name}");
        assert_eq!(stand.upstream.count(), 0, "{name}");
    }
    // A body where none is expected is read as one.
    for (method, status) in [("GET", 200), ("OPTIONS", 204)] {
        let request = format!(
            "{method} /health HTTP/1.1\r\nHost: HOST\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{hidden}"
        );
        assert_eq!(statuses(&running, &request, PATIENCE).0, [status], "{method}");
        assert_eq!(stand.upstream.count(), 0);
    }
}

#[test]
fn a_body_in_chunks_is_a_body() {
    let stand = Stand::cases("chunked", 1);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    let right = body(0, false).to_string();
    let (one, two) = right.as_bytes().split_at(100);
    let chunk = |part: &[u8]| [format!("{:x}\r\n", part.len()).as_bytes(), part, b"\r\n"].concat();
    let head = format!(
        "POST {CHAT} HTTP/1.1\r\nHost: {}\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n",
        running.address
    );
    let got = running.raw([head.as_bytes(), &chunk(one), &chunk(two), b"0\r\n\r\n"].concat());
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(stand.file(&stand.forwarded(&case(0)), "request").unwrap(), right.as_bytes());
}

/// 200 half requests wait for their time limit; whoever is whole is served meanwhile, and no thread is held for them.
#[test]
fn half_requests_end_by_their_time_and_hold_up_nobody() {
    let stand = Stand::cases("half", 1);
    let running = stand.start();
    let threads = || -> u32 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", running.id())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("Threads:")).unwrap();
        line.trim().parse().unwrap()
    };
    let before = threads();
    let half = format!("POST {CHAT} HTTP/1.1\r\nHost: {}\r\nContent-Length: 100\r\n\r\n{{", running.address);
    let began = Instant::now();
    let mut clients: Vec<RawClient> = (0..200).map(|_| running.client()).collect();
    for client in &mut clients {
        client.send(&half);
    }
    assert_eq!(running.get("/health").status, 200);
    assert!(threads() <= before + 8, "{before} threads became {}", threads());
    for client in &mut clients {
        let got = Got::of(&client.read_to_end());
        assert!(matches!(got.status, 400 | 408), "{got:?}");
    }
    assert!(began.elapsed() < Duration::from_secs(15));
    assert_eq!(stand.upstream.count(), 0);
}

#[test]
fn many_clients_at_once_are_all_served_and_none_waits_for_a_packet() {
    let stand = Stand::cases("burst", 1);
    let running = stand.start();
    let mut clients: Vec<RawClient> = (0..200).map(|_| running.client()).collect();
    let health = running.bytes("GET", "/health", &[], "");
    for client in &mut clients {
        client.send(&health);
    }
    for client in &mut clients {
        assert_eq!(Got::of(&client.read_to_end()).status, 200);
    }
    // Each takes 40 ms where two small packets wait for an acknowledgement.
    let mut client = running.client();
    let kept = health.replace("Connection: close\r\n", "");
    let times = (0..30).map(|_| {
        let began = Instant::now();
        assert_eq!(client.send(&kept).reply().status(), 200);
        began.elapsed()
    });
    let fastest = times.min().unwrap();
    assert!(fastest < Duration::from_millis(20), "{fastest:?}");
}

#[test]
fn another_host_or_origin_is_refused_everywhere() {
    let stand = Stand::cases("hosts", 1);
    let running = stand.start();
    let port = running.address.port();
    for target in ["/v1/models", "/health", "/_control/status"] {
        for host in ["evil.example", "evil.example:80", "127.0.0.1.evil.example", "10.0.0.1"] {
            let request = format!(
                "GET {target} HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\nX-Rehearsal-Control: {}\r\n\r\n",
                running.token
            );
            assert_eq!(running.raw(request).refusal(), (403, "host_not_allowed".to_owned()), "{host}");
        }
        for origin in ["http://evil.example", "null", "http://127.0.0.1:37416/", "HTTP://127.0.0.1:37416"] {
            let got = running.ask(
                "GET",
                target,
                &[("Origin", origin), ("X-Rehearsal-Control", &running.token)],
                "",
            );
            assert_eq!(got.refusal(), (403, "origin_not_allowed".to_owned()), "{target} {origin}");
            assert!(!got.head.contains("access-control-allow-origin"), "{got:?}");
        }
    }
    for host in ["localhost".to_owned(), format!("localhost:{port}"), format!("127.0.0.1:{port}")] {
        let request = format!("GET /health HTTP/1.1\r\nHost: {host}\r\nConnection: close\r\n\r\n");
        assert_eq!(running.raw(request).status, 200, "{host}");
    }
    let got = running.ask("GET", "/health", &[("Origin", ORIGIN)], "");
    assert!(got.head.contains(&format!("access-control-allow-origin: {ORIGIN}")), "{got:?}");
    assert_eq!(stand.upstream.count(), 0);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn json_of_any_wrong_shape_gets_an_answer_and_a_line() {
    let stand = Stand::cases("shapes", 1);
    let running = stand.start();
    assert_eq!(running.arm(&case(0)).status, 200);
    let right = body(0, false);
    let with = |key: &str, value: Value| {
        let mut body = right.clone();
        body[key] = value;
        body.to_string()
    };
    let deep = format!("{}{}", "[".repeat(5000), "]".repeat(5000));
    let user = |content: Value| {
        with(
            "messages",
            json!([{"role": "system", "content": crate::stand::SYSTEM}, {"role": "user", "content": content}]),
        )
    };
    let bodies = [
        String::new(),
        "{".to_owned(),
        "[]".to_owned(),
        "null".to_owned(),
        "5".to_owned(),
        deep.clone(),
        with("messages", Value::Null),
        with("messages", json!(5)),
        with("messages", json!([1, "x", null, []])),
        with("messages", json!({"role": "user"})),
        with("model", json!(["public-alias-1"])),
        with("model", Value::Null),
        with("tools", json!([1])),
        with("tools", json!("x")),
        with("functions", json!([{}])),
        user(Value::Null),
        user(json!(5)),
        user(json!([{"type": "text"}])),
        user(json!([5])),
        user(json!({"text": "x"})),
        right.to_string().replacen('{', &format!("{{\"x\":{deep},"), 1),
        right.to_string().replacen('{', "{\"model\":\"other\",", 1),
        right.to_string().replacen('{', "{\"mod\\u0065l\":\"other\",", 1),
        right.to_string().replacen("\"content\":", "\"content\":\"other\",\"content\":", 1),
    ];
    for body in &bodies {
        let got = running.ask("POST", CHAT, &[], body);
        assert!(matches!(got.status, 400 | 409) && !got.refusal().1.is_empty(), "{body:.100}: {got:?}");
    }
    for case_id in [json!([1]), json!({}), json!(5), Value::Null, json!("no-such")] {
        let got = running.control("POST", "/_control/arm", &json!({"caseId": case_id}).to_string());
        assert_eq!(got.refusal(), (400, "unknown_case".to_owned()));
    }
    for bad in ["", "x", "[]", "{}", "null", &deep] {
        assert_eq!(
            running.control("POST", "/_control/arm", bad).refusal(),
            (400, "invalid_case".to_owned()),
            "{bad:.20}"
        );
    }
    assert_eq!((stand.upstream.count(), running.row(0)["backendForwards"].clone()), (0, json!(0)));
    assert_eq!(running.row(0)["generationAttempts"], bodies.len());
    assert_eq!(running.post(&right).status, 200);
    let denied = stand.ends().iter().filter(|done| done.action == Action::Denied).count();
    assert_eq!(denied, bodies.len() + 5 + 6);
}

#[test]
fn a_system_prompt_that_cannot_be_read_is_said_and_costs_nothing() {
    let stand = Stand::cases("no-system", 1);
    let running = stand.start();
    std::fs::remove_file(stand.folder.join("system.txt")).unwrap();
    assert_eq!(running.send(0, false).refusal(), (409, "expected_system_unavailable".to_owned()));
    stand.write("system.txt", crate::stand::SYSTEM);
    assert_eq!(running.post(&body(0, false)).status, 200);
    running.is_spent(&stand, 0, 1);
}

#[test]
fn methods_that_are_not_served_are_refused_in_json_and_taken_down() {
    let stand = Stand::cases("methods", 1);
    let running = stand.start();
    for method in ["PUT", "DELETE", "PATCH", "BREW"] {
        let got = running.ask(method, "/v1/models", &[], "");
        assert_eq!(got.refusal(), (405, "method_not_allowed".to_owned()), "{method}");
        assert!(got.head.contains("allow: get, head, post, options"), "{got:?}");
    }
    let got = running.ask("HEAD", "/health", &[], "");
    assert_eq!((got.status, got.body.len()), (200, 0));
    let got = running.ask("OPTIONS", CHAT, &[("Origin", ORIGIN)], "");
    assert_eq!(got.status, 204);
    assert!(!got.head.contains("\r\ncontent-length") && !got.head.contains("\r\ncontent-type"), "{got:?}");
    for old in ["GET /health HTTP/1.1\r\nConnection: close\r\n\r\n", "GET /health\r\n\r\n"] {
        let got = running.raw(old);
        assert!(got.status != 200, "{old:?} was served: {got:?}");
    }
    stand.end(|done| done.sequence == 8);
    let methods: Vec<String> =
        stand.public().iter().take(5).map(|line| line["method"].as_str().unwrap().to_owned()).collect();
    assert_eq!(methods, ["PUT", "DELETE", "PATCH", "other", "HEAD"]);
    assert_eq!(stand.upstream.count(), 0);
}
