//! SHA-256 and its hexadecimal form, without allocation where a line is on its way.

use sha2::{Digest as _, Sha256};

/// The sum that stands before a first line: 64 zeros.
pub const ZERO: [u8; 64] = [b'0'; 64];

/// The two hexadecimal digits of each byte: a request and its answer make four digests.
const PAIRS: [[u8; 2]; 256] = {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let mut pairs = [[0; 2]; 256];
    let mut byte = 0;
    while byte < pairs.len() {
        pairs[byte] = [DIGITS[byte >> 4], DIGITS[byte & 15]];
        byte += 1;
    }
    pairs
};

/// SHA-256 of `bytes`.
#[must_use]
pub fn of(bytes: &[u8]) -> [u8; 32] {
    Sha256::digest(bytes).into()
}

/// The 64 lower-case hexadecimal digits of a digest.
#[must_use]
pub fn hex(digest: &[u8; 32]) -> [u8; 64] {
    let mut out = [0; 64];
    for (pair, byte) in out.as_chunks_mut().0.iter_mut().zip(digest) {
        *pair = PAIRS[usize::from(*byte)];
    }
    out
}

/// The same as text.
#[must_use]
pub fn text(digest: &[u8; 32]) -> String {
    String::from_utf8(hex(digest).to_vec()).unwrap_or_default()
}

/// A digest that is built piece by piece.
#[derive(Clone, Debug, Default)]
pub struct Running(Sha256);

impl Running {
    /// Takes in more bytes.
    pub fn update(&mut self, bytes: &[u8]) {
        self.0.update(bytes);
    }

    /// The digest of all bytes taken in.
    #[must_use]
    pub fn finish(self) -> [u8; 32] {
        self.0.finalize().into()
    }
}

/// Bytes between two places from which a digest can be taken up again.
pub const STRIDE: usize = 4096;

/// Most places that are remembered: beyond 16 MiB the digest runs through.
const PLACES: usize = 4096;

/// A text's digest with the state at every [`STRIDE`] bytes, so that a text with the same beginning need not be read
/// from its first byte: conversations grow at their end.
#[derive(Clone, Debug, Default)]
pub struct Remembered {
    states: Vec<Sha256>,
}

impl Remembered {
    /// The digest of `bytes`, whose first `shared` bytes are those of the text that `self` remembers.
    #[must_use]
    pub fn follow(&self, bytes: &[u8], shared: usize) -> ([u8; 32], Self) {
        let known = (shared.min(bytes.len()) / STRIDE).min(self.states.len());
        let mut states = self.states[..known].to_vec();
        let mut running = states.last().cloned().unwrap_or_default();
        let mut rest = bytes[known * STRIDE..].chunks_exact(STRIDE);
        for block in rest.by_ref() {
            running.update(block);
            if states.len() < PLACES {
                states.push(running.clone());
            }
        }
        running.update(rest.remainder());
        (running.finalize().into(), Self { states })
    }
}

/// Whether these are 64 lower-case hexadecimal digits.
pub(crate) fn is_hex(bytes: &[u8]) -> bool {
    bytes.len() == 64 && bytes.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_digest_taken_up_again_is_the_digest_of_the_whole() {
        let text: Vec<u8> = (0..5 * STRIDE + 77).map(|at| (at % 251) as u8).collect();
        let (sum, remembered) = Remembered::default().follow(&text, 0);
        assert_eq!(sum, of(&text));
        for shared in [0, 1, STRIDE - 1, STRIDE, 3 * STRIDE + 5, text.len()] {
            let mut other = text[..shared].to_vec();
            other.extend_from_slice(&[b'!'; 9000]);
            let (sum, again) = remembered.follow(&other, shared);
            assert_eq!(sum, of(&other), "{shared}");
            assert_eq!(again.follow(&text, shared).0, of(&text), "{shared}");
        }
        assert_eq!(remembered.follow(b"short", 5).0, of(b"short"));
    }

    #[test]
    fn agrees_with_the_published_vector() {
        let want = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(text(&of(b"abc")), want);
        let mut running = Running::default();
        running.update(b"a");
        running.update(b"bc");
        assert_eq!(text(&running.finish()), want);
        assert!(is_hex(want.as_bytes()));
        assert!(!is_hex(want.to_uppercase().as_bytes()));
    }
}
