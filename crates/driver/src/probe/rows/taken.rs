//! Whether something that was sent is taken, seen from what came back.

use crate::endpoint::class::{Class, Failed};
use crate::endpoint::request::Structured;
use crate::probe::draft::Draft;
use crate::probe::row::{Judged, Seen, Verdict};
use crate::worker::asking::refusal;
use crate::worker::format::ladder::{Ladder, LimitField, Rung, Shape, Verdict as Step};

/// Most bytes of a message that a note repeats.
const QUOTED: usize = 240;

/// Taken where the model answered, however; not where the request was refused, which is this quirk; else nobody can tell.
pub(super) fn or_quirk(seen: &Seen<'_>, quirk: Option<&'static str>) -> Judged {
    match &seen.exchange.result {
        Ok(_) => Judged::new(Verdict::Yes, ""),
        Err(failed) => of_failed(seen, failed, quirk),
    }
}

/// The same for an exchange that is known to have failed.
pub(super) fn of_failed(seen: &Seen<'_>, failed: &Failed, quirk: Option<&'static str>) -> Judged {
    let said = short(&failed.message);
    match failed.status {
        Some(200) => Judged::new(Verdict::Yes, format!("taken, but the answer is of no use: {said}")),
        Some(_) if is_refusal(failed) => {
            let step = seen.draft.and_then(|draft| step(draft, failed));
            let then = step.map_or_else(String::new, |step| format!(" [a worker then: {step}]"));
            let judged = Judged::new(Verdict::No, format!("refused: {said}{then}"));
            match quirk {
                Some(quirk) => judged.and(quirk, said),
                None => judged,
            }
        }
        Some(_) | None => Judged::new(Verdict::Unknown, format!("{}: {said}", failed.class.name())),
    }
}

/// Whether a status says that the request itself is at fault.
fn is_refusal(failed: &Failed) -> bool {
    match failed.class {
        Class::BadRequest | Class::UnsupportedParam | Class::ContextLength | Class::NotFound => true,
        // Servers that trip over a parameter say so with these.
        Class::Server => matches!(failed.status, Some(500 | 501)),
        _ => false,
    }
}

/// What a worker makes of this refusal, by its own rules.
fn step(draft: &Draft, failed: &Failed) -> Option<&'static str> {
    let limit = match (draft.sends("max_tokens"), draft.sends("max_completion_tokens")) {
        (true, false) => Some(LimitField::MaxTokens),
        (false, true) => Some(LimitField::MaxCompletionTokens),
        (true, true) | (false, false) => None,
    };
    let shape = Shape {
        rung: match draft.structured {
            Structured::JsonSchema => Rung::JsonSchema,
            Structured::JsonObject => Rung::JsonObject,
            Structured::None => Rung::None,
        },
        temperature: draft.sends("temperature"),
        limit,
        system: draft.system.is_some(),
        stream_options: draft.stream_usage,
        reasoning: false,
    };
    match Ladder::new(shape).refused(&refusal(failed)?) {
        Step::Again(step) => Some(step.name()),
        Step::Final => None,
    }
}

/// The beginning of a message, without the URL before it: that of all of them stands above.
pub(in crate::probe) fn short(text: &str) -> String {
    let text = match text.split_once(": ") {
        Some((url, rest)) if url.starts_with("http") => rest,
        Some(_) | None => text,
    };
    let mut end = text.len().min(QUOTED);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    let more = if end < text.len() { "…" } else { "" };
    format!("{}{more}", &text[..end])
}
