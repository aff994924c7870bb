//! A typed failure as its client is told of it, over whatever protocol.

use crate::run::Run;
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

/// Why a run failed, for programs; none where no failure was typed.
pub(crate) fn facts(run: &Run) -> Option<Value> {
    let (failure, at_ms) = run.failure.as_ref()?;
    let resets = failure.resets_after.map(|time| {
        let time = u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
        rfc3339(at_ms.saturating_add(time))
    });
    Some(json!({
        "code": failure.code,
        "phase": failure.phase,
        "category": failure.category,
        "resetsAt": resets,
        "nextActions": failure.next_actions,
    }))
}
