//! What let a workflow pass that should not, in the reference's runner: each in both forms where it can be said in both, with its
//! right end. In the reference's own form some of it stays as it is, so that its files keep their meaning.

use super::{case, end, reference, refused, said, sandbox};
use crate::sandbox::Sandbox;
use serde_json::{Value, json};

/// Runs one case of the reference's form.
fn looked_at(steps: &[&str], outcome: &str, inputs: &Value, expect: &Value) -> (Option<i32>, Value) {
    let text = reference(steps, outcome, inputs, expect).to_string();
    let sandbox = Sandbox::with(&[("flow.json", &text)]);
    let (ended, file, _) = sandbox.run_suite(&["flow.json"]);
    (ended.code, file)
}

/// Sees that a file of the reference's form is refused before anything runs.
fn mistaken(text: &str) -> String {
    let sandbox = Sandbox::with(&[("flow.json", text)]);
    let ended = sandbox.run(&["run", "flow.json"]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    ended.err
}

const A: &str = "a.txt";

#[test]
fn a_case_of_which_nothing_could_fail_is_a_mistake_and_in_the_reference_s_form_passes_as_ever() {
    for outcome in ["success", "provenance"] {
        let said = refused(&sandbox(&format!(
            "  - {{id: c, outcome: {outcome}, steps: [{{use: file, with: {{path: a.txt, content: x}}}}]}}\n"
        )));
        assert!(said.contains("nothing that these steps observe could fail the case"), "{said}");
        assert!(said.contains("flow.yaml:5:"), "{said}");
    }
    let write = json!({"host_file_write": {"path": A}});
    let (code, file) = looked_at(&["host_file_write"], "success", &write, &json!({}));
    assert_eq!((code, end(&file, "r/c")), (Some(0), ("passed", vec![])));
}

#[test]
fn a_refusal_of_which_nothing_is_expected_fails() {
    let out = json!({"host_file_write": {"path": "../a"}});
    for outcome in ["failure", "permission_denied"] {
        let (code, file) = looked_at(&["host_file_write"], outcome, &out, &json!({}));
        assert_eq!((code, end(&file, "r/c")), (Some(1), ("failed", vec!["nothing-expected"])));
        let said = refused(&sandbox(&format!(
            "  - {{id: c, outcome: {outcome}, steps: [{{use: file, with: {{path: ../a}}}}]}}\n"
        )));
        assert!(said.contains("refusal"), "{said}");
    }
}

#[test]
fn null_is_not_absent_but_in_the_reference_s_form() {
    let sandbox = sandbox(
        r#"
  - {id: null-of-nothing, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {gone: null}}]}
"#,
    );
    let said = refused(&sandbox);
    assert!(said.contains("`file` has no field `gone`") || said.contains("gone"), "{said}");
    let sandbox = super::sandbox(
        r#"
  - {id: absent-null, outcome: success, steps: [{use: file, with: {path: a}, expect: {text: null}}]}
  - {id: absent, outcome: success, steps: [{use: file, with: {path: a}, expect: {text: {absent: true}, size: {absent: true}}}]}
"#,
    );
    let (ended, file, _) = sandbox.run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/absent-null"), ("failed", vec!["step-expectation"]));
    assert!(super::said(&file, "w/absent-null").contains("`text` is absent, and must be null"), "{file:#}");
    assert_eq!(end(&file, "w/absent"), ("passed", vec![]));

    let write = json!({"host_file_write": {"path": A}});
    let (code, _) = looked_at(&["host_file_write"], "success", &write, &json!({"never_there": null}));
    assert_eq!(code, Some(0), "there absent reads as null");
}

#[test]
fn true_is_not_one_but_in_the_reference_s_form() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: one, outcome: success, steps: [{use: host_file_write, with: {path: a, content: x}, expect: {created: 1}}]}
  - {id: true, outcome: success, steps: [{use: host_file_write, with: {path: a, content: x}, expect: {bytes: true}}]}
  - {id: text, outcome: success, steps: [{use: host_file_write, with: {path: a, content: x}, expect: {bytes: "1"}}]}
  - {id: double, outcome: success, steps: [{use: host_file_write, with: {path: a, content: x}, expect: {bytes: 1.0, created: true}}]}
"#
        .replace("id: true", "id: flag")
        .as_str(),
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for name in ["w/one", "w/flag", "w/text"] {
        assert_eq!(end(&file, name), ("failed", vec!["step-expectation"]), "{name}");
    }
    assert_eq!(end(&file, "w/double"), ("passed", vec![]));
    let save = json!({"save_artifact": {"filename": A, "content": "x"}});
    for (wanted, code) in
        [(json!({"version": 1}), 0), (json!({"version": true}), 0), (json!({"version": 2}), 1)]
    {
        let (ended, file) = looked_at(&["open_session", "save_artifact"], "success", &save, &wanted);
        assert_eq!(ended, Some(code), "{wanted} {file:#}");
    }
}

#[test]
fn a_text_that_all_texts_hold_is_no_expectation() {
    let said = refused(&sandbox(
        "  - {id: c, outcome: success, steps: [{use: file, with: {path: a, content: x}, expect: {text: {contains: ''}}}]}\n",
    ));
    assert!(said.contains("flow.yaml:5:"), "{said}");
    // Nor one that only shows itself when it is run.
    let (ended, file, _) = sandbox(
        r#"
  - id: c
    outcome: success
    steps:
      - {use: file, id: empty, with: {path: e, content: ''}}
      - {use: file, id: full, with: {path: f, content: x}, expect: {text: {contains: "${empty.text}"}}}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!((ended.code, end(&file, "w/c")), (Some(1), ("failed", vec!["step-expectation"])));

    let write = json!({"host_file_write": {"path": A}});
    let (code, _) = looked_at(&["host_file_write"], "success", &write, &json!({"path__contains": ""}));
    assert_eq!(code, Some(0), "there it is met by every text");
}

#[test]
fn what_is_misspelt_is_a_mistake_with_its_place_in_both_forms() {
    let own = [
        ("{id: c, outcome: success, steps: [{use: file, with: {pth: a}, expect: {exists: true}}]}", "pth"),
        (
            "{id: c, outcome: success, steps: [{use: fle, with: {path: a}, expect: {exists: true}}]}",
            "there is no step `fle`",
        ),
        ("{id: c, outcome: success, steps: file}", "list"),
        ("{id: c, outcome: sucess, steps: [{use: file, with: {path: a}, expect: {exists: true}}]}", "sucess"),
        (
            "{id: c, outcome: success, steps: [{use: file, with: {path: a}, expect: {text: {contians: x}}}]}",
            "contians",
        ),
        ("{id: c, outcome: success, steps: [{use: file, with: {path: a}, expct: {exists: true}}]}", "expct"),
        (
            "{id: c, outcome: success, needs: git, steps: [{use: file, with: {path: a}, expect: {exists: true}}]}",
            "list",
        ),
    ];
    for (row, words) in own {
        let said = refused(&sandbox(&format!("  - {row}\n")));
        assert!(said.contains(words) && said.contains("flow.yaml:5:"), "{row}: {said}");
    }
    let twice =
        "  - {id: c, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}\n";
    let said = refused(&sandbox(&[twice, twice].concat()));
    assert!(said.contains("w/c") && said.contains("flow.yaml:6:"), "{said}");

    let good = |inputs: Value| reference(&["host_file_write"], "success", &inputs, &json!({"path": "a"}));
    let with = |change: fn(&mut Value)| {
        let mut file = good(json!({"host_file_write": {"path": "a"}}));
        change(&mut file);
        file.to_string()
    };
    for (text, words) in [
        (good(json!({"host_file_write": {"pth": "a"}})).to_string(), "pth"),
        (good(json!({"host_file_wrte": {"path": "a"}})).to_string(), "host_file_wrte"),
        (with(|file| file["steps"] = json!("host_file_write")), "list"),
        (with(|file| file["cases"][0]["expect"] = json!({"path__contians": "a"})), "contians"),
        (with(|file| file["cases"][0]["expext"] = json!({})), "expext"),
        (
            with(|file| {
                let again = file["cases"][0].clone();
                file["cases"].as_array_mut().unwrap().push(again);
            }),
            "r/c",
        ),
        (
            with(|file| file["cases"][0]["steps"] = json!(["run_shell_cell"])),
            "there is no step `run_shell_cell`",
        ),
        (with(|file| file["cases"][0]["outcome"] = json!("okay")), "okay"),
    ] {
        let said = mistaken(&text);
        assert!(said.contains(words) && said.contains("flow.json:1:"), "{words}: {said}");
    }
    // JSON that names a key twice is no JSON of ours.
    let twice = good(json!({})).to_string().replacen("\"cases\"", "\"title\":\"again\",\"cases\"", 1);
    assert!(mistaken(&twice).contains("title"));
}

#[test]
fn a_file_that_may_not_be_looked_at_is_neither_there_nor_gone() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: secret, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "echo x > .env; printf .env"]}, expect: {stdout: {exists: false}}}]}
  - {id: folder, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "mkdir d; printf d"]}, expect: {stdout: {exists: false}}}]}
  - {id: outside, outcome: success, steps: [{use: exec, with: {command: [printf, ../a]}, expect: {stdout: {exists: false}}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    for (name, code) in [("w/secret", "E_SECRET_NAME"), ("w/outside", "E_PATH_PARENT")] {
        assert_eq!(end(&file, name), ("failed", vec!["step-expectation"]), "{name}");
        assert!(said(&file, name).contains(code), "{}", said(&file, name));
    }
    assert_eq!(end(&file, "w/folder"), ("passed", vec![]), "{}", said(&file, "w/folder"));
}

#[test]
fn a_program_that_crashes_exits_or_kills_itself_is_that_case_s_alone() {
    let (ended, file, _) = sandbox(
        r#"
  - {id: exit-0, outcome: failure, refusal: {step: exec, code: E_EXIT}, steps: [{use: exec, with: {command: [sh, -c, "exit 0"]}}]}
  - {id: exit-7, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "echo why >&2; exit 7"]}}]}
  - {id: killed, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "kill -9 $$"]}}]}
  - {id: declared, outcome: failure, refusal: {step: exec, code: E_EXIT}, steps: [{use: exec, with: {command: [sh, -c, "kill -9 $$"]}}]}
  - {id: may, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "kill -SEGV $$"], may_fail: true}, expect: {signal: 11, status: {absent: true}}}]}
  - {id: group, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "kill -9 0"], may_fail: true}, expect: {signal: 9}}]}
  - {id: parent, outcome: success, steps: [{use: exec, with: {command: [sh, -c, "exit 3"], may_fail: true}, expect: {status: 3}}]}
  - {id: after, outcome: success, steps: [{use: exec, with: {command: [echo, here]}, expect: {stdout: "here\n"}}]}
"#,
    )
    .run_suite(&["flow.yaml"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(end(&file, "w/exit-0"), ("failed", vec!["not-refused"]));
    assert_eq!(end(&file, "w/exit-7"), ("failed", vec!["step-refused"]));
    assert!(said(&file, "w/exit-7").contains("E_EXIT: sh ended with status 7: why"), "{file:#}");
    assert_eq!(end(&file, "w/killed"), ("failed", vec!["step-refused"]));
    assert!(said(&file, "w/killed").contains("signal 9"), "{file:#}");
    for name in ["w/declared", "w/may", "w/group", "w/parent", "w/after"] {
        assert_eq!(end(&file, name), ("passed", vec![]), "{name}: {:#}", case(&file, name));
    }
}
