//! Calls that were cut short, and an agent that executed them all the same.

use super::broken_json::Text;
use super::sent::{self, Sent};
use super::{Check, Evidence, Found, Tier, command_words, disk};
use rehearsal_journal::fold::Change;
use rehearsal_journal::run::Severity;

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

fn truncated_call_executed(evidence: &Evidence<'_>) -> Vec<Found> {
    let sent = sent::all(evidence);
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
