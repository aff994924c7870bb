//! Keys that come back: a provider may say a request's headers again, and then a key is in an answer. It is written over before
//! anything is kept or served, byte by byte, so that lengths and framing stay as they were.
//!
//! A body that came in a content coding passes as it is.

use crate::outline::is_key;
use crate::passing::Header;
use bytes::Bytes;
use rehearsal_journal::redact::{self, REDACTED};

/// A shorter key of ours is no secret, and stands in many words.
const SHORTEST: usize = 8;
/// The same for what a client sends: where no key is needed, people write a word there, and a model may say that word.
const SHORTEST_OF_A_CLIENT: usize = 16;
/// What stands in the place of each byte.
const BYTE: u8 = b'*';

/// The keys of one exchange.
#[derive(Clone, Debug, Default)]
pub(crate) struct Keys(Vec<Vec<u8>>);

impl Keys {
    /// Our own keys, and those in the headers and in the query that are sent to the provider.
    #[must_use]
    pub(crate) fn of(own: &[Vec<u8>], headers: &[Header], target: &str) -> Self {
        let mut keys = Self(own.iter().filter(|key| key.len() >= SHORTEST).cloned().collect());
        // `Bearer KEY`, `a=1; b=2`: the words of it that no dictionary has.
        let values = headers.iter().filter(|(name, _)| is_key(name)).map(|(_, value)| value);
        let words = values.flat_map(|value| value.split(|byte| matches!(byte, b' ' | b';' | b',' | b'=')));
        let queried = redact::secrets(target);
        // As it stands there, and as whoever reads it says it again.
        let unescaped: Vec<Vec<u8>> = queried.iter().map(|value| redact::unescaped(value)).collect();
        let queried = queried.iter().map(|value| value.as_bytes()).chain(unescaped.iter().map(Vec::as_slice));
        for word in words.chain(queried) {
            let is_one = word.len() >= SHORTEST_OF_A_CLIENT && word.iter().any(u8::is_ascii_digit);
            if is_one && !keys.0.iter().any(|key| key == word) {
                keys.0.push(word.to_vec());
            }
        }
        // The longest first: one key may begin with another.
        keys.0.sort_unstable_by_key(|key| std::cmp::Reverse(key.len()));
        keys
    }

    /// Whether there is none.
    #[must_use]
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// A header's value for the client: as it came, but for keys.
    #[must_use]
    pub(crate) fn hidden(&self, value: &[u8]) -> Vec<u8> {
        let mut mask = Mask::new(self);
        let beginning = mask.push(Bytes::copy_from_slice(value));
        [beginning, mask.finish()].concat()
    }

    /// A header's value for people: as it came, but for keys.
    #[must_use]
    pub(crate) fn shown(&self, value: &[u8]) -> String {
        let mut text = String::from_utf8_lossy(value).into_owned();
        for key in self.0.iter().filter_map(|key| std::str::from_utf8(key).ok()) {
            text = text.replace(key, REDACTED);
        }
        text
    }

    /// The key that stands at a place.
    fn at(&self, bytes: &[u8]) -> Option<usize> {
        self.0.iter().find(|key| bytes.starts_with(key)).map(Vec::len)
    }

    /// Whether what stands at the end may become a key.
    fn may_begin(&self, rest: &[u8]) -> bool {
        self.0.iter().any(|key| rest.len() < key.len() && key.starts_with(rest))
    }
}

/// A body on its way from the provider.
#[derive(Debug)]
pub(crate) struct Mask<'k> {
    keys: &'k Keys,
    /// What may be the beginning of a key.
    held: Vec<u8>,
}

impl<'k> Mask<'k> {
    #[must_use]
    pub(crate) fn new(keys: &'k Keys) -> Self {
        Self { keys, held: Vec::new() }
    }

    /// What may be kept of what came.
    #[must_use]
    pub(crate) fn push(&mut self, piece: Bytes) -> Bytes {
        if self.keys.0.is_empty() {
            return piece;
        }
        self.held.extend_from_slice(&piece);
        self.leave(false)
    }

    /// The body is over: what was held back becomes no longer key.
    #[must_use]
    pub(crate) fn finish(&mut self) -> Bytes {
        self.leave(true)
    }

    fn leave(&mut self, over: bool) -> Bytes {
        let mut at = 0;
        while let Some(skipped) = self.held[at..].iter().position(|byte| self.keys.may_begin(&[*byte])) {
            at += skipped;
            let rest = &self.held[at..];
            if !over && self.keys.may_begin(rest) {
                let rest = self.held.split_off(at);
                return std::mem::replace(&mut self.held, rest).into();
            }
            let length = self.keys.at(rest);
            self.held[at..at + length.unwrap_or(0)].fill(BYTE);
            at += length.unwrap_or(1);
        }
        std::mem::take(&mut self.held).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn keys() -> Keys {
        let headers = [
            ("Authorization".to_owned(), b"Bearer sk-1234567890abc".to_vec()),
            ("X-Api-Key".to_owned(), b"sk-no-key-is-needed".to_vec()),
            ("Accept".to_owned(), b"application/json".to_vec()),
        ];
        Keys::of(&[b"sk-1234567890abc-longer".to_vec()], &headers, "/v1/x?a=b&key=q%2Dk-1234567890abc")
    }

    #[test]
    fn a_key_is_written_over_however_it_is_cut() {
        let text = "a sk-1234567890abc b sk-no-key-is-needed sk-123 application/json sk-1234567890abc-longer sk-12345678";
        let wanted = "a **************** b sk-no-key-is-needed sk-123 application/json *********************** sk-12345678";
        let keys = keys();
        for size in 1..text.len() {
            let mut mask = Mask::new(&keys);
            let mut out = Vec::new();
            for piece in text.as_bytes().chunks(size) {
                out.extend_from_slice(&mask.push(Bytes::copy_from_slice(piece)));
            }
            out.extend_from_slice(&mask.finish());
            assert_eq!(String::from_utf8(out).unwrap(), wanted, "{size}");
        }
        assert_eq!(keys.shown(b"key=sk-1234567890abc"), "key=<redacted>");
        assert_eq!(keys.hidden(b"key=sk-1234567890abc!"), b"key=****************!");
        for queried in ["q%2Dk-1234567890abc", "q-k-1234567890abc"] {
            assert_eq!(keys.shown(queried.as_bytes()), "<redacted>");
        }
    }

    #[test]
    fn without_keys_a_piece_passes_as_it_is() {
        let keys = Keys::default();
        let mut mask = Mask::new(&keys);
        assert_eq!(mask.push(Bytes::from_static(b"sk-1234567890")), "sk-1234567890");
        assert_eq!(mask.finish(), "");
    }
}
