//! The head promises a whole reply, a part of it arrives, then the connection is reset.

use super::chunked;
use super::param::part;
use super::{Arrives, Dialects, Fault, Faulted, Group, Param, ParamKind, Params, Wanted, Work};
use crate::act::{Act, After, Plan};
use crate::frames::Frames;
use crate::reply::{Envelope, Reply, Usage};

const AT: Param = Param {
    name: "at",
    kind: ParamKind::Fraction,
    default: "0.5",
    doc: "how much of the body arrives before the reset",
};

pub(super) const ROW: Fault = Fault {
    name: "mid-body-drop",
    group: Group::Life,
    summary: "the head promises the whole reply, half of it arrives, then the connection is reset",
    dialects: Dialects::All,
    params: &[AT],
    example: r#"{"fault": "mid-body-drop"}"#,
    reports: &[],
    right_reaction: "a transport error, never a finished turn; a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Plan(plan)],
};

/// Said where the script says nothing. With an id of 26 and a time of 10 characters the chat body is 454 bytes long, and its
/// first half ends in "arriving b".
const WORDS: &str =
    "This reply will never finish arriving because the connection is cut exactly half way here";

fn plan(wanted: &Wanted<'_>) -> Faulted {
    let (canned, envelope);
    let (reply, around) = match wanted.reply {
        Some(reply) => (reply, wanted.envelope),
        None => {
            canned = Reply {
                text: Some(WORDS.to_owned()),
                usage: Usage { prompt: 1, completion: 1 },
                ..Reply::default()
            };
            envelope = Envelope {
                model: "\"hostile-mid-drop\"".to_owned(),
                choices: 1,
                logprobs: false,
                ..wanted.envelope.clone()
            };
            (&canned, &envelope)
        }
    };
    let share = Params(wanted.params).fraction(&AT);
    let (head, sent) = if wanted.stream {
        let frames = (wanted.dialect.stream)(reply, around);
        let whole = frames.bytes().len();
        (wanted.stream_head(), frames_until(&frames, part(whole, share)))
    } else {
        let mut body = (wanted.dialect.render)(reply, around);
        let head = wanted.whole_head(body.len());
        body.truncate(part(body.len(), share));
        (head, body)
    };
    Faulted {
        names: vec![ROW.name],
        // The head and the half leave in writes of their own, so that a client sees a good head first.
        plan: Plan { acts: vec![Act::Write(head), Act::Write(sent), Act::Abort], after: After::Close },
        status: Some(wanted.head.status),
        retry_after_ms: None,
        delivered: None,
    }
}

/// The first so many bytes of the frames, each in a chunk that promises the whole frame.
fn frames_until(frames: &Frames, bytes: usize) -> Vec<u8> {
    let (mut out, mut left) = (Vec::new(), bytes);
    for frame in frames.iter() {
        if left < frame.len() {
            chunked::promise(&mut out, frame.len());
            out.extend_from_slice(&frame[..left]);
            break;
        }
        chunked::chunk(&mut out, frame);
        left -= frame.len();
    }
    out
}
