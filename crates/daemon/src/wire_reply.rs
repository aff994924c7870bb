//! An answer in the form in which it leaves: whole, as a stream, or as what a script does to it on the raw socket.

use crate::a2a;
use crate::core::Decision;
use crate::serve::Inner;
use crate::setting::Manner;
use crate::stream;
use crate::v2::{self, Form};
use bytes::Bytes;
use rehearsal_script::runs::{Mode, Problem};
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::Reply;
use std::sync::Arc;

/// What is sent in the place of JSON.
const GARBAGE: &[u8] = b"<html><body>it works</body></html>";
/// What is sent of a refusal that breaks off.
const CUT: &[u8] = b"{\"code\": \"unauth";

/// The form in which a decision leaves.
pub(crate) fn of(inner: &Arc<Inner>, decision: Decision) -> Reply {
    let Decision { reply, trouble, .. } = decision;
    let reply = match trouble {
        Some(Mode::Problem(problem)) => in_its_place(problem, inner.setting.manner),
        Some(_) | None => reply,
    };
    let broken = trouble.and_then(|mode| plan(mode, &reply));
    match (broken, reply) {
        (Some(plan), _) => Reply::Acts(plan),
        (None, v2::Reply { form: Form::Events { run, after }, .. }) => {
            let head = ResponseHead::new(200)
                .with("content-type", "text/event-stream")
                .with("cache-control", "no-cache");
            Reply::Live { head, body: stream::begin(inner, run, after) }
        }
        (None, v2::Reply { form: Form::A2a(leaving), .. }) => {
            let late =
                trouble.and_then(|mode| if let Mode::SlowBody(time) = mode { Some(time) } else { None });
            a2a::leave(inner, leaving, late)
        }
        (None, v2::Reply { status, form: Form::Whole(kind, body) }) => {
            Reply::Whole { head: head(status, kind), body: body.into() }
        }
    }
}

/// A problem of the real daemon in the place of an answer.
fn in_its_place(problem: Problem, manner: Manner) -> v2::Reply {
    let Problem { status, code, retryable } = problem;
    let told = v2::Problem::new(status, code, "the script of the run has this problem here");
    if retryable { told.later().reply(manner) } else { told.reply(manner) }
}

/// The form of an answer that is whole.
pub(crate) fn whole(reply: v2::Reply) -> Option<Reply> {
    let v2::Reply { status, form: Form::Whole(kind, body) } = reply else { return None };
    Some(Reply::Whole { head: head(status, kind), body: body.into() })
}

/// The head of an answer that is whole. Who is not known is told how to be (RFC 9110, section 11.6.1).
fn head(status: u16, kind: &'static str) -> ResponseHead {
    let head = ResponseHead::new(status).with("content-type", kind);
    if status == 401 { head.with("www-authenticate", "Bearer") } else { head }
}

/// What a script does to an answer.
fn plan(mode: Mode, reply: &v2::Reply) -> Option<Plan> {
    let (kind, body) = match &reply.form {
        Form::Whole(kind, body) => (*kind, body.clone()),
        Form::Events { .. } if matches!(mode, Mode::SlowHead(_)) => return None,
        // What leaves piece by piece is slow on its own way out.
        Form::A2a(_) if mode.is_slow() => return None,
        Form::Events { .. } => ("text/event-stream", Bytes::from_static(b": connected\n\n")),
        Form::A2a(leaving) => leaving.beginning(),
    };
    let head = |status: u16, kind: &'static str, length: usize| {
        ResponseHead::new(status)
            .with("content-type", kind)
            .with("content-length", length.to_string())
            .to_bytes()
    };
    let (acts, after) = match mode {
        Mode::SlowHead(time) => {
            let mut bytes = head(reply.status, kind, body.len());
            bytes.extend_from_slice(&body);
            (vec![Act::Wait(time), Act::Write(bytes)], After::KeepAlive)
        }
        Mode::SlowBody(time) => {
            let bytes = head(reply.status, kind, body.len());
            (vec![Act::Write(bytes), Act::Wait(time), Act::Write(body.to_vec())], After::KeepAlive)
        }
        Mode::StatusThenCut => {
            (vec![Act::Write(head(reply.status, kind, body.len().max(1))), Act::Abort], After::Close)
        }
        Mode::Garbage => {
            let mut bytes = head(200, "application/json", GARBAGE.len());
            bytes.extend_from_slice(GARBAGE);
            (vec![Act::Write(bytes)], After::KeepAlive)
        }
        // It stands in the place of the answer already.
        Mode::Problem(_) => return None,
        Mode::UnauthorizedThenCut => {
            let mut bytes = head(401, "application/problem+json", 2 * CUT.len());
            bytes.extend_from_slice(CUT);
            (vec![Act::Write(bytes), Act::Abort], After::Close)
        }
    };
    Some(Plan { acts, after })
}
