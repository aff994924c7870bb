//! Lower case by full Unicode rules, fast where the text is ASCII.

use std::borrow::Cow;

/// The capital letter whose small form depends on its neighbours.
const SIGMA: char = 'Σ';

/// Exactly [`str::to_lowercase`]: final sigma, dotted capital I as two characters, no folding, no normalisation.
pub(crate) fn fold(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return if text.bytes().any(|byte| byte.is_ascii_uppercase()) {
            Cow::Owned(text.to_ascii_lowercase())
        } else {
            Cow::Borrowed(text)
        };
    }
    if text.contains(SIGMA) {
        return Cow::Owned(text.to_lowercase());
    }
    // Without a sigma each character stands for itself, so runs of ASCII can be taken whole.
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let run = rest.bytes().position(|byte| !byte.is_ascii()).unwrap_or(rest.len());
        if run > 0 {
            let start = out.len();
            out.push_str(&rest[..run]);
            out[start..].make_ascii_lowercase();
            rest = &rest[run..];
        } else {
            out.extend(first.to_lowercase());
            rest = &rest[first.len_utf8()..];
        }
    }
    Cow::Owned(out)
}

/// The letters and digits of a text in lower case: what is left of it however it is quoted, wrapped or marked up.
pub(crate) fn letters(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    // The small form of one letter may be a letter and a mark.
    out.extend(text.chars().flat_map(char::to_lowercase).filter(|letter| letter.is_alphanumeric()));
    out
}

/// The same of a text in which JSON and XML may have escaped: escapes count as what they stand for.
pub(crate) fn letters_unescaped(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        plain.push_str(&rest[..at]);
        rest = &rest[at..];
        let (meant, len) = escape(rest).unwrap_or((' ', 1));
        plain.push(meant);
        rest = &rest[len..];
    }
    plain.push_str(rest);
    letters(&plain)
}

/// What the escape at the beginning of a text stands for, and its length in bytes.
fn escape(text: &str) -> Option<(char, usize)> {
    if let Some(rest) = text.strip_prefix('&') {
        let name = &rest[..rest.char_indices().take(10).find(|(_, letter)| *letter == ';')?.0];
        let code = match name.strip_prefix('#') {
            Some(hex) if hex.starts_with(['x', 'X']) => u32::from_str_radix(&hex[1..], 16).ok(),
            Some(decimal) => decimal.parse().ok(),
            None => matches!(name, "amp" | "lt" | "gt" | "quot" | "apos" | "nbsp").then_some(u32::from(' ')),
        };
        return Some((char::from_u32(code?)?, name.len() + 2));
    }
    match text.as_bytes().get(1)? {
        b'n' | b'r' | b't' | b'b' | b'f' | b'"' | b'/' | b'\\' => Some((' ', 2)),
        b'u' => {
            let code = u32::from_str_radix(text.get(2..6)?, 16).ok()?;
            Some((char::from_u32(code).unwrap_or(' '), 6))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{fold, letters, letters_unescaped};
    use proptest::prelude::*;

    #[test]
    fn escapes_count_as_what_they_stand_for() {
        for (text, wanted) in [
            ("Say \"hi\",\n now", "sayhinow"),
            (r#"Say \"hi\",\n now"#, "sayhinow"),
            (r"C:\\new\\table", "cnewtable"),
            (r"caf\u00e9 \ud83d\ude00 \q \u12", "caféqu12"),
            ("a &lt; b &amp; &#99;&#x64; &what; &", "abcdwhat"),
            ("\\", ""),
            ("&aé\u{1F600};", "aé"),
            ("İ", "i"),
        ] {
            assert_eq!(letters_unescaped(text), wanted, "{text}");
        }
    }

    proptest! {
        #[test]
        fn text_without_marks_of_an_escape_keeps_its_letters(text in any::<String>()) {
            let without: String = text.chars().filter(|letter| !matches!(letter, '\\' | '&')).collect();
            prop_assert_eq!(letters_unescaped(&without), letters(&text));
            let marked: String = text.chars().flat_map(|letter| ['\\', '&', letter]).collect();
            prop_assert!(letters_unescaped(&marked).chars().all(char::is_alphanumeric));
        }

        #[test]
        fn what_json_escapes_keeps_its_letters(text in "[ -%'-~a-zéσß\"\\\\/\n\t\u{1}]{0,40}") {
            let mut json = Vec::new();
            rehearsal_wire::json::write_string(&mut json, &text);
            prop_assert_eq!(letters_unescaped(&String::from_utf8_lossy(&json)), letters(&text));
        }
    }

    proptest! {
        #[test]
        fn is_the_lower_case_of_the_standard_library(text in "(\\PC|[a-zA-ZΣσςİıßẞÉé'· ]){0,40}") {
            prop_assert_eq!(fold(&text), text.to_lowercase());
        }
    }
}
