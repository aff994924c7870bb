//! A request that no recording answers: said to the client in the form of its dialect, and to the operator in one line.

use crate::cassette::Recording;
use crate::denial;
use crate::key::Key;
use rehearsal_wire::dialect::{Dialect, ErrorBody};
use rehearsal_wire::head::ResponseHead;

/// No recording is of this call.
pub const MISS: &str = "recording_miss";
/// All recordings of this call were served.
pub const USED_UP: &str = "recording_used_up";
/// The `type` of a miss, where a dialect has no types of its own.
const KIND: &str = "not_found_error";
/// The status of a miss. Clients do not try such a request again.
pub const STATUS: u16 = 404;

/// A request that no recording answers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    /// [`MISS`] or [`USED_UP`].
    pub code: &'static str,
    /// What was looked for, what is nearest, and how both differ. The code stands at its beginning: some dialects have no field for it.
    pub message: String,
}

impl Miss {
    /// A call that was never recorded.
    #[must_use]
    pub fn unknown(key: &Key, nearest: Option<&Recording>, ignored: &[String], lane: Option<&str>) -> Self {
        let here = lane.map(|lane| format!(" on lane {lane}")).unwrap_or_default();
        let Some(nearest) = nearest else {
            return Self {
                code: MISS,
                message: format!(
                    "{MISS}: no recording answers {}{here}, for there is none at all.",
                    key.route
                ),
            };
        };
        let differences: Vec<String> = key
            .differences(&nearest.key, ignored)
            .into_iter()
            .map(|one| format!("{}: here {}, recorded {}", one.part, one.here, one.there))
            .collect();
        let message = format!(
            "{MISS}: no recording answers {}{here}. The nearest is {} and differs in {}. Record this call too, or let `ignore` name a part that must not count.",
            key.route,
            nearest.name,
            differences.join("; "),
        );
        Self { code: MISS, message }
    }

    /// A call that was made more often than it was recorded.
    #[must_use]
    pub fn used_up(key: &Key, used: &[&Recording]) -> Self {
        let names: Vec<&str> = used.iter().map(|recording| recording.name.as_str()).collect();
        let (count, plural) = (used.len(), if used.len() == 1 { "" } else { "s" });
        let message = format!(
            "{USED_UP}: {} was recorded {count} time{plural} at turn {}, and all of it was served: {}. With `repeat` the last one is served again.",
            key.route,
            key.turn,
            names.join(", "),
        );
        Self { code: USED_UP, message }
    }

    /// What the client is sent.
    #[must_use]
    pub fn reply(&self, dialect: Option<&Dialect>) -> (ResponseHead, Vec<u8>) {
        reply(dialect, STATUS, self.code, &self.message)
    }
}

/// An error in the form of a dialect, or in ours where there is none.
#[must_use]
pub fn reply(dialect: Option<&Dialect>, status: u16, code: &str, message: &str) -> (ResponseHead, Vec<u8>) {
    let head = ResponseHead::new(status);
    let Some(dialect) = dialect else {
        return (head.with("content-type", "application/json"), denial::body(KIND, code, message));
    };
    let error = ErrorBody {
        status,
        message,
        kind: Some(KIND),
        param: None,
        code: Some(code),
        request_id: None,
        retry_after: None,
    };
    (head.with("content-type", dialect.content_type), (dialect.error)(&error))
}
