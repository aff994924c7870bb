//! What is done once for a key, beside runs: judged, kept where it went well, given again.

use super::{Call, Problem, Reply};
use crate::core::Step;
use crate::receipt::Found;

/// Judges a request with a key once. Refusals are not kept.
pub(crate) fn once(
    call: &mut Call<'_, '_>,
    operation: &'static str,
    judge: fn(&mut Call<'_, '_>, &str) -> Result<Reply, Problem>,
) -> Step {
    let key = match call.key() {
        Ok(key) => key,
        Err(problem) => return call.refuse(&problem),
    };
    let (space, digest) = (call.space(operation, ""), call.digest());
    match call.state.receipts.find(&space, &key, Some(operation), &digest) {
        Found::New => {}
        Found::Pending => return Step::Wait,
        Found::Same(reply) => return call.replay(reply, None),
        Found::Other => return call.conflict(),
    }
    match judge(call, &key) {
        Ok(reply) => {
            call.state.receipts.keep(&space, &key, operation, digest, Some(reply.clone()));
            call.say(reply)
        }
        Err(problem) => call.refuse(&problem),
    }
}
