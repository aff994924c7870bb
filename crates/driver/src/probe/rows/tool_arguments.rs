//! In which form the arguments of a call come.

use super::taken;
use crate::endpoint::answer::Leniency;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use rehearsal_wire::json;

pub(super) const ROW: Probe = Probe {
    name: "tool_arguments",
    finds: "gives arguments that fit the tool",
    needs: &["tools"],
    asks: Asks::Of("tools"),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    let Some(told) = seen.exchange.result.as_ref().ok() else { return Judged::new(Verdict::Unknown, "") };
    let Some(call) = told.calls.first() else { return Judged::new(Verdict::Unknown, "") };
    let form = if told.leniencies.contains(&Leniency::ArgumentsAsValue) { "as a value" } else { "as a text" };
    match json::parse(call.arguments.as_bytes()) {
        Ok(tape) if tape.root().get("word").is_some_and(|word| word.as_str().is_some()) => {
            Judged::new(Verdict::Yes, form)
        }
        Ok(_) | Err(_) => Judged::new(Verdict::No, format!("{form}: {}", taken::short(&call.arguments))),
    }
}
