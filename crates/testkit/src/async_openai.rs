//! The program on async-openai that some tests run: built into `target/async-openai` of the project, or into the folder that
//! REHEARSAL_TEST_ASYNC_OPENAI names.

use std::path::{Path, PathBuf};

/// Why a test is left out that needs it, and how a person gets it.
pub const MISSING: &str = "because the program on async-openai is not built: cargo build --manifest-path \
    crates/rehearsal/tests/async_openai/Cargo.toml --target-dir target/async-openai";

/// The program, if it is built.
#[must_use]
pub fn program() -> Option<PathBuf> {
    let ours = || Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/async-openai");
    let folder = std::env::var_os("REHEARSAL_TEST_ASYNC_OPENAI").map_or_else(ours, PathBuf::from);
    let name = format!("reads-strictly{}", std::env::consts::EXE_SUFFIX);
    folder.join("debug").join(name).canonicalize().ok()
}
