//! What hyper calls for each request: reads the whole body, asks the app, and hands the answer to hyper or leaves a
//! [`Turn`] and ends hyper's part.

use std::future::poll_fn;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::Response;
use hyper::body::{Body, Incoming};
use rehearsal_wire::follow::RequestHead;

use super::ledger::{Leaving, Line, Phase, Reading, Turn};
use super::reply::{Asked, Payload, Way, way};
use super::{App, Request, Why};

/// The door of one connection.
pub(super) struct Door<A: App> {
    line: Arc<Line<A>>,
}

impl<A: App> Door<A> {
    pub(super) fn new(line: Arc<Line<A>>) -> Self {
        Self { line }
    }
}

/// Not an error: hyper's part ends here because a [`Turn`] was left.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the reply leaves another way")]
pub(super) struct Diverted;

impl<A: App> hyper::service::Service<hyper::Request<Incoming>> for Door<A> {
    type Response = Response<Payload>;
    type Error = Diverted;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, Diverted>> + Send>>;

    fn call(&self, request: hyper::Request<Incoming>) -> Self::Future {
        Box::pin(pass(Arc::clone(&self.line), request))
    }
}

async fn pass<A: App>(
    line: Arc<Line<A>>,
    request: hyper::Request<Incoming>,
) -> Result<Response<Payload>, Diverted> {
    let (asked, incoming) = {
        let (parts, incoming) = request.into_parts();
        (Asked::of(&parts), incoming)
    };
    let head = match enter(&line) {
        Ok(head) => head,
        Err(why) => return divert(&line, Turn::Refuse(why)).await,
    };
    let (head, body) = match read(&line, head, incoming).await {
        Ok(whole) => whole,
        Err(why) => return divert(&line, Turn::Refuse(why)).await,
    };
    let answer = line.app.answer(Request { conn: line.conn, head, body }).await;
    let ticket = answer.ticket;
    match way(answer, asked) {
        Way::Ordinary(ordinary) => {
            let mut ledger = line.ledger();
            ledger.leaving.push_back(Leaving::new(ticket, ordinary.body_length));
            ledger.phase = Phase::Between;
            Ok(ordinary.response)
        }
        Way::Raw(plan) => divert(&line, Turn::Play { ticket, plan }).await,
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

/// Ends hyper's part once all earlier answers have left: what hyper still holds would be lost.
async fn divert<A: App>(line: &Line<A>, turn: Turn) -> Result<Response<Payload>, Diverted> {
    line.ledger().turn = Some(turn);
    poll_fn(|cx| {
        let mut ledger = line.ledger();
        if ledger.leaving.is_empty() {
            return Poll::Ready(());
        }
        ledger.drained = Some(cx.waker().clone());
        Poll::Pending
    })
    .await;
    Err(Diverted)
}
