//! Answers to the questions of a run.

use super::{Call, Problem, Reply};
use crate::core::{Step, Then};
use crate::run::{AnswerRow, Resolved};
use rehearsal_script::runs::Answers;
use rehearsal_wire::json::{Kind, Value};
use serde_json::json;

pub(crate) fn answer(call: &mut Call<'_, '_>, id: &str, question: &str) -> Step {
    let now_ms = call.now_ms;
    let Some(run) = call.state.runs.get_mut(id) else { return call.refuse(&Problem::not_found()) };
    run.catch_up(now_ms);
    let (open, asked) = (run.open.as_ref().is_some_and(|open| open.id == question), run.has_asked(question));
    call.touched(id);
    if !open {
        return match call.is_engine() && !asked {
            true => resolved(call, id, 404, "not_found", "there is no such question"),
            false => resolved(call, id, 409, "already_resolved", "the question is not open"),
        };
    }
    let rows = match rows(call) {
        Ok(rows) => rows,
        Err(why) => return resolved(call, id, 400, "rejected", &why),
    };
    let Some(run) = call.state.runs.get_mut(id) else { return call.refuse(&Problem::not_found()) };
    let resolved_as = run.answer(question, &rows, now_ms);
    call.touched(id);
    match resolved_as {
        Resolved::NotOpen => resolved(call, id, 409, "already_resolved", "the question is not open"),
        Resolved::Delivered => {
            let reply = Reply::json(200, &json!({"accepted": true, "status": "delivered"}));
            call.go_on(id, Then::Say { reply, what: Answers::Answer })
        }
    }
}

fn resolved(call: &mut Call<'_, '_>, id: &str, status: u16, word: &str, why: &str) -> Step {
    call.decided.code = Some(word.to_owned());
    let reply = Reply::json(status, &json!({"accepted": false, "status": word, "message": why}));
    call.say_about(Some((id, Answers::Answer)), reply)
}

/// The rows of an answer, or why they are none.
fn rows(call: &Call<'_, '_>) -> Result<Vec<AnswerRow>, String> {
    let body = &call.heard.body;
    let list = body.get("answers").filter(|list| list.kind() == Kind::Array && !list.is_empty());
    let list = list.ok_or_else(|| "`answers` must be a list that is not empty".to_owned())?;
    if !call.is_seed() && body.is_half_text() {
        return Err("the answer holds half a surrogate pair, which is no text".to_owned());
    }
    list.items().enumerate().map(|(at, row)| one(call, at, row)).collect()
}

fn one(call: &Call<'_, '_>, at: usize, row: Value<'_>) -> Result<AnswerRow, String> {
    let text = row.get("freeText").filter(|text| !text.is_null());
    if !call.is_seed() {
        if row.kind() != Kind::Object {
            return Err(format!("answers[{at}] is {}, not an object", row.kind().phrase()));
        }
        let is_text = |value: Value<'_>| value.kind() == Kind::String || value.is_null();
        for name in ["freeText", "questionId"] {
            if row.get(name).is_some_and(|value| !is_text(value)) {
                return Err(format!("answers[{at}].{name} is no text"));
            }
        }
        let labels = row.get("selectedLabels").filter(|labels| !labels.is_null());
        let fits = |labels: Value<'_>| {
            labels.kind() == Kind::Array && labels.items().all(|label| label.kind() == Kind::String)
        };
        if labels.is_some_and(|labels| !fits(labels)) {
            return Err(format!("answers[{at}].selectedLabels is no list of texts"));
        }
    }
    Ok(AnswerRow { text: text.and_then(Value::as_str).unwrap_or_default().into_owned() })
}
