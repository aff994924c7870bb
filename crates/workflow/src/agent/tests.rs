//! What holds for every row of the table.

use super::shell::BUILT_IN;
use super::{AGENTS, NoShell, Shell, agent, fitted};
use rehearsal_script::scenario::{Action, Scenarios};
use rehearsal_script::{File, Known, placeholder};
use rehearsal_wire::fault::FAULTS;
use std::collections::BTreeSet;
use std::time::Duration;

#[test]
fn names_are_sorted_and_each_stands_once() {
    let names: Vec<_> = AGENTS.iter().map(|row| row.name).collect();
    let sorted: BTreeSet<_> = names.iter().copied().collect();
    assert!(sorted.iter().copied().eq(names.iter().copied()), "{names:?}");
    assert!(names.iter().all(|name| agent(name).is_some()) && agent("nobody").is_none());
}

#[test]
fn every_row_gives_its_agent_the_prompt_and_the_provider_and_names_a_version() {
    for row in AGENTS {
        let env = row.env.iter().map(|(_, value)| *value);
        let texts: Vec<_> = (row.command.iter().copied().chain(env).chain(row.stdin))
            .chain(row.files.iter().map(|(_, content)| *content))
            .collect();
        let holds = |words: &[&str]| words.iter().any(|word| texts.iter().any(|text| text.contains(word)));
        assert!(holds(&["{prompt}", "REHEARSAL_PROMPT"]), "{}", row.name);
        // What reads these variables itself is told by every run.
        let reads = ["openai", "anthropic", "langchain", "pydantic", "aider", "claude", "gemini"];
        let is_told = reads.iter().any(|name| row.install.contains(name));
        assert!(is_told || holds(&["{base_url}", "{root_url}", "OPENAI_BASE_URL"]), "{}", row.name);
        assert!(row.install.contains("==") || row.install.split('@').count() > 1, "{}", row.name);
        assert!(row.time_limit >= Duration::from_secs(30) && !row.dialects.is_empty(), "{}", row.name);
    }
}

#[test]
fn what_quiets_an_agent_stands_in_its_row() {
    for row in AGENTS {
        let env = row.env.iter().map(|(name, _)| *name);
        let files = row.files.iter().map(|(_, content)| *content);
        let texts: Vec<_> = row.command.iter().copied().chain(env).chain(files).collect();
        for word in row.quiet {
            assert!(texts.iter().any(|text| text.contains(word)), "{}: {word}", row.name);
        }
    }
}

#[test]
fn files_lie_in_the_home_and_hold_no_placeholder_by_accident() {
    for row in AGENTS {
        for (path, content) in row.files {
            assert!(path.starts_with("{home}/") && !path.contains(".."), "{}: {path}", row.name);
            // A prompt may hold quotes and lines: it has no place in the text of a file.
            assert!(!content.contains("{prompt}"), "{}: {path}", row.name);
            assert_eq!(placeholder::slips(content).next(), None, "{}: {path}", row.name);
        }
        for word in row.command {
            assert_eq!(placeholder::slips(word).next(), None, "{}: {word}", row.name);
        }
    }
}

fn read(text: &str) -> Scenarios {
    let files = [File { name: "suite.yaml", bytes: text.as_bytes() }];
    let known =
        Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] };
    rehearsal_script::read(&files, &known).unwrap()
}

const SUITE: &str = r#"
version: 1
classes:
  shell:
    script:
      - fault: mid-body-drop
        times: 1
        tool_calls: [{tool: shell, arguments: {command: "first"}}]
      - tool_calls:
          - {tool: shell, arguments: {command: "say \"hi\" \\ {command} ü\n"}}
          - {name: shell, arguments: {x: 1}}
        expect_request: {tools_include: shell}
      - text: done
    phrasings: [{id: a, prompt: A, expect_agent: {tools_called: [shell, other]}}]
  text:
    script: [{text: hello}]
    phrasings: [{id: b, prompt: B, expect_agent: {tools_called: [shell]}}]
"#;

/// Name and arguments of all calls of the first phrasing.
fn calls(scenarios: &Scenarios) -> Vec<(String, String)> {
    let script = &scenarios.phrasings[0].script;
    let actions =
        script.iter().flat_map(|step| step.before.iter().map(|it| &it.action).chain([&step.action]));
    let said = actions.filter_map(Action::said);
    said.flat_map(|said| &said.calls).map(|call| (call.name.clone(), call.arguments.clone())).collect()
}

#[test]
fn a_command_becomes_a_call_of_the_agents_own_tool() {
    let shell = Shell { tool: "exec", arguments: r#"{"cmd": ["{command}"], "why": "asked"}"# };
    let fitted = fitted(read(SUITE), &[0, 1], Some(&shell)).unwrap();
    let own = |arguments: &str| ("exec".to_owned(), arguments.to_owned());
    assert_eq!(
        calls(&fitted),
        [
            own(r#"{"cmd": ["first"], "why": "asked"}"#),
            own(r#"{"cmd": ["say \"hi\" \\ {command} ü\n"], "why": "asked"}"#),
            ("shell".to_owned(), r#"{"x": 1}"#.to_owned()),
        ]
    );
    let [a, b] = &fitted.phrasings[..] else { panic!("two cases") };
    assert_eq!(a.expect_agent.tools_called.as_deref().unwrap(), ["exec", "other"]);
    assert_eq!(a.script[0].expected.tools_include, ["exec"]);
    assert_eq!(b.expect_agent.tools_called.as_deref().unwrap(), ["shell"], "nothing general is called here");
}

#[test]
fn without_a_row_a_command_is_what_the_built_in_agent_offers() {
    let read = read(SUITE);
    let fitted = fitted(read.clone(), &[0], Some(&BUILT_IN)).unwrap();
    assert_eq!(calls(&read), calls(&fitted));
    assert_eq!(calls(&read)[0], ("run_command".to_owned(), r#"{"command": "first"}"#.to_owned()));
}

#[test]
fn only_cases_that_run_need_a_shell() {
    let read = read(SUITE);
    assert_eq!(fitted(read.clone(), &[1], None), Ok(read.clone()));
    assert_eq!(fitted(read, &[1, 0], None), Err(NoShell { case: "a".to_owned() }));
}

#[test]
fn each_shell_tool_takes_the_command_as_one_text() {
    for shell in AGENTS.iter().filter_map(|row| row.shell) {
        assert_eq!(shell.arguments.matches("\"{command}\"").count(), 1, "{}", shell.tool);
        assert!(rehearsal_wire::json::parse(shell.arguments.as_bytes()).is_ok(), "{}", shell.tool);
    }
}
