//! Playbooks of tasks: what came, what is done next.

use super::*;
use crate::endpoint::request::Limit;
use crate::worker::format;
use crate::worker::format::guard::Limits;
use crate::worker::ownership::{Mode, Protection};
use crate::worker::ownership::{Reading, Set};

fn task(repairs: usize) -> Dispatch {
    let owns = Set::new(&[("a.py", Mode::Edit), ("new.py", Mode::Create)], &Protection::with(&[])).unwrap();
    let task = Task {
        prompt: "Change a.".to_owned(),
        model: "m".to_owned(),
        owns,
        format: format::find("json_patch").unwrap(),
        reading: Reading::Lenient,
        limits: Limits::default(),
        repairs,
        rounds: 1,
        validate_json: true,
        limit: Some(100),
        temperature: None,
        stream: false,
        known: std::collections::BTreeSet::new(),
    };
    Dispatch::new(task, vec![Owned::edit("a.py", "one\n"), Owned::create("new.py")])
}

fn said(text: &str) -> Result<Told, Box<Failed>> {
    Ok(Told { text: Some(text.to_owned()), ..Told::default() })
}

fn patch(path: &str, contents: &str, done: bool) -> String {
    format!(r#"{{"files":[{{"path":"{path}","contents":"{contents}"}}],"summary":"s","done":{done}}}"#)
}

fn ended(act: &Do) -> (&'static str, Option<Class>) {
    match act {
        Do::End(outcome) => {
            let class = match outcome {
                Outcome::Refused(failed) | Outcome::Failed(failed) => Some(failed.class),
                Outcome::Applied | Outcome::NoOp | Outcome::Incomplete => None,
            };
            (outcome.name(), class)
        }
        Do::Ask => ("ask", None),
        Do::Commit(_) => ("commit", None),
    }
}

#[test]
fn a_good_answer_is_to_be_written_with_its_path_as_it_is_owned() {
    let mut dispatch = task(2);
    let act = dispatch.answered(said(&patch("./a.py", "two\\n", true)));
    let Do::Commit(changes) = act else { panic!("{act:?}") };
    assert_eq!(changes, [Change { path: "a.py".to_owned(), contents: "two\n".to_owned() }]);
    assert_eq!(dispatch.summary(), Some("s"));
    assert_eq!(dispatch.leniencies(), ["path"]);
}

#[test]
fn files_go_along_as_data_and_one_that_is_to_be_made_has_none() {
    let dispatch = task(0);
    let turn = dispatch.turn();
    assert!(turn.user.starts_with("Change a.\n\n"), "{}", turn.user);
    assert!(
        turn.user.ends_with(
            "{\"path\":\"a.py\",\"contents\":\"one\\n\"}\n{\"path\":\"new.py\",\"contents\":null}\n"
        )
    );
    assert_eq!(dispatch.dialing().structured, Structured::JsonSchema);
    assert_eq!(dispatch.dialing().limit, Limit::MaxTokens(100));
}

#[test]
fn what_cannot_be_used_goes_back_with_its_reason_until_the_budget_is_spent() {
    let mut dispatch = task(2);
    assert_eq!(dispatch.answered(said("{\"files\":[]")), Do::Ask);
    assert_eq!(dispatch.answered(said("no json at all")), Do::Ask);
    assert_eq!(dispatch.turn().repairs.len(), 2);
    assert_eq!(dispatch.turn().repairs[1].said, "no json at all");
    assert!(!dispatch.turn().repairs[0].wanted.is_empty());
    assert_eq!(ended(&dispatch.answered(said("[]"))), ("failed", Some(Class::Format)));
}

#[test]
fn q62_a_model_that_says_the_same_again_is_not_asked_a_third_time() {
    let mut dispatch = task(9);
    assert_eq!(dispatch.answered(said("nonsense")), Do::Ask);
    assert_eq!(ended(&dispatch.answered(said("nonsense"))), ("failed", Some(Class::Format)));
}

#[test]
fn a_model_that_is_asked_for_another_form_may_still_answer_in_the_first() {
    let mut dispatch = task(9);
    assert_eq!(dispatch.answered(said("nonsense")), Do::Ask);
    assert_eq!(dispatch.answered(said("other nonsense")), Do::Ask);
    assert_eq!(dispatch.steps(), ["switched_format"]);
    assert_eq!(dispatch.answered(said("third nonsense")), Do::Ask);
    assert!(matches!(dispatch.answered(said(&patch("a.py", "two\\n", true))), Do::Commit(_)));
    assert_eq!(dispatch.leniencies(), ["first_format"]);
}

#[test]
fn a_stranger_s_path_is_never_repaired() {
    for path in ["b.py", "../a.py", "/etc/passwd", "A.py", "a.py "] {
        let act = task(9).answered(said(&patch(path, "x", true)));
        assert_eq!(ended(&act), ("failed", Some(Class::OwnershipViolation)), "{path}");
    }
}

#[test]
fn what_the_model_calls_unfinished_or_what_changes_nothing_is_not_written() {
    assert_eq!(ended(&task(0).answered(said(&patch("a.py", "two", false)))), ("incomplete", None));
    assert_eq!(ended(&task(0).answered(said(&patch("a.py", "one\\n", true)))), ("no_op", None));
}

#[test]
fn a_placeholder_goes_back() {
    let mut dispatch = task(1);
    let text = patch("a.py", "# ... rest of the code unchanged ...\\n", true);
    assert_eq!(dispatch.answered(said(&text)), Do::Ask);
    assert!(dispatch.turn().repairs[0].wanted.starts_with("Nothing was written: a.py"));
}

#[test]
fn q30_a_refused_schema_steps_down_and_costs_no_repair() {
    let mut dispatch = task(0);
    let refused = Failed {
        status: Some(400),
        param: Some("response_format".to_owned()),
        ..Failed::new(Class::UnsupportedParam, "response_format of type json_schema is not supported")
    };
    assert_eq!(dispatch.answered(Err(Box::new(refused))), Do::Ask);
    assert_eq!(dispatch.dialing().structured, Structured::JsonObject);
    assert!(matches!(dispatch.answered(said(&patch("a.py", "two\\n", true))), Do::Commit(_)));
    assert_eq!((dispatch.steps(), dispatch.repaired()), (&["dropped_schema"][..], 0));
}

#[test]
fn q31_other_failures_are_the_end_and_a_refusal_is_one_of_its_own() {
    let failed = |class, status| Box::new(Failed { status, ..Failed::new(class, "m") });
    let act = task(9).answered(Err(failed(Class::Auth, Some(401))));
    assert_eq!(ended(&act), ("failed", Some(Class::Auth)));
    let act = task(9).answered(Err(failed(Class::Refusal, Some(200))));
    assert_eq!(ended(&act), ("refused", Some(Class::Refusal)));
}

#[test]
fn q25_the_one_call_that_nobody_offered_may_hold_the_answer() {
    use crate::endpoint::answer::Call;
    let call = |arguments: &str| Call { arguments: arguments.to_owned(), ..Call::default() };
    let calls = |calls: Vec<Call>| Ok(Told { calls, ..Told::default() });
    let mut dispatch = task(0);
    assert!(matches!(dispatch.answered(calls(vec![call(&patch("a.py", "two", true))])), Do::Commit(_)));
    assert_eq!(dispatch.leniencies(), ["tool_call"]);
    let act = task(0).answered(calls(vec![call("{}"), call("{}")]));
    assert_eq!(ended(&act), ("failed", Some(Class::Format)));
}
