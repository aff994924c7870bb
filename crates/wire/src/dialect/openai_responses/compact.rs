//! Compaction, `POST /v1/responses/compact`: the user's messages and one item that stands for all else. The item says how many
//! turns of the model it stands for, so that a request that holds it goes on where the conversation was.
//!
//! After the reference of the operation of 2026-08: "all user messages, followed by a single compaction item".

use super::super::vectors::mark;
use super::item::{encrypted, key};
use super::render::number;
use super::{read, stored};
use crate::base64;
use crate::calendar::NEW_YEAR;
use crate::json::{Tape, Value, write_string};
use crate::reject::Reject;

/// Most turns that one item stands for: a peer writes it.
const MOST: usize = 1000;

/// What an item holds before the number.
const WORDS: &str = "turns before: ";

/// The answer.
pub(super) fn compact(tape: &Tape<'_>) -> Result<Vec<u8>, Box<Reject>> {
    // It must be there, and may be null: so the official Python library 3.57.0 documents it.
    if tape.root().get("model").is_none() {
        let missing = Reject::of_no_place(
            "responses-given",
            400,
            Some("missing_required_parameter"),
            "Missing required parameter: 'model'.",
        );
        return Err(Box::new(Reject {
            param: Some("model".to_owned()),
            pointer: "/model".to_owned(),
            ..missing
        }));
    }
    let turn = read::read(tape);
    let kept = turn.kept.as_ref().and_then(|kept| stored::step(&kept.id)).map_or(0, |step| step + 1);
    let turns = turn.assistants().saturating_add(kept).min(MOST);
    let stem = format!("gate_{:016x}", mark(tape.source().bytes()));
    let mut out = b"{\"id\":".to_vec();
    write_string(&mut out, &format!("resp_{stem}"));
    out.extend_from_slice(b",\"object\":\"response.compaction\"");
    number(&mut out, "created_at", NEW_YEAR);
    out.extend_from_slice(b",\"output\":[");
    for message in stored::of_users(tape, &stem) {
        out.extend_from_slice(&message);
        out.push(b',');
    }
    out.extend_from_slice(b"{\"id\":");
    write_string(&mut out, &format!("cmp_{stem}"));
    out.extend_from_slice(b",\"type\":\"compaction\",\"encrypted_content\":");
    write_string(&mut out, &encrypted(&format!("{WORDS}{turns}")));
    out.extend_from_slice(b"}]");
    key(&mut out, "usage");
    super::render::usage(&mut out, 1, 1);
    out.push(b'}');
    Ok(out)
}

/// How many turns of the model an item of ours stands for; none for one that is not ours.
pub(super) fn turns(item: Value<'_>) -> Option<usize> {
    let content = item.get("encrypted_content")?.as_str()?;
    let words = base64::decode(content.strip_prefix(super::item::SEALED)?)?;
    let number = std::str::from_utf8(&words).ok()?.strip_prefix(WORDS)?.parse::<usize>().ok()?;
    Some(number.min(MOST))
}
