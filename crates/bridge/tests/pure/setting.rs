//! A bridge with two cases, and requests to it.

use rehearsal_bridge::case::Case;
use rehearsal_bridge::core::{Verdict, hear, judge};
use rehearsal_bridge::setting::{Budget, CONTROL_HEADER, Mode, Setting};
use rehearsal_bridge::state::State;
use rehearsal_wire::follow::{Follower, RequestHead};
use rehearsal_wire::relay::Names;
use serde_json::{Value, json};

pub(crate) const ALIAS: &str = "alias-1";
pub(crate) const REAL: &str = "/models/real-7b.gguf";
pub(crate) const ORIGIN: &str = "http://127.0.0.1:3000";
pub(crate) const SYSTEM: &str = "Be short.";
pub(crate) const TOKEN: &str = "0123456789abcdef0123456789abcdef";
pub(crate) const CHAT: &str = "/v1/chat/completions";

fn with(mode: Mode) -> Setting {
    Setting {
        mode,
        names: Some(Names::new(REAL, ALIAS).unwrap()),
        origin: Some(ORIGIN.to_owned()),
        control_header: CONTROL_HEADER.to_owned(),
        token: TOKEN.to_owned(),
        redactor: None,
    }
}

/// Cases `a` and `b` with the prompts `Do a` and `Do b`.
pub(crate) fn cases() -> (Setting, State) {
    let cases = ["a", "b"].map(|id| Case::new(id.to_owned(), &format!("Do {id}\n- x\n")));
    (with(Mode::Cases(cases.to_vec())), State::new(["a", "b"]))
}

pub(crate) fn open(requests: Option<u64>, tokens: Option<u64>) -> (Setting, State) {
    (with(Mode::Open(Budget { requests, tokens })), State::free())
}

pub(crate) fn head(method: &str, target: &str, headers: &[(&str, &str)]) -> RequestHead {
    let mut text = format!("{method} {target} HTTP/1.1\r\nHost: localhost\r\n");
    for (name, value) in headers {
        text.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut follower = Follower::new(1 << 16);
    follower.feed(format!("{text}\r\n").as_bytes());
    follower.next_head().unwrap()
}

/// The right request for a case.
pub(crate) fn body(id: &str) -> Value {
    json!({"model": ALIAS, "messages": [
        {"role": "system", "content": SYSTEM}, {"role": "user", "content": format!("Do {id}\n- x\n")}]})
}

pub(crate) fn verdict(
    (setting, state): &(Setting, State),
    (method, target): (&str, &str),
    headers: &[(&str, &str)],
    body: &[u8],
) -> Verdict {
    judge(setting, state, &hear(setting, &head(method, target, headers), body, Some(SYSTEM)))
}
