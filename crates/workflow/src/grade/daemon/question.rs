//! How a client answers the questions of its runs.

use super::super::{Check, Evidence, Found, Tier};
use super::talk::Row;
use super::{Call, Talk, many, talk_of};
use rehearsal_daemon::run::of_prompt;
use rehearsal_journal::daemon::{Closed, Fact};
use rehearsal_journal::run::Severity;
use rehearsal_script::runs::{Act, Question, RunScript};

pub(in super::super) const QUESTION_ANSWERED_TWICE: Check = Check {
    code: "question-answered-twice",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a question was answered again although the first answer was delivered",
    remedy: "take `delivered` and `already_resolved` for the end of a question, and forget it",
    judge: Some(twice),
};
pub(in super::super) const QUESTION_NOT_OPEN: Check = Check {
    code: "question-not-open",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "an answer went to a question that nobody asked, or that the client had seen closed",
    remedy: "answer only what stands in `pendingInteractions` of the last read, by its `interactionId`",
    judge: Some(not_open),
};
pub(in super::super) const ANSWER_INVALID: Check = Check {
    code: "answer-invalid",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "an answer is none for its question: no rows, another part, a label that was not offered, too many of them, or nothing at all",
    remedy: "send `answers` with one row for each part: its `questionId`, labels of its `options` as they are, or a text in `freeText`",
    judge: Some(invalid),
};

/// Whether a delivered answer to the same question came before, whose delivery the client was told of.
fn answered_before<'t>(talk: &'t Talk, call: &Call) -> Option<&'t Call> {
    talk.before(call).iter().find(|before| {
        let same = before.decided.run == call.decided.run && before.question() == call.question();
        same && before.decided.operation == "run.answer" && before.decided.status == 200
    })
}

/// Whether the daemon said that the question is not open.
fn is_late(call: &Call) -> bool {
    matches!(
        (call.decided.status, call.decided.code.as_deref()),
        (409, Some("already_resolved")) | (404, Some("not_found"))
    )
}

fn twice(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let again = talk.of_operation("run.answer").filter(|call| is_late(call));
    let known = again.filter(|call| answered_before(talk, call).is_some_and(Call::surely_arrived));
    many(known, |call| {
        format!(
            "request {} answers the question {} again",
            call.exchange,
            call.question().unwrap_or_default()
        )
    })
}

fn not_open(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let wrong =
        |call: &&Call| is_late(call) && answered_before(talk, call).is_none() && !is_overtaken(talk, call);
    many(talk.of_operation("run.answer").filter(wrong), |call| {
        format!(
            "request {} answers the question {}, which is not open",
            call.exchange,
            call.question().unwrap_or_default()
        )
    })
}

/// Whether the question was closed without the client and behind its back: it saw nothing of the run since.
fn is_overtaken(talk: &Talk, call: &Call) -> bool {
    let before = talk.before(call);
    let closed = before.iter().rposition(|known| {
        known.facts.iter().any(|fact| match fact {
            Fact::QuestionClosed { question, how, .. } => {
                Some(question.as_str()) == call.question() && *how != Closed::Answered
            }
            _ => false,
        })
    });
    closed.is_some_and(|at| {
        let told = |known: &Call| {
            known.decided.run == call.decided.run && known.shows_questions() && known.surely_arrived()
        };
        !before[at..].iter().any(told)
    })
}

fn invalid(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let found = talk.of_operation("run.answer").filter_map(|call| {
        let why = why_invalid(talk, call)?;
        let question = call.question().unwrap_or_default();
        let message = format!("the answer to {question} in request {} {why}", call.exchange);
        Some(Found::at(message, [call.exchange]))
    });
    found.take(1).collect()
}

/// The parts of a question have these ids: there is one.
const PART: &str = "q1";

fn why_invalid(talk: &Talk, call: &Call) -> Option<String> {
    if call.decided.code.as_deref() == Some("rejected") {
        return Some("was rejected: it has no rows, or they are none".to_owned());
    }
    if call.decided.status != 200 {
        return None;
    }
    let rows = call.rows().unwrap_or_default();
    let asked = asked(talk, call.decided.run.as_deref()?, call.question()?);
    rows.iter().find_map(|row| why_row(row, asked.as_ref()))
}

fn why_row(row: &Row, asked: Option<&Question>) -> Option<String> {
    if let Some(part) = row.part.as_deref().filter(|part| *part != PART) {
        return Some(format!("is for the part {part:?}, and the question has {PART:?}"));
    }
    let asked = asked?;
    let offered = |label: &String| asked.options.iter().any(|(known, _)| known == label);
    if let Some(label) = row.labels.iter().find(|label| !offered(label)) {
        return Some(format!("chooses {label:?}, which was not offered"));
    }
    if row.labels.len() > 1 && !asked.multi_select {
        return Some(format!("chooses {} options of a question that takes one", row.labels.len()));
    }
    (row.labels.is_empty() && !row.free).then(|| "says nothing".to_owned())
}

/// What was asked.
fn asked(talk: &Talk, run: &str, question: &str) -> Option<Question> {
    let named = talk.facts().find_map(|(_, fact)| match fact {
        Fact::RunStarted { run: known, script, .. } if known == run => Some(script),
        _ => None,
    })?;
    let script = talk.scripts.runs.iter().find(|known| known.id == *named).cloned();
    let script = script.unwrap_or_else(|| of_markers(named));
    let short = run.get(..8).unwrap_or(run);
    script.steps.into_iter().find_map(|step| match step.act {
        Act::Ask(asked) if asked.id.replace("{run}", short) == question => Some(asked),
        Act::Ask(_)
        | Act::Edit(_)
        | Act::Note(_)
        | Act::Update(_)
        | Act::Call(_)
        | Act::End(_)
        | Act::Hang => None,
    })
}

/// The script of the markers that a journal names.
fn of_markers(names: &str) -> RunScript {
    of_prompt(&names.split('+').map(|name| format!("[FAKE:{name}]")).collect::<String>())
}
