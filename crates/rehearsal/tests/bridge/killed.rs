//! `kill -9` at random moments: between the request and the last byte of its answer, and before, and after.
//!
//! REHEARSAL_TEST_KILLS sets how often (500, about a minute), REHEARSAL_TEST_SEED repeats the moments of a run that failed.

use crate::stand::{ALIAS, CHAT, Got, Stand, body, case, marker};
use crate::upstream::{Asked, MODEL, Step, chunks, completion, event, head, open_chunks};
use rehearsal_journal::bridge::Fact;
use rehearsal_testkit::dice::{Dice, kills};
use std::collections::BTreeSet;
use std::time::Duration;

/// An answer that takes some milliseconds and comes in many pieces.
fn slow(asked: &Asked) -> Vec<Step> {
    let think = || Step::Think(Duration::from_micros(400));
    let mut steps = vec![think()];
    if asked.wants_stream() {
        steps.push(Step::Say(head("text/event-stream", "Transfer-Encoding: chunked")));
        for number in 0..8 {
            steps.extend([think(), Step::Say(open_chunks(&event(&format!("word{number}"))))]);
        }
        steps.extend([think(), Step::Say(chunks(b"data: [DONE]\n\n"))]);
    } else {
        steps.push(Step::Say(head("application/json", &format!("Content-Length: {}", completion().len()))));
        for piece in completion().chunks(40) {
            steps.extend([think(), Step::Say(piece.to_vec())]);
        }
    }
    steps
}

/// What of a body a client has, of an answer that may be cut anywhere.
fn received(bytes: &[u8]) -> Vec<u8> {
    let Some(end) = bytes.windows(4).position(|four| four == b"\r\n\r\n") else { return Vec::new() };
    let seen = rehearsal_testkit::Seen { bytes: bytes.to_vec(), end: rehearsal_testkit::End::Reset };
    if end == 0 { Vec::new() } else { Got::of(&seen).body }
}

/// All that the record kept for a client of this case or lane.
fn kept(stand: &Stand, case: &str) -> Vec<u8> {
    let folder = stand.data.join("private/exchanges");
    let ending = format!("-{case}.served");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut served: Vec<_> = files.filter(|path| path.to_string_lossy().ends_with(&ending)).collect();
    assert!(served.len() <= 1, "{served:?}");
    served.pop().map(|path| std::fs::read(path).unwrap()).unwrap_or_default()
}

#[test]
#[expect(clippy::too_many_lines, reason = "one round, from its start to its next")]
fn killed_at_any_moment_nothing_is_forwarded_twice_and_nothing_served_is_lost() {
    let (rounds, mut dice) = (usize::try_from(kills(500)).unwrap(), Dice::thrown());
    let seed = dice.seed();
    eprintln!("REHEARSAL_TEST_SEED={seed}");
    let stand = Stand::cases("killed", rounds);
    stand.upstream.plays(slow);
    let (mut lost, mut whole, mut unspent) = (0, 0, 0);
    let mut running = stand.start();
    for at in 0..rounds {
        let streamed = dice.below(2) == 0;
        assert_eq!(running.arm(&case(at)).status, 200);
        let request = running.bytes("POST", CHAT, &[], &body(at, streamed).to_string());
        let mut client = running.client();
        let moment = Duration::from_micros(dice.below(16_000));
        let reader = std::thread::spawn(move || {
            drop(client.try_send(request.as_bytes()));
            client.read_to_end().bytes
        });
        std::thread::park_timeout(moment);
        running.kill();
        let bytes = reader.join().unwrap();
        let (got, served) = (received(&bytes), kept(&stand, &case(at)));
        let what =
            format!("round {at} of REHEARSAL_TEST_SEED={seed}, killed after {moment:?}, streamed {streamed}");
        assert!(served.starts_with(&got), "{what}: the client has what the record has not");
        running = stand.start();
        let forwards = stand.upstream.asked(&marker(at)).len();
        assert!(forwards <= 1, "{what}: {forwards} forwards");
        let again = running.post(&body(at, !streamed));
        let after = stand.upstream.asked(&marker(at)).len();
        match again.status {
            // Killed before the budget was spent: it is still armed, and this is its one forward.
            200 => {
                assert_eq!((forwards, after), (0, 1), "{what}");
                assert!(got.is_empty(), "{what}");
                unspent += 1;
            }
            _ => {
                assert_eq!(again.refusal(), (409, "case_budget_consumed".to_owned()), "{what}");
                assert_eq!(after, forwards, "{what}");
            }
        }
        assert_eq!(running.arm(&case(at)).refusal(), (409, "case_budget_consumed".to_owned()), "{what}");
        lost += usize::from(forwards == 1 && got.is_empty());
        whole += usize::from(!got.is_empty());
    }
    running.kill();
    drop(stand.start());
    eprintln!(
        "{rounds} kills: {unspent} before the budget was spent, {lost} before a byte was served, {whole} after"
    );
    stand.verify();
    // Whatever was reserved came to an end or is marked.
    let (mut reserved, mut over) = (BTreeSet::new(), BTreeSet::new());
    for fact in stand.facts() {
        let known = match fact {
            Fact::Reserved { sequence, .. } => reserved.insert(sequence),
            Fact::Interrupted { sequence, .. } => over.insert(sequence),
            Fact::Done(done) => !done.forwarded || over.insert(done.sequence),
            Fact::Began { .. }
            | Fact::Armed { .. }
            | Fact::Disarmed { .. }
            | Fact::Sent { .. }
            | Fact::Headed { .. } => true,
        };
        assert!(known, "said twice");
    }
    assert_eq!(reserved, over);
    assert_eq!(reserved.len(), rounds, "each case was spent once, in its round or by its retry");
}

/// Without a budget bytes go into a log first; files are made of them when there is time.
#[test]
fn killed_at_any_moment_what_no_budget_pays_for_is_kept_too() {
    let (rounds, mut dice) = (kills(500) / 10, Dice::thrown());
    let seed = dice.seed();
    eprintln!("REHEARSAL_TEST_SEED={seed}");
    let stand = Stand::open("killed-open", &["--alias", &format!("{ALIAS}={MODEL}")]);
    stand.upstream.plays(slow);
    let mut running = stand.start();
    let (mut served, mut whole) = (0, 0);
    for round in 0..rounds {
        let moment = Duration::from_micros(dice.below(20_000));
        let readers: Vec<_> = (0..4)
            .map(|number| {
                let lane = format!("lane-{round}-{number}");
                let target = format!("/t/{lane}{CHAT}");
                let request = running.bytes("POST", &target, &[], &body(number, number % 2 == 0).to_string());
                let mut client = running.client();
                let reader = std::thread::spawn(move || {
                    drop(client.try_send(request.as_bytes()));
                    client.read_to_end().bytes
                });
                (lane, reader)
            })
            .collect();
        std::thread::park_timeout(moment);
        running.kill();
        let got: Vec<_> = readers.into_iter().map(|(lane, reader)| (lane, reader.join().unwrap())).collect();
        running = stand.start();
        for (lane, bytes) in got {
            let (got, kept) = (received(&bytes), kept(&stand, &lane));
            assert!(kept.starts_with(&got), "{lane} of REHEARSAL_TEST_SEED={seed}, killed after {moment:?}");
            served += usize::from(!got.is_empty());
            whole += usize::from(got.ends_with(b"[DONE]\n\n"));
        }
        // Nothing stays in the log once it is in files.
        let left = std::fs::read_dir(stand.data.join("private/traffic")).unwrap().count();
        assert!(left <= 1, "{left} segments are left");
    }
    eprintln!(
        "{rounds} kills of four clients each: {served} had something of their answer, {whole} a whole stream"
    );
    running.kill();
    drop(stand.start());
    stand.verify();
}

#[test]
fn killed_while_it_starts_it_starts_again() {
    let mut dice = Dice::thrown();
    eprintln!("REHEARSAL_TEST_SEED={}", dice.seed());
    let stand = Stand::cases("killed-starting", 1);
    let mut kill = |rounds: u64| {
        for _ in 0..rounds {
            let mut child = stand.command(0).spawn().unwrap();
            std::thread::park_timeout(Duration::from_micros(dice.below(25_000)));
            child.kill().unwrap();
            child.wait().unwrap();
        }
    };
    kill(30);
    let running = stand.start();
    assert_eq!(running.send(0, true).status, 200);
    stand.forwarded(&case(0));
    running.kill();
    kill(30);
    let running = stand.start();
    running.is_spent(&stand, 0, 1);
    let names = crate::once::all_files(&stand.data);
    assert!(!names.keys().any(|path| path.to_string_lossy().ends_with(".part")), "{:?}", names.keys());
}
