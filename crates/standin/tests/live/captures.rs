//! What real clients sent, byte for byte in their own headers: none of it is refused.

use crate::request::{Answer, headers_of, lines, request};
use crate::stand::{CHAT, Served};
use crate::stream;
use rehearsal_wire::rule::Profile;

const CAPTURES: &str = include_str!("../../../wire/corpus/openai-chat/client-captures.jsonl");

#[test]
fn every_captured_request_is_answered_under_gate_and_under_api() {
    let captures = lines(CAPTURES);
    assert!(captures.len() > 200, "{} captures", captures.len());
    for profile in [Profile::Gate, Profile::Api] {
        let stand = Served::nothing().under(profile).start();
        // Clients keep their connections, and so does this one.
        let mut client = stand.client();
        for line in &captures {
            let whose = format!("{} {} under {}", line["client"], line["scenario"], profile.name());
            assert_eq!(line["path"], CHAT, "{whose}");
            let headers = headers_of(line, &[]);
            let sent = request("POST", CHAT, &headers, line["body"].to_string().as_bytes());
            let closes = headers
                .iter()
                .any(|(name, value)| name.eq_ignore_ascii_case("connection") && *value == Some("close"));
            let answer = Answer::read(&client.send(sent).reply());
            assert_eq!(answer.status, 200, "{whose}: {}", answer.text());
            if line["body"]["stream"] == true {
                let usage = line["body"]["stream_options"]["include_usage"] == true;
                let (message, finish) = &stream::join(&answer, usage).choices[0];
                assert_eq!(
                    (message["content"].as_str(), finish.as_str()),
                    (Some("ok"), Some("stop")),
                    "{whose}"
                );
            } else {
                assert_eq!(answer.said(), "ok", "{whose}");
            }
            if closes {
                client = stand.client();
            }
        }
        assert_eq!(stand.asked().len(), captures.len());
    }
}
