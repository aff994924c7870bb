//! What the model says next, in no dialect yet, and the envelope it travels in.

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
#[derive(Clone, Debug, PartialEq, Eq)]
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
    /// Characters in one content or argument piece of a stream, 1 or more.
    pub piece: usize,
}
