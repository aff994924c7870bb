//! JSON as Go writes it: `<`, `>`, `&` and the two separators of Unicode are escaped. Clients that split lines at the latter
//! would otherwise find half a line.

/// Written JSON text with these letters escaped; they can stand in strings alone.
pub(in crate::dialect) fn escaped(json: Vec<u8>) -> Vec<u8> {
    // The separators are E2 80 A8 and E2 80 A9.
    let is_plain = |byte: &u8| !matches!(byte, b'<' | b'>' | b'&' | 0xE2);
    if json.iter().all(is_plain) {
        return json;
    }
    let mut out = Vec::with_capacity(json.len() + 32);
    let mut rest = json.as_slice();
    while let Some(first) = rest.first() {
        let (escape, taken): (&[u8], usize) = match rest {
            [b'<', ..] => (b"\\u003c", 1),
            [b'>', ..] => (b"\\u003e", 1),
            [b'&', ..] => (b"\\u0026", 1),
            [0xE2, 0x80, 0xA8, ..] => (b"\\u2028", 3),
            [0xE2, 0x80, 0xA9, ..] => (b"\\u2029", 3),
            _ => (std::slice::from_ref(first), 1),
        };
        out.extend_from_slice(escape);
        rest = &rest[taken..];
    }
    out
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn letters_that_go_escapes_are_escaped() {
        for (json, wanted) in [
            ("\"plain é\"", "\"plain é\""),
            ("\"<a>&\u{2028}\u{2029}…\"", "\"\\u003ca\\u003e\\u0026\\u2028\\u2029…\""),
        ] {
            assert_eq!(String::from_utf8_lossy(&escaped(json.into())), wanted);
        }
    }
}
