//! A schema is taken, and the answer does not follow it.

use crate::fault::places::CHAT;
use crate::fault::{Answer, Arrives, Fault, Given, Group, Work};
use crate::reply::Reply;

pub(in crate::fault) const ROW: Fault = Fault {
    name: "ignores-schema",
    group: Group::Endpoint,
    summary: "where a schema is asked for, the answer is JSON of another form",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "ignores-schema", "text": "hello"}"#,
    reports: &["ggml-org/llama.cpp#19051", "sgl-project/sglang#40083"],
    right_reaction: "the answer is checked against the schema, whoever promised its form, and asked for again",
    arrives: Arrives::Otherwise,
    may_give_up: true,
    hostile: false,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    if !given.asks(|request| request.at("/response_format/json_schema").is_some()) {
        return false;
    }
    let other = Reply {
        text: Some(r#"{"answer": "It is done."}"#.to_owned()),
        usage: given.reply.usage,
        ..Reply::default()
    };
    let mut head = answer.head.clone();
    head.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cache-control"));
    *answer = Answer::unharmed(given.dialect, &other, given.envelope, &head, given.stream);
    true
}
