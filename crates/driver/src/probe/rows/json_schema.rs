//! Whether an answer is held to a schema: the one of a worker's answer, of which the prompt says nothing.

use super::{ANSWERS, taken};
use crate::endpoint::request::{Schema, Structured};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use crate::worker::format::answer::{FormatError, Leniency};
use crate::worker::format::json_patch;

pub(super) const ROW: Probe = Probe {
    name: "json_schema",
    finds: "holds an answer to a JSON schema",
    needs: ANSWERS,
    asks: Asks::Turn(|_| {
        Some(Draft {
            structured: Structured::JsonSchema,
            schema: Some(SCHEMA),
            ..Draft::ask("Say in JSON that you are ready.")
        })
    }),
    judge,
};

const SCHEMA: Schema<'static> = Schema { name: json_patch::SCHEMA.name, text: json_patch::SCHEMA.text };

fn judge(seen: &Seen<'_>) -> Judged {
    let told = match &seen.exchange.result {
        Ok(told) => told,
        Err(_) => return taken::or_quirk(seen, Some("q30_json_schema_400")),
    };
    let Some(text) = &told.text else { return Judged::new(Verdict::No, "no words") };
    match json_patch::parse(text, &[]) {
        Ok(answer) => around(Judged::new(Verdict::Yes, ""), &answer.leniencies),
        Err(error) => {
            let judged = Judged::new(
                Verdict::No,
                format!("taken, and not kept: {}", taken::short(&error.to_string())),
            );
            judged.and(quirk_of(&error, "q33_schema_ignored"), taken::short(text))
        }
    }
}

/// The quirks of what stands around JSON.
pub(super) fn around(judged: Judged, leniencies: &[Leniency]) -> Judged {
    leniencies.iter().fold(judged, |judged, leniency| match leniency {
        Leniency::ByteOrderMark => judged.and("byte_order_mark", "before the words"),
        Leniency::ThinkBlock => judged.and("q14_think_prefix", ""),
        Leniency::Fence => judged.and("q16_code_fence", ""),
        Leniency::ProseAround => judged.and("q18_prose_around", ""),
        // Of formats that are no JSON.
        Leniency::PathLine { .. }
        | Leniency::HunkNumbers { .. }
        | Leniency::TrailingSpace { .. }
        | Leniency::BlankContext { .. } => judged,
    })
}

/// The quirk of JSON that cannot be read: a fence that holds something else is one of its own.
pub(super) fn quirk_of(error: &FormatError, otherwise: &'static str) -> &'static str {
    if error.code == "other_fence" { "q17_wrong_fence" } else { otherwise }
}
