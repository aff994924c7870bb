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

/// A conversation with one turn of calls, as `"id":…` texts, and its answers.
fn turn(calls: &[String], answers: &[String]) -> String {
    let call = |id: &String| {
        format!(r#"{{"id":"{id}","type":"function","function":{{"name":"f","arguments":"{{}}"}}}}"#)
    };
    let answer = |id: &String| format!(r#",{{"role":"tool","tool_call_id":"{id}","content":"x"}}"#);
    let (calls, answers): (Vec<_>, String) =
        (calls.iter().map(call).collect(), answers.iter().map(answer).collect());
    format!(
        r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}},{{"role":"assistant","content":null,"tool_calls":[{}]}}{answers}]}}"#,
        calls.join(",")
    )
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn a_hundred_thousand_calls_in_a_turn_take_no_longer_than_their_bytes() {
    let ids: Vec<String> = (0..100_000).map(|number| format!("call_{number}")).collect();
    let backwards: Vec<String> = ids.iter().rev().cloned().collect();
    let strangers: Vec<String> = ids.iter().map(|id| format!("x{id}")).collect();
    let rules = RuleSet::new(Profile::Gate, &[("documented-shape".to_owned(), false)]).unwrap();
    let begun = std::time::Instant::now();
    for answers in [&ids, &backwards, &strangers] {
        let verdict = Request::of(&turn(&ids, answers)).verdict(&rules, &Small::default());
        assert_eq!(
            verdict.is_ok(),
            answers[0] != strangers[0],
            "{:?}",
            verdict.err().map(|reject| reject.message)
        );
    }
    // Pairs would take minutes in a debug build, all of it about two seconds.
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
#[expect(clippy::disallowed_methods, reason = "a test of how long it takes")]
fn a_strict_schema_of_a_hundred_thousand_properties_takes_no_longer_than_its_bytes() {
    let rules = RuleSet::new(Profile::Gate, &[("documented-shape".to_owned(), false)]).unwrap();
    let begun = std::time::Instant::now();
    for missing in [false, true] {
        let names: Vec<String> = (0..100_000).map(|number| format!("\"p{number}\"")).collect();
        let properties: Vec<_> = names.iter().map(|name| format!("{name}:{{\"type\":\"string\"}}")).collect();
        let required: Vec<_> = names.iter().rev().skip(usize::from(missing)).map(String::as_str).collect();
        let body = format!(
            r#"{{"model":"m","messages":[{{"role":"user","content":"hi"}}],"tools":[{{"type":"function","function":{{"name":"f","strict":true,"parameters":{{"type":"object","additionalProperties":false,"properties":{{{}}},"required":[{}]}}}}}}]}}"#,
            properties.join(","),
            required.join(",")
        );
        let verdict = Request::of(&body).verdict(&rules, &Small::default()).map_err(|reject| reject.message);
        assert_eq!(verdict.is_err(), missing, "{verdict:?}");
        assert!(verdict.err().is_none_or(|said| said.contains("Missing 'p99999'")));
    }
    assert!(begun.elapsed().as_secs() < 60, "{:?}", begun.elapsed());
}

#[test]
fn many_calls_pair_as_few_do() {
    for extra in [0, 100] {
        let more = (0..extra).map(|number| format!("n{number}"));
        let of = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).chain(more.clone()).collect::<Vec<_>>();
        let say = |calls: &[&str], answers: &[&str]| {
            let rules = RuleSet::new(Profile::Gate, &[("documented-shape".to_owned(), false)]).unwrap();
            let body = turn(&of(calls), &of(answers));
            Request::of(&body).verdict(&rules, &Small::default()).map_err(|reject| reject.message)
        };
        assert_eq!(say(&["b", "a"], &["a", "b"]), Ok(()));
        for (calls, answers, why) in [
            (&["b", "a", "c"][..], &["a"][..], r#"no tool result answered "b", "c" before"#),
            (&["b", "a"], &["a", "b", "a"], r#""a" is answered a second time"#),
            (
                &["b", "a"],
                &["a", "z"],
                r#"this tool result answers "z", which the assistant message before it did not call"#,
            ),
            (&["b", "a", "b", "a"], &["a", "b"], "Duplicate tool call id 'b'"),
        ] {
            let said = say(calls, answers).unwrap_err();
            assert!(said.contains(why), "{extra}: {said}");
        }
    }
}
