//! The neutral conversation: what a request means in any dialect. Reading never fails; rules say what is wrong.

use crate::json::Value;
use crate::reply::Framing;
use std::borrow::Cow;

/// Who speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// System instructions.
    System,
    /// Developer instructions.
    Developer,
    /// The person or program that asks.
    User,
    /// The model.
    Assistant,
    /// A tool's answer.
    Tool,
    /// The legacy function role.
    Function,
    /// Anything else, or no role at all.
    Unknown,
}

/// One request, as far as it can be understood.
#[derive(Debug)]
pub struct Turn<'t> {
    /// The model as it was sent, of any JSON type.
    pub model: Option<Value<'t>>,
    /// The model by the name in the path, where that says it; then the body need not.
    pub addressed: Option<Cow<'t, str>>,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// How that stream is to be framed.
    pub framing: Framing,
    /// Whether the stream ends with a usage chunk.
    pub include_usage: bool,
    /// How many choices are asked for; 1 where it does not say.
    pub choices: u32,
    /// Whether log probabilities are asked for.
    pub logprobs: bool,
    /// Whether the legacy `functions` form is spoken, so that calls go back as `function_call`.
    pub legacy_functions: bool,
    /// Whether tools are offered in any form; what is badly formed is for the rules to judge.
    pub offers_tools: bool,
    /// The offered tools that a model can call by name, in order.
    pub tools: Vec<Tool<'t>>,
    /// The most tokens that the answer may have, where the request says.
    pub room: Option<i64>,
    /// The form that the answer is to have; none where it may be any text.
    pub form: Option<Form<'t>>,
    /// The messages that are objects, in order.
    pub messages: Vec<Message<'t>>,
    /// Elements of the message list, objects or not (the original stub's `n_messages`).
    pub listed: usize,
    /// The reply of ours that the request goes on from, where the server keeps what came before. The script then puts that
    /// reply before the messages, under the index [`KEPT`].
    pub kept: Option<Kept<'t>>,
    /// Whether calls came without the ids that they were issued under, as an API allows. The reader gives each call and its
    /// answer one of its making; the script then gives them their own.
    pub unnamed: bool,
    /// Where the parts of a conversation stand in a body of this dialect: an RFC 6901 pointer.
    pub point: fn(Spot) -> String,
}

/// The form that an answer is to have.
#[derive(Clone, Copy, Debug)]
pub enum Form<'t> {
    /// An object of JSON.
    Json,
    /// What this JSON Schema describes.
    Schema(Value<'t>),
}

/// A tool that is offered.
#[derive(Clone, Debug)]
pub struct Tool<'t> {
    /// Its name; the word for one that the provider runs itself.
    pub name: Cow<'t, str>,
    /// The JSON Schema of its arguments; none where it takes none or free text.
    pub schema: Option<Value<'t>>,
}

/// An earlier reply by its id, for requests that hold only what is new since then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Kept<'t> {
    /// The id as sent.
    pub id: Cow<'t, str>,
    /// Where in the body it stands.
    pub pointer: &'static str,
    /// Whether instructions and tools are kept, too, so that the request need not repeat them.
    pub with_setting: bool,
}

/// The index of a message that the server keeps and the request does not hold.
pub const KEPT: usize = usize::MAX;

/// A part of a conversation. Numbers are those of [`Message::index`] and [`Call::index`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Spot {
    /// The list of messages.
    List,
    /// A message.
    Message(usize),
    /// What a message says.
    Content(usize),
    /// The list of a message's calls.
    Calls(usize),
    /// The name and arguments of a call of a message.
    Call(usize, usize),
    /// The id of a call of a message.
    CallId(usize, usize),
    /// The tool's name in a call of a message.
    CallName(usize, usize),
    /// The arguments of a call of a message.
    CallArguments(usize, usize),
}

impl<'t> Turn<'t> {
    /// A request that says nothing, in a dialect whose parts stand where `point` says.
    #[must_use]
    pub fn new(point: fn(Spot) -> String) -> Self {
        Self {
            model: None,
            addressed: None,
            stream: false,
            framing: Framing::Events,
            include_usage: false,
            choices: 1,
            logprobs: false,
            legacy_functions: false,
            offers_tools: false,
            tools: Vec::new(),
            room: None,
            form: None,
            messages: Vec::new(),
            listed: 0,
            kept: None,
            unnamed: false,
            point,
        }
    }

    /// The offered tool of this name.
    #[must_use]
    pub fn tool(&self, name: &str) -> Option<&Tool<'t>> {
        self.tools.iter().find(|tool| tool.name == name)
    }

    /// Whether the server keeps what the request was first set up with.
    #[must_use]
    pub fn keeps_setting(&self) -> bool {
        self.kept.as_ref().is_some_and(|kept| kept.with_setting)
    }

    /// The number of assistant messages: the original stub's step index.
    #[must_use]
    pub fn assistants(&self) -> usize {
        self.messages.iter().filter(|message| message.role == Role::Assistant).count()
    }
}

/// One message.
#[derive(Debug)]
pub struct Message<'t> {
    /// Its place in the message list as sent.
    pub index: usize,
    /// Who speaks.
    pub role: Role,
    /// Its texts: one for a string, one for each text part; none for a tool's answer, which nothing compares.
    pub texts: Vec<Cow<'t, str>>,
    /// Calls the model made, in order; only those that have the shape of a call.
    pub calls: Vec<Call<'t>>,
    /// Ids of the calls that this message answers.
    pub answers: Vec<Cow<'t, str>>,
}

/// A tool call in the history.
#[derive(Debug)]
pub struct Call<'t> {
    /// Its place in the message's call list.
    pub index: usize,
    /// Its id.
    pub id: Cow<'t, str>,
    /// The tool's name.
    pub name: Cow<'t, str>,
    /// The arguments as sent: JSON text where the client kept faith; the free input of a custom call.
    pub arguments: Cow<'t, str>,
    /// Whether it is a call of a custom tool, whose input is no JSON.
    pub custom: bool,
}
