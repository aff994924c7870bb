//! What real clients sent, byte for byte in their own headers: none of it is refused, and whatever breaks it is.

mod beside;
mod chat;
mod gemini;
mod lane;
mod messages;
mod ollama;
mod replay;
mod responses;

use crate::request::{Answer, lines};
use crate::stand::{Served, Stand};
pub(crate) use lane::Lane;
use lane::{Breaks, send};
use rehearsal_journal::event::Kind;
use rehearsal_wire::dialect::dialect;
use rehearsal_wire::dialect::heard::hear;
use rehearsal_wire::rule::Profile;
use serde_json::Value;

pub(crate) const LANES: &[Lane] = &[
    chat::LANE,
    responses::LANE,
    messages::LANE,
    gemini::LANE,
    ollama::LANE,
    beside::EMBEDDINGS,
    beside::MODELS,
];

/// The lines of a lane, each with a name for messages.
pub(crate) fn captures(lane: &Lane) -> Vec<(String, Value)> {
    let named = |line: Value| (format!("{} {} {}", lane.name, line["client"], line["scenario"]), line);
    let all: Vec<_> = lines(lane.captures).into_iter().map(named).collect();
    assert_eq!(all.len(), lane.count, "{}", lane.name);
    all
}

/// Whether a request goes on from a reply that its server kept.
fn goes_on(line: &Value) -> bool {
    line["body"]["thread"]["type"] == "continue"
}

/// The answer to a captured request beside any script; where it goes on from a reply of a script, the answer of that script.
pub(crate) fn answered(lane: &Lane, line: &Value, profile: Profile, stand: &Stand) -> Answer {
    if !goes_on(line) {
        return send(stand, "", line, &line["body"]);
    }
    let fit = (lane.fit)(line).unwrap();
    send(&fit.served(profile), "/t/tokenp", line, &fit.body)
}

/// Whether an answer in JSON is asked for.
fn wants_json(body: &Value) -> bool {
    let kinds = [
        &body["response_format"]["type"],
        &body["text"]["format"]["type"],
        &body["output_config"]["format"]["type"],
    ];
    let form = &body["format"];
    kinds.iter().any(|kind| kind.as_str().is_some_and(|kind| kind != "text"))
        || form.is_object()
        || *form == "json"
}

#[test]
fn every_captured_request_is_answered_beside_any_script_under_every_profile_but_pinned() {
    for profile in [Profile::Lenient, Profile::Gate, Profile::Api] {
        let stand = Served::nothing().under(profile).start();
        let mut asked = 0;
        for lane in LANES {
            for (whose, line) in captures(lane) {
                let answer = answered(lane, &line, profile, &stand);
                assert_eq!(answer.status, 200, "{whose} under {}: {}", profile.name(), answer.text());
                match (lane.said)(&line, &answer) {
                    None => {}
                    Some(said) if wants_json(&line["body"]) => {
                        assert!(lane::object(&said).is_some(), "{whose}: {said}");
                    }
                    Some(said) => assert_eq!(said, if goes_on(&line) { "done" } else { "ok" }, "{whose}"),
                }
                asked += usize::from(!goes_on(&line));
            }
        }
        assert_eq!(stand.asked().len(), asked);
    }
}

#[test]
fn every_captured_request_is_taken_for_its_step_under_gate_and_under_api() {
    let mut tried = 0;
    for profile in [Profile::Gate, Profile::Api] {
        for lane in LANES {
            for (whose, line) in captures(lane) {
                let Some(fit) = (lane.fit)(&line) else { continue };
                let stand = fit.served(profile);
                let answer = send(&stand, "/t/tokenp", &line, &fit.body);
                assert_eq!(answer.status, 200, "{whose} under {}: {}", profile.name(), answer.text());
                let asked = stand.asked().remove(0);
                assert_eq!(asked.step, fit.step, "{whose}");
                if fit.is_sound() {
                    assert_eq!(asked.notes, [], "{whose}");
                }
                let Some(step) = fit.step else { continue };
                assert_eq!(asked.kind, Kind::Scenario, "{whose}");
                let wanted = if step == 0 { fit.text.unwrap_or_default() } else { "done".to_owned() };
                assert_eq!((lane.said)(&line, &answer), Some(wanted), "{whose}");
                tried += 1;
            }
        }
    }
    assert!(tried > 400, "{tried} requests were part of a script");
}

/// What a recorder would hear of an answer says the same as what the lane reads by its API's documents.
#[test]
fn every_answer_to_a_captured_request_is_heard() {
    let mut tried = 0;
    for lane in LANES {
        for (whose, line) in captures(lane) {
            let Some(fit) = (lane.fit)(&line) else { continue };
            let answer = send(&fit.served(Profile::Gate), "/t/tokenp", &line, &fit.body);
            let name = match (lane.name, line["path"].as_str()) {
                ("ollama", Some("/api/generate")) => "ollama-generate",
                ("ollama", _) => "ollama-chat",
                (name, _) => name,
            };
            let row = dialect(name).unwrap();
            let heard = hear(row, answer.header("content-type").unwrap(), &answer.body);
            assert!(heard.done && heard.error.is_none() && heard.notes.is_empty(), "{whose}: {heard:?}");
            assert_eq!(
                heard.reply.text.unwrap_or_default(),
                (lane.said)(&line, &answer).unwrap_or_default(),
                "{whose}: {}",
                answer.text()
            );
            let calls = if fit.step == Some(0) { fit.calls.len().max(1) } else { 0 };
            assert_eq!(heard.reply.calls.len(), calls, "{whose}: {}", answer.text());
            tried += 1;
        }
    }
    assert!(tried > 200, "{tried} answers were heard");
}

#[test]
fn every_conversation_that_is_broken_is_refused_under_gate_in_the_form_of_its_api() {
    let mut conversations = 0;
    for lane in LANES {
        for breaks in Breaks::ALL {
            let breaking = lane.mutations.iter().any(|(what, ..)| *what == breaks);
            assert!(breaking || lane.mutations.is_empty(), "{}: nothing breaks {breaks:?}", lane.name);
        }
        for (whose, line) in captures(lane) {
            let Some(fit) = (lane.fit)(&line).filter(lane::Fit::calls).map(lane::Fit::sound) else {
                continue;
            };
            let stand = fit.served(Profile::Gate);
            for (breaks, what, mutate) in lane.mutations {
                let mut body = fit.body.clone();
                mutate(&mut body);
                let answer = send(&stand, "/t/tokenp", &line, &body);
                assert_eq!(answer.status, 400, "{whose} {what}: {}", answer.text());
                if let Some(code) = (lane.code)(&answer) {
                    assert_eq!(code, breaks.code(), "{whose} {what}: {}", answer.text());
                }
            }
            let asked = stand.asked();
            for ((breaks, what, _), asked) in lane.mutations.iter().zip(&asked) {
                let code = asked.reject.as_ref().and_then(|reject| reject.code.as_deref());
                assert_eq!(code, Some(breaks.code()), "{whose} {what}");
            }
            assert_eq!(asked.len(), lane.mutations.len(), "{whose}");
            conversations += 1;
        }
    }
    assert!(conversations > 180, "{conversations} conversations were broken");
}
