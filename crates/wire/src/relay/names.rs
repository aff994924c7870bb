//! The two ids of a model: the real one that the provider knows and the alias that clients see.

use crate::json::write_string;
use memchr::memmem::Finder;
use std::sync::Arc;

/// The real id of a model and its alias. A copy costs a counter.
///
/// The real id counts only as a whole token: where it begins (ends) with an alphanumeric character, the character before
/// (after) it must not be alphanumeric, in the sense of Unicode. So `gpt-4` stands in `perm-gpt-4` and not in `xgpt-4`.
#[derive(Clone, Debug)]
pub struct Names(Arc<Forms>);

#[derive(Debug)]
struct Forms {
    real: String,
    alias: String,
    /// The alias as it stands inside a JSON string, without the quotes.
    escaped: Vec<u8>,
    finder: Finder<'static>,
}

/// Why two ids cannot be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameFault {
    /// One of them is empty: an empty id stands everywhere.
    Empty,
    /// One of them holds a control character: it could end a line of an event stream.
    ControlCharacter,
}

impl std::fmt::Display for NameFault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Empty => "a model id is empty",
            Self::ControlCharacter => "a model id holds a control character",
        })
    }
}

impl std::error::Error for NameFault {}

impl Names {
    /// The real id and the alias that stands in its place.
    ///
    /// # Errors
    /// [`NameFault`] where one of them is empty or holds a control character.
    pub fn new(real: &str, alias: &str) -> Result<Self, NameFault> {
        for name in [real, alias] {
            if name.is_empty() {
                return Err(NameFault::Empty);
            }
            if name.chars().any(char::is_control) {
                return Err(NameFault::ControlCharacter);
            }
        }
        let mut escaped = Vec::new();
        write_string(&mut escaped, alias);
        escaped.pop();
        escaped.remove(0);
        let finder = Finder::new(real).into_owned();
        Ok(Self(Arc::new(Forms { real: real.to_owned(), alias: alias.to_owned(), escaped, finder })))
    }

    /// The id that the provider knows.
    #[must_use]
    pub fn real(&self) -> &str {
        &self.0.real
    }

    /// The id that clients see.
    #[must_use]
    pub fn alias(&self) -> &str {
        &self.0.alias
    }

    /// The alias as it is written inside a JSON string.
    pub(super) fn escaped(&self) -> &[u8] {
        &self.0.escaped
    }

    /// The first place of the real id in a text, whole token or not.
    pub(super) fn find(&self, text: &[u8]) -> Option<usize> {
        self.0.finder.find(text)
    }

    /// Whether no alphanumeric character may stand before the real id.
    pub(super) fn begins_as_word(&self) -> bool {
        self.real().starts_with(char::is_alphanumeric)
    }

    /// Whether no alphanumeric character may stand after the real id.
    pub(super) fn ends_as_word(&self) -> bool {
        self.real().ends_with(char::is_alphanumeric)
    }
}

#[cfg(test)]
mod tests {
    use super::{NameFault, Names};

    #[test]
    fn refuses_ids_that_stand_everywhere_or_break_lines() {
        for (real, alias, fault) in [
            ("", "a", NameFault::Empty),
            ("a", "", NameFault::Empty),
            ("a\nb", "c", NameFault::ControlCharacter),
            ("a", "b\r", NameFault::ControlCharacter),
        ] {
            assert_eq!(Names::new(real, alias).err(), Some(fault), "{real:?} {alias:?}");
        }
        let names = Names::new("/models/x", "a\"b").unwrap();
        assert_eq!((names.real(), names.alias(), names.escaped()), ("/models/x", "a\"b", &b"a\\\"b"[..]));
    }
}
