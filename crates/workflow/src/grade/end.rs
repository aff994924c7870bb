//! Whether the case's conversations came to their end: never begun, broken off, calls left open.

use super::refusal::without_lane;
use super::{Check, Evidence, Found, Tier};
use rehearsal_journal::event::{Kind, SideCall};
use rehearsal_journal::fold::Request;
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::{Action, Phrasing};
use rehearsal_wire::fault::fault;
use std::collections::BTreeSet;

pub(super) const SIDE_CALLS_ONLY: Check = Check {
    code: "side-calls-only",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &[],
    meaning: "requests held the case's prompt, but none of them could be the agent's own turn: they looked like those for a title or a probe",
    remedy: "offer the model its tools in the request that does the work, and room for an answer",
    judge: Some(side_calls_only),
};
pub(super) const NEVER_ASKED: Check = Check {
    code: "never-asked",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["side-calls-only"],
    meaning: "no request of the case's conversation arrived",
    remedy: "point the agent at OPENAI_BASE_URL or {base_url} ({root_url}, or the variable of its own, for an API whose clients add the version), and give it the prompt as REHEARSAL_PROMPT or {prompt}, unchanged",
    judge: Some(never_asked),
};
pub(super) const STEPS_SKIPPED: Check = Check {
    code: "steps-skipped",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &[],
    meaning: "a step of the script was answered although the one before it never was: the request brought a history that this case did not make",
    remedy: "begin each conversation anew; a session that is resumed, or turns that the model never said, make the case worthless",
    judge: Some(steps_skipped),
};
pub(super) const NOT_FINISHED: Check = Check {
    code: "script-not-finished",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &[
        "side-calls-only",
        "never-asked",
        "time-limit",
        "agent-killed",
        "steps-skipped",
        "script-not-finished",
    ],
    meaning: "the agent stopped asking before the script's last step was answered",
    remedy: "answer every tool call and ask again until the model stops calling; retry what can be retried",
    judge: Some(not_finished),
};
pub(super) const UNANSWERED_CALL: Check = Check {
    code: "call-not-answered",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["side-calls-only", "time-limit", "agent-killed", "script-not-finished"],
    meaning: "a tool call got no tool result with its id",
    remedy: "send one tool result for each call, also where the tool failed or is unknown",
    judge: Some(unanswered_call),
};

fn never_asked(evidence: &Evidence<'_>) -> Vec<Found> {
    let facts = evidence.facts;
    let told = |request: &Request| {
        // What could not be read or found nothing at its path is told by its refusal, what is beside the script by its check.
        matches!(request.kind, Kind::BadJson | Kind::WrongPath | Kind::Unreadable)
            || request.side_call.is_some()
    };
    // A case with nothing but a daemon asks no model.
    let no_model = evidence.phrasing.is_daemons();
    if no_model || facts.scripted().next().is_some() || facts.asked().any(told) {
        return Vec::new();
    }
    let others: Vec<u64> = facts.asked().map(|request| request.exchange).collect();
    let status = facts.exited.as_ref().and_then(|exited| exited.status);
    let message = match facts.asked().next() {
        Some(first) => format!(
            "no request held the prompt or its marker {:?}, the first was {}: was the agent given {{prompt}}?",
            evidence.phrasing.marker,
            without_lane(&first.route)
        ),
        None => match status.filter(|status| *status != 0) {
            Some(status) => format!(
                "no request arrived before the agent ended with status {status}{}",
                super::agent::last_words(evidence.stderr)
            ),
            None => "no request arrived: is the agent pointed at OPENAI_BASE_URL ({base_url}), or at the variable of its API ({root_url})?".to_owned(),
        },
    };
    vec![Found::at(message, others)]
}

fn side_calls_only(evidence: &Evidence<'_>) -> Vec<Found> {
    let phrasing = evidence.phrasing;
    if phrasing.steps() == 0 || evidence.facts.scripted().next().is_some() {
        return Vec::new();
    }
    let aside = evidence.facts.requests.iter();
    let aside: Vec<_> = aside.filter_map(|request| Some((request, request.side_call?))).collect();
    let Some((first, why)) = aside.first() else { return Vec::new() };
    let why = match why {
        SideCall::NoTools => match first_call(phrasing) {
            Some((step, name)) => format!("offered no tools, while step {step} calls {name}"),
            None => "offered no tools, while the script calls some".to_owned(),
        },
        SideCall::Probe => "left no room for an answer, as a probe does".to_owned(),
        SideCall::AfterTheEnd => "came after the script's last answer".to_owned(),
    };
    let message = format!(
        "no request was a turn of the script: request {}, which holds the prompt, {why}; it was answered beside the script",
        first.exchange
    );
    vec![Found::at(message, aside.iter().map(|(request, _)| request.exchange))]
}

/// The first tool that a script calls, and the number of its step from 1.
fn first_call(phrasing: &Phrasing) -> Option<(usize, &str)> {
    let steps = phrasing.script.iter().enumerate();
    let mut calls = steps.filter_map(|(at, step)| Some((at + 1, &*step.action.said()?.calls.first()?.name)));
    calls.next()
}

/// A case passes by its last step; so every step before it must have been played.
fn steps_skipped(evidence: &Evidence<'_>) -> Vec<Found> {
    let delivered = Delivered::of(evidence);
    let skipped = |phrasing: &Phrasing| {
        let steps = phrasing.steps() as u64;
        let missing = (0..steps).find(|step| !delivered.has(phrasing, *step))?;
        let after = (missing + 1..steps).find(|step| delivered.has(phrasing, *step))?;
        let at = evidence.scripted(phrasing).find(|request| request.step == Some(after))?;
        let message = format!(
            "step {} of {steps} was answered, though step {} never was: the request brought turns that were not played here",
            after + 1,
            missing + 1
        );
        Some(Found::at(evidence.named(phrasing) + &message, [at.exchange]))
    };
    evidence.conversations().filter(|phrasing| !phrasing.hostile).filter_map(skipped).collect()
}

fn not_finished(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.facts.scripted().next().is_none() {
        return Vec::new();
    }
    let delivered = Delivered::of(evidence);
    evidence.conversations().filter_map(|phrasing| broken_off(evidence, phrasing, &delivered)).collect()
}

/// Where a conversation was left before its end.
fn broken_off(evidence: &Evidence<'_>, phrasing: &Phrasing, delivered: &Delivered<'_>) -> Option<Found> {
    let steps = phrasing.steps() as u64;
    if phrasing.hostile || steps == 0 || delivered.has(phrasing, steps - 1) {
        return None;
    }
    let Some(last) = evidence.scripted(phrasing).last() else {
        let begun = evidence.facts.scripted().last().map(|request| request.exchange);
        return Some(Found::at(format!("the conversation {} was never begun", phrasing.id), begun));
    };
    let reached = (0..steps).rev().find(|step| delivered.has(phrasing, *step));
    let next = reached.map_or(1, |step| step + 2);
    let message = if last.reject.is_some() {
        format!("the agent gave up at step {next} of {steps}, where its last request was refused")
    } else if let Some(status) = last.api_error {
        format!(
            "the agent gave up after an error {status} before step {next} of {steps}; it should have tried again"
        )
    } else if let Some(fault) = &last.fault {
        format!("the agent stopped at {fault}, before step {next} of {steps}; right is: {}", right(fault))
    } else if reached
        .is_some_and(|step| phrasing.script.get(step as usize).is_some_and(|step| ends_a_turn(&step.action)))
    {
        format!(
            "the agent stopped after step {} of {steps}, an answer without tool calls; the script goes on",
            next - 1
        )
    } else {
        format!("the agent stopped after step {} of {steps}; the model had not finished", next - 1)
    };
    Some(Found::at(evidence.named(phrasing) + &message, [last.exchange]))
}

/// What a correct client does about these faults.
fn right(names: &str) -> String {
    let rows = names.split('+').filter_map(fault);
    rows.map(|row| row.right_reaction).collect::<Vec<_>>().join("; ")
}

/// Whether agents take this for the model's last word.
fn ends_a_turn(action: &Action) -> bool {
    matches!(action, Action::Say(said) if said.calls.is_empty())
}

/// The steps whose own answers went out, by the ids of their conversations. Trouble that stands before a step carries its number too,
/// and does not count.
pub(super) struct Delivered<'e>(BTreeSet<(&'e str, u64)>);

impl<'e> Delivered<'e> {
    pub(super) fn of(evidence: &Evidence<'e>) -> Self {
        let answered = |request: &'e Request| {
            let step = request.step.filter(|_| request.reject.is_none() && request.side_call.is_none())?;
            let phrasing = evidence.conversation(request);
            let place = usize::try_from(step).ok();
            let action = place.and_then(|place| phrasing.script.get(place)).map(|step| &step.action);
            let (is_error, is_fault) = match action {
                Some(Action::Error(_)) => (true, false),
                Some(Action::Fault { .. }) => (false, true),
                Some(Action::Say(_) | Action::End) | None => (false, false),
            };
            let own = (is_fault || request.fault.is_none()) && (is_error || request.api_error.is_none());
            own.then_some((phrasing.id.as_str(), step))
        };
        Self(evidence.facts.requests.iter().filter_map(answered).collect())
    }

    /// Whether the answer of this step of the conversation did.
    pub(super) fn has(&self, phrasing: &Phrasing, step: u64) -> bool {
        self.0.contains(&(phrasing.id.as_str(), step))
    }
}

fn unanswered_call(evidence: &Evidence<'_>) -> Vec<Found> {
    let requests = evidence.facts.by_number();
    let hostile = |exchange: u64| {
        let request = requests.get(&exchange);
        request.map_or(evidence.phrasing, |request| evidence.conversation(request)).hostile
    };
    let open = evidence.facts.unanswered().filter(|call| !hostile(call.issued_in));
    open.map(|call| {
        let message = format!("the call {} of {} was never answered by a tool result", call.id, call.name);
        Found::at(message, [call.issued_in])
    })
    .collect()
}
