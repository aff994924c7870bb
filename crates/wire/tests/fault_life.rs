//! The faults of life and death: how much leaves, how it ends, and what our own reader of events makes of it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod playing;

use playing::{Call, Sent, calls, played, words};
use rehearsal_wire::act::{Act, After};
use rehearsal_wire::dialect::{DIALECTS, Dialect, dialect};
use rehearsal_wire::fault::{Arrives, FAULTS, Group, fault};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::Envelope;
use std::time::Duration;

/// How much leaves of what would leave without the fault.
#[derive(Clone, Copy, PartialEq)]
enum Leaves {
    /// Nothing is broken.
    Unharmed,
    /// The head alone.
    Head,
    /// Whole events, not all.
    Events,
    /// A part.
    Part,
    /// A part that ends inside a document.
    Inside,
    /// Whole events, then others.
    Otherwise,
    /// All of it.
    All,
}

/// How it ends.
#[derive(Clone, Copy, PartialEq)]
enum Ends {
    Whole,
    Told,
    Fin,
    Reset,
    Silent,
}

use Ends::{Fin, Reset, Silent, Told, Whole};
use Leaves::{All, Events, Head, Inside, Otherwise, Part, Unharmed};

/// Each fault: what leaves of a stream, what of a plain answer, how it ends.
const LEAVES: &[(&str, Leaves, Leaves, Ends)] = &[
    ("cut-clean", Events, Unharmed, Told),
    ("cut-mid-tool", Part, Unharmed, Told),
    ("cut-reset", Part, Unharmed, Reset),
    ("cut-mid-json", Inside, Inside, Fin),
    ("done-no-finish", Otherwise, Unharmed, Whole),
    ("stall-first", Head, Head, Silent),
    ("stall-mid", Events, Inside, Silent),
    ("stall-keepalive-only", Otherwise, Unharmed, Silent),
    ("failed-event-open-socket", Otherwise, Unharmed, Silent),
    ("error-in-stream", Otherwise, Unharmed, Whole),
    ("error-in-stream-anthropic", Otherwise, Unharmed, Whole),
    ("insufficient-system-resource", All, All, Whole),
    ("slow-drip", All, Unharmed, Whole),
];

/// Rows of this group that are a plan of their own, and are tested with the table of all.
const PLANS: &[&str] = &["black-hole", "mid-body-drop"];

#[test]
fn so_much_leaves_and_ends_so() {
    let rows = FAULTS.iter().filter(|row| row.group == Group::Life && !PLANS.contains(&row.name));
    assert!(rows.map(|row| row.name).eq(LEAVES.iter().map(|(name, ..)| *name)), "each row, in its order");
    for dialect in DIALECTS {
        for (name, streamed, plain, ends) in LEAVES {
            if !fault(name).unwrap().dialects.include(dialect.name) {
                continue;
            }
            for (reply, speaks) in [(words(), true), (calls(), false)] {
                for (stream, leaves) in [(true, *streamed), (false, *plain)] {
                    let place = format!("{name} in {}, stream {stream}, words {speaks}", dialect.name);
                    let called = !speaks && carries_calls(dialect);
                    let leaves = match *name {
                        "cut-mid-tool" if !called => Unharmed,
                        "stall-keepalive-only" if !sse(dialect) => Unharmed,
                        _ => leaves,
                    };
                    match played(&[(name, &[])], dialect, &reply, stream) {
                        None => assert!(leaves == Unharmed, "{place} breaks nothing"),
                        Some(sent) => check(&sent, leaves, *ends, &place, sse(dialect)),
                    }
                }
            }
        }
    }
}

/// Whether a dialect has a place for calls.
fn carries_calls(dialect: &Dialect) -> bool {
    let plain = Envelope::plain("id".to_owned(), 0, "\"m\"".to_owned());
    String::from_utf8((dialect.render)(&calls(), &plain)).unwrap().contains("write_file")
}

/// Whether a dialect streams events, not lines.
fn sse(dialect: &Dialect) -> bool {
    dialect.stream_type.starts_with("text/event-stream")
}

fn check(sent: &Sent, leaves: Leaves, ends: Ends, place: &str, sse: bool) {
    let body = sent.body();
    let shorter = sent.unharmed.starts_with(&body) && body.len() < sent.unharmed.len();
    let at_an_event = || {
        body.is_empty()
            || body.ends_with(b"\n\n")
            || body.ends_with(b"\r\n\r\n")
            || (!sse && body.ends_with(b"\n"))
    };
    let as_wanted = match leaves {
        Unharmed => false,
        Head => body.is_empty(),
        Events => shorter && at_an_event(),
        Part => shorter,
        Inside => shorter && !at_an_event(),
        Otherwise => !sent.unharmed.starts_with(&body) && at_an_event(),
        All => body == sent.unharmed,
    };
    assert!(as_wanted, "{place}: {}", sent.text());
    assert!(sent.head.starts_with("HTTP/1.1 200 OK\r\n"), "{place}: what breaks breaks later");
    let (last, after) = (sent.faulted.plan.acts.last().unwrap(), sent.faulted.plan.after);
    let as_wanted = match ends {
        Whole => sent.whole && after == After::KeepAlive && matches!(last, Act::Write(_)),
        Told => sent.whole && after == After::Close && matches!(last, Act::Write(_)),
        Fin => !sent.whole && *last == Act::HalfClose,
        Reset => !sent.whole && *last == Act::Abort,
        Silent => !sent.whole && *last == Act::Stall,
    };
    assert!(as_wanted, "{place} ends with {last:?}, {after:?}");
    let arrives = fault(sent.faulted.names[0]).unwrap().arrives;
    assert_eq!(sent.faulted.delivered.is_some(), arrives != Arrives::Not, "{place}");
}

/// What leaves of words, streamed.
fn streamed(fault: Call<'_>, name: &str) -> Sent {
    played(&[fault], row(name), &words(), true).unwrap()
}

fn row(name: &str) -> &'static Dialect {
    dialect(name).unwrap()
}

#[test]
fn a_place_says_how_much_arrives() {
    for (at, events) in [("\"chunk 0\"", 0), ("\"chunk 3\"", 3), ("\"byte 9\"", 0), ("0", 0)] {
        for name in ["cut-clean", "stall-mid"] {
            let sent = streamed((name, &[("at", at)]), "openai-chat");
            assert_eq!(sent.events(), sent.unharmed_events()[..events], "{name} {at}");
        }
        let sent = streamed(("error-in-stream", &[("at", at)]), "openai-chat");
        assert_eq!(sent.events()[..events], sent.unharmed_events()[..events]);
        assert_eq!(sent.events().len(), events + 1);
    }
    assert_eq!(streamed(("cut-reset", &[("at", "\"byte 9\"")]), "openai-chat").text(), "data: {\"i");
    let most = streamed(("cut-clean", &[("at", "1.0")]), "openai-chat");
    assert_eq!(most.events().len() + 1, most.unharmed_events().len(), "never all of it");
}

#[test]
fn a_call_is_cut_half_way_through_its_arguments() {
    for (name, piece, whole) in [
        ("openai-chat", "/choices/0/delta/tool_calls/0/function/arguments", "/choices/0/finish_reason"),
        ("openai-responses", "/delta", "/arguments"),
        ("anthropic-messages", "/delta/partial_json", "/delta/stop_reason"),
    ] {
        let sent = played(&[("cut-mid-tool", &[])], row(name), &calls(), true).unwrap();
        let mut arrived = String::new();
        for event in sent.events() {
            let tape = parse(event.data.as_bytes()).unwrap();
            arrived.push_str(&tape.root().at(piece).and_then(|text| text.as_str()).unwrap_or_default());
            assert!(tape.root().at(whole).is_none_or(|end| end.is_null()), "{name}: {}", event.data);
        }
        let all = &calls().calls[0].arguments;
        assert!(all.starts_with(&arrived), "{name}: {arrived}");
        let half = all.len() / 2;
        assert!((half - 8..=half + 4).contains(&arrived.len()), "{name}: {arrived}");
    }
    for lines in ["sse-keepalive-comment", "sse-crlf", "sse-multiline-data"] {
        let cut =
            |faults: &[Call<'_>]| played(faults, row("openai-chat"), &calls(), true).unwrap().events().len();
        assert_eq!(cut(&[(lines, &[]), ("cut-mid-tool", &[])]), cut(&[("cut-mid-tool", &[])]), "{lines}");
    }
    let sent = played(&[("cut-mid-tool", &[])], row("google-gemini"), &calls(), true).unwrap();
    assert!(
        sent.events().is_empty() && sent.text().contains("notes.txt") && !sent.text().contains("other.txt")
    );
    let mut empty = calls();
    "{}".clone_into(&mut empty.calls[0].arguments);
    let sent = played(&[("cut-mid-tool", &[])], row("openai-chat"), &empty, true).unwrap();
    assert!(
        sent.text().contains("write_file") && !sent.text().contains("read_file"),
        "before its only piece"
    );
}

#[test]
fn a_failing_stream_says_so_in_its_own_form() {
    let last = |fault: &str, name: &str| {
        let sent = streamed((fault, &[]), name);
        let (last, before) =
            sent.events().split_last().map(|(last, rest)| (last.clone(), rest.len())).unwrap();
        (last.kind, last.data, before)
    };
    for fault in ["error-in-stream", "failed-event-open-socket"] {
        let (kind, data, _) = last(fault, "openai-chat");
        assert_eq!(kind, "message");
        assert!(data.starts_with(r#"{"error": {"message": "The server had an error"#), "{data}");
        let (kind, data, _) = last(fault, "anthropic-messages");
        assert_eq!(kind, "error");
        assert!(data.starts_with(r#"{"type":"error","error":{"type":"api_error","#), "{data}");
        let (kind, data, _) = last(fault, "google-gemini");
        assert_eq!(kind, "message");
        assert!(data.starts_with(r#"{"error":{"code":500,"#), "{data}");
        let (kind, data, before) = last(fault, "openai-responses");
        let tape = parse(data.as_bytes()).unwrap();
        let at = |pointer| tape.root().at(pointer).unwrap();
        assert!(kind == "response.failed" && at("/type").is_str(&kind));
        assert_eq!(at("/sequence_number").as_i64(), i64::try_from(before).ok());
        assert!(at("/response/status").is_str("failed") && at("/response/error/code").is_str("server_error"));
    }
    let events = streamed(("error-in-stream", &[]), "openai-responses").events();
    let said = &events[events.len() - 2];
    assert!(said.kind == "error" && said.data.contains(r#""code":"server_error","message":"The server"#));
    let (kind, data, before) = last("error-in-stream-anthropic", "anthropic-messages");
    assert_eq!(data, r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#);
    assert!(kind == "error" && before == 1, "behind the first event, before any words");
}

#[test]
fn a_finish_reason_can_be_null_or_missing() {
    let null = streamed(("done-no-finish", &[]), "openai-chat").text();
    let nulls = null.matches("\"finish_reason\":null").count();
    assert!(
        null.ends_with("data: [DONE]\n\n") && nulls == null.matches("finish_reason").count() && nulls > 2
    );
    let absent = streamed(("done-no-finish", &[("absent", "true")]), "openai-chat").text();
    assert!(!absent.contains("finish_reason") && absent.contains("\"delta\":{}"));
}

#[test]
fn comments_come_at_intervals_and_then_nothing() {
    let set = &[("at", "\"chunk 2\""), ("every", "7"), ("comments", "5")];
    let sent = streamed(("stall-keepalive-only", set), "openai-chat");
    assert_eq!(sent.events(), sent.unharmed_events()[..2]);
    assert_eq!(sent.writes.len(), 6);
    assert!(sent.writes[1..].iter().all(|write| write == b": keepalive\n\n"));
    let waits = |sent: &Sent| {
        let wait = |act: &Act| if let Act::Wait(wait) = act { Some(*wait) } else { None };
        sent.faulted.plan.acts.iter().filter_map(wait).collect::<Vec<_>>()
    };
    assert_eq!(waits(&sent), [Duration::from_millis(7); 5]);
    let slow = streamed(("slow-drip", &[("wait", "3")]), "openai-chat");
    assert_eq!(waits(&slow), vec![Duration::from_millis(3); slow.unharmed_events().len()]);
    assert!(played(&[("slow-drip", &[("wait", "0")])], row("openai-chat"), &words(), true).is_none());
}

#[test]
fn a_provider_without_resources_breaks_off() {
    let sent = streamed(("insufficient-system-resource", &[]), "openai-chat");
    assert!(sent.text().contains("\"finish_reason\":\"insufficient_system_resource\""));
    assert!(sent.text().contains("a wh") && !sent.text().contains("here"), "half of the words");
    let plain =
        played(&[("insufficient-system-resource", &[])], row("openai-chat"), &calls(), false).unwrap();
    assert!(!plain.text().contains("write_file"), "no call that could be run");
}

#[test]
fn framing_and_death_go_together() {
    for dialect in DIALECTS.iter().filter(|dialect| sse(dialect)) {
        let faults: [Call<'_>; 3] =
            [("sse-crlf", &[]), ("utf8-split", &[]), ("cut-reset", &[("at", "0.98")])];
        let mut reply = words();
        reply.text = Some("😀 first, then more".to_owned());
        let sent = played(&faults, dialect, &reply, true).unwrap();
        let text = sent.text();
        assert!(text.contains("\r\n\r\n") && !text.replace("\r\n", "").contains('\n'), "{}", dialect.name);
        assert!(
            sent.writes[0].ends_with(&"😀".as_bytes()[..2])
                && sent.writes[1].starts_with(&"😀".as_bytes()[2..])
        );
        assert_eq!(sent.faulted.plan.acts.last(), Some(&Act::Abort));
        assert!(
            sent.faulted.names.ends_with(&["utf8-split", "cut-reset"]) && sent.faulted.delivered.is_none()
        );
        for cut in ["cut-clean", "stall-mid"] {
            for lines in ["sse-crlf", "sse-cr-only", "sse-crlf-split", "sse-byte-drip"] {
                let Some(sent) = played(&[(lines, &[]), (cut, &[])], dialect, &words(), true) else {
                    continue;
                };
                let events = sent.events();
                assert_eq!(events, sent.unharmed_events()[..events.len()], "{lines} {cut} {}", dialect.name);
                assert!(lines != "sse-byte-drip" || sent.chunks == sent.body().len());
                let twice =
                    [b"\n\n".as_slice(), b"\r\n\r\n", b"\r\r"].iter().any(|end| sent.body().ends_with(end));
                assert!(twice && !events.is_empty(), "{lines} {cut} {}", dialect.name);
            }
        }
    }
}
