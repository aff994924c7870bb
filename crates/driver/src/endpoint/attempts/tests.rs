//! Playbooks: what happens, what is done then, and when. None needs a clock.

use super::*;
use proptest::prelude::*;

const SECOND: Duration = Duration::from_secs(1);

fn failing(class: Class) -> Failed {
    Failed { status: Some(500), may_cost: false, ..Failed::new(class, "m") }
}

fn outcome(result: Result<Told, Failed>) -> Outcome {
    Outcome { result: result.map_err(Box::new), took: SECOND, bytes_out: 10, bytes_in: 20 }
}

fn usage(prompt: Option<u64>, completion: Option<u64>) -> Tokens {
    Tokens { prompt, completion }
}

fn answered(usage: Tokens) -> Outcome {
    outcome(Ok(Told { text: Some("x".to_owned()), usage, ..Told::default() }))
}

fn policy() -> Policy {
    Policy { seed: 7, ..Policy::default() }
}

fn waits(next: &Next) -> Duration {
    match next {
        Next::Wait(wait) => *wait,
        Next::Send { .. } | Next::Over(_) => panic!("{next:?} is no wait"),
    }
}

/// How a turn ended: none where it was answered.
fn ended(next: Next) -> Option<Failed> {
    match next {
        Next::Over(result) => result.err().map(|failed| *failed),
        Next::Send { .. } | Next::Wait(_) => panic!("{next:?} is no end"),
    }
}

#[test]
fn an_answer_ends_the_turn() {
    let mut attempts = Attempts::new(policy());
    assert_eq!(attempts.open(SECOND), Next::Send { number: 1, left: Duration::from_secs(599) });
    assert_eq!(ended(attempts.done(answered(usage(Some(1), Some(2))), SECOND)), None);
    let record = &attempts.records()[0];
    assert_eq!((record.number, record.class, record.status), (1, None, Some(200)));
    assert_eq!((record.took, record.bytes_out, record.bytes_in), (SECOND, 10, 20));
}

#[test]
fn each_turn_may_have_its_retries_for_itself() {
    let mut attempts = Attempts::new(Policy { each_turn: true, transport_retries: 1, ..policy() });
    for turn in 0..3 {
        attempts.open(Duration::ZERO);
        assert_eq!(attempts.of_turn(), 1, "in turn {turn}");
        waits(&attempts.done(outcome(Err(failing(Class::Server))), SECOND));
        assert_eq!(attempts.of_turn(), 2);
        attempts.waited(SECOND);
        assert!(ended(attempts.done(outcome(Err(failing(Class::Server))), SECOND)).is_some());
    }
    assert_eq!(attempts.records().len(), 6);
}

#[test]
fn what_may_pass_is_tried_twice_more_with_longer_waits() {
    let mut attempts = Attempts::new(policy());
    attempts.open(Duration::ZERO);
    let first = waits(&attempts.done(outcome(Err(failing(Class::Server))), SECOND));
    assert!(first > Duration::from_millis(374) && first <= Duration::from_millis(500), "{first:?}");
    assert!(matches!(attempts.waited(SECOND * 2), Next::Send { number: 2, .. }));
    let second = waits(&attempts.done(outcome(Err(failing(Class::Connect))), SECOND * 3));
    assert!(second > Duration::from_millis(749) && second <= Duration::from_millis(1000), "{second:?}");
    assert!(matches!(attempts.waited(SECOND * 4), Next::Send { number: 3, .. }));
    let last = ended(attempts.done(outcome(Err(failing(Class::Overloaded))), SECOND * 5));
    assert_eq!(last.unwrap().class, Class::Overloaded);
    let told: Vec<_> =
        attempts.records().iter().map(|record| (record.number, record.class, record.wait)).collect();
    assert_eq!(
        told,
        [
            (1, Some(Class::Server), Duration::ZERO),
            (2, Some(Class::Connect), first),
            (3, Some(Class::Overloaded), second)
        ]
    );
}

#[test]
fn what_cannot_pass_is_not_tried_again() {
    for class in Class::ALL.into_iter().filter(|class| !class.is_retryable()) {
        let mut attempts = Attempts::new(policy());
        attempts.open(Duration::ZERO);
        assert_eq!(ended(attempts.done(outcome(Err(failing(class))), SECOND)).unwrap().class, class);
        assert_eq!(attempts.records().len(), 1);
    }
    // The failure decides, not its class.
    let mut attempts = Attempts::new(policy());
    attempts.open(Duration::ZERO);
    let held = Failed { retryable: false, ..failing(Class::RateLimited) };
    assert!(ended(attempts.done(outcome(Err(held)), SECOND)).is_some());
}

#[test]
fn the_wait_that_is_asked_for_is_kept_unless_it_is_too_long() {
    let wait_of = |asked| {
        let mut attempts = Attempts::new(policy());
        attempts.open(Duration::ZERO);
        attempts
            .done(outcome(Err(Failed { retry_after: Some(asked), ..failing(Class::RateLimited) })), SECOND)
    };
    assert_eq!(wait_of(Duration::from_millis(20)), Next::Wait(Duration::from_millis(20)));
    assert_eq!(wait_of(SECOND * 120), Next::Wait(SECOND * 120));
    assert_eq!(ended(wait_of(SECOND * 121)).unwrap().class, Class::RateLimited);
    // No wait at all is no wish.
    assert!(waits(&wait_of(Duration::ZERO)) > Duration::from_millis(374));
}

#[test]
fn one_attempt_is_one_in_all_turns() {
    let mut attempts = Attempts::new(Policy { once: true, ..policy() });
    attempts.open(Duration::ZERO);
    let failed = ended(attempts.done(outcome(Err(failing(Class::Server))), SECOND)).unwrap();
    assert_eq!((failed.class, failed.retryable), (Class::Server, true));
    assert_eq!(ended(attempts.open(SECOND)).unwrap().class, Class::Budget);
    assert_eq!(attempts.records().len(), 1);
}

#[test]
fn the_budget_of_retries_is_that_of_all_turns_and_each_turn_waits_anew() {
    let mut attempts = Attempts::new(policy());
    for turn in 0..2 {
        attempts.open(SECOND * turn);
        let wait = waits(&attempts.done(outcome(Err(failing(Class::Server))), SECOND * turn));
        assert!(wait <= Duration::from_millis(500));
        attempts.waited(SECOND * turn);
        assert_eq!(ended(attempts.done(answered(Tokens::default()), SECOND * turn)), None);
    }
    assert_eq!(attempts.open(SECOND), Next::Send { number: 5, left: Duration::from_secs(599) });
    assert!(ended(attempts.done(outcome(Err(failing(Class::Server))), SECOND)).is_some());
}

#[test]
fn the_time_for_everything_wins_over_waits_and_turns() {
    let mut attempts = Attempts::new(Policy { total: SECOND * 10, ..policy() });
    attempts.open(Duration::ZERO);
    let slow = Failed { retry_after: Some(SECOND * 9), ..failing(Class::Server) };
    let failed = ended(attempts.done(outcome(Err(slow)), SECOND)).unwrap();
    assert_eq!(failed.class, Class::Server);
    assert!(failed.message.contains("no time is left"), "{failed}");
    assert_eq!(ended(attempts.open(SECOND * 10)).unwrap().class, Class::TimeoutTotal);
    assert_eq!(ended(attempts.waited(SECOND * 11)).unwrap().class, Class::TimeoutTotal);
}

#[test]
fn tokens_of_all_attempts_add_up() {
    let spent = |told: &[Option<Tokens>]| {
        let mut attempts = Attempts::new(Policy { transport_retries: 9, ..policy() });
        for usage in told {
            attempts.open(Duration::ZERO);
            let outcome = match usage {
                Some(usage) => answered(*usage),
                None => outcome(Err(failing(Class::BadRequest))),
            };
            attempts.done(outcome, Duration::ZERO);
        }
        let spent = attempts.spent();
        (spent.prompt, spent.completion, spent.metered.name())
    };
    assert_eq!(spent(&[]), (0, 0, "none"));
    assert_eq!(spent(&[None]), (0, 0, "none"));
    assert_eq!(
        spent(&[Some(usage(Some(1000), Some(1))), None, Some(usage(Some(7), Some(0)))]),
        (1007, 1, "all")
    );
    assert_eq!(spent(&[Some(usage(Some(1000), None))]), (1000, 0, "some"));
    assert_eq!(spent(&[Some(usage(Some(1), Some(1))), Some(Tokens::default())]), (1, 1, "some"));
    assert_eq!(spent(&[Some(Tokens::default())]), (0, 0, "none"));
}

#[test]
fn tokens_of_answers_that_could_not_be_used_count() {
    let mut attempts = Attempts::new(policy());
    attempts.open(Duration::ZERO);
    let cut = Failed { usage: usage(Some(5), Some(6)), may_cost: true, ..failing(Class::Truncated) };
    attempts.done(outcome(Err(cut)), SECOND);
    assert_eq!(attempts.spent(), Spent { prompt: 5, completion: 6, metered: Metered::All });
}

proptest! {
    #[test]
    fn waits_double_to_eight_seconds_and_are_scattered_by_the_seed_alone(seed in any::<u64>(), retries in 1..12_u32) {
        let play = || {
            let total = Duration::from_secs(100_000);
            let mut attempts =
                Attempts::new(Policy { transport_retries: retries, seed, total, ..Policy::default() });
            let mut next = attempts.open(Duration::ZERO);
            let mut waits = Vec::new();
            loop {
                next = match next {
                    Next::Send { .. } => attempts.done(outcome(Err(failing(Class::Server))), Duration::ZERO),
                    Next::Wait(wait) => {
                        waits.push(wait);
                        attempts.waited(Duration::ZERO)
                    }
                    Next::Over(_) => return waits,
                };
            }
        };
        let waits = play();
        prop_assert_eq!(waits.len(), retries as usize);
        for (at, wait) in waits.iter().enumerate() {
            let most = (policy().first_wait * (1 << at.min(5))).min(LAST_WAIT);
            prop_assert!(*wait <= most && *wait >= most.mul_f64(0.75), "{wait:?} of {most:?}");
        }
        prop_assert_eq!(waits, play());
    }
}
