//! Base64 (RFC 4648): written with the plain letters or those for URLs, read with either.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

const PLAIN: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// The bytes in the letters for URLs, padded.
pub(crate) fn encode(bytes: &[u8]) -> String {
    written(bytes, LETTERS)
}

/// The bytes in the plain letters, padded.
pub(crate) fn encode_plain(bytes: &[u8]) -> String {
    written(bytes, PLAIN)
}

fn written(bytes: &[u8], letters: &[u8; 64]) -> String {
    let mut out = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for three in bytes.chunks(3) {
        let bits =
            three.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - three.len()));
        for place in 0..4 {
            let letter = letters[(bits >> (18 - 6 * place) & 63) as usize];
            out.push(if place > three.len() { '=' } else { char::from(letter) });
        }
    }
    out
}

/// The bytes of a text in either set of letters, with or without padding; none for any other text.
pub(crate) fn decode(text: &str) -> Option<Vec<u8>> {
    let text = text.trim_end_matches('=');
    let mut out = Vec::with_capacity(text.len() / 4 * 3 + 2);
    for four in text.as_bytes().chunks(4) {
        let bits = four.iter().try_fold(0_u32, |bits, letter| Some(bits << 6 | value(*letter)?))?;
        let bytes = (bits << (6 * (4 - four.len()))).to_be_bytes();
        // One letter alone holds no whole byte.
        out.extend_from_slice(bytes.get(1..four.len()).filter(|bytes| !bytes.is_empty())?);
    }
    Some(out)
}

fn value(letter: u8) -> Option<u32> {
    let plain = match letter {
        b'+' => b'-',
        b'/' => b'_',
        other => other,
    };
    LETTERS.iter().position(|known| *known == plain).and_then(|place| u32::try_from(place).ok())
}

#[cfg(test)]
mod tests {
    use super::{decode, encode, encode_plain};
    use proptest::prelude::*;

    #[test]
    fn both_sets_of_letters_are_read_and_broken_text_is_not() {
        assert_eq!(encode(b"\xfb\xff\xfe"), "-__-");
        assert_eq!(encode_plain(b"\xfb\xff\xfeh"), "+//+aA==");
        for (text, bytes) in [
            ("-__-", Some(&b"\xfb\xff\xfe"[..])),
            ("+//+", Some(b"\xfb\xff\xfe")),
            ("aGk=", Some(b"hi")),
            ("aGk", Some(b"hi")),
            ("", Some(b"")),
            ("a", None),
            ("aG k", None),
            ("é", None),
        ] {
            assert_eq!(decode(text).as_deref(), bytes, "{text}");
        }
    }

    proptest! {
        #[test]
        fn every_text_comes_back(bytes in any::<Vec<u8>>()) {
            prop_assert_eq!(decode(&encode(&bytes)), Some(bytes));
        }
    }
}
