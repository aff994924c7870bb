//! What a bridge refuses, with status, code and words: one table. The codes of the original bridge are kept.

/// Why a request is refused. Nothing was forwarded for it and no budget was spent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denial {
    /// The body did not come as HTTP wants it.
    InvalidBody,
    /// The body is larger than it may be.
    BodyTooLarge,
    /// The request names another host.
    ForeignHost,
    /// A page of another origin asks.
    ForeignOrigin,
    /// No route for this method.
    Method,
    /// The control token is missing or wrong.
    NoToken,
    /// The control body is none.
    InvalidCase,
    /// No case of this id.
    UnknownCase,
    /// Another case is armed.
    OtherArmed,
    /// The case is not armed, so it cannot be disarmed.
    NotArmed,
    /// Nothing is served at this path.
    MetadataPath,
    /// Nothing is generated at this path.
    GenerationPath,
    /// A coded body: what is compared must be readable.
    CodedBody,
    /// The body is no JSON object, or one that can be read in two ways.
    InvalidJson,
    /// Nothing is armed.
    CaseNotArmed,
    /// The budget is spent.
    Consumed,
    /// Not the alias.
    WrongModel,
    /// Not the case's prompt.
    InputMismatch,
    /// Not the frozen system prompt, or more messages than it and the prompt.
    SystemMismatch,
    /// Tools are offered.
    Tools,
    /// The frozen system prompt cannot be read.
    NoSystem,
    /// The budget of requests or tokens is spent.
    Budget,
    /// What must be written down cannot be.
    NotRecorded,
}

/// How a refusal is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Words {
    /// Its HTTP status.
    pub status: u16,
    /// Its code.
    pub code: &'static str,
    /// One sentence: what is wrong and what would be right.
    pub message: &'static str,
}

/// The `type` of a refusal.
pub const GUARD: &str = "task_owned_recording_guard";
/// The `type` of a forward that failed.
pub const TRANSPORT: &str = "task_owned_transport_error";
/// The code of a forward that failed.
pub const UPSTREAM_FAILED: &str = "upstream_failed";

impl Denial {
    /// How it is said.
    #[must_use]
    #[expect(clippy::too_many_lines, reason = "it is the table, a row each")]
    pub const fn words(self) -> Words {
        let (status, code, message) = match self {
            Self::InvalidBody => {
                (400, "invalid_request_body", "The request did not arrive whole, or its framing is broken.")
            }
            Self::BodyTooLarge => {
                (413, "request_body_too_large", "The request body is larger than this bridge takes.")
            }
            Self::ForeignHost => (
                403,
                "host_not_allowed",
                "The Host header names another machine. Use the address that the bridge was started with.",
            ),
            Self::ForeignOrigin => (
                403,
                "origin_not_allowed",
                "This origin may not use the bridge. `--origin` names the one that may.",
            ),
            Self::Method => (405, "method_not_allowed", "The bridge knows GET, HEAD, POST and OPTIONS."),
            Self::NoToken => (
                403,
                "control_token_required",
                "The control token is missing or wrong. It stands in private/control-token.txt.",
            ),
            Self::InvalidCase => {
                (400, "invalid_case", "The body must be a JSON object with the key `caseId`.")
            }
            Self::UnknownCase => {
                (400, "unknown_case", "There is no case of this id. The status route lists all.")
            }
            Self::OtherArmed => {
                (409, "different_case_still_armed", "Another case is armed. Send its request, or disarm it.")
            }
            Self::NotArmed => (409, "case_not_armed", "This case is not armed."),
            Self::MetadataPath => (
                404,
                "unsupported_metadata_path",
                "Nothing is served at this path: /health and /v1/models are.",
            ),
            Self::GenerationPath => (
                404,
                "unsupported_generation_path",
                "Nothing is generated at this path: /v1/chat/completions is.",
            ),
            Self::CodedBody => (
                415,
                "unsupported_content_encoding",
                "A coded body cannot be compared with a case. Send it without Content-Encoding.",
            ),
            Self::InvalidJson => (
                400,
                "invalid_generation_json",
                "The body must be one JSON object in UTF-8 in which `model` and `messages` stand once.",
            ),
            Self::CaseNotArmed => {
                (409, "case_not_armed", "No case is armed. An operator arms one over the control route.")
            }
            Self::Consumed => {
                (409, "case_budget_consumed", "The one forward of this case is spent. It never comes back.")
            }
            Self::WrongModel => (400, "wrong_model_alias", "`model` must be the public alias."),
            Self::InputMismatch => (
                409,
                "original_case_input_mismatch",
                "The last user message is not the prompt of the armed case.",
            ),
            Self::SystemMismatch => (
                409,
                "native_editor_system_mismatch",
                "There must be the frozen system message and the prompt, and nothing else.",
            ),
            Self::Tools => (409, "tools_outside_text_case", "A text case offers no tools."),
            Self::NoSystem => (
                409,
                "expected_system_unavailable",
                "The frozen system prompt cannot be read. The file of `--system` must be there.",
            ),
            Self::Budget => (429, "recording_budget_consumed", "The budget of this recording is spent."),
            Self::NotRecorded => {
                (503, "recording_unavailable", "The record cannot be written, so nothing was forwarded.")
            }
        };
        Words { status, code, message }
    }
}

/// A refusal or failure as a body: compact JSON and a line feed.
#[must_use]
pub fn body(kind: &str, code: &str, message: &str) -> Vec<u8> {
    let value = serde_json::json!({"error": {"message": message, "type": kind, "code": code}});
    let mut body = value.to_string().into_bytes();
    body.push(b'\n');
    body
}
