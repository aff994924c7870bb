//! The virtual environment with the Python packages that some tests need: `target/python` of the project, or the folder that
//! REHEARSAL_TEST_VENV names.
#![expect(clippy::disallowed_methods, reason = "a test starts programs as a person would")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// The folder of its programs, there or not.
#[must_use]
pub fn programs() -> PathBuf {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/python");
    let venv = std::env::var_os("REHEARSAL_TEST_VENV").map_or_else(ours, PathBuf::from);
    venv.join(if cfg!(windows) { "Scripts" } else { "bin" })
}

/// Its interpreter, there or not.
#[must_use]
pub fn python() -> PathBuf {
    programs().join(if cfg!(windows) { "python.exe" } else { "python" })
}

/// Its interpreter, if these modules can be imported there (`anthropic`, or several with commas between).
#[must_use]
pub fn python_with(modules: &str) -> Option<PathBuf> {
    let python = python();
    let asked = Command::new(&python).args(["-c", &format!("import {modules}")]).output().ok()?;
    asked.status.success().then_some(python)
}

/// Why a test is left out that needs packages of a requirements file, and how a person gets them.
#[must_use]
pub fn missing(what: &str, requirements: &str) -> String {
    format!(
        "because {what} missing: python3 -m venv target/python && target/python/bin/pip install -r {requirements}"
    )
}
