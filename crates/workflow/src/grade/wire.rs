//! What the wire says: requests refused, script not finished, calls not answered.

use super::{Check, Evidence, Found};
use rehearsal_journal::event::Kind;
use rehearsal_journal::fold::{Facts, Request};
use rehearsal_script::scenario::{Action, Phrasing};
use rehearsal_wire::rule::{Profile, RULES};

pub(super) const NEVER_ASKED: Check = Check {
    code: "never-asked",
    meaning: "no request of the case's conversation arrived",
    remedy: "point the agent at OPENAI_BASE_URL or {base_url}, and give it the prompt as REHEARSAL_PROMPT or {prompt}, unchanged",
    judge: Some(never_asked),
};
pub(super) const REJECTED: Check = Check {
    code: "request-refused",
    meaning: "the provider refused a request: the rule, the place in the body and what to change",
    remedy: "change the agent; where the rule asks too much of it, `--rule NAME=off` or a milder `--profile`",
    judge: Some(rejected),
};
pub(super) const UNREADABLE: Check = Check {
    code: "unreadable-request",
    meaning: "what arrived was no readable HTTP request",
    remedy: "look at the agent's HTTP client",
    judge: Some(unreadable),
};
pub(super) const UNKNOWN_ROUTE: Check = Check {
    code: "unknown-route",
    meaning: "a request went to a path that the provider does not have",
    remedy: "the base URL ends in `/v1` already: the client must add `/chat/completions` and nothing else",
    judge: Some(unknown_route),
};
pub(super) const NOT_FINISHED: Check = Check {
    code: "script-not-finished",
    meaning: "the agent stopped asking before the script's last step was answered",
    remedy: "answer every tool call and ask again until the model stops calling; retry what can be retried",
    judge: Some(not_finished),
};
pub(super) const OVERRUN: Check = Check {
    code: "asked-past-the-end",
    meaning: "the agent asked again after the model's last answer",
    remedy: "stop when an answer holds no tool calls",
    judge: Some(overrun),
};
pub(super) const UNANSWERED_CALL: Check = Check {
    code: "call-not-answered",
    meaning: "a tool call got no `tool` message with its id",
    remedy: "send one `tool` message for each call, also where the tool failed or is unknown",
    judge: Some(unanswered_call),
};
pub(super) const TOO_MANY_REQUESTS: Check = Check {
    code: "too-many-requests",
    meaning: "more requests than `max_requests`, all attempts counted; 60 in a hostile case that sets none",
    remedy: "bound the retries, and count those of the client library too",
    judge: Some(too_many_requests),
};

/// Most requests of a hostile case where the file sets no bound. The most persistent client that was measured sends 53 in 100 s.
const HOSTILE_REQUESTS: u64 = 60;
/// Refusals that are told one by one.
const TOLD: usize = 3;

fn never_asked(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.facts.scripted().next().is_some() {
        return Vec::new();
    }
    // What could not be read or found nothing at its path is told by the checks of these.
    let told = |request: &Request| matches!(request.kind, Kind::BadJson | Kind::WrongPath | Kind::Unreadable);
    if evidence.facts.asked().any(told) {
        return Vec::new();
    }
    let others: Vec<u64> = evidence.facts.asked().map(|request| request.exchange).collect();
    let status = evidence.facts.exited.as_ref().and_then(|exited| exited.status);
    let message = if others.is_empty() {
        match status.filter(|status| *status != 0) {
            Some(status) => format!(
                "no request arrived before the agent ended with status {status}{}",
                super::agent::last_words(evidence.stderr)
            ),
            None => "no request arrived: is the agent pointed at OPENAI_BASE_URL (or {base_url})?".to_owned(),
        }
    } else {
        format!(
            "no request held the prompt or its marker {:?}: was the agent given {{prompt}}?",
            evidence.phrasing.marker
        )
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
            let rule =
                RULES.iter().find(|row| row.name == reject.rule).map(|row| format!(" [rule {}]", row.name));
            Found::at(format!("{code}: {}{}", reject.message, rule.unwrap_or_default()), [request.exchange])
        })
        .collect();
    if let (Some(first), Some((_, reject))) = (found.first_mut(), all.first()) {
        first.message.push_str(&how_to_lift(&reject.rule, evidence.pinned));
    }
    if all.len() > TOLD {
        let rest = all[TOLD..].iter().map(|(request, _)| request.exchange);
        found.push(Found::at(format!("{} further requests were refused", all.len() - TOLD), rest));
    }
    found
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
        _ if only_pinned => ". Only the profile `pinned` of files without `version: 1` holds this rule; --profile gate lifts it".to_owned(),
        _ => String::new(),
    }
}

fn unreadable(evidence: &Evidence<'_>) -> Vec<Found> {
    one_for_all(
        evidence,
        |request| request.kind == Kind::Unreadable,
        |request| {
            let why = request.reject.as_ref().map_or("no reason was kept", |reject| reject.message.as_str());
            format!("{} was no readable HTTP request: {why}", without_lane(&request.route))
        },
    )
}

fn unknown_route(evidence: &Evidence<'_>) -> Vec<Found> {
    one_for_all(
        evidence,
        |request| request.kind == Kind::WrongPath,
        |request| {
            let route = without_lane(&request.route);
            let doubled = if route.contains("/v1/v1/") { "; the base URL ends in /v1 already" } else { "" };
            format!("{route} is no route of this provider (404){doubled}")
        },
    )
}

/// A route as the agent wrote it below its base URL: without the token of its case.
fn without_lane(route: &str) -> String {
    let Some((method, path)) = route.split_once(' ') else { return route.to_owned() };
    let rest = path.strip_prefix("/t/").and_then(|lane| lane.find('/').map(|end| &lane[end..]));
    format!("{method} {}", rest.unwrap_or(path))
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
    let steps = evidence.phrasing.steps() as u64;
    if evidence.phrasing.hostile || steps == 0 || evidence.facts.scripted().next().is_none() {
        return Vec::new();
    }
    let Some(last) = evidence.facts.scripted().last() else { return Vec::new() };
    if delivered(evidence.phrasing, evidence.facts, steps - 1) {
        return Vec::new();
    }
    let reached = (0..steps).rev().find(|step| delivered(evidence.phrasing, evidence.facts, *step));
    let next = reached.map_or(1, |step| step + 2);
    let message = if last.reject.is_some() {
        format!("the agent gave up at step {next} of {steps}, where its last request was refused")
    } else if let Some(status) = last.api_error {
        format!(
            "the agent gave up after an error {status} before step {next} of {steps}; it should have tried again"
        )
    } else if let Some(fault) = &last.fault {
        format!("the agent gave up after {fault} before step {next} of {steps}; it should have tried again")
    } else if reached.is_some_and(|step| {
        evidence.phrasing.script.get(step as usize).is_some_and(|step| ends_a_turn(&step.action))
    }) {
        format!(
            "the agent stopped after step {} of {steps}, an answer without tool calls; the script goes on",
            next - 1
        )
    } else {
        format!("the agent stopped after step {} of {steps}; the model had not finished", next - 1)
    };
    vec![Found::at(message, Some(last.exchange))]
}

/// Whether agents take this for the model's last word.
fn ends_a_turn(action: &Action) -> bool {
    matches!(action, Action::Say(said) if said.calls.is_empty())
}

/// Whether a step's own answer went out. Trouble that stands before it carries its number too, and does not count.
pub(super) fn delivered(phrasing: &Phrasing, facts: &Facts, step: u64) -> bool {
    let action =
        usize::try_from(step).ok().and_then(|step| phrasing.script.get(step)).map(|step| &step.action);
    let (is_error, is_fault) = match action {
        Some(Action::Error(_)) => (true, false),
        Some(Action::Fault { .. }) => (false, true),
        Some(Action::Say(_) | Action::End) | None => (false, false),
    };
    facts
        .requests
        .iter()
        .filter(|request| request.step == Some(step) && request.reject.is_none())
        .any(|request| (is_fault || request.fault.is_none()) && (is_error || request.api_error.is_none()))
}

fn overrun(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.phrasing.hostile {
        return Vec::new();
    }
    one_for_all(
        evidence,
        |request| request.kind == Kind::Overrun,
        |_| "the agent went on asking after the model had finished".to_owned(),
    )
}

fn unanswered_call(evidence: &Evidence<'_>) -> Vec<Found> {
    if evidence.phrasing.hostile {
        return Vec::new();
    }
    evidence
        .facts
        .unanswered()
        .map(|call| {
            let message =
                format!("the call {} of {} was never answered by a tool message", call.id, call.name);
            Found::at(message, [call.issued_in])
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
    vec![Found::new(format!(
        "the agent sent {asked} requests, all attempts counted; {most} is the most it may"
    ))]
}
