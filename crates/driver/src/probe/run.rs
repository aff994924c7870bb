//! Joins a probe to an endpoint: asks what is to be asked, one question after the other.

use super::core::{Probing, Question};
use super::row::Findings;
use crate::endpoint::answer::Told;
use crate::endpoint::ask::{Asker, Exchange, Transport, Written};
use crate::endpoint::config::Dialect;

/// Finds out what the endpoint does with a model.
pub async fn probe<T: Transport>(dialect: Dialect, model: &str, asker: &mut Asker<T>) -> Findings {
    let mut probing = Probing::new(dialect, model);
    while let Some(question) = probing.next() {
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
