//! What stands beside conversations in the OpenAI API: completions, embeddings, moderation.

use crate::request::base64;
use crate::stand::{Served, Stand};
use rehearsal_journal::event::Kind;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const SUITE: &str = r#"
version: 1
classes:
  c: {script: [{text: first}, {text: second}], phrasings: [{id: p, prompt: say it}]}
"#;

fn answer(stand: &Stand, path: &str, body: &Value) -> Value {
    let answer = stand.post(path, &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn embedded(stand: &Stand, more: Value) -> Value {
    let mut body = json!({"model": "text-embedding-3-small"});
    let Value::Object(more) = more else { panic!("members are an object") };
    body.as_object_mut().unwrap().extend(more);
    answer(stand, "/v1/embeddings", &body)
}

/// The numbers of base64 text.
fn floats(value: &Value) -> Vec<f32> {
    let bytes = base64(value.as_str().unwrap());
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

fn numbers(value: &Value) -> Vec<f32> {
    value.as_array().unwrap().iter().map(|number| number.as_f64().unwrap() as f32).collect()
}

#[test]
fn embeddings_are_the_same_for_the_same_input_in_both_encodings() {
    let stand = Served::nothing().start();
    let first = embedded(&stand, json!({"input": ["a", "b", "a"]}));
    let vectors: Vec<_> =
        first["data"].as_array().unwrap().iter().map(|one| numbers(&one["embedding"])).collect();
    assert_eq!((vectors.len(), vectors[0].len()), (3, 1536));
    assert!(vectors[0] == vectors[2] && vectors[0] != vectors[1]);
    assert_eq!(first["usage"], json!({"prompt_tokens": 3, "total_tokens": 3}));
    let again = embedded(&stand, json!({"input": "b", "encoding_format": "base64"}));
    assert_eq!(floats(&again["data"][0]["embedding"]), vectors[1]);
    let short = numbers(&embedded(&stand, json!({"input": "b", "dimensions": 2}))["data"][0]["embedding"]);
    let ratio = vectors[1][0] / vectors[1][1];
    assert!((short[0] / short[1] - ratio).abs() < 1e-4, "fewer numbers are the first of them, scaled");
    let tokens = embedded(&stand, json!({"input": [[1, 2, 3], [1, 2]]}));
    assert_eq!((tokens["data"].as_array().unwrap().len(), &tokens["usage"]["prompt_tokens"]), (2, &json!(5)));
    assert_eq!(embedded(&stand, json!({"input": [1, 2, 3]}))["data"].as_array().unwrap().len(), 1);
    assert!(stand.asked().iter().all(|asked| asked.kind == Kind::Aside));
}

#[test]
fn what_cannot_be_embedded_is_refused_in_the_words_of_the_api() {
    let stand = Served::nothing().start();
    let invalid = "'$.input' is invalid. Please check the API reference: https://platform.openai.com/docs/api-reference.";
    let ada = "text-embedding-ada-002";
    for (body, message) in [
        (json!({"input": "a"}), "you must provide a model parameter"),
        (json!({"model": ada}), invalid),
        (json!({"model": ada, "input": ""}), invalid),
        (json!({"model": ada, "input": []}), invalid),
        (json!({"model": ada, "input": ["a", ""]}), invalid),
        (json!({"model": ada, "input": ["a", 1]}), invalid),
        (json!({"model": ada, "input": vec!["a"; 2049]}), invalid),
        (
            json!({"model": ada, "input": "a", "dimensions": 5}),
            "This model does not support specifying dimensions.",
        ),
        (
            json!({"model": "text-embedding-3-large", "input": "a", "dimensions": 4000}),
            "Invalid value for 'dimensions' = 4000. Must be less than or equal to 3072.",
        ),
        (
            json!({"model": ada, "input": "a", "frobnicate": 5}),
            "Unrecognized request argument supplied: frobnicate",
        ),
        (
            json!({"model": ada, "input": vec![1; 8193]}),
            "This model's maximum context length is 8192 tokens, however you requested 8193 tokens (8193 in your prompt; 0 for the completion). Please reduce your prompt; or completion length.",
        ),
    ] {
        let refused = stand.post("/v1/embeddings", &body.to_string());
        assert_eq!((refused.status, refused.message().as_str()), (400, message));
    }
    assert_eq!(
        embedded(&stand, json!({"input": vec!["a"; 2048], "dimensions": 1}))["data"]
            .as_array()
            .unwrap()
            .len(),
        2048
    );
}

#[test]
fn nothing_is_flagged_and_scores_are_the_same_each_time() {
    let stand = Served::nothing().start();
    let of = |body: Value| answer(&stand, "/v1/moderations", &body);
    let one = of(json!({"input": "words"}));
    assert_eq!(one, of(json!({"input": "words"})));
    assert_eq!(one["results"][0]["categories"].as_object().unwrap().len(), 13);
    for (input, results) in [
        (json!("a"), 1),
        (json!(["a", "b"]), 2),
        (json!([{"type": "text", "text": "a"}, {"type": "image_url", "image_url": {"url": "u"}}]), 1),
    ] {
        let got = of(json!({"input": input}));
        let got = got["results"].as_array().unwrap();
        assert_eq!(got.len(), results);
        for result in got {
            assert_eq!(result["flagged"], false);
            assert!(
                result["category_scores"]
                    .as_object()
                    .unwrap()
                    .values()
                    .all(|score| score.as_f64().unwrap() < 0.001)
            );
        }
    }
    let older = of(json!({"input": "a", "model": "text-moderation-stable"}));
    assert_eq!(older["results"][0]["categories"].as_object().unwrap().len(), 11);
    for body in [json!({}), json!({"input": []}), json!({"input": 7}), json!({"input": "a", "model": 7})] {
        assert_eq!(stand.post("/v1/moderations", &body.to_string()).status, 400, "{body}");
    }
}

#[test]
fn a_prompt_is_completed_by_the_first_step_of_its_script() {
    let stand = Served::file("s.yaml", SUITE).lane("tokenp", "p").start();
    let body = json!({"model": "m", "prompt": "Please say it.", "max_tokens": 60});
    for _ in 0..2 {
        assert_eq!(answer(&stand, "/t/tokenp/v1/completions", &body)["choices"][0]["text"], "first");
    }
    let stray = answer(&stand, "/v1/completions", &json!({"model": "m", "prompt": "else"}));
    assert_eq!(stray["choices"][0]["text"], "ok");
}

#[test]
fn a_completion_that_speaks_another_api_is_refused_under_gate() {
    for (more, under_gate, under_api) in [
        (json!({"messages": []}), "gate_dialect_leak", "unknown_parameter"),
        (json!({"tools": []}), "gate_dialect_leak", "unknown_parameter"),
        (json!({"n": 200}), "integer_above_max_value", "integer_above_max_value"),
        (json!({"echo": "yes"}), "invalid_type", "invalid_type"),
    ] {
        for (profile, code) in [(Profile::Gate, under_gate), (Profile::Api, under_api)] {
            let stand = Served::nothing().under(profile).start();
            let mut body = json!({"model": "m", "prompt": "a"});
            body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
            let refused = stand.post("/v1/completions", &body.to_string());
            assert_eq!((refused.status, refused.code()), (400, json!(code)), "{body}");
        }
    }
}
