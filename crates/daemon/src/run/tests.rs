//! Runs by the clock: what happens does not depend on who looks at them, and when.

use super::{Beginning, Run};
use proptest::prelude::*;
use rehearsal_script::runs::{Act, Call, Ending, Question, RunScript, Step, When};
use std::sync::Arc;
use std::time::Duration;

fn step() -> impl Strategy<Value = Step> {
    let when =
        prop_oneof![Just(When::Now), (0..200_u64).prop_map(|time| When::After(Duration::from_millis(time))),];
    let question = |(id, timeout): (u32, u64)| {
        Act::Ask(Question {
            id: format!("q{id}"),
            timeout: Some(Duration::from_millis(timeout)),
            ..Question::default()
        })
    };
    let act = prop_oneof![
        3 => Just(Act::Note("x".to_owned())),
        3 => (any::<u32>(), 0..200_u64).prop_map(question),
        1 => Just(Act::Update("{}".to_owned())),
        1 => Just(Act::Call(Call::default())),
        1 => any::<bool>().prop_map(|failed| Act::End(Ending { failed, ..Ending::default() })),
        1 => Just(Act::Hang),
    ];
    (when, act).prop_map(|(when, act)| Step { when, act })
}

fn begin(steps: &[Step], queued: Option<u64>) -> Run {
    let script = RunScript { id: "s".to_owned(), steps: steps.to_vec(), ..RunScript::default() };
    let beginning = Beginning {
        id: "0123456789abcdef".to_owned(),
        script: Arc::new(script),
        prompt: String::new(),
        key: String::new(),
        access: String::new(),
        workspace: None,
        live: None,
        edits: Arc::from(Vec::new()),
        calls: false,
        queued: queued.map(|time| When::After(Duration::from_millis(time))),
        interrupts: false,
        patience_ms: None,
    };
    Run::begin(beginning, 1000)
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn looking_at_a_run_by_its_clock_changes_nothing(
        steps in prop::collection::vec(step(), 0..12),
        looks in prop::collection::vec(0..100_u64, 0..30),
        queued in prop::option::of(0..300_u64),
    ) {
        let (mut watched, mut alone, mut woken) = (begin(&steps, queued), begin(&steps, queued), begin(&steps, queued));
        let mut now = 1000;
        for time in looks {
            now += time;
            watched.catch_up(now);
        }
        watched.catch_up(now);
        alone.catch_up(now);
        // One that is looked at exactly when it asks for it.
        while let Some(due) = woken.due_ms().filter(|due| *due <= now) {
            woken.catch_up(due);
        }
        prop_assert_eq!(&watched.timeline, &alone.timeline);
        prop_assert_eq!(&woken.timeline, &alone.timeline);
        prop_assert_eq!(watched.take_facts(), alone.take_facts());
        prop_assert!(alone.timeline.is_sorted_by_key(|row| row.at_ms));
    }
}
