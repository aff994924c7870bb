//! The scripted clock: it stands still until somebody puts it forward. Ours; the real daemon has none.

use super::{Call, Problem};
use crate::core::Step;
use rehearsal_journal::daemon::Fact;
use rehearsal_script::span;
use rehearsal_world::clock::rfc3339;
use serde_json::json;

pub(crate) fn clock(call: &mut Call<'_, '_>) -> Step {
    let Some(before) = call.state.clock_ms else {
        let why = "this daemon's clock runs by itself: start it with --scripted-clock to put it forward";
        return call.refuse(&Problem::new(409, "clock_not_scripted", why));
    };
    if call.heard.method == "GET" {
        return call.ok(&json!({"now": rfc3339(before)}));
    }
    let Some(time) = call.heard.body.text("advance").and_then(|text| span::parse(&text)) else {
        return call.refuse(&Problem::field("/advance", span::FORM));
    };
    let now_ms = before.saturating_add(u64::try_from(time.as_millis()).unwrap_or(u64::MAX));
    call.state.clock_ms = Some(now_ms);
    call.facts.push(Fact::ClockMoved { unix_ms: now_ms });
    call.ok(&json!({"now": rfc3339(now_ms)}))
}
