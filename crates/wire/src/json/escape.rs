//! Inside strings: which bytes need a look, and what escapes stand for.

/// The high bit of each byte that is a quote, a backslash or a control character, and no other bit.
///
/// In seven bits, adding 0x7F carries into the eighth unless the byte is zero, so `x ^ n` tells `x` from `n`; adding 0x60
/// carries unless the byte is below 0x20. No sum leaves its byte. A byte that has its high bit set is none of these.
#[inline]
pub(super) fn specials(word: u64) -> u64 {
    const ONES: u64 = 0x0101_0101_0101_0101;
    let low = word & (ONES * 0x7F);
    let no_quote = (low ^ (ONES * 0x22)) + ONES * 0x7F;
    let no_slash = (low ^ (ONES * 0x5C)) + ONES * 0x7F;
    let no_control = low + ONES * 0x60;
    !((no_quote & no_slash & no_control) | word) & (ONES * 0x80)
}

/// How many bytes from the start are no quote, no backslash and no control character.
pub(crate) fn plain_run(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    for (i, word) in words.iter().enumerate() {
        let hits = specials(u64::from_le_bytes(*word));
        if hits != 0 {
            return i * 8 + hits.trailing_zeros() as usize / 8;
        }
    }
    let plain = |byte: &&u8| !matches!(byte, b'"' | b'\\' | 0..0x20);
    bytes.len() - rest.len() + rest.iter().take_while(plain).count()
}

/// The same, quicker where the run is long. For text in which a control character is a mistake: it looks as far as the next quote or
/// backslash even where one stands before, so whoever went on behind it would look at the rest again and again.
pub(super) fn long_run(bytes: &[u8]) -> usize {
    let run = memchr::memchr2(b'"', b'\\', bytes).unwrap_or(bytes.len());
    let run = &bytes[..run];
    if holds_controls(run) { plain_run(run) } else { run.len() }
}

fn holds_controls(bytes: &[u8]) -> bool {
    const BLOCK: usize = 16;
    // Without a way out of a block, the compiler makes it one comparison.
    let in_block = |block: &[u8; BLOCK]| block.iter().fold(false, |any, byte| any | (*byte < 0x20));
    match bytes.last_chunk() {
        // The last block may overlap the one before it.
        Some(last) => in_block(last) || bytes.as_chunks().0.iter().any(in_block),
        None => bytes.iter().any(|byte| *byte < 0x20),
    }
}

pub(super) fn hex4(bytes: &[u8], at: usize) -> Option<u32> {
    let digits = bytes.get(at..at + 4)?;
    digits.iter().try_fold(0, |sum, &digit| Some(sum * 16 + char::from(digit).to_digit(16)?))
}

pub(super) fn low_half(bytes: &[u8], at: usize) -> Option<u32> {
    (bytes.get(at..at + 2)? == b"\\u")
        .then(|| hex4(bytes, at + 2))?
        .filter(|unit| (0xDC00..0xE000).contains(unit))
}

/// Decodes the escapes of a string that the reader accepted; half a surrogate pair becomes U+FFFD.
pub(super) fn unescape(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    loop {
        let run = memchr::memchr(b'\\', &bytes[at..]).unwrap_or(bytes.len() - at);
        out.push_str(&text[at..at + run]);
        at += run;
        let (letter, width) = match bytes.get(at + 1) {
            Some(b'b') => ('\u{8}', 2),
            Some(b'f') => ('\u{c}', 2),
            Some(b'n') => ('\n', 2),
            Some(b'r') => ('\r', 2),
            Some(b't') => ('\t', 2),
            Some(b'u') => {
                let unit = hex4(bytes, at + 2).unwrap_or(0xFFFD);
                match (unit, low_half(bytes, at + 6)) {
                    (0xD800..0xDC00, Some(low)) => {
                        let scalar = 0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00);
                        (char::from_u32(scalar).unwrap_or('\u{FFFD}'), 12)
                    }
                    _ => (char::from_u32(unit).unwrap_or('\u{FFFD}'), 6),
                }
            }
            Some(&other) => (char::from(other), 2),
            None => break,
        };
        out.push(letter);
        at += width;
    }
    out
}
