//! Bodies beside a journal: what is new in a body against the one before it, and how to build it again.

use crate::digest;
use crate::event::Body;
use std::io::{self, Read};
use thiserror::Error;

/// Longest body that is rebuilt, in bytes.
const MAX_BODY: u64 = 1 << 30;

/// How many bytes `new` shares with `old` at its beginning, and at its end beyond that.
#[must_use]
pub fn shared(old: &[u8], new: &[u8]) -> (usize, usize) {
    let head = same_beginning(old, new);
    let tail = same_end(&old[head..], &new[head..]);
    (head, tail)
}

/// Whole blocks first, large ones before small ones: comparing slices is vectorised, comparing bytes is not.
const BLOCKS: [usize; 2] = [512, 32];

fn same_beginning(old: &[u8], new: &[u8]) -> usize {
    let mut at = 0;
    for block in BLOCKS {
        let blocks = old[at..].chunks_exact(block).zip(new[at..].chunks_exact(block));
        at += block * blocks.take_while(|(a, b)| a == b).count();
    }
    at + old[at..].iter().zip(&new[at..]).take_while(|(a, b)| a == b).count()
}

fn same_end(old: &[u8], new: &[u8]) -> usize {
    let (mut old, mut new, whole) = (old, new, new.len());
    for block in BLOCKS {
        let blocks = old.rchunks_exact(block).zip(new.rchunks_exact(block));
        let same = block * blocks.take_while(|(a, b)| a == b).count();
        (old, new) = (&old[..old.len() - same], &new[..new.len() - same]);
    }
    whole - new.len() + old.iter().rev().zip(new.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Why a body cannot be built again.
#[derive(Debug, Error)]
pub enum BodyError {
    /// The line says something impossible.
    #[error("its body cannot be: {0}")]
    Impossible(&'static str),
    /// The new bytes do not lie where the file goes on.
    #[error("its body begins at byte {at} of the bodies, but they go on at {expected}")]
    Place {
        /// What the line says.
        at: u64,
        /// Where the file stands.
        expected: u64,
    },
    /// The bodies end too early.
    #[error("the bodies end at byte {0}, inside this body")]
    Short(u64),
    /// The rebuilt body has another digest.
    #[error("its body has another digest than the line says")]
    Digest,
    /// The bodies cannot be read.
    #[error("the bodies cannot be read: {0}")]
    Read(#[source] io::Error),
}

/// Builds the bodies of one segment again, in order. Keeps only the last one.
#[derive(Debug)]
pub struct Bodies<R> {
    new_bytes: R,
    read: u64,
    last: Vec<u8>,
    next: Vec<u8>,
}

impl<R: Read> Bodies<R> {
    /// `new_bytes` is the segment's bodies file from its beginning.
    pub fn new(new_bytes: R) -> Self {
        Self { new_bytes, read: 0, last: Vec::new(), next: Vec::new() }
    }

    /// The body that a line speaks of, checked against its digest. Every body of the segment must be asked for in turn.
    ///
    /// # Errors
    /// When line and file do not fit together, or the file cannot be read.
    pub fn next(&mut self, body: &Body) -> Result<&[u8], BodyError> {
        let shared =
            body.head.checked_add(body.tail).ok_or(BodyError::Impossible("its shared parts overflow"))?;
        let fresh =
            body.len.checked_sub(shared).ok_or(BodyError::Impossible("its shared parts exceed it"))?;
        if shared > self.last.len() as u64 {
            return Err(BodyError::Impossible("it shares more than the body before it has"));
        }
        if body.len > MAX_BODY {
            return Err(BodyError::Impossible("it is longer than any body that is kept"));
        }
        if body.at != self.read {
            return Err(BodyError::Place { at: body.at, expected: self.read });
        }
        let (head, tail) = (index(body.head)?, index(body.tail)?);
        self.next.clear();
        self.next.extend_from_slice(&self.last[..head]);
        let got = (&mut self.new_bytes).take(fresh).read_to_end(&mut self.next).map_err(BodyError::Read)?;
        self.read += got as u64;
        if (got as u64) < fresh {
            return Err(BodyError::Short(self.read));
        }
        self.next.extend_from_slice(&self.last[self.last.len() - tail..]);
        if digest::hex(&digest::of(&self.next)) != body.sha256.as_bytes() {
            return Err(BodyError::Digest);
        }
        std::mem::swap(&mut self.last, &mut self.next);
        Ok(&self.last)
    }

    /// Bytes that no line speaks of. A killed writer leaves some, a finished one does not.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn left_over(mut self) -> Result<u64, BodyError> {
        io::copy(&mut self.new_bytes, &mut io::sink()).map_err(BodyError::Read)
    }
}

fn index(length: u64) -> Result<usize, BodyError> {
    usize::try_from(length).map_err(|_| BodyError::Impossible("it is too long for this machine"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn shared_parts_never_overlap() {
        assert_eq!(shared(b"aaa", b"aaaa"), (3, 0));
        assert_eq!(shared(b"aaaa", b"aaa"), (3, 0));
        assert_eq!(shared(b"abcd", b"abXcd"), (2, 2));
        assert_eq!(shared(b"", b"x"), (0, 0));
        assert_eq!(shared(b"same", b"same"), (4, 0));
    }

    /// What a writer puts down for these bodies: the lines' parts and the file.
    fn kept(bodies: &[Vec<u8>]) -> (Vec<Body>, Vec<u8>) {
        let (mut lines, mut file) = (Vec::new(), Vec::new());
        let mut last: &[u8] = &[];
        for body in bodies {
            let (head, tail) = shared(last, body);
            let at = file.len() as u64;
            file.extend_from_slice(&body[head..body.len() - tail]);
            let sha256 = digest::text(&digest::of(body));
            lines.push(Body { len: body.len() as u64, sha256, head: head as u64, tail: tail as u64, at });
            last = body;
        }
        (lines, file)
    }

    fn grown() -> impl Strategy<Value = Vec<Vec<u8>>> {
        let piece = proptest::collection::vec(0u8..3, 0..200);
        proptest::collection::vec(
            (piece, any::<proptest::sample::Index>(), any::<proptest::sample::Index>()),
            1..12,
        )
        .prop_map(|edits| {
            let mut bodies: Vec<Vec<u8>> = Vec::new();
            let mut body = Vec::new();
            for (piece, from, to) in edits {
                let mut ends = [from.index(body.len() + 1), to.index(body.len() + 1)];
                ends.sort_unstable();
                body.splice(ends[0]..ends[1], piece);
                bodies.push(body.clone());
            }
            bodies
        })
    }

    proptest! {
        #[test]
        fn every_body_is_built_again(bodies in grown()) {
            let (lines, file) = kept(&bodies);
            let mut rebuilt = Bodies::new(file.as_slice());
            for (line, body) in lines.iter().zip(&bodies) {
                prop_assert_eq!(rebuilt.next(line).unwrap(), body.as_slice());
            }
            prop_assert_eq!(rebuilt.left_over().unwrap(), 0);
        }

        #[test]
        fn a_changed_byte_of_the_bodies_is_found(bodies in grown(), place in any::<proptest::sample::Index>()) {
            let (lines, mut file) = kept(&bodies);
            prop_assume!(!file.is_empty());
            let place = place.index(file.len());
            file[place] ^= 0x40;
            let mut rebuilt = Bodies::new(file.as_slice());
            prop_assert!(lines.iter().any(|line| rebuilt.next(line).is_err()));
        }
    }

    #[test]
    fn what_does_not_fit_together_is_refused() {
        let (lines, file) = kept(&[b"one body".to_vec(), b"one more body".to_vec()]);
        let tampered = |change: &dyn Fn(&mut Body)| {
            let mut bodies = Bodies::new(file.as_slice());
            bodies.next(&lines[0]).unwrap();
            let mut line = lines[1].clone();
            change(&mut line);
            bodies.next(&line).map(<[u8]>::len).unwrap_err().to_string()
        };
        assert_eq!(
            tampered(&|line| line.at += 1),
            "its body begins at byte 9 of the bodies, but they go on at 8"
        );
        assert_eq!(tampered(&|line| line.len += 4), "the bodies end at byte 13, inside this body");
        assert_eq!(tampered(&|line| line.head = 99), "its body cannot be: its shared parts exceed it");
        assert_eq!(tampered(&|line| line.head = u64::MAX), "its body cannot be: its shared parts overflow");
        assert_eq!(
            tampered(&|line| (line.head, line.len) = (90, 100)),
            "its body cannot be: it shares more than the body before it has"
        );
        assert_eq!(
            tampered(&|line| line.sha256 = "0".repeat(64)),
            "its body has another digest than the line says"
        );
    }
}
