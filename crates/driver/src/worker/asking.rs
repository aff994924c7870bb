//! Between the ladder, which knows what an endpoint refuses, and the endpoint: a shape as a request is dialled, a failure as a refusal.

use super::format::ladder::{Ladder, LimitField, Refusal, Rung, Shape, Verdict};
use crate::endpoint::class::Failed;
use crate::endpoint::request::{Dialing, Limit, Structured};

/// How a request of this shape is made up.
pub(super) fn dialing(shape: Shape, limit: Option<u32>) -> Dialing {
    Dialing {
        structured: match shape.rung {
            Rung::JsonSchema => Structured::JsonSchema,
            Rung::JsonObject => Structured::JsonObject,
            Rung::None => Structured::None,
        },
        temperature: None,
        limit: match (shape.limit, limit) {
            (Some(LimitField::MaxTokens), Some(most)) => Limit::MaxTokens(most),
            (Some(LimitField::MaxCompletionTokens), Some(most)) => Limit::MaxCompletionTokens(most),
            (None, _) | (_, None) => Limit::None,
        },
        stream_usage: shape.stream_options,
        fold_system: !shape.system,
    }
}

/// Whether a failure is a refusal of something that was sent, and less is sent next time.
pub(super) fn stepped_down(ladder: &mut Ladder, failed: &Failed) -> bool {
    refusal(failed).is_some_and(|refusal| matches!(ladder.refused(&refusal), Verdict::Again(_)))
}

/// A failure as the ladder reads it; none where no request was refused.
pub(crate) fn refusal(failed: &Failed) -> Option<Refusal<'_>> {
    let status = failed.status.filter(|status| *status != 200)?;
    let message = failed.body.as_deref().unwrap_or(&failed.message);
    Some(Refusal { status, param: failed.param.as_deref(), code: failed.code.as_deref(), message })
}
