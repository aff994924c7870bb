//! The tasks have one right result, and the rules know it.

use super::*;
use crate::worker::format::Change;
use std::collections::BTreeSet;

fn all() -> impl Iterator<Item = Sample> {
    (0..5 * FIXTURES.len() as u64).map(sample)
}

#[test]
fn the_right_result_is_right_and_the_file_as_it_was_is_not() {
    for sample in all() {
        for wanted in &sample.wanted {
            assert!(sample.is_right(wanted), "{sample:?}");
        }
        assert!(!sample.is_right(&sample.before), "{sample:?}");
        assert!(!sample.is_right(&sample.wanted[0].replace('\n', "\n\n")), "{sample:?}");
        assert!(!sample.is_right(""));
    }
}

#[test]
fn each_fixture_varies_with_its_seed_and_is_the_same_each_time() {
    for (at, fixture) in FIXTURES.iter().enumerate() {
        let of = |turn: u64| sample(turn * FIXTURES.len() as u64 + at as u64);
        assert_eq!(of(3), of(3));
        assert_eq!(of(3).fixture, fixture.name);
        let different: BTreeSet<_> = (0..20).map(|turn| of(turn).before + &of(turn).prompt).collect();
        assert!(different.len() >= 5, "{}: {}", fixture.name, different.len());
    }
    let names: BTreeSet<_> = FIXTURES.iter().map(|fixture| fixture.name).collect();
    assert_eq!(names.len(), FIXTURES.len());
}

#[test]
fn white_space_inside_a_line_of_code_is_of_no_account_but_indentation_and_line_ends_are() {
    let code = Sample { rule: Rule::Code, wanted: vec!["if a:\n    b(1, 2)\n".to_owned()], ..sample(0) };
    assert!(code.is_right("if a:\n    b(1,2)\n"));
    for other in
        ["if a:\n  b(1, 2)\n", "if a:\r\n    b(1, 2)\r\n", "if a:\n    b(1, 2)", "if a:\n    b(2, 1)\n"]
    {
        assert!(!code.is_right(other), "{other:?}");
    }
    let bytes = Sample { rule: Rule::Bytes, ..code };
    assert!(!bytes.is_right("if a:\n    b(1,2)\n"));
}

#[test]
fn one_change_of_the_file_counts_and_nothing_else() {
    let sample = sample(0);
    let change = |path: &str, contents: &str| Change { path: path.to_owned(), contents: contents.to_owned() };
    let right = change(sample.path, &sample.wanted[0]);
    assert_eq!(measure::judge(&sample, std::slice::from_ref(&right)), Sampled::Right);
    for wrong in [
        vec![],
        vec![right.clone(), right],
        vec![change("other", &sample.wanted[0])],
        vec![change(sample.path, "x")],
    ] {
        assert!(matches!(measure::judge(&sample, &wrong), Sampled::Wrong(_)), "{wrong:?}");
    }
    let mut measured = Measured::default();
    measured.add(&sample, Sampled::Right);
    measured.add(&sample, Sampled::Wrong("x".to_owned()));
    measured.add(&sample, Sampled::Unanswered("no connection".to_owned()));
    assert_eq!((measured.good, measured.all, measured.notes.len()), (1, 2, 2));
}
