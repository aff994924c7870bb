//! What the providers' official libraries make of each fault of the catalogue. The page docs/reference/sdk-resilience.md says it:
//! `UPDATE_REFERENCE=1` writes it anew, else it is compared with what is measured.
#![expect(
    clippy::disallowed_methods,
    reason = "a test does what a person would: files, threads and programs"
)]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

mod column;
mod outcome;
mod page;

use column::{Column, Measured};
use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::{node, venv};
use std::path::{Path, PathBuf};
use std::process::Command;

/// An official library.
struct Library {
    /// As the page calls it.
    name: &'static str,
    /// The dialect that it speaks.
    dialect: &'static str,
    /// What its base URL ends in.
    base: &'static str,
    /// The client that asks with it.
    client: &'static str,
    /// What runs that.
    runtime: Runtime,
}

enum Runtime {
    /// The interpreter of the virtual environment, with a module.
    Python { module: &'static str, requirements: &'static str },
    /// Node.js, with a package.
    Node { package: &'static str, version: &'static str },
}

const LIBRARIES: &[Library] = &[
    Library {
        name: "openai for Python",
        dialect: "openai-chat",
        base: "/v1",
        client: "chat.py",
        runtime: Runtime::Python {
            module: "openai",
            requirements: "examples/openai-python/requirements.txt",
        },
    },
    Library {
        name: "openai for Node.js",
        dialect: "openai-chat",
        base: "/v1",
        client: "chat.cjs",
        runtime: Runtime::Node { package: "openai", version: "6.49.0" },
    },
    Library {
        name: "anthropic for Python",
        dialect: "anthropic-messages",
        base: "",
        client: "messages.py",
        runtime: Runtime::Python {
            module: "anthropic",
            requirements: "crates/rehearsal/tests/readers/requirements.txt",
        },
    },
    Library {
        name: "@anthropic-ai/sdk for Node.js",
        dialect: "anthropic-messages",
        base: "",
        client: "messages.cjs",
        runtime: Runtime::Node { package: "@anthropic-ai/sdk", version: "1.14.0" },
    },
];

/// How an answer can be asked for: whole, as a stream that the program reads itself, or as one that the library puts together.
const FORMS: [&str; 3] = ["plain", ITERATOR, "helper"];
const ITERATOR: &str = "iterator";

impl Library {
    /// Why it cannot be tried, if it cannot.
    fn missing(&self) -> Option<String> {
        match &self.runtime {
            Runtime::Python { module, requirements } => match venv::python_with(module) {
                Some(_) => None,
                None => Some(venv::missing(&format!("the module {module} is"), requirements)),
            },
            Runtime::Node { package, version } => match node::with(package) {
                Some(_) => None,
                None => Some(node::missing(package, version)),
            },
        }
    }

    /// What starts its client, up to the base URL.
    fn command(&self) -> Command {
        let mut command = match &self.runtime {
            Runtime::Python { .. } => {
                // What the library says of a broken answer beside the exception is no part of the page.
                let mut python = Command::new(venv::python());
                python.args(["-W", "ignore"]);
                python
            }
            Runtime::Node { package, .. } => node::with(package).unwrap(),
        };
        command.arg(folder().join(self.client));
        command
    }
}

/// The folder with the clients and the suite.
fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk_faults")
}

fn main() {
    let trial = Trial::ignorable_test("the_page_says_what_the_official_libraries_make_of_each_fault", || {
        if let Some(missing) = LIBRARIES.iter().find_map(Library::missing) {
            return Ok(Completion::ignored_with(missing));
        }
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/sdk-resilience.md");
        rehearsal_testkit::page::hold(&path, &page::text(&measure())).map_err(|stale| {
            format!("{stale}\nrenew it: UPDATE_REFERENCE=1 cargo test -p rehearsal --test sdk_faults")
        })?;
        Ok(Completion::Completed)
    });
    libtest_mimic::run(&Arguments::from_args(), vec![trial]).exit();
}

/// All columns side by side: most of their time is waiting.
fn measure() -> Vec<Measured> {
    std::thread::scope(|scope| {
        let columns = LIBRARIES.iter().flat_map(|library| FORMS.map(|form| (library, form)));
        let started: Vec<_> = columns
            .map(|(library, form)| scope.spawn(move || Column::start(library, form).measure()))
            .collect();
        started.into_iter().map(|column| column.join().unwrap()).collect()
    })
}
