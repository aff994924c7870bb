//! Plain text with the real id replaced: bodies that are no JSON, comments and names in event streams.

use super::Names;
use super::search::Search;

/// The map of one text. Bytes that are not UTF-8 pass and are no letters.
#[derive(Debug)]
pub struct TextMap {
    search: Search,
}

impl TextMap {
    /// A map at the start of a text.
    #[must_use]
    pub fn new(names: &Names) -> Self {
        Self { search: Search::new(names, false) }
    }

    /// Takes what came next and appends what can leave.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        self.search.plain(bytes, out);
    }

    /// The text is at its end: what was held back leaves. The map is ready for another text.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.search.end(out);
    }

    /// How many bytes are held back: less than the id and one character.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.search.pending()
    }

    /// Tells what stood before the text that comes.
    pub(super) fn stands_after(&mut self, before: &[u8]) {
        self.search.stands_after(before);
    }
}

/// A whole text with the real id replaced.
#[must_use]
pub fn mapped_text(names: &Names, text: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut map = TextMap::new(names);
    map.push(text, &mut out);
    map.finish(&mut out);
    out
}
