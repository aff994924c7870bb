//! Compaction of the Responses API: what is left of a conversation, and where it goes on.

use crate::stand::{Served, Stand};
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const SUITE: &str = r#"
version: 1
classes:
  c:
    script:
      - tool_calls: [{name: one, arguments: {a: 1}}]
      - tool_calls: [{name: one, arguments: {a: 2}}]
      - {text: done}
    phrasings: [{id: p, prompt: say it}]
"#;

fn post(stand: &Stand, path: &str, body: &Value) -> Value {
    let answer = stand.post(&format!("/t/tokenp/v1/{path}"), &body.to_string());
    assert_eq!(answer.status, 200, "{}", answer.text());
    answer.json()
}

fn create(stand: &Stand, input: &Value) -> Value {
    let tools = json!([{"type": "function", "name": "one", "parameters": {"type": "object", "properties": {}}, "strict": false}]);
    post(stand, "responses", &json!({"model": "m", "input": input, "tools": tools}))
}

/// The history after so many steps that call.
fn history(stand: &Stand, steps: usize) -> Vec<Value> {
    let mut input = vec![json!({"role": "user", "content": "say it"})];
    for _ in 0..steps {
        let reply = create(stand, &json!(input));
        for item in reply["output"].as_array().unwrap() {
            input.push(item.clone());
            let answer = json!({"type": "function_call_output", "call_id": item["call_id"], "output": "x"});
            input.push(answer);
        }
    }
    input
}

#[test]
fn a_compacted_conversation_goes_on_where_it_was() {
    for profile in [Profile::Gate, Profile::Api] {
        for steps in 0..3 {
            let stand = Served::file("s.yaml", SUITE).lane("tokenp", "p").under(profile).start();
            let input = history(&stand, steps);
            let compacted = post(&stand, "responses/compact", &json!({"model": "m", "input": input}));
            assert_eq!(compacted["object"], "response.compaction");
            let output = compacted["output"].as_array().unwrap();
            assert_eq!(
                (output.len(), &output[0]["role"], &output[1]["type"]),
                (2, &json!("user"), &json!("compaction"))
            );
            let mut next = output.clone();
            next.push(json!({"role": "user", "content": "Go on."}));
            let reply = create(&stand, &json!(next));
            let first = &reply["output"][0];
            match steps {
                2 => assert_eq!(first["content"][0]["text"], "done", "{reply}"),
                _ => assert_eq!(first["arguments"], format!("{{\"a\": {}}}", steps + 1), "{reply}"),
            }
        }
    }
}

#[test]
fn a_kept_conversation_is_compacted_by_the_id_of_its_last_reply() {
    let stand = Served::file("s.yaml", SUITE).lane("tokenp", "p").start();
    let first = create(&stand, &json!("say it"));
    let body = json!({"model": null, "previous_response_id": first["id"], "input": "say it"});
    let compacted = post(&stand, "responses/compact", &body);
    let reply = create(&stand, &compacted["output"]);
    assert_eq!(reply["output"][0]["arguments"], "{\"a\": 2}", "{reply}");
}

#[test]
fn compaction_wants_a_model_and_a_foreign_item_counts_as_one_turn() {
    let stand = Served::file("s.yaml", SUITE).lane("tokenp", "p").start();
    let refused = stand.post("/t/tokenp/v1/responses/compact", "{}");
    assert_eq!((refused.status, refused.code()), (400, json!("missing_required_parameter")));
    for content in ["gAAAAABfoo", "gAAAAAB", "x", "gAAAAABdHVybnMgYmVmb3JlOiB4"] {
        let item = json!({"type": "compaction", "encrypted_content": content});
        let reply = create(&stand, &json!([{"role": "user", "content": "say it"}, item]));
        assert_eq!(reply["output"][0]["arguments"], "{\"a\": 2}", "{content}: {reply}");
    }
}
