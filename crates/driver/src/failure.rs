//! Why an attempt gave no answer, and whether a further one may help.

use rehearsal_wire::json::{self, Kind, Value};
use std::time::Duration;

/// Wait before the second attempt; it doubles with each further one. No dice: the same run waits the same.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// No backoff of our own is longer.
const LAST_WAIT: Duration = Duration::from_secs(5);
/// Characters of a foreign text that a message repeats.
const QUOTED: usize = 200;

/// Why an attempt gave no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// The provider answered with an error.
    Status {
        /// HTTP status, or what an error inside a 200 amounts to.
        status: u16,
        /// The error's code, where it has one.
        code: Option<String>,
        /// What the provider said, shortened.
        message: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
    /// The connection failed, broke off or took too long.
    Wire(String),
    /// The answer came whole but cannot be used.
    BadAnswer(String),
    /// The answer is too large to read; the same question would bring the same answer.
    TooLarge(String),
}

impl Failure {
    /// Whether the same request may fare better.
    pub(crate) fn is_passing(&self) -> bool {
        match self {
            // A quota is not a rate: waiting does not bring it back.
            Self::Status { status: 429, code, .. } => code.as_deref() != Some("insufficient_quota"),
            Self::Status { status, .. } => matches!(status, 408 | 409 | 500..=599),
            Self::Wire(_) | Self::BadAnswer(_) => true,
            Self::TooLarge(_) => false,
        }
    }

    /// How long to wait before the attempt after this one (`attempt` counts from 1), or the wish that is too long.
    pub(crate) fn wait(&self, attempt: u32, longest: Duration) -> Result<Duration, Duration> {
        let own = FIRST_WAIT.saturating_mul(1 << (attempt - 1).min(16)).min(LAST_WAIT);
        match self {
            Self::Status { retry_after: Some(asked), .. } if *asked > longest => Err(*asked),
            Self::Status { retry_after: Some(asked), .. } => Ok(own.max(*asked)),
            Self::Status { retry_after: None, .. }
            | Self::Wire(_)
            | Self::BadAnswer(_)
            | Self::TooLarge(_) => Ok(own),
        }
    }

    /// An answer whose status is no success.
    pub(crate) fn of_status(status: u16, body: &[u8], retry_after: Option<Duration>) -> Self {
        let (code, message) = match json::parse(body) {
            Ok(tape) => (code_of(tape.root()), message_of(tape.root())),
            Err(_) => (None, None),
        };
        let message = message.unwrap_or_else(|| excerpt(body));
        Self::Status { status, code, message, retry_after }
    }

    /// An error object inside an answer that claims success, judged as if it had come with its own status.
    pub(crate) fn of_error(root: Value<'_>) -> Self {
        let code = code_of(root);
        let named = root.at("/error/type").and_then(Value::as_str).unwrap_or_default();
        let number = [root.at("/error/code"), root.at("/error/status")]
            .into_iter()
            .flatten()
            .find_map(|value| value.as_i64().or_else(|| value.as_str()?.parse().ok()));
        let status = match number.and_then(|number| u16::try_from(number).ok()) {
            Some(status @ 400..=599) => status,
            Some(_) | None => match code.as_deref().unwrap_or(&named) {
                "rate_limit_exceeded" | "rate_limit_error" | "insufficient_quota" => 429,
                "authentication_error" | "invalid_api_key" => 401,
                _ if named == "invalid_request_error" => 400,
                _ => 500,
            },
        };
        let message = message_of(root).unwrap_or_else(|| "no message".to_owned());
        Self::Status { status, code, message: format!("an error inside a 200: {message}"), retry_after: None }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Status { status, message, .. } => write!(f, "status {status}: {message}"),
            Self::Wire(message) | Self::BadAnswer(message) | Self::TooLarge(message) => f.write_str(message),
        }
    }
}

fn code_of(root: Value<'_>) -> Option<String> {
    let named = |pointer| root.at(pointer).and_then(Value::as_str).filter(|text| !text.is_empty());
    named("/error/code").or_else(|| named("/code")).map(String::from)
}

/// The provider's own words, in any of the shapes in which gateways put them.
fn message_of(root: Value<'_>) -> Option<String> {
    ["/error/message", "/error", "/message", "/detail", "/error/type"]
        .into_iter()
        .filter_map(|pointer| root.at(pointer))
        .find_map(|value| value.as_str().filter(|text| !text.is_empty()))
        .map(|text| shorten(&text))
}

/// What can be shown of a body that is not what it should be.
pub(crate) fn excerpt(body: &[u8]) -> String {
    let text = String::from_utf8_lossy(&body[..body.len().min(4 * QUOTED)]);
    let text = text.trim();
    if text.is_empty() {
        "an empty body".to_owned()
    } else if text.starts_with('<') {
        "a page of HTML or XML".to_owned()
    } else {
        shorten(text)
    }
}

pub(crate) fn shorten(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// "a value that is …", for a message about a place that holds the wrong kind.
pub(crate) fn wrong_kind(place: &str, kind: Kind) -> Failure {
    Failure::BadAnswer(format!("{place} is {}", kind.phrase()))
}
