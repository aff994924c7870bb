//! What came of a wave, as one JSON object.

use super::Stand;
use crate::endpoint::attempts::Spent;
use crate::endpoint::budget::Price;
use crate::policy::{Tier, lower_bound};
use crate::worker::proof::verification::{Look, Missing};
use crate::worker::report::object::Object;
use crate::worker::report::{Report, proved};
use rehearsal_journal::drive::Ended;
use rehearsal_wire::json::quoted;

/// Version of the report's form.
const VERSION: u64 = 1;

/// What came of one item.
#[derive(Clone, Debug)]
pub struct ItemReport {
    /// What its worker did; none where an earlier process did it, or nobody.
    pub report: Option<Report>,
    /// Whether an earlier process proved it.
    pub kept: bool,
    /// Files and their digests, where it is kept.
    pub files: Vec<(String, Option<String>)>,
    /// Whether something about it was not quite as it should be.
    pub suspect: bool,
    /// What was seen when it was looked at again; empty where it was not.
    pub again: Vec<Look>,
    /// Why it is not verified, where a later look says so.
    pub missing: Option<Missing>,
}

impl ItemReport {
    /// Of one that nobody worked on.
    #[must_use]
    pub fn untouched() -> Self {
        Self {
            report: None,
            kept: false,
            files: Vec::new(),
            suspect: false,
            again: Vec::new(),
            missing: None,
        }
    }

    /// Of one that an earlier process proved.
    #[must_use]
    pub fn kept(ended: &Ended) -> Self {
        Self { kept: true, files: ended.files.clone(), suspect: ended.suspect, ..Self::untouched() }
    }

    /// Of one that was worked on.
    #[must_use]
    pub fn worked(report: Report) -> Self {
        Self { suspect: report.is_suspect(), report: Some(report), ..Self::untouched() }
    }

    /// Why it is not verified: what a later look says, else what its worker's work lacked; none where nobody worked on it.
    #[must_use]
    pub fn reason(&self) -> Option<Missing> {
        self.missing.or(self.report.as_ref().and_then(|report| report.verification.missing))
    }

    /// It was looked at again.
    pub fn looked_again(&mut self, looks: Vec<Look>, missing: Option<Missing>) {
        self.again = looks;
        self.missing = missing;
    }
}

/// What came of a wave.
#[derive(Clone, Debug)]
pub struct WaveReport {
    /// The items in their order, how each stands, and what came of it.
    pub items: Vec<(String, Stand, ItemReport)>,
    /// Why nothing more started.
    pub stopped: Option<String>,
    /// Tokens of all processes that worked on it, put high where they were not told.
    pub spent: Spent,
    /// What tokens cost.
    pub price: Option<Price>,
    /// How closely was looked: right answers of so many that were measured.
    pub tier: (Tier, u64, u64),
    /// What the second looks were drawn by.
    pub seed: u64,
}

impl WaveReport {
    /// Whether all items are verified.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.items.iter().all(|(_, stand, _)| *stand == Stand::Verified)
    }

    /// The report as JSON, one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut object = Object::begin();
        object.number("version", VERSION);
        object.flag("ok", self.is_ok());
        object.flag("aborted", self.stopped.is_some());
        object.maybe("abortReason", self.stopped.as_deref());
        object.list("items", &self.items, |(slug, stand, item)| one(slug, *stand, item));
        let (tier, good, all) = self.tier;
        let mut policy = Object::begin();
        policy.number("tier", tier.number().into());
        policy.number("good", good);
        policy.number("samples", all);
        let bound = lower_bound(good, all);
        policy.raw("lowerBound", &bound.map_or_else(|| "null".to_owned(), |bound| format!("{bound:.4}")));
        policy.number("spotCheckPercent", tier.policy().spot_check_percent.into());
        policy.number("seed", self.seed);
        object.raw("policy", &policy.end());
        let mut usage = Object::begin();
        usage.number("prompt", self.spent.prompt);
        usage.number("completion", self.spent.completion);
        object.raw("usage", &usage.end());
        object.text("metered", self.spent.metered.name());
        let usd =
            self.price.map(|price| format!("{:.6}", price.of(self.spent.prompt, self.spent.completion)));
        object.raw("usd", usd.as_deref().unwrap_or("null"));
        object.end()
    }
}

fn one(slug: &str, stand: Stand, item: &ItemReport) -> String {
    let mut object = Object::begin();
    object.text("slug", slug);
    object.text("stand", stand.name());
    object.flag("verified", stand == Stand::Verified);
    object.maybe("reason", item.reason().map(Missing::name));
    object.flag("kept", item.kept);
    object.flag("suspect", item.suspect);
    object.list("again", &item.again, proved::look);
    if item.kept {
        object.list("files", &item.files, |(path, sum)| {
            let mut object = Object::begin();
            object.text("path", path);
            object.raw("after", &sum.as_deref().map_or_else(|| "null".to_owned(), quoted));
            object.end()
        });
    }
    object.raw("report", &item.report.as_ref().map_or_else(|| "null".to_owned(), Report::to_json));
    object.end()
}
