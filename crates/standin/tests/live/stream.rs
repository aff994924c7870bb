//! A strict reader of streamed completions, written from the API's description: what it takes, any client takes.

use crate::request::Answer;
use serde_json::{Value, json};

/// A stream put together again.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Joined {
    /// The message and the finish reason of each choice, by index.
    pub(crate) choices: Vec<(Value, Value)>,
    /// The usage chunk's content; null where there was none.
    pub(crate) usage: Value,
    /// Id, created and model, the same in all chunks.
    pub(crate) about: Value,
    /// How many chunks carried text.
    pub(crate) pieces: usize,
    /// Log probabilities of each choice, in order.
    pub(crate) logprobs: Vec<Vec<Value>>,
}

/// What has come of one choice so far.
#[derive(Default)]
struct Choice {
    begun: bool,
    message: serde_json::Map<String, Value>,
    calls: Vec<Value>,
    finish: Value,
    logprobs: Vec<Value>,
}

/// Reads the stream in a reply.
pub(crate) fn join(answer: &Answer, usage_wanted: bool) -> Joined {
    assert_eq!(answer.status, 200, "{answer:?}");
    let kind = answer.header("content-type").unwrap();
    assert!(kind.starts_with("text/event-stream"), "{kind}");
    join_events(&answer.text(), usage_wanted)
}

/// The data of each event: every event is one line, and a blank line ends it.
fn events(text: &str) -> Vec<&str> {
    let mut events: Vec<_> = text.split("\n\n").collect();
    assert_eq!(events.pop(), Some(""), "the last event is ended too");
    events
        .into_iter()
        .map(|event| event.strip_prefix("data: ").filter(|data| !data.contains('\n')).unwrap())
        .collect()
}

fn join_events(text: &str, usage_wanted: bool) -> Joined {
    let mut events = events(text);
    assert_eq!(events.pop(), Some("[DONE]"), "{text}");
    let mut chunks: Vec<Value> = events.iter().map(|event| serde_json::from_str(event).unwrap()).collect();
    let about =
        |chunk: &Value| json!([chunk["id"], chunk["created"], chunk["model"], chunk["system_fingerprint"]]);
    let first = about(&chunks[0]);
    assert!(
        chunks[0]["id"].is_string() && chunks[0]["created"].is_u64() && chunks[0]["model"].is_string(),
        "{text}"
    );
    for chunk in &chunks {
        assert_eq!(chunk["object"], "chat.completion.chunk");
        assert_eq!(about(chunk), first, "every chunk is of the same completion");
    }
    let usage = usage_wanted.then(|| chunks.pop().unwrap());
    if let Some(chunk) = &usage {
        assert_eq!(chunk["choices"], json!([]), "the usage chunk has no choice");
        let total = chunk["usage"]["prompt_tokens"].as_u64().unwrap()
            + chunk["usage"]["completion_tokens"].as_u64().unwrap();
        assert_eq!(chunk["usage"]["total_tokens"], total);
    }
    let mut choices: Vec<Choice> = Vec::new();
    let mut pieces = 0;
    for chunk in &chunks {
        assert_eq!(
            chunk.get("usage"),
            usage_wanted.then_some(&Value::Null),
            "usage: null where it was asked for, else none"
        );
        let all = chunk["choices"].as_array().unwrap();
        assert!(!all.is_empty(), "only the usage chunk is without choices: {chunk}");
        for choice in all {
            let index = usize::try_from(choice["index"].as_u64().unwrap()).unwrap();
            if choices.len() <= index {
                choices.resize_with(index + 1, Choice::default);
            }
            pieces += usize::from(choices[index].take(choice));
        }
    }
    let logprobs = choices.iter_mut().map(|choice| std::mem::take(&mut choice.logprobs)).collect();
    let choices = choices.into_iter().map(Choice::whole).collect();
    let usage = usage.map_or(Value::Null, |chunk| chunk["usage"].clone());
    Joined { choices, usage, about: first, pieces, logprobs }
}

impl Choice {
    /// Takes one delta; says whether it carried text.
    fn take(&mut self, choice: &Value) -> bool {
        assert!(self.finish.is_null(), "nothing follows the finish chunk of a choice: {choice}");
        for key in ["delta", "logprobs", "finish_reason"] {
            assert!(choice.get(key).is_some(), "{key} is missing in {choice}");
        }
        let delta = choice["delta"].as_object().unwrap();
        assert_eq!(
            delta.get("role").is_some(),
            !self.begun,
            "the role stands in the first chunk and in no other: {choice}"
        );
        if !self.begun {
            assert_eq!(delta["role"], "assistant");
            self.begun = true;
        }
        for (key, value) in delta {
            match key.as_str() {
                "role" => {}
                "content" | "refusal" => self.text(key, value),
                "tool_calls" => value.as_array().unwrap().iter().for_each(|call| self.call(call)),
                "function_call" => self.function(value),
                other => panic!("a delta holds {other}: {choice}"),
            }
        }
        self.finish = choice["finish_reason"].clone();
        assert!(self.finish.is_null() || delta.is_empty(), "the finish chunk carries nothing: {choice}");
        for member in ["content", "refusal"] {
            self.logprobs.extend(choice["logprobs"][member].as_array().into_iter().flatten().cloned());
        }
        ["content", "refusal"]
            .iter()
            .any(|key| delta.get(*key).and_then(Value::as_str).is_some_and(|text| !text.is_empty()))
    }

    fn text(&mut self, key: &str, piece: &Value) {
        let slot = self.message.entry(key).or_insert(Value::Null);
        match piece {
            Value::Null => assert!(slot.is_null(), "null follows text"),
            Value::String(piece) => *slot = json!(slot.as_str().unwrap_or_default().to_owned() + piece),
            other => panic!("{key} is {other}"),
        }
    }

    fn call(&mut self, delta: &Value) {
        let index = usize::try_from(delta["index"].as_u64().unwrap()).unwrap();
        if index == self.calls.len() {
            assert!(
                delta["id"].is_string()
                    && delta["type"] == "function"
                    && delta["function"]["name"].is_string()
            );
            assert_eq!(delta["function"]["arguments"], "");
            self.calls.push(json!({"id": delta["id"], "type": "function", "function": delta["function"]}));
        } else {
            // Calls come one after the other, and only their first delta names them.
            assert_eq!(index + 1, self.calls.len(), "{delta}");
            assert!(delta.get("id").is_none() && delta["function"].get("name").is_none());
            append(&mut self.calls[index]["function"]["arguments"], &delta["function"]["arguments"]);
        }
    }

    fn function(&mut self, delta: &Value) {
        match self.message.get_mut("function_call") {
            None => {
                assert!(delta["name"].is_string());
                self.message.insert("function_call".to_owned(), delta.clone());
            }
            Some(call) => {
                assert!(delta.get("name").is_none());
                append(&mut call["arguments"], &delta["arguments"]);
            }
        }
    }

    /// The message as a plain completion would show it, and the finish reason.
    fn whole(mut self) -> (Value, Value) {
        assert!(self.finish.is_string(), "a choice ends with its finish chunk");
        self.message.insert("role".to_owned(), json!("assistant"));
        if !self.calls.is_empty() {
            self.message.insert("tool_calls".to_owned(), Value::Array(self.calls));
        }
        (Value::Object(self.message), self.finish)
    }
}

fn append(text: &mut Value, piece: &Value) {
    *text = json!(text.as_str().unwrap().to_owned() + piece.as_str().unwrap());
}

#[test]
#[should_panic(expected = "the last event is ended too")]
fn a_stream_that_breaks_off_is_not_taken() {
    join_events("data: {}\n\ndata: [DONE]", false);
}

#[test]
#[should_panic(expected = "a choice ends with its finish chunk")]
fn a_choice_without_an_end_is_not_taken() {
    let chunk = r#"{"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"x"},"logprobs":null,"finish_reason":null}]}"#;
    join_events(&format!("data: {chunk}\n\ndata: [DONE]\n\n"), false);
}
