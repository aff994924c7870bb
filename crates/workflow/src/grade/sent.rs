//! Tool calls as they went out: what the script says of the calls that the journal names, and whether they came whole.

use super::Evidence;
use super::broken_json::{self, Text};
use rehearsal_journal::fold::Request;
use rehearsal_script::issued::call_id;
use rehearsal_script::scenario::{Action, Said, Step};
use rehearsal_wire::json::{Kind, parse};
use std::collections::{BTreeMap, BTreeSet};

/// A call as it went out.
pub(super) struct Sent {
    pub(super) id: String,
    pub(super) name: String,
    pub(super) exchange: u64,
    /// Why it must not be executed; none where it may.
    pub(super) broken: Option<String>,
    /// The texts that stand as values in its arguments.
    pub(super) texts: Vec<Text>,
}

/// All calls that went out, each once for each way in which it did: an agent may ask for one a thousand times.
pub(super) fn all(evidence: &Evidence<'_>) -> Vec<Sent> {
    let issued_first: BTreeSet<u64> = evidence.facts.calls.iter().map(|call| call.issued_in).collect();
    let issued = issued(evidence);
    let (mut known, mut sent) = (BTreeSet::new(), Vec::new());
    let answered = |request: &&Request| request.reject.is_none() && request.api_error.is_none();
    for request in evidence.facts.requests.iter().filter(answered) {
        let first = issued_first.contains(&request.exchange);
        if known.insert((&evidence.conversation(request).id, request.step, &request.fault, first)) {
            sent.extend(calls(evidence, request, &issued));
        }
    }
    sent
}

/// The calls that the journal names, and the request that issued each first.
pub(super) fn issued<'e>(evidence: &Evidence<'e>) -> BTreeMap<&'e str, u64> {
    evidence.facts.calls.iter().map(|call| (call.id.as_str(), call.issued_in)).collect()
}

/// The calls that a request was answered with, whole or in part.
pub(super) fn calls(evidence: &Evidence<'_>, request: &Request, issued: &BTreeMap<&str, u64>) -> Vec<Sent> {
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
            let whole = issued
                .get(id.as_str())
                .is_some_and(|first| request.fault.is_none() || *first == request.exchange);
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
            (Action::Fault { said, .. }, Some(fault)) if action.breaks_by(fault) => said.as_ref(),
            (Action::Say(_), Some(_)) | (Action::Fault { .. } | Action::Error(_) | Action::End, _) => None,
        })
        .collect()
}
