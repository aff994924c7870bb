//! The rules of the Gemini API: what real clients send is taken, and each deviation is told in the API's words.

use super::messages::{odd_value, places};
use super::script::{Nothing, Small};
use super::{Request, headers, lines};
use proptest::prelude::*;
use rehearsal_wire::reject::Reject;
use rehearsal_wire::rule::{Expected, Profile, RuleSet, Scripted};
use serde_json::{Value, json};

const CAPTURES: &str = include_str!("../../corpus/google-gemini/client-captures.jsonl");

fn verdict(
    profile: Profile,
    headers: &[(&str, &[u8])],
    body: &Value,
    script: &dyn Scripted,
) -> Result<(), Box<Reject>> {
    let body = body.to_string();
    let rules = RuleSet::new(profile, &[]).unwrap();
    Request::with(headers, &body).spoken("google-gemini").verdict(&rules, script)
}

#[test]
fn every_captured_request_of_a_real_client_is_accepted() {
    let captures = lines(CAPTURES);
    assert_eq!(captures.len(), 2);
    for line in captures {
        for profile in Profile::ALL {
            assert_eq!(
                verdict(profile, &headers(&line), &line["body"], &Nothing),
                Ok(()),
                "{}",
                profile.name()
            );
        }
    }
}

/// A request that the API takes although few clients send it so.
const TAKEN: &[&str] = &[
    r#"{"contents":{"parts":{"text":"hi"}}}"#,
    r#"{"contents":[{"parts":[{"text":"hi"}]}],"system_instruction":{"parts":{"text":"Be terse."}}}"#,
    r#"{"contents":[{"role":"user","parts":[{"inline_data":{"mime_type":"image/png","data":"AA=="}}]}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":""}]},{"role":"model","parts":[]}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tools":[{"googleSearch":{}},{"codeExecution":{}},{"url_context":{}}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"generationConfig":{"temperature":null,"topK":40.0,"maxOutputTokens":"100","stopSequences":["a"],"_responseJsonSchema":{"type":"object"},"thinking_config":{"new":1}}}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]}],"tool_config":{"function_calling_config":{"mode":"AUTO"}},"safety_settings":[{"category":"HARM_CATEGORY_HARASSMENT","threshold":"BLOCK_NONE"}],"cachedContent":"c","serviceTier":"flex","labels":{"a":"b"},"outputConfig":{"outputUriPrefix":"gs://b/"}}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"text":"Hm.","thought":true},{"functionCall":{"name":"f"}}]},{"role":"function","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}"#,
    r#"{"contents":[{"role":"user","parts":[{"text":"hi"}]},{"role":"model","parts":[{"function_call":{"name":"f","args":null},"thought_signature":"c2tpcA=="}]},{"parts":[{"function_response":{"name":"f","response":{}}},{"text":"Go on."}]}]}"#,
];

#[test]
fn what_the_api_takes_is_taken_however_it_is_spelt() {
    for body in TAKEN {
        let body: Value = serde_json::from_str(body).unwrap();
        for profile in [Profile::Api, Profile::Gate] {
            assert_eq!(verdict(profile, &[], &body, &Nothing), Ok(()), "{} {body}", profile.name());
        }
    }
}

/// A body, the rule that refuses it under `api`, where, and the message.
const REFUSED: &[(&str, &str, &str, &str)] = &[
    ("[]", "gemini-documented-shape", "", "Invalid JSON payload received. Root element must be a message."),
    (
        "{}",
        "gemini-documented-shape",
        "/contents",
        "* GenerateContentRequest.contents: contents is not specified\n",
    ),
    (
        r#"{"contents":[{"parts":[{"text":5}]}]}"#,
        "gemini-documented-shape",
        "/contents/0/parts/0/text",
        "Invalid value at 'contents[0].parts[0].text' (TYPE_STRING), 5",
    ),
    (
        r#"{"contents":"hi"}"#,
        "gemini-documented-shape",
        "/contents",
        "Invalid value at 'contents' (TYPE_MESSAGE), \"hi\"",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"generation_config":{"temperature":9}}"#,
        "gemini-documented-shape",
        "/generationConfig/temperature",
        "* GenerateContentRequest.generation_config.temperature: temperature must be at most 2.\n",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"toolConfig":{"functionCallingConfig":{"mode":"auto"}}}"#,
        "gemini-documented-shape",
        "/toolConfig/functionCallingConfig/mode",
        "Invalid value at 'tool_config.function_calling_config.mode' (TYPE_ENUM), \"auto\"",
    ),
    (
        r#"{"contents":[{"parts":[{"functionCall":{"args":{}}}]}]}"#,
        "gemini-documented-shape",
        "/contents/0/parts/0/functionCall/name",
        "* GenerateContentRequest.contents[0].parts[0].function_call.name: [REQUIRED_FIELD_MISSING]\n",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"frobnicate":1}"#,
        "gemini-unknown-parameter",
        "/frobnicate",
        "Invalid JSON payload received. Unknown name \"frobnicate\": Cannot find field.",
    ),
    (
        r#"{"contents":[{"parts":[{"type":"text","text":"hi"}]}]}"#,
        "gemini-unknown-parameter",
        "/contents/0/parts/0/type",
        "Invalid JSON payload received. Unknown name \"type\" at 'contents[0].parts[0]': Cannot find field.",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"generationConfig":{"maxTokens":5}}"#,
        "gemini-unknown-parameter",
        "/generationConfig/maxTokens",
        "Invalid JSON payload received. Unknown name \"maxTokens\" at 'generation_config': Cannot find field.",
    ),
    (
        r#"{"contents":[{"role":"assistant","parts":[{"text":"hi"}]}]}"#,
        "gemini-contents",
        "/contents/0/role",
        "Please use a valid role: user, model.",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"},{}]}]}"#,
        "gemini-contents",
        "/contents/0/parts/1",
        "* GenerateContentRequest.contents[0].parts[1].data: required oneof field 'data' must have one initialized field\n",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"f"},{"name":"f"}]}]}"#,
        "gemini-functions",
        "/tools/0/functionDeclarations/1/name",
        "Duplicate function declaration found: f",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"f"}]}],"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["g"]}}}"#,
        "gemini-functions",
        "/toolConfig/functionCallingConfig/allowedFunctionNames",
        "* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: g is not a declared function.\n",
    ),
    (
        r#"{"contents":[{"parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"parts":[{"text":"And?"}]}]}"#,
        "gemini-responses",
        "/contents/2",
        "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.",
    ),
    (
        r#"{"contents":[{"parts":[{"functionResponse":{"name":"f","response":{}}}]}]}"#,
        "gemini-responses",
        "/contents/0",
        "Please ensure that function response turn comes immediately after a function call turn.",
    ),
];

#[test]
fn each_deviation_is_told_in_the_words_of_the_api() {
    for (body, rule, pointer, message) in REFUSED {
        let body: Value = serde_json::from_str(body).unwrap();
        let reject = verdict(Profile::Api, &[], &body, &Nothing).expect_err(&body.to_string());
        assert_eq!((reject.rule, &*reject.pointer, &*reject.message), (*rule, *pointer, *message), "{body}");
        assert_eq!((reject.status, reject.code), (400, None));
        assert!(verdict(Profile::Gate, &[], &body, &Nothing).is_err(), "{body}");
    }
}

#[test]
fn what_other_apis_call_things_is_refused_with_what_to_send() {
    let hi = json!([{"role": "user", "parts": [{"text": "hi"}]}]);
    for (more, pointer) in [
        (json!({"messages": []}), "/messages"),
        (json!({"max_tokens": 5}), "/max_tokens"),
        (json!({"stream": true}), "/stream"),
        (json!({"tool_choice": "auto"}), "/tool_choice"),
        (json!({"system": "Be terse."}), "/system"),
        (json!({"tools": [{"type": "function", "function": {"name": "f"}}]}), "/tools/0/function"),
        (json!({"tools": [{"name": "f", "input_schema": {}}]}), "/tools/0/input_schema"),
        (
            json!({"tools": [{"function_declarations": [{"name": "f", "input_schema": {}}]}]}),
            "/tools/0/function_declarations/0/input_schema",
        ),
        (json!({"contents": [{"role": "assistant", "parts": []}]}), "/contents/0/role"),
        (json!({"contents": [{"role": "user", "content": "hi"}]}), "/contents/0/content"),
        (json!({"contents": [{"parts": [{"type": "text", "text": "hi"}]}]}), "/contents/0/parts/0/type"),
    ] {
        let mut body = json!({ "contents": hi });
        body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        let reject = verdict(Profile::Gate, &[], &body, &Nothing).unwrap_err();
        assert_eq!((reject.code, &*reject.pointer), (Some("gate_dialect_leak"), pointer), "{body}");
        assert!(verdict(Profile::Api, &[], &body, &Nothing).is_err(), "{body}");
    }
    for name in ["anthropic-version", "x-api-key", "OpenAI-Beta"] {
        let reject =
            verdict(Profile::Gate, &[(name, b"x")], &json!({ "contents": hi }), &Nothing).unwrap_err();
        assert_eq!(reject.rule, "gemini-foreign-headers");
    }
    let chat = r#"{"model":"m","messages":[{"role":"user","content":"hi"}]}"#;
    let gate = RuleSet::new(Profile::Gate, &[]).unwrap();
    let leak = Request::with(&[("x-goog-api-key", b"k")], chat).verdict(&gate, &Nothing).unwrap_err();
    assert_eq!(leak.rule, "anthropic-headers", "and the header of this API on another's lane");
}

#[test]
fn a_script_may_ask_for_a_mode_of_function_calling() {
    let expected = Expected { require_tool_choice: true, ..Expected::default() };
    let script = Small { expected, ..Small::default() };
    for (mode, fine) in [(json!({"mode": "ANY"}), true), (json!({}), false), (json!(null), false)] {
        let body = json!({
            "contents": [{"parts": [{"text": "hi"}]}],
            "tool_config": {"functionCallingConfig": mode},
        });
        let verdict = verdict(Profile::Gate, &[], &body, &script);
        assert_eq!(
            verdict.map_err(|reject| reject.rule),
            if fine { Ok(()) } else { Err("gemini-expect-choice") }
        );
    }
}

/// The names of the two calls of the first step of [`Small`].
const NAMES: [&str; 2] = ["write_file", "read_file"];

/// Two calls of ours, as the model of this name demands them back.
fn goes_on(model: &str, signatures: [Option<&str>; 2]) -> Value {
    let call = |(k, seal): (usize, Option<&str>)| {
        let mut part = json!({"functionCall": {"id": format!("call_gate_p_s0_{k}"), "name": NAMES[k], "args": {"a": 1}}});
        if let Some(seal) = seal {
            part["thoughtSignature"] = json!(seal);
        }
        part
    };
    let response = |k: usize| json!({"functionResponse": {"id": format!("call_gate_p_s0_{k}"), "name": NAMES[k], "response": {}}});
    let calls: Vec<_> = signatures.into_iter().enumerate().map(call).collect();
    json!({"model": model, "contents": [
        {"role": "user", "parts": [{"text": "hi"}]},
        {"role": "model", "parts": calls},
        {"role": "user", "parts": [response(0), response(1)]},
    ]})
}

#[test]
fn a_signature_is_demanded_of_the_first_call_by_the_models_that_demand_it() {
    const OURS: &str = "Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA=";
    const ANOTHER: &str = "Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9xX3MwXzA=";
    for (model, signatures, refused) in [
        ("models/gemini-3-pro-preview", [Some(OURS), None], false),
        ("models/gemini-3-pro-preview", [Some(OURS), Some(OURS)], false),
        ("models/gemini-3-pro-preview", [None, None], true),
        ("models/gemini-3-pro-preview", [Some(""), None], true),
        ("models/gemini-3.1-flash", [None, Some(OURS)], true),
        ("gemini-4-pro", [None, None], true),
        ("gemini-3-pro-image-preview", [None, None], false),
        ("gemini-2.5-pro", [None, None], false),
        ("gemini-flash-latest", [None, None], false),
        ("gemini-2.5-pro", [Some("AAAA"), None], true),
        ("gemini-2.5-pro", [Some(ANOTHER), None], true),
        ("gemini-3-pro", [Some("skip_thought_signature_validator"), None], false),
        ("gemini-3-pro", [Some("c2tpcF90aG91Z2h0X3NpZ25hdHVyZV92YWxpZGF0b3I="), None], false),
    ] {
        let verdict = verdict(Profile::Gate, &[], &goes_on(model, signatures), &Small::default());
        let wanted = if refused { Err("gemini-signatures") } else { Ok(()) };
        assert_eq!(verdict.map_err(|reject| reject.rule), wanted, "{model} {signatures:?}");
    }
    let mut later = goes_on("gemini-3-pro", [None, None]);
    later["contents"].as_array_mut().unwrap().extend([
        json!({"role": "model", "parts": [{"text": "Done."}]}),
        json!({"role": "user", "parts": [{"text": "Thanks."}]}),
    ]);
    assert_eq!(
        verdict(Profile::Gate, &[], &later, &Small::default()),
        Ok(()),
        "only the current turn counts"
    );
}

proptest! {
    /// Whatever stands in place of anything in a request, it is judged.
    #[test]
    fn no_value_in_any_place_is_too_odd_to_be_judged(line in 0_usize..9, place: prop::sample::Index, odd in odd_value()) {
        let mut body: Value = serde_json::from_str(TAKEN[line]).unwrap();
        let mut all = Vec::new();
        places(&body, "", &mut all);
        let place: &String = place.get(&all);
        *body.pointer_mut(place).unwrap() = odd;
        for profile in Profile::ALL {
            if let Err(reject) = verdict(profile, &[], &body, &Nothing) {
                prop_assert!((400..500).contains(&reject.status) && !reject.rule.is_empty());
            }
        }
    }
}
