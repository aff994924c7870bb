//! What written conversations are called, in which order they stand, and which headers a script can send.

use super::Conversation;
use crate::find::Finder;
use crate::fold::fold;
use crate::read::is_header;
use std::collections::BTreeSet;

/// The names that were given.
#[derive(Default)]
pub(super) struct Names {
    classes: BTreeSet<String>,
    ids: BTreeSet<String>,
}

/// Longest name, in characters.
const LONGEST: usize = 60;

impl Names {
    /// The name of a class and the id of its phrasing, after what they shall be called. The id is a part of every call's id, so
    /// that it holds only letters that all APIs allow there.
    pub(super) fn of(&mut self, wanted: &str) -> (String, String) {
        let sound = |letter: char| if letter.is_control() || letter == '/' { '-' } else { letter };
        let class: String = wanted.trim().chars().map(sound).take(LONGEST).collect();
        let plain = |letter: char| if letter.is_ascii_alphanumeric() || letter == '_' { letter } else { '-' };
        let id: String = class.chars().map(plain).collect();
        let id: Vec<&str> = id.split('-').filter(|part| !part.is_empty()).collect();
        let or = |name: &str| if name.is_empty() { "recorded".to_owned() } else { name.to_owned() };
        (free(&mut self.classes, or(class.trim())), free(&mut self.ids, or(&id.join("-"))))
    }
}

/// The name, numbered from 2 where it is taken.
fn free(taken: &mut BTreeSet<String>, name: String) -> String {
    let numbered = (2_usize..).map(|number| format!("{name}-{number}"));
    let found =
        std::iter::once(name.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(name);
    taken.insert(found.clone());
    found
}

/// The conversations in an order in which each is found by its own prompt, and whether its prompt stands before already.
pub(super) fn in_order<'c>(all: &[&'c Conversation]) -> Vec<(&'c Conversation, bool)> {
    let mut all: Vec<(&Conversation, String)> =
        all.iter().map(|one| (*one, fold(&one.prompt).into_owned())).collect();
    let finder = Finder::new(all.iter().map(|(_, prompt)| prompt.clone()).collect());
    let hides = |(at, (_, prompt)): (usize, &(&Conversation, String))| finder.first_in(prompt) < Some(at);
    if all.iter().enumerate().any(hides) {
        all.sort_by_key(|(_, prompt)| std::cmp::Reverse(prompt.len()));
    }
    let mut seen = BTreeSet::new();
    all.into_iter().map(|(one, prompt)| (one, !seen.insert(prompt))).collect()
}

/// Whether a script may set a header.
pub(super) fn is_sendable(name: &str, value: &str) -> bool {
    name.len() <= LONGEST && is_header(name, value)
}
