//! The rules for a client of live messages: who makes the id, when a message may be sent, when it may be sent again.

use super::super::{Check, Evidence, Found, Tier};
use super::{Call, Talk, many, talk_of};
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::run::Severity;

pub(in super::super) const MESSAGE_ID: Check = Check {
    code: "message-id",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the id of a live message is no uuid that the client made for it",
    remedy: "make a fresh uuid for each message, send it as `Idempotency-Key`, and give it back with every result",
    judge: Some(message_id),
};
pub(in super::super) const MESSAGE_ID_MISMATCH: Check = Check {
    code: "message-id-mismatch",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "the body of a live message names another id than its idempotency key",
    remedy: "the key is the id: send one value, or leave the id out of the body",
    judge: Some(id_mismatch),
};
pub(in super::super) const MESSAGE_REPEATED: Check = Check {
    code: "message-repeated",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a live message was sent again although its result was known",
    remedy: "send a message again only after `delivery_unknown`: a lost answer, another 409 than idempotency_conflict, or a 5xx",
    judge: Some(repeated),
};
pub(in super::super) const MESSAGE_UNDER_ANOTHER_ID: Check = Check {
    code: "message-under-another-id",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a live message of which nobody knows whether it arrived was sent again under another id, so that it may arrive twice",
    remedy: "send it again under its own id: the daemon then gives the first receipt, and delivers nothing twice",
    judge: Some(under_another_id),
};
pub(in super::super) const MESSAGE_RETRY_LOOP: Check = Check {
    code: "message-retry-loop",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &["message-repeated"],
    meaning: "a live message was sent more than twice",
    remedy: "repeat it once at most, and leave what is still unknown to whoever sent it",
    judge: Some(retry_loop),
};
pub(in super::super) const MESSAGE_TO_SETTLED_RUN: Check = Check {
    code: "message-to-settled-run",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a fresh live message went to a run whose end the client had seen",
    remedy: "keep the state of each run, and answer such a message with `not_active` without asking the daemon",
    judge: Some(to_settled),
};
pub(in super::super) const MESSAGE_UNSUPPORTED: Check = Check {
    code: "message-unsupported",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &["live-input-unread"],
    meaning: "a fresh live message was sent although the harness says that it takes none (`liveInput` is `none`)",
    remedy: "look at `liveInput` of the harness's row first, and answer with `unsupported` without asking the daemon",
    judge: Some(unsupported),
};
pub(in super::super) const LIVE_INPUT_UNREAD: Check = Check {
    code: "live-input-unread",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a fresh live message was sent before the client had read whether messages can be sent at all",
    remedy: "read GET /v2/operations (it must list run.message) and the harness's `liveInput` before the first message; what cannot be read counts as unsupported",
    judge: Some(unread),
};

fn messages<'e>(evidence: &Evidence<'e>) -> Option<(&'e Talk, Vec<&'e Call>)> {
    let talk = talk_of(evidence)?;
    // Without a key it is no message yet, and told elsewhere.
    let sent = talk.of_operation("run.message").filter(|call| call.decided.key.is_some());
    Some((talk, sent.collect()))
}

/// The messages whose id comes up for the first time.
fn fresh<'t>(sent: &[&'t Call]) -> impl Iterator<Item = &'t Call> {
    let first = |(at, call): &(usize, &'t Call)| {
        sent[..*at].iter().all(|before| before.decided.key != call.decided.key)
    };
    let all: Vec<_> = sent.iter().copied().enumerate().filter(first).map(|(_, call)| call).collect();
    all.into_iter()
}

/// With or without its hyphens, as some libraries write it.
fn is_uuid(text: &str) -> bool {
    let lengths = [8, 4, 4, 4, 12];
    let parts: Vec<&str> = text.split('-').collect();
    let fits = |(part, length): (&&str, usize)| {
        part.len() == length && part.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let plain = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
    plain || (parts.len() == lengths.len() && parts.iter().zip(lengths).all(fits))
}

fn message_id(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, sent)) = messages(evidence) else { return Vec::new() };
    let borrowed = |call: &Call| {
        let mut before = talk.before(call).iter();
        before.any(|known| known.decided.key == call.decided.key && known.decided.operation != "run.message")
    };
    let wrong = |call: &&Call| !call.decided.key.as_deref().is_some_and(is_uuid) || borrowed(call);
    many(fresh(&sent).filter(wrong), |call| {
        let id = call.decided.key.as_deref().unwrap_or_default();
        let why = if is_uuid(id) { ", which is the key of something else" } else { "" };
        format!("the message in request {} has the id {id:?}{why}", call.exchange)
    })
}

fn id_mismatch(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((_, sent)) = messages(evidence) else { return Vec::new() };
    let said = |call: &Call| call.text("messageId").or_else(|| call.text("message_id"));
    let wrong = sent
        .iter()
        .copied()
        .filter(|call| said(call).is_some_and(|id| Some(&id) != call.decided.key.as_ref()));
    many(wrong, |call| {
        let (id, key) = (said(call).unwrap_or_default(), call.decided.key.as_deref().unwrap_or_default());
        format!("the message in request {} is called {id:?}, and its key is {key:?}", call.exchange)
    })
}

/// Whether the client cannot know what became of a message that it sent.
fn is_unknown(talk: &Talk, call: &Call) -> bool {
    let Call { decided, .. } = call;
    if !call.surely_arrived() || decided.status >= 500 {
        return true;
    }
    if decided.status == 409 {
        return decided.code.as_deref() != Some("idempotency_conflict");
    }
    // A receipt that is given again says what the first one said.
    talk.facts().any(|(_, fact)| match fact {
        Fact::MessageTaken { message, outcome, .. } => {
            Some(message) == decided.key.as_ref() && outcome == "delivery_unknown"
        }
        _ => false,
    })
}

/// A message with the one of the same id that was sent before it; what was refused as another one is none.
fn again<'t>(sent: &[&'t Call]) -> Vec<(&'t Call, &'t Call)> {
    let same = |at: usize| sent[..at].iter().rfind(|before| before.decided.key == sent[at].decided.key);
    let pairs = (0..sent.len()).filter_map(|at| Some((*same(at)?, sent[at])));
    pairs.filter(|(_, call)| call.decided.code.as_deref() != Some("idempotency_conflict")).collect()
}

fn repeated(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, sent)) = messages(evidence) else { return Vec::new() };
    let known = again(&sent).into_iter().find(|(before, _)| !is_unknown(talk, before));
    let found = known.map(|(before, call)| {
        let message = format!(
            "request {} sends the message of request {} again, whose result was {}",
            call.exchange,
            before.exchange,
            result(before)
        );
        Found::at(message, [before.exchange, call.exchange])
    });
    found.into_iter().collect()
}

/// The result of a message, in words.
fn result(call: &Call) -> String {
    let taken = call.facts.iter().find_map(|fact| match fact {
        Fact::MessageTaken { outcome, .. } => Some(outcome.clone()),
        _ => None,
    });
    taken.or_else(|| call.decided.code.clone()).unwrap_or_else(|| "known".to_owned())
}

fn under_another_id(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, sent)) = messages(evidence) else { return Vec::new() };
    let texts: Vec<Option<String>> = sent.iter().map(|call| call.text("text")).collect();
    let firsts: Vec<u64> = fresh(&sent).map(|call| call.exchange).collect();
    let twice = (0..sent.len()).filter(|at| firsts.contains(&sent[*at].exchange)).find_map(|at| {
        let call = sent[at];
        let twin = |before: &usize| {
            let (same, text) = (&sent[*before].decided, &texts[*before]);
            same.key != call.decided.key
                && same.run == call.decided.run
                && text.is_some()
                && *text == texts[at]
        };
        let before = sent[(0..at).rfind(twin)?];
        is_unknown(talk, before).then_some((before, call))
    });
    let found = twice.map(|(before, call)| {
        let message = format!(
            "what became of the message in request {} is not known, and request {} sends its text under another id",
            before.exchange, call.exchange
        );
        Found::at(message, [before.exchange, call.exchange])
    });
    found.into_iter().collect()
}

fn retry_loop(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((_, sent)) = messages(evidence) else { return Vec::new() };
    let looped = fresh(&sent).find_map(|first| {
        let all = sent.iter().filter(|call| call.decided.key == first.decided.key);
        let all: Vec<u64> = all.map(|call| call.exchange).collect();
        (all.len() > 2).then_some(all)
    });
    let found = looped.map(|all| {
        let first = all.first().copied().unwrap_or_default();
        Found::at(format!("the message of request {first} was sent {} times", all.len()), all)
    });
    found.into_iter().collect()
}

fn to_settled(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, sent)) = messages(evidence) else { return Vec::new() };
    let settled = |call: &&Call| {
        let saw = |run| Talk::knew_its_end(talk.before(call), run, Call::surely_arrived);
        call.decided.run.as_deref().is_some_and(saw)
    };
    many(fresh(&sent).filter(settled), |call| {
        let run = call.decided.run.as_deref().unwrap_or_default();
        format!("request {} sends a message to the run {run}, whose end was seen before", call.exchange)
    })
}

/// Whether both pages that say whether messages can be sent were read before.
fn was_read(talk: &Talk, call: &Call) -> bool {
    let read = |operation: &str| {
        let mut before = talk.before(call).iter();
        before.any(|known| {
            known.decided.operation == operation && known.decided.status == 200 && known.arrived()
        })
    };
    read("operation.list") && read("harness.list")
}

fn unread(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((talk, sent)) = messages(evidence) else { return Vec::new() };
    many(fresh(&sent).filter(|call| !was_read(talk, call)), |call| {
        format!(
            "request {} sends a message, and nothing before it read whether one can be sent",
            call.exchange
        )
    })
}

fn unsupported(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some((_, sent)) = messages(evidence) else { return Vec::new() };
    let takes_none = evidence.phrasing.daemon.as_ref().is_some_and(|daemon| !daemon.takes_messages());
    many(fresh(&sent).filter(|_| takes_none), |call| {
        format!("request {} sends a message, and the harness takes none", call.exchange)
    })
}

#[cfg(test)]
mod tests {
    use super::is_uuid;

    #[test]
    fn a_uuid_is_known_by_its_form() {
        assert!(
            is_uuid("0197b2c4-7d1e-7000-8a4b-0123456789ab")
                && is_uuid("F47AC10B-58CC-4372-A567-0E02B2C3D479")
                && is_uuid("f47ac10b58cc4372a5670e02b2c3d479")
        );
        for other in ["", "one", "f47ac10b58cc4372a5670e02b2c3d47", "f47ac10b-58cc-4372-a567-0e02b2c3d47g"] {
            assert!(!is_uuid(other), "{other}");
        }
    }
}
