//! Dialects: the formats that providers speak. One row each; how to add one stands in docs/add-a-dialect.md.
//!
//! Must not know: HTTP heads, sockets, what a scenario is.

pub mod anthropic_messages;
pub mod batch;
pub mod google_gemini;
pub mod heard;
pub mod mount;
pub(crate) mod ollama_chat;
pub(crate) mod ollama_generate;
pub mod openai_chat;
pub(crate) mod openai_completions;
pub mod openai_responses;
pub mod place;
mod vectors;

use crate::frames::Frames;
use crate::json::{Kind, Tape, Value, parse};
use crate::names::equal;
use crate::reject::Reject;
use crate::reply::{Envelope, Framing, Reply};
use crate::rule::Header;
use crate::turn::{Form, Turn};
use std::borrow::Cow;

/// All dialects.
pub const DIALECTS: &[Dialect] = &[
    openai_chat::ROW,
    openai_responses::ROW,
    anthropic_messages::ROW,
    google_gemini::ROW,
    openai_completions::ROW,
    ollama_chat::ROW,
    ollama_generate::ROW,
];

/// Dialects whose paths the original stub is known to have answered as any that it did not serve.
pub const UNKNOWN_TO_THE_ORIGINAL: Dialects = Dialects::Only(&["openai-completions"]);

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
    /// A reply as server-sent events; each frame holds the bytes of one event, its blank line included. Where a route may ask
    /// for another framing, the envelope says so, and the frames together are the whole body.
    pub stream: fn(&Reply, &Envelope) -> Frames,
    /// How its answers are heard: what a real provider sent, by [`heard::hear`].
    pub hear: heard::Hearing,
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
    /// Keys of a reply, at any depth, whose values are what the model generated: a bridge that maps names leaves these alone.
    pub generated: &'static [&'static str],
    /// The header that names a request in its reply, in lower case, where replies name it.
    pub request_id: Option<&'static str>,
    /// Headers that every reply of the provider has, beside those that name the request.
    pub headers: &'static [(&'static str, &'static str)],
    /// The header that holds the key as a client sends it, with `YOUR_KEY` for the key; empty where none is asked for.
    pub key: &'static str,
    /// Where else the key may stand: further headers in the same form, or a part of the query, `?key=YOUR_KEY`.
    pub other_keys: &'static [&'static str],
    /// The status of an answer to a request without a key.
    pub keyless: u16,
    /// How its clients are told of a provider by their environment.
    pub environment: Environment,
    /// Whether a body is taken for JSON whatever its `Content-Type` says.
    pub untyped: bool,
    /// What is told later of replies that the provider keeps, if it keeps any.
    pub keeping: Option<Keeping>,
}

/// Variables by which the clients of a dialect are told of a provider.
#[derive(Clone, Copy, Debug)]
pub struct Environment {
    /// The base URL with `/v1` at its end.
    pub base_url: &'static [&'static str],
    /// The base URL without it, for clients that add the version themselves.
    pub root_url: &'static [&'static str],
    /// The key.
    pub key: &'static [&'static str],
    /// How the names of all variables begin that could lead these clients elsewhere.
    pub families: &'static [&'static str],
}

impl Dialect {
    /// `Content-Type` of a streamed reply with this framing.
    #[must_use]
    pub fn type_of_stream(&self, framing: Framing) -> &'static str {
        match framing {
            Framing::Events => self.stream_type,
            Framing::Array => self.content_type,
        }
    }
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
    /// The path; one part in braces stands for any that is not empty: of a conversation, the model.
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
    /// An id that ends in the highest so many hexadecimal digits of the bits, 16 at most.
    #[must_use]
    pub fn id(&self, prefix: &str, digits: u32) -> String {
        let mut id = String::with_capacity(prefix.len() + 16);
        id.push_str(prefix);
        push_hex(&mut id, self.bits, digits);
        id
    }

    /// An id that names the phrasing and the step between these, where there are any.
    #[must_use]
    pub fn id_of_step(&self, prefix: &str, digits: u32) -> Option<String> {
        let (phrasing, step) = self.step?;
        let mut id = String::with_capacity(prefix.len() + phrasing.len() + 40);
        id.push_str(prefix);
        id.push_str(phrasing);
        id.push_str("_s");
        id.push_str(itoa::Buffer::new().format(step));
        id.push('_');
        push_hex(&mut id, self.bits, digits);
        Some(id)
    }
}

/// Appends the highest so many hexadecimal digits of some bits, 16 at most: what the ids of providers end in.
pub fn push_hex(out: &mut String, bits: u64, digits: u32) {
    let mut all = [0; 16];
    // Each reply has an id or two. A digit in each byte, all at once: the halves of a word, of each half, and of each quarter move apart.
    for (half, bits) in all.as_chunks_mut::<8>().0.iter_mut().zip([bits >> 32, bits & 0xFFFF_FFFF]) {
        let spread = (bits | bits << 16) & 0x0000_FFFF_0000_FFFF;
        let spread = (spread | spread << 8) & 0x00FF_00FF_00FF_00FF;
        let spread = (spread | spread << 4) & 0x0F0F_0F0F_0F0F_0F0F;
        // Six more carry a digit above nine into the upper half of its byte, and letters stand 39 places behind the digits.
        let letters = (spread + 0x0606_0606_0606_0606) >> 4 & 0x0101_0101_0101_0101;
        *half = (spread + 0x3030_3030_3030_3030 + letters * 39).to_be_bytes();
    }
    out.push_str(std::str::from_utf8(&all[..digits.min(16) as usize]).unwrap_or_default());
}

/// What stands at a route.
#[derive(Clone, Copy, Debug)]
pub enum Serves {
    /// A turn of a conversation.
    Conversation,
    /// A turn of a conversation that is streamed whatever the body says; the query tells how it is framed.
    Stream(fn(&str) -> Framing),
    /// The list of models.
    Models,
    /// One model.
    Model,
    /// Something with a reply that is kept.
    Kept(Visit),
    /// Something with requests that are asked for together.
    Batch(batch::Visit, &'static batch::Batches),
    /// The same body each time.
    Always(&'static str),
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
    /// The value of the reply's `Retry-After`, where it has one.
    pub retry_after: Option<&'e str>,
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
            retry_after: None,
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

/// Where messages that follow each other are one turn, the place of a call is that of its part, and so many more for each
/// message of the turn before the one that holds it.
const PARTS: usize = 1 << 24;

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

/// The form that a request describes in the words of OpenAI or Anthropic.
fn form(described: Value<'_>) -> Option<Form<'_>> {
    if described.get("type").is_some_and(|kind| kind.is_str("json_object")) {
        return Some(Form::Json);
    }
    described.at("/json_schema/schema").or_else(|| described.get("schema")).map(Form::Schema)
}

/// Whether a list of tools offers any; what is no list is meant to.
fn offers(list: Value<'_>) -> bool {
    match list.kind() {
        Kind::Null => false,
        Kind::Array => !list.is_empty(),
        _ => true,
    }
}

/// Characters of all texts in a value, but for those under these keys. The depth is that of the document, which its reader
/// bounds.
fn characters(value: Value<'_>, unsaid: &[&str]) -> usize {
    match value.kind() {
        Kind::String => value.as_str().map_or(0, |text| text.chars().count()),
        Kind::Array => value.items().map(|value| characters(value, unsaid)).sum(),
        Kind::Object => {
            let said = value.entries().filter(|(key, _)| !unsaid.iter().any(|unsaid| key.is_str(unsaid)));
            said.map(|(_, value)| characters(value, unsaid)).sum()
        }
        Kind::Null | Kind::Bool | Kind::Number => 0,
    }
}

/// The arguments of a call for an API that gives and takes nothing but objects: of what a script cut off or broke nothing is
/// left. What it is in a line of its own is left to the caller.
fn object_text(arguments: &str) -> &str {
    match parse(arguments.as_bytes()) {
        Ok(tape) if tape.root().kind() == Kind::Object => arguments,
        Ok(_) | Err(_) => "{}",
    }
}

/// Appends JSON text in one line: between values a break may stand as well as a space, and would end an event.
fn push_line(out: &mut Vec<u8>, json: &str) {
    out.extend(json.bytes().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }));
}

/// Appends an event that says its type twice, in its own line and in its data, to the end of that member.
fn push_event(out: &mut Vec<u8>, kind: &str) {
    out.extend_from_slice(b"event: ");
    out.extend_from_slice(kind.as_bytes());
    out.extend_from_slice(b"\ndata: {\"type\":\"");
    out.extend_from_slice(kind.as_bytes());
    out.push(b'"');
}

/// The text in pieces of so many characters (at least one), never through a character. No piece for no text.
pub(crate) fn pieces(text: &str, characters: usize) -> impl Iterator<Item = &str> {
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
