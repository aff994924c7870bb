//! Live messages into a run.

use super::project::one_spelling;
use super::{Call, Problem, Reply};
use crate::core::{Step, Then};
use crate::receipt::Found;
use crate::run::Taken;
use rehearsal_script::runs::Answers;
use serde_json::{Value, json};

/// Longest message, in UTF-16 units: that of the real daemon.
pub(crate) const LONGEST_MESSAGE: usize = 65_536;

pub(crate) fn message(call: &mut Call<'_, '_>, id: &str) -> Step {
    let key = match call.key() {
        Ok(key) => key,
        Err(problem) => return call.refuse(&problem),
    };
    let project = call.state.run(id).and_then(|run| run.live.as_deref().map(one_spelling));
    let space = call.space("message", &project.unwrap_or_default());
    let scope = format!("message {id}");
    let digest = call.digest();
    // The original fake forgets to which run a key belongs.
    let bound = (!call.is_seed()).then_some(scope.as_str());
    match call.state.receipts.find(&space, &key, bound, &digest) {
        Found::New => {}
        Found::Pending => return Step::Wait,
        Found::Same(reply) => return call.replay(reply, Some((id, Answers::Message))),
        Found::Other => return call.conflict(),
    }
    let text = match text(call) {
        Ok(text) => text,
        Err(problem) => {
            // A mistake in the text is not kept: the key is good for the right text.
            if call.is_seed() {
                let reply = problem.reply(call.setting.manner);
                call.state.receipts.keep(&space, &key, &scope, digest, Some(reply));
            }
            return call.refuse(&problem);
        }
    };
    let attempt = call.heard.body.text("expectedAttemptId").filter(|_| !call.is_seed());
    let (live, now_ms) = (call.setting.live, call.now_ms);
    let Some(run) = call.state.runs.get_mut(id) else { return call.refuse(&Problem::not_found()) };
    let taken = run.message(&key, &text, attempt.as_deref(), live, now_ms);
    call.touched(id);
    let reply = Reply::json(200, &receipt(call, id, &key, &taken));
    call.state.receipts.keep(&space, &key, &scope, digest, Some(reply.clone()));
    call.go_on(id, Then::Say { reply, what: Answers::Message })
}

fn text(call: &Call<'_, '_>) -> Result<String, Problem> {
    let text = call.heard.body.text("text").filter(|text| !text.is_empty());
    let text = text.ok_or_else(|| Problem::field("/text", "must be a text that is not empty"))?;
    if call.is_seed() {
        return Ok(text);
    }
    if call.heard.body.is_half_text() {
        return Err(Problem::field("/text", "holds half a surrogate pair, which is no text"));
    }
    if text.encode_utf16().count() > LONGEST_MESSAGE {
        let why = format!("the text has more than {LONGEST_MESSAGE} UTF-16 units");
        return Err(Problem::new(413, "message_too_long", why));
    }
    Ok(text)
}

fn receipt(call: &Call<'_, '_>, id: &str, key: &str, taken: &Taken) -> Value {
    let mut body = json!({
        "runId": id,
        "messageId": key,
        "harnessId": call.setting.harness,
        "liveInput": call.setting.live.word(),
        "accepted": taken.accepted,
        "outcome": taken.outcome,
    });
    if taken.attempt {
        body["attemptId"] = json!("a01");
    }
    if let Some(reason) = &taken.reason {
        body["reason"] = json!(reason);
    }
    body
}
