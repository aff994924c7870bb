//! Which recording answers a request.

use crate::tape::{Exchange, Tape};
use rehearsal_bridge::key::Key;
use rehearsal_bridge::replay::call::call;
use rehearsal_bridge::replay::shelf::{Manner, Shelf};
use rehearsal_wire::dialect::dialect;

fn shelf(name: &str, exchanges: &[Exchange], manner: Manner) -> Shelf {
    Shelf::new(Tape::new(name, exchanges).open().unwrap().recordings, manner)
}

fn key(exchange: &Exchange) -> Key {
    call(exchange.dialect.and_then(dialect), exchange.method, exchange.target, &exchange.asked)
}

fn take(shelf: &mut Shelf, lane: Option<&str>, exchange: &Exchange) -> Result<String, String> {
    match shelf.take(lane, &key(exchange)) {
        Ok(recording) => Ok(recording.name.clone()),
        Err(miss) => Err(miss.message),
    }
}

#[test]
fn recordings_of_one_call_are_served_in_their_order_each_once() {
    let (twin, other) = (Exchange::of("twin", "1"), Exchange::of("other", "2"));
    let all = [twin.clone(), other, twin.clone()];
    let mut shelf = shelf("twins", &all, Manner::default());
    assert_eq!(shelf.unused().count(), 3);
    assert_eq!(take(&mut shelf, None, &twin).unwrap(), "0001-x");
    assert_eq!(take(&mut shelf, Some("nobody"), &twin).unwrap(), "0003-x");
    let spent = take(&mut shelf, None, &twin).unwrap_err();
    assert!(spent.starts_with("recording_used_up: ") && spent.contains("0001-x, 0003-x"), "{spent}");
    let unused: Vec<_> = shelf.unused().map(|recording| recording.name.clone()).collect();
    assert_eq!((unused, shelf.served(), shelf.misses()), (vec!["0002-x".to_owned()], 2, 1));
}

#[test]
fn the_last_one_is_served_again_where_that_is_wanted_and_lists_always_are() {
    let (twin, models) = (Exchange::of("twin", "1"), Exchange::models());
    let all = [twin.clone(), twin.clone(), models.clone()];
    let mut repeating = shelf("repeat", &all, Manner { repeat: true, ..Manner::default() });
    let served: Vec<_> = (0..4).map(|_| take(&mut repeating, None, &twin).unwrap()).collect();
    assert_eq!(served, ["0001-x", "0002-x", "0002-x", "0002-x"]);
    let mut once = shelf("lists", &all, Manner::default());
    assert_eq!((0..3).filter(|_| take(&mut once, None, &models).is_ok()).count(), 3);
    assert_eq!(once.misses(), 0);
}

#[test]
fn a_lane_sees_the_recordings_of_its_case_and_any_other_lane_sees_all() {
    let one = Exchange::of("same", "1");
    let all = [one.clone().on("a"), one.clone().on("b"), Exchange::of("extra", "2").on("b")];
    let mut shelf = shelf("lanes", &all, Manner::default());
    assert_eq!(take(&mut shelf, Some("b"), &one).unwrap(), "0002-b");
    assert!(take(&mut shelf, Some("b"), &one).is_err(), "what is left is another case's");
    assert!(take(&mut shelf, Some("a"), &Exchange::of("extra", "2")).is_err());
    assert_eq!(take(&mut shelf, Some("c"), &one).unwrap(), "0001-a");
    assert_eq!(take(&mut shelf, None, &Exchange::of("extra", "2")).unwrap(), "0003-b");
}

#[test]
fn a_miss_names_the_nearest_recording_and_every_difference_both_ways() {
    let all = [Exchange::of("far", "1").on("a"), Exchange::of("near", "2").on("b")];
    let mut shelf = shelf("nearest", &all, Manner::default());
    let mut asked = Exchange::of("near", "");
    asked.asked = String::from_utf8(asked.asked).unwrap().replace("\"m\"", "\"other\"").into_bytes();
    let message = take(&mut shelf, None, &asked).unwrap_err();
    assert!(message.starts_with("recording_miss: "), "{message}");
    assert!(message.contains("0002-b") && message.contains("model: here other, recorded m"), "{message}");
    assert!(!message.contains("user:"), "{message}");
    let mut empty = Shelf::new(Vec::new(), Manner::default());
    assert!(take(&mut empty, None, &asked).unwrap_err().contains("none at all"));
}

#[test]
fn of_recordings_that_differ_alike_the_one_as_far_in_its_conversation_is_nearest() {
    let body = |turns: usize, text: &str| {
        let mut messages = vec![format!(r#"{{"role":"user","content":"{text}"}}"#)];
        messages.extend((0..turns).map(|_| r#"{"role":"assistant","content":"a"}"#.to_owned()));
        let asked = format!(r#"{{"model":"m","messages":[{}]}}"#, messages.join(","));
        Exchange { asked: asked.into_bytes(), ..Exchange::of("", "") }
    };
    let mut shelf = shelf("turns", &[body(0, "p"), body(3, "p")], Manner::default());
    let message = take(&mut shelf, None, &body(2, "p")).unwrap_err();
    assert!(message.contains("0002-x and differs in turn: here 2, recorded 3"), "{message}");
}

#[test]
fn an_ignored_part_makes_no_difference() {
    let all = [Exchange::of("one", "1"), Exchange::of("two", "2")];
    let manner = Manner { ignored: vec!["user".to_owned()], repeat: false };
    let mut shelf = shelf("ignored", &all, manner);
    let other = Exchange::of("three", "");
    assert_eq!(take(&mut shelf, None, &other).unwrap(), "0001-x");
    assert_eq!(take(&mut shelf, None, &other).unwrap(), "0002-x");
    assert!(take(&mut shelf, None, &other).unwrap_err().starts_with("recording_used_up"));
}
