//! The corpus of the original stub, line by line as raw bytes: replies, log records and envelopes.
//!
//! `defects.tsv` holds the right answer to each line that the corpus marks as a defect of the original: `agrees` where
//! it was right after all or strict on purpose, else status and code (`null` for none).

use crate::request::{Answer, base64, headers_of, lines, request};
use crate::stand::{Served, Stand};
use rehearsal_testkit::{RawClient, Seen};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::Read as _;

const CORPUS: &str = include_str!("../data/model-stub.jsonl");
const SCENARIOS: &str = include_str!("../data/scenarios-openai.json");
const DEFECTS: &str = include_str!("../data/defects.tsv");

const LOG_FIELDS: [&str; 5] = ["kind", "validation", "scenario_class", "phrasing", "step"];

/// What came of one line.
struct Outcome {
    answer: Answer,
    records: Vec<Value>,
}

/// A stand-in under the profile of the scenario file, and its log read as it grows.
struct Replay {
    stand: Stand,
    log: std::fs::File,
}

impl Replay {
    fn start() -> Self {
        let stand = Served::file("scenarios-openai.json", SCENARIOS).start();
        let log = std::fs::File::open(stand.log_file()).unwrap();
        Self { stand, log }
    }

    fn play(&mut self, line: &Value) -> Outcome {
        let mut client = self.stand.client();
        client.send(bytes(line));
        let answer = Answer::read(&reply(&mut client, line["method"] == "HEAD"));
        // The record is written before the reply leaves.
        let mut text = String::new();
        self.log.read_to_string(&mut text).unwrap();
        Outcome { answer, records: lines(&text) }
    }
}

/// A reply to HEAD promises a body that does not come.
fn reply(client: &mut RawClient, head_only: bool) -> Seen {
    if head_only { client.read_to_end() } else { client.reply() }
}

fn body(line: &Value) -> Vec<u8> {
    match line["body_b64"].as_str() {
        Some(text) => base64(text),
        None => line["body"].as_str().unwrap_or_default().as_bytes().to_vec(),
    }
}

fn bytes(line: &Value) -> Vec<u8> {
    let headers = headers_of(line, &[("Connection", "close")]);
    request(line["method"].as_str().unwrap(), line["path"].as_str().unwrap(), &headers, &body(line))
}

/// The compared part of a reply, in the form of a line's `expect`.
fn observed(answer: &Answer) -> Value {
    let mut out = json!({"status": answer.status, "code": null, "finish_reason": null, "tool_calls": [], "content": null});
    let Ok(body) = serde_json::from_slice::<Value>(&answer.body) else { return out };
    out["code"] = body["error"]["code"].clone();
    let choice = &body["choices"][0];
    out["finish_reason"] = choice["finish_reason"].clone();
    out["content"] = choice["message"]["content"].clone();
    let calls = choice["message"]["tool_calls"].as_array().into_iter().flatten();
    out["tool_calls"] = calls
        .map(|call| {
            let function = &call["function"];
            let arguments: Value = serde_json::from_str(function["arguments"].as_str().unwrap()).unwrap();
            json!({"id": call["id"], "name": function["name"], "arguments": arguments})
        })
        .collect();
    out
}

/// How an outcome differs from what the original answered and wrote down.
fn differences(line: &Value, outcome: &Outcome) -> Vec<String> {
    let got = observed(&outcome.answer);
    let expect = line["expect"].as_object().unwrap().iter();
    let mut all: Vec<_> = expect
        .filter(|(key, value)| got[key.as_str()] != **value)
        .map(|(key, value)| format!("{key}: expected {value}, got {}", got[key.as_str()]))
        .collect();
    match (&line["log_expect"], outcome.records.as_slice()) {
        (Value::Null, []) => {}
        (wanted @ Value::Object(_), [record]) => {
            let different = LOG_FIELDS.into_iter().filter(|field| record[field] != wanted[field]);
            all.extend(
                different.map(|field| format!("log: {field} is {}, not {}", record[field], wanted[field])),
            );
        }
        (_, records) => all.push(format!("log: {} records", records.len())),
    }
    all
}

/// What is wrong with the envelope of a reply, whoever is right about its content.
fn envelope_faults(line: &Value, outcome: &Outcome) -> Vec<String> {
    let answer = &outcome.answer;
    if answer.body.is_empty() || answer.header("content-type") != Some("application/json") {
        let is_stream =
            answer.header("content-type").is_some_and(|kind| kind.starts_with("text/event-stream"));
        let head_only = line["method"] == "HEAD";
        return if is_stream || head_only { Vec::new() } else { vec![format!("content-type of {answer:?}")] };
    }
    let body = answer.json();
    let mut faults = Vec::new();
    let mut check = |right: bool, what: &str| {
        if !right {
            faults.push(format!("envelope: {what} in {body}"));
        }
    };
    if let Some(error) = body["error"].as_object() {
        let keys: Vec<_> = error.keys().map(String::as_str).collect();
        check(
            ["message", "type", "param", "code"].iter().all(|key| keys.contains(key)),
            "a member is missing",
        );
        check(line["seed_defect"].is_string() || error["param"].is_null(), "param");
        let wanted = &line["seed_error"]["type"];
        check(wanted.is_null() || error["type"] == *wanted, "type");
    } else if body["choices"].is_array() {
        let id = body["id"].as_str().unwrap_or_default();
        let tail = id.strip_prefix("chatcmpl-gate-").unwrap_or_default();
        check(tail.len() == 12 && tail.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')), "id");
        check(body["object"] == "chat.completion", "object");
        check(body["created"].is_u64(), "created");
        if let Some(Ok(sent)) = line["body"].as_str().map(serde_json::from_str::<Value>) {
            let model = sent.get("model").cloned().unwrap_or_else(|| json!("gate-openai-model"));
            check(body["model"] == model, "model");
        }
        let choice = &body["choices"][0];
        check(
            choice["index"] == 0 && choice["logprobs"].is_null() && choice["message"]["role"] == "assistant",
            "choice",
        );
        if let [record] = outcome.records.as_slice() {
            let tokens = if record["kind"] == "scenario" { 100 } else { 1 };
            let usage =
                json!({"prompt_tokens": tokens, "completion_tokens": tokens, "total_tokens": 2 * tokens});
            check(body["usage"] == usage, "usage");
        }
    }
    faults
}

#[test]
fn every_line_that_is_no_defect_is_answered_and_logged_as_the_original_does() {
    let mut replay = Replay::start();
    let lines: Vec<_> = lines(CORPUS).into_iter().filter(|line| line["seed_defect"].is_null()).collect();
    assert_eq!(lines.len(), 1409);
    let mut wrong = Vec::new();
    for line in &lines {
        let outcome = replay.play(line);
        let faults = differences(line, &outcome).into_iter().chain(envelope_faults(line, &outcome));
        wrong.extend(faults.map(|fault| format!("{} {}: {fault}", line["id"], line["note"])));
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
    // Whatever came, the journal has a line for it, and one for what left.
    assert_eq!(replay.stand.asked().len(), lines.len());
    assert_eq!(replay.stand.answered(lines.len()).len(), lines.len());
}

#[test]
fn every_defect_of_the_original_is_answered_rightly_and_the_log_says_the_same() {
    let right: BTreeMap<&str, &str> = DEFECTS.lines().filter_map(|line| line.split_once('\t')).collect();
    let mut replay = Replay::start();
    let lines: Vec<_> = lines(CORPUS).into_iter().filter(|line| line["seed_defect"].is_string()).collect();
    let mut wrong = Vec::new();
    for line in &lines {
        let outcome = replay.play(line);
        let id = line["id"].as_str().unwrap();
        let status = outcome.answer.status;
        let differences = differences(line, &outcome);
        let got = match observed(&outcome.answer)["code"].as_str() {
            _ if differences.is_empty() => "agrees".to_owned(),
            Some(code) => format!("{status} {code}"),
            None => format!("{status} null"),
        };
        let mut faults = envelope_faults(line, &outcome);
        if right.get(id) != Some(&got.as_str()) {
            faults.push(format!("expected {:?}, got {got}", right.get(id)));
        }
        faults.extend(log_faults(line, status, &outcome.records));
        wrong.extend(faults.iter().map(|fault| format!("{id} ({}): {fault}", line["seed_defect"])));
    }
    assert!(wrong.is_empty(), "{} differences\n{}", wrong.len(), wrong.join("\n"));
    assert_eq!(right.len(), lines.len(), "the table holds the lines of the corpus and no others");
}

/// The log tells what was answered: a record for what is posted, refused where it was refused.
fn log_faults(line: &Value, status: u16, records: &[Value]) -> Vec<String> {
    match records {
        [] if line["method"] != "POST" => Vec::new(),
        [record] if line["method"] == "POST" => {
            let verdict = if status == 200 { "ok" } else { "rejected" };
            if record["validation"] == verdict && record["http_status"] == status {
                Vec::new()
            } else {
                vec![record.to_string()]
            }
        }
        _ => vec![format!("{} records", records.len())],
    }
}

#[test]
fn a_broken_body_is_diagnosed_from_its_record_alone() {
    let mut replay = Replay::start();
    let mut broken = 0;
    for line in lines(CORPUS).iter().filter(|line| line["log_expect"]["kind"] == "bad_json") {
        let outcome = replay.play(line);
        let sent = body(line);
        let [record] = outcome.records.as_slice() else {
            panic!("{} records of {}", outcome.records.len(), line["id"])
        };
        if record["kind"] != "bad_json" {
            continue;
        }
        broken += 1;
        let at = usize::try_from(record["err_pos"].as_u64().unwrap()).unwrap();
        // What is read is the body after its framing, so a wrong Content-Length shows in its length.
        let read = &sent[..usize::try_from(record["raw_len"].as_u64().unwrap()).unwrap()];
        let byte = read.get(at).map(|byte| format!("{byte:#04x}"));
        assert_eq!(record["err_byte"].as_str(), byte.as_deref(), "{}", line["id"]);
        let near = read[at.saturating_sub(60)..(at + 60).min(read.len())].escape_ascii().to_string();
        assert_eq!(record["err_near"], near, "{}", line["id"]);
        let kept = std::fs::read(record["raw_dump"].as_str().unwrap()).unwrap();
        assert_eq!(kept, read, "{}", line["id"]);
    }
    assert!(broken > 30, "{broken} broken bodies");
}
