//! Many markers sought in one text at once: Wu and Manber's shift table over pairs of bytes.

/// Cells of the shift table; a pair of bytes is hashed into it.
const CELLS: usize = 4096;

/// The markers, ready to be sought.
#[derive(Clone, Debug)]
pub(crate) struct Finder {
    patterns: Vec<String>,
    /// Patterns of a single byte, which have no pair: their indices.
    single: Vec<usize>,
    /// Length of the window: that of the shortest pattern of two bytes or more; 0 without one.
    window: usize,
    /// How far the window may move when it ends in this pair; 0 where a pattern may stand here.
    shift: Vec<u8>,
    /// Patterns whose window ends in this pair.
    bucket: Vec<Vec<usize>>,
}

fn cell(pair: &[u8]) -> usize {
    match pair {
        [a, b, ..] => (usize::from(*a) * 31 + usize::from(*b)) % CELLS,
        _ => 0,
    }
}

impl Finder {
    /// None of the patterns may be empty.
    pub(crate) fn new(patterns: Vec<String>) -> Self {
        let window = patterns.iter().map(String::len).filter(|len| *len > 1).min().unwrap_or(0).min(200);
        let single = (0..patterns.len()).filter(|i| patterns[*i].len() == 1).collect();
        let widest = u8::try_from(window.saturating_sub(1)).unwrap_or(u8::MAX);
        let mut finder =
            Self { patterns, single, window, shift: vec![widest; CELLS], bucket: vec![Vec::new(); CELLS] };
        for i in 0..finder.patterns.len() {
            let head = finder.patterns[i].as_bytes();
            if head.len() < 2 {
                continue;
            }
            for (at, pair) in head[..window].windows(2).enumerate() {
                let cell = cell(pair);
                let to_end = u8::try_from(window - 2 - at).unwrap_or(u8::MAX);
                finder.shift[cell] = finder.shift[cell].min(to_end);
                if to_end == 0 {
                    finder.bucket[cell].push(i);
                }
            }
        }
        finder
    }

    /// The lowest index of a pattern that stands anywhere in the text.
    pub(crate) fn first_in(&self, text: &str) -> Option<usize> {
        let mut best = self.single.iter().copied().find(|i| text.contains(self.patterns[*i].as_str()));
        if self.window == 0 {
            return best;
        }
        let bytes = text.as_bytes();
        let mut at = 0;
        while let Some(window) = bytes.get(at..at + self.window) {
            let cell = cell(&window[self.window - 2..]);
            let shift = usize::from(self.shift[cell]);
            if shift > 0 {
                at += shift;
                continue;
            }
            let rest = &bytes[at..];
            let below = best.unwrap_or(usize::MAX);
            let hit = self.bucket[cell]
                .iter()
                .copied()
                .take_while(|i| *i < below)
                .find(|i| rest.starts_with(self.patterns[*i].as_bytes()));
            best = hit.or(best);
            if best == Some(0) {
                break;
            }
            at += 1;
        }
        best
    }
}

#[cfg(test)]
mod tests {
    use super::Finder;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn finds_what_a_search_for_each_pattern_finds(
            patterns in prop::collection::vec("[abé ]{1,6}", 0..8),
            text in "[abcé ]{0,60}",
        ) {
            let plain = patterns.iter().position(|pattern| text.contains(pattern.as_str()));
            prop_assert_eq!(Finder::new(patterns).first_in(&text), plain);
        }
    }
}
