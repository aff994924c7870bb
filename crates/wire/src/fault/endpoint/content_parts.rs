//! The content of an answer is a list of parts.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};
use crate::json::Kind;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "content-parts",
    group: Group::Endpoint,
    summary: "the content of the message, or of each delta, is a list with one part of text",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "content-parts", "text": "hello"}"#,
    reports: &["vercel/ai#13703", "vercel/ai#15890", "vercel/ai#17779"],
    right_reaction: "the texts of the parts are joined in their order",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(|events, _| {
        everywhere(events, &["/choices/*/message/content", "/choices/*/delta/content"], |content| {
            let is_text = content.value.kind() == Kind::String && !content.value.is_str("");
            is_text
                .then(|| content.put(&format!(r#"[{{"type":"text","text":{}}}]"#, content.value.text())))?
        })
    })],
};
