//! Ids of calls in the letters that the API allows, `^[a-zA-Z0-9_-]+$`, and back.
//!
//! A phrasing may be named in any letters, and its name stands in the ids of its calls. A letter that is not allowed
//! travels as `-x<hex>-`; so does the `-` of a name that looks like that itself, so that the way back is certain.

use crate::rule::ID_PREFIX;
use std::borrow::Cow;

/// An id of ours as it leaves; any other id as it is.
pub(super) fn spelt(id: &str) -> Cow<'_, str> {
    let plain = |id: &str| id.bytes().all(is_allowed) && !id.contains(ESCAPE);
    if plain(id) || !id.starts_with(ID_PREFIX) {
        return Cow::Borrowed(id);
    }
    let mut out = String::with_capacity(id.len() + 16);
    for (at, letter) in id.char_indices() {
        let escaped = letter == '-' && letter_at(&id[at..]).is_some();
        if letter.is_ascii() && is_allowed(letter as u8) && !escaped {
            out.push(letter);
        } else {
            out.push_str(&format!("{ESCAPE}{:x}-", u32::from(letter)));
        }
    }
    Cow::Owned(out)
}

/// An id as it came back, in its own letters.
pub(super) fn meant(id: Cow<'_, str>) -> Cow<'_, str> {
    if !id.starts_with(ID_PREFIX) || !id.contains(ESCAPE) {
        return id;
    }
    let (mut out, mut rest) = (String::with_capacity(id.len()), &*id);
    while let Some(first) = rest.chars().next() {
        let (letter, length) = letter_at(rest).unwrap_or((first, first.len_utf8()));
        out.push(letter);
        rest = &rest[length..];
    }
    Cow::Owned(out)
}

const ESCAPE: &str = "-x";

fn is_allowed(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-'
}

/// The letter for which this text begins with an escape, and the escape's length.
fn letter_at(text: &str) -> Option<(char, usize)> {
    let (hex, _) = text.strip_prefix(ESCAPE)?.split_once('-')?;
    let canonical = !hex.starts_with(['0', '+']) && !hex.bytes().any(|byte| byte.is_ascii_uppercase());
    let letter = u32::from_str_radix(hex, 16).ok().and_then(char::from_u32).filter(|_| canonical)?;
    Some((letter, ESCAPE.len() + hex.len() + 1))
}

#[cfg(test)]
mod tests {
    use super::{is_allowed, meant, spelt};
    use proptest::prelude::*;
    use std::borrow::Cow;

    #[test]
    fn ids_of_plain_names_stay_as_they_are() {
        for id in ["call_gate_p_s0_0", "call_gate_write-one_s10_2", "call_gate_a-xb_s0_0", "toolu_é", ""] {
            assert_eq!(spelt(id), id);
            assert_eq!(meant(Cow::Borrowed(id)), id);
        }
    }

    #[test]
    fn other_letters_are_written_by_number() {
        assert_eq!(spelt("call_gate_a.b_s0_0"), "call_gate_a-x2e-b_s0_0");
        assert_eq!(spelt("call_gate_-x2e-_s0_0"), "call_gate_-x2d-x2e-_s0_0");
    }

    proptest! {
        #[test]
        fn every_id_of_ours_is_allowed_and_comes_back(name in "(-x[0-9a-f]{1,3}-|\\PC){0,12}") {
            let id = format!("call_gate_{name}_s1_0");
            let spelt = spelt(&id).into_owned();
            prop_assert!(spelt.bytes().all(is_allowed), "{}", spelt);
            prop_assert_eq!(meant(Cow::Owned(spelt)), id);
        }

        #[test]
        fn whatever_comes_is_read(id in "call_gate_(-x|[0-9a-f-]|\\PC){0,20}") {
            meant(Cow::Owned(id));
        }
    }
}
