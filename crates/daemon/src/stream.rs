//! Event streams: rows of a timeline as they come, resumed behind any row, kept alive while nothing comes.

use crate::run::Run;
use crate::serve::Inner;
use crate::state::State;
use crate::v2::{frame, is_last};
use bytes::Bytes;
use rehearsal_world::clock::Clock;
use rehearsal_world::http::{LiveBody, LiveSender, live};
use rehearsal_world::task::{self, Notify};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// How long nothing may come before the stream says that it lives: that of the real daemon.
const PING: Duration = Duration::from_secs(15);

/// Who listens to which run.
#[derive(Debug, Default)]
pub(crate) struct Streams {
    all: Mutex<HashMap<String, Listeners>>,
    /// Whether the daemon ends, and nobody is told anything more.
    ending: AtomicBool,
}

/// The streams of one run.
#[derive(Debug)]
struct Listeners {
    bell: Arc<Notify>,
    count: usize,
    /// The last row that they were rung for.
    rung: u64,
}

impl Streams {
    /// Rings whoever listens to a run that has new rows.
    pub(crate) fn stir(&self, state: &State, run: Option<&str>) {
        let Some(id) = run else { return };
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(listeners) = all.get_mut(id) else { return };
        // What has no run has no rows either, and rings whenever something was asked of it.
        let last = state.run(id).map_or(0, Run::last_row);
        if last == 0 || last != listeners.rung {
            listeners.rung = last;
            listeners.bell.notify_waiters();
        }
    }

    /// Ends all streams: who listens is cut off, so that a daemon that is asked to end need not wait for it.
    pub(crate) fn end(&self) {
        self.ending.store(true, Ordering::Release);
        let all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        all.values().for_each(|listeners| listeners.bell.notify_waiters());
    }

    pub(crate) fn are_ending(&self) -> bool {
        self.ending.load(Ordering::Acquire)
    }

    pub(crate) fn join(&self, run: &str) -> Arc<Notify> {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let fresh = || Listeners { bell: Arc::default(), count: 0, rung: 0 };
        let listeners = all.entry(run.to_owned()).or_insert_with(fresh);
        listeners.count += 1;
        Arc::clone(&listeners.bell)
    }

    pub(crate) fn part(&self, run: &str) {
        let mut all = self.all.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(listeners) = all.get_mut(run) else { return };
        listeners.count -= 1;
        if listeners.count == 0 {
            all.remove(run);
        }
    }
}

/// Begins a stream behind a row.
pub(crate) fn begin(inner: &Arc<Inner>, run: String, after: u64) -> LiveBody {
    let (sender, body) = live(None);
    let inner = Arc::clone(inner);
    drop(task::spawn(async move {
        let bell = inner.streams.join(&run);
        play(&inner, &run, after, &bell, sender).await;
        inner.streams.part(&run);
    }));
    body
}

async fn play(inner: &Inner, run: &str, mut after: u64, bell: &Notify, mut sender: LiveSender) {
    if sender.send(Bytes::from_static(b": connected\n\n")).await.is_err() {
        return;
    }
    loop {
        let rung = bell.notified();
        if inner.streams.are_ending() {
            return;
        }
        let (frames, last, over) = news(&inner.state(), run, after);
        after = last;
        if !tell(inner, frames, &mut sender).await {
            return;
        }
        if over {
            if sender.send(Bytes::from_static(b"event: end\ndata: {}\n\n")).await.is_ok() {
                sender.finish();
            }
            return;
        }
        if !stays(rung, &mut sender).await {
            return;
        }
    }
}

/// Sends events once what they tell of is in the journal. False where nobody can be told any more.
pub(crate) async fn tell(inner: &Inner, frames: String, sender: &mut LiveSender) -> bool {
    frames.is_empty() || inner.recorder.flush().is_ok() && sender.send(Bytes::from(frames)).await.is_ok()
}

/// Waits for a bell, and says that the stream lives where it does not ring for long. False where nobody listens any more.
pub(crate) async fn stays(rung: impl Future<Output = ()>, sender: &mut LiveSender) -> bool {
    let clock = Clock::start();
    task::first(rung, task::first(task::after(PING), sender.gone())).await;
    let idle = clock.elapsed() >= PING;
    if idle && sender.send(Bytes::from_static(b": ping\n\n")).await.is_err() {
        return false;
    }
    !sender.is_gone()
}

/// The rows behind a row, the number of the last one, and whether nothing follows it.
fn news(state: &State, id: &str, after: u64) -> (String, u64, bool) {
    // A run that is no longer kept says nothing more.
    let Some(run) = state.run(id) else { return (String::new(), after, true) };
    let from = usize::try_from(after).unwrap_or(usize::MAX);
    // What comes behind the end, such as a message that is too late, is for the detail alone.
    let end = run.timeline.iter().position(is_last).map(|at| at + 1);
    let rows = run.timeline.get(from..end.unwrap_or(run.timeline.len())).unwrap_or_default();
    let frames: String = rows.iter().map(|row| frame(run, row)).collect();
    (frames, run.last_row(), end.is_some())
}
