//! What a bridge is set to for as long as it serves.

use crate::case::Case;
use crate::redactor::Redactor;
use rehearsal_wire::relay::Names;
use std::borrow::Cow;

/// The header of the control token, unless told otherwise.
pub const CONTROL_HEADER: &str = "X-Rehearsal-Control";

/// All of it, but for what only the world knows: where files lie, how the provider is reached.
#[derive(Clone, Debug)]
pub struct Setting {
    /// What may be forwarded.
    pub mode: Mode,
    /// The names of the model, where clients know it by another one.
    pub names: Option<Names>,
    /// The one origin of web pages that may use the bridge.
    pub origin: Option<String>,
    /// The header of the control token.
    pub control_header: String,
    /// The control token.
    pub token: String,
    /// What must not be written, if anything.
    pub redactor: Option<Redactor>,
}

/// What may be forwarded.
#[derive(Clone, Debug)]
pub enum Mode {
    /// Each of these prompts once, when it is armed, with the frozen system prompt.
    Cases(Vec<Case>),
    /// Everything, within a budget.
    Open(Budget),
}

/// How much may be forwarded; what it does not name has no bound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Budget {
    /// Requests that generate.
    pub requests: Option<u64>,
    /// Tokens that answers say they cost: once they are spent, nothing more is forwarded.
    pub tokens: Option<u64>,
}

impl Budget {
    /// Whether forwards are counted, so that each must be written down before it is made.
    #[must_use]
    pub fn counts(self) -> bool {
        self.requests.is_some() || self.tokens.is_some()
    }
}

impl Setting {
    /// The cases, none where everything may be forwarded.
    #[must_use]
    pub fn cases(&self) -> &[Case] {
        match &self.mode {
            Mode::Cases(cases) => cases,
            Mode::Open(_) => &[],
        }
    }

    /// Bytes as they may be written.
    #[must_use]
    pub fn kept<'b>(&self, bytes: &'b [u8]) -> Cow<'b, [u8]> {
        self.redactor.as_ref().map_or(Cow::Borrowed(bytes), |redactor| Cow::Owned(redactor.bytes(bytes)))
    }

    /// A text as it may be written.
    #[must_use]
    pub fn kept_text(&self, text: &str) -> String {
        self.redactor.as_ref().map_or_else(|| text.to_owned(), |redactor| redactor.text(text).into_owned())
    }

    /// The same for a text that is nobody else's.
    #[must_use]
    pub fn kept_own(&self, text: String) -> String {
        if self.redactor.is_some() { self.kept_text(&text) } else { text }
    }

    /// The name by which clients know the model, where it is another one than the provider's.
    #[must_use]
    pub fn alias(&self) -> Option<&str> {
        self.names.as_ref().map(Names::alias)
    }
}
