//! The providers' official libraries must read every answer, plain and streamed, without a warning.
#![expect(clippy::disallowed_methods, reason = "a test does what a person would: files and programs")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read a file or start a program has failed")]

use libtest_mimic::{Arguments, Completion, Trial};
use rehearsal_testkit::outside::ASYNC_OPENAI;
use rehearsal_testkit::{Program, node, venv};
use std::path::{Path, PathBuf};
use std::process::Command;

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
        folder: "chat",
        base: "/v1",
        parts: &["words", "tools", "errors"],
    },
    Library {
        module: "openai",
        requirements: "examples/openai-python/requirements.txt",
        folder: "responses",
        base: "/v1",
        parts: &["words", "tools", "kept", "errors"],
    },
    Library {
        module: "openai",
        requirements: "examples/openai-python/requirements.txt",
        folder: "azure",
        base: "",
        parts: &["chat", "responses", "errors"],
    },
    Library {
        module: "openai",
        requirements: "examples/openai-python/requirements.txt",
        folder: "completions",
        base: "/v1",
        parts: &["completions", "embeddings", "moderations", "errors"],
    },
    Library {
        module: "ollama",
        requirements: "crates/rehearsal/tests/readers/requirements.txt",
        folder: "ollama",
        base: "",
        parts: &["words", "tools", "generate", "beside", "errors"],
    },
];

/// A library for Node.js. What is tried with it stands in `client.cjs` of the folder.
struct Package {
    /// Its name.
    name: &'static str,
    /// The version that CI installs.
    version: &'static str,
    /// The folder with the client and the suite.
    folder: &'static str,
    /// What its base URL ends in.
    base: &'static str,
    /// What the client prints once a part went well, a line each.
    parts: &'static [&'static str],
}

const OPENAI_NODE: &str = "6.49.0";

const PACKAGES: &[Package] = &[
    Package {
        name: "@anthropic-ai/sdk",
        version: "1.14.0",
        folder: "messages",
        base: "",
        parts: &["words", "tools", "errors", "beside"],
    },
    Package {
        name: "@google/genai",
        version: "3.3.0",
        folder: "gemini",
        base: "",
        parts: &["words", "tools", "parallel", "chats", "failures", "beside"],
    },
    Package {
        name: "openai",
        version: OPENAI_NODE,
        folder: "chat",
        base: "/v1",
        parts: &["words", "tools", "errors"],
    },
    Package {
        name: "openai",
        version: OPENAI_NODE,
        folder: "responses",
        base: "/v1",
        parts: &["words", "tools", "kept", "errors"],
    },
];

/// The suites that async-openai, the strictest reader of the chat and Responses APIs, is tried with.
const STRICTEST: &[&str] = &["chat", "responses"];

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
    let trials = LIBRARIES.iter().map(trial);
    let trials = trials.chain(PACKAGES.iter().map(of_node)).chain(STRICTEST.iter().map(strictest));
    libtest_mimic::run(&Arguments::from_args(), trials.collect()).exit();
}

fn of_node(package: &'static Package) -> Trial {
    let Package { name, version, folder, base, parts } = package;
    Trial::ignorable_test(
        format!("{name}_for_node_reads_every_answer_of_{folder}_without_a_warning"),
        move || {
            let Some(mut node) = node::with(name) else {
                return Ok(Completion::ignored_with(node::missing(name, version)));
            };
            node.args(["--trace-warnings", "--throw-deprecation"]).arg(source(folder).join("client.cjs"));
            reads(folder, base, parts, node);
            Ok(Completion::Completed)
        },
    )
}

fn strictest(folder: &&'static str) -> Trial {
    let folder = *folder;
    Trial::ignorable_test(format!("async-openai_reads_every_answer_of_{folder}"), move || {
        let Some(program) = ASYNC_OPENAI.path() else {
            return Ok(Completion::ignored_with(ASYNC_OPENAI.missing));
        };
        let mut client = Command::new(program);
        client.arg(folder);
        reads(folder, "/v1", &["answers", "errors"], client);
        Ok(Completion::Completed)
    })
}

/// The folder with the clients and the suite.
fn source(folder: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/sdk").join(folder)
}

fn reads_every_answer_without_a_warning(library: &Library, python: &Path) {
    let Library { folder, base, parts, .. } = library;
    let mut client = Command::new(python);
    client.args(["-W", "error"]).arg(source(folder).join("client.py"));
    reads(folder, base, parts, client);
}

/// Runs a client, which gets the base URL as its last argument.
fn reads(folder: &str, base: &str, parts: &[&str], mut client: Command) {
    let data = Path::new(env!("CARGO_TARGET_TMPDIR")).join("sdk").join(folder);
    let suite = source(folder).join("suite.yaml");
    let (_provider, address) = Program::serving(env!("CARGO_BIN_EXE_rehearsal"), &suite, &data);
    let ended = client.arg(format!("http://{address}{base}")).output().unwrap();
    let told = [ended.stdout, ended.stderr].concat();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&told));
    assert_eq!(String::from_utf8_lossy(&told).lines().collect::<Vec<_>>(), parts);
}
