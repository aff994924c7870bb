//! An error of what stands before the provider, as JSON of its own.

use super::{AGAIN, page};
use crate::fault::{Answer, Arrives, Dialects, Fault, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "5xx-cloudflare-json",
    group: Group::Http,
    summary: "520 with Cloudflare's JSON, which has no `error`",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "5xx-cloudflare-json", "text": "hello"}"#,
    reports: &["letta-ai/letta-code#2136"],
    right_reaction: AGAIN,
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(|answer, _| cloudflare(answer))],
};

fn cloudflare(answer: &mut Answer) -> bool {
    let text = r#"{"title":"Error 520: Web server is returning an unknown error","status":520,"cloudflare_error":true,"retryable":true}"#;
    page(answer, 520, "application/json", text)
}
