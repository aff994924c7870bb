//! The shipped examples: each broken agent is caught with its own code and no other, and the good ones pass.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::{said, venv};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// An agent of examples/broken-agents, the cases in which its bug shows, and the code that must catch it there.
struct Broken {
    agent: &'static str,
    shows_in: &'static [&'static str],
    code: &'static str,
}

const BROKEN: [Broken; 8] = [
    Broken {
        agent: "double_encodes.py",
        // Wherever a call comes back.
        shows_in: &["one-tool", "parallel", "endless", "cut-arguments", "new-folder"],
        code: "arguments-double-encoded",
    },
    Broken { agent: "drops_answer.py", shows_in: &["parallel"], code: "answer-missing" },
    Broken { agent: "reuses_id.py", shows_in: &["parallel"], code: "answer-twice" },
    Broken {
        agent: "anthropic_system.py",
        // In every request.
        shows_in: &[
            "text",
            "one-tool",
            "parallel",
            "passing-error",
            "final-error",
            "endless",
            "cut-arguments",
            "new-folder",
        ],
        code: "anthropic-top-keys",
    },
    Broken { agent: "loops_forever.py", shows_in: &["endless"], code: "too-many-requests" },
    Broken { agent: "retries_final.py", shows_in: &["final-error"], code: "final-error-retried" },
    Broken { agent: "executes_truncated.py", shows_in: &["cut-arguments"], code: "truncated-call-executed" },
    Broken { agent: "claims_undone.py", shows_in: &["new-folder"], code: "claimed-not-done" },
];

fn main() {
    let python = Command::new("python3").arg("--version").output().is_ok_and(|ran| ran.status.success());
    let has_openai = venv::python_with("openai").is_some();
    let no_openai = venv::missing("the openai package is", "examples/openai-python/requirements.txt");
    let mut trials = vec![
        plain(
            "every_example_has_no_mistakes_and_only_the_arguments_broken_on_purpose_are_warned_of",
            every_example_has_no_mistakes_and_only_the_arguments_broken_on_purpose_are_warned_of,
        ),
        plain(
            "the_page_of_the_broken_agents_tells_their_codes",
            the_page_of_the_broken_agents_tells_their_codes,
        ),
    ];
    let with = |there: bool, why: &str, name: String, test: Box<dyn Fn() + Send>| {
        let why = why.to_owned();
        Trial::ignorable_test(name, move || {
            if !there {
                return Ok(Completion::ignored_with(why));
            }
            test();
            Ok(Completion::Completed)
        })
    };
    let no_python = "because python3 is not installed";
    for broken in &BROKEN {
        let name = format!("{}_is_caught_with_its_own_code_and_no_other", broken.agent);
        trials.push(with(python, no_python, name, Box::new(|| is_caught(broken))));
    }
    let name = "the_honest_agent_passes_without_a_remark".to_owned();
    trials.push(with(python, no_python, name, Box::new(|| passes("broken-agents", "honest.py", &[], None))));
    for (name, flags) in [("plain", &[][..]), ("streamed", &["--stream"][..])] {
        let name = format!("an_agent_on_the_openai_package_passes_{name}");
        let test = move || passes("openai-python", "agent.py", flags, Some(&venv::programs()));
        trials.push(with(has_openai, &no_openai, name, Box::new(test)));
    }
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

fn plain(name: &str, test: fn()) -> Trial {
    Trial::test(name, move || {
        test();
        Ok(())
    })
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

fn example(name: &str) -> PathBuf {
    root().join("examples").join(name)
}

/// The run file of an agent's run of its example's whole suite.
fn rehearsed(name: &str, agent: &str, flags: &[&str], packages: Option<&Path>) -> Value {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.arg("run").arg(example(name)).args(["--json", "--data"]).arg(scratch);
    if let Some(packages) = packages {
        let path = std::env::var_os("PATH").unwrap_or_default();
        let folders = std::iter::once(packages.to_owned()).chain(std::env::split_paths(&path));
        command.env("PATH", std::env::join_paths(folders).unwrap());
    }
    let ran = command.args(["--", "python3"]).arg(example(name).join(agent)).args(flags).output().unwrap();
    serde_json::from_slice(&ran.stdout).unwrap_or_else(|error| panic!("{error}: {}", said(&ran)))
}

/// The cases of a run file: name, verdict, the codes of the findings that have one of these severities.
fn cases<'f>(file: &'f Value, severities: &[&str]) -> Vec<(&'f str, &'f str, Vec<&'f str>)> {
    fn word<'v>(value: &'v Value, key: &str) -> &'v str {
        value[key].as_str().unwrap()
    }
    let codes = |case: &'f Value| {
        let findings = case["findings"].as_array().unwrap().iter();
        let kept = findings.filter(|finding| severities.contains(&word(finding, "severity")));
        kept.map(|finding| word(finding, "code")).collect()
    };
    let cases = file["cases"].as_array().unwrap().iter();
    cases.map(|case| (word(case, "phrasing"), word(case, "verdict"), codes(case))).collect()
}

fn is_caught(broken: &Broken) {
    let file = rehearsed("broken-agents", broken.agent, &[], None);
    let cases = cases(&file, &["error"]);
    let expected: Vec<_> = cases
        .iter()
        .map(|(case, ..)| match broken.shows_in.contains(case) {
            true => (*case, "failed", vec![broken.code]),
            false => (*case, "passed", Vec::new()),
        })
        .collect();
    assert_eq!(cases, expected, "{file:#}");
    let failed = cases.iter().filter(|(_, verdict, _)| *verdict == "failed").count();
    assert_eq!(failed, broken.shows_in.len(), "a case is not in the suite: {:?}", broken.shows_in);
}

fn passes(name: &str, agent: &str, flags: &[&str], packages: Option<&Path>) {
    let file = rehearsed(name, agent, flags, packages);
    let cases = cases(&file, &["error", "warning", "note"]);
    assert!(!cases.is_empty(), "{file:#}");
    for (case, verdict, codes) in cases {
        assert_eq!((verdict, codes), ("passed", Vec::new()), "{case}: {file:#}");
    }
}

fn every_example_has_no_mistakes_and_only_the_arguments_broken_on_purpose_are_warned_of() {
    let mut folders: Vec<_> =
        fs::read_dir(root().join("examples")).unwrap().map(|entry| entry.unwrap().path()).collect();
    folders.retain(|path| path.is_dir());
    assert!(folders.len() >= 3, "{folders:?}");
    for folder in folders {
        let linted = Command::new(env!("CARGO_BIN_EXE_rehearsal")).arg("lint").arg(&folder).output().unwrap();
        assert!(linted.status.success(), "{}", said(&linted));
        let words = said(&linted);
        let mut warnings = words.lines().filter(|line| line.contains(": warning: "));
        assert!(warnings.all(|line| line.ends_with("of `cut-arguments` are not JSON")), "{words}");
    }
}

fn the_page_of_the_broken_agents_tells_their_codes() {
    let page = fs::read_to_string(example("broken-agents").join("README.md")).unwrap();
    for Broken { agent, code, .. } in &BROKEN {
        let row = page.lines().find(|line| line.starts_with(&format!("| `{agent}` ")));
        assert!(row.is_some_and(|row| row.contains(&format!("| `{code}` |"))), "{agent}: {row:?}");
    }
    let agents = fs::read_dir(example("broken-agents")).unwrap().map(|entry| entry.unwrap().file_name());
    let agents = agents.filter(|name| name.to_str().unwrap().ends_with(".py")).count();
    assert_eq!(agents, BROKEN.len() + 2, "the base, the honest one and the broken ones");
}
