//! Requests to the daemon that are wrong as they are: no token, another major version, no key, a used one, or refused for their form.

use super::super::{Check, Evidence, Found, Tier};
use super::{Call, Talk, many, talk_of};
use rehearsal_journal::run::Severity;

pub(in super::super) const DAEMON_UNAUTHORIZED: Check = Check {
    code: "daemon-unauthorized",
    severity: Severity::Error,
    tier: Tier::Wire,
    follows: &[],
    meaning: "a request to the daemon came without the token of its token file",
    remedy: "read `tokenPath` of the descriptor, strip white space, and send it as `Authorization: Bearer TOKEN` with every request",
    judge: Some(unauthorized),
};
pub(in super::super) const PROTOCOL_MAJOR: Check = Check {
    code: "protocol-major",
    severity: Severity::Error,
    tier: Tier::Wire,
    follows: &["daemon-unauthorized"],
    meaning: "a request to the daemon named another major version of the protocol than 3, or none",
    remedy: "send `X-Claudexor-Protocol-Major: 3` with every request, and stop where the handshake says that the daemon speaks another",
    judge: Some(protocol_major),
};
pub(in super::super) const KEY_MISSING: Check = Check {
    code: "key-missing",
    severity: Severity::Error,
    tier: Tier::Wire,
    follows: &[],
    meaning: "what must be done only once came without an idempotency key",
    remedy: "make a key before the first attempt (for a message a uuid), send it as `Idempotency-Key`, and keep it for a repetition",
    judge: Some(key_missing),
};
pub(in super::super) const KEY_CONFLICT: Check = Check {
    code: "key-conflict",
    severity: Severity::Error,
    tier: Tier::Wire,
    follows: &[],
    meaning: "an idempotency key was used again for something else, or for the same thing with another body",
    remedy: "keep the body beside the key and repeat it as it was, or make a new key for what is new",
    judge: Some(key_conflict),
};
pub(in super::super) const DAEMON_REFUSED: Check = Check {
    code: "daemon-refused",
    severity: Severity::Error,
    tier: Tier::Wire,
    follows: &["daemon-unauthorized", "protocol-major"],
    meaning: "the daemon refused a request for what it says",
    remedy: "the problem's code and `fieldErrors` say what is wrong; refusals that a script asks for are not meant",
    judge: Some(daemon_refused),
};

/// Codes of refusals that have checks of their own, or that a client must expect.
const ELSEWHERE: [&str; 19] = [
    "unauthorized",
    "handshake_required",
    "incompatible_protocol_major",
    "missing_idempotency_key",
    "idempotency_key_required",
    "invalid_idempotency_key",
    "idempotency_conflict",
    "already_resolved",
    "rejected",
    "credential_profile_unknown",
    "fake_route_refused",
    "run_expired_by_retention",
    "project_not_registered",
    "project_not_found",
    "trust_full_access_required",
    "run_terminal",
    "workspace_edit_refused",
    "artifact_not_ready",
    "artifact_too_large",
];
const KEYS: [&str; 3] = ["missing_idempotency_key", "idempotency_key_required", "invalid_idempotency_key"];

/// What the real daemon serves below `/v2`, and its stand-in does not: who asks for it is no worse a client.
const NOT_SERVED: [&str; 13] = [
    "account-pools",
    "account-resets",
    "accounts-migration",
    "credential-profiles",
    "filesystem",
    "global",
    "image-operations",
    "maintenance",
    "recovery",
    "run-applicability",
    "secrets",
    "setup",
    "threads",
];
/// What it serves of one run, or one harness or project, likewise.
const NOT_SERVED_OF: [&str; 10] = [
    "apply",
    "decision",
    "produced",
    "retry",
    "run-again",
    "auth-readiness",
    "events",
    "file",
    "outputs",
    "relink",
];

/// Whether something was asked for that the real daemon has: in another manner of the stand-in, or not in it at all.
fn is_not_served(call: &Call) -> bool {
    if call.decided.operation != "none" {
        return true;
    }
    let parts: Vec<&str> = call.path().split('/').filter(|part| !part.is_empty()).collect();
    match parts.as_slice() {
        ["v2", "harnesses" | "projects" | "runs", _, what, ..] => NOT_SERVED_OF.contains(what),
        ["v2", "harnesses" | "projects" | "runs", ..] => false,
        ["v2", what, ..] => NOT_SERVED.contains(what),
        _ => false,
    }
}

/// One finding for all requests with one of these codes.
fn coded(talk: &Talk, codes: &[&str], what: impl Fn(&Call) -> String) -> Vec<Found> {
    let with = |call: &&Call| call.decided.code.as_deref().is_some_and(|code| codes.contains(&code));
    many(talk.of_v2().filter(with), what)
}

fn unauthorized(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    coded(talk, &["unauthorized"], |call| format!("{} came without the daemon's token", call.route))
}

fn protocol_major(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let wrong = |call: &&Call| {
        let refused = call.decided.code.as_deref() == Some("incompatible_protocol_major");
        let beside =
            ["handshake", "none", "health", "clock.control"].contains(&call.decided.operation.as_str());
        let unknown = call.decided.code.as_deref() == Some("unauthorized");
        refused || (!unknown && call.major.as_deref().map_or(!beside, |major| major != "3"))
    };
    many(talk.of_v2().filter(wrong), |call| match &call.major {
        Some(major) if major != "3" => {
            format!("{} named major version {major:?} of the protocol", call.route)
        }
        Some(_) => format!("{} asked for another major version of the protocol", call.route),
        None => format!("{} named no major version of the protocol", call.route),
    })
}

fn key_missing(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    coded(talk, &KEYS, |call| format!("{} came without a usable idempotency key", call.route))
}

fn key_conflict(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    coded(talk, &["idempotency_conflict"], |call| {
        format!("{} came under a key that was used for another request", call.route)
    })
}

fn daemon_refused(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let scripted = |call: &Call, code: &str| {
        let refuses = |refusal: &rehearsal_script::runs::Refusal| refusal.code == code;
        let starts = call.decided.operation == "run.start";
        starts && talk.scripts.runs.iter().filter_map(|run| run.refuse.as_ref()).any(refuses)
    };
    let wrong = |call: &&Call| {
        call.refused().is_some_and(|code| {
            // An answer to nothing, and what is asked of a run that there is not, are told by checks of their own.
            let nothing = call.decided.operation == "run.answer" && code == "not_found";
            let no_run = code == "run_not_found" && super::start::follows_a_refusal(talk, call);
            let not_served = code == "not_found" && is_not_served(call);
            !ELSEWHERE.contains(&code) && !scripted(call, code) && !nothing && !no_run && !not_served
        })
    };
    many(talk.of_v2().filter(wrong), |call| {
        let Call { route, decided, .. } = call;
        format!("{route} was refused: {} {}", decided.status, decided.code.as_deref().unwrap_or_default())
    })
}
