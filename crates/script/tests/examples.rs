//! The shipped suites load without a word, and the schema knows all that it says.

use rehearsal_script::scenario::{Action, Scenarios};
use rehearsal_script::{File, FileKind, Known, json_schema, lint, read};
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::json::{self, Value};
use rehearsal_wire::rule::{Echo, Profile};

const QUICKSTART: [File<'static>; 3] = [
    File { name: "basics.yaml", bytes: include_bytes!("../../../examples/quickstart/basics.yaml") },
    File { name: "failures.yaml", bytes: include_bytes!("../../../examples/quickstart/failures.yaml") },
    File { name: "torture.json", bytes: include_bytes!("../../../examples/quickstart/torture.json") },
];

const HARD: [File<'static>; 1] =
    [File { name: "suite.yaml", bytes: include_bytes!("../../../examples/hard/suite.yaml") }];

fn known() -> Known<'static> {
    Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] }
}

fn suite(files: &[File<'_>]) -> Scenarios {
    read(files, &known()).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

#[test]
fn the_shipped_suites_have_nothing_to_complain_of() {
    for (files, cases) in [(&QUICKSTART[..], 8), (&HARD[..], 5)] {
        assert_eq!(lint(files, &known()), []);
        let suite = suite(files);
        assert_eq!((suite.profile, suite.echo), (Profile::Gate, Echo::Double));
        assert!(suite.phrasings.len() >= cases, "{}", suite.phrasings.len());
    }
}

#[test]
fn the_quickstart_ends_well_and_the_hard_suite_mostly_does_not() {
    let hostile = |files: &[File<'_>]| -> Vec<String> {
        let phrasings = suite(files).phrasings.into_iter().filter(|phrasing| phrasing.hostile);
        phrasings.map(|phrasing| phrasing.id).collect()
    };
    assert_eq!(hostile(&QUICKSTART), [""; 0]);
    assert_eq!(hostile(&HARD), ["endless-tools", "black-hole", "mid-body-drop", "refused-for-good"]);
}

/// So any agent with a tool for commands can be asked for them, whatever its tool is called.
#[test]
fn the_shipped_suites_call_no_tool_but_the_shell() {
    let phrasings = [&QUICKSTART[..], &HARD[..]].map(suite).map(|suite| suite.phrasings);
    let steps = phrasings.iter().flatten().flat_map(|phrasing| &phrasing.script);
    let calls: Vec<_> = steps.filter_map(|step| step.action.said()).flat_map(|said| &said.calls).collect();
    assert!(calls.len() >= 10, "{}", calls.len());
    for call in calls {
        assert!(call.shell.is_some(), "{}", call.name);
    }
}

/// What a file says must be what the schema describes: a key without a row in the table could not be checked.
#[test]
fn the_schema_knows_every_key_of_the_examples() {
    let schema = json_schema(FileKind::Suite);
    let schema = json::parse(schema.as_bytes()).unwrap();
    let defs = schema.root().get("$defs").unwrap();
    let known: Vec<_> = defs
        .entries()
        .flat_map(|(_, shape)| {
            shape.get("properties").unwrap().entries().map(|(key, _)| key.as_str().unwrap())
        })
        .collect();
    let torture = json::parse(QUICKSTART[2].bytes).unwrap();
    let class = torture.root().at("/classes/torture").unwrap();
    let objects = [
        torture.root(),
        class,
        class.at("/expect_request").unwrap(),
        class.at("/script/0").unwrap(),
        class.at("/script/0/tool_calls/0").unwrap(),
        class.at("/phrasings/0").unwrap(),
        class.at("/phrasings/0/expect_agent").unwrap(),
    ];
    for (key, _) in objects.into_iter().flat_map(Value::entries) {
        let key = key.as_str().unwrap();
        assert!(known.contains(&key), "{key}");
    }
}

#[test]
fn every_kind_of_file_has_a_schema_whose_references_lead_somewhere() {
    for (kind, top) in [
        (FileKind::Suite, "classes"),
        (FileKind::Wave, "items"),
        (FileKind::Runs, "quota"),
        (FileKind::Workflow, "cases"),
    ] {
        let text = json_schema(kind);
        let schema = json::parse(text.as_bytes()).unwrap();
        let defs = schema.root().get("$defs").unwrap();
        for part in text.split("#/$defs/").skip(1) {
            let name = part.split('"').next().unwrap();
            assert!(defs.get(name).is_some(), "{} {name}", kind.word());
        }
        let first = text.split("#/$defs/").nth(1).unwrap().split('"').next().unwrap();
        let properties = defs.get(first).unwrap().get("properties").unwrap();
        assert!(properties.get(top).is_some(), "{top}");
    }
}

/// A daemon plays all its files together, and so they are looked at together.
#[test]
fn run_scripts_of_several_files_are_linted_together_and_waves_alone() {
    let runs = |id: &str| format!("version: 1\nruns:\n  - {{id: {id}}}\n");
    let (one, two, other) = (runs("a"), runs("a"), runs("b"));
    let wave = "version: 1\ntest: t\nitems:\n  - {slug: s, prompt: p, owns: [x]}\n";
    let file = |name, text: &'static str| File { name, bytes: text.as_bytes() };
    let files = [
        File { name: "one.yaml", bytes: one.as_bytes() },
        file("wave-1.yaml", wave),
        File { name: "two.yaml", bytes: two.as_bytes() },
        file("wave-2.yaml", wave),
        File { name: "other.yaml", bytes: other.as_bytes() },
    ];
    let found = lint(&files, &known());
    let [clash] = &found[..] else { panic!("{found:?}") };
    assert_eq!((clash.file.as_str(), clash.line), ("two.yaml", 3));
    assert!(clash.message.contains("the first stands in one.yaml:3"), "{clash}");
}

#[test]
fn every_fault_s_example_is_a_step() {
    for fault in FAULTS {
        let file = format!(
            r#"{{"version": 1, "classes": {{"c": {{"script": [{}], "phrasings": [{{"id": "p", "prompt": "do it"}}]}}}}}}"#,
            fault.example
        );
        let suite = read(&[File { name: "f.json", bytes: file.as_bytes() }], &known());
        let suite = suite.unwrap_or_else(|findings| panic!("{}", findings[0]));
        let Action::Fault { faults, .. } = &suite.phrasings[0].script[0].action else {
            panic!("{}", fault.name)
        };
        assert_eq!(faults[0].name, fault.name);
        assert_eq!(suite.phrasings[0].hostile, fault.hostile);
    }
}
