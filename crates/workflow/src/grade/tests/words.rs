//! Every code says what it means.

use super::{codes_of, evidence, good, phrasing};
use crate::grade::{CHECKS, codes, explain, explained, grade, text};
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::Weight;
use rehearsal_wire::dialect::Dialects;
use rehearsal_wire::rule::{Profile, RULES, Stage};

#[test]
fn every_code_is_unique_kebab_case_and_explained() {
    let codes = codes();
    for (at, code) in codes.iter().enumerate() {
        assert!(!codes[..at].contains(code), "{code} stands twice");
        assert!(code.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{code}");
        let told = explain(code).unwrap();
        assert!(told.starts_with(&format!("{code}: ")) && told.contains("to do:"), "{told}");
        let (_, words) = text(code).unwrap();
        assert!(words.meaning.len() > 10 && words.remedy.len() > 10, "{code}");
    }
    assert_eq!((explain("no-such-code"), text("")), (None, None));
}

#[test]
fn every_note_of_a_rule_has_a_row_that_says_what_it_weighs() {
    // Codes of refusals are the wire's own, with underscores; those of notes are findings' codes.
    let notes = RULES.iter().flat_map(|rule| rule.codes).filter(|code| code.contains('-'));
    let known = codes();
    for code in notes {
        assert!(known.contains(code), "{code}");
    }
}

/// `tool` messages are of one API; the others have blocks and items.
#[test]
fn what_is_judged_on_every_api_is_told_in_the_words_of_none() {
    let every = RULES.iter().filter(|rule| matches!(rule.dialects, Dialects::All)).map(|rule| rule.name);
    for code in CHECKS.iter().map(|check| check.code).chain(every) {
        let (_, words) = text(code).unwrap();
        for told in [words.meaning, words.remedy] {
            let told = told.replace('`', "");
            assert!(!told.contains("tool message"), "{code}: {told}");
        }
    }
}

#[test]
fn the_codes_are_those_of_all_checks_all_rules_and_all_notes() {
    let codes = codes();
    assert!(CHECKS.iter().all(|check| codes.contains(&check.code)));
    for rule in RULES {
        assert!(codes.contains(&rule.name), "{}", rule.name);
        // Wire codes are the provider's words; what is kebab-case is a note of ours.
        for note in rule.codes.iter().filter(|code| code.contains('-')) {
            assert!(codes.contains(note), "{note}");
        }
    }
    let checks: Vec<_> = CHECKS.iter().map(|check| check.code).collect();
    for check in CHECKS {
        for cause in check.follows {
            let row = CHECKS.iter().find(|row| row.code == *cause);
            assert!(
                row.is_some_and(|row| row.tier == check.tier),
                "{} follows {cause}: {checks:?}",
                check.code
            );
        }
    }
    let tiers: Vec<_> = CHECKS.iter().map(|check| check.tier).collect();
    assert!(tiers.is_sorted(), "{tiers:?}");
}

#[test]
fn a_rule_is_explained_with_its_stage_its_profiles_and_a_request() {
    let told = explain("arguments-double-encoded").unwrap();
    for part in
        [Stage::Echo.name(), Profile::Gate.name(), "gate_echo_mismatch", "\"messages\"", "as a warning where"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    assert!(explain("call-not-answered").unwrap().contains("script-not-finished"));
}

#[test]
fn a_run_file_explains_each_code_of_its_findings_once() {
    let case = phrasing(super::CALLS);
    let mut facts = good();
    facts.requests[1].reject = Some(super::rejected("answer-missing", "gate_pairing"));
    let found = grade(&evidence(&case, &facts), &[]);
    let texts = explained(found.iter().chain(&found));
    assert_eq!(texts.iter().map(|text| text.code.as_str()).collect::<Vec<_>>(), ["answer-missing"]);
}

#[test]
fn a_suite_says_what_a_code_weighs_and_the_later_word_holds() {
    let case = phrasing(super::CALLS);
    let mut facts = good();
    facts.requests.push(super::Request { kind: super::Kind::Overrun, ..super::request(3, Some(2)) });
    facts.exited.as_mut().unwrap().status = Some(1);
    let weighed = |weights: &[(&str, Weight)]| {
        let weights: Vec<_> = weights.iter().map(|(code, weight)| ((*code).to_owned(), *weight)).collect();
        let found = grade(&evidence(&case, &facts), &weights);
        found.into_iter().map(|finding| (finding.code, finding.severity)).collect::<Vec<_>>()
    };
    let (past, exit) = ("asked-past-the-end", "exit-status");
    let is = |code: &str, severity| (code.to_owned(), severity);
    assert_eq!(weighed(&[]), [is(past, Severity::Error)]);
    // What is made light explains nothing: what would have followed from it still fails the case.
    let both = [is(exit, Severity::Error), is(past, Severity::Warning)];
    assert_eq!(weighed(&[(past, Weight::Off), (past, Weight::Warning)]), both);
    assert_eq!(weighed(&[(past, Weight::Off), (exit, Weight::Note)]), [is(exit, Severity::Note)]);
    assert_eq!(weighed(&[(past, Weight::Off), (exit, Weight::Off)]), []);
    assert_eq!(codes_of(&case, &facts), [past]);
}
