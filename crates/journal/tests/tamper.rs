//! A changed byte anywhere is found; a kill leaves a journal that still reads, and says where it was cut.

use rehearsal_journal::body::shared;
use rehearsal_journal::chain::Chain;
use rehearsal_journal::digest;
use rehearsal_journal::event::{Asked, Body, Event, Kind, Opened};
use rehearsal_journal::verify::{Fault, Verified, Verifier};

fn opened(segment: u32) -> Event {
    Event::Opened(Opened {
        run: "20261129-201500-a1b2c3".to_owned(),
        case: Some("hello".to_owned()),
        seed: 7,
        unix_ms: 1_796_000_000_000,
        program: "rehearsal 0.1.0".to_owned(),
        segment,
    })
}

fn asked(exchange: u64, body: Option<Body>) -> Event {
    Event::Asked(Box::new(Asked {
        exchange,
        conn: 1,
        method: "POST".to_owned(),
        path: "/v1/chat/completions".to_owned(),
        body,
        n_messages: 1,
        http_status: Some(200),
        ..Asked::of(Kind::Background)
    }))
}

/// A small journal in order, with its bodies.
fn journal() -> (Vec<u8>, Vec<u8>) {
    let (mut chain, mut lines, mut new_bytes) = (Chain::new(), Vec::new(), Vec::new());
    chain.line(0, &opened(1), &mut lines);
    let mut last: &[u8] = b"";
    for (exchange, body) in [(1, &b"{\"say\":\"one\"}"[..]), (2, b"{\"say\":\"two words\"}")] {
        let (head, tail) = shared(last, body);
        let at = new_bytes.len() as u64;
        new_bytes.extend_from_slice(&body[head..body.len() - tail]);
        let sha256 = digest::text(&digest::of(body));
        let body_line = Body { len: body.len() as u64, sha256, head: head as u64, tail: tail as u64, at };
        chain.line(exchange * 10, &asked(exchange, Some(body_line)), &mut lines);
        last = body;
    }
    chain.line(99, &Event::Closed { requests: 2 }, &mut lines);
    (lines, new_bytes)
}

fn verify(lines: &[u8], new_bytes: &[u8]) -> Result<Verified, Fault> {
    let mut verifier = Verifier::new();
    verifier.segment(lines, Some(new_bytes), |_, _| {})?;
    verifier.finish()
}

#[test]
fn a_whole_journal_is_accepted() {
    let (lines, new_bytes) = journal();
    let verified = verify(&lines, &new_bytes).unwrap();
    assert_eq!((verified.lines, verified.requests, verified.closed, verified.cut), (4, 2, true, None));
    assert_eq!(verified.case.as_deref(), Some("hello"));
    assert!(String::from_utf8(lines).unwrap().contains(&format!("\"sum\":\"{}\"", verified.head)));
}

#[test]
fn every_changed_byte_of_the_lines_is_refused() {
    let (lines, new_bytes) = journal();
    for place in 0..lines.len() {
        for flip in [0x01, 0x20, 0x80, lines[place] ^ b'\n', lines[place] ^ b'"'] {
            if flip == 0 {
                continue;
            }
            let mut changed = lines.clone();
            changed[place] ^= flip;
            assert!(verify(&changed, &new_bytes).is_err(), "byte {place} ^ {flip:#x} passed");
        }
    }
}

#[test]
fn every_changed_missing_or_further_byte_of_the_bodies_is_refused() {
    let (lines, new_bytes) = journal();
    for place in 0..new_bytes.len() {
        let mut changed = new_bytes.clone();
        changed[place] ^= 1;
        assert!(verify(&lines, &changed).is_err(), "byte {place} passed");
        assert!(verify(&lines, &new_bytes[..place]).is_err(), "cut at {place} passed");
    }
    let longer = [&new_bytes[..], b"x"].concat();
    assert_eq!(
        verify(&lines, &longer).unwrap_err().to_string(),
        "line 4: the bodies hold 1 bytes that no line speaks of"
    );
}

#[test]
fn a_kill_at_any_byte_leaves_a_readable_journal_and_the_place_of_the_cut() {
    let (lines, new_bytes) = journal();
    let first = lines.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for end in first..lines.len() {
        let verified =
            verify(&lines[..end], &new_bytes).unwrap_or_else(|fault| panic!("cut at {end}: {fault}"));
        let whole = lines[..end].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
        let expected = (whole < end).then_some(whole as u64);
        assert_eq!((verified.cut, verified.closed), (expected, false), "cut at {end}");
    }
}

#[test]
fn each_fault_is_one_clear_sentence() {
    let (lines, _) = journal();
    let text = String::from_utf8(lines).unwrap();
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    let told = |lines: &[&str]| {
        let mut verifier = Verifier::new();
        let end = verifier.segment(lines.concat().as_bytes(), None::<&[u8]>, |_, _| {});
        end.and_then(|()| verifier.finish()).unwrap_err().to_string()
    };
    assert_eq!(told(&[rows[0], rows[2]]), "line 2: its number jumps from 1 to 3");
    assert_eq!(told(&[rows[0], rows[2], rows[1]]), "line 2: its number jumps from 1 to 3");
    assert_eq!(told(&[rows[1]]), "line 1: a segment must begin with its opening");
    assert_eq!(told(&[&rows[0].replace("hello", "hallo")]), "line 1: its sum does not match");
    let newer = rows[0].replacen("\"v\":1", "\"v\":9", 1);
    assert_eq!(told(&[&newer]), "line 1: written in format version 9, this program reads up to version 1");
    assert_eq!(told(&[rows[0], "rubbish"]), "line 2: the bytes at the end are not the beginning of a line");
    assert_eq!(told(&[&text, "{\"v\":1"]), "line 5: the bytes at the end are not the beginning of a line");
    assert_eq!(told(&[rows[0], "\n"]), "line 2: not a journal line: it does not begin with its version");
    assert_eq!(told(&[]), "line 1: there is no whole line");
}

/// Lines of one chain with these events.
fn chained(events: &[Event]) -> String {
    let (mut chain, mut lines) = (Chain::new(), Vec::new());
    for event in events {
        chain.line(1, event, &mut lines);
    }
    String::from_utf8_lossy(&lines).into_owned()
}

#[test]
fn what_a_correct_chain_may_not_say_is_refused() {
    let told = |events: &[Event]| {
        let mut verifier = Verifier::new();
        let end = verifier.segment(chained(events).as_bytes(), None::<&[u8]>, |_, _| {});
        end.unwrap_err().to_string()
    };
    let close = |requests| Event::Closed { requests };
    assert_eq!(told(&[opened(1), opened(2)]), "line 2: it opens a segment inside a segment");
    assert_eq!(
        told(&[opened(1), asked(1, None), close(2)]),
        "line 3: it closes a journal of 2 requests, but there are 1"
    );
    assert_eq!(told(&[opened(1), close(0), close(0)]), "line 3: it stands behind the closing line");
    assert_eq!(told(&[opened(2)]), "line 1: it follows another line than the one before it");
}

#[test]
fn segments_go_on_with_the_head_of_the_one_before_and_can_begin_late() {
    let events = [opened(1), asked(1, None), opened(2), asked(2, None), Event::Closed { requests: 2 }];
    let text = chained(&events);
    let rows: Vec<&str> = text.split_inclusive('\n').collect();
    let (first, second) = (rows[..2].concat(), rows[2..].concat());
    let run = |segments: &[&str]| {
        let mut verifier = Verifier::new();
        for segment in segments {
            verifier.segment(segment.as_bytes(), None::<&[u8]>, |_, _| {})?;
        }
        verifier.finish()
    };
    let both = run(&[&first, &second]).unwrap();
    assert_eq!((both.lines, both.requests, both.closed, both.first_segment), (5, 2, true, 1));
    let late = run(&[&second]).unwrap();
    assert_eq!((late.lines, late.requests, late.first_segment), (3, 1, 2));
    assert_eq!(late.head, both.head);
    assert_eq!(run(&[&second, &first]).unwrap_err().to_string(), "line 1: it stands behind the closing line");
    assert_eq!(run(&[&first, &first]).unwrap_err().to_string(), "line 1: its number jumps from 2 to 1");
    let cut = &first[..first.len() - 5];
    assert_eq!(
        run(&[cut, &second]).unwrap_err().to_string(),
        "line 2: it is cut short, but another segment follows"
    );
}

#[test]
fn a_line_without_end_is_refused_before_it_fills_the_memory() {
    let endless = std::io::BufReader::new(std::io::repeat(b'x'));
    let mut verifier = Verifier::new();
    let fault = verifier.segment(endless, None::<&[u8]>, |_, _| {}).unwrap_err();
    assert_eq!(fault.to_string(), "line 1: it is longer than 16777216 bytes");
}
