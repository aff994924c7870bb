//! The table of steps as a whole.

use super::*;
use rehearsal_lab::Code;
use rehearsal_lab::store::Moments;
use rehearsal_lab::workspace::{Policy, Workspace};
use rehearsal_script::workflow::Form;
use rehearsal_world::files::Scratch;
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};

#[test]
fn the_table_is_sorted_and_no_name_stands_twice() {
    let names: Vec<_> = STEPS.iter().map(|step| step.form.name).collect();
    assert!(names.is_sorted_by(|one, other| one < other), "{names:?}");
    let references: Vec<_> = STEPS.iter().flat_map(|step| step.form.reference).collect();
    assert_eq!(references.iter().collect::<BTreeSet<_>>().len(), references.len(), "{references:?}");
}

#[test]
fn every_code_that_a_step_refuses_with_exists() {
    let known: BTreeSet<_> = Code::ALL.iter().map(|code| code.word()).collect();
    for step in STEPS {
        for code in step.form.refuses {
            assert!(known.contains(code), "{} refuses with {code}, which is no code", step.form.name);
        }
    }
}

#[test]
fn every_permission_that_a_step_needs_can_be_listed_and_is_explained() {
    for (name, _) in permission::ALL {
        assert!(rehearsal_script::workflow::PERMISSIONS.contains(&name), "{name}");
    }
    for step in STEPS {
        for given in [true, false] {
            if let Some(needed) = step.needs.with(|_| given) {
                assert!(permission::ALL.iter().any(|(name, _)| *name == needed), "{needed}");
            }
        }
    }
}

#[test]
fn every_example_is_a_step_that_files_may_hold() {
    let (forms, refusals) = (forms(), refusals());
    let known = rehearsal_script::Known {
        rules: &[],
        faults: &[],
        codes: &[],
        regex: |_| Ok(()),
        steps: &forms,
        refusals: &refusals,
    };
    for step in STEPS {
        let example: String = step.form.example.lines().map(|line| format!("        {line}\n")).collect();
        let example = example.trim_start();
        // What examples refer to.
        let before = ["raw", "derived", "first", "second"]
            .map(|id| format!("      - {{use: save_artifact, id: {id}, with: {{filename: {id}}}}}\n"))
            .concat();
        let text = format!(
            "version: 1\nworkflow: w\ncases:\n  - id: c\n    outcome: success\n    steps:\n\
             {before}      - {{use: service, id: web, with: {{command: [x]}}}}\n      \
             - {example}      - {{use: host_file_write, with: {{path: a}}, expect: {{bytes: 1}}}}\n"
        );
        let text = match example.lines().find_map(|line| line.trim().strip_prefix("id: ")) {
            // The example brings its own.
            Some(id) => {
                let own = text.lines().filter(|line| !line.contains(&format!("id: {id},")));
                own.map(|line| format!("{line}\n")).collect()
            }
            None => text,
        };
        let file = rehearsal_script::File { name: "example.yaml", bytes: text.as_bytes() };
        if let Err(findings) = rehearsal_script::workflow::read(&[file], &known) {
            panic!("{}: {findings:#?}\n{text}", step.form.name);
        }
    }
}

/// A bench in a folder.
fn bench(folder: &Scratch) -> Bench {
    let workspace = folder.path().join("workspace");
    Bench {
        root: folder.path().to_owned(),
        home: folder.path().join("home"),
        suite: folder.path().to_owned(),
        workspace: Workspace::open(&workspace, Policy::default()).unwrap(),
        folder: workspace,
        store: None,
        moments: Some(Moments::new(1, "case")),
        services: Vec::new(),
        names: BTreeMap::new(),
        form: Form::Own,
        inherited: Vec::new(),
        step: "step".to_owned(),
    }
}

/// Does the work of a step that waits for the disk at most.
fn work(bench: &mut Bench, name: &str, with: &Value) -> Result<Value, Code> {
    let step = STEPS.iter().find(|step| step.form.name == name).unwrap();
    let Work::Lab(work) = step.work else { panic!("{name} works elsewhere") };
    match work(bench, &Inputs(with.as_object().cloned().unwrap())) {
        Ok(fact) => Ok(Value::Object(fact.observed().clone())),
        Err(Stop::Refused(refusal)) => Err(refusal.code),
        Err(other) => panic!("{name}: {other:?}"),
    }
}

#[test]
fn each_step_observes_what_its_row_says_and_nothing_else() {
    let folder = Scratch::new().unwrap();
    let mut bench = bench(&folder);
    let mut done = |name: &str, with: &Value| {
        let observed = work(&mut bench, name, with).unwrap_or_else(|code| panic!("{name}: {code:?}"));
        let form = &STEPS.iter().find(|step| step.form.name == name).unwrap().form;
        let said: BTreeSet<_> = form.gives.iter().map(|(field, _)| (*field).to_owned()).collect();
        let seen: BTreeSet<_> = observed.as_object().unwrap().keys().cloned().collect();
        assert_eq!(seen, said, "{name}");
        observed["version_id"].clone()
    };
    done("open_session", &json!({}));
    let raw = done("save_artifact", &json!({"filename": "raw.csv", "content": "a"}));
    let made = done("save_artifact", &json!({"filename": "b.csv", "content": "b", "derived_from": [raw]}));
    done("assert_lineage", &json!({"input": raw, "output": made, "acyclic": true}));
    done("read_artifact", &json!({"version_id": raw}));
    done("damage_artifact", &json!({"version_id": raw}));
    done("restore_artifact", &json!({"version_id": raw, "filename": "raw.csv", "expected_head": raw}));
    done("file", &json!({"path": "raw.csv"}));
    done("host_file_write", &json!({"path": "c", "content": "c"}));
}

#[test]
fn each_step_refuses_with_codes_of_its_row_alone() {
    let folder = Scratch::new().unwrap();
    let mut bench = bench(&folder);
    let early = json!({"version_id": "v-000000000000", "filename": "a", "expected_head": "x", "input": "x", "output": "x"});
    let mut refused = vec![];
    for name in ["save_artifact", "read_artifact", "damage_artifact", "restore_artifact", "assert_lineage"] {
        refused.push((name, early.clone(), Code::NoSession));
    }
    let check = |bench: &mut Bench, rows: Vec<(&'static str, Value, Code)>| {
        for (name, with, code) in rows {
            assert_eq!(work(bench, name, &with), Err(code), "{name} {with}");
            let form = &STEPS.iter().find(|step| step.form.name == name).unwrap().form;
            assert!(
                form.refuses.contains(&code.word()),
                "{name} refuses with {}, which its row leaves out",
                code.word()
            );
        }
    };
    check(&mut bench, refused);
    work(&mut bench, "open_session", &json!({})).unwrap();
    let raw = work(&mut bench, "save_artifact", &json!({"filename": "raw", "content": "a"})).unwrap();
    let raw = raw["version_id"].clone();
    let twice = json!({"filename": "b", "content": "b", "derived_from": [raw, raw]});
    let head = json!({"version_id": raw, "filename": "raw", "expected_head": "v-000000000000"});
    let read = json!({"version_id": "v-000000000000"});
    check(
        &mut bench,
        vec![
            ("save_artifact", twice, Code::Exists),
            ("restore_artifact", head, Code::Invalid),
            ("read_artifact", read.clone(), Code::Unknown),
            ("damage_artifact", read, Code::Unknown),
        ],
    );
    work(&mut bench, "damage_artifact", &json!({"version_id": raw})).unwrap();
    check(&mut bench, vec![("read_artifact", json!({"version_id": raw}), Code::Digest)]);
    // Another project, which has nothing to do with the first one.
    work(&mut bench, "open_session", &json!({"project": "other"})).unwrap();
    let foreign =
        json!({"version_id": raw, "filename": "raw", "expected_head": raw, "input": raw, "output": raw});
    check(
        &mut bench,
        ["read_artifact", "damage_artifact", "restore_artifact", "assert_lineage"]
            .map(|name| (name, foreign.clone(), Code::Foreign))
            .to_vec(),
    );
    check(
        &mut bench,
        vec![(
            "save_artifact",
            json!({"filename": "c", "content": "c", "derived_from": [raw]}),
            Code::Foreign,
        )],
    );
}
