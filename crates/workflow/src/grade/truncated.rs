//! Calls that were cut short, and an agent that executed them all the same.

use super::broken_json::{self, Text};
use super::{Check, Evidence, Found, Tier, command_words, disk};
use rehearsal_journal::fold::{Change, Request};
use rehearsal_journal::run::Severity;
use rehearsal_script::issued::call_id;
use rehearsal_script::scenario::{Action, Said, Step};
use rehearsal_wire::json::{Kind, parse};

pub(super) const TRUNCATED_CALL_EXECUTED: Check = Check {
    code: "truncated-call-executed",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the agent did what a tool call said that was cut short: its arguments are no JSON object, or the answer ended for `length` or `content_filter`",
    remedy: "read the arguments strictly and look at finish_reason; answer such a call with an error, or ask again",
    judge: Some(truncated_call_executed),
};

/// Shortest beginning of a path that is taken for it where the text broke off, characters.
const SHORTEST: usize = 3;

/// A call as it went out.
struct Sent {
    id: String,
    name: String,
    exchange: u64,
    /// Why it must not be executed; none where it may.
    broken: Option<String>,
    texts: Vec<Text>,
}

fn truncated_call_executed(evidence: &Evidence<'_>) -> Vec<Found> {
    let sent: Vec<Sent> =
        evidence.facts.requests.iter().flat_map(|request| calls(evidence, request)).collect();
    let mut found = Vec::new();
    for call in &sent {
        let Some(why) = &call.broken else { continue };
        if found.iter().any(|(id, _)| *id == call.id) {
            continue;
        }
        if let Some(done) = executed(evidence, call, &sent) {
            let message = format!(
                "the call {} of {} came {why}, and the agent {done}; a call that is cut short must not be executed",
                call.id, call.name
            );
            found.push((call.id.clone(), Found::at(message, [call.exchange])));
        }
    }
    found.into_iter().map(|(_, found)| found).collect()
}

/// The calls that a request was answered with, whole or in part.
fn calls(evidence: &Evidence<'_>, request: &Request) -> Vec<Sent> {
    let phrasing = evidence.conversation(request);
    let (Some(step), None, None) = (request.step, &request.reject, request.api_error) else {
        return Vec::new();
    };
    let at = usize::try_from(step).unwrap_or(usize::MAX);
    let last = phrasing.script.len().saturating_sub(1);
    let place = if phrasing.forever { at.min(last) } else { at };
    let Some(scripted) = phrasing.script.get(place) else { return Vec::new() };
    let mut sent = Vec::new();
    for said in said(scripted, request) {
        let cut = said.finish_reason.as_deref().filter(|why| matches!(*why, "length" | "content_filter"));
        for (k, call) in said.calls.iter().enumerate() {
            let id = call_id(&phrasing.id, at, k);
            // A fault that delivers a reply whole says so in the journal.
            let whole = evidence.facts.calls.iter().any(|issued| {
                issued.id == id && (request.fault.is_none() || issued.issued_in == request.exchange)
            });
            let object =
                parse(call.arguments.as_bytes()).is_ok_and(|tape| tape.root().kind() == Kind::Object);
            let broken = match (&request.fault, cut) {
                (None, _) if !whole => continue,
                (Some(fault), _) if !whole => Some(format!("within {fault}")),
                (_, Some(why)) => Some(format!("in an answer that ended for {why}")),
                (_, None) if !object => Some("with arguments that are no JSON object".to_owned()),
                (_, None) => None,
            };
            let texts = broken_json::texts(&call.arguments);
            sent.push(Sent { id, name: call.name.clone(), exchange: request.exchange, broken, texts });
        }
    }
    sent
}

/// What a step said to a request: by the fault that the journal names, else its own words and those of trouble before it.
fn said<'s>(step: &'s Step, request: &Request) -> Vec<&'s Said> {
    let actions = step.before.iter().map(|trouble| &trouble.action).chain([&step.action]);
    actions
        .filter_map(|action| match (action, &request.fault) {
            (Action::Say(said), None) => Some(said),
            (Action::Fault { name, said, .. }, Some(fault)) if name == fault => said.as_ref(),
            (Action::Say(_), Some(_)) | (Action::Fault { .. } | Action::Error(_) | Action::End, _) => None,
        })
        .collect()
}

/// What the host saw of a broken call's execution, where no whole call explains it.
fn executed(evidence: &Evidence<'_>, call: &Sent, sent: &[Sent]) -> Option<String> {
    let whole = || sent.iter().filter(|other| other.broken.is_none()).flat_map(|other| &other.texts);
    let file = disk::changed(evidence).into_iter().find(|(path, change)| {
        let touched = match change {
            Change::Made | Change::Changed => true,
            Change::Deleted => false,
        };
        touched && call.texts.iter().any(|text| names(text, path)) && !whole().any(|text| names(text, path))
    });
    if let Some((path, change)) = file {
        return Some(format!("still {} {path}", change.word()));
    }
    let list = |texts: &mut dyn Iterator<Item = &Text>| -> String {
        texts.map(|text| text.text.as_str()).collect::<Vec<_>>().join(" ")
    };
    let (broken, good) = (list(&mut call.texts.iter()), list(&mut whole()));
    let ran = evidence.facts.commands.iter().find(|ran| {
        let line = command_words::line(ran);
        let begins = |text: &str| one_line(text).starts_with(&line);
        !line.is_empty()
            && (begins(&broken) || call.texts.iter().any(|text| begins(&text.text)))
            && !command_words::stand_in(&good, &line)
    });
    ran.map(|ran| format!("still ran {}", super::quote(&command_words::line(ran))))
}

/// A text with one blank between its words.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether a text is a path of the workspace: as it stands there, from the root or from `.`, or its beginning where the text
/// broke off.
fn names(text: &Text, path: &str) -> bool {
    let named = text.text.trim_start_matches("./");
    let cut_short = !text.whole && named.chars().count() >= SHORTEST && path.starts_with(named);
    named == path || named.ends_with(&format!("/{path}")) || cut_short
}
