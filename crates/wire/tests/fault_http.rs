//! The HTTP faults: the head and the body that leave in the place of the answer, in every dialect.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod playing;

use playing::{Call, Sent, calls, played, words};
use rehearsal_wire::act::{Act, After};
use rehearsal_wire::dialect::{DIALECTS, dialect};
use rehearsal_wire::fault::{FAULTS, Group};
use rehearsal_wire::json::parse;

/// What kind of body leaves.
#[derive(Clone, Copy, PartialEq)]
enum Body {
    /// The dialect's error, with these words in it.
    Error(&'static str),
    /// The same JSON in every dialect.
    Json(&'static str),
    /// A page for people, with these words in it.
    Html(&'static str),
    /// No bytes.
    Empty,
}

use Body::{Empty, Error, Html, Json};

const LIMITED: Body = Error("Rate limit reached for requests.");

/// Each fault, its status and body.
const LEAVES: &[(&str, u16, Body)] = &[
    ("429-retry-after-seconds", 429, LIMITED),
    ("429-retry-after-date", 429, LIMITED),
    ("429-retry-after-ms", 429, LIMITED),
    ("429-no-retry-after", 429, LIMITED),
    ("429-huge-retry-after", 429, LIMITED),
    ("529-overloaded", 529, Error("Overloaded")),
    ("5xx-html", 502, Html("<title>502 Bad Gateway</title>")),
    (
        "5xx-cloudflare-json",
        520,
        Json(
            r#"{"title":"Error 520: Web server is returning an unknown error","status":520,"cloudflare_error":true,"retryable":true}"#,
        ),
    ),
    ("200-error-body", 200, Error("Internal Server Error")),
    ("200-empty-body", 200, Empty),
    ("200-html", 200, Html("<h1>Sign in to continue</h1>")),
    ("context-length-exceeded", 400, Error("Your input exceeds the context window of this model.")),
    (
        "context-length-maximum",
        400,
        Error("This model's maximum context length is 131072 tokens. However, your"),
    ),
    ("context-length-prompt-too-long", 400, Error("prompt is too long: 210433 tokens > 200000 maximum")),
    (
        "context-length-input-and-max-tokens",
        400,
        Error(
            "input length and `max_tokens` exceed context limit: 196000 + 8192 > 200000, decrease input length or",
        ),
    ),
    (
        "context-length-token-count",
        400,
        Error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576)."),
    ),
    ("context-length-wrapped", 400, Error("upstream provider returned status 400: {")),
    ("error-detail", 400, Json(r#"{"detail":"The request was not understood."}"#)),
    (
        "error-message",
        400,
        Json(r#"{"message":"The request was not understood. (request id: 202501010000000001)"}"#),
    ),
    ("error-string", 400, Json(r#"{"error":"The request was not understood."}"#)),
    (
        "error-object",
        400,
        Json(
            r#"{"object":"error","message":"The request was not understood.","type":"BadRequestError","param":null,"code":400}"#,
        ),
    ),
    ("unsupported-parameter", 400, Error("Use 'max_completion_tokens' instead.")),
    ("unknown-parameter", 400, Error("parallel_tool_calls")),
    ("payload-too-large", 413, Error("exceeds limit 4194304")),
    ("401-mid-run", 401, Error("Incorrect API key provided.")),
    ("403", 403, Error("You are not allowed to sample from this model.")),
    ("404-model", 404, Error("asked-for")),
    ("409", 409, Error("Another request is in progress. Please try again.")),
    ("408", 408, Error("Request timed out.")),
    ("redirect-307", 307, Empty),
    ("redirect-https", 301, Empty),
];

#[test]
fn the_answer_is_replaced_in_every_dialect() {
    let rows = FAULTS.iter().filter(|row| row.group == Group::Http).map(|row| row.name);
    assert!(rows.eq(LEAVES.iter().map(|(name, ..)| *name)), "each row, in its order");
    for dialect in DIALECTS {
        for (name, status, body) in LEAVES {
            let sent = |reply, stream| played(&[(name, &[])], dialect, &reply, stream).unwrap();
            let plain = sent(words(), false);
            let place = format!("{name} in {}", dialect.name);
            assert!(plain.head.starts_with(&format!("HTTP/1.1 {status} ")), "{place}: {}", plain.head);
            assert_eq!(plain.faulted.status, Some(*status), "{place}");
            assert_eq!(plain.faulted.delivered, None, "{place}");
            let [Act::Write(_)] = &plain.faulted.plan.acts[..] else { panic!("{place} leaves in one write") };
            assert!(
                plain.whole && plain.chunks == 0 && plain.faulted.plan.after == After::KeepAlive,
                "{place}"
            );
            check(&plain, *body, dialect.content_type, &place);
            if !name.starts_with("redirect-") {
                assert_eq!(
                    sent(calls(), true).faulted,
                    plain.faulted,
                    "{place}, streamed: a stream is no answer"
                );
            }
        }
    }
}

fn check(sent: &Sent, body: Body, own_type: &str, place: &str) {
    let text = sent.text();
    let typed = |wanted: &str| sent.head.contains(&format!("content-type: {wanted}\r\n"));
    match body {
        Error(words) => {
            let tape = parse(text.as_bytes()).unwrap();
            let error = tape.root().get("error").unwrap();
            let message = error.get("message").unwrap_or(error).as_str().unwrap();
            assert!(message.contains(words) && typed(own_type), "{place}: {text}");
        }
        Json(whole) => assert!(text == whole && typed("application/json"), "{place}: {text}"),
        Html(words) => assert!(text.contains(words) && typed("text/html; charset=utf-8"), "{place}: {text}"),
        Empty => {
            assert!(text.is_empty() && sent.head.contains("content-length: 0\r\n"), "{place}: {}", sent.head)
        }
    }
    assert!(sent.events().is_empty() && sent.unharmed_events().is_empty(), "{place}: no stream");
}

/// What leaves in a dialect, where no stream was asked for.
fn plain(fault: Call<'_>, name: &str) -> Sent {
    played(&[fault], dialect(name).unwrap(), &words(), false).unwrap()
}

#[test]
fn waits_are_said_in_the_named_way() {
    let headers = |fault: Call<'_>| {
        let sent = plain(fault, "openai-chat");
        let waits = sent.head.split("\r\n").filter(|line| line.contains("retry-after"));
        waits.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(headers(("429-retry-after-seconds", &[])), ["retry-after: 1"]);
    assert_eq!(headers(("429-retry-after-seconds", &[("seconds", "30")])), ["retry-after: 30"]);
    assert_eq!(headers(("429-retry-after-ms", &[])), ["retry-after-ms: 200"]);
    assert_eq!(headers(("429-huge-retry-after", &[])), ["retry-after: 7200"]);
    assert!(headers(("429-no-retry-after", &[])).is_empty());
    // The reply is of 1754000000.
    assert_eq!(headers(("429-retry-after-date", &[])), ["retry-after: Thu, 31 Jul 2025 22:13:21 GMT"]);
    let far = headers(("429-retry-after-date", &[("seconds", "9000000000000000000")]));
    assert_eq!(far, ["retry-after: Fri, 31 Dec 9999 23:59:59 GMT"]);
    let said = plain(("429-retry-after-seconds", &[("seconds", "30")]), "google-gemini").text();
    assert!(said.contains(r#""retryDelay":"30s""#), "the body says it, too: {said}");
}

#[test]
fn errors_have_the_type_and_code_of_their_dialect() {
    for (fault, name, pointer, word) in [
        ("529-overloaded", "anthropic-messages", "/error/type", "overloaded_error"),
        ("529-overloaded", "openai-chat", "/error/type", "overloaded_error"),
        ("429-no-retry-after", "openai-chat", "/error/code", "rate_limit_exceeded"),
        ("429-no-retry-after", "google-gemini", "/error/status", "RESOURCE_EXHAUSTED"),
        ("401-mid-run", "openai-responses", "/error/code", "invalid_api_key"),
        ("401-mid-run", "anthropic-messages", "/error/type", "authentication_error"),
        ("403", "anthropic-messages", "/error/type", "permission_error"),
        ("404-model", "openai-chat", "/error/code", "model_not_found"),
        ("404-model", "anthropic-messages", "/error/message", "model: asked-for"),
        ("payload-too-large", "anthropic-messages", "/error/type", "request_too_large"),
        ("context-length-exceeded", "openai-chat", "/error/code", "context_length_exceeded"),
        ("unsupported-parameter", "openai-chat", "/error/param", "max_tokens"),
        ("unknown-parameter", "openai-chat", "/error/code", "unknown_parameter"),
        (
            "unknown-parameter",
            "anthropic-messages",
            "/error/message",
            "parallel_tool_calls: Extra inputs are not permitted",
        ),
    ] {
        let sent = plain((fault, &[]), name);
        let body = sent.body();
        let tape = parse(&body).unwrap();
        assert!(tape.root().at(pointer).is_some_and(|value| value.is_str(word)), "{fault}: {}", sent.text());
    }
    let choices = plain(("200-error-body", &[]), "openai-chat").text();
    assert!(choices.ends_with(r#","id":null,"choices":null}"#), "{choices}");
    let wrapped = plain(("context-length-wrapped", &[]), "anthropic-messages");
    let body = wrapped.body();
    let tape = parse(&body).unwrap();
    let message = tape.root().at("/error/message").unwrap().as_str().unwrap();
    let inner = parse(message.split_once(": ").unwrap().1.as_bytes()).unwrap();
    assert!(inner.root().at("/error/message").unwrap().as_str().unwrap().starts_with("prompt is too long"));
}

#[test]
fn parameters_choose_status_and_words() {
    for (fault, set, words) in [
        ("5xx-html", ("status", "521"), "HTTP/1.1 521 \r\n"),
        ("5xx-html", ("status", "521"), "<h1>521</h1>"),
        ("5xx-html", ("status", "503"), "<h1>503 Service Unavailable</h1>"),
        ("5xx-html", ("status", "200"), "<h1>502 Bad Gateway</h1>"),
        ("payload-too-large", ("status", "400"), "HTTP/1.1 400 Bad Request\r\n"),
        ("payload-too-large", ("status", "70000"), "HTTP/1.1 413 Content Too Large\r\n"),
        (
            "unsupported-parameter",
            ("parameter", "\"temperature\""),
            "Only the default (1) value is supported.",
        ),
        (
            "unsupported-parameter",
            ("parameter", "\"developer\""),
            "'messages[0].role' does not support 'developer'",
        ),
        (
            "unsupported-parameter",
            ("parameter", "\"top_k\""),
            "Unsupported parameter: 'top_k' is not supported",
        ),
        ("unknown-parameter", ("parameter", "\"store\""), "Unknown parameter: 'store'."),
    ] {
        let sent = plain((fault, &[set]), "openai-chat");
        assert!(
            [sent.head.as_str(), "\n", &sent.text()].concat().contains(words),
            "{fault} {set:?}: {}",
            sent.text()
        );
    }
}

#[test]
fn a_redirect_leads_back_to_the_same_path() {
    for (name, stream, place) in [
        ("openai-chat", false, "./completions"),
        ("openai-chat", true, "./completions"),
        ("openai-responses", true, "./responses"),
        ("anthropic-messages", false, "./messages"),
        ("google-gemini", false, "./asked-for:generateContent"),
        ("google-gemini", true, "./asked-for:streamGenerateContent?alt=sse"),
    ] {
        let sent = played(&[("redirect-307", &[])], dialect(name).unwrap(), &words(), stream).unwrap();
        assert!(sent.head.contains(&format!("\r\nlocation: {place}\r\n")), "{}", sent.head);
        assert!(sent.head.starts_with("HTTP/1.1 307 Temporary Redirect\r\n") && sent.body().is_empty());
    }
    let slash = plain(("redirect-307", &[("slash", "true")]), "openai-chat");
    assert!(slash.head.contains("\r\nlocation: ./completions/\r\n"), "{}", slash.head);
}

#[test]
fn a_page_can_be_cut_as_a_reply_can() {
    let cut = [("5xx-html", &[][..]), ("cut-mid-json", &[][..])];
    let sent = played(&cut, dialect("openai-chat").unwrap(), &words(), false).unwrap();
    assert!(!sent.whole && sent.text().starts_with("<html>") && sent.faulted.status == Some(502));
}
