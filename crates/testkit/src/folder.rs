//! What tests of the program share: an empty folder to work in, and what a program said.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Output;

/// An empty folder of this name below the build's own for tests (`CARGO_TARGET_TMPDIR`): what an earlier run left is gone.
///
/// # Panics
/// When it cannot be emptied or made.
#[must_use]
pub fn scratch(below: &str, name: &str) -> PathBuf {
    let folder = Path::new(below).join(name);
    let gone = !folder.exists() || fs::remove_dir_all(&folder).is_ok();
    assert!(gone && fs::create_dir_all(&folder).is_ok(), "{} can be made empty", folder.display());
    folder
}

/// All that a program said, standard output first.
#[must_use]
pub fn said(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}
