//! A model that is not there.

use super::{STOP, error, model, refuse};
use crate::dialect::ErrorBody;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "404-model",
    group: Group::Http,
    summary: "404 that says the model does not exist",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "404-model", "text": "hello"}"#,
    reports: &[],
    right_reaction: STOP,
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let message = match given.dialect.name {
        "anthropic-messages" => format!("model: {}", model(given)),
        _ => format!("The model `{}` does not exist or you do not have access to it.", model(given)),
    };
    let error = error(404, "not_found_error", &message);
    refuse(answer, given, &ErrorBody { code: Some("model_not_found"), ..error })
}
