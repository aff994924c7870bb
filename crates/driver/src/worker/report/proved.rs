//! What was proved, as JSON.

use super::object::Object;
use crate::worker::proof::review::Judged;
use crate::worker::proof::verification::{Look, Verification};
use rehearsal_wire::json::quoted;

pub(super) fn write(verification: &Verification) -> String {
    let mut object = Object::begin();
    object.flag("verified", verification.missing.is_none());
    object.maybe("reason", verification.missing.map(|missing| missing.name()));
    object.raw("tier", &tier(verification).unwrap_or_else(|| "null".to_owned()));
    object.number("rounds", verification.rounds.into());
    object.number("jsonValidated", verification.json_files as u64);
    object.list("looks", &verification.looks, look);
    object.maybe("reviewer", verification.reviewer.as_deref());
    object.list("reviews", &verification.reviews, review);
    object.end()
}

/// The tier, what it follows from, and what it asks for.
fn tier(verification: &Verification) -> Option<String> {
    let (tier, good, all) = verification.tier?;
    let policy = tier.policy();
    let mut object = Object::begin();
    object.number("number", tier.number().into());
    object.number("good", good);
    object.number("samples", all);
    let bound = verification.lower_bound();
    object.raw("lowerBound", &bound.map_or_else(|| "null".to_owned(), |bound| format!("{bound:.4}")));
    object.flag("validateAllJson", policy.validate_all_json);
    object.number("spotCheckPercent", policy.spot_check_percent.into());
    object.number("repairCap", policy.repair_cap.into());
    object.flag("review", policy.review);
    Some(object.end())
}

pub(crate) fn look(look: &Look) -> String {
    let mut object = Object::begin();
    object.text("look", look.sort.name());
    object.flag("green", look.is_green());
    object.raw("status", &look.status.map_or_else(|| "null".to_owned(), |status| status.to_string()));
    object.raw("signal", &look.signal.map_or_else(|| "null".to_owned(), |signal| signal.to_string()));
    object.flag("timedOut", look.timed_out);
    object.number("ms", u64::try_from(look.took.as_millis()).unwrap_or(u64::MAX));
    object.number("strays", look.strays.into());
    object.list("changed", &look.changed, |path| quoted(path));
    object.list("lacked", &look.lacked, |path| quoted(path));
    object.text("output", &look.output);
    object.maybe("trouble", look.trouble.as_deref());
    object.end()
}

fn review(judged: &Judged) -> String {
    let mut object = Object::begin();
    object.text("verdict", judged.name());
    match judged {
        Judged::Approved => {}
        Judged::Refuted(reasons) => object.list("reasons", reasons, |reason| quoted(reason)),
        Judged::Failed(class, why) => {
            object.text("class", class.name());
            object.text("message", why);
        }
    }
    object.end()
}
