//! Providers of other makes: each answers tasks of `drive` from its first mistake to the written files.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_testkit::{Heard, Program, said, scratch, venv};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Where a person finds their versions.
const REQUIREMENTS: &str = "crates/rehearsal/tests/servers/requirements.txt";

fn main() {
    let trial = |name: &'static str, modules: &'static str, script: &'static str| {
        Trial::ignorable_test(format!("{name}_completes_tasks_of_drive"), move || {
            let Some(python) = venv::python_with(modules) else {
                let what = format!("{name}, a provider of another make, is");
                return Ok(Completion::ignored_with(venv::missing(&what, REQUIREMENTS)));
            };
            completes_tasks(name, script, &python);
            Ok(Completion::Completed)
        })
    };
    let trials = vec![
        trial("fakellm", "fakellm, uvicorn", "recorded/provider.py"),
        trial("mocktopus", "mocktopus, aiohttp", "servers/serve_mocktopus.py"),
    ];
    libtest_mimic::run(&Arguments::from_args(), trials).exit();
}

/// A provider that is running, and a folder to work in.
struct Stand {
    folder: PathBuf,
    url: String,
    _provider: Program,
}

impl Stand {
    /// Another provider for each task: some keep conversations.
    fn new(name: &str, script: &str, python: &Path) -> Self {
        let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
        let mut command = Command::new(python);
        command.arg(tests.join(script)).arg(tests.join(format!("servers/{name}.yaml")));
        let provider = Program::start(&mut command);
        let port = match provider.hear(PATIENCE) {
            Heard::Line(line) => line,
            other => panic!("{name} does not say where it listens: {other:?}"),
        };
        let folder = scratch(env!("CARGO_TARGET_TMPDIR"), &format!("servers-{name}"));
        fs::create_dir(folder.join("tree")).unwrap();
        fs::write(folder.join("tree/a.py"), "one\r\ntwo\r\n").unwrap();
        Self { folder, url: format!("http://127.0.0.1:{port}/v1"), _provider: provider }
    }

    /// The report of a task.
    fn drive(&self, prompt: &str, more: &[&str]) -> Value {
        let mut drive = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        drive.current_dir(&self.folder).env("OPENAI_API_KEY", "sk-test-0123456789");
        drive.args(["drive", "--endpoint", &self.url, "--model", "gpt-4o-mini", "--workdir", "tree"]);
        drive.args(["--data", "drive", "--json", "--owns", "a.py", "--owns", "sub/new.py:create"]);
        let output = drive.args(["--prompt", prompt]).args(more).output().unwrap();
        let report = serde_json::from_slice(&output.stdout);
        let report: Value = report.unwrap_or_else(|_| panic!("{}", said(&output)));
        assert!(!said(&output).contains("0123456789"), "{}", said(&output));
        assert_eq!(output.status.success(), report["ok"] == true, "{report}");
        report
    }

    fn is_written(&self) {
        assert_eq!(fs::read(self.folder.join("tree/a.py")).unwrap(), b"one\r\nthree\r\n");
        assert_eq!(fs::read(self.folder.join("tree/sub/new.py")).unwrap(), b"x = \"\\n\"\n");
    }
}

fn completes_tasks(name: &str, script: &str, python: &Path) {
    // The first answer is prose, the second one mends it; where there is a test a reviewer approves.
    let test = "grep -q three a.py && test -e sub/new.py";
    for more in [
        &[][..],
        &["--stream"],
        &["--format", "fenced"],
        &["--format", "fenced", "--stream"],
        &["--test", test],
    ] {
        let is_tested = more.contains(&"--test");
        let stand = Stand::new(name, script, python);
        let report = stand.drive("Change two", more);
        let came = (&report["outcome"], &report["repairs"], &report["verification"]["verified"]);
        assert_eq!(came, (&json!("applied"), &json!(1), &json!(is_tested)), "{name} {more:?}: {report}");
        let attempts = report["attempts"].as_array().unwrap().len();
        assert_eq!(attempts, if is_tested { 3 } else { 2 }, "{name} {more:?}: {report}");
        stand.is_written();
    }
    let stand = Stand::new(name, script, python);
    let report = stand.drive("Do too much", &["--attempts", "1"]);
    assert_eq!(report["error"]["class"], "rate_limited", "{name}: {report}");
    assert_eq!((&report["error"]["retryable"], &report["error"]["status"]), (&json!(true), &json!(429)));
    assert!(report["error"]["message"].as_str().unwrap().contains("Come again."), "{name}: {report}");
    assert!(!stand.folder.join("tree/sub").exists());
}
