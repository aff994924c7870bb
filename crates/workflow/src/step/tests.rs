//! The table of steps as a whole.

use super::*;
use rehearsal_lab::Code;
use std::collections::BTreeSet;

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
        let text = text.replace(&format!("id: {}", "session\n"), "id: session\n");
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
