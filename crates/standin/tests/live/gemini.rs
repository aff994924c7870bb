//! The Gemini API over real sockets: what is answered, in which framing, and what keeps a conversation whole.

use crate::request::{Answer, request};
use crate::stand::{Served, Stand};
use rehearsal_testkit::raw_client::End;
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

const SAY: &str = "/v1beta/models/gemini-3-pro-preview:generateContent";
const STREAM: &str = "/v1beta/models/gemini-3-pro-preview:streamGenerateContent";

/// Thinks, speaks and calls twice; then speaks.
const SUITE: &str = r#"
version: 1
classes:
  c:
    script:
      - thinking: Hm, hm.
        text: Look at this.
        tool_calls: [{name: f, arguments: {a: 1}}, {name: f, arguments: {}}]
      - text: Done with it.
    phrasings: [{id: p, prompt: Look at it please.}]
  slow:
    script: [{api_error: {status: 429, message: slow, headers: {Retry-After: "7"}}}]
    phrasings: [{id: slow, prompt: Be slow about it.}]
  cut:
    script: [{fault: mid-body-drop, text: It never ends.}]
    phrasings: [{id: cut, prompt: Be cut in the middle.}]
"#;

fn asked(prompt: &str, more: &Value) -> Value {
    let tools =
        json!([{"functionDeclarations": [{"name": "f", "parametersJsonSchema": {"type": "object"}}]}]);
    let mut body = json!({"contents": [{"role": "user", "parts": [{"text": prompt}]}], "tools": tools});
    body.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    body
}

fn post(stand: &Stand, path: &str, body: &Value) -> Answer {
    let headers = [("Content-Type", Some("application/json")), ("x-goog-api-key", Some("test"))];
    stand.send(&request("POST", path, &headers, body.to_string().as_bytes()))
}

/// The responses of a stream of events.
pub(crate) fn events(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.header("content-type"), Some("text/event-stream"));
    let text = answer.text();
    let events = text.strip_suffix("\r\n\r\n").unwrap().split("\r\n\r\n");
    events.map(|event| serde_json::from_str(event.strip_prefix("data: ").unwrap()).unwrap()).collect()
}

/// All parts of a stream, neighbouring texts joined, and why it ended.
pub(crate) fn joined(events: &[Value]) -> (Vec<Value>, Value) {
    let mut all: Vec<Value> = Vec::new();
    for part in events.iter().flat_map(|event| event["candidates"][0]["content"]["parts"].as_array().unwrap())
    {
        match all.last_mut() {
            Some(last)
                if last["text"].is_string()
                    && part["text"].is_string()
                    && last["thought"] == part["thought"] =>
            {
                let text = format!("{}{}", last["text"].as_str().unwrap(), part["text"].as_str().unwrap());
                last["text"] = json!(text);
            }
            _ => all.push(part.clone()),
        }
    }
    let (last, before) = events.split_last().unwrap();
    assert!(before.iter().all(|event| event["candidates"][0]["finishReason"].is_null()));
    (all, last["candidates"][0]["finishReason"].clone())
}

#[test]
fn a_reply_is_the_same_whole_as_events_and_as_an_array() {
    let stand = Served::file("t.yaml", SUITE).start();
    let shows = json!({"generationConfig": {"thinkingConfig": {"includeThoughts": true}}});
    let body = asked("Look at it please.", &shows);
    let whole = post(&stand, SAY, &body).json();
    let candidate = &whole["candidates"][0];
    let seal = "Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA=";
    let parts = json!([
        {"text": "Hm, hm.", "thought": true},
        {"text": "Look at this."},
        {"functionCall": {"id": "call_gate_p_s0_0", "name": "f", "args": {"a": 1}}, "thoughtSignature": seal},
        {"functionCall": {"id": "call_gate_p_s0_1", "name": "f", "args": {}}},
    ]);
    assert_eq!((&candidate["content"]["parts"], &candidate["content"]["role"]), (&parts, &json!("model")));
    assert_eq!(candidate["finishReason"], "STOP");
    assert_eq!(whole["modelVersion"], "gemini-3-pro-preview");
    let streamed = events(&post(&stand, &format!("{STREAM}?alt=sse"), &body));
    assert!(streamed.len() > 4, "{} events", streamed.len());
    assert_eq!(joined(&streamed), (parts.as_array().unwrap().clone(), json!("STOP")));
    assert!(streamed.iter().all(|event| event["usageMetadata"] == whole["usageMetadata"]));
    let array = post(&stand, STREAM, &body);
    assert_eq!(array.header("content-type"), Some("application/json; charset=UTF-8"));
    assert_eq!(array.json(), json!(streamed));
    let hidden = post(&stand, SAY, &asked("Look at it please.", &json!({}))).json();
    assert_eq!(hidden["candidates"][0]["content"]["parts"], json!(parts.as_array().unwrap()[1..]));
}

/// The history behind the first reply, as this client sends it.
fn goes_on(change: impl Fn(&mut Value, &mut Value)) -> Value {
    let seal = "Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA=";
    let mut model = json!({"role": "model", "parts": [
        {"text": "Look at this."},
        {"functionCall": {"id": "call_gate_p_s0_0", "name": "f", "args": {"a": 1}}, "thoughtSignature": seal},
        {"functionCall": {"id": "call_gate_p_s0_1", "name": "f", "args": {}}},
    ]});
    let mut user = json!({"role": "user", "parts": [
        {"functionResponse": {"id": "call_gate_p_s0_0", "name": "f", "response": {"r": 1}}},
        {"functionResponse": {"id": "call_gate_p_s0_1", "name": "f", "response": {"r": 2}}},
    ]});
    change(&mut model, &mut user);
    let mut body = asked("Look at it please.", &json!({}));
    body["contents"].as_array_mut().unwrap().extend([model, user]);
    body
}

/// The parts from this number on.
fn parts(content: &mut Value, from: usize) -> impl Iterator<Item = &mut Value> {
    content["parts"].as_array_mut().unwrap().iter_mut().skip(from)
}

fn drop_ids(model: &mut Value, user: &mut Value) {
    for part in parts(model, 1) {
        part["functionCall"].as_object_mut().unwrap().remove("id");
    }
    for part in parts(user, 0) {
        part["functionResponse"].as_object_mut().unwrap().remove("id");
    }
}

#[test]
fn a_history_is_known_however_its_client_spells_keys_and_ids() {
    type Change = fn(&mut Value, &mut Value);
    let changes: [(&str, Change); 6] = [
        ("as it came", |_, _| {}),
        ("without ids", drop_ids),
        ("with ids of its own", |model, user| {
            for (part, id) in parts(model, 1).zip(["x", "y"]) {
                part["functionCall"]["id"] = json!(id);
            }
            for (part, id) in parts(user, 0).zip(["y", "x"]) {
                part["functionResponse"]["id"] = json!(id);
            }
        }),
        ("in another spelling of the signature", |model, _| {
            model["parts"][1]["thoughtSignature"] = json!("Z2F0ZS10aG91Z2h0OmNhbGxfZ2F0ZV9wX3MwXzA");
        }),
        ("with underscores", |model, user| {
            for part in parts(model, 1) {
                let call = part.as_object_mut().unwrap().remove("functionCall").unwrap();
                part["function_call"] = call;
                if let Some(seal) = part.as_object_mut().unwrap().remove("thoughtSignature") {
                    part["thought_signature"] = seal;
                }
            }
            for part in parts(user, 0) {
                let response = part.as_object_mut().unwrap().remove("functionResponse").unwrap();
                part["function_response"] = response;
            }
        }),
        ("with a signature for those who have none", |model, _| {
            model["parts"][1]["thoughtSignature"] = json!("skip_thought_signature_validator");
        }),
    ];
    for profile in [Profile::Gate, Profile::Api] {
        for (what, change) in changes {
            let stand = Served::file("t.yaml", SUITE).lane("tokenp", "p").under(profile).start();
            let answer = post(&stand, &format!("/t/tokenp{SAY}"), &goes_on(change));
            assert_eq!(answer.status, 200, "{what}: {}", answer.text());
            let said = answer.json();
            assert_eq!(said["candidates"][0]["content"]["parts"][0]["text"], "Done with it.", "{what}");
            let mut asked = stand.asked().remove(0);
            asked.answers.sort();
            assert_eq!((asked.step, asked.answers, asked.notes), (Some(1), ours(), Vec::new()), "{what}");
        }
    }
}

fn ours() -> Vec<String> {
    let mut ids = vec!["call_gate_p_s0_0".to_owned(), "call_gate_p_s0_1".to_owned()];
    ids.sort();
    ids
}

#[test]
fn what_a_client_without_ids_changes_is_told_too() {
    let older = SAY.replace("gemini-3-pro-preview", "gemini-2.5-pro");
    for signed in [true, false] {
        let changed = |args: Value| {
            goes_on(|model, user| {
                drop_ids(model, user);
                model["parts"][2]["functionCall"]["args"] = args.clone();
                if !signed {
                    model["parts"][1].as_object_mut().unwrap().remove("thoughtSignature");
                }
            })
        };
        let stand = Served::file("t.yaml", SUITE).start();
        let answer = post(&stand, &older, &changed(json!({"a": 2})));
        assert!(answer.message().starts_with("/contents/1/parts/2/functionCall"), "{}", answer.message());
        assert_eq!(answer.json()["error"]["details"][0]["reason"], "gate_echo_mismatch");
        assert_eq!(post(&stand, &older, &changed(json!({}))).status, 200);
    }
}

#[test]
fn a_signature_comes_back_as_it_was_or_the_newer_models_refuse() {
    let dropped =
        goes_on(|model, _| drop(model["parts"][1].as_object_mut().unwrap().remove("thoughtSignature")));
    let changed = goes_on(|model, _| model["parts"][1]["thoughtSignature"] = json!("b3RoZXI="));
    let stand = Served::file("t.yaml", SUITE).start();
    let refused = post(&stand, SAY, &dropped);
    assert_eq!(refused.status, 400);
    assert!(refused.message().contains("`default_api:f` , position 2"), "{}", refused.message());
    let older = SAY.replace("gemini-3-pro-preview", "gemini-2.5-pro");
    assert_eq!(post(&stand, &older, &dropped).status, 200);
    let corrupted = post(&stand, &older, &changed);
    assert_eq!((corrupted.status, corrupted.message().as_str()), (400, "Corrupted thought signature."));
    let notes: Vec<_> =
        stand.asked().into_iter().flat_map(|asked| asked.notes).map(|note| note.code).collect();
    assert_eq!(notes, ["reasoning-dropped"]);
}

#[test]
fn errors_say_the_status_word_and_how_long_to_wait() {
    let stand = Served::file("t.yaml", SUITE).start();
    let answer = post(&stand, SAY, &asked("Be slow about it.", &json!({})));
    assert_eq!((answer.status, answer.header("retry-after")), (429, Some("7")));
    let details = json!([{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "7s"}]);
    let error = json!({"code": 429, "message": "slow", "status": "RESOURCE_EXHAUSTED", "details": details});
    assert_eq!(answer.json(), json!({ "error": error }));
    let unknown = post(&stand, "/v1beta/models/m:embedContent", &json!({}));
    assert_eq!((unknown.status, &unknown.json()["error"]["status"]), (404, &json!("NOT_FOUND")));
}

#[test]
fn models_and_counts_stand_at_every_version_of_the_api() {
    let stand = Served::nothing().start();
    let get = |path: &str| stand.send(&request("GET", path, &[("x-goog-api-key", Some("test"))], b"")).json();
    for version in ["v1", "v1beta", "v1alpha"] {
        let models = get(&format!("/{version}/models"));
        assert_eq!(models["models"][0]["name"], "models/gemini-3-pro-preview");
        assert_eq!(get(&format!("/{version}/models/gemini-x"))["name"], "models/gemini-x");
        let body = json!({"contents": [{"parts": [{"text": "hi there you"}]}]});
        for body in [body.clone(), json!({ "generateContentRequest": body })] {
            let count = post(&stand, &format!("/{version}/models/gemini-x:countTokens"), &body).json();
            assert_eq!(count["totalTokens"], 3);
        }
        let said = post(&stand, &format!("/{version}/models/gemini-x:generateContent"), &body).json();
        assert_eq!(said["candidates"][0]["content"]["parts"][0]["text"], "ok");
    }
    let empty = post(&stand, "/v1/models/gemini-x:countTokens", &json!({}));
    assert_eq!((empty.status, &empty.json()["error"]["status"]), (400, &json!("INVALID_ARGUMENT")));
}

#[test]
fn a_key_may_stand_in_the_query_and_is_written_nowhere() {
    for guard in [None, Some("guardtoken")] {
        let stand = Served::nothing().under(Profile::Api).guard(guard, &[]).start();
        let base = guard.map_or(String::new(), |token| format!("/t/{token}"));
        let body = json!({"contents": [{"parts": [{"text": "hi"}]}]}).to_string();
        let headers = [("Content-Type", Some("application/json"))];
        for (query, status) in
            [("?key=AIzaSecret", 200), ("?alt=sse&key=AIzaSecret", 200), ("?key=", 403), ("", 403)]
        {
            let path = format!("{base}/v1beta/models/gemini-x:streamGenerateContent{query}");
            assert_eq!(
                stand.send(&request("POST", &path, &headers, body.as_bytes())).status,
                status,
                "{query}"
            );
        }
        for (path, bytes) in stand.files() {
            let found = bytes.windows(b"AIzaSecret".len()).any(|window| window == b"AIzaSecret");
            assert!(!found, "the key stands in {path}");
        }
    }
}

#[test]
fn a_side_call_gets_the_form_that_it_asks_for() {
    let stand = Served::nothing().start();
    let schema = json!({"type": "OBJECT", "properties": {"n": {"type": "INTEGER"}}, "required": ["n"]});
    for (form, wanted) in [
        (json!({"responseMimeType": "application/json", "responseSchema": schema}), r#"{"n":0}"#),
        (json!({"response_mime_type": "application/json"}), "{}"),
        (json!({}), "ok"),
    ] {
        let answer = post(&stand, SAY, &asked("Anything.", &json!({ "generationConfig": form })));
        assert_eq!(answer.json()["candidates"][0]["content"]["parts"][0]["text"], wanted);
    }
}

#[test]
fn faults_break_it_in_every_framing() {
    let stand = Served::file("t.yaml", SUITE).start();
    for (path, kind) in [
        (SAY.to_owned(), "application/json; charset=UTF-8"),
        (format!("{STREAM}?alt=sse"), "text/event-stream"),
        (STREAM.to_owned(), "application/json; charset=UTF-8"),
    ] {
        let body = asked("Be cut in the middle.", &json!({})).to_string();
        let headers = [("Content-Type", Some("application/json")), ("x-goog-api-key", Some("test"))];
        let seen = stand.client().send(request("POST", &path, &headers, body.as_bytes())).read_to_end();
        assert_eq!((seen.status(), seen.end), (200, End::Reset));
        assert!(seen.text().to_lowercase().contains(&format!("content-type: {}", kind.to_lowercase())));
    }
}
