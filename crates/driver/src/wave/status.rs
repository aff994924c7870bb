//! How items stand while somebody works on them, from the journal and from whether its writer lives. Pure.

use super::past::{History, Past};
use crate::worker::report::object::Object;
use std::time::Duration;

/// A state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Somebody works on it.
    Running,
    /// Its files are written.
    Done,
    /// Somebody should, and nothing was heard for longer than a request may take.
    Stalled,
    /// It came to nothing, or its process ended before it did.
    Failed,
    /// Nobody began with it.
    Unknown,
}

impl State {
    /// Its name in reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Done => "done",
            Self::Stalled => "stalled",
            Self::Failed => "failed",
            Self::Unknown => "unknown",
        }
    }
}

/// How an item stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Status {
    /// The item.
    pub item: String,
    /// Its state.
    pub state: State,
    /// How long ago somebody began with it; none where nobody did.
    pub age: Option<Duration>,
    /// More about it: how it ended, how often was asked.
    pub detail: String,
}

impl Status {
    /// As one line of JSON.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut object = Object::begin();
        object.text("item", &self.item);
        object.text("state", self.state.name());
        object.flag("stalled", self.state == State::Stalled);
        object.count("ageS", self.age.map(|age| age.as_secs()));
        object.text("detail", &self.detail);
        object.end()
    }
}

/// How the items of the last work stand. `alive` says whether its process lives, `quiet` how long nothing was written, `patience`
/// how long that may be, `now_ms` what the wall clock says.
#[must_use]
pub fn statuses(
    history: &History,
    alive: bool,
    quiet: Duration,
    patience: Duration,
    now_ms: u64,
) -> Vec<Status> {
    history.order.iter().map(|item| status(history, item, alive, quiet > patience, now_ms)).collect()
}

/// How one item stands, by the same.
#[must_use]
pub fn status(history: &History, item: &str, alive: bool, is_quiet: bool, now_ms: u64) -> Status {
    let past = history.items.get(item);
    Status {
        item: item.to_owned(),
        state: past.map_or(State::Unknown, |past| state(past, alive, is_quiet)),
        age: past.map(|past| Duration::from_millis(now_ms.saturating_sub(past.began_ms))),
        detail: past.map_or_else(String::new, detail),
    }
}

fn state(past: &Past, alive: bool, is_quiet: bool) -> State {
    match &past.ended {
        Some(ended) if ended.outcome == "applied" => State::Done,
        Some(_) => State::Failed,
        None if !alive => State::Failed,
        None if is_quiet => State::Stalled,
        None => State::Running,
    }
}

fn detail(past: &Past) -> String {
    let asked = format!("{} request{}", past.requests, if past.requests == 1 { "" } else { "s" });
    let Some(ended) = &past.ended else { return asked };
    let verified = match (&ended.reason, ended.verified) {
        (_, true) => "verified".to_owned(),
        (Some(reason), false) => format!("not verified ({reason})"),
        (None, false) => "not verified".to_owned(),
    };
    format!("{asked}, {}, {verified}", ended.outcome)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_journal::drive::{Ended, Fact};

    #[test]
    fn a_state_that_is_an_end_stays_one_and_silence_is_no_work() {
        let items: Vec<String> = ["none", "open", "good", "bad"].map(str::to_owned).to_vec();
        let start = |item: &str| {
            let (work, model) = (String::new(), String::new());
            Fact::Started { item: item.to_owned(), work, model, unix_ms: 1000 }
        };
        let end = |item: &str, outcome: &str, verified| {
            Fact::Ended(Box::new(Ended {
                item: item.to_owned(),
                outcome: outcome.to_owned(),
                verified,
                reason: (!verified).then(|| "test_failed".to_owned()),
                class: None,
                suspect: false,
                files: Vec::new(),
                unix_ms: 0,
            }))
        };
        let history = History::of(&[
            Fact::Began { unix_ms: 0, pid: 1, items, seed: 0 },
            start("open"),
            Fact::Sending { item: "open".to_owned(), number: 1 },
            start("good"),
            end("good", "applied", true),
            start("bad"),
            end("bad", "failed", false),
        ]);
        let second = Duration::from_secs(1);
        let states = |alive, quiet| {
            let all = statuses(&history, alive, quiet, second, 3000);
            all.iter().map(|status| status.state.name()).collect::<Vec<_>>()
        };
        assert_eq!(states(true, second), ["unknown", "running", "done", "failed"]);
        assert_eq!(states(true, second * 2), ["unknown", "stalled", "done", "failed"]);
        assert_eq!(states(false, second), ["unknown", "failed", "done", "failed"]);
        let all = statuses(&history, true, second, second, 3000);
        assert_eq!(
            all[1].to_json(),
            r#"{"item":"open","state":"running","stalled":false,"ageS":2,"detail":"1 request"}"#
        );
        assert_eq!(all[3].detail, "0 requests, failed, not verified (test_failed)");
        assert_eq!((all[0].age, all[0].detail.as_str()), (None, ""));
    }
}
