//! Errors in shapes that are none of the dialect's: frameworks and gateways have their own.

use super::{final_error, page};
use crate::fault::{Answer, Fault, Work};

pub(in crate::fault) const DETAIL: Fault = final_error(
    "error-detail",
    "400 with the message under `detail`",
    r#"{"fault": "error-detail", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, _| refused(answer, r#"{"detail":"The request was not understood."}"#))],
);

pub(in crate::fault) const MESSAGE: Fault = final_error(
    "error-message",
    "400 with the message under `message`, and a request id behind it",
    r#"{"fault": "error-message", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, _| {
        refused(answer, r#"{"message":"The request was not understood. (request id: 202501010000000001)"}"#)
    })],
);

pub(in crate::fault) const STRING: Fault = final_error(
    "error-string",
    "400 with the message as the text `error`",
    r#"{"fault": "error-string", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, _| refused(answer, r#"{"error":"The request was not understood."}"#))],
);

pub(in crate::fault) const OBJECT: Fault = final_error(
    "error-object",
    "400 whose body is itself the error: `object` says so, and `code` is a number",
    r#"{"fault": "error-object", "text": "hello"}"#,
    REPORTS,
    RIGHT,
    &[Work::Answer(|answer, _| {
        let what =
            r#""message":"The request was not understood.","type":"BadRequestError","param":null,"code":400"#;
        refused(answer, &format!(r#"{{"object":"error",{what}}}"#))
    })],
);

fn refused(answer: &mut Answer, text: &str) -> bool {
    page(answer, 400, "application/json", text)
}

const REPORTS: &[&str] = &[
    "voideditor/void#128",
    "philschmid/mcp-openai-gemini-llama-example#5",
    "itmisx/deepx-code#94",
    "miurla/morphic#136",
];

const RIGHT: &str = "a failure whose message can be read, whatever the shape; no retry helps";
