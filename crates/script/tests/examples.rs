//! The shipped suite loads without a word, and the schema knows all that it says.

use rehearsal_script::scenario::{Action, Scenarios};
use rehearsal_script::{File, Known, json_schema, lint, read};
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::json::{self, Value};
use rehearsal_wire::rule::{Echo, Profile};

const QUICKSTART: [File<'static>; 3] = [
    File { name: "basics.yaml", bytes: include_bytes!("../../../examples/quickstart/basics.yaml") },
    File { name: "failures.yaml", bytes: include_bytes!("../../../examples/quickstart/failures.yaml") },
    File { name: "torture.json", bytes: include_bytes!("../../../examples/quickstart/torture.json") },
];

fn known() -> Known<'static> {
    Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()) }
}

fn quickstart() -> Scenarios {
    read(&QUICKSTART, &known()).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

#[test]
fn the_quickstart_has_nothing_to_complain_of() {
    assert_eq!(lint(&QUICKSTART, &known()), []);
    let suite = quickstart();
    assert_eq!((suite.profile, suite.echo), (Profile::Gate, Echo::Double));
    assert!(suite.phrasings.len() >= 9);
}

#[test]
fn its_hostile_cases_are_those_without_a_good_end() {
    let hostile: Vec<String> = quickstart()
        .phrasings
        .into_iter()
        .filter(|phrasing| phrasing.hostile)
        .map(|phrasing| phrasing.id)
        .collect();
    assert_eq!(hostile, ["endless-tools", "black-hole", "mid-body-drop"]);
}

/// What a file says must be what the schema describes: a key without a row in the table could not be checked.
#[test]
fn the_schema_knows_every_key_of_the_examples() {
    let schema = json_schema();
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
    // Every reference leads somewhere.
    for part in json_schema().split("#/$defs/").skip(1) {
        let name = part.split('"').next().unwrap();
        assert!(defs.get(name).is_some(), "{name}");
    }
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
