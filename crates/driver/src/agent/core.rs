//! Decides what the agent does next: a state machine over values, without I/O and without a clock.
//!
//! What an answer is, and what is asked again, `endpoint` decides. An answer that was cut at the length limit or held back is none:
//! its calls are not run, it is not echoed, and asking again would bring the same cut.

use super::history::History;
use super::options::Exit;
use super::tool::{self, Action};
use crate::endpoint::answer::{Call, Told};
use crate::endpoint::class::{Class, Failed};
use crate::endpoint::request::Talk;
use std::collections::BTreeSet;

/// What the core needs to know.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub(crate) model: String,
    pub(crate) prompt: String,
    pub(crate) stream: bool,
    /// Turns in which the model may call tools.
    pub(crate) iterations: u32,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Next {
    /// Ask how the conversation goes on.
    Ask,
    /// Do these things, in order, and report one text for each.
    RunTools(Vec<Action>),
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
    /// The turn was answered.
    Answered(Box<Told>),
    /// It was not, after so many attempts.
    Failed(Box<Failed>, usize),
    /// The tools ran; one text for each action.
    ToolsRan(Vec<String>),
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
    Asking,
    Running { calls: Vec<Open> },
    Over,
}

impl Conversation {
    /// A conversation and its first step.
    pub(crate) fn begin(settings: Settings) -> (Self, Next) {
        let history = History::new(&settings.model, &settings.prompt, settings.stream);
        let mut new = Self { settings, history, state: State::Over, tool_turns: 0, ids: BTreeSet::new() };
        let next = new.ask();
        (new, next)
    }

    /// What is asked next.
    pub(crate) fn talk(&self) -> Talk<'_> {
        self.history.talk()
    }

    /// What to do now that this happened.
    pub(crate) fn on(&mut self, event: Event) -> Next {
        match (std::mem::replace(&mut self.state, State::Over), event) {
            (State::Asking, Event::Answered(told)) => self.answered(*told),
            (State::Asking, Event::Failed(failed, attempts)) => ended(*failed, attempts),
            (State::Running { calls }, Event::ToolsRan(results)) => self.answer_calls(calls, results),
            (_, Event::OutOfTime) => gave_up(OUT_OF_TIME.to_owned()),
            (state, event) => unreachable!("{event:?} while {state:?}"),
        }
    }

    fn ask(&mut self) -> Next {
        self.state = State::Asking;
        Next::Ask
    }

    fn answered(&mut self, mut told: Told) -> Next {
        if told.calls.is_empty() {
            let output = told.content.unwrap_or_default();
            return Next::Done(Ending { exit: Exit::Done, output, reason: None });
        }
        if self.tool_turns == self.settings.iterations {
            return gave_up(format!("gave up after {} tool turns", self.tool_turns));
        }
        self.tool_turns += 1;
        let mut calls = std::mem::take(&mut told.calls);
        self.settle_ids(&mut calls);
        self.history.add_turn(told, calls.clone());
        self.run(calls)
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
            self.history.add_result(id, text);
        }
        assert!(results.next().is_none(), "each result has an action");
        self.ask()
    }

    /// Gives calls whose id was used before an id of their own, so that each answer has one call.
    fn settle_ids(&mut self, calls: &mut [Call]) {
        for (at, call) in calls.iter_mut().enumerate() {
            let mut salt = 0;
            while self.ids.contains(&call.id) {
                call.id = format!("call_{}_{at}_{salt}", self.tool_turns);
                salt += 1;
            }
            self.ids.insert(call.id.clone());
        }
    }
}

const OUT_OF_TIME: &str = "the time for everything is used up";

/// How the work ends where a turn was not answered. What was said before a cut, or instead of the work, is shown.
fn ended(failed: Failed, attempts: usize) -> Next {
    if failed.retryable {
        let times = if attempts == 1 { "attempt" } else { "attempts" };
        return gave_up(format!("gave up after {attempts} {times}: {failed}"));
    }
    let said = failed.text.clone().unwrap_or_default();
    match failed.class {
        Class::Refusal => done(Exit::Declined, said, "the model declined".to_owned()),
        Class::Filtered => done(Exit::Declined, said, format!("held back by a content filter: {failed}")),
        Class::Truncated => done(Exit::GaveUp, said, failed.message),
        Class::TimeoutTotal => gave_up(format!("{OUT_OF_TIME}: {failed}")),
        Class::Config
        | Class::Auth
        | Class::Permission
        | Class::NotFound
        | Class::BadRequest
        | Class::UnsupportedParam
        | Class::ContextLength
        | Class::RateLimited
        | Class::Quota
        | Class::Server
        | Class::Overloaded
        | Class::Redirect
        | Class::ProviderError => {
            done(Exit::Refused, String::new(), format!("the provider refused: {failed}"))
        }
        Class::Protocol if failed.status.is_some_and(|status| status != 200) => {
            done(Exit::Refused, String::new(), format!("the provider refused: {failed}"))
        }
        Class::Protocol
        | Class::Connect
        | Class::Tls
        | Class::TimeoutConnect
        | Class::TimeoutIdle
        | Class::EmptyContent
        | Class::Format
        | Class::OwnershipViolation
        | Class::UnsafePath
        | Class::StaleBase
        | Class::Write
        | Class::Unverified
        | Class::Budget
        | Class::Cancelled => gave_up(failed.message),
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
