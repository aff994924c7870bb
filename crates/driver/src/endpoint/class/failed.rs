//! One failure with all that is told of it. Every text in it went through the mask before.

use super::Class;
use crate::endpoint::answer::{Leniency, Tokens};
use crate::endpoint::mask::Mask;
use rehearsal_world::dial::DialError;
use std::error::Error as _;
use std::time::Duration;

/// Why there is no answer that can be used. No field holds a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failed {
    /// Its class.
    pub class: Class,
    /// A name of ours for it, where the class says too little, e.g. `redirect_method_change`.
    pub reason: Option<&'static str>,
    /// Whether the same request may fare better.
    pub retryable: bool,
    /// What happened, one sentence.
    pub message: String,
    /// The status of the answer, where there was one.
    pub status: Option<u16>,
    /// The type of the provider's error.
    pub kind: Option<String>,
    /// Its code.
    pub code: Option<String>,
    /// The parameter that it names.
    pub param: Option<String>,
    /// The provider's name for the request.
    pub request_id: Option<String>,
    /// How long the provider asks to wait.
    pub retry_after: Option<Duration>,
    /// The beginning of the body, where that says more than the message: 2 KiB at most.
    pub body: Option<String>,
    /// What the model said nevertheless: a refusal, or what came before the cut.
    pub text: Option<String>,
    /// Why the model stopped, in the provider's word.
    pub finish: Option<String>,
    /// Tokens that were spent.
    pub usage: Tokens,
    /// Where the reading was lenient.
    pub leniencies: Vec<Leniency>,
    /// Whether the provider may have spent tokens on it, told or not.
    pub may_cost: bool,
}

impl Failed {
    /// A failure of a class, judged by the class alone. The message must be free of secrets.
    #[must_use]
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self {
            class,
            reason: None,
            retryable: class.is_retryable(),
            message: message.into(),
            status: None,
            kind: None,
            code: None,
            param: None,
            request_id: None,
            retry_after: None,
            body: None,
            text: None,
            finish: None,
            usage: Tokens::default(),
            leniencies: Vec::new(),
            may_cost: false,
        }
    }

    /// The same with a name of ours for it.
    #[must_use]
    pub fn because(self, reason: &'static str) -> Self {
        Self { reason: Some(reason), ..self }
    }

    /// The same with nothing in its message that a mask hides: where it repeats what a model wrote.
    #[must_use]
    pub fn hidden(self, mask: &Mask) -> Self {
        Self { message: mask.hide(&self.message), ..self }
    }

    /// Whether an answer came that broke off or cannot be read, so that another one may be whole. One that was cut at the length
    /// limit is not broken: the same question brings the same cut.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        let is = |class| self.class == class;
        is(Class::Truncated) && self.reason == Some("stream_ended_early")
            || is(Class::Protocol) && self.status == Some(200)
            || is(Class::Format)
            || is(Class::EmptyContent)
    }

    /// What went wrong on the wire.
    #[must_use]
    pub fn of_dial(error: &DialError, url: &str, mask: &Mask) -> Self {
        let (class, reason) = class_of_dial(error);
        let cause = error.source().map(|cause| format!(" ({cause})")).unwrap_or_default();
        let mut failed = Self::new(class, mask.hide(&format!("{url}: {error}{cause}")));
        failed.reason = reason;
        // Before the connection is made the model cannot have worked.
        failed.may_cost = matches!(
            error,
            DialError::Idle(_)
                | DialError::Total(_)
                | DialError::Reset
                | DialError::Cut
                | DialError::TooLarge(_)
                | DialError::BadResponse(_)
        );
        failed
    }
}

impl std::fmt::Display for Failed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failed {}

fn class_of_dial(error: &DialError) -> (Class, Option<&'static str>) {
    match error {
        DialError::Unresolved(_) => (Class::Connect, Some("unresolved")),
        DialError::Refused | DialError::Unreachable(_) | DialError::NoneOf(_) => (Class::Connect, None),
        DialError::ConnectTimeout(_) => (Class::TimeoutConnect, None),
        DialError::Untrusted(_) | DialError::WrongName | DialError::Handshake(_) => (Class::Tls, None),
        DialError::Idle(_) => (Class::TimeoutIdle, None),
        DialError::Total(_) => (Class::TimeoutTotal, None),
        DialError::Reset => (Class::Connect, Some("reset")),
        DialError::Cut => (Class::Connect, Some("cut")),
        DialError::TooLarge(_) => (Class::Protocol, Some("too_large")),
        DialError::BadResponse(_) => (Class::Protocol, Some("not_http")),
        DialError::NotLoopback => (Class::Config, Some("not_loopback")),
        DialError::BadMethod | DialError::BadTarget | DialError::BadHeader(_) => (Class::Config, None),
    }
}
