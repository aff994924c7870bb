//! Embeddings that are made up: unit vectors that follow from the input alone, on every machine, and that differ from those
//! of other inputs as random directions do.

/// The vector of an input with this mark ([`mark`]): the first so many of its numbers, scaled to length 1.
pub(super) fn unit(mark: u64, dimensions: usize) -> Vec<f32> {
    let mut bits = mark;
    let numbers: Vec<f64> = (0..dimensions)
        .map(|_| {
            // SplitMix64 (Steele, Lea, Flood 2014); its highest 24 bits as a number from -1 to 1.
            bits = bits.wrapping_add(0x9E37_79B9_7F4A_7C15);
            let mut x = bits;
            x = (x ^ (x >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
            x = (x ^ (x >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
            x ^= x >> 31;
            f64::from((x >> 40) as u32) / f64::from(1_u32 << 23) - 1.0
        })
        .collect();
    let length = numbers.iter().map(|number| number * number).sum::<f64>().sqrt();
    numbers.iter().map(|number| (number / length) as f32).collect()
}

/// FNV-1a: the same number for the same bytes on every machine.
pub(super) fn mark(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes
        .into_iter()
        .fold(0xCBF2_9CE4_8422_2325, |mark, byte| (mark ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

/// Appends the numbers as a JSON array, each with as many digits as it needs to be read back.
pub(super) fn write(out: &mut Vec<u8>, vector: &[f32]) {
    for (i, number) in vector.iter().enumerate() {
        out.extend_from_slice(if i == 0 { b"[" } else { b"," });
        out.extend_from_slice(number.to_string().as_bytes());
    }
    out.extend_from_slice(if vector.is_empty() { b"[]" } else { b"]" });
}

/// A count of tokens that is plausible: four characters a token, at least one.
pub(super) fn tokens(text: &str) -> u64 {
    (text.chars().count() as u64).div_ceil(4).max(1)
}

#[cfg(test)]
mod tests {
    use super::{mark, unit, write};

    #[test]
    fn vectors_have_length_one_and_follow_from_their_input() {
        let of = |text: &str, dimensions| unit(mark(text.bytes()), dimensions);
        for dimensions in [1, 2, 256, 1536] {
            let (one, two) = (of("one", dimensions), of("two", dimensions));
            let length: f32 = one.iter().map(|number| number * number).sum();
            assert!((length - 1.0).abs() < 1e-4, "{dimensions}: {length}");
            assert_eq!(one, of("one", dimensions));
            assert_ne!((dimensions > 1).then_some(one), Some(two));
        }
        let dot: f32 = of("one", 1536).iter().zip(of("two", 1536)).map(|(a, b)| a * b).sum();
        assert!(dot.abs() < 0.2, "{dot}");
    }

    #[test]
    fn a_vector_is_written_as_json() {
        let mut out = Vec::new();
        write(&mut out, &[0.5, -1e-7, 0.0]);
        assert_eq!(out, b"[0.5,-0.0000001,0]");
    }
}
