//! The markers of a prompt as a script: what a run does where no file says it.

use rehearsal_script::runs::{Act, Ending, Question, Refusal, RunScript, Step, When};

/// What a run that ends for want of input still needs.
const REQUIRED: &str = "the other participants' originals";

/// The script that the markers in a prompt ask for.
#[must_use]
pub fn of_prompt(prompt: &str) -> RunScript {
    let has = |marker: &str| prompt.contains(&format!("[FAKE:{marker}]"));
    let named = |marker: &&str| has(marker);
    let all = ["REFUSE", "HANG", "ASK", "TURN", "INPUT_REQUIRED", "MUTATE"];
    let id = all.iter().copied().filter(named).collect::<Vec<_>>().join("+");
    let mut steps = Vec::new();
    let mut then = |when, act| steps.push(Step { when, act });
    if has("MUTATE") {
        then(When::Now, Act::Edit(None));
    }
    // The first question of both is the choice of a port; the count of turns stands at 1 all the same.
    match (has("ASK"), has("TURN")) {
        (true, turn) => {
            then(When::Now, Act::Ask(port()));
            if turn {
                then(When::Now, Act::Ask(turn_of(2)));
            }
        }
        (false, true) => (1..=2).for_each(|turn| then(When::Now, Act::Ask(turn_of(turn)))),
        (false, false) => {}
    }
    let ending = Ending { failed: has("INPUT_REQUIRED"), ..Ending::default() };
    match has("HANG") {
        true => then(When::Now, Act::Hang),
        false => then(When::Polls(1), Act::End(ending)),
    }
    RunScript {
        id,
        steps,
        refuse: has("REFUSE").then(|| Refusal {
            status: 400,
            code: "fake_route_refused".to_owned(),
            message: "the prompt's marker asks for this refusal".to_owned(),
        }),
        relay: has("TURN"),
        required_inputs: if has("INPUT_REQUIRED") { vec![REQUIRED.to_owned()] } else { Vec::new() },
        attempt: has("MUTATE"),
        ..RunScript::default()
    }
}

fn port() -> Question {
    Question {
        id: "int-{run}".to_owned(),
        header: "Port".to_owned(),
        text: "Which port should the server listen on?".to_owned(),
        options: vec![("8080".to_owned(), Some("the usual one".to_owned())), ("9090".to_owned(), None)],
        ..Question::default()
    }
}

fn turn_of(turn: u8) -> Question {
    Question {
        id: format!("turn-{{run}}-{turn}"),
        header: format!("Turn {turn}"),
        text: format!("INTERIM result of turn {turn}: what should the next turn work on?"),
        ..Question::default()
    }
}
