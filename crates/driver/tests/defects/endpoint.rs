//! D21 to D26, D36, D38 and D39: how an endpoint is asked, and what is made of what it says.

use crate::stand::*;
use rehearsal_driver::Secret;
use rehearsal_driver::endpoint::{Asker, Endpoint, Given, Manner, Policy, Received};
use rehearsal_driver::worker::task::Task;
use rehearsal_driver::worker::work::work;
use rehearsal_world::dial::{Client, DialError, Trust};
use std::io::{self, Read as _, Write as _};
use std::net::TcpListener;
use std::time::{Duration, Instant};

/// Most failures of the wire escaped as whatever they were; nothing bounded time or size.
#[test]
fn d21_every_failure_of_the_wire_has_its_class_and_time_and_size_have_bounds() {
    type Failure = fn() -> DialError;
    let failures: [(&str, usize, Failure); 15] = [
        ("connect", 3, || DialError::Unresolved(io::Error::other("x"))),
        ("connect", 3, || DialError::Refused),
        ("connect", 3, || DialError::Unreachable(io::Error::other("x"))),
        ("connect", 3, || DialError::NoneOf(Vec::new())),
        ("connect", 3, || DialError::Reset),
        ("connect", 3, || DialError::Cut),
        ("timeout_connect", 3, || DialError::ConnectTimeout(Duration::from_secs(1))),
        ("timeout_idle", 3, || DialError::Idle(Duration::from_secs(1))),
        ("timeout_total", 1, || DialError::Total(Duration::from_secs(1))),
        ("tls", 1, || DialError::Untrusted(io::Error::other("x"))),
        ("tls", 1, || DialError::WrongName),
        ("tls", 1, || DialError::Handshake(io::Error::other("x"))),
        ("protocol", 1, || DialError::TooLarge(16)),
        ("config", 1, || DialError::NotLoopback),
        ("config", 1, || DialError::BadHeader("x".to_owned())),
    ];
    for (class, asked, failure) in failures {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let done = stand.work(&[("a.py", Edit)], (0..3).map(|_| breaks(failure())).collect());
        assert_eq!((done.came(), done.asked.len()), (("failed", class), asked), "{:?}", failure());
        assert_eq!(done.report.attempts.len(), asked);
        stand.holds("a.py", "one\n");
    }
    for (bytes, dripped, class) in [
        (&b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n\r\n"[..], &b" "[..], "timeout_total"),
        (b"HTTP/1.1 200 OK\r\nx: ", b"y", "timeout_total"),
        (b"HTTP/1.1 200 OK\r\n\r\n", &[b' '; 4096], "protocol"),
    ] {
        assert_eq!(dripping(bytes, dripped), class);
    }
}

/// The class of a task whose provider begins so and then says the same again and again, without end.
fn dripping(begin: &'static [u8], again: &'static [u8]) -> &'static str {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let url = format!("http://{}/v1", listener.local_addr().unwrap());
    let served = std::thread::spawn(move || {
        let (mut socket, _) = listener.accept().unwrap();
        // Whoever speaks before it was asked speaks no HTTP.
        assert_ne!(socket.read(&mut [0; 4096]).unwrap(), 0);
        drop(socket.write_all(begin));
        socket.set_read_timeout(Some(Duration::from_millis(if again.len() > 1 { 1 } else { 20 }))).unwrap();
        let mut sink = [0; 4096];
        // Whoever leaves closes the connection, and then reading or writing tells.
        while !matches!(socket.read(&mut sink), Ok(0)) && socket.write_all(again).is_ok() {}
    });
    let stand = Stand::with(&[("a.py", "one\n")]);
    let total = if again.len() > 1 { Duration::from_secs(60) } else { Duration::from_millis(400) };
    let policy = Policy { total, transport_retries: 0, ..Policy::default() };
    let manner = Manner { policy, largest: 100_000, ..manner() };
    let started = Instant::now();
    let mut asker = Asker::new(endpoint(&url), manner, Client::new(Trust::system()));
    let report = run(work(task(&[("a.py", Edit)]), None, &stand.tree(), &stand.records(), &mut asker));
    assert!(started.elapsed() < Duration::from_secs(50), "it ends by itself");
    drop(asker);
    served.join().unwrap();
    stand.holds("a.py", "one\n");
    report.error().unwrap().class.name()
}

/// A wrong key, a wrong model or a missing variable was asked three times and called a failed validation.
#[test]
fn d22_what_no_repetition_mends_is_asked_once_and_called_by_its_name() {
    let body = |code: &str| {
        format!(r#"{{"error":{{"message":"no","type":"invalid_request_error","code":"{code}"}}}}"#)
    };
    for (status, code, class) in [
        (400, "bad", "bad_request"),
        (401, "invalid_api_key", "auth"),
        (403, "forbidden", "permission"),
        (404, "model_not_found", "not_found"),
        (400, "context_length_exceeded", "context_length"),
        (429, "insufficient_quota", "quota"),
    ] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let plays = (0..3).map(|_| received(body_of(status, &body(code)))).collect();
        let done = stand.work(&[("a.py", Edit)], plays);
        assert_eq!(
            (done.came(), done.asked.len()),
            (("failed", class), 1),
            "{status} {code}: {}",
            done.json()
        );
        assert_eq!(done.report.error().unwrap().status, Some(status));
    }
    for key in [None, Some(Secret::new("")), Some(Secret::new("  "))] {
        let error = Endpoint::read(&Given { key, ..given("https://models.example/v1") }).unwrap_err();
        assert!(error.to_string().contains("environment variable is not set or empty"), "{error}");
    }
}

/// Fences, prose, marks, thoughts, lists and calls cost three requests each; what a model refused was lost.
#[test]
fn d23_what_stands_around_an_answer_costs_no_request_and_a_refusal_keeps_its_words() {
    let good = patch(&[("a.py", "two\n")]);
    let said = |content: &str| message(content, r#""stop""#, USAGE);
    let call = format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"patch","arguments":{}}}}}]}},"finish_reason":"tool_calls"}}]}}"#,
        quoted(&good)
    );
    let marked =
        Received { body: [b"\xEF\xBB\xBF", &said(&quoted(&good)).body[..]].concat(), ..said("null") };
    let answers: [(&str, Received); 8] = [
        ("fence", said(&quoted(&format!("```json\n{good}\n```")))),
        ("prose_around", said(&quoted(&format!("Here you are:\n\n{good}\n\nHave fun!")))),
        ("byte_order_mark", said(&quoted(&format!("\u{feff}{good}")))),
        ("think_block", said(&quoted(&format!("<think>Hm.</think>\n{good}")))),
        ("content_parts", said(&format!(r#"[{{"type":"text","text":{}}}]"#, quoted(&good)))),
        ("tool_call", body_of(200, &call)),
        ("byte_order_mark", marked),
        ("no_finish", message(&quoted(&good), "null", USAGE)),
    ];
    for (leniency, answer) in answers {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let done = stand.work(&[("a.py", Edit)], vec![received(answer)]);
        assert!(done.is_applied(), "{leniency}: {}", done.json());
        assert_eq!(done.asked.len(), 1, "{leniency}");
        assert!(done.report.leniencies.iter().any(|known| known == leniency), "{leniency}: {}", done.json());
        stand.holds("a.py", "two\n");
    }
    let stand = Stand::with(&[("a.py", "one\n")]);
    let refusal = r#"{"choices":[{"message":{"role":"assistant","content":null,"refusal":"I will not do that."},"finish_reason":"stop"}]}"#;
    let done = stand.work(&[("a.py", Edit)], vec![received(body_of(200, refusal))]);
    assert_eq!((done.came(), done.asked.len()), (("refused", "refusal"), 1));
    assert_eq!(done.report.error().unwrap().text.as_deref(), Some("I will not do that."));
    stand.holds("a.py", "one\n");
}

/// A content of null raised what nobody caught.
#[test]
fn d24_an_answer_without_words_is_a_failure_of_its_own() {
    for (content, class) in [
        ("null", "empty_content"),
        (r#""""#, "empty_content"),
        (r#""  \n""#, "empty_content"),
        ("[]", "empty_content"),
        ("7", "protocol"),
        ("{}", "protocol"),
        ("true", "protocol"),
    ] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let done = stand.work(&[("a.py", Edit)], vec![received(message(content, r#""stop""#, USAGE))]);
        assert_eq!(done.came(), ("failed", class), "{content}: {}", done.json());
    }
    for body in [
        "{}",
        "[]",
        "null",
        "1",
        r#"{"choices":[]}"#,
        r#"{"choices":[null]}"#,
        r#"{"choices":[{}]}"#,
        r#"{"choices":[{"message":null}]}"#,
    ] {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let done = stand.work(&[("a.py", Edit)], vec![received(body_of(200, body))]);
        assert_eq!(done.came().0, "failed", "{body}: {}", done.json());
        assert!(["protocol", "empty_content"].contains(&done.came().1), "{body}: {}", done.json());
    }
}

/// The model was shown an answer that it never gave, and not where its own was wrong.
#[test]
fn d25_the_model_sees_its_own_bad_answer_and_where_it_is_wrong() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let bad = r#"{"files":[{"path":"a.py","contents":7}],"summary":"s","done":true}"#;
    let long = format!("word {}", "é".repeat(40_000));
    let done = stand.work(&[("a.py", Edit)], vec![says(bad), says(&long), says("a.py\n```\ntwo\n```\n")]);
    assert!(done.is_applied(), "{}", done.json());
    let second = &done.asked[1].body;
    assert!(second.contains(&format!(r#"{{"role":"assistant","content":{}}}"#, quoted(bad))), "{second}");
    assert!(second.contains("at /files/0/contents: "), "{second}");
    let third = &done.asked[2].body;
    assert!(third.contains(quoted(bad).trim_matches('"')), "all that was said stays");
    assert!(third.len() < done.asked[0].body.len() + 3 * (16 << 10), "{} bytes", third.len());
}

/// A whole file could not come back: the limit for answers was half of that for files, and a repair counted as a file.
#[test]
fn d26_a_file_that_may_be_shown_may_come_back_whole_even_after_a_repair() {
    let line = "x = '\"\u{e9}\\'\n";
    let old = line.repeat(900_000 / line.len());
    let stand = Stand::with(&[("a.py", &old)]);
    let new = format!("{old}y = 2\n");
    let said = |text: &str| {
        let usage = r#"{"prompt_tokens":1000000,"completion_tokens":1000000}"#;
        received(message(&quoted(text), r#""stop""#, usage))
    };
    let done = stand.work(&[("a.py", Edit)], vec![said("Sure."), said(&patch(&[("a.py", &new)]))]);
    assert!(done.is_applied(), "{}", done.json());
    stand.holds("a.py", &new);
}

/// The usual model did not know the schema that every request demanded.
#[test]
fn d36_an_endpoint_that_refuses_the_schema_is_asked_without_it() {
    let refused = |what: &str| {
        received(body_of(
            400,
            &format!(
                r#"{{"error":{{"message":"Invalid parameter: {what} is not supported with this model.","type":"invalid_request_error","param":"response_format"}}}}"#
            ),
        ))
    };
    let stand = Stand::with(&[("a.py", "one\n")]);
    let plays = vec![
        refused("'response_format' of type 'json_schema'"),
        refused("'response_format' of type 'json_object'"),
        says(&patch(&[("a.py", "two\n")])),
    ];
    let done = stand.work(&[("a.py", Edit)], plays);
    assert!(done.is_applied(), "{}", done.json());
    let kinds: Vec<bool> = done.asked.iter().map(|asked| asked.body.contains("response_format")).collect();
    assert_eq!((kinds, done.report.repairs), (vec![true, true, false], 0), "{}", done.json());
    assert_eq!(done.report.steps, ["dropped_schema", "dropped_json_object"], "{}", done.json());
    // The text tells the model all that the schema would.
    assert!(done.asked[2].body.contains("additionalProperties"));
}

/// Every request fixed a temperature of 0, which newer models refuse, and called that the same answer each time.
#[test]
fn d38_no_temperature_is_sent_and_a_limit_that_is_refused_gets_its_other_name() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let refused = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","type":"invalid_request_error","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let task = Task { limit: Some(5000), ..task(&[("a.py", Edit)]) };
    let plays = vec![received(body_of(400, refused)), says(&patch(&[("a.py", "two\n")]))];
    let done = stand.work_as(task, manner(), plays);
    assert!(done.is_applied(), "{}", done.json());
    for asked in &done.asked {
        assert!(!asked.body.contains("temperature") && !asked.body.contains("\"seed\""), "{}", asked.body);
    }
    assert!(done.asked[0].body.contains(r#""max_tokens":5000"#), "{}", done.asked[0].body);
    let second = &done.asked[1].body;
    assert!(
        second.contains(r#""max_completion_tokens":5000"#) && !second.contains(r#""max_tokens""#),
        "{second}"
    );
}

/// A slash at the end of the base URL made two.
#[test]
fn d39_a_base_url_is_read_by_its_parts() {
    for base in [
        "https://models.example/v1",
        "https://models.example/v1/",
        "https://models.example/v1//",
        "https://models.example:443/v1",
        "https://models.example/v1/chat/completions",
    ] {
        assert_eq!(endpoint(base).url(), "https://models.example/v1/chat/completions", "{base}");
    }
    assert_eq!(endpoint("https://models.example").url(), "https://models.example/chat/completions");
    for base in ["https://models.example/v1?x=1", "https://models.example/v1#x"] {
        assert!(Endpoint::read(&given(base)).is_err(), "{base}");
    }
}
