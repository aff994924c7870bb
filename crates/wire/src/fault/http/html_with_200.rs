//! A page for people under the status of success.

use super::{HTML, page};
use crate::fault::{Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "200-html",
    group: Group::Http,
    summary: "200 with an HTML page, as a proxy or a sign-in page answers",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "200-html", "text": "hello"}"#,
    reports: &[],
    right_reaction: "an error that names the type and shows the beginning; no retry helps",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(|answer, _| page(answer, 200, HTML, SIGN_IN))],
};

const SIGN_IN: &str = "<!DOCTYPE html>\n<html><head><title>Sign in</title></head><body><h1>Sign in to continue</h1></body></html>\n";
