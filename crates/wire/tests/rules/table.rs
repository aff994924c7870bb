//! Tests over the whole table.

use super::Request;
use super::script::Small;
use rehearsal_wire::dialect::DIALECTS;
use rehearsal_wire::rule::{Profile, RULES, Rule, RuleSet, Stage};
use std::collections::BTreeSet;

/// Only this rule.
fn alone(rule: &Rule) -> RuleSet {
    let off = |other: &&&Rule| other.name != rule.name;
    let mut switches: Vec<_> = RULES.iter().filter(off).map(|other| (other.name.to_owned(), false)).collect();
    switches.push((rule.name.to_owned(), true));
    RuleSet::new(Profile::Gate, &switches).unwrap()
}

fn example(rule: &Rule) -> Request<'static> {
    // The first dialect that can read it: the examples of rules for all are chat completions.
    let spoken = DIALECTS.iter().find(|dialect| rule.dialects.include(dialect.name)).unwrap();
    Request::with(rule.example.headers, rule.example.body).spoken(spoken.name)
}

#[test]
fn names_are_unique_and_written_in_kebab_case() {
    let mut seen = BTreeSet::new();
    for rule in RULES {
        let letters = rule.name.chars().all(|c| c.is_ascii_lowercase() || c == '-');
        assert!(letters && !rule.name.starts_with('-') && !rule.name.ends_with('-'), "{}", rule.name);
        assert!(seen.insert(rule.name), "{} stands twice", rule.name);
    }
}

#[test]
fn every_row_says_what_it_refuses_and_with_which_codes() {
    for rule in RULES {
        assert!(
            !rule.summary.is_empty() && !rule.codes.is_empty() && !rule.profiles.is_empty(),
            "{}",
            rule.name
        );
        assert!(!rule.summary.ends_with('.'), "{} is a table cell, no sentence", rule.name);
        assert!(!rule.profiles.contains(&Profile::Lenient), "{}: lenient holds no rule", rule.name);
    }
}

#[test]
fn stages_follow_each_other_in_the_table() {
    assert!(RULES.is_sorted_by_key(|rule| rule.stage));
    for stage in Stage::ALL {
        assert!(RULES.iter().any(|rule| rule.stage == stage), "no rule at stage {}", stage.name());
    }
}

#[test]
fn each_example_is_refused_or_noted_by_its_rule_alone_with_a_code_of_its_row() {
    let script = Small::demanding();
    for rule in RULES {
        let (verdict, notes) = example(rule).judge(&alone(rule), &script);
        let code = match &verdict {
            Err(reject) => {
                assert_eq!(reject.rule, rule.name);
                assert!((400..500).contains(&reject.status) && reject.message.len() > 10, "{}", rule.name);
                reject.code
            }
            Ok(()) => Some(
                notes.first().unwrap_or_else(|| panic!("{} says nothing to its example", rule.name)).code,
            ),
        };
        assert!(rule.codes.contains(&code.unwrap_or("null")), "{} gave {code:?}", rule.name);
    }
}

#[test]
fn a_gate_refusal_keeps_param_null_and_says_the_pointer_and_what_to_change() {
    let script = Small::demanding();
    for rule in RULES {
        let Err(reject) = example(rule).verdict(&alone(rule), &script) else { continue };
        if reject.code.is_some_and(|code| code.starts_with("gate_")) {
            assert_eq!(reject.param, None, "{}", rule.name);
            assert!(reject.message.contains(&reject.pointer), "{}", reject.message);
            assert!(reject.message.contains("; "), "{}", reject.message);
        }
    }
}

#[test]
fn each_example_is_refused_under_every_profile_that_holds_its_rule() {
    let script = Small::demanding();
    for rule in RULES {
        for &profile in rule.profiles {
            let rules = RuleSet::new(profile, &[]).unwrap();
            let (verdict, notes) = example(rule).judge(&rules, &script);
            let said = verdict.is_err() || !notes.is_empty();
            assert!(said, "{} under {}", rule.name, profile.name());
        }
    }
}

#[test]
fn a_rule_switched_off_says_nothing() {
    let script = Small::demanding();
    for rule in RULES {
        for profile in Profile::ALL {
            let rules = RuleSet::new(profile, &[(rule.name.to_owned(), false)]).unwrap();
            assert!(!rules.holds_name(rule.name));
            if let Err(reject) = example(rule).verdict(&rules, &script) {
                assert_ne!(reject.rule, rule.name);
            }
        }
    }
}

#[test]
fn a_dialect_is_judged_by_the_rules_that_can_read_it() {
    let pinned = RuleSet::new(Profile::Pinned, &[]).unwrap();
    for dialect in DIALECTS {
        for rule in RULES {
            let wanted = pinned.holds_name(rule.name) && rule.dialects.include(dialect.name);
            assert_eq!(pinned.of(dialect).holds_name(rule.name), wanted, "{} {}", rule.name, dialect.name);
        }
    }
    for rule in RULES {
        let known = DIALECTS.iter().any(|dialect| rule.dialects.include(dialect.name));
        assert!(known, "{} reads no dialect that there is", rule.name);
    }
}

#[test]
fn lenient_refuses_nothing() {
    let lenient = RuleSet::new(Profile::Lenient, &[]).unwrap();
    for rule in RULES {
        assert_eq!(example(rule).judge(&lenient, &Small::demanding()), (Ok(()), Vec::new()), "{}", rule.name);
    }
}

#[test]
fn an_unknown_rule_is_answered_with_the_nearest_name() {
    let unknown = RuleSet::new(Profile::Gate, &[("tool-descriptoin".to_owned(), true)]).unwrap_err();
    assert_eq!(unknown.nearest, Some("tool-description"));
    assert_eq!(unknown.to_string(), "no rule is named `tool-descriptoin`; did you mean `tool-description`?");
}

#[test]
fn the_first_bad_tool_is_named_whichever_rule_it_breaks() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"tools":[
        {"type":"function","function":{"name":"f","description":"d","parameters":5}}, 7]}"#;
    let gate = RuleSet::new(Profile::Gate, &[]).unwrap();
    let reject = Request::of(body).verdict(&gate, &Small::default()).unwrap_err();
    assert_eq!((reject.rule, &*reject.pointer), ("tool-parameters", "/tools/0/function/parameters"));
}
