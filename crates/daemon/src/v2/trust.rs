//! Roots that its user trusts with full access. The shapes are guesses: the real daemon's are not public.

use super::catalogue::FULL;
use super::project::one_spelling;
use super::{Call, Problem};
use crate::core::Step;
use crate::state::MOST_PROJECTS;
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::digest;
use serde_json::json;

pub(crate) fn read(call: &mut Call<'_, '_>) -> Step {
    let rows: Vec<_> =
        call.state.trusted.iter().map(|root| json!({"root": root, "level": "full_access"})).collect();
    call.ok(&json!({"trusted": rows}))
}

pub(crate) fn write(call: &mut Call<'_, '_>) -> Step {
    let body = &call.heard.body;
    let Some(root) = body.text("root").filter(|root| root.starts_with('/')) else {
        return call.refuse(&Problem::field("/root", "must be an absolute path"));
    };
    let root = one_spelling(&root);
    let trusted = match body.text("level").as_deref() {
        Some("full_access") => true,
        Some("none") => false,
        _ => return call.refuse(&Problem::field("/level", "must be full_access or none")),
    };
    if trusted && call.state.trusted.len() >= MOST_PROJECTS {
        return call.refuse(&Problem::new(429, "too_many_trusted", "trust fewer roots").later());
    }
    match trusted {
        true => call.state.trusted.insert(root.clone()),
        false => call.state.trusted.remove(&root),
    };
    let id: String = digest::text(&digest::of(root.as_bytes())).chars().take(16).collect();
    let state = if trusted { "full_access" } else { "none" }.to_owned();
    call.facts.push(Fact::ItemChanged { item: "trust".to_owned(), id, state });
    call.ok(&json!({"root": root, "level": if trusted { "full_access" } else { "none" }}))
}

/// Whether a run with full access may be started in a root.
pub(crate) fn refused(call: &Call<'_, '_>) -> Option<Problem> {
    let body = &call.heard.body;
    if body.text("access").as_deref() != Some(FULL) {
        return None;
    }
    let root = body.get("scope").and_then(|scope| scope.get("root")?.as_str()).unwrap_or_default();
    if call.state.trusted.contains(&one_spelling(&root)) {
        return None;
    }
    let why = "full access needs a root that its user trusts";
    Some(
        Problem::new(409, "trust_full_access_required", why)
            .action("trust_root", "POST /v2/trust with this root and the level full_access"),
    )
}
