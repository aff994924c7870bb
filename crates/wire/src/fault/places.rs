//! Where documents hold what faults of contents and of tool calls change, in any dialect.

use super::answer::Event;
use crate::dialect::Dialects;
use crate::json::{Value, edit, parse};

/// Faults of what only the chat API has.
pub(super) const CHAT: Dialects = Dialects::Only(&["openai-chat"]);

/// Faults of arguments that are no JSON: the other dialects hold arguments as an object, which cannot be broken.
pub(super) const BREAKABLE: Dialects =
    Dialects::Only(&["openai-chat", "openai-responses", "anthropic-messages"]);

/// A value in a document.
#[derive(Clone, Copy)]
pub(super) struct Spot<'s> {
    text: &'s str,
    at: &'s str,
    /// The value.
    pub(super) value: Value<'s>,
}

impl Spot<'_> {
    /// The document with other JSON in the place of the value.
    pub(super) fn put(&self, json: &str) -> Option<String> {
        edit::replace(self.text, self.at, json)
    }

    /// The document with a key of this object set.
    pub(super) fn set(&self, key: &str, json: &str) -> Option<String> {
        edit::set(self.text, self.at, key, json)
    }

    /// The document with a key set of the object that this pointer leads to from here.
    pub(super) fn set_in(&self, below: &str, key: &str, json: &str) -> Option<String> {
        edit::set(self.text, &[self.at, below].concat(), key, json)
    }

    /// The pointer to a key of this object.
    pub(super) fn below(&self, key: &str) -> String {
        format!("{}/{key}", self.at)
    }

    /// The document without a key of this object.
    pub(super) fn without(&self, key: &str) -> Option<String> {
        edit::remove(self.text, self.at, key)
    }

    /// The document without this value and its key.
    pub(super) fn taken_out(&self) -> Option<String> {
        let (object, key) = self.at.rsplit_once('/')?;
        edit::remove(self.text, object, key)
    }
}

/// Changes every value that a pattern names, a JSON pointer in which `*` stands for each element of an array; gives whether any
/// document is another one then.
pub(super) fn everywhere(
    events: &mut [Event],
    patterns: &[&str],
    mut change: impl FnMut(Spot<'_>) -> Option<String>,
) -> bool {
    let mut changed = false;
    for event in events {
        for at in found(&event.data, patterns) {
            let made = parse(event.data.as_bytes())
                .ok()
                .and_then(|tape| change(Spot { text: &event.data, at: &at, value: tape.root().at(&at)? }));
            if let Some(data) = made.filter(|data| *data != event.data) {
                event.data = data;
                changed = true;
            }
        }
    }
    changed
}

/// The pointers to all values that patterns name.
fn found(text: &str, patterns: &[&str]) -> Vec<String> {
    let Ok(tape) = parse(text.as_bytes()) else { return Vec::new() };
    patterns.iter().flat_map(|pattern| matching(tape.root(), pattern)).collect()
}

fn matching(root: Value<'_>, pattern: &str) -> Vec<String> {
    let mut parts = pattern.split("/*");
    let mut all = vec![parts.next().unwrap_or_default().to_owned()];
    for part in parts {
        let inside = |at: &String| {
            let elements = root.at(at).map_or(0, Value::len);
            (0..elements).map(|element| format!("{at}/{element}{part}")).collect::<Vec<_>>()
        };
        all = all.iter().flat_map(inside).collect();
    }
    all.retain(|at| root.at(at).is_some());
    all
}

/// Puts documents behind each event of a stream, in the same lines; gives whether there were any. Not for the elements of an array.
pub(super) fn followed(events: &mut Vec<Event>, by: impl Fn(&Event) -> Vec<String>) -> bool {
    let before = events.len();
    for event in std::mem::take(events) {
        let more: Vec<Event> = by(&event).into_iter().map(|data| Event { data, ..event.clone() }).collect();
        events.push(event);
        events.extend(more);
    }
    renumber(events);
    events.len() > before
}

/// Numbers the events of the Responses API anew, after some were added or taken away.
pub(super) fn renumber(events: &mut [Event]) {
    for (number, event) in events.iter_mut().enumerate() {
        if let Some(data) = edit::replace(&event.data, "/sequence_number", &number.to_string()) {
            event.data = data;
        }
    }
}
