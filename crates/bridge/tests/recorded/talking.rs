//! Which conversations recordings make.

use crate::tape::{Exchange, Tape};
use rehearsal_bridge::cassette::talk::{Talks, Told, talks};
use serde_json::{Value, json};

fn heard(name: &str, exchanges: &[Exchange]) -> Talks {
    talks(&Tape::new(name, exchanges).open().unwrap().recordings).unwrap()
}

/// A request with these messages, `u:` a user's and `a:` the model's, answered with a text.
fn turn(said: &[&str], answered: &str) -> Exchange {
    let message = |text: &&str| {
        let (role, text) = text.split_once(':').unwrap();
        let role = match role {
            "u" => "user",
            "a" => "assistant",
            other => other,
        };
        json!({"role": role, "content": text})
    };
    let messages: Vec<Value> = said.iter().map(message).collect();
    let asked = json!({"model": "m", "messages": messages}).to_string().into_bytes();
    Exchange { asked, ..Exchange::of("", answered) }
}

fn failed(said: &[&str], status: u16) -> Exchange {
    let body = json!({"error": {"message": "no", "type": "t", "code": "c"}}).to_string().into_bytes();
    let headers = json!([["content-type", "application/json"], ["Retry-After", "3"], ["x-request-id", "r"]]);
    Exchange { status, answered: body, headers, ..turn(said, "") }
}

/// Case, prompt and what was told of each conversation.
fn shown(talks: &Talks) -> Vec<(Option<&str>, &str, Vec<String>)> {
    let told = |told: &Told| match told {
        Told::Said(reply) => reply.text.clone().unwrap_or_default(),
        Told::Failed { status, headers, .. } => format!("{status} {headers:?}"),
    };
    let all = talks.talks.iter();
    all.map(|talk| (talk.case.as_deref(), talk.prompt.as_str(), talk.told.iter().map(told).collect()))
        .collect()
}

fn words(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| (*word).to_owned()).collect()
}

#[test]
fn a_conversation_grows_and_others_between_its_turns_are_their_own() {
    let all = [
        turn(&["system:at noon", "u:one"], "1"),
        turn(&["u:two"], "2"),
        turn(&["system:at one", "u:one", "a:1", "u:more"], "1b"),
        turn(&["u:two", "a:2", "u:more"], "2b"),
        turn(&["u:one", "a:1", "u:more"], "other case").on("c"),
    ];
    let talks = heard("grows", &all);
    assert_eq!(
        shown(&talks),
        [
            (None, "one", words(&["1", "1b"])),
            (None, "two", words(&["2", "2b"])),
            (Some("c"), "more", words(&["other case"])),
        ]
    );
    assert_eq!(talks.notes, Vec::<String>::new());
    assert_eq!(talks.talks[0].model.as_deref(), Some("m"));
}

#[test]
fn an_attempt_at_the_same_again_belongs_to_its_conversation_and_a_twin_does_not() {
    let all =
        [failed(&["u:one"], 429), failed(&["u:one"], 503), turn(&["u:one"], "1"), turn(&["u:one"], "twin")];
    let telling = "[(\"Retry-After\", \"3\")]";
    assert_eq!(
        shown(&heard("attempts", &all)),
        [
            (None, "one", words(&[&format!("429 {telling}"), &format!("503 {telling}"), "1"])),
            (None, "one", words(&["twin"])),
        ]
    );
}

#[test]
fn what_cannot_be_told_is_named_and_the_conversation_goes_on() {
    let mut cut = turn(&["u:one"], "1");
    (cut.complete, cut.answered) = (false, b"{\"id\":".to_vec());
    let embeddings = Exchange {
        target: "/v1/embeddings",
        asked: br#"{"model":"m","input":"x"}"#.to_vec(),
        ..Exchange::of("", "")
    };
    let broken = Exchange { asked: b"{".to_vec(), ..Exchange::of("", "") };
    let late = turn(&["u:late", "a:before", "tool:42"], "after");
    let all = [cut, turn(&["u:one"], "1"), Exchange::models(), Exchange::models(), embeddings, broken, late];
    let talks = heard("untold", &all);
    assert_eq!(shown(&talks), [(None, "one", words(&["1"])), (None, "late", words(&["after"]))]);
    let notes = talks.notes.join("\n");
    for words in [
        "0001-x: its answer broke off",
        "2 requests GET /v1/models",
        "1 request POST /v1/embeddings",
        "0006-x: its request is not JSON",
        "0007-x: it goes on from 1 turn that",
    ] {
        assert!(notes.contains(words), "{words} in {notes}");
    }
    assert_eq!(talks.notes.len(), 5);
}

#[test]
fn a_request_that_names_an_earlier_reply_goes_on_from_it() {
    let reply = |id: &str, text: &str| {
        json!({
            "id": id, "object": "response", "status": "completed", "model": "m",
            "output": [{"type": "message", "id": "i", "role": "assistant", "status": "completed",
                "content": [{"type": "output_text", "text": text, "annotations": []}]}],
        })
        .to_string()
        .into_bytes()
    };
    let ask = |previous: Option<&str>, text: &str, answered: Vec<u8>| Exchange {
        target: "/v1/responses",
        dialect: Some("openai-responses"),
        asked: json!({"model": "m", "input": text, "previous_response_id": previous})
            .to_string()
            .into_bytes(),
        answered,
        ..Exchange::of("", "")
    };
    let all = [
        ask(None, "one", reply("resp_1", "1")),
        ask(None, "two", reply("resp_2", "2")),
        ask(Some("resp_1"), "more", reply("resp_3", "1b")),
        ask(Some("resp_3"), "yet more", reply("resp_4", "1c")),
    ];
    assert_eq!(
        shown(&heard("kept", &all)),
        [(None, "one", words(&["1", "1b", "1c"])), (None, "two", words(&["2"]))]
    );
}

#[test]
fn marks_that_a_client_moves_from_turn_to_turn_make_no_other_conversation() {
    let answer = |text: &str| {
        json!({"id": "msg", "type": "message", "role": "assistant", "model": "m",
            "content": [{"type": "text", "text": text}], "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}})
        .to_string()
        .into_bytes()
    };
    let marked = |text: &str| json!({"role": "user", "content": [{"type": "text", "text": text, "cache_control": {"type": "ephemeral"}}]});
    let plain = |role: &str, text: &str| json!({"role": role, "content": text});
    let ask = |messages: Value, answered: &str| Exchange {
        target: "/v1/messages?beta=true",
        dialect: Some("anthropic-messages"),
        asked: json!({"model": "m", "max_tokens": 9, "messages": messages}).to_string().into_bytes(),
        answered: answer(answered),
        ..Exchange::of("", "")
    };
    let counted = Exchange { target: "/v1/messages/count_tokens", ..ask(json!([plain("user", "one")]), "") };
    let all = [
        counted,
        ask(json!([marked("one")]), "1"),
        ask(json!([plain("user", "one"), plain("assistant", "1"), marked("more")]), "1b"),
    ];
    let talks = heard("marks", &all);
    assert_eq!(shown(&talks), [(None, "one", words(&["1", "1b"]))]);
    assert!(talks.notes[0].contains("POST /v1/messages/count_tokens"), "{:?}", talks.notes);
}
