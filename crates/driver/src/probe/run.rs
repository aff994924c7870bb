//! Joins a probe to an endpoint: asks what is to be asked, one question after the other.

use super::core::{Probing, Question};
use super::kept::Kept;
use super::row::Findings;
use crate::endpoint::answer::Told;
use crate::endpoint::ask::{Asker, Exchange, Manner, Transport, Written};
use crate::endpoint::attempts;
use crate::endpoint::config::{Dialect, Endpoint};
use rehearsal_world::clock::unix_ms;

/// As workers ask, but that each question has attempts of its own, and that what a model only thought is looked at.
#[must_use]
pub fn manner(manner: Manner) -> Manner {
    let policy = attempts::Policy { once: false, each_turn: true, ..manner.policy };
    Manner { policy, answer_from_reasoning: true, ..manner }
}

/// Finds out all that can be kept of an endpoint and a model, but for its accuracy.
pub async fn find<T: Transport>(endpoint: &Endpoint, model: &str, asked: Manner, transport: T) -> Kept {
    let mut asker = Asker::over(endpoint.clone(), manner(asked), transport);
    let findings = probe(endpoint.dialect(), model, &mut asker).await;
    // That for the list of models is no attempt.
    let requests = asker.attempts().len() as u64 + 1;
    Kept { findings, requests, probed_ms: unix_ms(), ..Kept::nothing(endpoint, model) }
}

/// Finds out what the endpoint does with a model.
async fn probe<T: Transport>(dialect: Dialect, model: &str, asker: &mut Asker<T>) -> Findings {
    let mut probing = Probing::new(dialect, model);
    while let Some(question) = probing.ask() {
        let exchange = match question {
            Question::Models => match asker.look("/models").await {
                Ok(received) => Exchange { result: Ok(Told::default()), received: Some(received) },
                Err(failed) => Exchange { result: Err(failed), received: None },
            },
            Question::Turn(_, draft) => {
                let body = draft.write(dialect, model);
                let sent = if draft.counted { draft.bytes() } else { 0 };
                asker
                    .ask_written(&Written { body: &body, stream: draft.stream, sent, keep: draft.keep })
                    .await
            }
        };
        probing.answered(exchange);
    }
    let mut findings = probing.findings();
    // What a model says may repeat anything.
    let notes = findings.rows.iter_mut().map(|row| &mut row.note);
    for note in notes.chain(findings.quirks.iter_mut().map(|quirk| &mut quirk.note)) {
        *note = asker.mask().hide(note);
    }
    findings
}
