//! Writes the fields of an event. What every request brings is written by hand, byte for byte as serde would write it and in
//! less time; serde writes what is rare, and reads everything.

use crate::event::{Answered, Asked, Body, Delivered, End, Event};
use serde::Serialize;

/// Appends the fields of an event without the braces around them.
pub(crate) fn fields(out: &mut Vec<u8>, event: &Event) {
    match event {
        Event::Asked(event) => asked(out, event),
        Event::Answered(event) => answered(out, event),
        Event::Opened(_)
        | Event::AgentStarted(_)
        | Event::AgentExited(_)
        | Event::WorkspaceFound(_)
        | Event::CommandRan(_)
        | Event::EscapeTried(_)
        | Event::WorkspaceSeen(_)
        | Event::CassettePlayed(_)
        | Event::Judged(_)
        | Event::Bridge(_)
        | Event::Daemon(_)
        | Event::Drive(_)
        | Event::Work(_)
        | Event::Closed { .. } => {
            let start = out.len();
            json(out, event);
            out.remove(start);
            out.pop();
        }
    }
}

fn asked(out: &mut Vec<u8>, event: &Asked) {
    let Asked { exchange, conn, method, path, headers, body, kind, class, phrasing, step, .. } = event;
    out.extend_from_slice(b"\"event\":\"asked\",\"exchange\":");
    number(out, *exchange);
    number(key(out, "conn"), *conn);
    text(key(out, "method"), method);
    text(key(out, "path"), path);
    rare(out, "headers", headers.as_ref());
    if let Some(body) = body {
        self::body(key(out, "body"), body);
    }
    word(key(out, "kind"), kind.word());
    optional(key(out, "class"), class.as_deref(), text);
    optional(key(out, "phrasing"), phrasing.as_deref(), text);
    optional(key(out, "step"), *step, number);
    judged(out, event);
}

/// The fields of a request from the count of its messages on.
fn judged(out: &mut Vec<u8>, event: &Asked) {
    // Every field is named here, so that a new one cannot be forgotten.
    let Asked {
        exchange: _,
        conn: _,
        method: _,
        path: _,
        headers: _,
        body: _,
        kind: _,
        class: _,
        phrasing: _,
        step: _,
        n_messages,
        n_assistant,
        stream,
        reject,
        notes,
        answers,
        delivered,
        http_status,
        bad_json,
        attempt_of,
        retry,
        side_call,
    } = event;
    number(key(out, "n_messages"), *n_messages);
    number(key(out, "n_assistant"), *n_assistant);
    key(out, "stream").extend_from_slice(if *stream { b"true" } else { b"false" });
    rare(out, "reject", reject.as_ref());
    rare(out, "notes", (!notes.is_empty()).then_some(notes));
    rare(out, "answers", (!answers.is_empty()).then_some(answers));
    self::delivered(key(out, "delivered"), delivered);
    optional(key(out, "http_status"), http_status.map(u64::from), number);
    rare(out, "bad_json", bad_json.as_ref());
    rare(out, "attempt_of", attempt_of.as_ref());
    rare(out, "retry", retry.as_ref());
    rare(out, "side_call", side_call.as_ref());
}

/// A field that most requests are without: serde writes it, and nothing does where there is nothing.
fn rare<T: Serialize>(out: &mut Vec<u8>, name: &str, value: Option<&T>) {
    if let Some(value) = value {
        json(key(out, name), value);
    }
}

fn body(out: &mut Vec<u8>, body: &Body) {
    let Body { len, sha256, head, tail, at } = body;
    out.extend_from_slice(b"{\"len\":");
    number(out, *len);
    text(key(out, "sha256"), sha256);
    number(key(out, "head"), *head);
    number(key(out, "tail"), *tail);
    number(key(out, "at"), *at);
    out.push(b'}');
}

fn delivered(out: &mut Vec<u8>, delivered: &Delivered) {
    let Delivered { calls, finish_reason, api_error, fault, retry_after_ms } = delivered;
    let plain = calls.is_empty() && api_error.is_none() && fault.is_none() && retry_after_ms.is_none();
    match finish_reason {
        // A plain answer, as nearly all are.
        Some(reason) if plain => {
            out.extend_from_slice(b"{\"finish_reason\":");
            text(out, reason);
            out.push(b'}');
        }
        Some(_) | None => json(out, delivered),
    }
}

fn answered(out: &mut Vec<u8>, event: &Answered) {
    let Answered { exchange, bytes, sha256, end } = event;
    out.extend_from_slice(b"\"event\":\"answered\",\"exchange\":");
    number(out, *exchange);
    number(key(out, "bytes"), *bytes);
    text(key(out, "sha256"), sha256);
    word(key(out, "end"), end_word(*end));
}

const fn end_word(end: End) -> &'static str {
    match end {
        End::Complete => "complete",
        End::ClientLeft => "client_left",
        End::TimedOut => "timed_out",
        End::Stopped => "stopped",
    }
}

/// Appends what stands before a further field's value. Inlined, the name is no text to be copied but a few constants: the line of
/// a request has some sixteen.
#[inline(always)]
fn key<'o>(out: &'o mut Vec<u8>, name: &str) -> &'o mut Vec<u8> {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
    out
}

fn optional<T>(out: &mut Vec<u8>, value: Option<T>, write: impl Fn(&mut Vec<u8>, T)) {
    match value {
        Some(value) => write(out, value),
        None => out.extend_from_slice(b"null"),
    }
}

/// A text in which nothing needs an escape.
fn word(out: &mut Vec<u8>, word: &str) {
    out.push(b'"');
    out.extend_from_slice(word.as_bytes());
    out.push(b'"');
}

fn text(out: &mut Vec<u8>, text: &str) {
    let special = |byte: u8| byte < b' ' || byte == b'"' || byte == b'\\';
    // Without a way out of the loop many bytes are looked at at a time.
    if text.bytes().fold(false, |found, byte| found | special(byte)) {
        json(out, text);
    } else {
        word(out, text);
    }
}

/// Appends a number in decimal digits.
pub(crate) fn number(out: &mut Vec<u8>, number: u64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

fn json<T: Serialize + ?Sized>(out: &mut Vec<u8>, value: &T) {
    // Writing into a vector cannot fail, and neither can turning our own events into JSON.
    let told = serde_json::to_writer(out, value);
    assert!(told.is_ok(), "an event is always JSON");
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::event::{BadJson, Kind, Noted, Rejected, SideCall};
    use proptest::option::of;
    use proptest::prelude::*;

    fn said() -> impl Strategy<Value = String> {
        prop_oneof!["[a-z/ ]{0,12}", "[\\x00-\\x7f]{0,6}", any::<String>()]
    }

    fn numbers() -> impl Strategy<Value = u64> {
        prop_oneof![0..200_u64, any::<u64>(), Just(u64::MAX)]
    }

    fn bodies() -> impl Strategy<Value = Body> {
        (numbers(), said(), numbers(), numbers(), numbers()).prop_map(|(len, sha256, head, tail, at)| Body {
            len,
            sha256,
            head,
            tail,
            at,
        })
    }

    fn deliveries() -> impl Strategy<Value = Delivered> {
        let calls = prop::collection::vec((said(), said()), 0..2);
        (calls, of(said()), of(any::<u16>()), of(said()), of(numbers())).prop_map(
            |(calls, finish_reason, api_error, fault, retry_after_ms)| Delivered {
                calls,
                finish_reason: finish_reason.map(Into::into),
                api_error,
                fault,
                retry_after_ms,
            },
        )
    }

    fn kinds() -> impl Strategy<Value = Kind> {
        prop::sample::select(vec![
            Kind::Scenario,
            Kind::Background,
            Kind::Overrun,
            Kind::BadJson,
            Kind::WrongPath,
            Kind::Hostile,
            Kind::Unreadable,
            Kind::Aside,
        ])
    }

    fn events() -> impl Strategy<Value = Event> {
        let read = (said(), said(), of(prop::collection::vec((said(), said()), 0..3)), of(bodies()));
        let judged = (kinds(), of(said()), of(said()), of(numbers()), any::<bool>());
        let found = (any::<[bool; 3]>(), said(), prop::collection::vec(said(), 0..3));
        let side_calls =
            prop::sample::select(vec![SideCall::NoTools, SideCall::Probe, SideCall::AfterTheEnd]);
        let sent = (deliveries(), of(any::<u16>()), of(numbers()), of(any::<u32>()), of(side_calls));
        (prop::array::uniform4(numbers()), read, judged, found, sent).prop_map(
            |(numbers, read, judged, (has, told, answers), sent)| {
                let [exchange, conn, n_messages, n_assistant] = numbers;
                let (method, path, headers, body) = read;
                let (kind, class, phrasing, step, stream) = judged;
                let (delivered, http_status, attempt_of, retry, side_call) = sent;
                let rejected = Rejected {
                    rule: told.clone(),
                    kind: told.clone(),
                    code: None,
                    param: Some(told.clone()),
                    pointer: told.clone(),
                    message: told.clone(),
                };
                let noted = Noted { code: told.clone(), pointer: told.clone(), message: told.clone() };
                let bad = BadJson { offset: conn, byte: None, near: told.clone(), why: told };
                Event::Asked(Box::new(Asked {
                    exchange,
                    conn,
                    method,
                    path,
                    headers,
                    body,
                    kind,
                    class,
                    phrasing,
                    step,
                    n_messages,
                    n_assistant,
                    stream,
                    reject: has[0].then_some(rejected),
                    notes: if has[1] { vec![noted] } else { Vec::new() },
                    answers,
                    delivered,
                    http_status,
                    bad_json: has[2].then_some(bad),
                    attempt_of,
                    retry,
                    side_call,
                }))
            },
        )
    }

    fn assert_is_what_serde_writes(event: &Event) {
        let mut ours = b"{".to_vec();
        fields(&mut ours, event);
        ours.push(b'}');
        assert_eq!(String::from_utf8(ours).unwrap(), serde_json::to_string(event).unwrap());
    }

    proptest! {
        #[test]
        fn a_request_is_written_as_serde_writes_it(event in events()) {
            assert_is_what_serde_writes(&event);
        }

        #[test]
        fn an_answer_is_written_as_serde_writes_it(
            exchange in numbers(), bytes in numbers(), sha256 in said(),
            end in prop::sample::select(vec![End::Complete, End::ClientLeft, End::TimedOut, End::Stopped]),
        ) {
            assert_is_what_serde_writes(&Event::Answered(Answered { exchange, bytes, sha256, end }));
        }
    }

    #[test]
    fn a_rare_event_loses_its_braces_and_nothing_else() {
        assert_is_what_serde_writes(&Event::Closed { requests: 17 });
    }
}
