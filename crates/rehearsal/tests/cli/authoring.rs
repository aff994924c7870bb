//! What the author of workflows relies on: programs of the suite's own, what is kept of them, and words that say what to do.

use crate::sandbox::{Sandbox, verdicts};

fn workflow(permissions: &str, cases: &str) -> String {
    format!("version: 1\nworkflow: w\npermissions: [{permissions}]\ncases:\n{cases}")
}

#[cfg(unix)]
#[test]
fn a_command_finds_programs_beside_its_workflow_wherever_the_suite_lies() {
    let text = workflow(
        "process:exec",
        r#"  - id: c
    outcome: success
    steps:
      - use: exec
        with: {command: [sh, "{suite}/say.sh"], env: {BESIDE: "{suite}/say.sh"}}
        expect: {stdout: {contains: "it is there"}}
  - id: gone
    outcome: failure
    refusal: {step: exec, code: E_EXIT}
    steps:
      - {use: exec, with: {command: [sh, -c, "echo $0 is gone >&2; exit 1", "{suite}/gone.sh"]}}
"#,
    );
    let normalised = ["suite", "elsewhere/deeper"].map(|folder| {
        let (file, script) = (format!("{folder}/w.yaml"), format!("{folder}/say.sh"));
        let say = "test -f \"$BESIDE\" && echo it is there\n";
        let sandbox = Sandbox::with(&[(&file, &text), (&script, say)]);
        let (ended, run, _) = sandbox.run_suite(&[folder, "--data", ".rehearsal"]);
        assert_eq!(ended.code, Some(0), "{ended:?}");
        [0, 1].map(|case| run["cases"][case]["normalised"].as_str().unwrap().to_owned())
    });
    assert_eq!(normalised[0], normalised[1], "where a suite lies is no difference");
}

#[test]
fn what_a_service_printed_is_kept_where_its_case_did_not_pass() {
    let text = workflow(
        "process:exec, workspace:read",
        r#"  - id: c
    outcome: success
    steps:
      - use: service
        id: web
        with: {command: [PROGRAM, serve, --port, "{port}", --scenarios, "{suite}/../served.yaml"], ready: /v1/models}
      - {use: file, with: {path: never}, expect: {exists: true}}
"#,
    );
    let text = text.replace("PROGRAM", &format!("{:?}", env!("CARGO_BIN_EXE_rehearsal")));
    let served = "version: 1\nclasses: {c: {script: [{text: a}], phrasings: [{id: p, prompt: q}]}}\n";
    let sandbox = Sandbox::with(&[("suite/w.yaml", &text), ("served.yaml", served)]);
    let (ended, run, folder) = sandbox.run_suite(&["suite", "--data", ".rehearsal"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
    assert_eq!(verdicts(&run), [("w/c", "failed", vec!["step-expectation"])]);
    let kept = folder.join("cases/w%2Fc");
    let printed = ["service-web.stdout.txt", "service-web.stderr.txt"]
        .map(|name| std::fs::read_to_string(kept.join(name)).unwrap());
    assert!(printed.concat().contains("127.0.0.1"), "{printed:?}");
}

#[test]
fn lint_warns_of_a_permission_that_is_not_listed_unless_that_is_meant() {
    let text = workflow(
        "workspace:read",
        "  - id: forgotten
    outcome: success
    steps:
      - {use: file, with: {path: a, content: x}, expect: {exists: true}}
      - {use: file, with: {path: a}, expect: {exists: true}}
  - id: meant
    outcome: permission_denied
    refusal: {step: write, code: E_PERMISSION}
    steps: &write
      - {use: host_file_write, id: write, with: {path: a}}
      - {use: exec, with: {command: [never]}}
  - id: control
    control: negative
    outcome: permission_denied
    refusal: {step: write, code: E_PATH_PARENT}
    steps: *write
",
    );
    let sandbox = Sandbox::with(&[("w.yaml", &text)]);
    let ended = sandbox.run(&["lint", "w.yaml"]);
    let expected = "w.yaml:8:9: warning: `file` needs workspace:write, which `permissions` does not list\n  \
                    hint: add workspace:write to `permissions`, else it is refused with E_PERMISSION\n";
    assert_eq!(
        (ended.code, ended.out.strip_suffix("1 file without mistakes, 1 warning\n")),
        (Some(0), Some(expected))
    );
}

#[test]
fn a_refusal_that_nobody_declared_says_what_to_do_and_no_agent_is_spoken_of() {
    let text = workflow(
        "workspace:read",
        "  - id: c
    outcome: success
    steps:
      - {use: open_session}
      - {use: save_artifact, with: {filename: a.csv}, expect: {version: 1}}
",
    );
    let ended = Sandbox::with(&[("w.yaml", &text)]).run(&["run", "w.yaml"]);
    assert_eq!(ended.code, Some(1));
    let told = ended.out.split_whitespace().collect::<Vec<_>>().join(" ");
    let refused = "E_NO_FILE: there is no file `a.csv` in the workspace (write it in an earlier step)";
    assert!(told.contains(refused), "{told}");
    assert!(!format!("{}{}", ended.out, ended.err).contains("what each agent printed"), "{ended:?}");
}

#[test]
fn a_run_that_fails_for_its_skips_says_so() {
    let text = workflow(
        "workspace:read",
        "  - {id: done, outcome: success, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}
  - {id: left, outcome: success, skip: not today, steps: [{use: file, with: {path: a}, expect: {exists: false}}]}
",
    );
    let sandbox = Sandbox::with(&[("w.yaml", &text)]);
    assert_eq!(sandbox.run(&["run", "w.yaml"]).code, Some(0));
    let ended = sandbox.run(&["run", "w.yaml", "--strict-skips"]);
    assert_eq!(ended.code, Some(1));
    assert!(ended.out.contains("--strict-skips: 1 not run, which fails the run"), "{ended:?}");
}

#[test]
fn lint_says_how_to_mend_what_newcomers_write() {
    let case = |step: &str| {
        let text = workflow(
            "process:exec",
            &format!("  - id: c\n    outcome: success\n    steps:\n      - {step}\n"),
        );
        Sandbox::with(&[("w.yaml", &text)]).run(&["lint", "w.yaml"]).err
    };
    for (step, hint) in [
        (
            "{use: exec, with: {command: \"python3 run.py\"}}",
            "hint: write each word by itself, as in `[python3, run.py]`",
        ),
        ("{use: exec, with: {command: [a]}, expect: {status: {gte: 0}}}", "hint: did you mean `ge`?"),
        ("{use: exec, with: {command: [a]}, expect: {status: {lte: 0}}}", "hint: did you mean `le`?"),
        (
            "{use: exec, with: {command: [sh, {suite}/a.sh]}}",
            "texts that hold brackets, braces or commas need quotes",
        ),
    ] {
        assert!(case(step).contains(hint), "{}", case(step));
    }
}

#[cfg(unix)]
#[test]
fn rounds_that_differ_are_told_and_where_they_ran_is_no_difference() {
    let text = workflow(
        "process:exec",
        r#"  - id: same
    outcome: success
    steps: [{use: exec, with: {command: [sh, -c, "pwd; pwd >&2"]}, expect: {status: 0}}]
  - id: other
    outcome: success
    steps: [{use: exec, with: {command: [sh, -c, "echo $$"]}, expect: {status: 0}}]
"#,
    );
    let sandbox = Sandbox::with(&[("w.yaml", &text)]);
    let ended = sandbox.run(&["run", "w.yaml", "--repeat", "3"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let told = "warning: rounds-differ: rounds 2, 3 came to another result than round 1";
    assert_eq!(ended.out.matches("rounds-differ").count(), 1, "{}", ended.out);
    assert!(ended.out.contains(told), "{}", ended.out);
    let ended = sandbox.run(&["run", "w.yaml", "--repeat", "3", "--finding", "rounds-differ=error"]);
    assert_eq!(ended.code, Some(1), "{ended:?}");
}

#[test]
fn lint_says_where_a_program_beside_the_workflow_is_looked_for() {
    let text = workflow(
        "process:exec",
        r#"  - id: c
    outcome: success
    steps:
      - {use: exec, with: {command: [sh, say.sh]}, expect: {status: 0}}
      - {use: exec, with: {command: [sh, "{suite}/say.sh", other.sh]}, expect: {status: 0}}
"#,
    );
    let sandbox = Sandbox::with(&[("suite/w.yaml", &text), ("suite/say.sh", "true\n")]);
    let ended = sandbox.run(&["lint", "suite"]);
    let expected = "suite/w.yaml:8:9: warning: `say.sh` lies beside the workflow, and is looked for in the workspace\n  \
                    hint: to mean the one beside the workflow, write `{suite}/say.sh`\n\
                    1 file without mistakes, 1 warning\n";
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), expected), "{ended:?}");
}
