//! How issued calls may come back, in each of the three ways of comparing.

use super::script::Small;
use super::{Note, Reject, Request};
use rehearsal_wire::rule::{Echo, Profile, RuleSet};
use serde_json::{Value, json};

/// A conversation in which the call of step 1 comes back like this.
fn echoed(name: &str, arguments: &str) -> Value {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let properties = json!({"a": {"type": "integer"}, "o": {"type": "object", "properties": {"k": {}}}});
    let parameters = json!({"type": "object", "properties": properties});
    json!({
        "model": "m",
        "messages": [
            {"role": "user", "content": "hi"},
            {"role": "assistant", "content": null, "tool_calls": [call("call_gate_p_s1_0", name, arguments)]},
            {"role": "tool", "tool_call_id": "call_gate_p_s1_0", "content": "x"},
        ],
        "tools": [{"type": "function", "function": {"name": "write_file", "parameters": parameters}}],
    })
}

fn judge(echo: Echo, scripted: &'static str, body: &Value) -> (Result<(), Box<Reject>>, Vec<Note>) {
    let rules = RuleSet::new(Profile::Gate, &[]).unwrap();
    let script = Small { echo, arguments: scripted, ..Small::default() };
    Request::of(&body.to_string()).judge(&rules, &script)
}

#[derive(Debug, PartialEq)]
enum Got {
    Accepted,
    Noted(&'static str),
    Refused,
}

fn got(echo: Echo, scripted: &'static str, name: &str, arguments: &str) -> Got {
    match judge(echo, scripted, &echoed(name, arguments)) {
        (Ok(()), notes) => notes.first().map_or(Got::Accepted, |note| Got::Noted(note.code)),
        (Err(reject), _) => {
            assert_eq!(reject.code, Some("gate_echo_mismatch"), "{}", reject.message);
            Got::Refused
        }
    }
}

#[test]
fn arguments_are_compared_by_value_through_doubles_or_by_bytes() {
    use Got::{Accepted, Noted, Refused};
    // scripted, echoed: exact, double, bytes
    type Case = (&'static str, &'static str, [Got; 3]);
    let stripped = || Noted("arguments-stripped");
    let doubles = || Noted("arguments-through-doubles");
    let cases: [Case; 14] = [
        (r#"{"a":1}"#, r#"{"a":1}"#, [Accepted, Accepted, Accepted]),
        (r#"{"a":1}"#, r#"{ "a" : 1.0 }"#, [Accepted, Accepted, Refused]),
        (r#"{"a":1,"b":[]}"#, r#"{"b":[],"\u0061":1}"#, [Accepted, Accepted, Refused]),
        (r#"{"a":1}"#, r#"{"a":true}"#, [Refused, Refused, Refused]),
        (r#"{"a":1}"#, r#"{"a":1,"a":1}"#, [Refused, Refused, Refused]),
        (r#"{"a":1}"#, r#""{\"a\":1}""#, [Refused, Refused, Refused]),
        (r#"{"a":1}"#, r#"{"a":"#, [Refused, Refused, Refused]),
        (r#"{"a":1}"#, "", [Refused, Refused, Refused]),
        (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, [Refused, doubles(), Refused]),
        (r#"{"a":1,"z":2}"#, r#"{"a":1}"#, [Refused, stripped(), Refused]),
        (r#"{"o":{"k":1,"z":2}}"#, r#"{"o":{"k":1}}"#, [Refused, stripped(), Refused]),
        (r#"{"a":1,"z":2}"#, r#"{"z":2}"#, [Refused, Refused, Refused]),
        (r#"{"a":1}"#, r#"{"a":1,"z":2}"#, [Refused, Refused, Refused]),
        (r#"{"a":"\ufffd"}"#, r#"{"a":"\ud800"}"#, [Refused, Refused, Refused]),
    ];
    for (scripted, echoed, wanted) in cases {
        let found =
            [Echo::Exact, Echo::Double, Echo::Bytes].map(|echo| got(echo, scripted, "write_file", echoed));
        assert_eq!(found, wanted, "{scripted} came back as {echoed}");
    }
}

#[test]
fn arguments_that_the_script_broke_may_come_back_in_any_way_and_under_any_name() {
    for echo in [Echo::Exact, Echo::Double, Echo::Bytes] {
        for (name, arguments) in [("write_file", "{}"), ("write_file", ""), ("invalid", r#"{"error":"x"}"#)] {
            let found = got(echo, r#"{"a":"#, name, arguments);
            assert_eq!(found, Got::Noted("broken-arguments-changed"), "{echo:?} {name} {arguments}");
        }
        assert_eq!(got(echo, r#"{"a":"#, "write_file", r#"{"a":"#), Got::Accepted);
    }
    // What is no object can be filled into no parameters; only the original stub compares it.
    assert_eq!(got(Echo::Double, "42", "write_file", "{}"), Got::Noted("broken-arguments-changed"));
    assert_eq!(got(Echo::Exact, "42", "write_file", "{}"), Got::Refused);
}

#[test]
fn another_name_is_refused() {
    assert_eq!(got(Echo::Double, r#"{"a":1}"#, "read_file", r#"{"a":1}"#), Got::Refused);
}

#[test]
fn double_encoding_is_refused_by_a_rule_of_its_own_and_noted_nowhere() {
    for echo in [Echo::Exact, Echo::Double, Echo::Bytes] {
        let (verdict, notes) = judge(echo, r#"{"a":1}"#, &echoed("write_file", r#" "{\"a\": 1}""#));
        let reject = verdict.unwrap_err();
        assert_eq!((reject.rule, reject.code), ("arguments-double-encoded", Some("gate_echo_mismatch")));
        assert!(reject.message.contains("double-encoded"), "{}", reject.message);
        assert_eq!(reject.pointer, "/messages/1/tool_calls/0/function/arguments");
        assert_eq!(notes, []);
    }
}

#[test]
fn words_of_an_issued_turn_may_be_left_out_or_split_but_not_invented() {
    let with = |content: Value| {
        let mut body = echoed("write_file", r#"{"a":1}"#);
        body["messages"][1]["content"] = content;
        judge(Echo::Exact, r#"{"a":1}"#, &body).0.is_ok()
    };
    assert!(with(json!(null)) && with(json!("")) && with(json!("Narrated.\n")));
    assert!(with(json!([{"type": "text", "text": "Narra"}, {"type": "text", "text": "ted."}])));
    assert!(!with(json!("Narrated. And more.")));
}

#[test]
fn broken_arguments_under_foreign_ids_are_noted_and_never_refused() {
    let mut body = echoed("write_file", "");
    let noted = |body: &Value| judge(Echo::Exact, "{}", body);
    body["messages"][1]["tool_calls"][0]["id"] = json!("call_1");
    body["messages"][2]["tool_call_id"] = json!("call_1");
    for (arguments, code) in [("{\"a\":", "arguments-not-json"), ("\"{}\"", "arguments-double-encoded")] {
        body["messages"][1]["tool_calls"][0]["function"]["arguments"] = json!(arguments);
        let (verdict, notes) = noted(&body);
        assert_eq!((verdict, notes[0].code), (Ok(()), code));
        assert_eq!(notes[0].pointer, "/messages/1/tool_calls/0/function/arguments");
    }
}

/// The small script thinks at step 0, and a fault shows it.
#[test]
fn thoughts_that_were_shown_come_back_with_the_calls_that_they_led_to() {
    let call = |id: &str, name: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": "{\"a\":1}"}});
    let result = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "x"});
    for (thoughts, noted) in [
        (json!("Two calls will do."), &[][..]),
        (json!("One call will do."), &["reasoning-dropped"]),
        (json!(null), &["reasoning-dropped"]),
    ] {
        let body = json!({
            "model": "m",
            "messages": [
                {"role": "user", "content": "hi"},
                {
                    "role": "assistant",
                    "content": null,
                    "reasoning_content": thoughts,
                    "tool_calls": [call("call_gate_p_s0_0", "write_file"), call("call_gate_p_s0_1", "read_file")],
                },
                result("call_gate_p_s0_0"),
                result("call_gate_p_s0_1"),
            ],
        });
        let (verdict, notes) = judge(Echo::Exact, r#"{"a":1}"#, &body);
        let codes: Vec<_> = notes.iter().map(|note| note.code).collect();
        assert_eq!((verdict.err(), codes), (None, noted.to_vec()), "{thoughts}");
    }
}
