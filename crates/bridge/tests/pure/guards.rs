//! A request that breaks several rules is refused for the first of them, in the order of the original bridge.

use crate::setting::{ALIAS, CHAT, ORIGIN, REAL, SYSTEM, TOKEN, body, cases, head, open, verdict};
use rehearsal_bridge::core::{ARM, Act, DISARM, STATUS, Want, hear, public_route};
use rehearsal_bridge::denial::Denial;
use rehearsal_bridge::setting::Setting;
use rehearsal_bridge::state::State;
use rehearsal_journal::bridge::Fact;
use serde_json::{Value, json};

const FOREIGN: (&str, &str) = ("Origin", "http://evil.example");

fn armed(id: &str) -> (Setting, State) {
    let mut bridge = cases();
    bridge.1.apply(&Fact::Armed { sequence: 1, case: id.to_owned() }).unwrap();
    bridge
}

fn spent(id: &str) -> (Setting, State) {
    let mut bridge = armed(id);
    bridge.1.apply(&Fact::Reserved { sequence: 2, case: Some(id.to_owned()) }).unwrap();
    bridge
}

fn denied(act: &Act) -> Option<Denial> {
    match act {
        Act::Deny(denial) => Some(*denial),
        _ => None,
    }
}

fn post(bridge: &(Setting, State), target: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Denial> {
    denied(&verdict(bridge, ("POST", target), headers, body).act)
}

/// Each row breaks its own rule and all that come later.
#[test]
fn the_first_rule_that_is_broken_is_the_one_that_is_said() {
    let worst = |from: usize| {
        let mut body = body("a");
        if from < 6 {
            body["model"] = json!(REAL);
        }
        if from < 7 {
            body["messages"][1]["content"] = json!("Do something else");
        }
        if from < 8 {
            body["messages"][0]["content"] = json!("Be long.");
        }
        if from < 9 {
            body["tools"] = json!([{"type": "function"}]);
        }
        body.to_string().into_bytes()
    };
    let bridge = armed("a");
    assert_eq!(post(&bridge, "/x", &[FOREIGN], b"{"), Some(Denial::ForeignOrigin));
    assert_eq!(post(&bridge, "/x", &[], b"{"), Some(Denial::GenerationPath));
    assert_eq!(post(&bridge, CHAT, &[], b"{"), Some(Denial::InvalidJson));
    assert_eq!(post(&cases(), CHAT, &[], &worst(0)), Some(Denial::CaseNotArmed));
    assert_eq!(post(&bridge, CHAT, &[], &worst(0)), Some(Denial::WrongModel));
    assert_eq!(post(&bridge, CHAT, &[], &worst(6)), Some(Denial::InputMismatch));
    assert_eq!(post(&bridge, CHAT, &[], &worst(7)), Some(Denial::SystemMismatch));
    assert_eq!(post(&bridge, CHAT, &[], &worst(8)), Some(Denial::Tools));
    let right = verdict(&bridge, ("POST", CHAT), &[("Origin", ORIGIN)], &worst(9));
    assert_eq!(
        (right.act, right.case.as_deref(), right.attempt),
        (Act::Forward { counted: true }, Some("a"), true)
    );
}

#[test]
fn a_spent_case_is_said_before_anything_of_its_request_is_looked_at() {
    let bridge = spent("a");
    let mut wrong = body("a");
    wrong["model"] = json!("other");
    wrong["tools"] = json!([1]);
    assert_eq!(post(&bridge, CHAT, &[], wrong.to_string().as_bytes()), Some(Denial::Consumed));
    // What equals no case, or one that is not spent, is said to be unarmed.
    assert_eq!(post(&bridge, CHAT, &[], body("b").to_string().as_bytes()), Some(Denial::CaseNotArmed));
    assert_eq!(post(&bridge, CHAT, &[], body("c").to_string().as_bytes()), Some(Denial::CaseNotArmed));
    // Two user messages: the last one counts.
    let mut two = body("b");
    two["messages"].as_array_mut().unwrap().push(json!({"role": "user", "content": "Do a\n* x"}));
    let late = verdict(&bridge, ("POST", CHAT), &[], two.to_string().as_bytes());
    assert_eq!(
        (denied(&late.act), late.case.as_deref(), late.attempt),
        (Some(Denial::Consumed), Some("a"), true)
    );
}

#[test]
fn arming_is_refused_in_its_own_order() {
    let token = [("X-Rehearsal-Control", TOKEN)];
    let arm = |bridge: &(Setting, State), headers: &[(&str, &str)], body: &str| {
        verdict(bridge, ("POST", ARM), headers, body.as_bytes()).act
    };
    let of = |id: Value| json!({"caseId": id}).to_string();
    for (bridge, headers, body, wanted) in [
        (cases(), &[][..], "x".to_owned(), Denial::NoToken),
        (cases(), &[("X-Rehearsal-Control", &TOKEN[1..])], of(json!("a")), Denial::NoToken),
        (cases(), &[("Authorization", TOKEN)], of(json!("a")), Denial::NoToken),
        (cases(), &[FOREIGN, token[0]], of(json!("a")), Denial::ForeignOrigin),
        (cases(), &token, "x".to_owned(), Denial::InvalidCase),
        (cases(), &token, "{}".to_owned(), Denial::InvalidCase),
        (cases(), &token, "[\"caseId\"]".to_owned(), Denial::InvalidCase),
        (cases(), &token, of(json!(["a"])), Denial::UnknownCase),
        (cases(), &token, of(json!("c")), Denial::UnknownCase),
        (spent("a"), &token, of(json!("a")), Denial::Consumed),
        (armed("b"), &token, of(json!("a")), Denial::OtherArmed),
    ] {
        assert_eq!(arm(&bridge, headers, &body), Act::Deny(wanted), "{body} {headers:?}");
    }
    for bridge in [cases(), armed("a"), spent("b")] {
        assert_eq!(arm(&bridge, &token, &of(json!("a"))), Act::Arm("a".to_owned()));
    }
    let disarm = |bridge: &(Setting, State), id: &str| {
        verdict(bridge, ("POST", DISARM), &token, of(json!(id)).as_bytes()).act
    };
    assert_eq!(disarm(&armed("a"), "a"), Act::Disarm("a".to_owned()));
    assert_eq!(disarm(&armed("a"), "b"), Act::Deny(Denial::NotArmed));
    assert_eq!(disarm(&cases(), "a"), Act::Deny(Denial::NotArmed));
    assert_eq!(disarm(&cases(), "c"), Act::Deny(Denial::UnknownCase));
}

#[test]
fn an_empty_token_opens_nothing() {
    let mut bridge = cases();
    bridge.0.token.clear();
    for headers in [&[][..], &[("X-Rehearsal-Control", "")]] {
        assert_eq!(verdict(&bridge, ("GET", STATUS), headers, b"").act, Act::Deny(Denial::NoToken));
    }
}

#[test]
fn what_a_method_and_a_path_want_stands_in_one_table() {
    let bridge = cases();
    for (method, target, wanted) in [
        ("GET", "/health", Act::Health),
        ("HEAD", "/_bridge/health?x=1", Act::Health),
        ("GET", "/v1/models", Act::Forward { counted: false }),
        ("GET", "http://localhost/models?key=x", Act::Forward { counted: false }),
        ("GET", "/v1/models/", Act::Deny(Denial::MetadataPath)),
        ("GET", "/v1/%6dodels", Act::Deny(Denial::MetadataPath)),
        ("GET", "/_control/arm", Act::Deny(Denial::MetadataPath)),
        ("GET", STATUS, Act::Deny(Denial::NoToken)),
        ("POST", STATUS, Act::Deny(Denial::GenerationPath)),
        ("POST", "/v1/models", Act::Deny(Denial::GenerationPath)),
        ("POST", "/v1/chat/completions/", Act::Deny(Denial::GenerationPath)),
        ("OPTIONS", "/anything", Act::Preflight),
        ("PUT", CHAT, Act::Deny(Denial::Method)),
        ("DELETE", "/x", Act::Deny(Denial::Method)),
    ] {
        assert_eq!(verdict(&bridge, (method, target), &[], b"").act, wanted, "{method} {target}");
    }
}

#[test]
fn a_body_that_can_be_read_in_two_ways_is_none() {
    let bridge = armed("a");
    let right = body("a").to_string();
    for twice in
        ["\"model\":\"x\",", "\"mod\\u0065l\":\"x\",", "\"x\":1,\"x\":1,", "\"x\":{\"y\":1,\"y\":2},"]
    {
        let body = right.replacen('{', &format!("{{{twice}"), 1);
        assert_eq!(post(&bridge, CHAT, &[], body.as_bytes()), Some(Denial::InvalidJson), "{body}");
    }
    let coded = [("Content-Encoding", "gzip")];
    assert_eq!(post(&bridge, CHAT, &coded, right.as_bytes()), Some(Denial::CodedBody));
    assert_eq!(post(&bridge, CHAT, &[("Content-Encoding", "identity")], right.as_bytes()), None);
}

#[test]
fn tools_are_whatever_is_not_empty() {
    let bridge = armed("a");
    for (tools, passes) in [
        (json!(null), true),
        (json!([]), true),
        (json!({}), true),
        (json!(""), true),
        (json!([1]), false),
        (json!({"a": 1}), false),
        (json!("x"), false),
        (json!(0), false),
        (json!(false), false),
    ] {
        for key in ["tools", "functions"] {
            let mut body = body("a");
            body[key] = tools.clone();
            let denial = post(&bridge, CHAT, &[], body.to_string().as_bytes());
            assert_eq!(denial, (!passes).then_some(Denial::Tools), "{key}: {tools}");
        }
    }
}

#[test]
fn the_system_prompt_is_the_frozen_one_alone() {
    let bridge = armed("a");
    let user = json!({"role": "user", "content": "Do a\n- x\n"});
    let system = json!({"role": "system", "content": SYSTEM});
    for messages in [
        json!([user]),
        json!([system, system, user]),
        json!([system, user, {"role": "assistant", "content": "x"}]),
        json!([{"role": "developer", "content": SYSTEM}, user]),
        json!([{"role": "system", "content": [{"type": "text", "text": SYSTEM}]}, user]),
        json!([{"role": "system", "content": format!("{SYSTEM}\n")}, user]),
        json!([system, {"role": "user", "content": "x"}, user]),
    ] {
        let body = json!({"model": ALIAS, "messages": messages}).to_string();
        assert_eq!(post(&bridge, CHAT, &[], body.as_bytes()), Some(Denial::SystemMismatch), "{body}");
    }
    // Where the file of it cannot be read, that is said.
    let heard = hear(&bridge.0, &head("POST", CHAT, &[]), body("a").to_string().as_bytes(), None);
    let Want::Case(checks) = heard.want else { panic!("{heard:?}") };
    assert_eq!(checks.system, Some(Denial::NoSystem));
}

#[test]
fn a_budget_lets_through_what_it_pays_for_and_what_costs_nothing() {
    let reserved = |sequence| Fact::Reserved { sequence, case: None };
    let chat = |bridge: &(Setting, State)| verdict(bridge, ("POST", CHAT), &[], b"{}").act;
    let unbounded = open(None, None);
    assert_eq!(chat(&unbounded), Act::Forward { counted: false });
    let mut requests = open(Some(2), None);
    for sequence in 1..3 {
        assert_eq!(chat(&requests), Act::Forward { counted: true });
        requests.1.apply(&reserved(sequence)).unwrap();
    }
    assert_eq!(chat(&requests), Act::Deny(Denial::Budget));
    assert_eq!(verdict(&requests, ("GET", "/v1/models"), &[], b"").act, Act::Forward { counted: false });
    let mut tokens = open(None, Some(10));
    tokens.1.apply(&reserved(1)).unwrap();
    for (spent, passes) in [(Some(9), true), (None, true), (Some(1), false)] {
        let reached = rehearsal_journal::bridge::Reached::Headed;
        tokens.1.apply(&Fact::Interrupted { sequence: 1, reached, kept: 0, tokens: spent }).unwrap();
        let wanted = if passes { Act::Forward { counted: true } } else { Act::Deny(Denial::Budget) };
        assert_eq!(chat(&tokens), wanted);
    }
    // No budget opens the control routes to the provider.
    assert_eq!(verdict(&unbounded, ("POST", "/_control/x"), &[], b"").act, Act::Deny(Denial::GenerationPath));
    assert_eq!(verdict(&unbounded, ("GET", "/_control/x"), &[], b"").act, Act::Deny(Denial::MetadataPath));
}

#[test]
fn the_public_sees_a_known_path_or_none() {
    let (setting, _) = open(None, None);
    for (target, shown) in [
        ("/v1/chat/completions?api_key=sk-1", "/v1/chat/completions"),
        ("/t/sk-1/v1/chat/completions", "/v1/chat/completions"),
        ("/v1/messages", "/v1/messages"),
        ("/sk-1", "other"),
        ("/v1/chat/completions/sk-1", "other"),
    ] {
        let heard = hear(&setting, &head("POST", target, &[]), b"{}", None);
        assert_eq!(public_route(&heard), shown, "{target}");
    }
    let heard = hear(&setting, &head("POST", "/v1beta/models/sk-1:generateContent", &[]), b"{}", None);
    assert!(!public_route(&heard).contains("sk-1"));
}
