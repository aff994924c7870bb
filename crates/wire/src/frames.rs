//! The frames of a stream in one buffer: many small ones cost one allocation, not one each.

/// Frames in their order, each at the end of the one before it. A frame may be empty.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Frames {
    bytes: Vec<u8>,
    /// Where each frame ends in `bytes`.
    ends: Vec<usize>,
}

impl Frames {
    /// None yet, with room for most short replies as a stream and for `more` bytes; a longer one grows.
    #[must_use]
    pub fn of_a_stream(more: usize) -> Self {
        Self::with_capacity(16, 3072 + more)
    }

    /// None yet, with room for so many frames of so many bytes in all.
    #[must_use]
    pub fn with_capacity(frames: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), ends: Vec::with_capacity(frames) }
    }

    /// Adds one frame: what `frame` appends to the bytes before it, which it must leave as they are.
    pub fn write(&mut self, frame: impl FnOnce(&mut Vec<u8>)) {
        let start = self.bytes.len();
        frame(&mut self.bytes);
        debug_assert!(self.bytes.len() >= start, "a frame is appended");
        self.ends.push(self.bytes.len());
    }

    /// Adds one frame of these bytes.
    pub fn push(&mut self, frame: &[u8]) {
        self.write(|out| out.extend_from_slice(frame));
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// All of them, one behind the other.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// Each in its turn.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = &[u8]> {
        let mut start = 0;
        self.ends.iter().map(move |&end| &self.bytes[std::mem::replace(&mut start, end)..end])
    }

    /// The same without the first so many.
    #[must_use]
    pub fn skip(mut self, frames: usize) -> Self {
        let Some(last) = frames.min(self.ends.len()).checked_sub(1) else { return self };
        let gone = self.ends[last];
        self.bytes.drain(..gone);
        self.ends.drain(..=last);
        self.ends.iter_mut().for_each(|end| *end -= gone);
        self
    }
}

impl<B: AsRef<[u8]>> FromIterator<B> for Frames {
    fn from_iter<I: IntoIterator<Item = B>>(frames: I) -> Self {
        let mut all = Self::default();
        all.extend(frames);
        all
    }
}

impl<B: AsRef<[u8]>> Extend<B> for Frames {
    fn extend<I: IntoIterator<Item = B>>(&mut self, frames: I) {
        frames.into_iter().for_each(|frame| self.push(frame.as_ref()));
    }
}

#[cfg(test)]
mod tests {
    use super::Frames;

    #[test]
    fn frames_come_out_as_they_went_in_whatever_was_skipped() {
        let lists: [&[&str]; 5] = [&[], &[""], &["a", "", "bc"], &["", "", "x"], &["abc", "d", ""]];
        for list in lists {
            let all: Frames = list.iter().collect();
            assert_eq!((all.len(), all.is_empty()), (list.len(), list.is_empty()));
            assert_eq!(all.bytes(), list.concat().as_bytes());
            for skipped in 0..list.len() + 2 {
                let left = all.clone().skip(skipped);
                let wanted: Vec<&[u8]> = list.iter().skip(skipped).map(|frame| frame.as_bytes()).collect();
                assert_eq!(left.iter().collect::<Vec<_>>(), wanted, "{list:?} without {skipped}");
                assert_eq!(left.iter().len(), wanted.len());
            }
        }
    }
}
