//! A row of the rule table, and what a check gets to see.

use super::Scripted;
use super::pairing::Pair;
use super::shape::{Look, Shape};
use crate::dialect::Dialects;
use crate::json::{Tape, Value};
use crate::reject::Reject;
use crate::turn::{Message, Role, Turn};

/// How strict the stand-in is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// It must be HTTP and JSON.
    Lenient,
    /// What the real provider refuses, in its words.
    Api,
    /// The gate checks, then `api`, then stricter rules that no correct client breaks.
    Gate,
    /// `gate` plus the original stub's rules and expectations that real clients break.
    Pinned,
}

impl Profile {
    /// All profiles, the mildest first.
    pub const ALL: [Self; 4] = [Self::Lenient, Self::Api, Self::Gate, Self::Pinned];

    /// The word in files and on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Lenient => "lenient",
            Self::Api => "api",
            Self::Gate => "gate",
            Self::Pinned => "pinned",
        }
    }
}

/// When a rule is applied. Stages follow each other in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stage {
    /// Wire checks with gate codes, before the script is asked.
    Gate,
    /// Calls that the script issued must come back as they were.
    Echo,
    /// What the matched step expects of the request.
    Expect,
    /// What the real provider refuses.
    Api,
    /// Our stricter rules.
    Own,
}

impl Stage {
    /// All stages in order.
    pub const ALL: [Self; 5] = [Self::Gate, Self::Echo, Self::Expect, Self::Api, Self::Own];

    /// The word in tables.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Gate => "gate",
            Self::Echo => "echo",
            Self::Expect => "expect",
            Self::Api => "api",
            Self::Own => "own",
        }
    }
}

/// One rule: a named check of a request.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// Its name: the word in files, tables and on the command line.
    pub name: &'static str,
    /// One line for tables: what it refuses.
    pub summary: &'static str,
    /// The error codes it can give; `null` stands for none. For a rule that never refuses, the codes of its notes.
    pub codes: &'static [&'static str],
    /// When it is applied.
    pub stage: Stage,
    /// The dialects whose requests it can read.
    pub dialects: Dialects,
    /// The profiles that hold it unless it is switched.
    pub profiles: &'static [Profile],
    /// A small request that it refuses or notes.
    pub example: Example,
    /// The check itself.
    pub(super) check: Check,
}

/// What reads the body of a chat completion.
pub(super) const CHAT: Dialects = Dialects::Only(&["openai-chat"]);

/// What reads the body of a request for a response.
pub(super) const RESPONSES: Dialects = Dialects::Only(&["openai-responses"]);

/// What reads the body of a legacy completion.
pub(super) const COMPLETIONS: Dialects = Dialects::Only(&["openai-completions"]);

/// What reads the bodies of chat and of responses.
pub(super) const OPENAI: Dialects = Dialects::Only(&["openai-chat", "openai-responses"]);

/// What reads the body of a chat with Ollama.
pub(super) const OLLAMA_CHAT: Dialects = Dialects::Only(&["ollama-chat"]);

/// What reads the body of a completion by Ollama.
pub(super) const OLLAMA_GENERATE: Dialects = Dialects::Only(&["ollama-generate"]);

/// What reads the bodies of both.
pub(super) const OLLAMA: Dialects = Dialects::Only(&["ollama-chat", "ollama-generate"]);

/// What reads the body of a Messages request.
pub(super) const MESSAGES_API: Dialects = Dialects::Only(&["anthropic-messages"]);

/// What reads the body of a Gemini request.
pub(super) const GEMINI: Dialects = Dialects::Only(&["google-gemini"]);

/// A small request for tables and tests.
#[derive(Clone, Copy, Debug)]
pub struct Example {
    /// Headers that matter.
    pub headers: &'static [Header<'static>],
    /// The body.
    pub body: &'static str,
}

impl Example {
    /// An example whose headers do not matter.
    #[must_use]
    pub const fn body(body: &'static str) -> Self {
        Self { headers: &[], body }
    }
}

/// A check by what it looks at. Neighbouring rows of one stage and scope share one walk over the elements.
#[derive(Clone, Copy, Debug)]
pub(super) enum Check {
    /// The request as a whole.
    Request(fn(&Asked<'_>) -> Verdict),
    /// The same, for checks that also note what is no ground for a refusal.
    Noting(fn(&Asked<'_>, &mut Vec<Note>) -> Verdict),
    /// The body against the documented shape.
    Body(&'static Shape, Look),
    /// Each element of `tools`.
    Tool(fn(&Asked<'_>, Element<'_>) -> Verdict),
    /// Each element of `messages`.
    Message(fn(&Asked<'_>, Element<'_>) -> Verdict),
    /// How calls and answers pair.
    Pairs(Pair),
}

/// A request under examination.
#[derive(Clone, Copy)]
pub struct Asked<'t> {
    /// Its headers.
    pub headers: &'t [Header<'t>],
    /// Its body.
    pub tape: &'t Tape<'t>,
    /// What the body means.
    pub turn: &'t Turn<'t>,
    /// The script's side.
    pub script: &'t dyn Scripted,
}

impl<'t> Asked<'t> {
    /// The first header of this name, in any case; give the name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&'t [u8]> {
        self.headers.iter().find(|header| header.0.eq_ignore_ascii_case(name)).map(|header| header.1)
    }

    /// The value under a top-level key of the body.
    #[inline(always)]
    #[must_use]
    pub fn top(&self, key: &str) -> Option<Value<'t>> {
        self.tape.root().get(key)
    }

    /// What the message at this index of the list is taken for.
    pub(super) fn message(&self, index: usize) -> Option<&'t Message<'t>> {
        let messages = &self.turn.messages;
        match messages.get(index) {
            Some(message) if message.index == index => Some(message),
            // Elements that are no objects stand before it.
            _ => messages.binary_search_by_key(&index, |message| message.index).ok().map(|at| &messages[at]),
        }
    }

    /// Whether the message at this index of the list has this role.
    pub(super) fn has_role(&self, index: usize, role: Role) -> bool {
        self.message(index).is_some_and(|message| message.role == role)
    }
}

/// A header: name in any case, value as sent.
pub type Header<'t> = (&'t str, &'t [u8]);

/// Something worth a finding that is no ground for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Code of the finding, kebab-case, e.g. `arguments-not-json`.
    pub code: &'static str,
    /// RFC 6901 pointer into the body.
    pub pointer: String,
    /// One sentence.
    pub message: String,
}

/// What one check says. Refusals are rare and large: boxed, so that the happy path moves little.
pub type Verdict = Result<(), Box<Reject>>;

/// A value in an array, with its index.
pub type Element<'t> = (usize, Value<'t>);
