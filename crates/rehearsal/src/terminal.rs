//! Lines for people. A reader that has gone away (a closed pipe) is no failure; a disk that takes no more is one.

use std::borrow::Cow;
use std::io::{self, IsTerminal as _, Write as _};
use std::sync::OnceLock;

/// Why standard output could first not be written, but for a reader that went away.
static LOST: OnceLock<String> = OnceLock::new();

fn keep(written: io::Result<()>) {
    if let Err(error) = written
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        LOST.get_or_init(|| error.to_string());
    }
}

/// Why something that was said is not where it should be.
pub(crate) fn lost() -> Option<&'static str> {
    LOST.get().map(String::as_str)
}

/// A line on standard output.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    keep(writeln!(out, "{line}").and_then(|()| out.flush()));
}

/// A line on standard output for a person. What a model or a file of others' put into it moves no cursor and changes no colour.
pub(crate) fn tell(line: &str) {
    say(&tame(line));
}

/// Text on standard output as it is.
pub(crate) fn print(text: &str) {
    let mut out = std::io::stdout().lock();
    keep(out.write_all(text.as_bytes()).and_then(|()| out.flush()));
}

/// A line on standard error. Names that others gave, of files or in recordings, move no cursor and change no colour.
pub(crate) fn complain(line: &str) {
    let mut err = std::io::stderr().lock();
    let _gone = writeln!(err, "{}", tame(line));
}

/// A text without control characters but for ends of lines and tabulators, and without what turns the direction of writing.
fn tame(text: &str) -> Cow<'_, str> {
    let is_wild = |one: char| {
        let turns =
            matches!(one, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
        turns || (one.is_control() && !matches!(one, '\n' | '\t'))
    };
    if !text.contains(is_wild) {
        return Cow::Borrowed(text);
    }
    let mut tamed = String::with_capacity(text.len() + 16);
    for one in text.chars() {
        if is_wild(one) { tamed.extend(one.escape_default()) } else { tamed.push(one) }
    }
    Cow::Owned(tamed)
}

/// What makes a word mean so many.
pub(crate) fn plural<N: Copy + PartialEq + From<u8>>(count: N) -> &'static str {
    if count == N::from(1) { "" } else { "s" }
}

/// Whether standard output is a terminal that shows colours.
pub(crate) fn colour() -> bool {
    std::io::stdout().is_terminal() && !crate::env::no_color()
}

/// Columns for tables: what a person sets, else what the terminal has, else 100.
pub(crate) fn width() -> usize {
    crate::env::columns().or_else(rehearsal_world::environment::terminal_columns).unwrap_or(100)
}

#[cfg(test)]
mod tests {
    use super::tame;

    #[test]
    fn control_characters_are_told_and_not_obeyed() {
        assert_eq!(tame("a\x1b[31mb\u{7f}\u{9b}c\r\n\td"), "a\\u{1b}[31mb\\u{7f}\\u{9b}c\\r\n\td");
        assert_eq!(tame("a\u{202e}b\u{2028}c"), "a\\u{202e}b\\u{2028}c");
        assert_eq!(tame("żółć 😀"), "żółć 😀");
    }
}
