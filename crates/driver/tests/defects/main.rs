//! The forty defects of another driver (D01 to D40), one test each: what it did, and that this one does not. Then hostile answers.
//!
//! Those that are about commands and files of waves stand with the tests of the program, in `rehearsal/tests/cli/defects.rs`.
#![cfg(unix)]
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests play the provider, build the tree and stop at the first surprise"
)]

mod endpoint;
mod hostile;
mod judging;
mod loss;
mod robust;
mod safety;
mod stand;
mod tree;
mod waves;

/// Where the tests stand.
const SOURCES: &[&str] = &[
    include_str!("endpoint.rs"),
    include_str!("judging.rs"),
    include_str!("loss.rs"),
    include_str!("robust.rs"),
    include_str!("safety.rs"),
    include_str!("waves.rs"),
    include_str!("../../../rehearsal/tests/cli/defects.rs"),
];

#[test]
fn each_of_the_forty_defects_has_a_test_of_its_own() {
    for number in 1..=40 {
        let name = format!("fn d{number:02}_");
        let count: usize = SOURCES.iter().map(|source| source.matches(&name).count()).sum();
        assert!(count >= 1, "D{number:02} has no test");
    }
}
