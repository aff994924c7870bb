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

#[cfg(test)]
mod tests {
    use super::fold;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn is_the_lower_case_of_the_standard_library(text in "(\\PC|[a-zA-ZΣσςİıßẞÉé'· ]){0,40}") {
            prop_assert_eq!(fold(&text), text.to_lowercase());
        }
    }
}
