//! Decides what the agent does next: a state machine over values, without I/O and without a clock.
//!
//! An answer that was cut at the length limit or held back is never used: its calls are not run and it is not echoed.
//! Asking again would bring the same cut, so that ends the work.

use crate::answer::{Answer, Call, Finish};
use crate::failure::Failure;
use crate::history::History;
use crate::options::Exit;
use crate::tool::{self, Action};
use std::collections::BTreeSet;
use std::time::Duration;

/// What the core needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) prompt: String,
    pub(crate) stream: bool,
    /// Attempts per logical call, 1 or more.
    pub(crate) attempts: u32,
    /// Turns in which the model may call tools.
    pub(crate) iterations: u32,
    /// Longest wait that the provider may ask for.
    pub(crate) longest_wait: Duration,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Send this body; attempts count from 1.
    Ask { body: Vec<u8>, attempt: u32 },
    /// Do these things, in order, and report one text for each.
    RunTools(Vec<Action>),
    /// Do nothing for this long.
    Wait(Duration),
    /// It is over.
    Done(Ending),
}

/// How it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    pub(crate) exit: Exit,
    /// What the model said last, for standard output.
    pub(crate) output: String,
    /// Why, where it did not simply finish.
    pub(crate) reason: Option<String>,
}

/// What happened.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Event {
    /// The request was answered.
    Answered(Answer),
    /// The attempt failed.
    Failed(Failure),
    /// The tools ran; one text for each action.
    ToolsRan(Vec<String>),
    /// The wait is over.
    Waited,
    /// The time for everything is used up.
    OutOfTime,
}

/// A conversation on its way.
#[derive(Debug)]
pub(crate) struct Conversation {
    settings: Settings,
    history: History,
    state: State,
    tool_turns: u32,
    ids: BTreeSet<String>,
}

/// A call that is to be answered: by the result of its action, or by what is wrong with it.
type Open = (String, Result<(), String>);

#[derive(Debug)]
enum State {
    Asking { attempt: u32 },
    Waiting { attempt: u32 },
    Running { calls: Vec<Open> },
    Over,
}

impl Conversation {
    /// A conversation and its first step.
    pub(crate) fn begin(settings: Settings) -> (Self, Next) {
        let history = History::new(&settings.model, &settings.prompt, settings.stream);
        let mut new = Self { settings, history, state: State::Over, tool_turns: 0, ids: BTreeSet::new() };
        let next = new.ask(1);
        (new, next)
    }

    /// What to do now that this happened.
    pub(crate) fn on(&mut self, event: Event) -> Next {
        match (std::mem::replace(&mut self.state, State::Over), event) {
            (State::Asking { .. }, Event::Answered(answer)) => self.answered(answer),
            (State::Asking { attempt }, Event::Failed(failure)) => self.failed(&failure, attempt),
            (State::Waiting { attempt }, Event::Waited) => self.ask(attempt + 1),
            (State::Running { calls }, Event::ToolsRan(results)) => self.answer_calls(calls, results),
            (_, Event::OutOfTime) => gave_up("the time for everything is used up".to_owned()),
            (state, event) => unreachable!("{event:?} while {state:?}"),
        }
    }

    fn ask(&mut self, attempt: u32) -> Next {
        self.state = State::Asking { attempt };
        Next::Ask { body: self.history.request(), attempt }
    }

    fn failed(&mut self, failure: &Failure, attempt: u32) -> Next {
        if !failure.is_passing() {
            return match failure {
                Failure::Status { .. } => {
                    done(Exit::Refused, String::new(), format!("the provider refused: {failure}"))
                }
                Failure::Wire(_) | Failure::BadAnswer(_) | Failure::TooLarge(_) => {
                    gave_up(failure.to_string())
                }
            };
        }
        if attempt >= self.settings.attempts {
            return gave_up(format!("gave up after {attempt} attempts: {failure}"));
        }
        match failure.wait(attempt, self.settings.longest_wait) {
            Ok(wait) => {
                self.state = State::Waiting { attempt };
                Next::Wait(wait)
            }
            Err(asked) => gave_up(format!(
                "the provider asks to wait {} s, the longest wait is {} s: {failure}",
                asked.as_secs(),
                self.settings.longest_wait.as_secs()
            )),
        }
    }

    fn answered(&mut self, mut answer: Answer) -> Next {
        if let Some(refusal) = answer.refusal {
            return done(Exit::Declined, refusal, "the model declined".to_owned());
        }
        match answer.finish {
            Finish::Whole => {}
            Finish::Length => {
                let output = answer.content.unwrap_or_default();
                return done(Exit::GaveUp, output, "the answer was cut at the length limit".to_owned());
            }
            Finish::Filtered => {
                let output = answer.content.unwrap_or_default();
                return done(
                    Exit::Declined,
                    output,
                    "the answer was held back by a content filter".to_owned(),
                );
            }
            Finish::Broken => unreachable!("a broken answer is a failure"),
        }
        if answer.calls.is_empty() {
            let output = answer.content.unwrap_or_default();
            return Next::Done(Ending { exit: Exit::Done, output, reason: None });
        }
        if self.tool_turns == self.settings.iterations {
            return gave_up(format!("gave up after {} tool turns", self.tool_turns));
        }
        self.tool_turns += 1;
        self.settle_ids(&mut answer.calls);
        self.history.add_turn(&answer);
        self.run(answer.calls)
    }

    fn run(&mut self, calls: Vec<Call>) -> Next {
        let mut actions = Vec::new();
        let mut open = Vec::new();
        for call in calls {
            let read = tool::read(&call.name, &call.arguments).map(|action| actions.push(action));
            open.push((call.id, read));
        }
        if actions.is_empty() {
            return self.answer_calls(open, Vec::new());
        }
        self.state = State::Running { calls: open };
        Next::RunTools(actions)
    }

    /// Answers every call once, in the order of the calls, and asks on.
    fn answer_calls(&mut self, calls: Vec<Open>, results: Vec<String>) -> Next {
        let mut results = results.into_iter();
        for (id, read) in calls {
            let text = match read {
                Ok(()) => results.next().unwrap_or_else(|| unreachable!("each action has a result")),
                Err(wrong) => format!("error: {wrong}"),
            };
            self.history.add_result(&id, &text);
        }
        assert!(results.next().is_none(), "each result has an action");
        self.ask(1)
    }

    /// Gives calls whose id is missing or was used before an id of their own, so that each answer has one call.
    fn settle_ids(&mut self, calls: &mut [Call]) {
        for (at, call) in calls.iter_mut().enumerate() {
            let mut salt = 0;
            while call.id.is_empty() || self.ids.contains(&call.id) {
                call.id = format!("call_{}_{at}_{salt}", self.tool_turns);
                salt += 1;
            }
            self.ids.insert(call.id.clone());
        }
    }
}

fn done(exit: Exit, output: String, reason: String) -> Next {
    Next::Done(Ending { exit, output, reason: Some(reason) })
}

fn gave_up(reason: String) -> Next {
    done(Exit::GaveUp, String::new(), reason)
}

#[cfg(test)]
mod tests;
