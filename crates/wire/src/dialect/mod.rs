//! Dialects: the formats that providers speak. One row each; how to add one stands in docs/add-a-dialect.md.
//!
//! Must not know: HTTP heads, sockets, what a scenario is.

pub mod anthropic_messages;
pub mod openai_chat;
pub mod openai_responses;

use crate::json::{Kind, Tape, Value};
use crate::names::equal;
use crate::reject::Reject;
use crate::reply::{Envelope, Reply};
use crate::rule::Header;
use crate::turn::Turn;
use std::borrow::Cow;

/// All dialects.
pub const DIALECTS: &[Dialect] = &[openai_chat::ROW, openai_responses::ROW, anthropic_messages::ROW];

const _: () = {
    let mut i = 0;
    while i < DIALECTS.len() {
        let mut j = 0;
        while j < i {
            assert!(!equal(DIALECTS[i].name, DIALECTS[j].name), "two dialects have one name");
            j += 1;
        }
        i += 1;
    }
};

/// One format that a provider speaks.
#[derive(Clone, Copy, Debug)]
pub struct Dialect {
    /// Name of the row: the word in files, tables and on the command line.
    pub name: &'static str,
    /// One line for tables.
    pub summary: &'static str,
    /// What it serves.
    pub routes: &'static [Route],
    /// Whether these headers show that a request speaks it: where several dialects serve a path, the first that claims
    /// the request has it, else the first of them. The same tells in which form a request to no route is refused.
    pub claims: fn(&[Header<'_>]) -> bool,
    /// What a request means. Never fails: rules say what is wrong.
    pub read: for<'t> fn(&'t Tape<'t>) -> Turn<'t>,
    /// A whole reply as the body of one response.
    pub render: fn(&Reply, &Envelope) -> Vec<u8>,
    /// A reply as server-sent events; each element holds the bytes of one event, its blank line included.
    pub stream: fn(&Reply, &Envelope) -> Vec<Vec<u8>>,
    /// An error as the body of a response.
    pub error: fn(&ErrorBody<'_>) -> Vec<u8>,
    /// The list of models as the body of a response.
    pub models: fn(&[ModelEntry<'_>]) -> Vec<u8>,
    /// One model as the body of a response.
    pub model: fn(&ModelEntry<'_>) -> Vec<u8>,
    /// The models that its list shows.
    pub lists: &'static [&'static str],
    /// `Content-Type` of a whole reply and of an error.
    pub content_type: &'static str,
    /// `Content-Type` of a streamed reply.
    pub stream_type: &'static str,
    /// The id of a reply.
    pub id: fn(&Origin<'_>) -> String,
    /// Top-level keys of a request whose values a reply gives back.
    pub echoes: &'static [&'static str],
    /// The header that names a request in its reply, in lower case.
    pub request_id: &'static str,
    /// Headers that every reply of the provider has, beside those that name the request.
    pub headers: &'static [(&'static str, &'static str)],
    /// The header that holds the key as a client sends it, with `YOUR_KEY` for the key.
    pub key: &'static str,
    /// Further headers that may hold the key in its place, in the same form.
    pub other_keys: &'static [&'static str],
    /// What is told later of replies that the provider keeps, if it keeps any.
    pub keeping: Option<Keeping>,
}

/// What a dialect tells of replies that are kept.
#[derive(Clone, Copy, Debug)]
pub struct Keeping {
    /// Whether the reply to a request is kept.
    pub keep: fn(&Tape<'_>) -> Keep,
    /// What the request held, as the body of a response: of the request, the reply's id and the query.
    pub items: fn(&Tape<'_>, &str, &str) -> Vec<u8>,
    /// The place of the first event to send, where the query asks for a kept reply as a stream; none where it asks for it whole.
    pub streams_from: fn(&str) -> Option<usize>,
    /// The body after the reply with this id was deleted.
    pub deleted: fn(&str) -> Vec<u8>,
    /// What is said of an id that is not kept.
    pub missing: fn(&str) -> Reject,
    /// The conversation that a request belongs to, where the provider keeps its messages under a name.
    pub conversation: for<'t> fn(&Tape<'t>) -> Option<String>,
    /// A new conversation: of 64 bits that differ between conversations, the seconds since 1970, the request if it had a body.
    pub begun: fn(u64, u64, Option<&Tape<'_>>) -> Begun,
    /// What is said to those who cancel a reply that they did not ask for in the background.
    pub synchronous: &'static str,
}

/// A conversation that begins.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Begun {
    /// Its id.
    pub id: String,
    /// The body that tells of it.
    pub body: Vec<u8>,
}

/// Whether a reply is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// No.
    Not,
    /// Yes.
    Kept,
    /// Yes, and the client asks for it later: it gets nothing now.
    Background,
}

/// What is served at a path.
#[derive(Clone, Copy, Debug)]
pub struct Route {
    /// The method, in capitals.
    pub method: &'static str,
    /// The path; one part in braces stands for any that is not empty.
    pub path: &'static str,
    /// What stands there.
    pub serves: Serves,
}

/// Where a reply comes from: what its id is made of.
#[derive(Clone, Copy, Debug)]
pub struct Origin<'o> {
    /// The phrasing and the step that speak; none for what belongs to no script.
    pub step: Option<(&'o str, usize)>,
    /// 64 bits that differ between replies.
    pub bits: u64,
    /// Whether the provider keeps the reply.
    pub kept: bool,
}

impl Origin<'_> {
    /// The highest so many hexadecimal digits of the bits, 16 at most.
    #[must_use]
    pub fn hex(&self, digits: u32) -> String {
        let mut out = String::new();
        push_hex(&mut out, self.bits, digits);
        out
    }
}

/// Appends the highest so many hexadecimal digits of some bits, 16 at most: what the ids of providers end in.
pub fn push_hex(out: &mut String, bits: u64, digits: u32) {
    let digit = |place| char::from(b"0123456789abcdef"[(bits >> (60 - 4 * place) & 15) as usize]);
    out.extend((0..digits.min(16)).map(digit));
}

/// What stands at a route.
#[derive(Clone, Copy, Debug)]
pub enum Serves {
    /// A turn of a conversation.
    Conversation,
    /// The list of models.
    Models,
    /// One model.
    Model,
    /// Something with a reply that is kept.
    Kept(Visit),
    /// Something that follows from the body alone, such as a count of tokens or embeddings: the body of the answer.
    Answer(fn(&Tape<'_>) -> Result<Vec<u8>, Box<Reject>>),
}

/// What is done with a reply that is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Visit {
    /// A conversation begins whose replies are kept under one name.
    Begin,
    /// It is told again, plain or as a stream from some event on.
    Read,
    /// It is forgotten.
    Delete,
    /// It is not wanted any more.
    Cancel,
    /// What the request held is told.
    Items,
}

/// Which dialects a fault or a rule is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialects {
    /// All: it breaks what they share.
    All,
    /// These, by name.
    Only(&'static [&'static str]),
}

impl Dialects {
    /// Whether the dialect of this name is among them.
    #[must_use]
    pub fn include(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Only(names) => names.contains(&name),
        }
    }

    /// As tables say it.
    #[must_use]
    pub fn words(self) -> String {
        match self {
            Self::All => "all".to_owned(),
            Self::Only(names) => names.join(", "),
        }
    }
}

/// An error of the provider, whether a rule or a script asked for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ErrorBody<'e> {
    /// HTTP status.
    pub status: u16,
    /// One sentence.
    pub message: &'e str,
    /// The envelope's `type`.
    pub kind: Option<&'e str>,
    /// The envelope's `param`.
    pub param: Option<&'e str>,
    /// The envelope's `code`.
    pub code: Option<&'e str>,
    /// The id of the request as the reply's header names it, where it does.
    pub request_id: Option<&'e str>,
}

impl<'e> From<&'e Reject> for ErrorBody<'e> {
    fn from(reject: &'e Reject) -> Self {
        Self {
            status: reject.status,
            message: &reject.message,
            kind: Some(reject.kind),
            param: reject.param.as_deref(),
            code: reject.code,
            request_id: None,
        }
    }
}

/// A model in a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ModelEntry<'m> {
    /// Its name.
    pub id: &'m str,
    /// Seconds since 1970.
    pub created: u64,
    /// Who owns it.
    pub owned_by: &'m str,
}

/// What was read of a list, in a vector of the list's length: most lists hold one element, and growing costs.
pub(crate) fn exactly<T>(list: Value<'_>, read: impl Iterator<Item = T>) -> Vec<T> {
    let mut all = Vec::with_capacity(list.len());
    all.extend(read);
    all
}

/// The texts of a content: a string, or the parts of a list whose type is one of these words.
pub(crate) fn texts<'t>(content: Value<'t>, kinds: &[&str]) -> Vec<Cow<'t, str>> {
    match content.kind() {
        Kind::String => content.as_str().map(|text| vec![text]).unwrap_or_default(),
        Kind::Array => exactly(content, content.items().filter_map(|part| text_part(part, kinds))),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => Vec::new(),
    }
}

/// The text of a part whose type is one of these words.
pub(crate) fn text_part<'t>(part: Value<'t>, kinds: &[&str]) -> Option<Cow<'t, str>> {
    part.get("type").filter(|kind| kinds.iter().any(|word| kind.is_str(word)))?;
    part.get("text")?.as_str()
}

/// The row of this name.
#[must_use]
pub fn dialect(name: &str) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|row| row.name == name)
}

/// The row that claims a request with these headers.
#[must_use]
pub fn claiming(headers: &[Header<'_>]) -> Option<&'static Dialect> {
    DIALECTS.iter().find(|row| (row.claims)(headers))
}

/// Whether a list of tools offers any; what is no list is meant to.
fn offers(list: Value<'_>) -> bool {
    match list.kind() {
        Kind::Null => false,
        Kind::Array => !list.is_empty(),
        _ => true,
    }
}

/// The text in pieces of so many characters (at least one), never through a character. No piece for no text.
fn pieces(text: &str, characters: usize) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = rest.char_indices().nth(characters.max(1)).map_or(rest.len(), |(end, _)| end);
        let (piece, after) = rest.split_at(end);
        rest = after;
        Some(piece)
    })
}
