//! What the model says, plain and streamed: the same words in both, whatever the request asks for.

use crate::request::{Answer, chat, history, post, tool};
use crate::stand::{CHAT, Served, Stand};
use crate::stream;
use rehearsal_journal::event::End;
use serde_json::{Value, json};

const SCRIPT: &str = r#"
version: 1
classes:
  text: {script: [{text: "Wörds, \"quotes\" and\nlines 🎭."}], phrasings: [{id: text, prompt: say text}]}
  empty: {script: [{text: ""}], phrasings: [{id: empty, prompt: say empty}]}
  call:
    script:
      - tool_calls: [{name: write_file, arguments: {path: a.txt, content: "x\n"}}]
      - {text: done}
    phrasings: [{id: call, prompt: say call}]
  calls:
    script:
      - text: Both at once.
        tool_calls: [{name: one, arguments: {}}, {name: two, arguments: {n: [1, 2.50]}}]
    phrasings: [{id: calls, prompt: say both}]
  raw: {script: [{tool_calls: [{name: one, arguments_text: '{"cut": tru'}]}], phrasings: [{id: raw, prompt: say raw}]}
  refusal: {script: [{refusal: "I will not."}], phrasings: [{id: refusal, prompt: say refusal}]}
  length: {script: [{text: Cut of, finish_reason: length, usage: {prompt_tokens: 12, completion_tokens: 34}}], phrasings: [{id: length, prompt: say length}]}
  filter: {script: [{text: "", finish_reason: content_filter}], phrasings: [{id: filter, prompt: say filter}]}
"#;

/// The cases: prompt, message, finish reason, tokens of prompt and completion.
fn wanted() -> Vec<(&'static str, Value, &'static str, (u64, u64))> {
    let call = |id: &str, name: &str, arguments: &str| json!({"id": id, "type": "function", "function": {"name": name, "arguments": arguments}});
    let message = |content: Value, more: Value| {
        let mut message = json!({"role": "assistant", "content": content, "refusal": null});
        message.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        message
    };
    vec![
        ("say text", message(json!("Wörds, \"quotes\" and\nlines 🎭."), json!({})), "stop", (100, 100)),
        ("say empty", message(json!(""), json!({})), "stop", (100, 100)),
        (
            "say call",
            message(
                Value::Null,
                json!({"tool_calls": [call("call_gate_call_s0_0", "write_file", r#"{"path": "a.txt", "content": "x\n"}"#)]}),
            ),
            "tool_calls",
            (100, 100),
        ),
        (
            "say both",
            message(
                json!("Both at once."),
                json!({"tool_calls": [call("call_gate_calls_s0_0", "one", "{}"), call("call_gate_calls_s0_1", "two", r#"{"n": [1, 2.50]}"#)]}),
            ),
            "tool_calls",
            (100, 100),
        ),
        (
            "say raw",
            message(
                Value::Null,
                json!({"tool_calls": [call("call_gate_raw_s0_0", "one", r#"{"cut": tru"#)]}),
            ),
            "tool_calls",
            (100, 100),
        ),
        ("say refusal", message(Value::Null, json!({"refusal": "I will not."})), "stop", (100, 100)),
        ("say length", message(json!("Cut of"), json!({})), "length", (12, 34)),
        ("say filter", message(json!(""), json!({})), "content_filter", (100, 100)),
        ("nothing of the script", message(json!("ok"), json!({})), "stop", (1, 1)),
    ]
}

fn stand() -> Stand {
    Served::file("t.yaml", SCRIPT).start()
}

#[test]
fn a_stream_joins_to_the_plain_answer_for_every_step_and_every_wish() {
    let stand = stand();
    for (prompt, message, finish, (input, output)) in wanted() {
        let usage =
            json!({"prompt_tokens": input, "completion_tokens": output, "total_tokens": input + output});
        for choices in [1, 3] {
            for logprobs in [false, true] {
                let ask = json!({"n": choices, "logprobs": logprobs, "tools": [tool("any")]});
                let plain = stand.chat(&chat(prompt, ask.clone())).json();
                let all = plain["choices"].as_array().unwrap();
                assert_eq!(all.len(), choices, "{prompt}");
                for (index, choice) in all.iter().enumerate() {
                    assert_eq!(
                        (&choice["index"], &choice["message"], &choice["finish_reason"]),
                        (&json!(index), &message, &json!(finish))
                    );
                }
                assert_eq!(plain["usage"], usage, "{prompt}");
                for include_usage in [false, true] {
                    let mut ask = ask.clone();
                    ask["stream"] = json!(true);
                    if include_usage {
                        ask["stream_options"] = json!({"include_usage": true});
                    }
                    let joined = stream::join(&stand.chat(&chat(prompt, ask)), include_usage);
                    assert_eq!(joined.choices, vec![(message.clone(), json!(finish)); choices], "{prompt}");
                    assert_eq!(joined.usage, if include_usage { usage.clone() } else { Value::Null });
                    assert_eq!(
                        joined.about,
                        json!([plain["id"], plain["created"], plain["model"], plain["system_fingerprint"]])
                    );
                    for (streamed, choice) in joined.logprobs.iter().zip(all) {
                        let whole = ["content", "refusal"]
                            .map(|member| choice["logprobs"][member].as_array().cloned().unwrap_or_default())
                            .concat();
                        assert_eq!(*streamed, whole, "{prompt}");
                    }
                }
                check_logprobs(&plain, &message, logprobs);
            }
        }
    }
}

/// The tokens of the log probabilities are the words that were said.
fn check_logprobs(plain: &Value, message: &Value, wanted: bool) {
    for choice in plain["choices"].as_array().unwrap() {
        if !wanted {
            assert_eq!(choice["logprobs"], Value::Null);
            continue;
        }
        for member in ["content", "refusal"] {
            let Some(tokens) = choice["logprobs"][member].as_array() else {
                assert_eq!(message[member], Value::Null);
                continue;
            };
            let text: String = tokens.iter().map(|token| token["token"].as_str().unwrap()).collect();
            assert_eq!(message[member], text);
            for token in tokens {
                assert!(token["logprob"].as_f64().unwrap() <= 0.0, "{token}");
                let bytes: Vec<u8> = serde_json::from_value(token["bytes"].clone()).unwrap();
                assert_eq!(token["token"].as_str().unwrap().as_bytes(), bytes);
                assert!(token["top_logprobs"].is_array(), "{token}");
            }
        }
    }
}

#[test]
fn long_answers_leave_in_several_pieces() {
    let joined = stream::join(&stand().chat(&chat("say text", json!({"stream": true}))), false);
    assert!(joined.pieces > 3, "{joined:?}");
}

#[test]
fn a_client_of_the_old_functions_gets_a_function_call_and_may_answer_it() {
    let stand = stand();
    let functions = json!([{"name": "write_file", "parameters": {"type": "object", "properties": {}}}]);
    let call = json!({"name": "write_file", "arguments": r#"{"path": "a.txt", "content": "x\n"}"#});
    let plain = stand.chat(&chat("say call", json!({"functions": functions}))).json();
    assert_eq!(plain["choices"][0]["message"]["function_call"], call);
    assert_eq!(plain["choices"][0]["message"].get("tool_calls"), None);
    assert_eq!(plain["choices"][0]["finish_reason"], "function_call");
    let joined =
        stream::join(&stand.chat(&chat("say call", json!({"functions": functions, "stream": true}))), false);
    assert_eq!(joined.choices, [(plain["choices"][0]["message"].clone(), json!("function_call"))]);

    let later = [
        json!({"role": "assistant", "content": null, "function_call": call}),
        json!({"role": "function", "name": "write_file", "content": "written"}),
    ];
    let answer = stand.chat(&history("say call", &later, json!({"functions": functions})));
    assert_eq!((answer.status, answer.said()), (200, "done".to_owned()), "{}", answer.text());
}

#[test]
fn equal_requests_get_equal_bytes_from_every_server_in_any_order() {
    let bodies: Vec<_> = wanted()
        .iter()
        .flat_map(|(prompt, ..)| [chat(prompt, json!({})), chat(prompt, json!({"stream": true}))])
        .collect();
    let one: Vec<Answer> = bodies.iter().map(|body| stand().chat(body)).collect();
    let shared = stand();
    let mut other: Vec<Answer> = bodies.iter().rev().map(|body| shared.chat(body)).collect();
    other.reverse();
    assert_eq!(one, other);
    let ids: std::collections::BTreeSet<_> =
        one.iter().map(|answer| answer.header("x-request-id").unwrap()).collect();
    assert_eq!(ids.len(), wanted().len(), "different prompts get different ids");
}

#[test]
fn the_model_is_the_one_that_was_asked_for() {
    let stand = stand();
    for model in ["gpt-5", "a model \"in quotes\" 🎭"] {
        assert_eq!(stand.chat(&chat("say text", json!({"model": model}))).json()["model"], model);
        let joined =
            stream::join(&stand.chat(&chat("say text", json!({"model": model, "stream": true}))), false);
        assert_eq!(joined.about[2], model);
    }
}

#[test]
fn a_stream_tells_clients_and_proxies_what_it_is() {
    let answer = stand().chat(&chat("say text", json!({"stream": true})));
    assert_eq!(answer.header("content-type"), Some("text/event-stream; charset=utf-8"));
    assert_eq!(answer.header("cache-control"), Some("no-cache"));
    assert_eq!(answer.header("transfer-encoding"), Some("chunked"));
    assert_eq!(answer.header("content-length"), None);
}

#[test]
fn tool_calls_come_back_and_the_script_goes_on() {
    let stand = stand();
    let first = stand.chat(&chat("say call", json!({"tools": [tool("write_file")]}))).json();
    let later = [
        first["choices"][0]["message"].clone(),
        json!({"role": "tool", "tool_call_id": "call_gate_call_s0_0", "content": "written"}),
    ];
    let second = stand.chat(&history("say call", &later, json!({"tools": [tool("write_file")]})));
    assert_eq!((second.status, second.said()), (200, "done".to_owned()), "{}", second.text());
    assert_eq!(stand.asked()[1].answers, ["call_gate_call_s0_0"]);
}

fn paced(pacing: &str) -> Stand {
    let script = format!(
        "version: 1\nclasses: {{c: {{script: [{{text: \"{}\", pacing: {pacing}}}], phrasings: [{{id: p, prompt: go}}]}}}}",
        "word ".repeat(40)
    );
    Served::file("t.yaml", &script).start()
}

#[test]
fn a_paced_stream_is_the_same_stream() {
    let quick = paced("{chunk: 5}").chat(&chat("go", json!({"stream": true})));
    assert_eq!(stream::join(&quick, false).pieces, 40);
    // A wait before some writes, before each, before the first alone, before none.
    for pacing in
        ["tokens_per_second: 5000", "tokens_per_second: 500", "ttft: 2ms", "tokens_per_second: 1000000"]
    {
        let slow = paced(&format!("{{{pacing}, chunk: 5}}")).chat(&chat("go", json!({"stream": true})));
        assert_eq!(slow, quick, "{pacing}");
    }
}

#[test]
fn a_paced_stream_holds_back_what_is_not_due() {
    // A piece a second: whoever has the first one has not the last one for a long time.
    let stand = paced("{tokens_per_second: 1, chunk: 5}");
    let mut client = stand.client();
    client.send(post(CHAT, &chat("go", json!({"stream": true})).to_string()));
    let mut seen = 0;
    while !client.read_at_least(seen + 1).windows(5).any(|part| part == b"word ") {
        seen = client.read_at_least(1).len();
    }
    let text = String::from_utf8_lossy(client.read_at_least(1)).into_owned();
    assert!(!text.contains("[DONE]") && text.matches("word ").count() < 20, "{text}");
    drop(client);
    let answered = stand.answered(1);
    assert_eq!(answered[0].end, End::ClientLeft, "the server notices that nobody reads any more");
}

#[test]
fn a_plain_answer_waits_for_its_first_byte_too() {
    let stand = paced("{ttft: 1ms}");
    let (delayed, quick) =
        (stand.chat(&chat("go", json!({}))), paced("{chunk: 4}").chat(&chat("go", json!({}))));
    let without_date = |answer: &Answer| (answer.status, answer.body.clone());
    assert_eq!(without_date(&delayed), without_date(&quick));
    assert_eq!(delayed.header("content-type"), Some("application/json"));
}
