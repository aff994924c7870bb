//! Messages: the first one of a task, answers to its questions, and what is said to it while it works.

use super::answer::Binding;
use super::fault::{Fault, Sort};
use super::field::Field;
use super::one::changed;
use super::request::{self, Message, Sending};
use super::settle::{Asked, Kind, begun, is_over, known, settle, view};
use super::show::Frame;
use super::start;
use super::task::{Key, MOST_SAID, Plan, Said, Stand};
use crate::core::Step;
use crate::run::AnswerRow;
use crate::v2::{Call, LONGEST_KEY, LONGEST_MESSAGE};
use rehearsal_journal::digest;
use rehearsal_script::runs::Answers;
use std::sync::Arc;

/// A message on its way.
pub(crate) struct Sent {
    pub(crate) message: Message,
    pub(crate) keys: Vec<Key>,
    pub(crate) how: How,
}

/// How it is answered.
#[derive(Clone, Debug)]
pub(crate) struct How {
    pub(crate) binding: Binding,
    history: Option<usize>,
    at_once: bool,
    streams: bool,
}

impl How {
    /// What is shown of a task that has just begun: a stream tells the rest afterwards.
    pub(crate) fn frame(&self) -> Frame {
        let upto = if self.streams { 1 } else { u64::MAX };
        Frame { upto, begun: true, ..Frame::now(self.history) }
    }
}

/// Takes a message.
pub(crate) fn send(
    call: &mut Call<'_, '_>,
    binding: &Binding,
    params: &Field<'_>,
    streams: bool,
) -> Result<Step, Fault> {
    let Sending { message, history, at_once } = request::sending(params)?;
    let how = How { binding: binding.clone(), history, at_once, streams };
    let keys = keys(call, &message)?;
    for key in &keys {
        let Some(used) = call.state.tasks.known(key) else { continue };
        let task = used.task.clone();
        if used.digest != message.digest {
            return Err(conflict(key, &task));
        }
        let Some(()) = known(call, &task)? else { return Ok(Step::Wait) };
        call.decided.replayed = true;
        return Ok(again(call, &task, &how));
    }
    let sent = Sent { message, keys, how };
    match sent.message.task.clone() {
        Some(task) => go_on(call, &task, sent),
        None if call.state.is_full() => {
            Err(Fault::new(Sort::Internal, "too many runs are under way: cancel one, or wait for its end"))
        }
        None => Ok(begin(call, sent)),
    }
}

/// The keys that stand for a message, which are taken down.
fn keys(call: &mut Call<'_, '_>, message: &Message) -> Result<Vec<Key>, Fault> {
    let header = call.heard.key;
    call.decided.key = Some(if header.is_empty() { message.id.clone() } else { header.to_owned() });
    call.decided.digest = Some(digest::text(&message.digest));
    if header.chars().count() > LONGEST_KEY {
        let why = format!("an Idempotency-Key has at most {LONGEST_KEY} characters");
        return Err(Fault::new(Sort::InvalidParams, why));
    }
    let header = Some(header).filter(|key| !key.is_empty()).map(|key| Key::Header(key.to_owned()));
    Ok(header.into_iter().chain([Key::Message(message.id.clone())]).collect())
}

fn conflict(key: &Key, task: &str) -> Fault {
    let why = "was used for another message, which stays; give each message its own";
    let fault = match key {
        Key::Message(_) => Fault::at("/message/messageId", why),
        Key::Header(_) => Fault::new(Sort::InvalidParams, format!("this Idempotency-Key {why}")),
    };
    fault.with("code", "idempotency_conflict").with("taskId", task)
}

/// A message that was taken before: the task as it stands now.
fn again(call: &mut Call<'_, '_>, id: &str, how: &How) -> Step {
    let frame = Frame::now(how.history);
    let asked = asked(call, id, how, Answers::Start, frame);
    settle(call, id, asked)
}

/// How a message is answered, when it was just taken. The frame shows the task as of it.
pub(crate) fn asked(call: &Call<'_, '_>, id: &str, how: &How, about: Answers, frame: Frame) -> Asked {
    let stream = || view(call.state, call.setting, id).map(|view| begun(view, frame, &how.binding, false));
    let kind = match (how.streams, how.at_once) {
        (true, _) => stream().map_or(Kind::AtOnce(false), Kind::Stream),
        (false, true) => Kind::AtOnce(frame.begun),
        (false, false) => Kind::Wait,
    };
    Asked { binding: how.binding.clone(), about, history: how.history, kind }
}

/// The first message of a task.
fn begin(call: &mut Call<'_, '_>, sent: Sent) -> Step {
    let (setting, now_ms) = (call.setting, call.now_ms);
    let message = &sent.message;
    let context = message
        .context
        .clone()
        .unwrap_or_else(|| format!("ctx-{}", setting.id("a2a context", &message.id, 12)));
    let id = call.state.fresh_id(setting, "a2a task", &message.id);
    call.decided.run = Some(id.clone());
    let script = setting.script_of(&message.text);
    let refusal = script.refuse.clone();
    let plan = Plan {
        prompt: message.text.clone(),
        script: Arc::new(script),
        key: message.id.clone(),
        wishes: message.wishes.clone(),
    };
    let bare = match refusal {
        Some(refusal) => {
            let (why, code) = (refusal.message, refusal.code);
            Some(("rejected", Stand::Rejected { why, code, at_ms: now_ms }))
        }
        None if is_ghost(call, message) => {
            Some(("auth_required", Stand::Auth { plan: Box::new(plan.clone()), at_ms: now_ms }))
        }
        None => None,
    };
    let Some((word, stand)) = bare else {
        call.state.add_task(&id, context, Stand::Run, setting);
        take(call, &id, &sent, 0);
        return start::start(call, &id, &plan, sent, true);
    };
    call.facts.push(changed(&id, word));
    call.state.add_task(&id, context, stand, setting);
    take(call, &id, &sent, 0);
    let asked = asked(call, &id, &sent.how, Answers::Start, Frame::now(sent.how.history));
    settle(call, &id, asked)
}

fn is_ghost(call: &Call<'_, '_>, message: &Message) -> bool {
    message.wishes.profile.as_ref() == Some(&call.setting.ghost)
}

/// Takes a message down, said after a row.
fn take(call: &mut Call<'_, '_>, id: &str, sent: &Sent, after: u64) {
    let said = Said { after, message: sent.message.shown.clone() };
    call.state.tasks.said(id, said, &sent.keys, sent.message.digest);
}

/// A message to a task that there is.
fn go_on(call: &mut Call<'_, '_>, id: &str, sent: Sent) -> Result<Step, Fault> {
    let Some(()) = known(call, id)? else { return Ok(Step::Wait) };
    let view = view(call.state, call.setting, id).ok_or_else(|| Fault::no_task(id))?;
    let (task, shown) = (view.task, view.status(u64::MAX).shown);
    if sent.message.context.as_ref().is_some_and(|context| *context != task.context) {
        let why = format!("is not that of the task, which is {:?}", task.context);
        return Err(Fault::at("/message/contextId", why));
    }
    if shown.is_terminal() {
        return Err(is_over(id, shown.word()));
    }
    if task.said.len() >= MOST_SAID {
        let why = format!("the task takes no more than {MOST_SAID} messages");
        return Err(Fault::new(Sort::UnsupportedOperation, why).with("taskId", id));
    }
    let Stand::Auth { plan, .. } = &task.stand else { return heard(call, id, &sent) };
    let plan = plan.clone();
    take(call, id, &sent, 0);
    if sent.message.wishes.profile.is_none() || is_ghost(call, &sent.message) {
        let asked = asked(call, id, &sent.how, Answers::Message, Frame::now(sent.how.history));
        return Ok(settle(call, id, asked));
    }
    Ok(start::start(call, id, &plan, sent, false))
}

/// A message to a task whose run is under way: the answer to its question, or a live message.
fn heard(call: &mut Call<'_, '_>, id: &str, sent: &Sent) -> Result<Step, Fault> {
    let (now_ms, live) = (call.now_ms, call.setting.live);
    let message = &sent.message;
    let Some(run) = call.state.runs.get_mut(id) else { return Err(Fault::no_task(id)) };
    let after = run.last_row();
    let about = match run.open.as_ref().map(|open| open.id.clone()) {
        Some(question) => {
            run.answer(&question, &[AnswerRow { text: message.text.clone() }], now_ms);
            Answers::Answer
        }
        None => {
            if message.text.encode_utf16().count() > LONGEST_MESSAGE {
                let why = format!("say more than {LONGEST_MESSAGE} UTF-16 units to a task that works");
                return Err(Fault::at("/message/parts", why));
            }
            let taken = run.message(&message.id, &message.text, None, live, now_ms);
            if !taken.accepted {
                call.touched(id);
                return Err(not_taken(id, &taken.outcome, taken.reason.as_deref()));
            }
            Answers::Message
        }
    };
    call.touched(id);
    take(call, id, sent, after);
    // The task is shown as of this message; what it brought about follows.
    let frame = if sent.how.streams {
        Frame { upto: after + 1, ..Frame::now(sent.how.history) }
    } else {
        Frame::now(sent.how.history)
    };
    let asked = asked(call, id, &sent.how, about, frame);
    Ok(settle(call, id, asked))
}

/// A live message that the run did not take.
fn not_taken(id: &str, outcome: &str, reason: Option<&str>) -> Fault {
    // Whether one whose fate is unknown arrived, nobody can say: that is our failure, not its sender's.
    let sort = if outcome == "delivery_unknown" { Sort::Internal } else { Sort::UnsupportedOperation };
    let reason = reason.unwrap_or_default();
    let why = format!("the task did not take the message: {outcome} ({reason})");
    Fault::new(sort, why).with("taskId", id).with("outcome", outcome).with("reason", reason)
}
