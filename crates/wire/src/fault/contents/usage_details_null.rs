//! The details of the usage are null.

use crate::fault::places::everywhere;
use crate::fault::{Arrives, Dialects, Event, Fault, Group, Work};

/// What is counted, and its details.
const DETAILS: [(&str, &str); 4] = [
    ("prompt_tokens", "prompt_tokens_details"),
    ("completion_tokens", "completion_tokens_details"),
    ("input_tokens", "input_tokens_details"),
    ("output_tokens", "output_tokens_details"),
];

pub(in crate::fault) const ROW: Fault = Fault {
    name: "usage-details-null",
    group: Group::Contents,
    summary: "the details of prompt and completion tokens are null",
    dialects: Dialects::Only(&["openai-chat", "openai-responses"]),
    params: &[],
    example: r#"{"fault": "usage-details-null", "text": "hello"}"#,
    reports: &["Arize-ai/openinference#3004", "Arize-ai/openinference#2496"],
    right_reaction: "no details are counted; the answer is used",
    arrives: Arrives::AsSaid,
    may_give_up: false,
    hostile: false,
    works: &[Work::Documents(|events, _| documents(events))],
};

fn documents(events: &mut [Event]) -> bool {
    let mut changed = false;
    for (counted, details) in DETAILS {
        changed |= everywhere(events, &["/usage", "/response/usage"], |usage| {
            usage.value.get(counted).and_then(|_| usage.set(details, "null"))
        });
    }
    changed
}
