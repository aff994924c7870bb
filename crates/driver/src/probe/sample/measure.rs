//! Asks samples as a worker would, and counts the right results.

use super::{Sample, sample};
use crate::endpoint::ask::{Asker, Transport};
use crate::endpoint::class::Class;
use crate::worker::dispatch::{Dispatch, Do};
use crate::worker::format::guard::Limits;
use crate::worker::format::{Change, Format, Owned};
use crate::worker::ownership::{Mode, Protection, Reading, Set};
use crate::worker::task::{Outcome, Task};

/// What came of a sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sampled {
    /// The result is the right one.
    Right,
    /// It is another one, or none could be read: why.
    Wrong(String),
    /// The endpoint gave no answer that says anything of the model: why.
    Unanswered(String),
}

/// What came of all samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Measured {
    /// How many results were right.
    pub good: u64,
    /// How many answers there were.
    pub all: u64,
    /// What was wrong or unanswered, a sentence each.
    pub notes: Vec<String>,
}

impl Measured {
    /// Counts one more.
    pub fn add(&mut self, sample: &Sample, sampled: Sampled) {
        match sampled {
            Sampled::Right => (self.good, self.all) = (self.good + 1, self.all + 1),
            Sampled::Wrong(why) => {
                self.all += 1;
                self.notes.push(format!("{}: {why}", sample.fixture));
            }
            Sampled::Unanswered(why) => self.notes.push(format!("{}, not counted: {why}", sample.fixture)),
        }
    }
}

/// What came of a sample, as its notes may say it.
fn masked<T: Transport>(asker: &Asker<T>, sampled: Sampled) -> Sampled {
    match sampled {
        Sampled::Right => Sampled::Right,
        Sampled::Wrong(why) => Sampled::Wrong(asker.mask().hide(&why)),
        Sampled::Unanswered(why) => Sampled::Unanswered(asker.mask().hide(&why)),
    }
}

/// Asks one sample: the first answer counts, and nothing is sent back.
pub async fn measure<T: Transport>(
    number: u64,
    model: &str,
    format: &'static Format,
    asker: &mut Asker<T>,
) -> (Sample, Sampled) {
    let sample = sample(number);
    let owns = match Set::new(&[(sample.path, Mode::Edit)], &Protection::with(&[])) {
        Ok(owns) => owns,
        Err(error) => return (sample, Sampled::Unanswered(error.to_string())),
    };
    let task = Task {
        prompt: sample.prompt.clone(),
        model: model.to_owned(),
        owns,
        format,
        reading: Reading::Strict,
        limits: Limits::default(),
        repairs: 0,
        rounds: 0,
        validate_json: true,
        limit: None,
        temperature: None,
        stream: false,
        known: std::collections::BTreeSet::new(),
    };
    let mut dispatch = Dispatch::new(task, vec![Owned::edit(sample.path, &sample.before)]);
    loop {
        let result = asker.ask(&dispatch.turn(), &dispatch.dialing()).await;
        let sampled = match dispatch.answered(result) {
            Do::Ask => continue,
            Do::Commit(changes) => judge(&sample, &changes),
            Do::End(outcome) => ended(&outcome),
        };
        return (sample, masked(asker, sampled));
    }
}

/// Whether changes make of the file what it should be.
#[must_use]
pub(super) fn judge(sample: &Sample, changes: &[Change]) -> Sampled {
    match changes {
        [change] if change.path == sample.path && sample.is_right(&change.contents) => Sampled::Right,
        [_] => Sampled::Wrong("the file is not as it should be".to_owned()),
        _ => Sampled::Wrong(format!("{} files were changed", changes.len())),
    }
}

fn ended(outcome: &Outcome) -> Sampled {
    match outcome {
        Outcome::Applied | Outcome::NoOp => Sampled::Wrong("nothing was changed".to_owned()),
        Outcome::Incomplete => Sampled::Wrong("the model calls it unfinished".to_owned()),
        Outcome::Refused(failed) => Sampled::Wrong(format!("refused: {}", failed.message)),
        Outcome::Failed(failed) if is_of_the_model(failed.class) => {
            Sampled::Wrong(format!("{}: {}", failed.class.name(), failed.message))
        }
        Outcome::Failed(failed) => {
            Sampled::Unanswered(format!("{}: {}", failed.class.name(), failed.message))
        }
    }
}

/// Whether a failure says something of the model's answers, and not of the way to it.
fn is_of_the_model(class: Class) -> bool {
    matches!(
        class,
        Class::Refusal
            | Class::Truncated
            | Class::Filtered
            | Class::EmptyContent
            | Class::Format
            | Class::OwnershipViolation
            | Class::UnsafePath
    )
}
