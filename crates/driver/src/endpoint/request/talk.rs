//! A conversation with tools, in the words of no API.

use super::Schema;
use crate::endpoint::answer::Call;

/// A conversation that is to go on.
#[derive(Clone, Copy, Debug)]
pub struct Talk<'t> {
    /// The model.
    pub model: &'t str,
    /// What it is told before everything else; may be empty.
    pub system: &'t str,
    /// What was said so far, oldest first. Behind a message with calls stands one result for each of them, in their order.
    pub messages: &'t [Message],
    /// The tools that are offered.
    pub tools: &'t [Tool<'t>],
    /// Whether the model must call them; sent where it is some and tools are offered.
    pub choice: Option<Choice<'t>>,
    /// Whether it may call several at once; sent where it is some and tools are offered.
    pub parallel: Option<bool>,
    /// The form of the answer; sent where the dialing says so.
    pub schema: Option<Schema<'t>>,
    /// Whether the answer is asked for as a stream.
    pub stream: bool,
}

/// One message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Message {
    /// What the user says.
    User(String),
    /// What the model said.
    Assistant(Said),
    /// What came of a call.
    Result {
        /// The call's id.
        call: String,
        /// What the model is told.
        text: String,
    },
}

/// What the model said, as it came.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// Its words; none is a null content, which is no empty one.
    pub content: Option<String>,
    /// What it thought, where the server wants that back (chat alone); else none.
    pub reasoning: Option<String>,
    /// Its calls, each with an id. Arguments go back byte for byte where the API takes them as a text.
    pub calls: Vec<Call>,
}

/// A tool that is offered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tool<'t> {
    /// Its name: letters, digits, `_` and `-`, 64 at most.
    pub name: &'t str,
    /// What it does.
    pub description: &'t str,
    /// A JSON Schema of its arguments, one JSON object.
    pub parameters: &'t str,
}

/// Whether the model must call a tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Choice<'t> {
    /// As it likes.
    Auto,
    /// It must not.
    Never,
    /// It must call one.
    Any,
    /// It must call this one.
    Only(&'t str),
}

impl Talk<'_> {
    /// Bytes of all texts that were said.
    pub(in crate::endpoint) fn bytes(&self) -> usize {
        let messages = self.messages.iter().map(|message| match message {
            Message::User(text) | Message::Result { text, .. } => text.len(),
            Message::Assistant(said) => {
                let calls = said.calls.iter().map(|call| call.name.len() + call.arguments.len());
                said.content.as_ref().map_or(0, String::len) + calls.sum::<usize>()
            }
        });
        self.system.len() + messages.sum::<usize>()
    }
}

impl Said {
    /// The words that an API can take which takes no empty ones: none where calls speak for themselves.
    pub(super) fn words(&self) -> Option<&str> {
        let words = self.content.as_deref().filter(|text| !text.trim().is_empty());
        words.or(self.calls.is_empty().then_some("(nothing)"))
    }
}
