//! What came of a task, as one JSON object. No field holds a key.

pub(crate) mod object;
pub(crate) mod proved;

use super::format::ladder::Step;
use super::proof::verification::Verification;
use super::task::Outcome;
use crate::endpoint::answer::Tokens;
use crate::endpoint::attempts::{Attempt, Metered, Spent};
use crate::endpoint::budget::Price;
use crate::endpoint::class::Failed;
use object::Object;
use rehearsal_wire::json::quoted;
use rehearsal_world::owned::{Fate, PathReport};
use std::collections::BTreeSet;

/// Version of the report's form.
pub const VERSION: u64 = 1;

/// What came of a task.
#[derive(Clone, Debug)]
pub struct Report {
    /// How it came out.
    pub outcome: Outcome,
    /// The model that was asked.
    pub model: String,
    /// The URL that was asked.
    pub url: String,
    /// What became of each file; empty where none was to be written.
    pub files: Vec<PathReport>,
    /// What the model says it did.
    pub summary: Option<String>,
    /// How many answers were sent back to the model.
    pub repairs: usize,
    /// Where something was read more leniently than it should be.
    pub leniencies: Vec<String>,
    /// What the endpoint did not take, and was not sent any more.
    pub steps: Vec<&'static str>,
    /// What the endpoint was found to force, for those who ask it next.
    pub learned: BTreeSet<Step>,
    /// What was found in files, one sentence each.
    pub findings: Vec<String>,
    /// All that was sent.
    pub attempts: Vec<Attempt>,
    /// Tokens; none where nothing was sent.
    pub spent: Option<Spent>,
    /// What tokens cost; none where nobody said.
    pub price: Option<Price>,
    /// What was proved.
    pub verification: Verification,
}

impl Report {
    /// A report of nothing done at an endpoint.
    #[must_use]
    pub fn nothing(url: &str) -> Self {
        Self {
            outcome: Outcome::NoOp,
            model: String::new(),
            url: url.to_owned(),
            files: Vec::new(),
            summary: None,
            repairs: 0,
            leniencies: Vec::new(),
            steps: Vec::new(),
            learned: BTreeSet::new(),
            findings: Vec::new(),
            attempts: Vec::new(),
            spent: None,
            price: None,
            verification: Verification::none(),
        }
    }

    /// The report as JSON, one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut object = Object::begin();
        object.number("version", VERSION);
        object.text("outcome", self.outcome.name());
        object.text("status", if self.outcome.is_ok() { "done" } else { "failed" });
        object.flag("ok", self.outcome.is_ok());
        object.text("model", &self.model);
        object.text("url", &self.url);
        object.maybe("summary", self.summary.as_deref());
        object.list("files", &self.files, |file| {
            let mut object = Object::begin();
            object.text("path", &file.path);
            object.text("fate", fate(file.fate));
            object.maybe("before", file.before.as_deref());
            object.maybe("after", file.after.as_deref());
            object.maybe("kept", file.kept.as_deref());
            object.end()
        });
        object.raw("error", &self.error().map_or_else(|| "null".to_owned(), error));
        object.number("repairs", self.repairs as u64);
        object.list("leniencies", &self.leniencies, |name| quoted(name));
        object.list("steps", &self.steps, |name| quoted(name));
        object.list("findings", &self.findings, |text| quoted(text));
        object.list("attempts", &self.attempts, attempt);
        let spent = self.spent.map(|spent| (spent.prompt, spent.completion, spent.metered));
        let (prompt, completion, metered) = spent.unwrap_or((0, 0, Metered::None));
        let mut usage = Object::begin();
        usage.number("prompt", prompt);
        usage.number("completion", completion);
        object.raw("usage", &usage.end());
        object.text("metered", metered.name());
        object.raw("cost", &self.cost().unwrap_or_else(|| "null".to_owned()));
        object.raw("verification", &proved::write(&self.verification));
        object.end()
    }

    /// What was spent where somebody said what tokens cost; a lower bound where not all were told.
    fn cost(&self) -> Option<String> {
        let (price, spent) = (self.price?, self.spent?);
        let mut object = Object::begin();
        object.raw("usd", &format!("{:.6}", price.of(spent.prompt, spent.completion)));
        object.flag("complete", spent.metered == Metered::All);
        Some(object.end())
    }

    /// Whether something about it was not quite as it should be: answers sent back, lenient readings, tokens that were not told, a
    /// guard that was overridden.
    #[must_use]
    pub fn is_suspect(&self) -> bool {
        is_suspect(self.repairs, &self.leniencies, &self.findings, self.spent)
    }

    /// Why it failed, if it did.
    #[must_use]
    pub fn error(&self) -> Option<&Failed> {
        match &self.outcome {
            Outcome::Refused(failed) | Outcome::Failed(failed) => Some(failed),
            Outcome::Applied | Outcome::NoOp | Outcome::Incomplete => None,
        }
    }
}

/// As [`Report::is_suspect`], before there is a report.
pub(super) fn is_suspect(
    repairs: usize,
    leniencies: &[String],
    findings: &[String],
    spent: Option<Spent>,
) -> bool {
    let unmetered = spent.is_some_and(|spent| spent.metered != Metered::All);
    repairs > 0 || !leniencies.is_empty() || unmetered || !findings.is_empty()
}

fn fate(fate: Fate) -> &'static str {
    match fate {
        Fate::Applied => "applied",
        Fate::RolledBack => "rolled_back",
        Fate::Dirty => "dirty",
    }
}

fn error(failed: &Failed) -> String {
    let mut object = Object::begin();
    object.text("class", failed.class.name());
    object.maybe("reason", failed.reason);
    object.flag("retryable", failed.retryable);
    object.text("message", &failed.message);
    object.count("status", failed.status.map(u64::from));
    object.maybe("type", failed.kind.as_deref());
    object.maybe("code", failed.code.as_deref());
    object.maybe("param", failed.param.as_deref());
    object.maybe("requestId", failed.request_id.as_deref());
    object.maybe("body", failed.body.as_deref());
    object.maybe("text", failed.text.as_deref());
    object.end()
}

fn attempt(attempt: &Attempt) -> String {
    let millis = |time: std::time::Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let mut object = Object::begin();
    object.number("number", attempt.number.into());
    object.maybe("class", attempt.class.map(crate::endpoint::class::Class::name));
    object.count("status", attempt.status.map(u64::from));
    object.number("waitMs", millis(attempt.wait));
    object.number("ms", millis(attempt.took));
    object.number("bytesOut", attempt.bytes_out);
    object.number("bytesIn", attempt.bytes_in);
    object.raw("usage", &tokens(attempt.usage));
    object.maybe("finish", attempt.finish.as_deref());
    object.maybe("requestId", attempt.request_id.as_deref());
    object.list("leniencies", &attempt.leniencies, |leniency| quoted(leniency.name()));
    object.end()
}

fn tokens(tokens: Tokens) -> String {
    let mut object = Object::begin();
    object.count("prompt", tokens.prompt);
    object.count("completion", tokens.completion);
    object.end()
}
