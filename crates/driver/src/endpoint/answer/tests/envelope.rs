//! Statuses, forms of bodies, errors and counts.

use super::*;

fn told_as_stream(received: &Received) -> Told {
    read_as(Dialect::Chat, received, |reading| reading.stream = true).unwrap()
}

fn protocol(received: &Received) -> &'static str {
    let failed = failed(received);
    assert_eq!((failed.class, failed.retryable), (Class::Protocol, false), "{failed}");
    failed.reason.unwrap()
}

#[test]
fn a_plain_answer_needs_no_leniency() {
    let told = told(&json_of(says("x")));
    assert_eq!(told.text.as_deref(), Some("x"));
    assert_eq!((told.leniencies, told.notes), (vec![], vec![]));
    assert_eq!(told.usage.total(), Some(13));
    assert_eq!((told.request_id.as_deref(), told.finish.as_deref()), (Some("req-1"), Some("stop")));
}

#[test]
fn q01_usage_absent_or_null_is_unknown_and_never_0() {
    for usage in ["", r#","usage":null"#, r#","usage":[]"#, r#","usage":"x""#, r#","usage":{}"#] {
        let body =
            format!(r#"{{"choices":[{{"message":{{"content":"x"}},"finish_reason":"stop"}}]{usage}}}"#);
        assert_eq!(told(&json_of(body)).usage, Tokens::default(), "{usage}");
    }
}

#[test]
fn q02_a_count_that_is_null_or_strange_is_unknown_alone() {
    for (count, strange) in [("null", false), ("-5", true), ("1.5", true), ("true", true)] {
        let body = says("x").replace("\"prompt_tokens\":10", &format!("\"prompt_tokens\":{count}"));
        let told = told(&json_of(body));
        assert_eq!((told.usage.prompt, told.usage.completion), (None, Some(3)));
        assert_eq!((told.usage.total(), !told.notes.is_empty()), (None, strange));
    }
}

#[test]
fn q03_usage_in_a_last_chunk_without_choices_counts() {
    let words = delta(r#"{"content":"x"}"#, "\"stop\"");
    let received = stream(&[&words, &format!(r#"{{"choices":[],{USAGE}}}"#), "[DONE]"]);
    let told = told_as_stream(&received);
    assert_eq!((told.usage.total(), told.leniencies), (Some(13), vec![]));
}

#[test]
fn q04_an_error_in_a_200_has_the_class_of_its_code() {
    for (error, class, retryable) in [
        (r#"{"code":429,"message":"slow"}"#, Class::RateLimited, true),
        (r#"{"code":"502","message":"slow"}"#, Class::Server, true),
        (r#"{"code":401,"message":"slow"}"#, Class::Auth, false),
        (r#"{"code":"insufficient_quota","message":"slow"}"#, Class::Quota, false),
        (r#"{"type":"overloaded_error","message":"slow"}"#, Class::Overloaded, true),
        (r#"{"message":"slow"}"#, Class::ProviderError, true),
        (r#""slow""#, Class::ProviderError, true),
    ] {
        for choices in ["", r#","choices":null"#, r#","choices":[]"#] {
            let failed = failed(&json_of(format!(r#"{{"error":{error}{choices}}}"#)));
            assert_eq!((failed.class, failed.retryable), (class, retryable), "{error}");
            assert!(failed.message.contains("slow"), "{failed}");
            assert_eq!(failed.status, Some(200));
        }
    }
    let inside = r#"{"choices":[{"message":{"content":"x"},"error":{"code":502,"message":"slow"},"finish_reason":"error"}]}"#;
    assert_eq!(failed(&json_of(inside)).class, Class::Server);
    let broken = completion(r#"{"content":"x"}"#, "\"error\"");
    assert_eq!(failed(&json_of(broken)).class, Class::ProviderError);
}

#[test]
fn q05_choices_null_names_the_keys_and_no_value() {
    for choices in ["null", "[]", "{}", "7"] {
        let body = format!(r#"{{"id":"sensitive","choices":{choices},"extra":"sensitive"}}"#);
        let failed = failed(&json_of(body));
        assert_eq!((failed.class, failed.reason), (Class::Protocol, Some("no_choices")));
        assert!(failed.message.contains("id, choices, extra"), "{failed}");
        assert!(!format!("{failed:?}").contains("sensitive"), "{failed:?}");
    }
    assert_eq!(protocol(&json_of(r#"{"choices":[{"text":"x"}]}"#)), "no_choices");
}

#[test]
fn q06_a_page_names_its_type_and_its_beginning() {
    let page = format!("<html>{KEY} sign in{}</html>", "x".repeat(5000));
    let failed = failed(&typed("text/html; charset=utf-8", page));
    assert_eq!((failed.class, failed.reason), (Class::Protocol, Some("not_json")));
    assert!(failed.message.contains("text/html") && failed.message.contains("sign in"), "{failed}");
    assert!(failed.message.len() < 500 && failed.body.as_ref().unwrap().len() <= 2048);
    assert!(!format!("{failed:?}").contains(KEY));
    assert_eq!(protocol(&typed("text/event-stream", "<html>")), "no_events");
}

#[test]
fn q07_a_whole_answer_may_end_as_a_stream_does() {
    for end in ["\n\ndata: [DONE]\n\n", "data:[DONE]", "\r\n\r\ndata: [DONE]"] {
        let told = told(&typed("text/event-stream", says("x") + end));
        assert_eq!((told.text.as_deref(), told.leniencies), (Some("x"), vec![Leniency::DoneAfterWhole]));
    }
    assert_eq!(protocol(&json_of(says("x") + "\n\ndata: {}\n\n")), "not_json");
}

#[test]
fn q08_a_stream_that_nobody_asked_for_is_put_together() {
    let words = [delta(r#"{"content":"a"}"#, "null"), delta(r#"{"content":"b"}"#, "\"stop\"")];
    let received = stream(&[&words[0], &words[1], "[DONE]"]);
    assert_eq!(told(&received).text.as_deref(), Some("ab"));
    assert_eq!(told(&received).leniencies, [Leniency::StreamAnyway]);
    // By its look, whatever its type says.
    assert_eq!(told(&json_of(&received.body)).text.as_deref(), Some("ab"));
    let commented = [b": hi\n\n".as_slice(), &received.body].concat();
    assert_eq!(told(&json_of(commented)).text.as_deref(), Some("ab"));
    // And the other way round.
    assert_eq!(told_as_stream(&json_of(says("x"))).leniencies, [Leniency::WholeAnyway]);
}

#[test]
fn q09_events_are_read_by_the_letter_of_the_standard() {
    let words = delta(r#"{"content":"a"}"#, "\"stop\"");
    let (head, tail) = words.split_at(words.find(",\"finish").unwrap());
    for body in [
        format!("data:{words}\n\ndata:[DONE]\n\n"),
        format!("data: {words}\r\n\r\ndata: [DONE]\r\n\r\n"),
        format!("data: {words}\r\rdata: [DONE]\r\r"),
        format!(": ping\n: ping\ndata: {words}\n\n:\n\ndata: [DONE]\n\n"),
        format!("data: {head}\ndata: {tail}\n\ndata: [DONE]\n\n"),
        format!("id: 1\nevent: message\nretry: 5\ndata: {words}\n\ndata: [DONE]\n\n"),
        format!("data: {words}\n\ndata: [DONE]"),
    ] {
        let told = told_as_stream(&typed("text/event-stream", &body));
        assert_eq!((told.text.as_deref(), told.leniencies), (Some("a"), vec![]), "{body:?}");
    }
}

#[test]
fn q10_an_error_within_a_stream_ends_it() {
    let words = delta(r#"{"content":"a"}"#, "null");
    for (error, class) in [
        ("data: {\"error\":{\"code\":429,\"message\":\"slow\"}}\n\n", Class::RateLimited),
        ("error: {\"code\":500,\"message\":\"slow\",\"type\":\"server_error\"}\n\n", Class::Server),
        ("error: slow\n\n", Class::ProviderError),
        ("event: error\ndata: {\"code\":503,\"message\":\"slow\"}\n\n", Class::Server),
        ("data: {\"object\":\"error\",\"message\":\"slow\",\"code\":400}\n\n", Class::BadRequest),
    ] {
        for end in ["", "data: [DONE]\n\n"] {
            let failed = failed(&typed("text/event-stream", format!("data: {words}\n\n{error}{end}")));
            assert_eq!((failed.class, failed.text.as_deref()), (class, None), "{error}");
            assert!(failed.message.contains("slow"), "{failed}");
        }
    }
}

#[test]
fn q11_a_stream_without_its_last_event_needs_a_finish_reason() {
    let whole = stream(&[&delta(r#"{"content":"a"}"#, "null"), &delta("{}", "\"stop\"")]);
    assert_eq!(told_as_stream(&whole).leniencies, [Leniency::NoLastEvent]);
    for cut in [
        stream(&[&delta(r#"{"content":"a"}"#, "null")]),
        typed("text/event-stream", format!("data: {}\n\ndata: {{\"cho", delta(r#"{"content":"a"}"#, "null"))),
    ] {
        let failed = failed(&cut);
        assert_eq!((failed.class, failed.reason), (Class::Truncated, Some("stream_ended_early")));
        assert_eq!(failed.text.as_deref(), Some("a"));
    }
}

#[test]
fn q41_a_prompt_that_was_cut_to_the_window_is_no_success() {
    let read_with = |sent, bytes_per_token| {
        read_as(Dialect::Chat, &json_of(says("x")), |reading| {
            (reading.sent, reading.bytes_per_token) = (sent, bytes_per_token);
        })
    };
    assert!(read_with(80, Some(8)).is_ok());
    let failed = read_with(8000, Some(8)).expect_err("ten tokens of 8000 bytes");
    assert_eq!((failed.class, failed.reason), (Class::ContextLength, Some("context_truncated")));
    assert_eq!((failed.retryable, failed.usage.prompt), (false, Some(10)));
    assert!(read_with(8000, None).is_ok());
    assert!(read_with(8000, Some(1000)).is_ok());
}

#[test]
fn q46_every_shape_of_an_error_gives_its_message() {
    for body in [
        r#"{"error":"slow down"}"#,
        r#"{"error":{"message":"slow down","type":"t","code":null}}"#,
        r#"{"error":[{"message":"slow down"}]}"#,
        r#"[{"error":{"code":400,"message":"slow down","status":"INVALID_ARGUMENT"}}]"#,
        r#"{"message":"slow down"}"#,
        r#"{"detail":"slow down"}"#,
        r#"{"detail":[{"loc":["body","messages"],"msg":"slow down","type":"value_error"}]}"#,
        r#"{"detail":{"message":"slow down"}}"#,
        r#"{"object":"error","message":"slow down","code":400}"#,
        r#"{"error":true,"message":"slow down"}"#,
        r#"{"error":{"message":"Provider returned error","metadata":{"raw":"slow down"}}}"#,
        "slow down",
        "<html>slow down</html>",
    ] {
        let failed = failed(&with_status(400, body));
        assert_eq!(failed.class, Class::BadRequest, "{body}");
        assert!(failed.message.contains("slow down"), "{body}: {failed}");
        assert!(failed.body.as_ref().unwrap().contains("slow down"), "{body}");
    }
    let empty = failed(&with_status(404, ""));
    assert_eq!((empty.class, empty.body.as_deref()), (Class::NotFound, None));
    assert!(empty.message.contains("empty"), "{empty}");
}

#[test]
fn q48_a_404_shows_which_url_was_asked() {
    assert!(failed(&with_status(404, "{}")).message.contains("https://h/v1/chat/completions"));
}

#[test]
fn only_200_is_an_answer() {
    for status in [201, 202, 204, 206, 299, 100, 600, 999] {
        assert_eq!(protocol(&Received { status, ..json_of(says("x")) }), "status_not_200", "{status}");
    }
    for status in [300, 304, 305] {
        assert_eq!(failed(&with_status(status, "")).class, Class::Redirect, "{status}");
    }
    for empty in ["", " \n\n", "\u{feff}"] {
        assert_eq!(protocol(&json_of(empty)), "empty_body");
    }
}

#[test]
fn a_status_keeps_type_code_param_request_id_and_body_without_the_key() {
    let body = format!(
        r#"{{"error":{{"message":"Incorrect key {KEY}","type":"invalid_request_error","param":"p","code":"invalid_api_key"}}}}"#
    );
    let failed = failed(&with_status(401, &body));
    assert_eq!((failed.class, failed.status), (Class::Auth, Some(401)));
    assert_eq!(failed.kind.as_deref(), Some("invalid_request_error"));
    assert_eq!(failed.code.as_deref(), Some("invalid_api_key"));
    assert_eq!(failed.param.as_deref(), Some("p"));
    assert_eq!(failed.request_id.as_deref(), Some("req-1"));
    assert!(failed.body.as_ref().unwrap().contains("Incorrect key (hidden)"));
    assert!(!format!("{failed:?} {failed}").contains(KEY));
}

#[test]
fn one_byte_order_mark_and_white_space_are_accepted() {
    let marked = [b"\xEF\xBB\xBF".as_slice(), says("x").as_bytes()].concat();
    assert_eq!(told(&json_of(&marked)).leniencies, [Leniency::ByteOrderMark]);
    assert_eq!(protocol(&json_of([b"\xEF\xBB\xBF".as_slice(), &marked].concat())), "not_json");
    let spaced = format!("\r\n \n\n{}\n\n", says("x"));
    assert_eq!(told(&json_of(spaced)).leniencies, []);
}

#[test]
fn what_is_no_json_by_the_letter_is_refused() {
    assert_eq!(protocol(&json_of(b"{\"choices\":\"\xE9\"}")), "not_utf8");
    for number in ["NaN", "Infinity", "-Infinity", "01"] {
        assert_eq!(protocol(&json_of(says("x").replace("10", number))), "not_json", "{number}");
    }
    assert_eq!(protocol(&json_of(says("x") + "x")), "not_json");
    assert_eq!(protocol(&json_of(says("x") + &says("y"))), "not_json");
    assert_eq!(protocol(&json_of("[1]")), "not_object");
    assert_eq!(protocol(&json_of("\"x\"")), "not_object");
    assert_eq!(protocol(&json_of(&says("x")[..40])), "not_json");
    assert_eq!(protocol(&stream(&["{\"choices\":", "[DONE]"])), "not_json");
    assert_eq!(protocol(&stream(&["[DONE]"])), "no_events");
    assert_eq!(protocol(&json_of(says("\\ud800"))), "lone_surrogate");
    assert_eq!(protocol(&json_of("[".repeat(100_000))), "not_json");
}

#[test]
fn a_key_that_stands_twice_is_told_or_refused() {
    let body = says("x").replacen("\"content\":\"x\"", "\"content\":\"w\",\"content\":\"x\"", 1);
    let lenient = told(&json_of(&body));
    assert_eq!((lenient.text.as_deref(), lenient.leniencies), (Some("x"), vec![Leniency::DuplicateKey]));
    let strict = read_as(Dialect::Chat, &json_of(&body), |reading| reading.strict = true);
    assert_eq!(strict.expect_err("strict").reason, Some("duplicate_key"));
}

#[test]
fn a_body_that_cannot_be_decoded_is_refused() {
    let flaw = Some(CodingError::Unknown(format!("x-{KEY}")));
    let failed = failed(&Received { flaw, ..json_of("") });
    assert_eq!((failed.class, failed.reason), (Class::Protocol, Some("bad_encoding")));
    assert!(!format!("{failed:?}").contains(KEY));
}

#[test]
fn responses_are_read_by_their_own_letter() {
    let read = |body: &str| read_as(Dialect::Responses, &json_of(body), |_| {});
    let words = r#""output":[{"type":"message","content":[{"type":"output_text","text":"x"}]}]"#;
    let usage = r#""usage":{"input_tokens":4,"output_tokens":2}"#;
    let told = read(&format!(r#"{{"object":"response","status":"completed","error":null,{words},{usage}}}"#))
        .unwrap();
    assert_eq!((told.text.as_deref(), told.usage.total(), told.leniencies), (Some("x"), Some(6), vec![]));
    let class = |body: &str| read(body).expect_err(body).class;
    let incomplete = |why: &str| {
        format!(r#"{{"object":"response","status":"incomplete","incomplete_details":{why},{words}}}"#)
    };
    assert_eq!(class(&incomplete(r#"{"reason":"max_output_tokens"}"#)), Class::Truncated);
    assert_eq!(class(&incomplete(r#"{"reason":"content_filter"}"#)), Class::Filtered);
    assert_eq!(class(&incomplete("null")), Class::Truncated);
    assert_eq!(class(&format!(r#"{{"object":"response","status":"queued",{words}}}"#)), Class::Protocol);
    let failure = r#"{"object":"response","status":"failed","output":[],"error":{"code":"rate_limit_exceeded","message":"m"}}"#;
    assert_eq!(class(failure), Class::RateLimited);
    assert_eq!(class(r#"{"choices":[]}"#), Class::Protocol);
}

#[test]
fn messages_are_read_by_their_own_letter() {
    let usage = r#""usage":{"input_tokens":4,"output_tokens":2}"#;
    let read = |body: &str| read_as(Dialect::Messages, &json_of(body), |_| {});
    let message = |stop: &str| {
        format!(
            r#"{{"type":"message","content":[{{"type":"text","text":"x"}}],"stop_reason":"{stop}",{usage}}}"#
        )
    };
    let told = read(&message("end_turn")).unwrap();
    assert_eq!((told.text.as_deref(), told.usage.total(), told.leniencies), (Some("x"), Some(6), vec![]));
    let class = |body: &str| read(body).expect_err(body).class;
    assert_eq!(class(&message("max_tokens")), Class::Truncated);
    assert_eq!(class(&message("model_context_window_exceeded")), Class::Truncated);
    assert_eq!(class(&message("refusal")), Class::Refusal);
    assert_eq!(
        class(r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#),
        Class::Overloaded
    );
}

/// A stream of typed events.
fn events(events: &[(&str, &str)]) -> Received {
    let events: Vec<String> =
        events.iter().map(|(kind, data)| format!("event: {kind}\ndata: {data}\n\n")).collect();
    typed("text/event-stream", events.concat())
}

#[test]
fn streams_of_messages_end_with_their_own_event() {
    let start = (
        "message_start",
        r#"{"type":"message_start","message":{"id":"m","content":[],"stop_reason":null,"usage":{"input_tokens":4,"output_tokens":1}}}"#,
    );
    let words = (
        "content_block_delta",
        r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"x"}}"#,
    );
    let end = |stop| {
        format!(
            r#"{{"type":"message_delta","delta":{{"stop_reason":"{stop}"}},"usage":{{"output_tokens":2}}}}"#
        )
    };
    let stop = ("message_stop", r#"{"type":"message_stop"}"#);
    let read = |received: &Received| read_as(Dialect::Messages, received, |reading| reading.stream = true);
    let told = read(&events(&[start, words, ("message_delta", &end("end_turn")), stop])).unwrap();
    assert_eq!((told.text.as_deref(), told.usage.total(), told.leniencies), (Some("x"), Some(6), vec![]));
    let class = |received: &Received| read(received).expect_err("no answer").class;
    assert_eq!(
        class(&events(&[start, words, ("message_delta", &end("max_tokens")), stop])),
        Class::Truncated
    );
    assert_eq!(class(&events(&[start, words])), Class::Truncated);
    let error = ("error", r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#);
    assert_eq!(class(&events(&[start, words, error])), Class::Overloaded);
}

#[test]
fn streams_of_responses_end_with_their_own_event() {
    let read = |received: &Received| read_as(Dialect::Responses, received, |reading| reading.stream = true);
    let piece = ("response.output_text.delta", r#"{"type":"response.output_text.delta","delta":"x"}"#);
    let whole = |status: &str| {
        format!(
            r#"{{"type":"response.{status}","response":{{"object":"response","status":"{status}","output":[]}}}}"#
        )
    };
    let told = read(&events(&[piece, ("response.completed", &whole("completed"))])).unwrap();
    assert_eq!((told.text.as_deref(), told.leniencies), (Some("x"), vec![]));
    let class = |received: &Received| read(received).expect_err("no answer").class;
    assert_eq!(class(&events(&[piece, ("response.incomplete", &whole("incomplete"))])), Class::Truncated);
    assert_eq!(class(&events(&[piece])), Class::Truncated);
    let error = ("error", r#"{"type":"error","code":"server_error","message":"m"}"#);
    assert_eq!(class(&events(&[piece, error])), Class::Server);
}
