//! What a person does not want in any file: texts that match a pattern, replaced before they are written.
//!
//! A mark holds a keyed digest of what stood there: equal texts get equal marks within one record folder, so that recordings can still
//! be compared, and nobody without the folder's key can try guesses.

use regex_lite::Regex;
use rehearsal_journal::digest;
use std::borrow::Cow;
use std::sync::Arc;
use thiserror::Error;

/// Digits of a mark: 64 bits.
const DIGITS: usize = 16;
/// Bytes of a line that are looked at together.
pub const LINE: usize = 256 * 1024;
/// Where a longer line is cut: so many bytes wait for what follows, so that a match up to this length is seen wherever it stands.
const TAIL: usize = 16 * 1024;

/// A pattern that cannot be used.
#[derive(Debug, Error)]
pub enum PatternError {
    /// It is no regular expression.
    #[error("{pattern:?} is no regular expression: {source}")]
    Broken {
        /// The pattern.
        pattern: String,
        /// What is wrong.
        source: regex_lite::Error,
    },
    /// It would replace nothing by something everywhere.
    #[error("{0:?} matches the empty text")]
    Empty(String),
}

/// Replaces what matches. Copies share their patterns.
#[derive(Clone, Debug)]
pub struct Redactor(Arc<Patterns>);

#[derive(Debug)]
struct Patterns {
    patterns: Vec<Regex>,
    key: String,
}

impl Redactor {
    /// A redactor of these patterns with the folder's key; none without patterns.
    ///
    /// # Errors
    /// The first pattern that cannot be used.
    pub fn new(patterns: &[String], key: &str) -> Result<Option<Self>, PatternError> {
        let compiled: Vec<Regex> = patterns.iter().map(|text| pattern(text)).collect::<Result<_, _>>()?;
        let patterns = Patterns { patterns: compiled, key: key.to_owned() };
        Ok((!patterns.patterns.is_empty()).then(|| Self(Arc::new(patterns))))
    }

    /// A text without what matches.
    #[must_use]
    pub fn text<'t>(&self, text: &'t str) -> Cow<'t, str> {
        let mut text = Cow::Borrowed(text);
        for pattern in &self.0.patterns {
            if pattern.is_match(&text) {
                let replaced = pattern.replace_all(&text, |found: &regex_lite::Captures<'_>| {
                    found.get(0).map_or_else(String::new, |found| self.mark(found.as_str()))
                });
                text = Cow::Owned(replaced.into_owned());
            }
        }
        text
    }

    /// The same for bytes. What is no UTF-8 stands between texts and is left alone.
    #[must_use]
    pub fn bytes(&self, bytes: &[u8]) -> Vec<u8> {
        let mut out = Vec::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            out.extend_from_slice(self.text(chunk.valid()).as_bytes());
            out.extend_from_slice(chunk.invalid());
        }
        out
    }

    /// Where bytes that go on may be cut: no match goes over that place. None where all of them are needed still.
    fn border(&self, bytes: &[u8]) -> Option<usize> {
        let mut cut = bytes.len().checked_sub(TAIL)?;
        loop {
            let mut at = 0;
            let mut over = None;
            for chunk in bytes.utf8_chunks() {
                let text = chunk.valid();
                let mut found = self.0.patterns.iter().flat_map(|pattern| pattern.find_iter(text));
                let crosses =
                    |found: &regex_lite::Match<'_>| at + found.start() < cut && at + found.end() > cut;
                over = over.or_else(|| found.find(crosses).map(|found| at + found.start()));
                at += text.len() + chunk.invalid().len();
            }
            match over {
                Some(start) => cut = start,
                None => return (cut > 0).then_some(cut),
            }
        }
    }

    fn mark(&self, found: &str) -> String {
        let keyed = digest::text(&digest::of(format!("{}\n{found}", self.0.key).as_bytes()));
        format!("<redacted:{}>", &keyed[..DIGITS])
    }
}

/// A pattern as it will be used.
///
/// # Errors
/// When it cannot be.
pub fn pattern(text: &str) -> Result<Regex, PatternError> {
    let pattern =
        Regex::new(text).map_err(|source| PatternError::Broken { pattern: text.to_owned(), source })?;
    if pattern.is_match("") {
        return Err(PatternError::Empty(text.to_owned()));
    }
    Ok(pattern)
}

/// A body on its way into a file: it is looked at line by line, so that what comes in pieces is found.
#[derive(Debug)]
pub struct Lines {
    redactor: Redactor,
    held: Vec<u8>,
}

impl Lines {
    /// At the beginning of a body.
    #[must_use]
    pub fn new(redactor: Redactor) -> Self {
        Self { redactor, held: Vec::new() }
    }

    /// Takes what came; gives what may be written.
    #[must_use]
    pub fn push(&mut self, bytes: &[u8]) -> Vec<u8> {
        self.held.extend_from_slice(bytes);
        let end = match self.held.iter().rposition(|byte| *byte == b'\n') {
            Some(end) => end + 1,
            None if self.held.len() > 2 * LINE => self.held.len(),
            None if self.held.len() > LINE => match self.redactor.border(&self.held) {
                Some(border) => border,
                None => return Vec::new(),
            },
            None => return Vec::new(),
        };
        let rest = self.held.split_off(end);
        let lines = std::mem::replace(&mut self.held, rest);
        self.redactor.bytes(&lines)
    }

    /// The body is over.
    #[must_use]
    pub fn finish(&mut self) -> Vec<u8> {
        self.redactor.bytes(&std::mem::take(&mut self.held))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn redactor(key: &str) -> Redactor {
        Redactor::new(&["sk-[a-z0-9]{4,}".to_owned()], key).unwrap().unwrap()
    }

    #[test]
    fn equal_texts_get_equal_marks_under_one_key_and_others_under_another() {
        let (one, other) = (redactor("k"), redactor("l"));
        let text = one.text("a sk-abcd b sk-abcd c sk-abce").into_owned();
        let marks: Vec<&str> = text.split(' ').filter(|word| word.starts_with('<')).collect();
        assert_eq!(marks.len(), 3);
        assert!(marks[0] == marks[1] && marks[1] != marks[2]);
        assert!(!text.contains("sk-"));
        assert_ne!(other.text("sk-abcd"), one.text("sk-abcd"));
        assert!(matches!(one.text("nothing"), Cow::Borrowed(_)));
    }

    #[test]
    fn a_secret_in_pieces_is_found_and_what_is_no_text_stays() {
        let mut lines = Lines::new(redactor("k"));
        let body = b"data: sk-ab\xff\ndata: sk-abcdef\n\ndata: sk-zz99";
        let mut out = Vec::new();
        for byte in body {
            out.extend(lines.push(&[*byte]));
        }
        out.extend(lines.finish());
        let text = String::from_utf8_lossy(&out);
        assert!(text.starts_with("data: sk-ab\u{fffd}\ndata: <redacted:"), "{text}");
        assert!(!text.contains("abcdef") && !text.contains("zz99"), "{text}");
    }

    #[test]
    fn a_secret_is_found_wherever_a_long_line_is_cut() {
        let secret = "sk-abcdefghijklmnop";
        for size in [LINE - 7, LINE + 1] {
            for at in [LINE - 9, LINE - TAIL - 19, LINE - TAIL - 9, LINE - TAIL] {
                let body = [&vec![b'.'; at][..], secret.as_bytes(), "ż".repeat(LINE / 2).as_bytes()].concat();
                let mut lines = Lines::new(redactor("k"));
                let mut out: Vec<u8> = body.chunks(size).flat_map(|piece| lines.push(piece)).collect();
                out.extend(lines.finish());
                let text = String::from_utf8(out).unwrap();
                assert!(text.contains("<redacted:") && !text.contains("mnop"), "{size} {at}");
            }
        }
    }

    #[test]
    fn patterns_that_match_everywhere_or_are_none_are_refused() {
        assert!(matches!(pattern("a*"), Err(PatternError::Empty(_))));
        assert!(matches!(pattern("("), Err(PatternError::Broken { .. })));
        assert!(Redactor::new(&[], "k").unwrap().is_none());
    }
}
