//! The official Python library for the Responses API must read every answer, plain and streamed, without a warning.
//!
//! It lives in a virtual environment: `target/python` of this project, or the folder that REHEARSAL_TEST_VENV names.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// How a person gets the library.
const MADE_BY: &str = "python3 -m venv target/python && target/python/bin/pip install -r examples/openai-python/requirements.txt";

fn main() {
    let name = "the_official_library_reads_every_answer_without_a_warning";
    let trial = Trial::ignorable_test(name, || {
        let Some(python) = python() else {
            return Ok(Completion::ignored_with(format!("because the library is missing: {MADE_BY}")));
        };
        the_official_library_reads_every_answer_without_a_warning(&python);
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

/// The interpreter that has the library.
fn python() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let venv =
        std::env::var_os("REHEARSAL_TEST_VENV").map_or_else(|| root.join("target/python"), PathBuf::from);
    let python = ["bin/python", "Scripts/python.exe"]
        .map(|path| venv.join(path))
        .into_iter()
        .find(|path| path.exists())?;
    let asked = Command::new(&python).args(["-c", "import openai"]).output().ok()?;
    asked.status.success().then_some(python)
}

fn source(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk_responses").join(name)
}

/// A stand-in that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Serves the suite; gives the base URL as the library wants it.
fn served() -> (Served, String) {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk_responses");
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["serve", "--port", "0", "--scenarios"]).arg(source("suite.yaml"));
    let child = command.arg("--data").arg(data).stdout(Stdio::piped()).spawn().unwrap();
    let mut served = Served(child);
    let mut banner = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut banner).unwrap();
    let address = banner.split_whitespace().find(|word| word.starts_with("127.0.0.1:"));
    let url = format!("http://{}/v1", address.unwrap_or_else(|| panic!("no address in {banner:?}")));
    (served, url)
}

fn the_official_library_reads_every_answer_without_a_warning(python: &Path) {
    let (_served, url) = served();
    let ended =
        Command::new(python).args(["-W", "error"]).arg(source("client.py")).arg(url).output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&told));
    assert_eq!(String::from_utf8_lossy(&told), "words\ntools\nkept\nerrors\n");
}
