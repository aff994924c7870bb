//! Agents by name: listed, shown, found or told how to install, and each given commands in its own tool's words.

use crate::sandbox::{Ended, Sandbox, finish, verdicts};
use serde_json::Value;
use std::process::Command;

const SHELL: &str = r#"
version: 1
agent: {command: [sh, -c, "exit 3"]}
classes:
  shell:
    script:
      - tool_calls: [{tool: shell, arguments: {command: "echo hi > a.txt"}}]
      - text: Done.
    phrasings: [{id: shell, prompt: Write a.txt., expect_agent: {tools_called: [shell], files: {a.txt: "hi\n"}}}]
  text: {script: [{text: Hello.}], phrasings: [{id: text, prompt: Say hello.}]}
"#;

/// The program, run where no other program is to be found.
fn lacking(sandbox: &Sandbox, arguments: &[&str]) -> Ended {
    let mut command = sandbox.command(arguments);
    // A folder without programs.
    command.env("PATH", sandbox.path("")).env_remove("NODE_PATH");
    finish(command.spawn().unwrap())
}

#[test]
fn an_unknown_agent_is_refused_with_the_nearest_name() {
    let sandbox = Sandbox::with(&[("suite.yaml", SHELL)]);
    for (written, hint) in [
        ("codexx", "did you mean `codex`?"),
        ("openai_python", "did you mean `openai-python`?"),
        ("me", "the agents are "),
    ] {
        for arguments in [&["run", "suite.yaml", "--agent", written][..], &["agents", written][..]] {
            let ended = sandbox.run(arguments);
            assert_eq!(ended.code, Some(2), "{ended:?}");
            assert!(ended.err.contains(hint), "{}", ended.err);
        }
    }
}

#[test]
fn an_agent_by_name_is_no_command_and_no_stream_of_the_built_in_one() {
    let sandbox = Sandbox::with(&[("suite.yaml", SHELL)]);
    for more in [&["--", "sh"][..], &["--stream"][..]] {
        let ended = sandbox.run(&[&["run", "suite.yaml", "--agent", "codex"], more].concat());
        assert_eq!(ended.code, Some(2), "{ended:?}");
        assert!(ended.err.contains("cannot be used with"), "{}", ended.err);
    }
}

#[test]
fn a_missing_agent_is_told_in_one_line_with_the_command_that_installs_it() {
    let sandbox = Sandbox::with(&[("suite.yaml", SHELL)]);
    for (name, what, install) in [
        ("codex", "there is no program codex", "npm install @openai/codex@"),
        ("openai-python", "there is no python3 with openai", "pip install openai=="),
        ("ai-sdk", "there is no program node", "npm install ai@"),
    ] {
        let ended = lacking(&sandbox, &["run", "suite.yaml", "--agent", name]);
        assert_eq!((ended.code, ended.err.lines().count()), (Some(3), 1), "{ended:?}");
        assert!(ended.err.contains(what) && ended.err.contains(install), "{}", ended.err);
        assert!(!sandbox.path(".rehearsal").exists(), "nothing ran");
    }
}

#[test]
fn the_list_has_a_line_for_each_agent_and_says_how_to_install_it() {
    let sandbox = Sandbox::with(&[]);
    let ended = lacking(&sandbox, &["agents"]);
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    for row in rehearsal_workflow::agent::AGENTS {
        assert!(
            ended.out.lines().any(|line| line.split_whitespace().next() == Some(row.name)),
            "{}",
            row.name
        );
    }
    assert!(
        ended.out.contains("npm install @openai/codex@") && !ended.out.contains("installed"),
        "{}",
        ended.out
    );
}

#[test]
fn an_agent_is_shown_with_its_command_and_its_files() {
    let ended = Sandbox::with(&[]).run(&["agents", "codex"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    for part in [
        "command:       codex exec",
        "tool: shell:   exec_command",
        "{home}/.codex/config.toml:",
        "installed:     ",
    ] {
        assert!(ended.out.contains(part), "{part}: {}", ended.out);
    }
}

/// A folder whose programs are scripts of the test, first on PATH.
fn with_program(sandbox: &Sandbox, name: &str, script: &str) -> String {
    sandbox.write(&format!("bin/{name}"), script.as_bytes());
    let made = Command::new("chmod").arg("+x").arg(sandbox.path("bin").join(name)).status().unwrap();
    assert!(made.success());
    format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap())
}

#[test]
fn what_stands_beside_a_project_is_found_from_any_folder_of_it() {
    let sandbox = Sandbox::with(&[
        ("node_modules/.bin/codex", "#!/bin/sh\n"),
        ("node_modules/ai/package.json", "{}"),
        ("node_modules/@ai-sdk/openai-compatible/package.json", "{}"),
        ("elsewhere/openai/package.json", "{}"),
        (".venv/bin/python3", "#!/bin/sh\ntest \"$3\" = anthropic\n"),
        ("bin/node", "#!/bin/sh\n"),
        ("deep/down/file", ""),
    ]);
    let made = Command::new("chmod")
        .args(["+x", "node_modules/.bin/codex", ".venv/bin/python3", "bin/node"])
        .current_dir(sandbox.path(""))
        .status()
        .unwrap();
    assert!(made.success());
    let mut command = sandbox.command(&["agents"]);
    command.current_dir(sandbox.path("deep/down"));
    command.env("PATH", sandbox.path("bin")).env("NODE_PATH", sandbox.path("elsewhere"));
    let ended = finish(command.spawn().unwrap());
    let lines: Vec<_> = ended.out.lines().collect();
    let installed = lines.windows(2).filter(|pair| pair[1].trim() == "installed");
    let installed: Vec<_> = installed.filter_map(|pair| pair[0].split_whitespace().next()).collect();
    assert_eq!(installed, ["ai-sdk", "anthropic-python", "codex", "openai-node"], "{}", ended.out);
}

#[test]
fn a_known_agent_wins_over_that_of_the_suite_and_is_asked_in_its_own_tools_words() {
    let sandbox = Sandbox::with(&[("suite.yaml", SHELL)]);
    // Whoever asks for `bash` gets a call of `bash`: this one fails its case, but its words show what the model said.
    let script = "#!/bin/sh\ncat \"$HOME/.pi/agent/models.json\"\necho \"$PI_OFFLINE $*\"\nexit 9\n";
    let path = with_program(&sandbox, "pi", script);
    let mut command = sandbox.command(&["run", "suite.yaml", "--json", "--agent", "pi", "--case", "shell"]);
    let ended = finish(command.env("PATH", path).spawn().unwrap());
    let file: Value = serde_json::from_str(&ended.out).unwrap();
    assert_eq!(verdicts(&file)[0].1, "failed");
    assert_eq!(file["cases"][0]["status"], 9, "not the suite's own agent: {file:#}");
    let case = sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap()).join("cases/shell");
    let said = std::fs::read_to_string(case.join("stdout.txt")).unwrap();
    assert!(said.contains("\"baseUrl\": \"http://127.0.0.1:"), "{said}");
    assert!(
        said.contains("1 -p --provider rehearsal --model gpt-4o-mini --no-session Write a.txt."),
        "{said}"
    );
    let told = file["cases"][0]["findings"].to_string();
    assert!(told.contains("expected: bash"), "{told}");
}

#[test]
fn the_built_in_agent_runs_commands_without_a_row() {
    let sandbox =
        Sandbox::with(&[("suite.yaml", &SHELL.replace("agent: {command: [sh, -c, \"exit 3\"]}", ""))]);
    let (ended, file, _) = sandbox.run_suite(&["suite.yaml"]);
    assert_eq!(ended.code, Some(0), "{file:#}");
}

#[test]
fn an_agent_without_a_shell_is_refused_only_for_cases_that_need_one() {
    let sandbox = Sandbox::with(&[("suite.yaml", SHELL)]);
    let path = with_program(&sandbox, "aider", "#!/bin/sh\nexit 9\n");
    let run = |more: &[&str]| {
        let mut command = sandbox.command(&[&["run", "suite.yaml", "--agent", "aider"], more].concat());
        finish(command.env("PATH", &path).spawn().unwrap())
    };
    let ended = run(&[]);
    assert_eq!(ended.code, Some(2), "{ended:?}");
    assert!(ended.err.contains("the script of shell calls `tool: shell`"), "{}", ended.err);
    assert_eq!(run(&["--case", "text"]).code, Some(1), "it ran");
}
