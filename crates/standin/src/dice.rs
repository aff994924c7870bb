//! Seeded numbers: every id and time of a reply is a function of the seed and of what it answers, never of the clock.

/// A stream of bits that depends on everything mixed into it and on nothing else.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) fn new(seed: u64) -> Self {
        Self(scramble(seed ^ 0x9E37_79B9_7F4A_7C15))
    }

    /// Mixes a number in.
    pub(crate) fn with(self, number: u64) -> Self {
        Self(
            scramble(self.0 ^ number.wrapping_mul(0xBF58_476D_1CE4_E5B9)).wrapping_add(0x9E37_79B9_7F4A_7C15),
        )
    }

    /// Mixes a text in, eight bytes at a time, its length last.
    pub(crate) fn with_text(self, text: &str) -> Self {
        let (words, rest) = text.as_bytes().as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words
            .iter()
            .chain([&last])
            .fold(self, |dice, word| dice.with(u64::from_le_bytes(*word)))
            .with(text.len() as u64)
    }

    /// 64 bits.
    pub(crate) fn bits(self) -> u64 {
        scramble(self.0)
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit moves every output bit.
fn scramble(mut x: u64) -> u64 {
    x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    x ^ (x >> 31)
}

#[cfg(test)]
mod tests {
    use super::Dice;

    #[test]
    fn the_same_things_mixed_in_give_the_same_bits() {
        let roll = || Dice::new(7).with_text("write-one").with(3).bits();
        assert_eq!(roll(), roll());
    }

    #[test]
    fn anything_else_gives_other_bits() {
        let base = Dice::new(7).with_text("write-one").with(3).bits();
        for other in [
            Dice::new(8).with_text("write-one").with(3),
            Dice::new(7).with_text("write-two").with(3),
            Dice::new(7).with_text("write-one\0").with(3),
            Dice::new(7).with_text("write-one").with(4),
            Dice::new(7).with(3).with_text("write-one"),
        ] {
            assert_ne!(other.bits(), base);
        }
    }
}
