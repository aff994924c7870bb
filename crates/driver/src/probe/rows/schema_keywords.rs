//! Whether a schema may hold more than the few keywords that a worker's has.

use super::taken;
use crate::endpoint::request::{Schema, Structured};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use rehearsal_wire::json::{self, Value};

pub(super) const ROW: Probe = Probe {
    name: "schema_keywords",
    finds: "holds an answer to `enum` and `minimum` of a schema",
    needs: &["json_schema"],
    asks: Asks::Turn(|_| {
        Some(Draft {
            structured: Structured::JsonSchema,
            schema: Some(SCHEMA),
            ..Draft::ask("Say in JSON how many words you need to be ready.")
        })
    }),
    judge,
};

const SCHEMA: Schema<'static> = Schema {
    name: "Words",
    text: r#"{"type":"object","properties":{"word":{"type":"string","enum":["heron","otter"]},"count":{"type":"integer","minimum":40}},"required":["word","count"],"additionalProperties":false}"#,
};

fn judge(seen: &Seen<'_>) -> Judged {
    let told = match &seen.exchange.result {
        Ok(told) => told,
        Err(_) => return taken::or_quirk(seen, Some("q34_schema_keyword")),
    };
    let text = told.text.as_deref().unwrap_or_default();
    let keeps = |root: Value<'_>| {
        root.get("word").is_some_and(|word| word.is_str("heron") || word.is_str("otter"))
            && root.get("count").and_then(Value::as_i64).is_some_and(|count| count >= 40)
    };
    if json::parse(text.trim().as_bytes()).is_ok_and(|tape| keeps(tape.root())) {
        return Judged::new(Verdict::Yes, "");
    }
    Judged::new(Verdict::No, format!("taken, and not kept: {}", taken::short(text)))
}
