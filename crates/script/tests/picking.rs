//! Which step answers: troubles with `times`, scripts without end, advance by request, cases by token.

use rehearsal_script::issued::ScriptSide;
use rehearsal_script::pick::{Counts, Found, Picked, Picker, Stand, Trace, look};
use rehearsal_script::scenario::{Action, Advance, Phrasing, Scenarios};
use rehearsal_script::{File, Known, read};
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::rule::{Issued, Scripted};
use rehearsal_wire::turn::{Kept, Message, Role, Turn};

fn suite(yaml: &str) -> Scenarios {
    let known =
        Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
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
        ..Turn::new(|_| String::new())
    }
}

fn words(picked: &Picked<'_>) -> String {
    match picked.action {
        Action::Say(said) => said.text.clone().unwrap_or_else(|| format!("{} calls", said.calls.len())),
        Action::Error(error) => error.status.to_string(),
        Action::Fault { faults, .. } => faults[0].name.clone(),
        Action::End => "end".to_owned(),
    }
}

/// A request with so many assistant messages, all behind its prompt, on a lane that remembers nothing.
fn stand(assistants: usize) -> Stand {
    Stand { assistants, since: assistants, returned: 0, trace: None }
}

/// Plays requests with these numbers of assistant messages; each is answered.
fn play(phrasing: &Phrasing, assistants: &[usize]) -> Vec<String> {
    let mut counts = Counts::default();
    let mut said = Vec::new();
    for &assistants in assistants {
        let stand = stand(assistants);
        let picked = look(phrasing, &stand, &counts);
        said.push(format!("{}:{}", picked.step, words(&picked)));
        counts.commit(&picked, &stand);
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
        assert_eq!(words(&look(&phrasing, &stand(0), &counts)), "429");
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
            let picked = look(&phrasings[*at], &stand(0), &counts);
            counts.commit(&picked, &stand(0));
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
        "version: 1\nclasses:\n  c:\n    script: null\n    phrasings:\n      - id: p\n        prompt: do it{script}"
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
    assert_eq!(play(&one("        script: []\n"), &[0, 1]), ["0:end", "1:end"]);
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
    script: null
    phrasings:
      - {id: short, marker: gate-lap}
      - {id: long, marker: gate-lap-longer}
  second:
    script: null
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
        assert_eq!(
            found.map(|found| scenarios.phrasings[found.phrasing].id.as_str()),
            *wanted,
            "{messages:?}"
        );
    }
}

#[test]
fn with_a_token_only_its_case_is_meant() {
    let scenarios = suite(MARKERS);
    let picker = Picker::new(&scenarios);
    let at = |id: &str| scenarios.phrasings.iter().position(|phrasing| phrasing.id == id);
    let found = |texts: &[&'static str], case: &str| {
        picker.matched(&scenarios, &turn(&[(Role::User, texts)]), at(case)).map(|found| found.phrasing)
            == at(case)
    };
    assert!(found(&["[12:00] PLEASE mind the gap."], "told"));
    assert!(found(&["m-7"], "told"));
    assert!(found(&["gate-lap-longer"], "long"));
    assert!(!found(&["gate-lap"], "told"));
    assert!(!found(&["Write a title for this conversation"], "told"));
}

const WRAPPED: &str = r#"
version: 1
classes:
  c:
    script: null
    phrasings:
      - {id: told, marker: M-7, prompt: "Say \"hi\" & <go>\nto café 7"}
      - {id: brief, prompt: "Do it!"}
"#;

#[test]
fn a_prompt_is_found_however_the_client_wraps_it() {
    let scenarios = suite(WRAPPED);
    let picker = Picker::new(&scenarios);
    for (text, case, wanted) in [
        ("\"Say \"hi\" & <go>\nto café 7\"", 0, true),
        ("<date>2026-01-01</date>\n\nSAY \"hi\" & <GO>\nto café 7\n\nthanks", 0, true),
        (r#"{"task": "Say \"hi\" & <go>\nto caf\u00e9 7"}"#, 0, true),
        ("<task>Say &quot;hi&quot; &amp; &lt;go&gt;&#10;to caf&#xe9; 7</task>", 0, true),
        ("> Say \"hi\"\n> & <go> to\n> café 7", 0, true),
        ("Say hi and go to café 7", 0, false),
        ("m-7", 0, true),
        ("m7", 0, false),
        ("> do it!", 1, true),
        ("do\nit!", 1, false),
    ] {
        let found = picker.matched(&scenarios, &turn(&[(Role::User, &[text])]), Some(case));
        assert_eq!(found.is_some(), wanted, "{text}");
    }
}

#[test]
fn instructions_hold_a_prompt_only_where_no_user_does() {
    use Role::{Assistant, Developer, System, User};
    let scenarios = suite(WRAPPED);
    let picker = Picker::new(&scenarios);
    let found = |messages: Said| {
        picker.matched(&scenarios, &turn(messages), Some(1)).map(|found| (found.first, found.newest))
    };
    assert_eq!(found(&[(Developer, &["do it!"]), (User, &["go"])]), Some((0, 0)));
    assert_eq!(found(&[(System, &["x"]), (System, &["y", "do it!"])]), Some((1, 1)));
    assert_eq!(found(&[(System, &["do it!"]), (User, &["do it!"]), (User, &["x"])]), Some((1, 1)));
    assert_eq!(found(&[(User, &["do it!"]), (Assistant, &["do it!"]), (User, &["'do it!'"])]), Some((0, 2)));
    assert_eq!(found(&[(Assistant, &["do it!"])]), None);
}

const PARTS: &str = "
version: 1
classes:
  c:
    script: null
    phrasings:
      - id: boss
        prompt: 'Ask a helper to count sheep. Then report.'
        conversations:
          - {id: count, prompt: count sheep, script: [{text: one}]}
          - {id: deep, prompt: count sheep carefully, marker: '#deep', script: [{text: two}]}
      - {id: other, prompt: count stars}
";

#[test]
fn the_further_conversations_of_a_case_are_told_from_it() {
    let scenarios = suite(PARTS);
    let picker = Picker::new(&scenarios);
    for (texts, wanted) in [
        (&["Ask a helper to count sheep. Then report."][..], Some(0)),
        (&["You are a helper. COUNT sheep"], Some(1)),
        (&["You are a helper. Count sheep carefully."], Some(2)),
        (&["Your boss was told: Ask a helper to count sheep. Then report. #deep"], Some(2)),
        (&["count stars"], None),
        (&["Ask a helper to count sheep. Then report.", "count sheep"], Some(0)),
    ] {
        let found = picker.matched(&scenarios, &turn(&[(Role::User, texts)]), Some(0));
        assert_eq!(found.map(|found| found.phrasing), wanted, "{texts:?}");
    }
    let later =
        turn(&[(Role::User, &["count sheep"]), (Role::User, &["Ask a helper to count sheep. Then report."])]);
    let found = picker.matched(&scenarios, &later, Some(0));
    assert_eq!(found, Some(Found { phrasing: 0, newest: 1, first: 1, left_out: 0 }), "the newest decides");
    let own = picker.matched(&scenarios, &later, Some(1)).map(|found| found.phrasing);
    assert_eq!(own, Some(1), "a further conversation has none of its own");
}

const THREE: &str = "        script: [{text: a}, {text: b}, {text: c}]\n";

#[test]
fn assistant_messages_before_the_prompt_do_not_count() {
    use Role::{Assistant, User};
    let scenarios = suite(&format!(
        "version: 1\nclasses:\n  c:\n    phrasings:\n      - id: p\n        prompt: do it\n{THREE}"
    ));
    let (picker, phrasing) = (Picker::new(&scenarios), one(THREE));
    let few_shot: &[(Role, &[&str])] = &[
        (User, &["example"]),
        (Assistant, &["shown"]),
        (User, &["do it"]),
        (Assistant, &["a"]),
        (User, &["do it"]),
    ];
    for only in [None, Some(0)] {
        let turn = turn(few_shot);
        let found = picker.matched(&scenarios, &turn, only).unwrap();
        assert_eq!((found.first, found.newest), (2, 4));
        let stand = Stand::of(&phrasing, &turn, &found);
        assert_eq!((stand.assistants, stand.since), (2, 1));
        assert_eq!(look(&phrasing, &stand, &Counts::default()).step, 1);
        let old = Phrasing { advance: Advance::Assistants, ..phrasing.clone() };
        assert_eq!(look(&old, &Stand::of(&old, &turn, &found), &Counts::default()).step, 2);
    }
}

#[test]
fn calls_that_come_back_say_the_least_step() {
    let phrasing = one(THREE);
    for (ids, wanted) in [
        (&["call_gate_p_s1_0"][..], 2),
        (&["call_gate_p_s0_0", "call_gate_p_s1_4", "call_7"], 2),
        (&["call_gate_pp_s1_0", "call_gate_p_s01_0", "gate_p_s1_0"], 0),
        (&[], 0),
    ] {
        let mut turn = turn(&[(Role::User, &["do it"]), (Role::Tool, &[])]);
        turn.messages[1].answers = ids.iter().map(|id| (*id).into()).collect();
        let found = Found { phrasing: 0, newest: 0, first: 0, left_out: 0 };
        assert_eq!(Stand::of(&phrasing, &turn, &found).returned, wanted, "{ids:?}");
    }
}

/// A request of a case: assistant messages behind the prompt, body, length of its list, bytes of its opening.
type Sent = (usize, u64, usize, usize);

/// Plays requests on the lane of a case; the number of a retry says that the client calls it one.
fn remember(phrasing: &Phrasing, sent: &[(Sent, bool)]) -> Vec<String> {
    let mut counts = Counts::default();
    let mut said = Vec::new();
    for &((since, body, listed, opening), retried) in sent {
        let trace = Some(Trace { body, listed, opening, tools: true, retried });
        let stand = Stand { assistants: since, since, returned: 0, trace };
        let picked = look(phrasing, &stand, &counts);
        said.push(format!("{}:{}", picked.step, words(&picked)));
        counts.commit(&picked, &stand);
    }
    said
}

#[test]
fn a_history_that_was_cut_short_goes_on_where_it_was() {
    let first = ((0, 1, 2, 7), false);
    let second = ((1, 2, 4, 7), false);
    for (what, sent, wanted) in [
        ("compacted", vec![first, second, ((0, 3, 2, 8), false)], "2:c"),
        (
            "compacted and tried again",
            vec![first, second, ((0, 3, 2, 8), false), ((0, 3, 2, 8), false)],
            "2:c",
        ),
        ("a retry by its header", vec![first, second, ((0, 3, 2, 8), false), ((0, 4, 2, 8), true)], "2:c"),
        ("compacted at once", vec![first, ((0, 3, 2, 8), false)], "1:b"),
        ("a shorter beginning", vec![first, second, ((0, 3, 2, 6), false)], "0:a"),
        (
            "what began with more was a title",
            vec![((0, 9, 3, 20), false), first, ((0, 3, 2, 8), false)],
            "1:b",
        ),
        ("the same beginning", vec![first, second, ((0, 3, 2, 7), false)], "0:a"),
        ("not shorter", vec![first, ((1, 3, 2, 8), false)], "1:b"),
        ("past the end", vec![first, second, ((2, 3, 6, 7), false), ((0, 4, 2, 8), false)], "3:end"),
        ("and further from there", vec![first, ((0, 3, 2, 8), false), ((1, 4, 4, 8), false)], "2:c"),
    ] {
        let said = remember(&one(THREE), &sent);
        assert_eq!(said.last().map(String::as_str), Some(wanted), "{what}");
    }
}

#[test]
fn thirty_attempts_are_one_request_where_requests_are_counted() {
    let phrasing = one(&format!("        advance: request\n{THREE}"));
    let equal = remember(&phrasing, &[((0, 1, 2, 7), false); 30]);
    assert_eq!(equal, vec!["0:a"; 30]);
    let volatile: Vec<_> = (0..30).map(|body| ((0, body, 2, 7), body > 0)).collect();
    assert_eq!(remember(&phrasing, &volatile), vec!["0:a"; 30]);
    // The next request is the next step, whatever it counts itself.
    let sent = [((0, 1, 2, 7), false), ((0, 1, 2, 7), true), ((0, 2, 4, 7), false), ((0, 3, 6, 7), true)];
    assert_eq!(remember(&phrasing, &sent), ["0:a", "0:a", "1:b", "2:c"]);
}

#[test]
fn an_attempt_after_an_error_moves_on_as_times_says() {
    let phrasing = one(&format!("        advance: request{TROUBLES}"));
    let said = remember(&phrasing, &[((0, 1, 2, 7), false); 6]);
    assert_eq!(said, ["0:429", "0:429", "0:mid-body-drop", "0:first", "0:first", "0:first"]);
    // Bodies of one length that the client calls retries, as an agent with a fixed window sends them.
    let sent = [1, 2, 3, 4, 5, 6, 7].map(|body| ((0, body, 2, 7), matches!(body, 2 | 3 | 4 | 6)));
    let said = remember(&phrasing, &sent);
    assert_eq!(said, ["0:429", "0:429", "0:mid-body-drop", "0:first", "1:500", "1:second", "2:503"]);
    let endless = one(
        "        advance: request\n        script: [{api_error: {status: 500, message: no}}, {text: hi}]\n",
    );
    assert_eq!(remember(&endless, &[((0, 1, 2, 7), false); 3]), ["0:500", "1:hi", "1:hi"]);
}

#[test]
fn a_conversation_begins_where_tools_are_first_offered() {
    for advance in ["auto", "request"] {
        let phrasing = one(&format!("        advance: {advance}\n{THREE}"));
        let mut counts = Counts::default();
        let mut ask = |assistants, body, opening, tools| {
            let trace = Some(Trace { body, listed: 2, opening, tools, retried: false });
            let stand = Stand { assistants, since: assistants, returned: 0, trace };
            let picked = look(&phrasing, &stand, &counts);
            counts.commit(&picked, &stand);
            (words(&picked), counts.began_with_tools(&phrasing))
        };
        assert_eq!(ask(0, 1, 30, false), ("a".to_owned(), false), "{advance}");
        assert_eq!(ask(0, 2, 40, true), ("a".to_owned(), true), "{advance}");
        assert_eq!(ask(1, 3, 40, true), ("b".to_owned(), true), "{advance}");
    }
}

/// A request that goes on from a kept reply with these messages; user messages say something else than the prompt.
fn kept(id: &'static str, messages: &[(Role, &[&'static str])], answers: &[&'static str]) -> Turn<'static> {
    let mut turn = turn(messages);
    turn.kept = Some(Kept { id: id.into(), pointer: "/previous", with_setting: false });
    for (message, id) in turn.messages.iter_mut().filter(|message| message.role == Role::Tool).zip(answers) {
        message.answers = vec![(*id).into()];
    }
    turn
}

#[test]
fn a_kept_reply_says_conversation_and_step_by_its_id_alone() {
    use Role::{Assistant, System, Tool, User};
    let scenarios = suite(
        "version: 1\nclasses:\n  c:\n    script: [{tool_calls: [{name: f, arguments: {}}, {name: g, arguments: {}}]}, {text: b}, {text: c}]\n    phrasings: [{id: a_s1, prompt: first thing}, {id: b, prompt: other thing}]\n",
    );
    let picker = Picker::new(&scenarios);
    let answered: &[(Role, &[&str])] = &[(System, &["Be terse."]), (User, &["hm"]), (Tool, &[]), (Tool, &[])];
    let ids = ["call_gate_a_s1_s0_1", "call_gate_a_s1_s0_0"];
    for (id, messages, only, wanted) in [
        ("resp_gate_a_s1_s0_0a1b", answered, None, Some((0, 1))),
        ("msg_gate_a_s1_s0_0a1b", answered, Some(0), Some((0, 1))),
        ("resp_gate_a_s1_s1_0a1b", &[(User, &["go on"][..])][..], Some(0), Some((0, 2))),
        ("resp_gate_a_s1_s1_0a1b", &[(User, &["First thing, again"])], Some(0), Some((0, 2))),
        (
            "resp_gate_a_s1_s0_0a1b",
            &[(User, &["x"]), (Assistant, &["b"]), (User, &["y"])],
            None,
            Some((0, 2)),
        ),
        ("resp_gate_a_s1_s2_0a1b", &[(User, &["go on"])], Some(0), Some((0, 3))),
        ("resp_gate_b_s1_0a1b", &[(User, &["go on"])], Some(0), None),
        ("resp_gate_b_s1_0a1b", &[(User, &["First thing"])], None, Some((0, 0))),
        ("resp_gate_c_s1_0a1b", &[(User, &["go on"])], None, None),
        ("resp_gate_0a1b", &[(User, &["go on"])], None, None),
        ("resp_0a1b", &[(User, &["go on"])], None, None),
    ] {
        let mut turn = kept(id, messages, &ids);
        picker.recall(&scenarios, &mut turn);
        let found = picker.matched(&scenarios, &turn, only);
        let place = found.map(|found| {
            let phrasing = &scenarios.phrasings[found.phrasing];
            let stand = Stand::of(phrasing, &turn, &found);
            (found.phrasing, look(phrasing, &stand, &Counts::default()).step)
        });
        assert_eq!(place, wanted, "{id} {messages:?} {only:?}");
    }
}

#[test]
fn a_kept_reply_stands_behind_the_instructions_with_the_answers_to_its_calls() {
    use Role::{Assistant, Developer, Tool, User};
    let scenarios = suite(
        "version: 1\nclasses:\n  c:\n    script: [{text: Both., tool_calls: [{name: f, arguments: {x: 1}}]}, {fault: tool-pending-forever}]\n    phrasings: [{id: p, prompt: first thing}]\n",
    );
    let picker = Picker::new(&scenarios);
    let messages: &[(Role, &[&str])] = &[(Developer, &["d"]), (User, &["u"]), (Tool, &[])];
    for (id, answer, calls) in [
        ("resp_gate_p_s0_0a", "call_gate_p_s0_0", &["call_gate_p_s0_0"][..]),
        ("resp_gate_p_s1_0a", "call_hostile_pending_0001", &["call_hostile_pending_0001"]),
        ("resp_elsewhere", "call_1", &["call_1"]),
        ("resp_gate_0a", "call_1", &[]),
    ] {
        let mut turn = kept(id, messages, &[answer]);
        picker.recall(&scenarios, &mut turn);
        let roles: Vec<_> = turn.messages.iter().map(|message| message.role).collect();
        let answered = if calls.is_empty() { [User, Tool] } else { [Tool, User] };
        assert_eq!(roles, [Developer, Assistant, answered[0], answered[1]], "{id}");
        let made: Vec<_> = turn.messages[1].calls.iter().map(|call| &*call.id).collect();
        assert_eq!(made, calls, "{id}");
    }
}
