//! The Node.js packages that some tests need: `node_modules` in `target/node` of the project, or in the folder that
//! REHEARSAL_TEST_NODE names.
#![expect(clippy::disallowed_methods, reason = "a test looks for programs and files as a person would")]

use std::path::{Path, PathBuf};
use std::process::Command;

/// Their folder, there or not.
#[must_use]
pub fn modules() -> PathBuf {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/node");
    let folder = std::env::var_os("REHEARSAL_TEST_NODE").map_or_else(ours, PathBuf::from);
    // Links of npm lead upwards from the real folder.
    folder.canonicalize().unwrap_or(folder).join("node_modules")
}

/// Node.js that finds a package, if both are there.
#[must_use]
pub fn with(package: &str) -> Option<Command> {
    let version = Command::new("node").arg("--version").output().ok()?;
    let mut node = Command::new("node");
    node.env("NODE_PATH", modules());
    (version.status.success() && modules().join(package).is_dir()).then_some(node)
}

/// Why a test is left out that needs a package, and how a person gets it.
#[must_use]
pub fn missing(package: &str, version: &str) -> String {
    format!(
        "because node or its package {package} is missing: npm install --prefix target/node {package}@{version}"
    )
}
