//! Refusals: a code, a sentence, and what the client can do.

use super::reply::{JSON, PROBLEM};
use super::{Form, Reply};
use crate::core::Decision;
use crate::setting::Manner;
use crate::setting::Setting;
use bytes::Bytes;
use rehearsal_journal::daemon::Decided;
use serde_json::json;

/// A refusal.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) status: u16,
    pub(crate) code: String,
    pub(crate) message: String,
    /// Whether the same request may go well later.
    pub(crate) retryable: bool,
    /// JSON pointers into the body and what is wrong there.
    pub(crate) fields: Vec<(String, String)>,
    /// What must be done first: a kind and a sentence.
    pub(crate) actions: Vec<(&'static str, String)>,
}

impl Problem {
    pub(crate) fn new(status: u16, code: &str, message: impl Into<String>) -> Self {
        Self { status, code: code.to_owned(), message: message.into(), ..Self::default() }
    }

    /// A body that is wrong at a place.
    pub(crate) fn field(pointer: &str, why: impl Into<String>) -> Self {
        let why = why.into();
        let message = if pointer.is_empty() { why.clone() } else { format!("{pointer}: {why}") };
        let mut problem = Self::new(400, "invalid_request", message);
        problem.fields.push((pointer.to_owned(), why));
        problem
    }

    pub(crate) fn not_found() -> Self {
        Self::new(404, "not_found", "there is nothing at this method and path")
    }

    pub(crate) fn later(mut self) -> Self {
        self.retryable = true;
        self
    }

    pub(crate) fn action(mut self, kind: &'static str, what: impl Into<String>) -> Self {
        self.actions.push((kind, what.into()));
        self
    }

    /// As it is sent.
    pub(crate) fn reply(&self, manner: Manner) -> Reply {
        let Self { status, code, message, .. } = self;
        let (kind, body) = match manner {
            Manner::Seed => (JSON, json!({"code": code, "message": message})),
            Manner::Corrected | Manner::Engine => {
                let fields: Vec<_> =
                    self.fields.iter().map(|(at, why)| json!({"pointer": at, "message": why})).collect();
                let action = |(kind, what): &(&str, String)| match manner {
                    // The real daemon has sentences for people here.
                    Manner::Engine => json!(what),
                    Manner::Corrected | Manner::Seed => json!({"kind": kind, "message": what}),
                };
                let actions: Vec<_> = self.actions.iter().map(action).collect();
                let body = json!({
                    "code": code,
                    "message": message,
                    "retryable": self.retryable,
                    "fieldErrors": fields,
                    "requiredActions": actions,
                    "evidenceRefs": [],
                    "context": {},
                });
                (PROBLEM, body)
            }
        };
        Reply { status: *status, form: Form::Whole(kind, Bytes::from(body.to_string())) }
    }
}

/// What is said to a request that HTTP itself forbids. A stranger hears no more than that he is one.
pub(crate) fn unreadable(setting: &Setting, status: u16, why: &str, is_large: bool, known: bool) -> Decision {
    let problem = match (is_large, known) {
        (true, false) => Problem::new(401, "unauthorized", "the token is missing or wrong"),
        (true, true) => Problem::new(413, "body_too_large", why),
        (false, _) => Problem::new(status, "malformed_request", why),
    };
    let decided =
        Decided { operation: "none".to_owned(), code: Some(problem.code.clone()), ..Decided::default() };
    Decision::new(problem.reply(setting.manner), decided, Vec::new(), None)
}
