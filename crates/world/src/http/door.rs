//! What hyper calls for each request: reads the whole body, asks the app, and hands the answer to hyper or leaves a
//! [`Turn`] and ends hyper's part.

use std::sync::Arc;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Body, Incoming};
use rehearsal_wire::follow::RequestHead;

use super::ledger::{Leaving, Line, Phase, Reading, Turn};
use super::reply::{Asked, Payload, Way, way};
use super::{App, Why};

/// Not an error: hyper's part ends here because a [`Turn`] was left.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the reply leaves another way")]
pub(super) struct Diverted;

impl<A: App> Line<A> {
    /// Leaves a turn; hyper ends at once, as it has nothing more to send.
    fn divert(&self, turn: Turn) -> Diverted {
        self.ledger().turn = Some(turn);
        Diverted
    }
}

/// Takes one request from hyper to the app and the answer back. A plain function, so that hyper keeps its future in place: one
/// allocation a connection instead of one a request.
pub(super) async fn pass<A: App>(
    line: Arc<Line<A>>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Payload>, Diverted> {
    let (asked, incoming) = {
        let (parts, incoming) = request.into_parts();
        (Asked::of(&parts), incoming)
    };
    let head = match enter(&line) {
        Ok(head) => head,
        Err(why) => return Err(line.divert(Turn::Refuse(why))),
    };
    let (head, body) = match read(&line, head, incoming).await {
        Ok(whole) => whole,
        Err(why) => return Err(line.divert(Turn::Refuse(why))),
    };
    let answer = line.ask(head, body).await;
    let ticket = answer.ticket;
    match way(answer, asked) {
        Way::Ordinary(ordinary) => {
            let mut ledger = line.ledger();
            debug_assert!(
                ledger.leaving.is_none(),
                "hyper reads a head only after the answer before it has left"
            );
            ledger.leaving = Some(Leaving::new(ticket, ordinary.body_length));
            ledger.phase = Phase::Between;
            Ok(ordinary.response)
        }
        Way::Raw(raw) => Err(line.divert(Turn::Play { ticket, raw })),
    }
}

/// Takes the raw head of the request and judges what hyper lets pass.
fn enter<A: App>(line: &Line<A>) -> Result<RequestHead, Why> {
    let mut ledger = line.ledger();
    ledger.requests += 1;
    ledger.phase = Phase::Body;
    // hyper and the follower saw the same bytes; where they disagree on what they mean, nobody may guess.
    let head = ledger.take_head().ok_or(Why::Malformed)?;
    match head.fault() {
        None => Ok(head),
        Some(fault) => {
            ledger.reading = Some(Reading::new(head));
            Err(Why::Head(fault))
        }
    }
}

/// Reads the whole body. While it is incomplete, both lie in the ledger, for a refusal.
async fn read<A: App>(
    line: &Line<A>,
    head: RequestHead,
    mut incoming: Incoming,
) -> Result<(RequestHead, Bytes), Why> {
    if incoming.is_end_stream() {
        line.ledger().phase = Phase::Answer;
        return Ok((head, Bytes::new()));
    }
    let limit = line.limits.body;
    let too_large = incoming.size_hint().lower() > limit;
    line.ledger().reading = Some(Reading::new(head));
    if too_large {
        return Err(Why::BodyTooLarge(limit));
    }
    let mut got = 0;
    while let Some(frame) = incoming.frame().await {
        let mut ledger = line.ledger();
        let Ok(frame) = frame else {
            return Err(if ledger.client_done { Why::BodyCut { got } } else { Why::BadChunk { got } });
        };
        // Trailers say nothing that an app asks for.
        let (Ok(part), Some(reading)) = (frame.into_data(), &mut ledger.reading) else { continue };
        got = reading.push(part, incoming.size_hint().lower());
        if got > limit {
            return Err(Why::BodyTooLarge(limit));
        }
    }
    let mut ledger = line.ledger();
    ledger.phase = Phase::Answer;
    let reading = ledger.reading.take().ok_or(Why::Malformed)?;
    Ok(reading.finish())
}
