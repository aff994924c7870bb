//! The reader of server-sent events against the WHATWG standard, in any chunking.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as they do")]

use proptest::prelude::*;
use rehearsal_wire::sse::{EventTooLong, SseEvent, SseReader};

fn read(bytes: &[u8]) -> Vec<SseEvent> {
    let mut reader = SseReader::new(1 << 20);
    reader.feed(bytes).unwrap();
    std::iter::from_fn(|| reader.next_event()).collect()
}

fn event(kind: &str, data: &str, id: &str) -> SseEvent {
    SseEvent { kind: kind.to_owned(), data: data.to_owned(), id: id.to_owned() }
}

fn plain(data: &str) -> SseEvent {
    event("message", data, "")
}

#[test]
fn reads_as_the_standard_says() {
    let cases: &[(&[u8], Vec<SseEvent>)] = &[
        (b"data: a\n\n", vec![plain("a")]),
        (b"data: a\r\n\r\n", vec![plain("a")]),
        (b"data: a\r\r", vec![plain("a")]),
        (b"data: a\n\r\ndata: b\r\n\n", vec![plain("a"), plain("b")]),
        (b"data:a\n\n", vec![plain("a")]),
        (b"data:  a \n\n", vec![plain(" a ")]),
        (b"data: a\ndata: b\ndata\ndata:\n\n", vec![plain("a\nb\n\n")]),
        (b"data\n\n", vec![plain("")]),
        (b"data:\n\ndata: b\n\n", vec![plain(""), plain("b")]),
        (b": comment\n\ndata: a\n\n: ping\n\n", vec![plain("a")]),
        (b"data: a\n: inside\ndata: b\n\n", vec![plain("a\nb")]),
        (b"\n\n\ndata: a\n\n\n\n", vec![plain("a")]),
        (b"event: x\ndata: a\n\ndata: b\n\n", vec![event("x", "a", ""), plain("b")]),
        (b"event: x\n\ndata: b\n\n", vec![plain("b")]),
        (b"event: x\nevent:\ndata: b\n\n", vec![plain("b")]),
        (b"event: keepalive\n\n", vec![]),
        (
            b"id: 7\ndata: a\n\ndata: b\n\nid\ndata: c\n\n",
            vec![event("message", "a", "7"), event("message", "b", "7"), plain("c")],
        ),
        (b"id: 7\nid: 8\x009\ndata: a\n\n", vec![event("message", "a", "7")]),
        (b"Data: x\ndata : y\nfoo: z\ndata: a\n\n", vec![plain("a")]),
        (b"data: [DONE]\n\n", vec![plain("[DONE]")]),
        (b"data: never finished\n", vec![]),
        (b"data: a\n\ndata: never finished", vec![plain("a")]),
        (b"\xEF\xBB\xBFdata: a\n\n", vec![plain("a")]),
        (b"\xEF\xBB\xBF\xEF\xBB\xBFdata: a\n\ndata: b\n\n", vec![plain("b")]),
        (b"\xEF\xBBdata: a\n\ndata: b\n\n", vec![plain("b")]),
        ("data: \u{feff}é😀\n\n".as_bytes(), vec![plain("\u{feff}é😀")]),
        (b"data: \xFFa\n\n", vec![plain("\u{FFFD}a")]),
        (b"data: a\x00b\n\n", vec![plain("a\0b")]),
    ];
    for (bytes, wanted) in cases {
        assert_eq!(read(bytes), *wanted, "{:?}", String::from_utf8_lossy(bytes));
        let mut reader = SseReader::new(1 << 20);
        let single: Vec<SseEvent> = bytes
            .chunks(1)
            .flat_map(|byte| {
                reader.feed(byte).unwrap();
                reader.next_event()
            })
            .collect();
        assert_eq!(single, *wanted, "byte by byte: {:?}", String::from_utf8_lossy(bytes));
    }
}

#[test]
fn gives_an_event_at_its_carriage_return_without_waiting() {
    let mut reader = SseReader::new(100);
    reader.feed(b"data: a\r\r").unwrap();
    assert_eq!(reader.next_event(), Some(plain("a")));
    reader.feed(b"\ndata: b\r").unwrap();
    reader.feed(b"\n\r").unwrap();
    assert_eq!(reader.next_event(), Some(plain("b")));
    assert_eq!(reader.next_event(), None);
}

#[test]
fn keeps_the_last_reconnection_time() {
    let mut reader = SseReader::new(100);
    assert_eq!(reader.retry(), None);
    for (line, wanted) in [
        ("retry: 3000\n", 3000),
        ("retry: 1s\n", 3000),
        ("retry: -1\n", 3000),
        ("retry\n", 3000),
        ("retry:5\n", 5),
    ] {
        reader.feed(line.as_bytes()).unwrap();
        assert_eq!(reader.retry(), Some(wanted), "{line:?}");
    }
}

#[test]
fn tells_a_cut_stream_from_a_finished_one() {
    for (bytes, cut) in [
        ("", false),
        ("data: a\n\n", false),
        ("data: a\n\n: ping\n", false),
        ("data: a\n", true),
        ("da", true),
        ("event: x\n", true),
    ] {
        let mut reader = SseReader::new(100);
        reader.feed(bytes.as_bytes()).unwrap();
        assert_eq!(reader.is_mid_event(), cut, "{bytes:?}");
    }
}

#[test]
fn refuses_an_event_beyond_its_limit_and_all_after_it() {
    let too_long = Err(EventTooLong { limit: 20 });
    let mut reader = SseReader::new(20);
    assert_eq!(
        reader.feed(b"data: 0123456789\n\ndata: 0123456789\n\n"),
        Ok(()),
        "the limit is for one event"
    );
    assert_eq!(reader.feed(b"data: a\n\ndata: 0123456789012345"), too_long);
    assert_eq!(reader.feed(b"\n\n"), too_long);
    assert_eq!(std::iter::from_fn(|| reader.next_event()).count(), 3, "complete ones stay");
    let mut reader = SseReader::new(20);
    assert_eq!(reader.feed(b"data: 012345\ndata: 012345\ndata: 0123\n\n"), too_long, "lines add up");
    let mut reader = SseReader::new(20);
    let drip = (0..100).map(|_| reader.feed(b":")).collect::<Result<Vec<()>, _>>();
    assert_eq!(drip.map(|_| ()), too_long, "a comment without end too");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn reads_the_same_in_any_chunking(
        lines in prop::collection::vec("(data|event|id|retry|:|x|)(: ?)?[a-z0é😀]{0,6}(\r|\n|\r\n)(\r|\n|\r\n)?", 0..12),
        mark in any::<bool>(),
        cuts in prop::collection::vec(1..7_usize, 1..30),
    ) {
        let text = format!("{}{}", if mark { "\u{feff}" } else { "" }, lines.concat());
        let (mut reader, mut rest, mut events) = (SseReader::new(1 << 20), text.as_bytes(), Vec::new());
        for cut in cuts.iter().cycle() {
            let (now, later) = rest.split_at(rest.len().min(*cut));
            reader.feed(now).unwrap();
            events.extend(std::iter::from_fn(|| reader.next_event()));
            rest = later;
            if rest.is_empty() {
                break;
            }
        }
        prop_assert_eq!(events, read(text.as_bytes()));
    }

    #[test]
    fn gives_back_what_was_sent(messages in prop::collection::vec("[^\r\n]{0,20}(\n[^\r\n]{0,20}){0,2}", 0..6), end in prop::sample::select(&["\n", "\r\n", "\r"][..])) {
        let mut bytes = Vec::new();
        for message in &messages {
            for line in message.split('\n') {
                bytes.extend_from_slice(format!("data: {line}{end}").as_bytes());
            }
            bytes.extend_from_slice(end.as_bytes());
        }
        let got: Vec<String> = read(&bytes).into_iter().map(|event| event.data).collect();
        prop_assert_eq!(got, messages);
    }
}
