//! What the model says next, in no dialect yet, and the envelope it travels in.

use crate::json::{Value, parse};
use std::borrow::Cow;

/// One answer of the model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reply {
    /// What it thought before it spoke, where the script says.
    pub thinking: Option<String>,
    /// Its words; `None` is a null content.
    pub text: Option<String>,
    /// A refusal in the model's words.
    pub refusal: Option<String>,
    /// Tool calls, in order.
    pub calls: Vec<IssuedCall>,
    /// The finish reason, where the script sets one; else it follows from the calls.
    pub finish: Option<String>,
    /// Tokens.
    pub usage: Usage,
}

/// A tool call that the model makes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IssuedCall {
    /// Its id.
    pub id: String,
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text (or, for a fault, whatever is to be sent in its place).
    pub arguments: String,
}

/// Tokens spent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt: u64,
    /// Tokens of the answer.
    pub completion: u64,
}

/// What a custom tool, which takes free text, gets of arguments: the text under the one key of an object, a text itself, or
/// whatever is no such JSON as it stands.
#[must_use]
pub fn custom_input(arguments: &str) -> Cow<'_, str> {
    let Ok(tape) = parse(arguments.as_bytes()) else { return Cow::Borrowed(arguments) };
    let root = tape.root();
    let only = root.entries().next().filter(|_| root.len() == 1).map(|(_, value)| value);
    match root.as_str().or_else(|| only.and_then(Value::as_str)) {
        Some(text) => Cow::Owned(text.into_owned()),
        None => Cow::Borrowed(arguments),
    }
}

/// How far a reply is made that was asked for in the background.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Progress {
    /// It is whole, as every other reply.
    #[default]
    Whole,
    /// It waits.
    Queued,
    /// It is being made.
    Running,
    /// Nobody wants it any more.
    Cancelled,
}

/// How the parts of a streamed reply follow each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Framing {
    /// As the dialect streams: server-sent events, where its row does not say otherwise.
    #[default]
    Events,
    /// As the elements of one JSON array.
    Array,
}

/// Characters in one piece of a stream where nobody says: about a token.
pub const PIECE: usize = 4;

/// Everything around a reply that is not the model's words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Envelope {
    /// Id of the reply as its dialect spells it, e.g. `chatcmpl-gate-0123456789ab`.
    pub id: String,
    /// Seconds since 1970.
    pub created: u64,
    /// The model's name as JSON text, quotes included (a request may have sent any JSON value).
    pub model: String,
    /// How many choices, 1 or more; each says the same.
    pub choices: u32,
    /// Whether a streamed reply ends with a usage chunk.
    pub include_usage: bool,
    /// Whether log probabilities are wanted.
    pub logprobs: bool,
    /// Whether a single call goes out as the legacy `function_call`.
    pub legacy_functions: bool,
    /// What the request said under the keys that the dialect gives back ([`crate::dialect::Dialect::echoes`]): key, JSON text.
    pub echoed: Vec<(&'static str, String)>,
    /// How far the reply is made, where a client asks before it is whole.
    pub progress: Progress,
    /// Characters in one content or argument piece of a stream, 1 or more.
    pub piece: usize,
    /// How a stream is framed.
    pub framing: Framing,
}

impl Envelope {
    /// The envelope of a request that asks for nothing but an answer; `model` is JSON text.
    #[must_use]
    pub fn plain(id: String, created: u64, model: String) -> Self {
        Self {
            id,
            created,
            model,
            choices: 1,
            include_usage: false,
            logprobs: false,
            legacy_functions: false,
            echoed: Vec::new(),
            progress: Progress::Whole,
            piece: PIECE,
            framing: Framing::Events,
        }
    }
}
