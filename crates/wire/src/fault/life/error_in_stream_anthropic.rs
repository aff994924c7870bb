//! An overload inside a stream that began with 200.

use super::failing::fail;
use crate::dialect::ErrorBody;
use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};

const START: Param = Param {
    name: "at",
    kind: ParamKind::Place,
    default: "\"chunk 1\"",
    doc: "how much of the stream arrives before, whole events only; behind the first event nothing was shown yet",
};

const OVERLOADED: ErrorBody<'static> = ErrorBody {
    status: 529,
    message: "Overloaded",
    kind: Some("overloaded_error"),
    param: None,
    code: None,
    request_id: None,
    retry_after: None,
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "error-in-stream-anthropic",
    group: Group::Life,
    summary: "so much of the stream arrives, then `event: error` with `overloaded_error`, then the end",
    dialects: Dialects::Only(&["anthropic-messages"]),
    params: &[START],
    example: r#"{"fault": "error-in-stream-anthropic", "text": "hello"}"#,
    reports: &[
        "anthropics/anthropic-sdk-python#1258",
        "tailcallhq/forgecode#2595",
        "byte5ai/omadia#122",
        "vellum-ai/vellum-assistant#22759",
        "Wei-Shaw/sub2api#5567",
        "use-agent-os/agent-os#2137",
        "Alcova-AI/adk-anthropic-go#32",
        "envoyproxy/ai-gateway#2698",
    ],
    right_reaction: "taken for status 529 although the head said 200; tried again only while nothing was shown",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Documents(documents)],
};

fn documents(events: &mut Vec<Event>, given: &Given<'_>) -> bool {
    fail(events, given, &START, &OVERLOADED)
}
