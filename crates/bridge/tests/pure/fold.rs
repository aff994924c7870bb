//! The state as a fold over facts: nothing gives a budget back, whatever comes in whatever order.

use proptest::prelude::*;
use rehearsal_bridge::state::{State, StateError};
use rehearsal_journal::bridge::{Action, Done, Fact, Hop, Kind, Reached};

fn done(sequence: u64, kind: Kind, case: Option<&str>, forwarded: bool, tokens: Option<u64>) -> Fact {
    let none = || Hop { bytes: 0, sha256: String::new() };
    Fact::Done(Box::new(Done {
        sequence,
        unix_ms: 0,
        took_us: 0,
        kind,
        method: "POST".to_owned(),
        path: "/".to_owned(),
        route: "other".to_owned(),
        case: case.map(str::to_owned),
        attempt: kind == Kind::Generation,
        action: Action::Denied,
        status: None,
        code: None,
        origin: None,
        authorized: false,
        forwarded,
        request: none(),
        upstream_request: None,
        upstream_response: None,
        served: none(),
        upstream_status: None,
        files: None,
        replayed: None,
        readable: None,
        input_equivalent: None,
        choices_unchanged: None,
        complete: None,
        client_left: false,
        tokens,
        error: None,
    }))
}

fn kinds() -> impl Strategy<Value = Kind> {
    prop::sample::select(vec![
        Kind::Control,
        Kind::Metadata,
        Kind::Generation,
        Kind::Preflight,
        Kind::Invalid,
    ])
}

fn facts() -> impl Strategy<Value = Fact> {
    let case = || prop::sample::select(vec!["a", "b", "c", "unknown"]).prop_map(str::to_owned);
    let sequence = 0..20_u64;
    prop_oneof![
        Just(Fact::Began { unix_ms: 1, pid: 1, setting: String::new() }),
        (sequence.clone(), case()).prop_map(|(sequence, case)| Fact::Armed { sequence, case }),
        (sequence.clone(), case()).prop_map(|(sequence, case)| Fact::Disarmed { sequence, case }),
        (sequence.clone(), prop::option::of(case()))
            .prop_map(|(sequence, case)| Fact::Reserved { sequence, case }),
        sequence.clone().prop_map(|sequence| Fact::Sent { sequence }),
        sequence.clone().prop_map(|sequence| Fact::Headed { sequence, status: 200 }),
        (sequence.clone(), prop::option::of(0..9_u64)).prop_map(|(sequence, tokens)| Fact::Interrupted {
            sequence,
            reached: Reached::Sent,
            kept: 0,
            tokens,
        }),
        (sequence, kinds(), prop::option::of(case()), any::<bool>(), prop::option::of(0..9_u64)).prop_map(
            |(sequence, kind, case, forwarded, tokens)| done(
                sequence,
                kind,
                case.as_deref(),
                forwarded,
                tokens
            )
        ),
    ]
}

proptest! {
    #[test]
    fn no_sequence_of_facts_gives_a_budget_back(facts in prop::collection::vec(facts(), 0..60), free in any::<bool>()) {
        let mut state = if free { State::free() } else { State::new(["a", "b", "c"]) };
        for fact in facts {
            let before = state.clone();
            let applied = state.apply(&fact);
            if applied.is_err() {
                prop_assert_eq!(&state, &before, "a fact that cannot be changes nothing");
            }
            for (case, row) in &before.cases {
                let now = &state.cases[case];
                prop_assert!(!before.is_spent(case) || state.is_spent(case));
                prop_assert!(now.backend_forwards >= row.backend_forwards);
                prop_assert!(now.forward_reserved >= row.forward_reserved && now.completed >= row.completed);
                prop_assert!(free || now.backend_forwards <= 1);
            }
            prop_assert!(state.counters.generation_backend_forwards >= before.counters.generation_backend_forwards);
            prop_assert!(state.counters.tokens >= before.counters.tokens);
            prop_assert!(state.sequence >= before.sequence);
            prop_assert!(state.reserved.is_superset(&before.reserved));
            prop_assert!(state.armed.as_ref().is_none_or(|case| state.cases.contains_key(case)));
        }
    }
}

#[test]
fn a_case_is_reserved_once() {
    let mut state = State::new(["a"]);
    let reserve = |sequence| Fact::Reserved { sequence, case: Some("a".to_owned()) };
    state.apply(&Fact::Armed { sequence: 1, case: "a".to_owned() }).unwrap();
    state.apply(&reserve(2)).unwrap();
    assert!(state.is_spent("a") && state.armed.is_none());
    assert_eq!(state.apply(&reserve(3)), Err(StateError::Twice("a".to_owned())));
    let other = Fact::Reserved { sequence: 4, case: Some("b".to_owned()) };
    assert_eq!(state.apply(&other), Err(StateError::UnknownCase("b".to_owned())));
    assert_eq!(state.counters.generation_backend_forwards, 1);
}

/// The public counters are true; what a budget has paid for stands in the reservations.
#[test]
fn a_forward_that_no_budget_paid_for_is_counted_once_too() {
    let mut state = State::free();
    state.apply(&done(1, Kind::Generation, None, true, None)).unwrap();
    state.apply(&done(2, Kind::Generation, None, false, None)).unwrap();
    state.apply(&Fact::Reserved { sequence: 3, case: None }).unwrap();
    state.apply(&done(3, Kind::Generation, None, true, None)).unwrap();
    let counters = &state.counters;
    assert_eq!((counters.generation_attempts, counters.generation_backend_forwards), (3, 2));
    assert_eq!(state.reserved.len(), 1);
}

#[test]
fn rows_that_clients_name_have_an_end() {
    let mut state = State::free();
    for number in 0..5000 {
        state.apply(&done(number, Kind::Generation, Some(&format!("lane-{number}")), true, Some(1))).unwrap();
    }
    assert_eq!(state.cases.len(), 4096);
    assert_eq!((state.counters.requests, state.counters.tokens), (5000, 5000));
}
