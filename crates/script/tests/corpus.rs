//! The scenario file of the older form and the requests that were recorded against it.
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data has failed")]

use rehearsal_script::issued::{ScriptSide, call_id};
use rehearsal_script::pick::{Counts, Picker, Stand, look};
use rehearsal_script::scenario::{Action, Scenarios};
use rehearsal_script::{File, Known, lint, read, read_under};
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::json::{self, Likeness, Value};
use rehearsal_wire::rule::{Echo, Expected, Issued, Profile, Scripted};

const SCENARIOS: &str = include_str!("../../standin/tests/data/scenarios-openai.json");
const REQUESTS: &str = include_str!("../../standin/tests/data/model-stub.jsonl");

fn known() -> Known<'static> {
    Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] }
}

fn scenarios() -> Scenarios {
    let files = [File { name: "scenarios-openai.json", bytes: SCENARIOS.as_bytes() }];
    read(&files, &known()).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

#[test]
fn loads_the_older_form_unchanged() {
    let scenarios = scenarios();
    assert_eq!(scenarios.phrasings.len(), 53);
    assert_eq!(scenarios.profile, Profile::Pinned);
    assert_eq!(scenarios.echo, Echo::Exact);
    let first = &scenarios.phrasings[0];
    assert_eq!((first.id.as_str(), first.prompt.as_str(), first.steps()), ("w1-plain", "GATE-WRITE-ONE", 2));
    let built_in = Expected {
        require_tools: true,
        require_tool_choice: true,
        parallel_tool_calls: Some(false),
        ..Expected::default()
    };
    assert_eq!(first.script[0].expected, built_in);
    let steps = |id: &str| scenarios.phrasings.iter().find(|phrasing| phrasing.id == id).unwrap().steps();
    assert_eq!([steps("long-a"), steps("rep-hundred"), steps("empty-a"), steps("ov-null")], [14, 101, 0, 1]);
}

#[test]
fn a_milder_profile_lifts_what_the_older_form_expects_by_itself_but_not_what_the_file_says() {
    let bytes =
        br#"{"classes": {"c": {"script": [{"text": "a"}, {"text": "b", "expect_request": {"require_tools": true}}],
        "phrasings": [{"id": "p", "marker": "M"}]}}}"#;
    let expected = |chosen| {
        let scenarios = read_under(&[File { name: "s.json", bytes }], &known(), chosen).unwrap();
        let steps = &scenarios.phrasings[0].script;
        (steps[0].expected.clone(), steps[1].expected.clone())
    };
    let said = Expected { require_tools: true, ..Expected::default() };
    for milder in [Profile::Lenient, Profile::Api, Profile::Gate] {
        assert_eq!(expected(Some(milder)), (Expected::default(), said.clone()));
    }
    let built_in = Expected { require_tool_choice: true, parallel_tool_calls: Some(false), ..said };
    assert_eq!(expected(Some(Profile::Pinned)), (built_in.clone(), built_in.clone()));
    assert_eq!(expected(None), (built_in.clone(), built_in));
}

#[test]
fn warns_of_what_surprises_in_it() {
    let files = [File { name: "s.json", bytes: SCENARIOS.as_bytes() }];
    let words: Vec<String> = lint(&files, &known()).iter().map(ToString::to_string).collect();
    for part in [
        "the marker of `lap-long` holds the marker of `lap-short`",
        "hold 9007199254740993",
        "are null, not an object",
        "step 3 of `emptycalls-a` says null",
        "`empty-a` has no steps",
        "nobody gets past step 2 of `err-mid`: each retry meets the same error",
    ] {
        assert!(words.iter().any(|word| word.contains(part)), "{part} in {words:#?}");
    }
}

/// Every line that the original stub answered from a script: the same phrasing, step, text, calls and ids come out here.
#[test]
fn picks_the_step_that_the_recorded_answer_came_from() {
    let (scenarios, mut seen) = (scenarios(), 0);
    let picker = Picker::new(&scenarios);
    for line in REQUESTS.lines() {
        let tape = json::parse(line.as_bytes()).unwrap();
        let root = tape.root();
        let text = |pointer: &str| root.at(pointer).and_then(Value::as_str).map(std::borrow::Cow::into_owned);
        let Some(kind) = text("/log_expect/kind") else { continue };
        let Some(body) =
            text("/body").filter(|_| matches!(kind.as_str(), "scenario" | "overrun" | "background"))
        else {
            continue;
        };
        if root.get("seed_defect").is_some() {
            continue;
        }
        let id = text("/id").unwrap();
        let Ok(request) = json::parse(body.as_bytes()) else { continue };
        let turn = (dialect("openai-chat").unwrap().read)(&request);
        let matched =
            picker.matched(&scenarios, &turn, None).map(|found| &scenarios.phrasings[found.phrasing]);
        assert_eq!(matched.map(|phrasing| phrasing.id.clone()), text("/log_expect/phrasing"), "{id}");
        assert_eq!(
            matched.map(|phrasing| phrasing.class.clone()),
            text("/log_expect/scenario_class"),
            "{id}"
        );
        let step = root.at("/log_expect/step").and_then(Value::as_i64);
        let (Some(phrasing), Some(step)) = (matched, step) else { continue };
        let stand = Stand { assistants: turn.assistants(), ..Stand::default() };
        let picked = look(phrasing, &stand, &Counts::default());
        assert_eq!(i64::try_from(picked.step).unwrap(), step, "{id}");
        assert_eq!(picked.is_overrun(), kind == "overrun", "{id}");
        seen += 1;
        if text("/log_expect/validation").as_deref() == Some("ok") && !picked.is_overrun() {
            same_answer(root.get("expect").unwrap(), picked.action, &phrasing.id, picked.step);
        }
    }
    assert!(seen > 300, "only {seen} lines were compared");
}

fn same_answer(expect: Value<'_>, action: &Action, phrasing: &str, step: usize) {
    match action {
        Action::Say(said) => {
            assert_eq!(
                expect.get("content").and_then(Value::as_str).as_deref(),
                said.text.as_deref(),
                "{phrasing}"
            );
            let calls: Vec<_> = expect.get("tool_calls").unwrap().items().collect();
            assert_eq!(calls.len(), said.calls.len(), "{phrasing}");
            for (k, (wanted, call)) in calls.iter().zip(&said.calls).enumerate() {
                assert!(wanted.get("id").unwrap().is_str(&call_id(phrasing, step, k)), "{phrasing}");
                assert!(wanted.get("name").unwrap().is_str(&call.name), "{phrasing} {}", call.name);
                let arguments = json::parse(call.arguments.as_bytes()).unwrap();
                let likeness = json::likeness(wanted.get("arguments").unwrap(), arguments.root());
                assert!(likeness == Likeness::Same, "{phrasing}: {}", call.arguments);
            }
        }
        Action::Error(error) => {
            assert_eq!(
                expect.get("status").and_then(Value::as_i64),
                Some(i64::from(error.status)),
                "{phrasing}"
            );
            assert_eq!(
                expect.get("code").and_then(Value::as_str).as_deref(),
                error.code.as_deref(),
                "{phrasing}"
            );
        }
        Action::Fault { .. } | Action::End => panic!("{phrasing}: no such action in the older form"),
    }
}

#[test]
fn knows_which_ids_were_issued() {
    let scenarios = scenarios();
    let picker = Picker::new(&scenarios);
    let matched = scenarios.phrasings.iter().position(|phrasing| phrasing.id == "par-a");
    let side = ScriptSide { scenarios: &scenarios, picker: &picker, matched, expected: None };
    assert_eq!(
        side.issued("call_gate_par-a_s0_1"),
        Issued::Call { step: 0, name: "read_file", arguments: r#"{"path": "b.md"}"#, ours: true }
    );
    let other = side.issued("call_gate_w1_under_score_s0_0_s0_0");
    assert!(matches!(other, Issued::Call { step: 0, name: "write_file", ours: false, .. }), "{other:?}");
    for id in ["call_abc", "", "call_gat_par-a_s0_0", "CALL_GATE_par-a_s0_0"] {
        assert_eq!(side.issued(id), Issued::Foreign, "{id}");
    }
    for id in [
        "call_gate_",
        "call_gate_par-a",
        "call_gate_par-a_s0",
        "call_gate_par-a_x0_0",
        "call_gate_par-a_s00_0",
        "call_gate_par-a_s0_00",
        "call_gate_par-a_s+0_0",
        "call_gate_par-a_s0_ 0",
        "call_gate_par-a_s-1_0",
        "call_gate_par-a_s0_-2",
        "call_gate_par-a_s٠_0",
        "call_gate_par-a_s_0",
        "call_gate_par-a_s0_99999999999999999999999",
        "call_gate_par-a_s0_2",
        "call_gate_par-a_s2_0",
        "call_gate_par-a_s3_0",
        "call_gate_nobody_s0_0",
        "call_gate_empty-a_s0_0",
    ] {
        assert!(matches!(side.issued(id), Issued::Never(_)), "{id}: {:?}", side.issued(id));
    }
    assert_eq!(side.ids_of_step(0), ["call_gate_par-a_s0_0", "call_gate_par-a_s0_1"]);
    assert_eq!(side.text_of_step(1), Some("Reading a third."));
    assert!(side.ids_of_step(2).is_empty() && side.text_of_step(9).is_none());
}
