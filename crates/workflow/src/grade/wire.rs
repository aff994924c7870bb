//! What the wire says: requests refused, script not finished, calls not answered.

use super::{Check, Evidence, Found};
use rehearsal_journal::event::Kind;
use rehearsal_journal::fold::Request;
use rehearsal_script::scenario::{Action, Phrasing};

pub(super) const NEVER_ASKED: Check = Check { code: "never-asked", judge: never_asked };
pub(super) const REJECTED: Check = Check { code: "request-refused", judge: rejected };
pub(super) const UNREADABLE: Check = Check { code: "unreadable-request", judge: unreadable };
pub(super) const UNKNOWN_ROUTE: Check = Check { code: "unknown-route", judge: unknown_route };
pub(super) const NOT_FINISHED: Check = Check { code: "script-not-finished", judge: not_finished };
pub(super) const OVERRUN: Check = Check { code: "asked-past-the-end", judge: overrun };
pub(super) const UNANSWERED_CALL: Check = Check { code: "call-not-answered", judge: unanswered_call };
pub(super) const TOO_MANY_REQUESTS: Check = Check { code: "too-many-requests", judge: too_many_requests };

/// Most requests of a hostile case where the file sets no bound. The most persistent client that was measured sends 53 in 100 s.
const HOSTILE_REQUESTS: u64 = 60;
/// Refusals that are told one by one.
const TOLD: usize = 3;

/// Steps that have an index: all but an [`Action::End`] that only carries steps with `times`.
pub(super) fn indexed_steps(phrasing: &Phrasing) -> u64 {
    phrasing.script.iter().filter(|step| !matches!(step.action, Action::End)).count() as u64
}

fn never_asked(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.facts.started.is_none() || evidence.facts.scripted().next().is_some() {
        return Vec::new();
    }
    let others: Vec<u64> = evidence.facts.asked().map(|request| request.exchange).collect();
    let message = if others.is_empty() {
        "no request arrived: is the agent pointed at OPENAI_BASE_URL (or {base_url})?".to_owned()
    } else {
        format!("no request held the prompt or its marker {:?}: was the agent given {{prompt}}?", evidence.phrasing.marker)
    };
    vec![Found::at(message, others)]
}

fn rejected(evidence: &Evidence<'_>) -> Vec<Found> {
    let all: Vec<_> = evidence
        .facts
        .rejects()
        .filter(|(request, _)| !matches!(request.kind, Kind::Unreadable | Kind::WrongPath | Kind::Aside))
        .collect();
    let mut found: Vec<Found> = all
        .iter()
        .take(TOLD)
        .map(|(request, reject)| {
            let code = reject.code.as_deref().unwrap_or(&reject.kind);
            Found::at(format!("{code}: {}", reject.message), [request.exchange])
        })
        .collect();
    if all.len() > TOLD {
        let rest = all[TOLD..].iter().map(|(request, _)| request.exchange);
        found.push(Found::at(format!("{} further requests were refused", all.len() - TOLD), rest));
    }
    found
}

fn unreadable(evidence: &Evidence<'_>) -> Vec<Found> {
    one_for_all(evidence, |request| request.kind == Kind::Unreadable, |request| {
        let why = request.reject.as_ref().map_or("no reason was kept", |reject| reject.message.as_str());
        format!("{} was no readable HTTP request: {why}", request.route)
    })
}

fn unknown_route(evidence: &Evidence<'_>) -> Vec<Found> {
    one_for_all(evidence, |request| request.kind == Kind::WrongPath, |request| {
        format!("{} is no route of this provider (404)", request.route)
    })
}

/// One finding that tells the first and counts the rest.
fn one_for_all(
    evidence: &Evidence<'_>,
    is_one: impl Fn(&Request) -> bool,
    tell: impl Fn(&Request) -> String,
) -> Vec<Found> {
    let all: Vec<&Request> = evidence.facts.requests.iter().filter(|request| is_one(request)).collect();
    let Some(first) = all.first() else { return Vec::new() };
    let more = if all.len() > 1 { format!(", and {} more", all.len() - 1) } else { String::new() };
    vec![Found::at(tell(first) + &more, all.iter().map(|request| request.exchange))]
}

fn not_finished(evidence: &Evidence<'_>) -> Vec<Found> {
    let steps = indexed_steps(evidence.phrasing);
    if evidence.phrasing.hostile || steps == 0 || evidence.facts.scripted().next().is_none() {
        return Vec::new();
    }
    let last = steps - 1;
    let delivered = |step: u64| {
        let on_step = evidence.facts.requests.iter().filter(|request| request.step == Some(step));
        // A step counts once its own answer went out: trouble that stands before it carries its number too.
        let is_error = matches!(evidence.phrasing.script[step as usize].action, Action::Error(_));
        on_step
            .filter(|request| request.reject.is_none() && request.fault.is_none())
            .any(|request| is_error || request.api_error.is_none())
    };
    if delivered(last) {
        return Vec::new();
    }
    let reached = (0..steps).rev().find(|step| delivered(*step));
    let message = match reached {
        Some(step) => format!("the agent stopped after step {} of {steps}; the model had not finished", step + 1),
        None => format!("the agent never got past the trouble before step 1 of {steps}"),
    };
    vec![Found::at(message, evidence.facts.scripted().last().map(|request| request.exchange))]
}

fn overrun(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.phrasing.hostile {
        return Vec::new();
    }
    one_for_all(evidence, |request| request.kind == Kind::Overrun, |_| {
        "the agent went on asking after the model had finished".to_owned()
    })
}

fn unanswered_call(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.phrasing.hostile {
        return Vec::new();
    }
    evidence
        .facts
        .unanswered()
        .map(|call| {
            let message = format!("the call {} of {} was never answered by a tool message", call.id, call.name);
            Found::at(message, call.issued_in)
        })
        .collect()
}

fn too_many_requests(evidence: &Evidence<'_>) -> Vec<Found> {
    let asked = evidence.facts.asked().count() as u64;
    let most = match evidence.phrasing.expect_agent.max_requests {
        Some(most) => u64::from(most),
        None if evidence.phrasing.hostile => HOSTILE_REQUESTS,
        None => return Vec::new(),
    };
    if asked <= most {
        return Vec::new();
    }
    vec![Found::new(format!("the agent sent {asked} requests, all attempts counted; {most} is the most it may"))]
}
