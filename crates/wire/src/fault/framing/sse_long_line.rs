//! One very long line.

use crate::fault::{Arrives, Dialects, Event, Fault, Given, Group, Param, ParamKind, Work};

const BYTES: Param = Param {
    name: "bytes",
    kind: ParamKind::Count,
    default: "66000",
    doc: "length of the line, 67108864 at the most; readers are known to end at 65536 bytes, at 1048576 and at 4194304",
};

/// The line is held in memory.
const MOST: usize = 64 << 20;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "sse-long-line",
    group: Group::Framing,
    summary: "the document in the middle of the stream is padded with white space to a line of so many bytes",
    dialects: Dialects::All,
    params: &[BYTES],
    example: r#"{"fault": {"name": "sse-long-line", "bytes": 1048577}, "text": "hello"}"#,
    reports: &[
        "openai/openai-go#368",
        "SamSaffron/term-llm#298",
        "infiniflow/ragflow#15381",
        "achetronic/magec#45",
        "zendev-sh/goai#70",
        "TencentCloud/tencentcloud-sdk-go#315",
        "cloudwego/hertz#1408",
    ],
    right_reaction: "the same answer, or a clear error that names the limit; never a stream that ends in silence",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Documents(|events, given| pad(events, given))],
};

fn pad(events: &mut [Event], given: &Given<'_>) -> bool {
    let middle = events.len() / 2;
    let object = events.iter_mut().take(middle + 1).rev().find(|event| event.data.ends_with('}'));
    let Some(event) = object.filter(|_| given.stream) else { return false };
    let start = event.before.rfind('\n').map_or(0, |end| end + 1);
    let wanted = given.params.count(&BYTES).min(MOST);
    let missing = wanted.saturating_sub(event.before.len() - start + event.data.len());
    event.data.insert_str(event.data.len() - 1, &" ".repeat(missing));
    missing > 0
}
