//! What stands around the choices is null.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "envelope-nulls",
    group: Group::Contents,
    summary: "`id`, `object`, `created` and the index of a choice are null in every document",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "envelope-nulls", "text": "hello"}"#,
    reports: &["mpfaffenberger/code_puppy#750", "pydantic/pydantic-ai#2323"],
    right_reaction: "what is null has a default; the answer is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| {
        everywhere(events, &["/id", "/object", "/created", "/choices/*/index"], |member| member.put("null"))
    })],
};
