//! Whether an answer is held to being an object of JSON.

use super::{ANSWERS, json_schema, taken};
use crate::endpoint::config::Dialect;
use crate::endpoint::request::Structured;
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use crate::worker::format::json_patch;

pub(super) const ROW: Probe = Probe {
    name: "json_object",
    finds: "holds an answer to an object of JSON",
    needs: ANSWERS,
    asks: Asks::Turn(|dialect| match dialect {
        Dialect::Chat | Dialect::Responses => {
            Some(Draft { structured: Structured::JsonObject, ..Draft::ask(PROMPT) })
        }
        Dialect::Messages => None,
    }),
    judge,
};

/// The object is that of a worker's answer, so that a worker's own reading says what stands around it.
const PROMPT: &str =
    r#"Answer with this JSON object and nothing else: {"files":[],"summary":"ready","done":true}"#;

fn judge(seen: &Seen<'_>) -> Judged {
    let told = match &seen.exchange.result {
        Ok(told) => told,
        Err(_) => return taken::or_quirk(seen, Some("q32_json_object_400")),
    };
    let Some(text) = &told.text else { return Judged::new(Verdict::No, "no words") };
    match json_patch::parse(text, &[]) {
        Ok(answer) => json_schema::around(Judged::new(Verdict::Yes, ""), &answer.leniencies),
        // Another object is one, too.
        Err(error) if matches!(error.code, "missing_key" | "unknown_key") => Judged::new(Verdict::Yes, ""),
        Err(error) => {
            let note = taken::short(&error.to_string());
            let judged = Judged::new(Verdict::No, format!("taken, and not kept: {note}"));
            judged.and(json_schema::quirk_of(&error, "q32_json_object_400"), note)
        }
    }
}
