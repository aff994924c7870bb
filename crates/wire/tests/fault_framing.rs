//! The framing faults: what leaves, and what our own reader of events makes of it.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a helper of tests fails as they do")]

mod playing;

use playing::{Call, Sent, calls, played, words};
use rehearsal_wire::act::Act;
use rehearsal_wire::dialect::{DIALECTS, dialect};
use rehearsal_wire::fault::{FAULTS, Group, fault};
use rehearsal_wire::json::{Likeness, likeness, parse};
use rehearsal_wire::reply::{Envelope, Reply};

/// What a reader makes of a stream, against the stream without the fault.
#[derive(Clone, Copy)]
enum Reads {
    /// The same events.
    Same,
    /// The same JSON, written otherwise.
    Alike,
    /// The same events with this data before them.
    After(&'static str),
    /// The same events with this data behind them.
    Before(&'static str),
    /// The same events but the last.
    WithoutLast,
    /// The last event has this data.
    Last(&'static str),
    /// The same events, and one of them again.
    Again,
    /// One JSON, no event.
    Json,
    /// The same events where lines end with LF; nothing is broken where they end with CR LF already.
    SameFromLf,
    /// Nothing is broken where a stream was asked for.
    Unharmed,
}

/// Each fault, what is read in dialects that end with `[DONE]`, and in those that do not.
const READS: &[(&str, Reads, Reads)] = &[
    ("sse-keepalive-comment", Reads::Same, Reads::Same),
    ("sse-comment-as-data", Reads::After(": OPENROUTER PROCESSING"), Reads::After(": OPENROUTER PROCESSING")),
    ("sse-event-keepalive-empty", Reads::Same, Reads::Same),
    ("sse-crlf", Reads::SameFromLf, Reads::SameFromLf),
    ("sse-cr-only", Reads::Same, Reads::Same),
    ("sse-crlf-split", Reads::Same, Reads::Same),
    ("sse-no-space", Reads::Same, Reads::Same),
    ("sse-multiline-data", Reads::Alike, Reads::Alike),
    ("sse-byte-drip", Reads::Same, Reads::Same),
    ("utf8-split", Reads::Same, Reads::Same),
    ("sse-long-line", Reads::Alike, Reads::Alike),
    ("done-missing", Reads::WithoutLast, Reads::Unharmed),
    ("done-then-open", Reads::Same, Reads::Same),
    ("done-as-json", Reads::Last("DONE"), Reads::Before("[DONE]")),
    ("data-after-done", Reads::Again, Reads::Again),
    ("stream-wrong-content-type", Reads::Same, Reads::Same),
    ("json-when-stream", Reads::Json, Reads::Json),
    ("sse-when-json", Reads::Unharmed, Reads::Unharmed),
];

/// Those that also break an answer that is no stream.
const PLAIN: &[&str] = &["utf8-split", "sse-when-json"];

#[test]
fn the_reader_makes_of_each_what_its_row_claims() {
    let rows = FAULTS.iter().filter(|row| row.group == Group::Framing).map(|row| row.name);
    assert!(rows.eq(READS.iter().map(|(name, ..)| *name)), "each row, in its order");
    for dialect in DIALECTS.iter().filter(|dialect| dialect.stream_type.starts_with("text/event-stream")) {
        let done = (dialect.stream)(&words(), &plain())
            .iter()
            .last()
            .is_some_and(|last| last == b"data: [DONE]\n\n");
        for (name, with_done, without) in READS {
            let reads = if done { with_done } else { without };
            if !fault(name).unwrap().dialects.include(dialect.name) {
                assert!(matches!(reads, Reads::Unharmed), "{name}");
                continue;
            }
            for reply in [words(), calls()] {
                let sent = played(&[(name, &[])], dialect, &reply, true);
                let place = format!("{name} in {}", dialect.name);
                check(*reads, sent.as_ref(), &place);
                let plain = played(&[(name, &[])], dialect, &reply, false);
                assert_eq!(plain.is_some(), PLAIN.contains(name), "{place}, plain");
            }
        }
    }
}

fn check(reads: Reads, sent: Option<&Sent>, place: &str) {
    let crlf = matches!(reads, Reads::SameFromLf) && place.ends_with("google-gemini");
    if crlf || matches!(reads, Reads::Unharmed) {
        return assert!(sent.is_none(), "{place}");
    }
    let sent = sent.unwrap_or_else(|| panic!("{place} breaks nothing"));
    assert_eq!(sent.whole, !place.starts_with("done-then-open"), "{place}");
    let (events, mut unharmed) = (sent.events(), sent.unharmed_events());
    let data: Vec<&str> = events.iter().map(|event| event.data.as_str()).collect();
    match reads {
        Reads::Same | Reads::SameFromLf => assert_eq!(events, unharmed, "{place}"),
        Reads::Alike => {
            assert_ne!(events, unharmed, "{place}");
            assert_eq!(events.len(), unharmed.len(), "{place}");
            for (event, was) in events.iter().zip(&unharmed).filter(|(event, was)| event != was) {
                let (event, was) =
                    (parse(event.data.as_bytes()).unwrap(), parse(was.data.as_bytes()).unwrap());
                assert_eq!(likeness(event.root(), was.root()), Likeness::Same, "{place}");
            }
        }
        Reads::After(word) => assert!(data[0] == word && events[1..] == unharmed, "{place}: {data:?}"),
        Reads::Before(word) => {
            let (last, rest) = events.split_last().unwrap();
            assert!(last.data == word && rest == unharmed, "{place}: {data:?}");
        }
        Reads::WithoutLast => {
            unharmed.pop();
            assert_eq!(events, unharmed, "{place}");
        }
        Reads::Last(word) => {
            word.clone_into(&mut unharmed.last_mut().unwrap().data);
            assert_eq!(events, unharmed, "{place}");
        }
        Reads::Again => {
            let (last, rest) = events.split_last().unwrap();
            assert!(rest == unharmed && rest.contains(last), "{place}: {data:?}");
        }
        Reads::Json => {
            assert!(parse(&sent.body()).is_ok() && sent.head.contains("content-type: application/json"));
            assert!(!sent.head.contains("cache-control"), "{place}");
        }
        Reads::Unharmed => unreachable!("checked first"),
    }
}

/// What leaves of words in the chat dialect, streamed.
fn chat(fault: Call<'_>) -> Sent {
    played(&[fault], dialect("openai-chat").unwrap(), &words(), true).unwrap()
}

/// The lines of a stream with their ends.
fn lines(sent: &Sent) -> Vec<String> {
    sent.text().split_inclusive('\n').map(str::to_owned).collect()
}

#[test]
fn comments_and_empty_events_stand_before_every_event() {
    for (fault, before) in [
        (("sse-keepalive-comment", &[][..]), ": ping\n\n"),
        (("sse-keepalive-comment", &[("comment", "\"\"")][..]), ":\n\n"),
        (("sse-keepalive-comment", &[("comment", r#""A\nB""#)][..]), ": A B\n\n"),
        (("sse-event-keepalive-empty", &[][..]), "event: keepalive\n\n"),
    ] {
        let sent = chat(fault);
        let unharmed = String::from_utf8(sent.unharmed.clone()).unwrap();
        let wanted: String =
            unharmed.split_inclusive("\n\n").map(|event| format!("{before}{event}")).collect();
        assert_eq!(sent.text(), wanted);
    }
    let text = chat(("sse-comment-as-data", &[])).text();
    assert!(text.starts_with("data: : OPENROUTER PROCESSING\n\ndata: {\"id\":"), "{text}");
}

#[test]
fn line_ends_are_the_named_ones_and_no_others() {
    let text = chat(("sse-crlf", &[])).text();
    assert!(text.ends_with("data: [DONE]\r\n\r\n") && !text.replace("\r\n", "").contains(['\r', '\n']));
    let text = chat(("sse-cr-only", &[])).text();
    assert!(text.ends_with("data: [DONE]\r\r") && !text.contains('\n'));
    let twice = played(
        &[("sse-crlf", &[]), ("sse-crlf-split", &[])],
        dialect("openai-chat").unwrap(),
        &words(),
        true,
    );
    assert!(!twice.unwrap().text().contains("\r\r"), "a line ends once");
}

#[test]
fn a_line_end_is_cut_between_writes_and_between_chunks() {
    let sent = chat(("sse-crlf-split", &[("apart", "2")]));
    assert_eq!(sent.writes.len(), 3);
    for pair in sent.writes.windows(2) {
        assert!(pair[0].ends_with(b"\r") && pair[1].starts_with(b"\n"));
    }
    assert_eq!(sent.chunks, sent.unharmed_events().len() * 3, "two cuts in each event");
    let waits =
        sent.faulted.plan.acts.iter().filter(|act| matches!(act, Act::Wait(wait) if wait.as_millis() == 20));
    assert_eq!(waits.count(), 2);
}

#[test]
fn fields_stand_as_the_row_says() {
    let messages = dialect("anthropic-messages").unwrap();
    let sent = played(&[("sse-no-space", &[])], messages, &words(), true).unwrap();
    assert!(sent.text().starts_with("event:message_start\ndata:{\"type\":\"message_start\""));
    assert!(lines(&sent).iter().all(|line| !line.starts_with("event: ") && !line.starts_with("data: ")));
    let sent = chat(("sse-multiline-data", &[]));
    let parted = lines(&sent).iter().filter(|line| line.starts_with("data: \"object\"")).count();
    assert_eq!(parted, sent.events().len() - 1, "all but the word at the end");
}

#[test]
fn bytes_drip_one_by_one() {
    let sent = chat(("sse-byte-drip", &[("apart", "40")]));
    assert_eq!(sent.chunks, sent.body().len());
    assert!(sent.writes[0].is_empty(), "the head leaves alone");
    let (drops, rest) = sent.writes[1..].split_at(39);
    assert!(drops.iter().all(|write| write.len() == 1) && rest.len() == 1);
    assert_eq!(sent.body(), sent.unharmed);
    let long = [("sse-long-line", &[("bytes", "70000")][..]), ("sse-byte-drip", &[])];
    let sent = played(&long, dialect("openai-chat").unwrap(), &words(), true).unwrap();
    assert!(sent.chunks == (64 << 10) + 1 && sent.body().len() > 70_000, "the rest comes at once");
}

fn plain() -> Envelope {
    Envelope::plain("id".to_owned(), 0, "\"m\"".to_owned())
}

const EMOJI: &[u8] = "😀".as_bytes();

#[test]
fn a_wide_character_is_cut_wherever_it_stands() {
    for stream in [false, true] {
        for (reply, cuts) in [(words(), 1), (calls(), 1), (wide_arguments(), 2)] {
            for dialect in DIALECTS {
                let Some(sent) = played(&[("utf8-split", &[])], dialect, &reply, stream) else {
                    let body = (dialect.render)(&reply, &plain());
                    assert!(
                        !body.windows(4).any(|four| four == EMOJI),
                        "{}: a wide character leaves",
                        dialect.name
                    );
                    continue;
                };
                assert_eq!(sent.body(), sent.unharmed);
                assert!(sent.writes.len() > cuts, "{}", dialect.name);
                let (last, cut) = sent.writes.split_last().unwrap();
                let (head, tail) = EMOJI.split_at(2);
                for (nth, write) in cut.iter().enumerate() {
                    assert!(write.ends_with(head) && (nth == 0 || write.starts_with(tail)));
                }
                assert!(last.starts_with(tail) && sent.whole);
            }
        }
    }
    let delivered = chat(("utf8-split", &[])).faulted.delivered.unwrap();
    assert_eq!(delivered.text.as_deref(), Some("It took a while, but here it is. 😀"));
}

/// Calls whose arguments hold characters of four bytes.
fn wide_arguments() -> Reply {
    let mut reply = calls();
    reply.calls[0].arguments = r#"{"path": "😀😀.txt"}"#.to_owned();
    reply
}

#[test]
fn one_line_is_as_long_as_the_row_says() {
    for (set, length) in [(&[][..], 66_000), (&[("bytes", "1048577")][..], 1_048_577)] {
        let longest = lines(&chat(("sse-long-line", set))).iter().map(|line| line.len() - 1).max();
        assert_eq!(longest, Some(length));
    }
    let short =
        played(&[("sse-long-line", &[("bytes", "9")])], dialect("openai-chat").unwrap(), &words(), true);
    assert!(short.is_none(), "a line that is longer already");
}

#[test]
fn ends_of_streams_are_the_named_ones() {
    assert!(!chat(("done-missing", &[])).text().contains("[DONE]"));
    assert!(chat(("done-as-json", &[])).text().ends_with("data: DONE\n\n"));
    let again = chat(("data-after-done", &[])).text();
    assert!(again.rsplit("data: [DONE]\n\n").next().unwrap().starts_with("data: {\"id\":"), "{again}");
    let open = chat(("done-then-open", &[]));
    assert_eq!(open.faulted.plan.acts.last(), Some(&Act::Stall));
    assert!(!open.whole && open.body() == open.unharmed);
}

#[test]
fn types_and_forms_are_not_what_was_asked_for() {
    let typed = |set| chat(("stream-wrong-content-type", set)).head;
    assert!(typed(&[]).contains("content-type: application/json\r\n"));
    assert!(typed(&[("type", "\"text/plain\"")]).contains("content-type: text/plain\r\n"));
    for dialect in DIALECTS {
        let sent = played(&[("sse-when-json", &[])], dialect, &words(), false).unwrap();
        assert!(sent.head.contains("content-type: text/event-stream\r\n") && sent.chunks == 2 && sent.whole);
        let data: Vec<String> = sent.events().into_iter().map(|event| event.data).collect();
        assert_eq!(data, [String::from_utf8(sent.unharmed).unwrap().replace('\n', " "), "[DONE]".to_owned()]);
    }
}
