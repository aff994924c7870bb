//! A redirect that keeps method and body.

use super::{model, page};
use crate::dialect::{Route, Serves};
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const SLASH: Param = Param {
    name: "slash",
    kind: ParamKind::Flag,
    default: "false",
    doc: "whether the path ends in a slash then, at which a provider serves nothing",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "redirect-307",
    group: Group::Http,
    summary: "307 with a relative `location`: the same path, as a server sends that mends a slash",
    dialects: Dialects::All,
    params: &[SLASH],
    example: r#"{"fault": "redirect-307", "text": "hello"}"#,
    reports: &[],
    right_reaction: "followed with the same body, or a clear failure that names the place; never a request without its body",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let streams = |route: &&Route| matches!(route.serves, Serves::Stream(_));
    let says = |route: &&Route| matches!(route.serves, Serves::Conversation);
    let routes = given.dialect.routes;
    let stream = routes.iter().find(streams).filter(|_| given.stream);
    let Some(route) = stream.or(routes.iter().find(says)) else { return false };
    let last = route.path.rsplit('/').next().unwrap_or_default();
    let place = last.replace("{model}", &encoded(&model(given)));
    let slash = if given.params.flag(&SLASH) { "/" } else { "" };
    // A relative place loses the query, which says how such a stream is framed.
    let query = if stream.is_some() && given.sse() { "?alt=sse" } else { "" };
    // The dot keeps a colon in the path from being read as the end of a scheme (RFC 3986, 4.2).
    answer.head.push("location", format!("./{place}{slash}{query}"));
    page(answer, 307, "text/plain", "")
}

/// A text as a part of a path (RFC 3986, 2.3).
fn encoded(text: &str) -> String {
    let byte = |byte: u8| match byte {
        b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => char::from(byte).to_string(),
        _ => format!("%{byte:02X}"),
    };
    text.bytes().map(byte).collect()
}
