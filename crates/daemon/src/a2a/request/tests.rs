//! Requests that are right, and what is said of those that are not.

use super::{Sort, cursor, listing, sending, takes, token};
use crate::a2a::field::Field;
use rehearsal_wire::json::parse;
use serde_json::{Value, json};

fn read(params: &Value) -> Result<super::Sending, super::Fault> {
    let text = params.to_string();
    let tape = parse(text.as_bytes()).unwrap();
    sending(&Field::root(Some(tape.root()), false))
}

fn good() -> Value {
    json!({"message": {"messageId": "m1", "role": "ROLE_USER", "parts": [{"text": "do"}, {"data": {"a": 1}}]}})
}

#[test]
fn a_message_is_read_and_kept_as_it_came() {
    let mut params = good();
    params["message"]["contextId"] = json!("c");
    params["message"]["metadata"] = json!({"credentialProfileId": "p", "n": 1.5});
    params["metadata"] = json!({"workspaceRoot": "/w", "credentialProfileId": "q"});
    params["configuration"] =
        json!({"historyLength": "2", "returnImmediately": true, "acceptedOutputModes": ["text/*"]});
    params["futureField"] = json!({"x": 1});
    let sending = read(&params).unwrap();
    assert_eq!((sending.history, sending.at_once), (Some(2), true));
    let message = sending.message;
    assert_eq!((message.id.as_str(), message.text.as_str()), ("m1", "do\n{\"a\":1}"));
    assert_eq!((message.context.as_deref(), message.task), (Some("c"), None));
    assert_eq!(message.wishes.profile.as_deref(), Some("p"));
    assert_eq!(message.wishes.workspace.as_deref(), Some("/w"));
    assert_eq!(
        Value::from(message.shown),
        json!({
            "messageId": "m1",
            "role": "ROLE_USER",
            "parts": [{"text": "do"}, {"data": {"a": 1}}],
            "metadata": {"credentialProfileId": "p", "n": 1.5},
        })
    );
}

/// What is put where into a good request, the sort of the refusal, and the place that it names.
type Wrong = (&'static str, &'static str, Sort, &'static str);

const WRONG_PARAMS: &[Wrong] = &[
    ("/message", "null", Sort::InvalidParams, "/message"),
    ("/message", "[]", Sort::InvalidParams, "/message"),
    ("/message/messageId", "\"\"", Sort::InvalidParams, "/message/messageId"),
    ("/message/messageId", "7", Sort::InvalidParams, "/message/messageId"),
    ("/message/role", "\"user\"", Sort::InvalidParams, "/message/role"),
    ("/message/role", "\"ROLE_AGENT\"", Sort::InvalidParams, "/message/role"),
    ("/message/metadata", "\"x\"", Sort::InvalidParams, "/message/metadata"),
    ("/message/metadata", r#"{"scopeRoot": 1}"#, Sort::InvalidParams, "/message/metadata/scopeRoot"),
    ("/message/extensions", "\"x\"", Sort::InvalidParams, "/message/extensions"),
    ("/message/referenceTaskIds", "[1]", Sort::InvalidParams, "/message/referenceTaskIds/0"),
    ("/configuration", "1", Sort::InvalidParams, "/configuration"),
    ("/configuration", r#"{"historyLength": -5}"#, Sort::InvalidParams, "/configuration/historyLength"),
    (
        "/configuration",
        r#"{"returnImmediately": "true"}"#,
        Sort::InvalidParams,
        "/configuration/returnImmediately",
    ),
    (
        "/configuration",
        r#"{"acceptedOutputModes": ["image/png"]}"#,
        Sort::ContentType,
        "/configuration/acceptedOutputModes",
    ),
    ("/tenant", "\"acme\"", Sort::InvalidParams, "/tenant"),
    ("/metadata", "[]", Sort::InvalidParams, "/metadata"),
];

const WRONG_PARTS: &[Wrong] = &[
    ("", "[]", Sort::InvalidParams, ""),
    ("", r#"[{"text": ""}]"#, Sort::InvalidParams, ""),
    ("/1", "\"x\"", Sort::InvalidParams, "/1"),
    ("/1", "{}", Sort::InvalidParams, "/1"),
    ("/1", r#"{"text": "a", "data": 1}"#, Sort::InvalidParams, "/1"),
    ("/1", r#"{"text": 1}"#, Sort::InvalidParams, "/1/text"),
    ("/1", r#"{"text": "x", "metadata": 1}"#, Sort::InvalidParams, "/1/metadata"),
    ("/1", r#"{"raw": "aGk=", "mediaType": "image/png"}"#, Sort::ContentType, "/1"),
    ("/1", r#"{"url": "file:///x"}"#, Sort::ContentType, "/1"),
    ("/1", r#"{"text": "x", "mediaType": "image/svg+xml"}"#, Sort::ContentType, "/1"),
];

#[test]
fn what_is_wrong_with_a_message_is_said_with_its_place() {
    let parts = |at: &str| format!("/message/parts{at}");
    let owned = |&(at, value, sort, place): &Wrong| (at.to_owned(), value, sort, place.to_owned());
    let within = |&(at, value, sort, place): &Wrong| (parts(at), value, sort, parts(place));
    for (pointer, value, sort, place) in WRONG_PARAMS.iter().map(owned).chain(WRONG_PARTS.iter().map(within))
    {
        let mut params = good();
        let value: Value = serde_json::from_str(value).unwrap();
        match params.pointer_mut(&pointer) {
            Some(found) => *found = value,
            None => {
                let (of, key) = pointer.rsplit_once('/').unwrap();
                params.pointer_mut(of).unwrap()[key] = value;
            }
        }
        let fault = read(&params).map(|sending| sending.message.text).unwrap_err();
        assert_eq!((fault.sort, fault.pointer), (sort, Some(place)), "{params}");
    }
    let mut params = good();
    params["configuration"] = json!({"taskPushNotificationConfig": {"url": "http://127.0.0.1"}});
    assert_eq!(read(&params).map(|_| ()).unwrap_err().sort, Sort::PushNotSupported);
    let mut params = good();
    params["message"]["messageId"] = json!("m".repeat(257));
    assert!(read(&params).is_err());
}

#[test]
fn the_digest_is_of_the_message_and_not_of_how_it_is_answered() {
    let digest = |params: &Value| read(params).unwrap().message.digest;
    let one = digest(&good());
    let mut other = good();
    other["configuration"] = json!({"returnImmediately": true});
    assert_eq!(one, digest(&other));
    other["message"]["parts"][0]["text"] = json!("do it");
    assert_ne!(one, digest(&other));
}

#[test]
fn listings_are_read_with_their_bounds() {
    let read = |params: Value| {
        let text = params.to_string();
        let tape = parse(text.as_bytes()).unwrap();
        listing(&Field::root(Some(tape.root()), true))
    };
    let all = read(json!({"pageSize": "7", "status": "TASK_STATE_WORKING", "includeArtifacts": "true",
        "statusTimestampAfter": "1970-01-01T00:00:01.5Z", "pageToken": "1f.2", "contextId": "c"}))
    .unwrap();
    assert_eq!((all.size, all.after, all.since_ms, all.artifacts), (7, Some((31, 2)), Some(1500), true));
    assert_eq!(read(json!({})).unwrap().size, 50);
    for (name, value) in [
        ("pageSize", "0"),
        ("pageSize", "101"),
        ("pageSize", "x"),
        ("status", "working"),
        ("pageToken", "x"),
        ("pageToken", "+1.2"),
        ("historyLength", "-1"),
        ("statusTimestampAfter", "yesterday"),
        ("includeArtifacts", "yes"),
    ] {
        let fault = read(json!({name: value})).map(|_| ()).unwrap_err();
        assert_eq!(fault.pointer, Some(format!("/{name}")), "{value}");
    }
    assert_eq!(cursor(&token((u64::MAX, 12))), Some((u64::MAX, 12)));
}

#[test]
fn media_ranges_take_media_types() {
    for (range, media, does) in [
        ("*/*", "text/plain", true),
        ("text/*", "text/markdown", true),
        ("TEXT/plain; charset=utf-8", "text/plain", true),
        ("image/*", "text/plain", false),
        ("text", "text/plain", false),
        ("", "text/plain", false),
    ] {
        assert_eq!(takes(range, media), does, "{range}");
    }
}
