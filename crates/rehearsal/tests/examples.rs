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
        plain(
            "the_example_workflows_end_as_they_declare_and_their_controls_show_that_they_could_fail",
            the_example_workflows_end_as_they_declare_and_their_controls_show_that_they_could_fail,
        ),
    ];
    trials.extend(of_the_reference());
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

/// The reference's own workflows, which lie beside the checkout where they are kept: a trial for each file.
fn of_the_reference() -> Vec<Trial> {
    let folder = root().join("../shared/corpus/workflows");
    let mut paths: Vec<_> =
        fs::read_dir(&folder).into_iter().flatten().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    if paths.is_empty() {
        let ignored = || Ok(Completion::ignored_with("because ../shared/corpus/workflows is not there"));
        return vec![Trial::ignorable_test("the_reference_s_own_workflows_end_as_they_declare", ignored)];
    }
    let trial = |path: PathBuf| {
        let stem = path.file_stem().unwrap().to_string_lossy().replace('-', "_");
        let name =
            format!("the_reference_s_own_{stem}_ends_as_it_declares_or_names_the_step_that_is_not_there");
        Trial::test(name, move || {
            ends_as_declared(&path);
            Ok(())
        })
    };
    let all = paths.clone();
    let together = Trial::test("the_reference_s_workflows_whose_steps_exist_run_together", move || {
        run_together(&all);
        Ok(())
    });
    paths.into_iter().map(trial).chain([together]).collect()
}

/// Runs workflows; what was said, and the run file where there is one.
fn worked(paths: &[&Path]) -> (Option<i32>, String, Option<Value>) {
    let scratch = Path::new(env!("CARGO_TARGET_TMPDIR")).join("examples");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    let ran = command.arg("run").args(paths).args(["--json", "--data"]).arg(scratch).output().unwrap();
    (ran.status.code(), said(&ran), serde_json::from_slice(&ran.stdout).ok())
}

/// Those whose every step exists, of the first kinds of work. A file of further kinds joins them by itself.
const EXIST: [&str; 2] = ["artifact-lineage.json", "permission-boundary.json"];

fn ends_as_declared(path: &Path) {
    let written: Value = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
    match worked(&[path]) {
        (Some(0), words, Some(file)) => {
            let ran = file["cases"].as_array().unwrap();
            let declared = written["cases"].as_array().unwrap();
            assert_eq!(ran.len(), declared.len(), "{words}");
            for (ran, declared) in ran.iter().zip(declared) {
                assert_eq!(ran["phrasing"], declared["id"]);
                assert_eq!(ran["workflow"]["declared"], declared["outcome"]);
                // A program that this machine does not have is a reason to skip.
                let reason = ran["workflow"]["reason"].as_str();
                assert!(
                    ran["verdict"] == "passed" || (ran["verdict"] == "skipped" && reason.is_some()),
                    "{ran:#}"
                );
            }
        }
        (Some(2), words, None) => {
            let name = path.file_name().unwrap().to_str().unwrap();
            assert!(!EXIST.contains(&name), "{words}");
            let mistakes: Vec<_> =
                words.lines().filter(|line| line.starts_with(&path.display().to_string())).collect();
            assert!(!mistakes.is_empty(), "{words}");
            for mistake in mistakes {
                let (_, rest) =
                    mistake.split_once("there is no step `").unwrap_or_else(|| panic!("{mistake}"));
                let (step, _) = rest.split_once('`').unwrap();
                assert!(written.to_string().contains(&format!("\"{step}\"")), "{mistake}");
            }
        }
        (code, words, _) => panic!("{code:?}: {words}"),
    }
}

fn run_together(paths: &[PathBuf]) {
    let exist: Vec<&Path> =
        paths.iter().map(PathBuf::as_path).filter(|path| worked(&[path]).0 == Some(0)).collect();
    assert!(exist.len() >= EXIST.len(), "{exist:?}");
    let (code, words, file) = worked(&exist);
    assert_eq!(code, Some(0), "{words}");
    assert!(file.unwrap()["cases"].as_array().unwrap().len() >= 4, "{words}");
}

fn the_example_workflows_end_as_they_declare_and_their_controls_show_that_they_could_fail() {
    let (code, words, file) = worked(&[&example("workflows")]);
    assert_eq!(code, Some(0), "{words}");
    let file = file.unwrap();
    let cases = file["cases"].as_array().unwrap();
    assert!(cases.len() >= 20, "{words}");
    for case in cases {
        assert_eq!(case["verdict"], "passed", "{case:#}");
        let found = case["findings"].as_array().unwrap().len();
        // A control that passes tells what it was caught with.
        assert_eq!(found > 0, case["workflow"]["control"].is_string(), "{case:#}");
    }
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
