//! The providers' official Python libraries must read every answer, plain and streamed, without a warning.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::venv;
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// A library, and what is tried with it.
struct Library {
    /// The name of its module.
    module: &'static str,
    /// Where a person finds its version.
    requirements: &'static str,
    /// The folder with the client and the suite.
    folder: &'static str,
    /// What its base URL ends in.
    base: &'static str,
    /// What the client prints once a part went well, a line each.
    parts: &'static [&'static str],
}

const LIBRARIES: &[Library] = &[
    Library {
        module: "anthropic",
        requirements: "crates/rehearsal/tests/readers/requirements.txt",
        folder: "messages",
        base: "",
        parts: &["words", "tools", "threads", "errors", "beside"],
    },
    Library {
        module: "google.genai",
        requirements: "crates/rehearsal/tests/readers/requirements.txt",
        folder: "gemini",
        base: "",
        parts: &["words", "tools", "parallel", "chats", "failures", "beside"],
    },
    Library {
        module: "openai",
        requirements: "examples/openai-python/requirements.txt",
        folder: "responses",
        base: "/v1",
        parts: &["words", "tools", "kept", "errors"],
    },
];

fn main() {
    let trial = |library: &'static Library| {
        let Library { module, folder, requirements, .. } = library;
        Trial::ignorable_test(
            format!("{}_reads_every_answer_of_{folder}_without_a_warning", module.replace('.', "_")),
            move || {
                let Some(python) = venv::python_with(module) else {
                    let what = format!("the module {module} is");
                    return Ok(Completion::ignored_with(venv::missing(&what, requirements)));
                };
                reads_every_answer_without_a_warning(library, &python);
                Ok(Completion::Completed)
            },
        )
    };
    libtest_mimic::run(&Arguments::from_args(), LIBRARIES.iter().map(trial).collect()).exit();
}

/// A stand-in that ends with the test.
struct Served(Child);

impl Drop for Served {
    fn drop(&mut self) {
        drop(self.0.kill());
        drop(self.0.wait());
    }
}

/// Serves a suite; gives its address as a URL.
fn served(folder: &str, suite: &Path) -> (Served, String) {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk").join(folder);
    let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
    command.args(["serve", "--port", "0", "--scenarios"]).arg(suite).arg("--data").arg(data);
    let mut served = Served(command.stdout(Stdio::piped()).spawn().unwrap());
    let mut banner = String::new();
    BufReader::new(served.0.stdout.take().unwrap()).read_line(&mut banner).unwrap();
    let address = banner.split_whitespace().find(|word| word.starts_with("127.0.0.1:"));
    let url = format!("http://{}", address.unwrap_or_else(|| panic!("no address in {banner:?}")));
    (served, url)
}

fn reads_every_answer_without_a_warning(library: &Library, python: &Path) {
    let Library { folder, base, parts, .. } = library;
    let source: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(folder);
    let (_served, url) = served(folder, &source.join("suite.yaml"));
    let mut client = Command::new(python);
    client.args(["-W", "error"]).arg(source.join("client.py")).arg(url + base);
    let ended = client.output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&told));
    assert_eq!(String::from_utf8_lossy(&told).lines().collect::<Vec<_>>(), *parts);
}
