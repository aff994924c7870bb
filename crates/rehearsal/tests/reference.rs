//! docs/reference is what the program says of itself. `UPDATE_REFERENCE=1` writes the files anew.
#![expect(clippy::disallowed_methods, reason = "a test reads the files that it is about")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn folder() -> PathBuf {
    root().join("docs/reference")
}

#[test]
fn each_page_is_what_the_program_says() {
    let update = std::env::var("UPDATE_REFERENCE").is_ok_and(|value| value == "1");
    let mut stale = Vec::new();
    for page in rehearsal::reference::pages() {
        let path = folder().join(page.file);
        if update {
            fs::create_dir_all(folder()).unwrap();
            fs::write(&path, &page.text).unwrap();
        }
        // A clone may have turned line feeds into pairs; the words are what counts.
        let is = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
        if is != page.text {
            let first = is.lines().zip(page.text.lines()).position(|(is, wanted)| is != wanted);
            let line = first.unwrap_or_else(|| is.lines().count().min(page.text.lines().count())) + 1;
            let wanted = page.text.lines().nth(line - 1).unwrap_or("(nothing)");
            stale.push(format!("docs/reference/{}:{line} is stale, the program says: {wanted}", page.file));
        }
    }
    assert!(
        stale.is_empty(),
        "\n{}\nrenew them: UPDATE_REFERENCE=1 cargo test -p rehearsal --test reference\n",
        stale.join("\n")
    );
}

#[test]
fn there_is_no_page_that_the_program_does_not_write() {
    let mut known: BTreeSet<String> =
        rehearsal::reference::pages().iter().map(|page| page.file.to_owned()).collect();
    // What is measured is written by the test that measures it: tests/sdk_faults.
    known.insert("sdk-resilience.md".to_owned());
    let there =
        fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let strangers: Vec<_> = there.filter(|name| !known.contains(name)).collect();
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
