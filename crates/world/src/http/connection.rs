//! One connection from its first byte to its last: hyper's part, what the pump plays after it, and hyper again.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use rehearsal_wire::act::{Act, After, Plan};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep_until};

use super::closing::{Closing, Stage};
use super::ledger::Line;
use super::live::{self, Live};
use super::plain;
use super::reply::{Asked, Raw, last_played};
use super::speak::speak;
use super::step::{Step, next_step};
use super::{App, End};
use crate::pump::{self, Played};

/// How long a client may take to close its side once the server shuts down.
const LAST_MOMENT: Duration = Duration::from_millis(200);

/// Serves one connection to its end.
pub(super) async fn run<A: App>(line: Arc<Line<A>>, stream: TcpStream, closing: &Closing) {
    let _rest = Rest(&line);
    let mut stream = stream;
    let mut front = Bytes::new();
    loop {
        let (ended, ahead) = match plain::run(&line, &mut stream, front, closing).await {
            plain::Left::Over => return,
            plain::Left::Ended(ended, front) => (ended, front),
            plain::Left::ToHyper(front) => {
                let (ended, socket, front) = speak(&line, stream, front, closing).await;
                stream = socket;
                (ended, front)
            }
        };
        let step = next_step(&line, ended, ahead);
        front = match step {
            Step::Leave => return,
            Step::Close => return close(&line, &mut stream, closing).await,
            Step::Again(front) => front,
            Step::Play { ticket, raw, front } => {
                if !play_raw(&line, &mut stream, ticket, raw, closing).await {
                    return;
                }
                if closing.at(Stage::Finish) {
                    return close(&line, &mut stream, closing).await;
                }
                front
            }
            Step::Refuse(refusal) => {
                let asked = Asked::refused(refusal.head.as_ref());
                let answer = line.app.refuse(refusal).await;
                let ticket = answer.ticket;
                let raw = last_played(answer, asked);
                play_raw(&line, &mut stream, ticket, raw, closing).await;
                return;
            }
        };
    }
}

/// Reports what never left when the connection ends, also by a panic.
struct Rest<'a, A: App>(&'a Line<A>);

impl<A: App> Drop for Rest<'_, A> {
    fn drop(&mut self) {
        self.0.give_up(End::ClientLeft);
    }
}

/// Plays a reply; false where the connection is over.
async fn play_raw<A: App>(
    line: &Line<A>,
    stream: &mut TcpStream,
    ticket: u64,
    raw: Raw,
    closing: &Closing,
) -> bool {
    match raw {
        Raw::Plan(plan) => play(line, stream, ticket, plan, closing).await,
        // In a place of its own, so that connections without one are no larger for it.
        Raw::Live(live) => Box::pin(play_live(line, stream, ticket, *live, closing)).await,
    }
}

/// Plays a live reply; false where the connection is over.
async fn play_live<A: App>(
    line: &Line<A>,
    stream: &mut TcpStream,
    ticket: u64,
    live: Live,
    closing: &Closing,
) -> bool {
    let last = live.last();
    let left = |left| line.app.left(ticket, left);
    let played = tokio::select! {
        biased;
        played = live::play(stream, live, line.limits.write_time, left) => played,
        () = closing.reached(Stage::Leave) => live::Played::Over,
    };
    match played {
        live::Played::Over => false,
        live::Played::Whole if !last => true,
        live::Played::Whole | live::Played::Broken => {
            close(line, stream, closing).await;
            false
        }
    }
}

/// Plays a plan; false where the connection is over.
pub(super) async fn play<A: App>(
    line: &Line<A>,
    stream: &mut TcpStream,
    ticket: u64,
    plan: Plan,
    closing: &Closing,
) -> bool {
    let stalls = plan.acts.iter().any(|act| matches!(act, Act::Stall));
    let stage = if stalls { Stage::Finish } else { Stage::Leave };
    let left = |left| line.app.left(ticket, left);
    let played = tokio::select! {
        biased;
        played = pump::play(stream, plan.acts, line.limits.write_time, left) => played,
        () = closing.reached(stage) => Played::Over,
    };
    match (played, plan.after) {
        (Played::Over, _) => false,
        (Played::All, After::KeepAlive) => true,
        (Played::All, After::Close) => {
            close(line, stream, closing).await;
            false
        }
    }
}

/// Closes gently; once the server shuts down, only a moment longer.
async fn close<A: App>(line: &Line<A>, stream: &mut TcpStream, closing: &Closing) {
    let soon = async {
        closing.reached(Stage::Finish).await;
        sleep_until(Instant::now() + LAST_MOMENT).await;
    };
    tokio::select! {
        () = pump::close(stream, line.limits.drain, line.limits.drain_time) => {}
        () = soon => {}
    }
}
