//! Requests that were refused, and what was noted in those that were not. The code is the name of the rule.

use super::fold::Judged;
use super::{Evidence, Found, Tier};
use rehearsal_journal::event::{Kind, Rejected};
use rehearsal_journal::fold::{Facts, Request};
use rehearsal_journal::run::Severity;
use rehearsal_wire::rule::{Profile, RULES};
use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

/// What refuses where a cassette plays the provider.
const RECORDED: [&str; 2] = ["recording-miss", "recording-used-up"];

/// One failing for each rule that refused: the first refusal in its words, all its requests.
pub(super) fn refusals(evidence: &Evidence<'_>) -> Vec<Judged> {
    let mut judged: Vec<Judged> = Vec::new();
    for request in &evidence.facts.requests {
        let Some(code) = code(request) else { continue };
        if let Some(known) = judged.iter_mut().find(|known| known.code == code) {
            known.found.exchanges.push(request.exchange);
            continue;
        }
        let message = sentence(evidence, request) + &how_to_lift(code, evidence.pinned);
        judged.push(Judged {
            code: code.to_owned(),
            severity: Severity::Error,
            tier: Some(Tier::Wire),
            pointer: request.reject.as_ref().map(|reject| reject.pointer.clone()),
            found: Found::at(message, [request.exchange]),
        });
    }
    for known in &mut judged {
        let further = known.found.exchanges.len() - 1;
        if further > 0 {
            let plural = if further == 1 { " was" } else { "s were" };
            known.found.message.push_str(&format!("; {further} further request{plural} refused for this"));
        }
    }
    judged
}

/// The word for what refused a request; none where nothing did that is the agent's affair.
fn code(request: &Request) -> Option<&str> {
    let by_kind = match request.kind {
        // Clients look for routes that only some servers have.
        Kind::Aside => return None,
        Kind::Unreadable => "http",
        Kind::WrongPath => "route",
        Kind::BadJson => "json",
        Kind::Scenario | Kind::Background | Kind::Overrun | Kind::Hostile => {
            return request.reject.as_ref().map(|reject| reject.rule.as_str());
        }
    };
    let rule = request.reject.as_ref().map(|reject| reject.rule.as_str());
    Some(rule.filter(|rule| !rule.is_empty()).unwrap_or(by_kind))
}

fn sentence(evidence: &Evidence<'_>, request: &Request) -> String {
    let route = without_lane(&request.route);
    let words = |reject: &Rejected| {
        let code = reject.code.as_deref().unwrap_or(&reject.kind);
        match request.http_status {
            Some(status) => format!("{} ({status} {code})", reject.message),
            None => format!("{} ({code})", reject.message),
        }
    };
    let why = request.reject.as_ref().map_or_else(|| "no reason was kept".to_owned(), words);
    match request.kind {
        Kind::WrongPath if code(request) == Some("route") => {
            let doubled = if route.contains("/v1/v1/") { "; the base URL ends in /v1 already" } else { "" };
            format!("{route} is no route of this provider (404){doubled}")
        }
        // The sentence names the route itself, and begins with the code for clients that show nothing else.
        Kind::WrongPath if code(request).is_some_and(|code| RECORDED.contains(&code)) => {
            let message = request.reject.as_ref().map_or("no reason was kept", |reject| &*reject.message);
            message.split_once(": ").map_or(message, |(_, rest)| rest).trim_end_matches('.').to_owned()
        }
        Kind::Unreadable | Kind::WrongPath => format!("{route} was refused before its body was read: {why}"),
        Kind::Background => format!("in a request beside the script, {why}"),
        Kind::Scenario | Kind::Overrun | Kind::Hostile => {
            evidence.named(evidence.conversation(request)) + &why
        }
        Kind::BadJson | Kind::Aside => why,
    }
}

/// A route as the agent wrote it below its base URL: without the token of its case.
pub(super) fn without_lane(route: &str) -> String {
    let Some((method, path)) = route.split_once(' ') else { return route.to_owned() };
    let rest = path.strip_prefix("/t/").and_then(|lane| lane.find('/').map(|end| &lane[end..]));
    format!("{method} {}", rest.unwrap_or(path))
}

/// What a person can do whose agent meets what a file of the older form expects: more than most agents send.
fn how_to_lift(rule: &str, pinned: bool) -> String {
    if !pinned {
        return String::new();
    }
    let only_pinned = RULES.iter().any(|row| row.name == rule && row.profiles == [Profile::Pinned]);
    match rule {
        "expect-tools" | "expect-tool-choice" | "expect-parallel" => format!(
            ". Files without `version: 1` run under the profile `pinned`, which expects tools, a tool_choice and \
             \"parallel_tool_calls\": false of every request. Let the agent send them, or lift this with --rule {rule}=off, \
             or with --profile gate where the file does not ask for it itself"
        ),
        _ if only_pinned => {
            ". Only the profile `pinned` of files without `version: 1` holds this rule; --profile gate lifts it".to_owned()
        }
        _ => String::new(),
    }
}

/// What the rules noted without refusing it, one for each code and sentence, with all the requests it stands in.
pub(super) fn notes(facts: &Facts) -> Vec<Judged> {
    let mut notes: Vec<Judged> = Vec::new();
    // A sentence may name a call, of which there are many.
    let mut places: BTreeMap<(&str, &str), usize> = BTreeMap::new();
    for (exchange, note) in &facts.notes {
        match places.entry((&note.code, &note.message)) {
            Entry::Occupied(place) => notes[*place.get()].found.exchanges.push(*exchange),
            Entry::Vacant(place) => {
                place.insert(notes.len());
                notes.push(Judged {
                    code: note.code.clone(),
                    severity: super::codes::weight_of_note(&note.code),
                    tier: None,
                    pointer: Some(note.pointer.clone()),
                    found: Found::at(note.message.clone(), [*exchange]),
                });
            }
        }
    }
    notes
}
