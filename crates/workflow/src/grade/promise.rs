//! Files and commands that were expected: done, not done, or not done and claimed all the same.

use super::broken_json::Text;
use super::{Check, Evidence, Found, Tier, command_words, quote, sent};
use rehearsal_journal::digest;
use rehearsal_journal::fold::ToolCall;
use rehearsal_journal::run::Severity;
use rehearsal_script::scenario::ExpectFile;
use std::cell::LazyCell;
use std::collections::BTreeMap;

pub(super) const CLAIMED_NOT_DONE: Check = Check {
    code: "claimed-not-done",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &[],
    meaning: "an expected file or command is missing, while the agent answered the call that names it, or names it in its output",
    remedy: "answer a call with what really happened, and say a thing is done only when it is",
    judge: Some(claimed_not_done),
};
pub(super) const FILES: Check = Check {
    code: "files",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "a file of `files` is missing from the workspace or holds something else",
    remedy: "compare it with the case's workspace folder, which is kept; relative paths start there",
    judge: Some(files),
};
pub(super) const COMMANDS: Check = Check {
    code: "commands",
    severity: Severity::Error,
    tier: Tier::Outcome,
    follows: &["exit-status"],
    meaning: "a command of `commands.ran` did not run, or one of `commands.not_ran` did",
    remedy: "what counts is what the watching shim on PATH saw: a program that is called by its full path passes it by",
    judge: Some(commands),
};

fn claimed_not_done(evidence: &Evidence<'_>) -> Vec<Found> {
    let said = LazyCell::new(|| Said::of(evidence));
    let files = wrong_files(evidence).into_iter().filter_map(|(file, truth)| {
        Some((claim(evidence, &said, |text| names_path(text, &file.path))?, truth))
    });
    let commands = missing_commands(evidence).into_iter().filter_map(|(wanted, truth)| {
        Some((claim(evidence, &said, |text| command_words::stand_in(text, wanted))?, truth))
    });
    files
        .chain(commands)
        .map(|(claim, truth)| Found::at(format!("the agent {}; but {truth}", claim.words), claim.exchange))
        .collect()
}

fn files(evidence: &Evidence<'_>) -> Vec<Found> {
    let said = LazyCell::new(|| Said::of(evidence));
    wrong_files(evidence)
        .into_iter()
        .filter(|(file, _)| claim(evidence, &said, |text| names_path(text, &file.path)).is_none())
        .map(|(_, truth)| Found::new(truth))
        .collect()
}

fn commands(evidence: &Evidence<'_>) -> Vec<Found> {
    let said = LazyCell::new(|| Said::of(evidence));
    let missing = missing_commands(evidence)
        .into_iter()
        .filter(|(wanted, _)| claim(evidence, &said, |text| command_words::stand_in(text, wanted)).is_none())
        .map(|(_, truth)| Found::new(truth));
    let unwanted = evidence.phrasing.expect_agent.commands.not_ran.iter().filter_map(|words| {
        let ran = evidence.facts.commands.iter().find(|ran| command_words::begins(ran, words))?;
        let line = quote(&command_words::line(ran));
        Some(Found::new(format!("the agent ran {line} in {}; it must not run {words:?}", ran.folder)))
    });
    missing.chain(unwanted).collect()
}

/// The declared files that are not as declared, and what is true of them. One that differs in two ways is told twice.
fn wrong_files<'e>(evidence: &Evidence<'e>) -> Vec<(&'e ExpectFile, String)> {
    let Some(workspace) = &evidence.facts.workspace else { return Vec::new() };
    let mut wrong = Vec::new();
    let files: BTreeMap<&str, _> = workspace.files.iter().rev().map(|file| (file.0.as_str(), file)).collect();
    let contents: BTreeMap<&str, _> =
        evidence.contents.iter().rev().map(|(path, bytes)| (path.as_str(), bytes)).collect();
    for wanted in evidence.phrasing.expect_agent.files.iter() {
        let Some((path, length, sha256)) = files.get(wanted.path.as_str()).copied() else {
            wrong.push((wanted, format!("{} is not in the workspace", wanted.path)));
            continue;
        };
        if let Some(content) = &wanted.content
            && digest::text(&digest::of(content.as_bytes())) != *sha256
        {
            let is = contents
                .get(path.as_str())
                .map_or_else(|| format!("{length} bytes"), |bytes| quote(&String::from_utf8_lossy(bytes)));
            wrong.push((wanted, format!("{path} holds {is}, not {}", quote(content))));
        }
        if let Some(wanted_digest) = &wanted.sha256
            && !wanted_digest.eq_ignore_ascii_case(sha256)
        {
            wrong.push((wanted, format!("{path} has the SHA-256 {sha256}, not {wanted_digest}")));
        }
    }
    wrong
}

/// The commands that must run and did not.
fn missing_commands<'e>(evidence: &Evidence<'e>) -> Vec<(&'e str, String)> {
    let ran = &evidence.facts.commands;
    let wanted = evidence.phrasing.expect_agent.commands.ran.iter();
    wanted
        .filter(|words| !ran.iter().any(|ran| command_words::begins(ran, words)))
        .map(|words| (words.as_str(), format!("{words:?} never ran")))
        .collect()
}

/// What an agent says it did.
struct Claim {
    words: String,
    exchange: Option<u64>,
}

/// Where the agent claims something: a line of its output, else a call that it answered.
fn claim(evidence: &Evidence<'_>, said: &Said<'_>, named: impl Fn(&str) -> bool) -> Option<Claim> {
    // An agent that prints what it was asked claims nothing by it.
    let asked = |line: &str| evidence.conversations().any(|phrasing| phrasing.prompt.contains(line.trim()));
    if let Some(line) = evidence.stdout.lines().find(|line| named(line) && !asked(line)) {
        return Some(Claim { words: format!("printed {}", quote(line.trim())), exchange: None });
    }
    let found = said.0.iter().find(|(.., texts)| texts.iter().any(|text| named(text)));
    found.map(|(call, answered_in, _)| Claim {
        words: format!("answered the call {} of {} in request {answered_in}", call.id, call.name),
        exchange: Some(*answered_in),
    })
}

/// What the agent can claim something by, made once for all that is missing: its calls that it answered, each with the texts in its
/// arguments as it went out, each by itself, then all of them in a row.
struct Said<'e>(Vec<(&'e ToolCall, u64, Vec<String>)>);

impl<'e> Said<'e> {
    fn of(evidence: &Evidence<'e>) -> Self {
        let (requests, issued) = (evidence.facts.by_number(), sent::issued(evidence));
        // Those of one answer stand together, so that it is looked at once.
        let mut last: Option<(u64, BTreeMap<String, Vec<Text>>)> = None;
        let mut said = Vec::new();
        for call in &evidence.facts.calls {
            let Some(answered_in) = call.answered_in else { continue };
            let Some(request) = requests.get(&call.issued_in) else {
                said.push((call, answered_in, Vec::new()));
                continue;
            };
            if last.as_ref().is_none_or(|(exchange, _)| *exchange != request.exchange) {
                let sent = sent::calls(evidence, request, &issued).into_iter().rev();
                last = Some((request.exchange, sent.map(|sent| (sent.id, sent.texts)).collect()));
            }
            let texts = last.as_ref().and_then(|(_, sent)| sent.get(&call.id)).map_or(&[][..], Vec::as_slice);
            let mut texts: Vec<String> = texts.iter().map(|text| text.text.clone()).collect();
            texts.push(texts.join(" "));
            said.push((call, answered_in, texts));
        }
        Self(said)
    }
}

/// Whether a path stands in a text by itself, not as a part of a longer name.
fn names_path(text: &str, path: &str) -> bool {
    let part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + path.len()..].chars();
        let goes_on = match after.next() {
            // A sentence may end behind a path.
            Some('.') => after.next().is_some_and(part),
            Some(next) => part(next) || next == '/',
            None => false,
        };
        !before.is_some_and(|before| part(before) || before == '.') && !goes_on
    })
}
