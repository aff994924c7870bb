//! Classes by code, status and dial error, and what may be tried again.

use super::*;
use crate::endpoint::mask::Mask;
use crate::secret::Secret;
use rehearsal_wire::json;
use rehearsal_world::dial::DialError;
use std::collections::BTreeSet;
use std::io;
use std::time::Duration;

/// The class of an error with this status and body.
fn class(status: u16, body: &str) -> Class {
    let tape = json::parse(body.as_bytes()).unwrap();
    let told = super::super::complaint::nested(tape.root()).unwrap_or_default();
    of_complaint(Some(status), &told)
}

fn error(code: &str, param: &str, message: &str) -> String {
    format!(
        r#"{{"error":{{"message":"{message}","type":"invalid_request_error","param":{param},"code":{code}}}}}"#
    )
}

#[test]
fn the_list_of_classes_is_that_of_the_contract() {
    let names: Vec<&str> = Class::ALL.iter().map(|class| class.name()).collect();
    assert_eq!(
        names.join(", "),
        "config, auth, permission, not_found, bad_request, unsupported_param, context_length, rate_limited, quota, \
         server, overloaded, connect, tls, timeout_connect, timeout_idle, timeout_total, redirect, protocol, \
         provider_error, refusal, truncated, filtered, empty_content, format, ownership_violation, unsafe_path, \
         stale_base, write, unverified, budget, cancelled"
    );
    assert_eq!(Class::ALL.iter().collect::<BTreeSet<_>>().len(), Class::ALL.len());
    let passing: Vec<&str> =
        Class::ALL.iter().filter(|class| class.is_retryable()).map(|class| class.name()).collect();
    assert_eq!(
        passing,
        [
            "rate_limited",
            "server",
            "overloaded",
            "connect",
            "timeout_connect",
            "timeout_idle",
            "provider_error"
        ]
    );
}

#[test]
fn a_status_has_its_class_where_no_code_says_more() {
    for (status, wanted) in [
        (400, Class::BadRequest),
        (401, Class::Auth),
        (402, Class::Quota),
        (403, Class::Permission),
        (404, Class::NotFound),
        (405, Class::BadRequest),
        (408, Class::Server),
        (409, Class::Server),
        (413, Class::BadRequest),
        (422, Class::BadRequest),
        (429, Class::RateLimited),
        (500, Class::Server),
        (502, Class::Server),
        (503, Class::Server),
        (529, Class::Overloaded),
        (599, Class::Server),
    ] {
        assert_eq!(class(status, "{}"), wanted, "{status}");
        assert_eq!(class(status, &error("null", "null", "m")), wanted, "{status}");
    }
}

#[test]
fn q42_a_quota_is_final_whatever_is_asked() {
    let class = class(429, &error("\"insufficient_quota\"", "null", "m"));
    assert_eq!(class, Class::Quota);
    for should_retry in [None, Some("true")] {
        assert!(!may_pass(class, 429, Some(Duration::from_secs(1)), should_retry));
    }
}

#[test]
fn q43_words_in_a_message_make_no_quota() {
    let told = class(429, &error("\"rate_limit_exceeded\"", "null", "INSUFFICIENT QUOTA per minute"));
    assert_eq!(told, Class::RateLimited);
    assert_eq!(class(429, &error("null", "null", "INSUFFICIENT QUOTA")), Class::RateLimited);
    assert_eq!(class(429, r#"{"error":{"type":"insufficient_quota","message":"m"}}"#), Class::Quota);
}

#[test]
fn q44_a_rate_with_status_400_passes_only_where_a_wait_is_named() {
    let class = class(400, &error("\"rate_limit_exceeded\"", "null", "m"));
    assert_eq!(class, Class::RateLimited);
    assert!(!may_pass(class, 400, None, None));
    assert!(may_pass(class, 400, Some(Duration::from_secs(1)), None));
    assert!(may_pass(class, 429, None, None));
}

#[test]
fn q45_a_server_that_loads_passes() {
    let class = class(503, r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#);
    assert_eq!(class, Class::Server);
    assert!(may_pass(class, 503, None, None));
}

#[test]
fn q30_to_q37_a_parameter_that_is_not_taken_is_known_by_code_or_name() {
    for (code, param) in [
        ("null", "\"response_format\""),
        ("null", "\"response_format.json_schema\""),
        ("null", "\"stream_options\""),
        ("\"unsupported_value\"", "\"temperature\""),
        ("\"unsupported_parameter\"", "\"max_tokens\""),
        ("\"unsupported_parameter\"", "null"),
        ("null", "\"text.format\""),
    ] {
        assert_eq!(class(400, &error(code, param, "m")), Class::UnsupportedParam, "{code} {param}");
    }
    let forbidden =
        r#"{"detail":[{"loc":["body","max_completion_tokens"],"msg":"extra fields not permitted"}]}"#;
    let tape = json::parse(forbidden.as_bytes()).unwrap();
    let told = super::super::complaint::flat(tape.root()).unwrap();
    assert_eq!(told.param.as_deref(), Some("max_completion_tokens"));
    assert_eq!(of_complaint(Some(422), &told), Class::UnsupportedParam);
}

#[test]
fn q31_a_word_in_a_message_is_no_reason_to_ask_in_another_way() {
    for message in ["json_schema", "response_format is fine but your model is not", "the temperature"] {
        assert_eq!(class(400, &error("null", "null", message)), Class::BadRequest, "{message}");
    }
    assert_eq!(class(400, &error("null", "\"messages\"", "response_format")), Class::BadRequest);
}

#[test]
fn q34_a_schema_that_a_server_cannot_compile_fails_again() {
    for body in [
        r#"{"error":{"code":500,"type":"server_error","message":"failed to parse grammar"}}"#,
        r#"{"error":"Failed to compile JSON schema"}"#,
    ] {
        assert_eq!(class(500, body), Class::UnsupportedParam, "{body}");
    }
    assert_eq!(class(500, r#"{"error":"boom"}"#), Class::Server);
}

#[test]
fn a_request_that_is_too_long_is_known_by_code_or_words() {
    for body in [
        error("\"context_length_exceeded\"", "\"messages\"", "m"),
        error("null", "null", "This model's maximum context length is 4096 tokens"),
        error("400", "null", "prompt is too long: 210000 tokens"),
        r#"{"error":{"code":400,"type":"exceed_context_size_error","message":"m"}}"#.to_owned(),
    ] {
        assert_eq!(class(400, &body), Class::ContextLength, "{body}");
    }
}

#[test]
fn the_provider_may_say_itself_whether_to_try_again() {
    assert!(!may_pass(Class::Server, 500, None, Some("false")));
    assert!(may_pass(Class::BadRequest, 400, None, Some("true")));
    assert!(may_pass(Class::Server, 500, None, Some("maybe")));
}

#[test]
fn every_failure_of_the_wire_has_a_class_and_hides_the_key() {
    let key = Secret::new("sk-secret-1");
    let mask = Mask::new(Some(&key));
    let second = Duration::from_secs(1);
    let cause = || io::Error::other("sk-secret-1");
    for (error, class, retryable, may_cost) in [
        (DialError::Unresolved(cause()), Class::Connect, true, false),
        (DialError::Refused, Class::Connect, true, false),
        (DialError::Unreachable(cause()), Class::Connect, true, false),
        (DialError::NoneOf(Vec::new()), Class::Connect, true, false),
        (DialError::NotLoopback, Class::Config, false, false),
        (DialError::ConnectTimeout(second), Class::TimeoutConnect, true, false),
        (DialError::Untrusted(cause()), Class::Tls, false, false),
        (DialError::WrongName, Class::Tls, false, false),
        (DialError::Handshake(cause()), Class::Tls, false, false),
        (DialError::Idle(second), Class::TimeoutIdle, true, true),
        (DialError::Total(second), Class::TimeoutTotal, false, true),
        (DialError::Reset, Class::Connect, true, true),
        (DialError::Cut, Class::Connect, true, true),
        (DialError::TooLarge(9), Class::Protocol, false, true),
        (DialError::BadTarget, Class::Config, false, false),
        (DialError::BadHeader("sk-secret-1".to_owned()), Class::Config, false, false),
    ] {
        let failed = Failed::of_dial(&error, "http://h/sk-secret-1", &mask);
        assert_eq!(
            (failed.class, failed.retryable, failed.may_cost),
            (class, retryable, may_cost),
            "{error}"
        );
        assert!(!format!("{failed:?} {failed}").contains("sk-secret"), "{failed}");
    }
}
