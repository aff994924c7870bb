//! The model's thoughts arrive as `reasoning_content`, as DeepSeek and others send them.

use crate::dialect::pieces;
use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Event, Fault, Given, Group, Param, ParamKind, Params, Work};
use crate::json::{edit, quoted};
use crate::reply::Reply;

const TEXT: Param = Param {
    name: "text",
    kind: ParamKind::Text,
    default: "\"Let me see what is asked for.\"",
    doc: "what it thinks where the script says nothing of that",
};

const MEMBER: &str = "reasoning_content";

pub(in crate::fault) const ROW: Fault = Fault {
    name: "reasoning-content",
    group: Group::Contents,
    summary: "thoughts arrive as `reasoning_content` of the message, or of deltas before the first words",
    dialects: CHAT,
    params: &[TEXT],
    example: r#"{"fault": "reasoning-content", "thinking": "They greet me.", "text": "hello"}"#,
    reports: &[
        "earendil-works/pi#3636",
        "QwenLM/qwen-code#3658",
        "rikkahub/rikkahub#1587",
        "HKUDS/nanobot#3453",
        "langchain-ai/langchain#34166",
        "CommandCodeAI/command-code#840",
    ],
    right_reaction: "the thoughts are kept apart from the words and go back with the calls that they led to",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Words(words), Work::Documents(documents)],
};

fn words(reply: &mut Reply, params: &Params<'_>) -> bool {
    if reply.thinking.is_some() {
        return false;
    }
    reply.thinking = Some(params.text(&TEXT));
    true
}

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    let canned = given.params.text(&TEXT);
    let thoughts = given.reply.thinking.as_deref().unwrap_or(&canned);
    if !given.stream {
        return everywhere(events, &["/choices/*/message"], |message| message.set(MEMBER, &quoted(thoughts)));
    }
    // The first chunk of each choice says its role.
    let choices = usize::try_from(given.envelope.choices.max(1)).unwrap_or(1).min(events.len());
    let mut thinking = Vec::new();
    for piece in pieces(thoughts, given.envelope.piece) {
        for event in &events[..choices] {
            let delta = format!("{{\"{MEMBER}\":{}}}", quoted(piece));
            let data = edit::replace(&event.data, "/choices/0/delta", &delta);
            thinking.extend(data.map(Event::data));
        }
    }
    let found = !thinking.is_empty();
    events.splice(choices..choices, thinking);
    found
}
