//! An error under the status of success.

use super::{error, error_text, page};
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Work};
use crate::json::edit;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "200-error-body",
    group: Group::Http,
    summary: "200, whose body is the dialect's error; in completions with null `choices`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "200-error-body", "text": "hello"}"#,
    reports: &["pydantic/pydantic-ai#2323", "langchain-ai/langchainjs#11417"],
    right_reaction: "an error with the provider's message, tried again or not as its own status would be",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let text = error_text(given, &error(500, "server_error", "Internal Server Error"));
    let made = match given.dialect.name {
        "openai-chat" | "openai-completions" => edit::set(&text, "", "id", "null"),
        _ => None,
    };
    let made = made.and_then(|text| edit::set(&text, "", "choices", "null")).unwrap_or(text);
    page(answer, 200, given.dialect.content_type, made)
}
