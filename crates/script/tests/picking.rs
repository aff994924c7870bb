//! Which step answers: troubles with `times`, scripts without end, advance by request, cases by token.

use rehearsal_script::issued::ScriptSide;
use rehearsal_script::pick::{Counts, Picked, Picker, look};
use rehearsal_script::scenario::{Action, Phrasing, Scenarios};
use rehearsal_script::{File, Known, read};
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::rule::{Issued, Scripted};
use rehearsal_wire::turn::{Message, Role, Turn};

fn suite(yaml: &str) -> Scenarios {
    let known = Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()) };
    let files = [File { name: "suite.yaml", bytes: yaml.as_bytes() }];
    read(&files, &known).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

fn one(script: &str) -> Phrasing {
    suite(&format!(
        "version: 1\nclasses:\n  c:\n    phrasings:\n      - id: p\n        prompt: do it\n{script}"
    ))
    .phrasings
    .remove(0)
}

/// Messages: who speaks, and the texts.
type Said = &'static [(Role, &'static [&'static str])];

fn turn(messages: &[(Role, &[&'static str])]) -> Turn<'static> {
    Turn {
        model: None,
        stream: false,
        include_usage: false,
        choices: 1,
        logprobs: false,
        legacy_functions: false,
        tools: Vec::new(),
        listed: messages.len(),
        messages: messages
            .iter()
            .enumerate()
            .map(|(index, (role, texts))| Message {
                index,
                role: *role,
                texts: texts.iter().map(|text| (*text).into()).collect(),
                calls: Vec::new(),
                answers: Vec::new(),
            })
            .collect(),
    }
}

fn words(picked: &Picked<'_>) -> String {
    match picked.action {
        Action::Say(said) => said.text.clone().unwrap_or_else(|| format!("{} calls", said.calls.len())),
        Action::Error(error) => error.status.to_string(),
        Action::Fault { name, .. } => name.clone(),
        Action::End => "end".to_owned(),
    }
}

/// Plays requests with these numbers of assistant messages; each is answered.
fn play(phrasing: &Phrasing, assistants: &[usize]) -> Vec<String> {
    let mut counts = Counts::default();
    let mut said = Vec::new();
    for &assistants in assistants {
        let picked = look(phrasing, assistants, &counts);
        said.push(format!("{}:{}", picked.step, words(&picked)));
        counts.commit(&picked);
    }
    said
}

const TROUBLES: &str = "
        script:
          - api_error: {status: 429, message: slow down}
            times: 2
          - fault: mid-body-drop
            times: 1
          - text: first
          - api_error: {status: 500, message: no}
            times: 1
          - text: second
          - api_error: {status: 503, message: late}
            times: 1
";

#[test]
fn steps_with_times_answer_so_often_and_are_skipped_then() {
    let phrasing = one(TROUBLES);
    assert_eq!(phrasing.steps(), 2);
    assert_eq!(
        play(&phrasing, &[0, 0, 0, 0, 0, 1, 1, 1, 2, 2, 3]),
        [
            "0:429",
            "0:429",
            "0:mid-body-drop",
            "0:first",
            "0:first",
            "1:500",
            "1:second",
            "1:second",
            "2:503",
            "2:end",
            "3:end"
        ]
    );
    // Who goes on without a retry never meets what stood before a step that is passed.
    assert_eq!(play(&phrasing, &[1, 1, 5, 5]), ["1:500", "1:second", "5:503", "5:end"]);
}

#[test]
fn a_refused_request_uses_nothing_up() {
    let phrasing = one(TROUBLES);
    let counts = Counts::default();
    for _ in 0..5 {
        assert_eq!(words(&look(&phrasing, 0, &counts)), "429");
    }
    assert_eq!(counts, Counts::default());
}

#[test]
fn each_phrasing_counts_for_itself() {
    let phrasings = suite(
        "version: 1\nclasses:\n  c:\n    advance: request\n    script: [{fault: black-hole, times: 1}, {text: a}, {text: b}]\n    phrasings: [{id: p, prompt: one}, {id: q, prompt: two}]\n",
    )
    .phrasings;
    let mut counts = Counts::default();
    let said: Vec<String> = [0, 0, 1, 0, 1, 1, 1]
        .iter()
        .map(|at| {
            let picked = look(&phrasings[*at], 0, &counts);
            counts.commit(&picked);
            words(&picked)
        })
        .collect();
    assert_eq!(said, ["black-hole", "a", "black-hole", "b", "a", "b", "end"]);
}

#[test]
fn advance_by_request_counts_answered_requests_and_no_troubles() {
    let phrasing = one(&format!("        advance: request{TROUBLES}"));
    assert_eq!(
        play(&phrasing, &[0; 9]),
        ["0:429", "0:429", "0:mid-body-drop", "0:first", "1:500", "1:second", "2:503", "2:end", "3:end"]
    );
}

#[test]
fn a_step_repeated_forever_answers_under_growing_numbers() {
    let script = "
        script:
          - text: begin
          - tool_calls: [{name: look, arguments: {n: '{N}'}}]
            repeat: forever
";
    for advance in ["assistants", "request"] {
        let phrasing = one(&format!("        advance: {advance}{script}"));
        assert!(phrasing.forever && phrasing.hostile);
        assert_eq!(play(&phrasing, &[0, 1, 2, 3]), ["0:begin", "1:1 calls", "2:1 calls", "3:1 calls"]);
    }
    let scenarios = suite(&format!(
        "version: 1\nclasses:\n  c:\n    phrasings:\n      - id: p\n        prompt: do it{script}"
    ));
    let picker = Picker::new(&scenarios);
    let side = ScriptSide { scenarios: &scenarios, picker: &picker, matched: Some(0), expected: None };
    let arguments = r#"{"n": "{N}"}"#;
    assert_eq!(
        side.issued("call_gate_p_s977_0"),
        Issued::Call { step: 977, name: "look", arguments, ours: true }
    );
    assert_eq!(side.ids_of_step(977), ["call_gate_p_s977_0"]);
    assert!(matches!(side.issued("call_gate_p_s0_0"), Issued::Never(_)));
}

#[test]
fn a_fault_without_end_as_the_last_step_answers_forever() {
    let phrasing =
        one("        advance: request\n        script: [{text: hi}, {fault: tool-pending-forever}]\n");
    assert_eq!(
        play(&phrasing, &[0; 4]),
        ["0:hi", "1:tool-pending-forever", "2:tool-pending-forever", "3:tool-pending-forever"]
    );
    assert!(!one("        script: [{fault: black-hole, times: 1}, {text: hi}]\n").hostile);
    assert!(!one("        hostile: false\n        script: [{fault: black-hole}]\n").hostile);
}

#[test]
fn an_error_that_every_retry_meets_again_has_no_good_end() {
    let error = "api_error: {status: 500, message: no}";
    assert!(one(&format!("        script: [{{{error}}}]\n")).hostile);
    assert!(one(&format!("        script: [{{{error}}}, {{text: hi}}]\n")).hostile);
    assert!(!one(&format!("        script: [{{{error}, times: 1}}, {{text: hi}}]\n")).hostile);
    // Counted by requests, a retry is the next step.
    assert!(
        !one(&format!("        advance: request\n        script: [{{{error}}}, {{text: hi}}]\n")).hostile
    );
    assert!(
        one(&format!("        advance: request\n        script: [{{{error}, repeat: forever}}]\n")).hostile
    );
}

#[test]
fn an_empty_script_is_over_at_once() {
    assert_eq!(play(&one(""), &[0, 1]), ["0:end", "1:end"]);
    assert_eq!(
        play(&one("        script: [{fault: black-hole, times: 1}]\n"), &[0, 0]),
        ["0:black-hole", "0:end"]
    );
}

#[test]
fn ids_of_calls_that_a_fault_with_times_sent_are_known() {
    let scenarios = suite(
        "version: 1\nclasses:\n  c:\n    phrasings:\n      - id: p\n        prompt: do it\n        script:\n          - {fault: mid-body-drop, times: 1, tool_calls: [{name: a, arguments: {}}]}\n          - {text: done}\n",
    );
    let picker = Picker::new(&scenarios);
    let side = ScriptSide { scenarios: &scenarios, picker: &picker, matched: None, expected: None };
    assert_eq!(
        side.issued("call_gate_p_s0_0"),
        Issued::Call { step: 0, name: "a", arguments: "{}", ours: false }
    );
}

const MARKERS: &str = "
version: 1
classes:
  first:
    phrasings:
      - {id: short, marker: gate-lap}
      - {id: long, marker: gate-lap-longer}
  second:
    phrasings:
      - {id: accent, marker: ÉCLAIR}
      - {id: sigma, marker: ΣΊΣΥΦΟΣ}
      - {id: dotted, marker: İstanbul}
      - {id: sharp, marker: straße}
      - {id: told, marker: M-7, prompt: 'Please mind the gap'}
";

#[test]
fn the_newest_user_text_with_a_marker_decides() {
    use Role::{Assistant, Developer, System, Tool, Unknown, User};
    let scenarios = suite(MARKERS);
    let picker = Picker::new(&scenarios);
    let cases: &[(Said, Option<&str>)] = &[
        (&[(User, &["x GATE-Lap-longer y"])], Some("short")),
        (&[(User, &["éclair"]), (Assistant, &["gate-lap"]), (User, &["nothing"])], Some("accent")),
        (&[(User, &["gate-lap"]), (User, &["an Éclair"])], Some("accent")),
        (&[(User, &["éclair", "gate-lap"])], Some("accent")),
        (&[(User, &["gate-", "lap"])], None),
        (&[(User, &["σίσυφος"])], Some("sigma")),
        (&[(User, &["ΣΊΣΥΦΟΣ!"])], Some("sigma")),
        (&[(User, &["σίσυφοσ"])], None),
        (&[(User, &["i\u{307}stanbul"])], Some("dotted")),
        (&[(User, &["istanbul"])], None),
        (&[(User, &["strasse"])], None),
        (&[(User, &["STRAẞE"])], Some("sharp")),
        (&[(User, &["e\u{301}clair"])], None),
        (&[(User, &["please mind the gap"])], None),
        (
            &[
                (System, &["gate-lap"]),
                (Developer, &["gate-lap"]),
                (Tool, &["gate-lap"]),
                (Unknown, &["gate-lap"]),
            ],
            None,
        ),
        (&[], None),
    ];
    for (messages, wanted) in cases {
        let found = picker.matched(&scenarios, &turn(messages), None);
        assert_eq!(found.map(|at| scenarios.phrasings[at].id.as_str()), *wanted, "{messages:?}");
    }
}

#[test]
fn with_a_token_only_its_case_is_meant() {
    let scenarios = suite(MARKERS);
    let picker = Picker::new(&scenarios);
    let at = |id: &str| scenarios.phrasings.iter().position(|phrasing| phrasing.id == id);
    let found = |texts: &[&'static str], case: &str| {
        picker.matched(&scenarios, &turn(&[(Role::User, texts)]), at(case)) == at(case)
    };
    assert!(found(&["[12:00] PLEASE mind the gap."], "told"));
    assert!(found(&["m-7"], "told"));
    assert!(found(&["gate-lap-longer"], "long"));
    assert!(!found(&["gate-lap"], "told"));
    assert!(!found(&["Write a title for this conversation"], "told"));
}
