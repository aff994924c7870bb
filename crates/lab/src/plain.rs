//! Bytes and words from outside as they may stand in facts and messages.

use crate::workspace::is_unseen;
use serde_json::{Map, Value};

/// Most bytes of a text in a fact. Of what a program or a server says the beginning is shown; a file that is longer shows none.
pub(crate) const SHOWN: usize = 64 << 10;

/// Most letters of a foreign line in a message.
const LINE: usize = 200;

/// The beginning of some bytes as text, with replacement characters where they are none, and whether there were such.
pub(crate) fn text(bytes: &[u8]) -> (String, bool) {
    let shown = &bytes[..bytes.len().min(SHOWN)];
    match std::str::from_utf8(shown) {
        Ok(text) => (text.to_owned(), false),
        // Only the cut broke a letter.
        Err(error) if error.error_len().is_none() && shown.len() < bytes.len() => {
            (String::from_utf8_lossy(&shown[..error.valid_up_to()]).into_owned(), false)
        }
        Err(_) => (String::from_utf8_lossy(shown).into_owned(), true),
    }
}

/// Words from outside on one line: what is no letter that a reader sees is escaped, and what is too long is cut.
pub(crate) fn line(words: &str) -> String {
    let mut out = String::new();
    for (at, letter) in words.chars().enumerate() {
        if at == LINE {
            out.push('…');
            break;
        }
        // Marks that turn the direction of writing make a line say something else than it does.
        if is_unseen(letter) {
            out.extend(letter.escape_default());
        } else {
            out.push(letter);
        }
    }
    out
}

/// The last line of some output that says anything, as it may stand in a message.
pub(crate) fn last_line(output: &str) -> Option<String> {
    output.lines().map(str::trim).rfind(|each| !each.is_empty()).map(line)
}

/// Fields of a fact.
pub(crate) fn fields<const N: usize>(each: [(&str, Value); N]) -> Map<String, Value> {
    each.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_letter_that_the_cut_broke_is_left_out_and_no_flaw() {
        let long = format!("{}ü", "a".repeat(SHOWN - 1));
        assert_eq!(text(long.as_bytes()), ("a".repeat(SHOWN - 1), false));
        assert_eq!(text(b"a\xc3"), ("a\u{fffd}".to_owned(), true));
        assert_eq!(text("ü".as_bytes()), ("ü".to_owned(), false));
        let broken = [b"\xff".repeat(3), b"a".repeat(SHOWN)].concat();
        assert!(text(&broken).1);
    }

    #[test]
    fn foreign_lines_are_one_line_that_says_what_it_says() {
        assert_eq!(line("a\u{1b}[31mb\nc\u{202e}"), "a\\u{1b}[31mb\\nc\\u{202e}");
        assert_eq!(line(&"x".repeat(300)).chars().count(), LINE + 1);
        assert_eq!(last_line("one\ntwo \n\n  \n").as_deref(), Some("two"));
        assert_eq!(last_line("\n \n"), None);
    }
}
