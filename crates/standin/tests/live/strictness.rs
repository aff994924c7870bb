//! Case by case, over the wire: what the real API refuses and how, what only a gate refuses, what nobody may refuse.

use crate::request::{Answer, headers_of, lines, request};
use crate::stand::{CHAT, Served, Stand};
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

pub(crate) const CASES: &str = include_str!("../data/strictness.jsonl");

/// Sources that give the exact answer of the real API.
const EXACT: &[&str] = &["spec", "report", "spec+report", "spec-text"];

/// What the API refuses and a gate does not: the limit on ids is reported as lifted, so a gate leaves it to who wants it.
const GATE_ACCEPTS: &[&str] = &["p-id-too-long"];

pub(crate) fn send(stand: &Stand, case: &Value) -> Answer {
    let (bytes, half_close) = bytes(case);
    let mut client = stand.client();
    client.send(bytes);
    if half_close {
        client.half_close();
    }
    Answer::read(&client.reply())
}

/// The request of a case, and whether the client says that no more will come.
fn bytes(case: &Value) -> (Vec<u8>, bool) {
    let defaults =
        [("Content-Type", "application/json"), ("Authorization", "Bearer test"), ("Connection", "close")];
    let mut headers = headers_of(case, &defaults);
    let (method, path) = (case["method"].as_str().unwrap(), case["path"].as_str().unwrap());
    let generate = &case["generate"];
    let plain = json!({"model": "gpt-4o-mini", "messages": [{"role": "user", "content": "hello"}]})
        .to_string()
        .into_bytes();
    let body = match generate["kind"].as_str() {
        None => {
            case["raw_body"].as_str().map_or_else(|| case["body"].to_string(), str::to_owned).into_bytes()
        }
        Some("bytes-hex") => unhex(generate["hex"].as_str().unwrap()),
        Some("raw-http") => plain,
        Some(other) => panic!("{other} is no kind of body"),
    };
    let length = match (&generate["content_length"], generate["content_length_delta"].as_i64()) {
        (Value::String(literal), _) => literal.clone(),
        (_, delta) => (body.len() as i64 + delta.unwrap_or(0)).to_string(),
    };
    headers.push(("Content-Length", Some(&length)));
    let body = if generate["both_cl_te"] == true {
        headers.push(("Transfer-Encoding", Some("chunked")));
        let chunk = format!("{:x}\r\n{}\r\n0\r\n\r\n", body.len(), String::from_utf8(body).unwrap());
        chunk.into_bytes()
    } else {
        body
    };
    (request(method, path, &headers, &body), generate["close"] == true)
}

fn unhex(text: &str) -> Vec<u8> {
    let digits: Vec<_> = text.bytes().map(|digit| char::from(digit).to_digit(16).unwrap()).collect();
    digits.chunks(2).map(|pair| u8::try_from(pair[0] * 16 + pair[1]).unwrap()).collect()
}

/// `messages.[2].role` and `messages[2].role` name the same place; which place it is counts, how it is spelt does not.
fn place(param: &Value) -> Option<String> {
    param.as_str().map(|text| text.replace(".[", "["))
}

pub(crate) fn verdict(case: &Value) -> &str {
    case["expect"]["verdict"].as_str().unwrap()
}

#[test]
fn the_api_profile_answers_each_case_as_the_real_api_does() {
    let stand = Served::nothing().under(Profile::Api).start();
    let mut wrong = Vec::new();
    for case in &lines(CASES) {
        let (answer, expect) = (send(&stand, case), &case["expect"]);
        let right = match verdict(case) {
            "accept" | "gate-reject" => answer.status == 200,
            "either" => matches!(answer.status, 200 | 400),
            "reject" => {
                let error = &answer.json()["error"];
                let exact = EXACT.contains(&case["confidence"].as_str().unwrap());
                let same_words = error["type"] == expect["type"]
                    && error["code"] == expect["code"]
                    && place(&error["param"]) == place(&expect["param"]);
                answer.status == expect["status"] && error["message"].is_string() && (!exact || same_words)
            }
            other => panic!("{other} is no verdict"),
        };
        if !right {
            wrong.push(format!("{}: expected {expect}, got {} {}", case["id"], answer.status, answer.text()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn gate_and_pinned_refuse_what_the_api_refuses_and_what_only_a_gate_refuses() {
    let cases = lines(CASES);
    assert!(cases.len() > 60, "{} cases", cases.len());
    for profile in [Profile::Gate, Profile::Pinned] {
        let stand = Served::nothing().under(profile).start();
        let (mut refused, mut accepted) = (Vec::new(), Vec::new());
        for case in cases.iter().filter(|case| verdict(case) != "either") {
            let answer = send(&stand, case);
            let id = case["id"].as_str().unwrap();
            match (answer.status, verdict(case)) {
                (200, "reject" | "gate-reject") => accepted.push(id),
                (200, _) => {}
                (400..=499, "accept") => refused.push(id),
                (400..=499, _) => assert!(answer.json()["error"]["message"].is_string(), "{id}"),
                (status, _) => panic!("{id}: {status}"),
            }
        }
        assert_eq!(accepted, GATE_ACCEPTS, "{}", profile.name());
        assert!(refused.is_empty(), "{}: {refused:?}", profile.name());
    }
}

#[test]
fn bodies_of_any_depth_and_length_get_an_answer_in_every_profile() {
    for profile in Profile::ALL {
        let stand = Served::nothing().under(profile).start();
        let nested = |depth: usize| {
            let (open, close) = ("[".repeat(depth), "]".repeat(depth));
            format!(
                r#"{{"model":"m","messages":[{{"role":"user","content":"hello"}}],"metadata":{{"k":{open}{close}}}}}"#
            )
        };
        for depth in [100_000, 1_000_000] {
            assert_eq!(stand.post(CHAT, &nested(depth)).status, 400, "{depth} under {}", profile.name());
        }
        // Told by its length alone: nobody has to read it first.
        let headers = [
            ("Content-Type", Some("application/json")),
            ("Content-Length", Some("50000000")),
            ("Authorization", Some("Bearer k")),
        ];
        let answer = stand.send(&request("POST", CHAT, &headers, b""));
        assert_eq!(
            (answer.status, answer.json()["error"]["type"].as_str()),
            (413, Some("invalid_request_error"))
        );
    }
}
