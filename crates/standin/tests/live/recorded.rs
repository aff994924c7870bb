//! A conversation that was recorded plays again: its answers are heard, written as a scenario file, and served from it to the
//! same client.

use crate::request::{Answer, headers_for, request};
use crate::stand::{Served, Stand};
use rehearsal_script::scenario::Pacing;
use rehearsal_script::write::{Conversation, Step, write};
use rehearsal_wire::dialect::heard::{Heard, hear};
use rehearsal_wire::dialect::{Dialect, dialect};
use rehearsal_wire::reply::Reply;
use serde_json::{Value, json};

/// What the provider of the recording says.
const PROVIDER: &str = r#"
version: 1
classes:
  provider:
    script:
      - api_error: {status: 429, message: "Slow down: wait.", type: rate_limit_error, code: slow, headers: {Retry-After: 1}}
        times: 2
      - text: First I look.
        thinking: Where could it be?
        tool_calls:
          - name: read_file
            arguments: {path: "notes.txt", lines: [1, 2.5, null], deep: {a: "line one\nline two\n"}}
          - name: list
            arguments: {}
        usage: {prompt_tokens: 321, completion_tokens: 45}
      - tool_calls: [{name: read_file, arguments: {path: "é: \"x\"\t#"}}]
      - text: "All done:\n\n- one\n- two\n"
        finish_reason: length
    phrasings: [{id: provider, prompt: "Look at the notes, then tell me."}]
"#;

const PROMPT: &str = "Look at the notes, then tell me.";

/// A small client of one dialect.
struct Client {
    dialect: &'static str,
    path: &'static str,
    /// The request, without its messages.
    rest: fn() -> Value,
    /// The messages that a reply and the answers to its calls add.
    goes_on: fn(&Reply) -> Vec<Value>,
}

const CLIENTS: &[Client] = &[
    Client {
        dialect: "openai-chat",
        path: "/v1/chat/completions",
        rest: || {
            let tool = |name: &str| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}});
            json!({"model": "m", "tools": [tool("read_file"), tool("list")], "stream_options": {"include_usage": true}})
        },
        goes_on: |reply| {
            let calls = reply.calls.iter().map(|call| {
                json!({"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}})
            });
            let said =
                json!({"role": "assistant", "content": reply.text, "tool_calls": calls.collect::<Vec<_>>()});
            let answer = |id: &str| json!({"role": "tool", "tool_call_id": id, "content": "ok"});
            [said].into_iter().chain(reply.calls.iter().map(|call| answer(&call.id))).collect()
        },
    },
    Client {
        dialect: "anthropic-messages",
        path: "/v1/messages",
        rest: || {
            let tool = |name: &str| json!({"name": name, "input_schema": {"type": "object"}});
            json!({"model": "m", "max_tokens": 99, "tools": [tool("read_file"), tool("list")]})
        },
        goes_on: |reply| {
            let input = |text: &str| serde_json::from_str::<Value>(text).unwrap();
            let text = reply.text.iter().map(|text| json!({"type": "text", "text": text}));
            let calls = reply.calls.iter().map(
                |call| json!({"type": "tool_use", "id": call.id, "name": call.name, "input": input(&call.arguments)}),
            );
            let answers: Vec<_> = reply
                .calls
                .iter()
                .map(|call| json!({"type": "tool_result", "tool_use_id": call.id, "content": "ok"}))
                .collect();
            let said: Vec<_> = text.chain(calls).collect();
            vec![json!({"role": "assistant", "content": said}), json!({"role": "user", "content": answers})]
        },
    },
];

fn ask(stand: &Stand, client: &Client, row: &'static Dialect, stream: bool, messages: &[Value]) -> Answer {
    let mut body = (client.rest)();
    body["messages"] = messages.into();
    if stream {
        body["stream"] = true.into();
    } else if let Some(body) = body.as_object_mut() {
        body.remove("stream_options");
    }
    stand.send(&request("POST", client.path, &headers_for(row), body.to_string().as_bytes()))
}

/// Plays the conversation to its end, as an agent does that tries again at once.
fn played(stand: &Stand, client: &Client, stream: bool) -> Vec<Step> {
    let row = dialect(client.dialect).unwrap();
    let mut messages = vec![json!({"role": "user", "content": PROMPT})];
    let mut steps = Vec::new();
    while steps.len() < 9 {
        let answer = ask(stand, client, row, stream, &messages);
        let Heard { reply, error, done, notes, .. } =
            hear(row, answer.header("content-type").unwrap(), &answer.body);
        assert!(done && notes.is_empty(), "{notes:?} {}", answer.text());
        if let Some(error) = error {
            let after =
                answer.header("retry-after").map(|value| ("Retry-After".to_owned(), value.to_owned()));
            steps.push(Step::Failed { status: answer.status, headers: after.into_iter().collect(), error });
            continue;
        }
        let is_last = reply.calls.is_empty();
        messages.extend((client.goes_on)(&reply));
        steps.push(Step::Said { reply, pacing: Pacing::default() });
        if is_last {
            break;
        }
    }
    steps
}

/// The same without what each stand-in makes up: ids of calls, and how arguments are spaced.
fn told(steps: &[Step]) -> Vec<Step> {
    let mut steps = steps.to_vec();
    for step in &mut steps {
        if let Step::Said { reply, .. } = step {
            for call in &mut reply.calls {
                call.id.clear();
                call.arguments = serde_json::from_str::<Value>(&call.arguments).unwrap().to_string();
            }
        }
    }
    steps
}

#[test]
fn a_recorded_conversation_plays_again_from_the_file_that_was_written_of_it() {
    for client in CLIENTS {
        for stream in [false, true] {
            let recorded = played(&Served::file("provider.yaml", PROVIDER).start(), client, stream);
            assert_eq!(recorded.len(), 5, "{recorded:?}");
            let conversation = Conversation {
                class: "look at the notes".to_owned(),
                prompt: PROMPT.to_owned(),
                model: Some("m".to_owned()),
                steps: recorded.clone(),
            };
            let written = write(&[conversation]);
            assert_eq!(written.notes, [""; 0]);
            let again = played(&Served::file("recorded.yaml", &written.text).start(), client, stream);
            assert_eq!(told(&again), told(&recorded), "{} {stream}\n{}", client.dialect, written.text);
        }
    }
}
