//! One JSON object where a stream was asked for.

use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Work};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "json-when-stream",
    group: Group::Framing,
    summary: "a stream was asked for, one whole JSON object comes",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "json-when-stream", "text": "hello"}"#,
    reports: &["andresgd2003-art/bano#18"],
    right_reaction: "taken as the whole answer, or a clear error",
    arrives: Arrives::AsSaid,
    may_give_up: true,
    hostile: false,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    if given.stream {
        *answer = whole(given, answer);
    }
    given.stream
}

/// The answer without the stream.
fn whole(given: &Given<'_>, streamed: &Answer) -> Answer {
    let mut head = streamed.head.clone();
    head.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cache-control"));
    Answer::unharmed(given.dialect, given.reply, given.envelope, &head, false)
}
