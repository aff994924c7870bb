//! docs/reference is what the program says of itself. `UPDATE_REFERENCE=1` writes the files anew.
#![expect(clippy::disallowed_methods, reason = "a test reads the files that it is about")]

use rehearsal_testkit::page;
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Pages of what is measured: the tests that measure it write them.
const ELSEWHERE: &[&str] = &["sdk-resilience.md", "strictness.md"];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("docs/reference")
}

#[test]
fn each_page_is_what_the_program_says() {
    let hold = |page: &rehearsal::reference::Page| page::hold(&folder().join(page.file), &page.text).err();
    let stale: Vec<_> = rehearsal::reference::pages().iter().filter_map(hold).collect();
    assert!(
        stale.is_empty(),
        "\n{}\nrenew them: UPDATE_REFERENCE=1 cargo test -p rehearsal --test reference\n",
        stale.join("\n")
    );
}

#[test]
fn there_is_no_page_that_the_program_does_not_write() {
    let known: BTreeSet<String> =
        rehearsal::reference::pages().iter().map(|page| page.file.to_owned()).collect();
    let there =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strangers: Vec<_> =
        there.filter(|name| !known.contains(name) && !ELSEWHERE.contains(&name.as_str())).collect();
    assert!(strangers.is_empty(), "docs/reference holds what nobody renews: {}", strangers.join(", "));
}

#[test]
fn the_readme_tells_the_variables_that_an_agent_is_given() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    for given in rehearsal_workflow::told::GIVEN.iter().filter(|given| given.placeholder != Some("{home}")) {
        for name in given.variables().into_iter().chain(given.placeholder) {
            assert!(readme.contains(&format!("`{name}`")), "{name} is missing from README.md");
        }
    }
}
