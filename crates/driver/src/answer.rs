//! Reads a whole answer: one choice of a chat completion, kept as it came.

use crate::failure::{Failure, wrong_kind};
use rehearsal_wire::json::{Kind, Value};

/// What the model said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Answer {
    /// Its words; `None` is a null content and goes back as null.
    pub(crate) content: Option<String>,
    /// A refusal in its words.
    pub(crate) refusal: Option<String>,
    /// Reasoning that the provider may want back with the calls it led to.
    pub(crate) reasoning: Option<String>,
    /// Its calls, in order.
    pub(crate) calls: Vec<Call>,
    /// Why it ended.
    pub(crate) finish: Finish,
}

/// A call as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Call {
    /// Its id; empty where none came.
    pub(crate) id: String,
    /// The tool's name.
    pub(crate) name: String,
    /// The argument text, byte for byte.
    pub(crate) arguments: String,
}

/// Why an answer ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Finish {
    /// In order. Whether calls follow is seen from the calls: the reason is often wrong about them.
    #[default]
    Whole,
    /// At the length limit.
    Length,
    /// Held back by a filter.
    Filtered,
    /// The provider broke down while it answered.
    Broken,
}

impl Finish {
    /// Sorts the words that providers use; an unknown one says nothing against the answer.
    pub(crate) fn of(reason: &str) -> Self {
        match reason {
            "length" | "max_tokens" => Self::Length,
            "content_filter" | "sensitive" | "guardrail_intervened" => Self::Filtered,
            "error" | "network_error" | "insufficient_system_resource" => Self::Broken,
            _ => Self::Whole,
        }
    }
}

impl Answer {
    /// Reads a chat completion.
    ///
    /// # Errors
    /// [`Failure`] where it holds an error, no choice, or something that cannot be understood. Nothing is guessed.
    pub(crate) fn of_body(root: Value<'_>) -> Result<Self, Failure> {
        if root.kind() != Kind::Object {
            return Err(wrong_kind("the answer", root.kind()));
        }
        if root.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::of_error(root));
        }
        let Some(choices) = root.get("choices") else {
            let keys: Vec<_> = root.entries().take(10).filter_map(|(key, _)| key.as_str()).collect();
            return Err(Failure::BadAnswer(format!(
                "the answer has no choices; its keys: {}",
                keys.join(", ")
            )));
        };
        if choices.kind() != Kind::Array {
            return Err(wrong_kind("choices", choices.kind()));
        }
        let choice = choices
            .items()
            .next()
            .ok_or_else(|| Failure::BadAnswer("choices is an empty array".to_owned()))?;
        let message = choice.get("message").filter(|message| message.kind() == Kind::Object);
        let message = message.ok_or_else(|| Failure::BadAnswer("the choice holds no message".to_owned()))?;
        if message.get("function_call").is_some_and(|call| !call.is_null()) {
            return Err(Failure::BadAnswer("a legacy function_call came, which was not offered".to_owned()));
        }
        let answer = Self {
            content: content(message.get("content"))?,
            refusal: words(message.get("refusal")),
            reasoning: words(message.get("reasoning_content")),
            calls: calls(message.get("tool_calls"))?,
            finish: choice
                .get("finish_reason")
                .and_then(Value::as_str)
                .map_or(Finish::Whole, |r| Finish::of(&r)),
        };
        answer.checked()
    }

    /// What no answer may be, whichever way it came.
    pub(crate) fn checked(self) -> Result<Self, Failure> {
        if self.finish == Finish::Broken {
            return Err(Failure::BadAnswer("the provider broke off its own answer".to_owned()));
        }
        // A cut or filtered answer is not used, so its calls need no name.
        if self.finish == Finish::Whole && self.calls.iter().any(|call| call.name.is_empty()) {
            return Err(Failure::BadAnswer("a tool call has no name".to_owned()));
        }
        Ok(self)
    }
}

/// A text that is worth having.
pub(crate) fn words(value: Option<Value<'_>>) -> Option<String> {
    value?.as_str().filter(|text| !text.is_empty()).map(String::from)
}

/// The content: a string, null, or (from some servers) text parts, joined in order.
pub(crate) fn content(value: Option<Value<'_>>) -> Result<Option<String>, Failure> {
    let Some(value) = value else { return Ok(None) };
    match value.kind() {
        Kind::Null => Ok(None),
        Kind::String => Ok(value.as_str().map(String::from)),
        Kind::Array => Ok(Some(value.items().filter_map(|part| part.get("text")?.as_str()).collect())),
        other @ (Kind::Bool | Kind::Number | Kind::Object) => Err(wrong_kind("content", other)),
    }
}

fn calls(value: Option<Value<'_>>) -> Result<Vec<Call>, Failure> {
    let Some(value) = value.filter(|value| !value.is_null()) else { return Ok(Vec::new()) };
    if value.kind() != Kind::Array {
        return Err(wrong_kind("tool_calls", value.kind()));
    }
    value.items().map(call).collect()
}

fn call(value: Value<'_>) -> Result<Call, Failure> {
    if let Some(kind) = words(value.get("type")).filter(|kind| kind != "function") {
        return Err(Failure::BadAnswer(format!("a tool call has the unknown type {kind:?}")));
    }
    let function = value.get("function").filter(|function| function.kind() == Kind::Object);
    let function = function.ok_or_else(|| Failure::BadAnswer("a tool call holds no function".to_owned()))?;
    Ok(Call {
        id: words(value.get("id")).unwrap_or_default(),
        name: words(function.get("name")).unwrap_or_default(),
        arguments: arguments(function.get("arguments")),
    })
}

/// The argument text. It should be a string; where it is a value, its own text says the same and can go back as one.
pub(crate) fn arguments(value: Option<Value<'_>>) -> String {
    match value {
        Some(value) if !value.is_null() => value.as_str().unwrap_or_else(|| value.text().into()).into_owned(),
        Some(_) | None => String::new(),
    }
}
