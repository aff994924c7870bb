//! The Responses API over sockets: scripts, and replies that are kept.

use crate::request::{Answer, post, request};
use crate::stand::{Served, Stand};
use rehearsal_journal::event::SideCall;
use serde_json::{Value, json};

const PATH: &str = "/v1/responses";

/// Types and data of the events of a stream.
pub(crate) fn events(answer: &Answer) -> Vec<Value> {
    assert!(answer.header("content-type").unwrap().starts_with("text/event-stream"), "{answer:?}");
    let text = answer.text();
    let mut events: Vec<&str> = text.split("\n\n").collect();
    assert_eq!(events.pop(), Some(""), "the last event is ended too");
    let event = |event: &str| -> Value {
        let (kind, data) = event.split_once('\n').unwrap();
        let data: Value = serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap();
        assert_eq!(kind, format!("event: {}", data["type"].as_str().unwrap()));
        data
    };
    events.into_iter().map(event).collect()
}

/// The response in an answer, plain or streamed.
pub(crate) fn response(answer: &Answer) -> Value {
    assert_eq!(answer.status, 200, "{}", answer.text());
    if answer.header("content-type") == Some("application/json") {
        return answer.json();
    }
    events(answer).pop().unwrap()["response"].clone()
}

/// The words in a response.
pub(crate) fn words(response: &Value) -> String {
    let items = response["output"].as_array().unwrap().iter();
    let parts = items.flat_map(|item| item["content"].as_array().cloned().unwrap_or_default());
    parts.filter_map(|part| part["text"].as_str().map(str::to_owned)).collect()
}

const SCRIPT: &str = r#"
version: 1
classes:
  two:
    script:
      - {text: Both., thinking: Let me see., tool_calls: [{name: one, arguments: {a: 1}}, {name: two, arguments: {}}]}
      - {text: Which file?}
      - {text: done}
    phrasings: [{id: p, prompt: say both}]
  late:
    script: [{api_error: {status: 429, message: slow, code: rate_limit_exceeded, headers: {Retry-After: 1}}, times: 1}, {text: late}]
    phrasings: [{id: late, prompt: say late}]
  drop: {script: [{fault: mid-body-drop, text: Half of this is lost on its way to you}], phrasings: [{id: drop, prompt: say drop}]}
  pending: {script: [{fault: tool-pending-forever}], phrasings: [{id: pending, prompt: say pending}]}
"#;

fn stand() -> Stand {
    Served::file("t.yaml", SCRIPT)
        .lane("tokenp", "p")
        .lane("tokenlate", "late")
        .lane("tokenpending", "pending")
        .start()
}

fn ask(stand: &Stand, lane: &str, body: Value) -> Answer {
    let tools = json!([{"type": "function", "name": "one"}, {"type": "function", "name": "two"}]);
    let mut whole = json!({"model": "gpt-5", "tools": tools});
    let Value::Object(members) = body else { panic!("members are an object") };
    whole.as_object_mut().unwrap().extend(members);
    stand.post(&format!("{lane}{PATH}"), &whole.to_string())
}

fn outputs(response: &Value) -> Vec<Value> {
    let calls = response["output"].as_array().unwrap().iter().filter(|item| item["type"] == "function_call");
    calls
        .map(|call| json!({"type": "function_call_output", "call_id": call["call_id"], "output": "x"}))
        .collect()
}

#[test]
fn a_conversation_goes_on_from_kept_replies_on_every_lane() {
    for lane in ["", "/t/tokenp"] {
        let stand = stand();
        let first = response(&ask(&stand, lane, json!({"input": "say both"})));
        let on =
            |id: &Value, input: Value| ask(&stand, lane, json!({"previous_response_id": id, "input": input}));
        let answers = outputs(&first);
        assert_eq!(answers.len(), 2);
        for (input, code) in [
            (json!(answers[..1]), "gate_pairing"),
            (json!("And?"), "gate_pairing"),
            (json!([answers[0], answers[0], answers[1]]), "gate_pairing"),
            (
                json!([answers[0], answers[1], {"type": "function_call_output", "call_id": "call_1", "output": ""}]),
                "gate_pairing",
            ),
        ] {
            assert_eq!(on(&first["id"], input.clone()).code(), json!(code), "{input}");
        }
        let second = response(&on(&first["id"], json!(answers)));
        assert_eq!(
            (words(&second), &second["previous_response_id"]),
            ("Which file?".to_owned(), &first["id"])
        );
        let third = response(&on(&second["id"], json!([{"role": "user", "content": "a.txt"}])));
        assert_eq!(words(&third), "done");
        // The same from the beginning again, and a further message behind the end.
        assert_eq!(words(&response(&on(&second["id"], json!("b.txt")))), "done");
        assert_eq!(words(&response(&on(&third["id"], json!("Thanks.")))), "ok");
        for id in ["resp_0123", "resp_gate_nobody_s0_8a", "resp_gate_p_s9_8a", "resp_gate_p_s0_0a"] {
            let answer = on(&json!(id), json!(answers));
            assert_eq!((answer.status, answer.code()), (400, json!("previous_response_not_found")), "{id}");
            assert_eq!(answer.json()["error"]["param"], "previous_response_id");
        }
        let steps: Vec<_> = stand
            .asked()
            .iter()
            .filter(|asked| asked.reject.is_none())
            .map(|asked| (asked.step, asked.side_call))
            .collect();
        let end = (None, Some(SideCall::AfterTheEnd));
        assert_eq!(steps, [(Some(0), None), (Some(1), None), (Some(2), None), (Some(2), None), end]);
    }
}

#[test]
fn items_come_back_as_they_were_or_by_reference_with_their_reasoning() {
    let stand = stand();
    let first = response(&ask(
        &stand,
        "",
        json!({"input": "say both", "store": false, "include": ["reasoning.encrypted_content"]}),
    ));
    let output = first["output"].as_array().unwrap().clone();
    assert_eq!(
        output.iter().map(|item| item["type"].as_str().unwrap()).collect::<Vec<_>>(),
        ["reasoning", "message", "function_call", "function_call"]
    );
    let go_on = |items: Vec<Value>| {
        let input: Vec<_> = [json!({"role": "user", "content": "say both"})]
            .into_iter()
            .chain(items)
            .chain(outputs(&first))
            .collect();
        ask(&stand, "", json!({"input": input}))
    };
    assert_eq!(words(&response(&go_on(output.clone()))), "Which file?");
    let references = output.iter().map(|item| json!({"type": "item_reference", "id": item["id"]}));
    assert_eq!(words(&response(&go_on(references.collect()))), "Which file?");
    let refused = go_on(output[1..].to_vec());
    assert_eq!(refused.status, 400);
    assert_eq!(
        refused.message(),
        format!(
            "Item '{}' of type 'function_call' was provided without its required 'reasoning' item: '{}'.",
            output[2]["id"].as_str().unwrap(),
            output[0]["id"].as_str().unwrap()
        )
    );
    let mut bare = output[1..].to_vec();
    bare.iter_mut().for_each(|item| drop(item.as_object_mut().unwrap().remove("id")));
    assert_eq!(words(&response(&go_on(bare))), "Which file?");
    let asked = stand.asked();
    let notes: Vec<_> = asked.last().unwrap().notes.iter().map(|note| note.code.as_str()).collect();
    assert_eq!(notes, ["reasoning-dropped"]);
    let mut changed = output.clone();
    changed[0]["encrypted_content"] = json!("gAAAAABother");
    assert_eq!(go_on(changed).code(), "invalid_encrypted_content");
}

fn visit(stand: &Stand, method: &str, path: &str) -> Answer {
    let authorised = [("Authorization", Some("Bearer test"))];
    stand.send(&request(method, &format!("{PATH}/{path}"), &authorised, b""))
}

#[test]
fn a_kept_reply_is_told_again_and_forgotten() {
    let stand = stand();
    let told = response(&ask(&stand, "", json!({"input": "say both"})));
    let id = told["id"].as_str().unwrap();
    assert_eq!(visit(&stand, "GET", id).json(), told);
    let escaped = id.replace('_', "%5F");
    assert_eq!(visit(&stand, "GET", &escaped).json(), told);
    let streamed = ask(&stand, "", json!({"input": "say both", "stream": true}));
    let all = events(&streamed);
    assert_eq!(events(&visit(&stand, "GET", &format!("{id}?stream=true"))).len(), all.len());
    for after in [0, 3, all.len() - 2] {
        let rest = events(&visit(&stand, "GET", &format!("{id}?stream=true&starting_after={after}")));
        assert_eq!(rest, all[after + 1..]);
    }
    assert!(events(&visit(&stand, "GET", &format!("{id}?starting_after=99999&stream=true"))).is_empty());
    let items = visit(&stand, "GET", &format!("{id}/input_items?limit=5")).json();
    assert_eq!(items["data"][0]["content"][0]["text"], "say both");
    let cancel = visit(&stand, "POST", &format!("{id}/cancel"));
    assert_eq!((cancel.status, cancel.message()), (400, "Cannot cancel a synchronous response.".to_owned()));
    assert_eq!(visit(&stand, "DELETE", id).json(), json!({"id": id, "object": "response", "deleted": true}));
    for (method, rest) in [("GET", ""), ("DELETE", ""), ("POST", "/cancel"), ("GET", "/input_items")] {
        let gone = visit(&stand, method, &format!("{id}{rest}"));
        assert_eq!(
            (gone.status, gone.message()),
            (404, format!("Response with id '{id}' not found.")),
            "{method} {rest}"
        );
        assert!(gone.header("x-request-id").is_some());
    }
    let unkept = response(&ask(&stand, "", json!({"input": "say both", "store": false})));
    assert_ne!(unkept["id"], told["id"]);
    assert_eq!(visit(&stand, "GET", unkept["id"].as_str().unwrap()).status, 404);
    assert_eq!(visit(&stand, "PUT", id).status, 405);
}

#[test]
fn cases_do_not_see_what_others_keep() {
    let stand = stand();
    let told = response(&ask(&stand, "/t/tokenp", json!({"input": "say both"})));
    let id = told["id"].as_str().unwrap();
    assert_eq!(visit(&stand, "GET", id).status, 404);
    let own = stand.send(&request("GET", &format!("/t/tokenp{PATH}/{id}"), &[], b""));
    assert_eq!(own.json(), told);
}

#[test]
fn a_reply_in_the_background_is_asked_for_until_it_is_there() {
    let stand = stand();
    let queued = response(&ask(&stand, "", json!({"input": "say both", "background": true})));
    let id = queued["id"].as_str().unwrap();
    assert_eq!((&queued["status"], &queued["output"]), (&json!("queued"), &json!([])));
    let statuses: Vec<_> = (0..3).map(|_| visit(&stand, "GET", id).json()["status"].clone()).collect();
    assert_eq!(statuses, ["in_progress", "completed", "completed"]);
    let whole = visit(&stand, "POST", &format!("{id}/cancel")).json();
    assert_eq!((whole["status"].as_str(), words(&whole)), (Some("completed"), "Both.".to_owned()));
    // What was asked for goes on like any other.
    let on = ask(&stand, "", json!({"previous_response_id": id, "input": outputs(&whole)}));
    assert_eq!(words(&response(&on)), "Which file?");
    let other = response(&ask(
        &stand,
        "",
        json!({"input": [{"role": "user", "content": "say both"}], "background": true}),
    ));
    let other = other["id"].as_str().unwrap();
    assert_eq!(visit(&stand, "POST", &format!("{other}/cancel")).json()["status"], "cancelled");
    assert_eq!(visit(&stand, "GET", other).json()["status"], "cancelled");
    let streamed = ask(&stand, "", json!({"input": "say both", "background": true, "stream": true}));
    assert_eq!(events(&streamed).last().unwrap()["response"]["status"], "completed");
}

#[test]
fn errors_faults_and_modes_speak_this_dialect_too() {
    let stand = stand();
    let slow = ask(&stand, "/t/tokenlate", json!({"input": "say late"}));
    assert_eq!(
        (slow.status, slow.code(), slow.header("retry-after")),
        (429, json!("rate_limit_exceeded"), Some("1"))
    );
    assert_eq!(words(&response(&ask(&stand, "/t/tokenlate", json!({"input": "say late"})))), "late");
    for stream in [false, true] {
        let body = json!({"model": "m", "input": "say drop", "stream": stream}).to_string();
        let seen = stand.client().send(post(PATH, &body)).read_to_end();
        let text = String::from_utf8_lossy(&seen.bytes).into_owned();
        assert!(text.contains("\"object\":\"response\"") && !text.contains("response.completed"), "{text}");
    }
    let mut last = response(&ask(&stand, "/t/tokenpending", json!({"input": "say pending"})));
    for number in 1..4 {
        let call = last["output"][0]["call_id"].as_str().unwrap().to_owned();
        assert_eq!(call, format!("call_hostile_pending_{number:04}"));
        let input = outputs(&last);
        last = response(&ask(
            &stand,
            "/t/tokenpending",
            json!({"previous_response_id": last["id"], "input": input}),
        ));
    }
    let steps: Vec<_> = stand
        .asked()
        .iter()
        .filter(|asked| asked.phrasing.as_deref() == Some("pending"))
        .map(|asked| asked.step)
        .collect();
    assert_eq!(steps, [Some(0), Some(1), Some(2), Some(3)]);
}

#[test]
fn a_title_request_is_no_step() {
    let stand = stand();
    let title = json!({"model": "m", "input": "Write a title for: say both", "tools": null}).to_string();
    let told = response(&stand.post("/t/tokenp/v1/responses", &title));
    assert_eq!(words(&told), "say both");
    assert_eq!(stand.asked()[0].side_call, Some(SideCall::NoTools));
    let format = json!({"type": "json_schema", "name": "n", "schema": {"type": "object", "required": ["a"], "properties": {"a": {"type": "integer"}}}});
    let told = response(
        &stand.post(PATH, &json!({"model": "m", "input": "hi", "text": {"format": format}}).to_string()),
    );
    assert_eq!(words(&told), r#"{"a":0}"#);
}

#[test]
fn a_named_conversation_goes_on_from_its_last_reply() {
    let stand = stand();
    let lane = "/t/tokenp";
    let begin = || stand.post(&format!("{lane}/v1/conversations"), r#"{"metadata": {"a": "b"}}"#).json();
    let (talk, other) = (begin(), begin());
    assert_eq!((&talk["object"], &talk["metadata"]), (&json!("conversation"), &json!({"a": "b"})));
    assert_ne!(talk["id"], other["id"]);
    let say = |input: Value| ask(&stand, lane, json!({"conversation": talk["id"], "input": input}));
    let first = response(&say(json!("say both")));
    assert_eq!(first["conversation"], json!({"id": talk["id"]}));
    assert_eq!(say(json!("And?")).code(), "gate_pairing");
    assert_eq!(words(&response(&say(json!(outputs(&first))))), "Which file?");
    let object = json!({"conversation": {"id": talk["id"]}, "input": "a.txt"});
    assert_eq!(words(&response(&ask(&stand, lane, object))), "done");
    let unknown = ask(&stand, lane, json!({"conversation": "conv_0", "input": "say both"}));
    assert_eq!(
        (unknown.status, unknown.message()),
        (404, "Conversation with id 'conv_0' not found.".to_owned())
    );
    let elsewhere = ask(&stand, "", json!({"conversation": talk["id"], "input": "say both"}));
    assert_eq!(elsewhere.status, 404);
}

#[test]
fn what_is_given_back_is_what_came_on_one_line_of_a_stream_and_without_escapes_of_words() {
    let stand = stand();
    let tools = "[\r\n  {\"type\":\t\"\\u0063ustom\",\n   \"name\": \"say\"}\n]";
    for stream in [false, true] {
        let body = format!(
            r#"{{"model":"gpt-5","stream":{stream},"metadata":{{"a" :  "1"}},"tools":{tools},"service_tier":"\u0061uto","input":"say both"}}"#
        );
        let answer = stand.post(PATH, &body);
        let told = response(&answer);
        let sent: Value = serde_json::from_str(&body).unwrap();
        assert_eq!((&told["tools"], &told["metadata"]), (&sent["tools"], &sent["metadata"]));
        assert_eq!(told["service_tier"], "default");
        assert!(answer.text().contains(r#""metadata":{"a" :  "1"}"#), "{}", answer.text());
        assert!(!answer.text().contains("\\u0063"), "{}", answer.text());
    }
}

#[test]
fn the_tokens_of_a_request_are_counted_without_a_step() {
    let stand = stand();
    let count = |body: Value| stand.post(&format!("{PATH}/input_tokens"), &body.to_string()).json();
    let item = json!({"role": "user", "content": [{"type": "input_text", "text": "hi there you"}]});
    for (body, tokens) in [
        (json!({"model": "m", "input": "hi there you"}), 3),
        (json!({"model": "m", "input": [item], "instructions": "Be terse."}), 5),
        (json!({}), 1),
    ] {
        assert_eq!(count(body), json!({"object": "response.input_tokens", "input_tokens": tokens}));
    }
    assert_eq!(ask(&stand, "", json!({"input": "say both"})).status, 200);
}
