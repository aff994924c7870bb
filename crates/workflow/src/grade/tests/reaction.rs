//! Retries against the clock, and broken turns that come back.

use super::{CALLS, codes_of, good, phrasing, request};
use rehearsal_journal::fold::{Facts, Request};

/// Attempts at the first step, each so many milliseconds behind the end of the answer before, then the whole conversation.
fn attempts(waits_ms: &[u64], first: impl Fn(&mut Request)) -> Facts {
    let mut facts = good();
    let mut requests = vec![request(1, Some(0))];
    requests[0].api_error = Some(429);
    first(&mut requests[0]);
    for (i, wait) in waits_ms.iter().enumerate() {
        let before = requests[i].clone();
        let asked_us = before.left_us.unwrap_or(before.asked_us) + wait * 1000;
        let left_us = before.left_us.map(|_| asked_us + 1000);
        requests.push(Request {
            exchange: before.exchange + 1,
            attempt_of: Some(1),
            asked_us,
            left_us,
            ..before
        });
    }
    if let Some(last) = requests.last_mut() {
        (last.api_error, last.fault, last.retry_after_ms) = (None, None, None);
    }
    let last = requests.last().map_or(0, |last| last.exchange);
    requests.push(Request { asked_us: 60_000_000, ..request(last + 1, Some(1)) });
    facts.requests = requests;
    facts
}

fn case() -> rehearsal_script::scenario::Phrasing {
    phrasing(CALLS)
}

#[test]
fn an_attempt_before_the_time_that_the_answer_asked_for_is_told() {
    let asks = |millis| move |request: &mut Request| request.retry_after_ms = Some(millis);
    for (wait, millis, wanted) in [
        (900, 1000, &["retried-too-soon"][..]),
        (960, 1000, &[]),
        (1500, 1000, &[]),
        (0, 0, &[]),
        (0, 40, &[]),
    ] {
        assert_eq!(codes_of(&case(), &attempts(&[wait], asks(millis))), wanted, "{wait} of {millis} ms");
    }
    let gone = |request: &mut Request| (request.retry_after_ms, request.left_us) = (Some(1000), None);
    assert_eq!(codes_of(&case(), &attempts(&[1], gone)), [""; 0], "it was gone before the answer came");
}

#[test]
fn attempts_without_a_pause_are_told_from_the_third_on() {
    let plain = |_: &mut Request| {};
    for (waits, wanted) in [
        (&[1, 1, 1][..], &["retried-without-pause"][..]),
        (&[1, 1], &[]),
        (&[1, 500, 1, 1], &[]),
        (&[500, 1, 1, 1], &["retried-without-pause"]),
        (&[200, 400, 800], &[]),
    ] {
        assert_eq!(codes_of(&case(), &attempts(waits, plain)), wanted, "{waits:?}");
    }
}

#[test]
fn a_turn_that_never_arrived_must_not_come_back() {
    let mut facts = good();
    facts.requests = vec![request(1, Some(0)), request(2, Some(1))];
    facts.requests[0].fault = Some("cut-clean".to_owned());
    assert!(codes_of(&case(), &facts).contains(&"partial-turn-kept".to_owned()));
    facts.requests[0].fault = Some("sse-crlf".to_owned());
    assert!(!codes_of(&case(), &facts).contains(&"partial-turn-kept".to_owned()), "that one arrives");
    facts.requests[0].fault = Some("cut-clean".to_owned());
    facts.requests[1].n_assistant = 0;
    assert!(!codes_of(&case(), &facts).contains(&"partial-turn-kept".to_owned()), "it was asked for again");
}
