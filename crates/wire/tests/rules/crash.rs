//! Inputs that made the original stub drop the connection: each is answered.

use super::Request;
use super::script::Small;
use rehearsal_wire::rule::{Profile, RuleSet};

fn code(profile: Profile, body: &str) -> Result<(), Option<&'static str>> {
    let rules = RuleSet::new(profile, &[]).unwrap();
    Request::of(body).verdict(&rules, &Small::default()).map_err(|reject| {
        assert_eq!(reject.status, 400);
        reject.code
    })
}

#[test]
fn a_body_that_is_no_object_is_refused() {
    for body in ["[]", "[{}]", "\"x\"", "5", "true", "null"] {
        assert_eq!(code(Profile::Gate, body), Err(Some("gate_messages_shape")), "{body}");
        assert_eq!(code(Profile::Pinned, body), Err(Some("gate_messages_shape")), "{body}");
        assert_eq!(code(Profile::Api, body), Err(None), "{body}");
        assert_eq!(code(Profile::Lenient, body), Ok(()), "{body}");
    }
}

#[test]
fn messages_that_are_no_list_are_refused() {
    for messages in ["5", "1.5", "true", "{}", "\"x\"", "null"] {
        let body = format!(r#"{{"model":"m","messages":{messages}}}"#);
        assert_eq!(code(Profile::Gate, &body), Err(Some("gate_messages_shape")), "{body}");
        assert_eq!(code(Profile::Api, &body), Err(Some("invalid_type")), "{body}");
    }
}

#[test]
fn parts_of_any_wrong_type_are_refused() {
    for part in [
        r#"{"type":"text","text":null}"#,
        r#"{"type":"text","text":5}"#,
        r#"{"type":"text","text":[]}"#,
        r#"{"type":["text"],"text":"x"}"#,
        r#"{"type":{},"text":"x"}"#,
        "null",
        "\"x\"",
    ] {
        for role in ["user", "system", "assistant", "developer"] {
            let body = format!(r#"{{"model":"m","messages":[{{"role":"{role}","content":[{part}]}}]}}"#);
            for profile in [Profile::Api, Profile::Gate] {
                assert_eq!(code(profile, &body), Err(Some("invalid_type")), "{body}");
            }
        }
    }
}

#[test]
fn half_a_surrogate_pair_is_refused_wherever_it_stands() {
    for body in [
        r#"{"model":"\ud800","messages":[{"role":"user","content":"hi"}]}"#,
        r#"{"model":"m","messages":[{"role":"user","content":"\udc00"}]}"#,
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"metadata":{"\ud800":"x"}}"#,
    ] {
        assert_eq!(code(Profile::Api, body), Err(None), "{body}");
        assert_eq!(code(Profile::Gate, body), Err(None), "{body}");
    }
    let orphan = r#"{"model":"m","messages":[{"role":"tool","tool_call_id":"\ud800","content":"x"}]}"#;
    assert_eq!(code(Profile::Gate, orphan), Err(Some("gate_pairing")));
}

#[test]
fn deep_nesting_in_any_place_is_walked_without_harm() {
    let deep = format!("{}{}", "[".repeat(1000), "]".repeat(1000));
    let schema = format!("{}{{}}{}", r#"{"items":"#.repeat(1000), "}".repeat(1000));
    let body = format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}}],"tools":[{{"type":"function","function":{{"name":"f","strict":true,"parameters":{schema}}}}}]}}"#
    );
    assert_eq!(code(Profile::Gate, &body), Ok(()));
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":{deep}}}]}}"#);
    assert_eq!(code(Profile::Gate, &body), Err(Some("invalid_type")));
}

#[test]
fn a_call_id_with_a_negative_number_was_never_issued() {
    let body = r#"{"model":"m","messages":[{"role":"user","content":"hi"},
        {"role":"assistant","content":null,"tool_calls":[{"id":"call_gate_p_s-9_0","type":"function",
        "function":{"name":"write_file","arguments":"{}"}}]},
        {"role":"tool","tool_call_id":"call_gate_p_s-9_0","content":"x"}]}"#;
    assert_eq!(code(Profile::Gate, body), Err(Some("gate_echo_mismatch")));
}
