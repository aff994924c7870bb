//! A request that nobody sent, decided and forgotten: the first real one then finds the tables made and the code in memory.
//!
//! Must not know: journals, which lanes there are.

use crate::core::{self, Heard, Hosts, Lane, Setting};
use rehearsal_wire::follow::Follower;
use rehearsal_wire::json;

/// Decides it and gives the status that it would have got, if any. Call it where nobody waits: between the banner and the first
/// request.
pub fn warm_up(setting: &Setting) -> Option<u16> {
    const PATH: &str = "/v1/chat/completions";
    let prompt = setting.scenarios.phrasings.first().map_or("", |phrasing| &phrasing.prompt);
    let words = json::quoted(prompt);
    let body = format!(r#"{{"model":"m","messages":[{{"role":"user","content":{words}}}]}}"#);
    let head = format!(
        "POST {PATH} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer none\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    let mut follower = Follower::new(head.len());
    follower.feed(head.as_bytes());
    let Some(head) = follower.next_head() else { unreachable!("it is a whole head") };
    let headers = head.header_list();
    let heard = Heard {
        head: &head,
        headers: &headers,
        path: PATH,
        body: body.as_bytes(),
        hosts: Hosts::Any,
        mount: None,
    };
    core::decide(setting, &Lane::default(), heard).sent.status
}
