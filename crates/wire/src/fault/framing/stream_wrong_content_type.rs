//! A stream under the type of something else.

use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const TYPE: Param = Param {
    name: "type",
    kind: ParamKind::Text,
    default: "\"application/json\"",
    doc: "the type that the head names; text/plain and application/x-ndjson are seen, too",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "stream-wrong-content-type",
    group: Group::Framing,
    summary: "the stream leaves under another `content-type`",
    dialects: Dialects::All,
    params: &[TYPE],
    example: r#"{"fault": {"name": "stream-wrong-content-type", "type": "text/plain"}, "text": "hello"}"#,
    reports: &["langchain4j/langchain4j#5804", "Wei-Shaw/sub2api#2826"],
    right_reaction: "read as what was asked for, or a clear error at once",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    if given.stream {
        answer.content_type = given.params.text(&TYPE).into();
    }
    given.stream
}
