//! Answers that leave while their task goes on: streams of events, and tasks that are waited for. Whoever listens or waits plays the run as
//! far as it goes by itself.

use super::answer::{EVENTS, Leaving, Play};
use super::fault::Fault;
use super::settle::view;
use super::show::Frame;
use crate::serve::Inner;
use crate::stream;
use bytes::Bytes;
use rehearsal_journal::digest;
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::{LiveSender, Reply, live};
use rehearsal_world::task::{self, Notify};
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;

/// How long clients may keep the card, seconds (section 8.6.1 asks for it).
const CARD_AGE: &str = "max-age=60";

/// The form in which it leaves. A body may be kept back for a time.
pub(crate) fn leave(inner: &Arc<Inner>, leaving: Leaving, late: Option<Duration>) -> Reply {
    match leaving {
        Leaving::Card(body) => {
            let sum = digest::text(&digest::of(&body));
            let head = ResponseHead::new(200)
                .with("content-type", "application/json")
                .with("cache-control", CARD_AGE)
                .with("etag", format!("\"{}\"", sum.get(..16).unwrap_or(&sum)));
            Reply::Whole { head, body: body.into() }
        }
        Leaving::Events(play) => {
            let head = ResponseHead::new(200).with("content-type", EVENTS).with("cache-control", "no-cache");
            begin(inner, head, play, (true, late))
        }
        Leaving::Wait(play) => {
            let head = ResponseHead::new(200).with("content-type", play.binding.kind());
            begin(inner, head, play, (false, late))
        }
    }
}

fn begin(
    inner: &Arc<Inner>,
    head: ResponseHead,
    play: Play,
    (streams, late): (bool, Option<Duration>),
) -> Reply {
    let (sender, body) = live(None);
    let inner = Arc::clone(inner);
    drop(task::spawn(async move {
        if let Some(time) = late {
            task::after(time).await;
        }
        let bell = inner.streams.join(&play.task);
        if streams {
            tell(&inner, &play, &bell, sender).await;
        } else {
            wait(&inner, &play, &bell, sender).await;
        }
        inner.streams.part(&play.task);
    }));
    Reply::Live { head, body }
}

/// Sends the events of a task until it is over, or, where nobody stays for that, waits for its user.
async fn tell(inner: &Arc<Inner>, play: &Play, bell: &Notify, mut sender: LiveSender) {
    if sender.send(Bytes::from(play.first.clone())).await.is_err() {
        return;
    }
    let (mut after, mut over) = (play.after, play.whole);
    while !over {
        let rung = bell.notified();
        if inner.streams.are_ending() {
            return;
        }
        inner.play(&play.task);
        let frames;
        (frames, after, over) = news(inner, play, after);
        if !stream::tell(inner, frames, &mut sender).await {
            return;
        }
        if over {
            break;
        }
        if !stream::stays(rung, &mut sender).await {
            return;
        }
    }
    sender.finish();
}

/// The events behind a row, the last row that they tell of, and whether nothing follows.
fn news(inner: &Inner, play: &Play, after: u64) -> (String, u64, bool) {
    let state = inner.state();
    // A task that is no longer kept says nothing more.
    let Some(view) = view(&state, &inner.setting, &play.task) else { return (String::new(), after, true) };
    let ends = |shown: super::shown::Shown| {
        if play.stays { shown.is_terminal() } else { shown.is_at_rest() }
    };
    let (mut out, mut last) = (String::new(), after);
    if view.run.is_none() {
        // Without a run there is but one thing that can happen to it.
        let status = view.status(u64::MAX);
        let over = ends(status.shown);
        if over {
            out.push_str(&play.binding.event(&view.status_update(&status)));
        }
        return (out, last, over);
    }
    for row in view.rows(after, u64::MAX) {
        let (events, shown) = view.events(row);
        out.extend(events.iter().map(|event| play.binding.event(event)));
        last = row.seq;
        if shown.is_some_and(ends) {
            return (out, last, true);
        }
    }
    (out, last, false)
}

/// Sends the task once it is at rest.
async fn wait(inner: &Arc<Inner>, play: &Play, bell: &Notify, mut sender: LiveSender) {
    loop {
        let rung = bell.notified();
        if inner.streams.are_ending() {
            return;
        }
        inner.play(&play.task);
        if let Some(text) = rested(inner, play) {
            if inner.recorder.flush().is_ok() && sender.send(Bytes::from(text)).await.is_ok() {
                sender.finish();
            }
            return;
        }
        task::first(rung, sender.gone()).await;
        if sender.is_gone() {
            return;
        }
    }
}

/// The answer, where the task is at rest or no longer kept.
fn rested(inner: &Inner, play: &Play) -> Option<String> {
    let state = inner.state();
    let Some(view) = view(&state, &inner.setting, &play.task) else {
        return Some(play.binding.fault_text(&Fault::no_task(&play.task)));
    };
    let is_at_rest = view.status(u64::MAX).shown.is_at_rest();
    is_at_rest.then(|| play.binding.text(&json!({"task": view.task(Frame::now(play.history))})))
}
