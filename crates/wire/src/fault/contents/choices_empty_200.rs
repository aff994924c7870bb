//! A plain 200 whose `choices` are empty.

use crate::fault::places::{CHAT, everywhere};
use crate::fault::{Arrives, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "choices-empty-200",
    group: Group::Contents,
    summary: "a plain answer 200 with `choices: []`",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "choices-empty-200", "text": "hello"}"#,
    reports: &[
        "vercel/ai#20351",
        "vercel/ai#21139",
        "vercel/ai#21184",
        "promptfoo/promptfoo#10412",
        "stripe/ai#500",
    ],
    right_reaction: "an error of its own kind, no index out of bounds; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(|events, given| {
        !given.stream && everywhere(events, &["/choices"], |choices| choices.put("[]"))
    })],
};
