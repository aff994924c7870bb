//! Everything around a conversation: routes, methods, hosts, targets, framing, keys.

use crate::request::{Answer, chat, post, request};
use crate::stand::{CHAT, Served, Stand};
use rehearsal_journal::event::Kind;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

fn get(stand: &Stand, path: &str) -> Answer {
    stand.send(&request("GET", path, &[], b""))
}

fn head(stand: &Stand, method: &str, path: &str) -> Answer {
    let mut client = stand.client();
    client.send(request(method, path, &[("Connection", Some("close"))], b""));
    Answer::read(&client.read_to_end())
}

#[test]
fn models_are_listed_and_shown_one_by_one() {
    let stand = Served::nothing().start();
    let list = get(&stand, "/v1/models").json();
    assert_eq!(list["object"], "list");
    let models = list["data"].as_array().unwrap();
    assert!(models.iter().any(|model| model["id"] == "gpt-4o-mini"), "{list}");
    for model in models {
        assert_eq!(model["object"], "model");
        assert!(model["created"].is_u64() && model["owned_by"].is_string(), "{model}");
        let one = get(&stand, &format!("/v1/models/{}", model["id"].as_str().unwrap()));
        assert_eq!(one.json(), *model);
    }
}

#[test]
fn head_is_get_without_the_body() {
    let stand = Served::nothing().start();
    for path in ["/v1/models", "/v1/models/gpt-4o", "/gate/health", "/gate/stats"] {
        let (whole, bare) = (get(&stand, path), head(&stand, "HEAD", path));
        assert_eq!((bare.status, bare.body.len()), (200, 0), "{path}");
        assert_eq!(bare.header("content-length"), Some(whole.body.len().to_string().as_str()), "{path}");
        assert_eq!(bare.header("content-type"), whole.header("content-type"), "{path}");
    }
}

#[test]
fn a_method_that_a_route_does_not_take_is_refused_with_those_that_it_takes() {
    for profile in Profile::ALL {
        let stand = Served::nothing().under(profile).start();
        for path in [CHAT, "/v1/models", "/v1/models/gpt-4o", "/gate/health", "/gate/stats"] {
            for method in ["GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "FOO"] {
                let answer = head(&stand, method, path);
                if answer.status != 405 {
                    assert!(
                        matches!(answer.status, 200 | 400 | 401 | 404),
                        "{method} {path}: {}",
                        answer.status
                    );
                    continue;
                }
                let allowed = answer.header("allow").unwrap();
                if method != "HEAD" {
                    assert_eq!(answer.code(), "method_not_supported", "{method} {path}");
                }
                for other in allowed.split(", ") {
                    let status = head(&stand, other, path).status;
                    assert!(
                        !matches!(status, 404 | 405),
                        "{method} {path} names {other}, which gets {status} under {}",
                        profile.name()
                    );
                }
            }
        }
    }
}

#[test]
fn only_hosts_of_this_machine_are_served() {
    let stand = Served::nothing().start();
    let with_host = |host: &str| stand.send(&request("GET", "/gate/health", &[("Host", Some(host))], b""));
    for own in ["127.0.0.1", "127.0.0.1:8000", "localhost", "LOCALHOST:1", "[::1]", "[::1]:80", "127.8.9.10"]
    {
        assert_eq!(with_host(own).status, 200, "{own}");
    }
    for foreign in [
        "example.com",
        "127.0.0.1.example.com",
        "localhost.example.com",
        "10.0.0.1:80",
        "[2001:db8::1]",
        "0.0.0.0",
        "evil:80",
    ] {
        let answer = with_host(foreign);
        assert_eq!((answer.status, answer.code()), (403, json!("host_not_allowed")), "{foreign}");
    }
    assert_eq!(
        stand.send(&request("GET", "/gate/health", &[("Host", None)], b"")).status,
        400,
        "HTTP/1.1 names a host"
    );
    let chat = request(
        "POST",
        CHAT,
        &[("Host", Some("example.com")), ("Content-Type", Some("application/json"))],
        b"{}",
    );
    assert_eq!(stand.send(&chat).status, 403, "what a page in a browser sends is not even read");
    assert_eq!(get(&stand, "/gate/stats").json()["chat_hits"], 0);
}

#[test]
fn a_target_is_read_in_every_form_and_compared_exactly() {
    let stand = Served::nothing().start();
    let body = chat("hi", json!({})).to_string();
    for path in [
        CHAT,
        "/v1/chat/completions?api-version=1",
        "//v1/chat/completions",
        "http://127.0.0.1/v1/chat/completions",
    ] {
        assert_eq!(stand.post(path, &body).status, 200, "{path}");
    }
    for path in [
        "/v1/chat/completions/",
        "/V1/chat/completions",
        "/v1/v1/chat/completions",
        "/v1/chat%2Fcompletions",
        "/v1/chat/completionsé",
        "/é",
        "/",
    ] {
        let answer = stand.post(path, &body);
        assert_eq!((answer.status, answer.code()), (404, json!("unknown_route")), "{path}");
    }
    let kinds: Vec<_> = stand.asked().iter().skip(4).map(|asked| asked.kind).collect();
    assert_eq!(kinds, [Kind::WrongPath; 7]);
}

#[test]
fn the_body_arrives_however_it_is_framed() {
    let stand = Served::nothing().start();
    let body = chat("hi", json!({})).to_string();
    let json = ("Content-Type", Some("application/json"));
    let (one, two) = body.split_at(20);
    let chunks = format!("{:x}\r\n{one}\r\n{:X};note=1\r\n{two}\r\n0\r\n\r\n", one.len(), two.len());
    let whole = stand.send(&post(CHAT, &body));
    let chunked = stand.send(&request(
        "POST",
        CHAT,
        &[json, ("Transfer-Encoding", Some("chunked"))],
        chunks.as_bytes(),
    ));
    assert_eq!(chunked, whole);
    let old = format!(
        "POST {CHAT} HTTP/1.0\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
        body.len()
    );
    assert_eq!(stand.send(old.as_bytes()).json(), whole.json(), "HTTP/1.0 names no host");
    let gzip = stand.send(&request("POST", CHAT, &[json, ("Content-Encoding", Some("gzip"))], b"\x1f\x8b"));
    assert_eq!((gzip.status, gzip.code()), (415, json!("unsupported_content_encoding")));
    let patient = request(
        "POST",
        CHAT,
        &[json, ("Expect", Some("100-continue")), ("Content-Length", Some(&body.len().to_string()))],
        b"",
    );
    let mut client = stand.client();
    client.send(patient);
    assert!(client.read_at_least(25).starts_with(b"HTTP/1.1 100 Continue\r\n\r\n"));
}

#[test]
fn requests_in_one_write_are_answered_in_order() {
    let stand = Served::file(
        "t.yaml",
        "version: 1\nclasses: {a: {script: [{text: first}], phrasings: [{id: a, prompt: AAA}]}, b: {script: [{text: second}], phrasings: [{id: b, prompt: BBB}]}}",
    )
    .start();
    let mut client = stand.client();
    let bodies = ["AAA", "BBB", "AAA"].map(|prompt| post(CHAT, &chat(prompt, json!({})).to_string()));
    client.send(bodies.concat());
    let said = [(); 3].map(|()| Answer::read(&client.reply()).said());
    assert_eq!(said, ["first", "second", "first"]);
    assert!(stand.asked().iter().all(|asked| asked.conn == 1));
}

#[test]
fn a_body_that_comes_with_get_is_no_request() {
    let stand = Served::nothing().start();
    let inner = post(CHAT, &chat("hi", json!({})).to_string());
    let mut client = stand.client();
    client.send(request("GET", "/gate/health", &[], &inner));
    assert_eq!(Answer::read(&client.reply()).json()["ok"], true);
    client.send(request("GET", "/gate/stats", &[("Connection", Some("close"))], b""));
    let last = Answer::read(&client.read_to_end());
    assert_eq!(last.json()["chat_hits"], 0);
    assert_eq!(stand.asked().len(), 2);
}

#[test]
fn the_content_type_must_be_json_except_under_lenient() {
    let body = chat("hi", json!({})).to_string();
    for profile in Profile::ALL {
        let stand = Served::nothing().under(profile).require_key().start();
        let wrong = if profile == Profile::Lenient { 200 } else { 400 };
        for (kind, status) in [
            (Some("application/json"), 200),
            (Some("Application/JSON; charset=UTF-8"), 200),
            (Some("application/json;"), 200),
            (Some("text/plain"), wrong),
            (Some("application/jsonx"), wrong),
            (Some(""), wrong),
            (None, wrong),
        ] {
            let headers = [("Content-Type", kind), ("Authorization", Some("Bearer k"))];
            let answer = stand.send(&request("POST", CHAT, &headers, body.as_bytes()));
            assert_eq!(answer.status, status, "{kind:?} under {}", profile.name());
            if status == 400 {
                assert_eq!(answer.code(), "unsupported_content_type");
            }
        }
    }
}

#[test]
fn a_key_is_demanded_by_the_api_and_where_it_is_wanted() {
    let body = chat("hi", json!({})).to_string();
    let keyless = |served: Served, key: Option<&str>| {
        let headers = [("Content-Type", Some("application/json")), ("Authorization", key)];
        served.start().send(&request("POST", CHAT, &headers, body.as_bytes()))
    };
    for profile in Profile::ALL {
        let demanded = profile == Profile::Api;
        let answer = keyless(Served::nothing().under(profile), None);
        assert_eq!(answer.status, if demanded { 401 } else { 200 }, "{}", profile.name());
        for empty in [None, Some(""), Some("Bearer"), Some("Bearer ")] {
            let answer = keyless(Served::nothing().under(profile).require_key(), empty);
            assert_eq!(
                (answer.status, answer.json()["error"]["type"].as_str()),
                (401, Some("invalid_request_error")),
                "{empty:?}"
            );
        }
        assert_eq!(keyless(Served::nothing().under(profile).require_key(), Some("Bearer k")).status, 200);
    }
}

#[test]
fn no_secret_of_a_request_reaches_journal_or_log() {
    let stand = Served::nothing().start();
    let headers = [
        ("Content-Type", Some("application/json")),
        ("Authorization", Some("Bearer sk-hushhush")),
        ("Cookie", Some("session=sk-hushhush")),
        ("X-Auth-Token", Some("sk-hushhush")),
        ("api-key", Some("sk-hushhush")),
    ];
    let body = chat("hi", json!({})).to_string();
    for (method, path) in [
        ("POST", CHAT),
        ("POST", "/v1/chat/completions?api_key=sk-hushhush&x=1"),
        ("POST", "/v1/other?token=sk-hushhush"),
        ("GET", "/nowhere?key=sk-hushhush"),
    ] {
        let answer = stand.send(&request(method, path, &headers, body.as_bytes()));
        assert!(answer.status == 200 || answer.status == 404);
    }
    let written = stand.files();
    assert!(written.len() >= 3, "{:?}", written.keys());
    for (path, bytes) in written {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        assert!(!text.contains("hushhush"), "{path}: {text}");
    }
    assert!(stand.log()[1]["path"].as_str().unwrap().ends_with("&x=1"), "what is no secret stays");
}

#[test]
fn an_unknown_route_has_no_code_under_api_and_a_code_elsewhere() {
    for profile in Profile::ALL {
        let stand = Served::nothing().under(profile).start();
        let code = if profile == Profile::Api { Value::Null } else { json!("unknown_route") };
        for answer in [get(&stand, "/nowhere"), stand.post("/v1/completion", "{}")] {
            assert_eq!((answer.status, answer.code()), (404, code.clone()), "{}", profile.name());
        }
    }
}
