//! A redirect from http to https, as a server in front sends that serves nothing else.

use super::page;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const PLACE: Param = Param {
    name: "place",
    kind: ParamKind::Text,
    default: "\"https://localhost/\"",
    doc: "the `location`; the usual one leads to nobody",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "redirect-https",
    group: Group::Http,
    summary: "301 to https, at which many clients make a GET of the request",
    dialects: Dialects::All,
    params: &[PLACE],
    example: r#"{"fault": "redirect-https", "text": "hello"}"#,
    reports: &["CNSeniorious000/oai2ollama#11", "postmanlabs/postman-app-support#11410"],
    right_reaction: "not followed: a clear failure names the place, so that the base URL can be mended",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let place = given.params.text(&PLACE);
    // Nothing that would end the line.
    answer.head.push("location", place.replace(char::is_control, ""));
    page(answer, 301, "text/plain", "")
}
