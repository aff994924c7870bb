//! A key that holds no longer.

use super::{STOP, error, refuse};
use crate::dialect::ErrorBody;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "401-mid-run",
    group: Group::Http,
    summary: "401 although the requests before were answered",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "401-mid-run", "text": "hello"}"#,
    reports: &[],
    right_reaction: STOP,
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let error = error(401, "authentication_error", "Incorrect API key provided.");
    refuse(answer, given, &ErrorBody { code: Some("invalid_api_key"), ..error })
}
