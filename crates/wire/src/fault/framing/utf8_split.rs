//! A character of three or four bytes is cut in two.

use super::{APART, WAIT, part_at};
use crate::fault::{Arrives, Dialects, Fault, Flow, Given, Group, Params, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "utf8-split",
    group: Group::Framing,
    summary: "characters of three bytes and more are cut behind their second byte, in a chunk and a write of its own; a text without one gets an emoji",
    dialects: Dialects::All,
    params: &[WAIT, APART],
    example: r#"{"fault": "utf8-split", "text": "hello 😀"}"#,
    reports: &[
        "api7/aisix#111",
        "astrid-runtime/astrid#171",
        "xberg-io/liter-llm#152",
        "braintrustdata/braintrust-sdk-javascript#2091",
        "danielmiessler/Fabric#2203",
        "musistudio/claude-code-router#1672",
        "continuedev/continue#13181",
        "diegosouzapw/OmniRoute#11921",
        "buildsense-ai/XiaoBa-CLI#256",
        "deeplethe/utopia#764",
    ],
    right_reaction: "what arrives is decoded once it is whole: no replacement character, in no text and in no argument",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words), Work::Pieces(pieces)],
};

/// The first byte of every character of three bytes or more is at least this.
const THREE_BYTES: u8 = 0xE0;

/// A call's arguments are left alone: they are what a tool does.
fn words(reply: &mut Reply, _: &Params<'_>) -> bool {
    let wide = |text: &String| text.bytes().any(|byte| byte >= THREE_BYTES);
    if [&reply.text, &reply.thinking, &reply.refusal].into_iter().flatten().any(wide)
        || reply.calls.iter().any(|call| wide(&call.arguments))
    {
        return false;
    }
    match &mut reply.text {
        Some(text) => text.push_str(" 😀"),
        None => reply.text = Some("😀".to_owned()),
    }
    true
}

fn pieces(flow: &mut Flow, given: &Given<'_>) -> bool {
    let bytes = flow.bytes();
    let inside = bytes.iter().enumerate().filter(|(_, byte)| **byte >= THREE_BYTES).map(|(at, _)| at + 2);
    part_at(flow, given, inside)
}
