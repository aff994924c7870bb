//! The one law of `gate`: no correct real client is ever refused. The corpus holds what 30 and more clients sent.

use super::script::Nothing;
use super::{Request, headers, lines};
use rehearsal_wire::rule::{Profile, RuleSet};

pub(crate) const CAPTURES: &str = include_str!("../../corpus/openai-chat/client-captures.jsonl");

#[test]
fn every_captured_request_of_a_real_client_is_accepted_under_gate_and_under_api() {
    let captures = lines(CAPTURES);
    assert_eq!(captures.len(), 232);
    let mut refused = Vec::new();
    for profile in [Profile::Lenient, Profile::Api, Profile::Gate] {
        let rules = RuleSet::new(profile, &[]).unwrap();
        for line in &captures {
            let (headers, body) = (headers(line), line["body"].to_string());
            let request = Request::with(&headers, &body);
            if let Err(reject) = request.verdict(&rules, &Nothing) {
                let (client, scenario) = (&line["client"], &line["scenario"]);
                refused.push(format!(
                    "{} {client} {scenario}: {} {}",
                    profile.name(),
                    reject.rule,
                    reject.message
                ));
            }
        }
    }
    assert!(refused.is_empty(), "{}", refused.join("\n"));
}

/// What the captures are known to break is refused by exactly the rules that only `pinned` holds.
#[test]
fn under_pinned_the_captures_are_refused_only_by_its_own_rules() {
    let pinned = RuleSet::new(Profile::Pinned, &[]).unwrap();
    let mut refused = 0;
    for line in lines(CAPTURES) {
        let (headers, body) = (headers(&line), line["body"].to_string());
        let Err(reject) = Request::with(&headers, &body).verdict(&pinned, &Nothing) else {
            continue;
        };
        refused += 1;
        assert!(["tool-function-type", "tool-description"].contains(&reject.rule), "{}", reject.message);
    }
    assert_eq!(refused, 5);
}
