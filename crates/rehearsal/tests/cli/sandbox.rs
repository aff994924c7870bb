//! A folder of one test, and the program run in it with a deadline.

use serde_json::Value;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::mpsc;
use std::time::Duration;

/// How long the program may take before the test fails.
pub(crate) const PATIENCE: Duration = Duration::from_secs(60);

/// A small suite: text, a tool round, an error and a cut that pass, each once.
pub(crate) const SUITE: &str = r#"
version: 1
classes:
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello., expect_agent: {output_contains: Hello there}}]}
  tool:
    script:
      - tool_calls: [{name: write_file, arguments: {path: a.txt, content: "a\n"}}]
      - {text: Written.}
    phrasings: [{id: tool, prompt: Write a.txt., expect_agent: {tools_called: [write_file], files: {a.txt: "a\n"}}}]
  retry:
    script:
      - {api_error: {status: 503, message: Overloaded.}, times: 1}
      - {fault: mid-body-drop, times: 1}
      - {text: Through.}
    phrasings: [{id: retry, prompt: Try again., expect_agent: {output_contains: Through}}]
"#;

/// The folder, gone with the test unless it fails.
pub(crate) struct Sandbox(PathBuf);

/// How the program ended.
#[derive(Debug)]
pub(crate) struct Ended {
    pub(crate) code: Option<i32>,
    pub(crate) out: String,
    pub(crate) err: String,
}

impl Sandbox {
    /// A folder with these files in it.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cli-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        let sandbox = Self(folder);
        for (name, text) in files {
            sandbox.write(name, text.as_bytes());
        }
        sandbox
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    /// The program, about to run here without what the tests' own surroundings would tell it.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.args(arguments).current_dir(&self.0).env_remove("COLUMNS").stdin(Stdio::null());
        command.stdout(Stdio::piped()).stderr(Stdio::piped());
        command
    }

    /// Runs the program to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        finish(self.command(arguments).spawn().unwrap())
    }

    /// Runs a suite and gives its run file and its folder.
    pub(crate) fn run_suite(&self, arguments: &[&str]) -> (Ended, Value, PathBuf) {
        let ended = self.run(&[&["run", "--json"], arguments].concat());
        let file: Value =
            serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
        let id = file["run"].as_str().unwrap();
        let folder = self.path(".rehearsal/runs").join(id);
        assert!(folder.is_dir(), "{}", folder.display());
        (ended, file, folder)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(std::fs::remove_dir_all(&self.0));
        }
    }
}

/// Waits for the end of a process and takes all that it said.
pub(crate) fn finish(mut child: Child) -> Ended {
    let out = read_all(child.stdout.take().unwrap());
    let err = read_all(child.stderr.take().unwrap());
    let (Ok(out), Ok(err)) = (out.recv_timeout(PATIENCE), err.recv_timeout(PATIENCE)) else {
        child.kill().unwrap();
        panic!("the program does not end");
    };
    Ended { code: child.wait().unwrap().code(), out, err }
}

fn read_all(mut pipe: impl Read + Send + 'static) -> mpsc::Receiver<String> {
    let (done, text) = mpsc::channel();
    std::thread::spawn(move || {
        let mut bytes = Vec::new();
        let _cut = pipe.read_to_end(&mut bytes);
        let _gone = done.send(String::from_utf8_lossy(&bytes).into_owned());
    });
    text
}

/// Every file in and below a folder.
pub(crate) fn files_below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
        if entry.is_dir() {
            found.extend(files_below(&entry));
        } else {
            found.push(entry);
        }
    }
    found.sort();
    found
}

/// What became of each case: its name, its verdict, the codes of its findings.
pub(crate) fn verdicts(file: &Value) -> Vec<(&str, &str, Vec<&str>)> {
    fn text<'v>(value: &'v Value, key: &str) -> &'v str {
        value[key].as_str().unwrap()
    }
    fn list<'v>(value: &'v Value, key: &str) -> impl Iterator<Item = &'v Value> {
        value[key].as_array().unwrap().iter()
    }
    let codes = |case| list(case, "findings").map(|finding| text(finding, "code")).collect();
    list(file, "cases").map(|case| (text(case, "phrasing"), text(case, "verdict"), codes(case))).collect()
}
