//! What belongs to another API in a request: the tables and the walk that the rules about leaks share.
//!
//! Must not know: which API is spoken, which others there are.

use super::{Asked, Verdict, say};
use crate::json::{Marks, Value};

/// A key, a role or a type, each with what to send instead.
pub(super) type Foreign = (&'static str, &'static str);

/// Foreign words, in the order in which they are looked for.
pub(super) struct Table {
    /// The words.
    pub(super) rows: &'static [Foreign],
    /// Hardly any request holds one of them, and mostly their marks tell so at once.
    marks: Marks,
}

impl Table {
    /// A table of these.
    pub(super) const fn of(rows: &'static [Foreign]) -> Self {
        let (mut marks, mut at) = (Marks::NONE, 0);
        while at < rows.len() {
            marks = marks.with(rows[at].0);
            at += 1;
        }
        Self { rows, marks }
    }
}

/// What to do with what has no counterpart.
pub(super) const NOTHING: &str = "leave it out";

/// Something foreign: where below a value, what it is, and what to send instead.
pub(super) struct Leak {
    below: String,
    what: String,
    fix: &'static str,
}

impl Leak {
    /// Something foreign at this place below a value.
    pub(super) fn new(below: impl Into<String>, what: impl Into<String>, fix: &'static str) -> Self {
        Self { below: below.into(), what: what.into(), fix }
    }

    /// A key of a value.
    pub(super) fn key(key: &str, fix: &'static str) -> Self {
        Self::new(format!("/{key}"), format!("`{key}`"), fix)
    }

    /// The same as seen from further up.
    pub(super) fn under(self, place: &str) -> Self {
        Self { below: format!("{place}{}", self.below), ..self }
    }

    /// The refusal of a request that holds it.
    fn refusal(self) -> Verdict {
        Err(say::leak(self.below, &self.what, self.fix))
    }
}

/// Refuses the first of these headers.
pub(super) fn refuse_headers(asked: &Asked<'_>, names: &[&str], fix: &str) -> Verdict {
    let Some(name) = names.iter().find(|name| asked.header(name).is_some()) else { return Ok(()) };
    Err(say::leak(String::new(), &format!("the header {name}"), fix))
}

/// Refuses the first top-level key of a body that is foreign, or whose value is told to hold something foreign.
pub(super) fn refuse(
    body: Value<'_>,
    keys: &Table,
    tell: impl Fn(&str, Value<'_>) -> Option<Leak>,
) -> Verdict {
    for (key, value) in body.entries() {
        if let Some((name, fix)) = named(keys, key) {
            return Leak::key(name, fix).refusal();
        }
        let Some(key) = key.as_str() else { continue };
        if let Some(leak) = tell(&key, value) {
            return leak.under(&format!("/{key}")).refusal();
        }
    }
    Ok(())
}

/// The row of a table that a word names.
pub(super) fn named(table: &Table, word: Value<'_>) -> Option<Foreign> {
    if !word.may_be(table.marks) {
        return None;
    }
    let word = word.as_str()?;
    table.rows.iter().find(|(name, _)| *name == word).copied()
}

/// The first element of a list that holds something foreign; `tell` also gets its number.
pub(super) fn first<'t>(list: Value<'t>, tell: impl Fn(usize, Value<'t>) -> Option<Leak>) -> Option<Leak> {
    list.items().enumerate().find_map(|(at, element)| Some(tell(at, element)?.under(&format!("/{at}"))))
}

/// The first key of a value that stands in a table.
pub(super) fn key_of(table: &Table, value: Value<'_>) -> Option<Leak> {
    if !value.may_have(table.marks) {
        return None;
    }
    let (name, fix) = value.entries().find_map(|(key, _)| named(table, key))?;
    Some(Leak::key(name, fix))
}

/// A key that a value has and should not have.
pub(super) fn has(value: Value<'_>, key: &str, fix: &'static str) -> Option<Leak> {
    value.get(key).map(|_| Leak::key(key, fix))
}
