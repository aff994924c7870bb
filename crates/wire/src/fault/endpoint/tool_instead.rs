//! The answer comes as a call of a tool that nobody offered.

use super::has;
use crate::fault::places::CHAT;
use crate::fault::{Answer, Arrives, Fault, Given, Group, Work};
use crate::json::{Kind, parse, write_string};
use crate::reply::{IssuedCall, Reply};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "tool-instead",
    group: Group::Endpoint,
    summary: "no tools are offered, and the words come as the arguments of a call; the content is null",
    dialects: CHAT,
    params: &[],
    example: r#"{"fault": "tool-instead", "text": "hello"}"#,
    reports: &["continuedev/continue#13225"],
    right_reaction: "what was asked for is not there: it is asked for again, with a word about the call; or its arguments are taken, and it is told",
    arrives: Arrives::Otherwise,
    may_give_up: true,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let Some(text) = given.reply.text.as_deref().filter(|_| given.reply.calls.is_empty()) else {
        return false;
    };
    if !given.asks(|request| !has(request, "tools")) {
        return false;
    }
    let arguments = match parse(text.as_bytes()) {
        Ok(tape) if tape.root().kind() == Kind::Object => text.to_owned(),
        Ok(_) | Err(_) => {
            let mut out = b"{\"answer\":".to_vec();
            write_string(&mut out, text);
            out.push(b'}');
            String::from_utf8(out).unwrap_or_default()
        }
    };
    let call = IssuedCall {
        id: format!("call_{:08x}", given.seed & 0xFFFF_FFFF),
        name: "answer".to_owned(),
        arguments,
    };
    let other = Reply { calls: vec![call], text: None, finish: None, ..given.reply.clone() };
    let mut head = answer.head.clone();
    head.headers.retain(|(name, _)| !name.eq_ignore_ascii_case("cache-control"));
    *answer = Answer::unharmed(given.dialect, &other, given.envelope, &head, given.stream);
    true
}
