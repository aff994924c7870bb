//! The texts in a JSON text that broke off: what an agent can read from arguments that it should not execute.

/// A text that stands as a value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Text {
    /// Its characters, escapes read.
    pub(super) text: String,
    /// Whether its closing quote is there.
    pub(super) whole: bool,
}

/// How often a text is looked into that is JSON text itself.
const DEPTH: usize = 2;

/// All texts that stand as values, in order. Keys are left out, and so is what is no text. Never fails: what cannot be read is
/// passed over.
pub(super) fn texts(json: &str) -> Vec<Text> {
    let mut found = Vec::new();
    look(json, DEPTH, &mut found);
    found
}

fn look(json: &str, depth: usize, found: &mut Vec<Text>) {
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        let (text, after) = string(&rest[open + 1..]);
        let is_key = after.is_some_and(|after| after.trim_start().starts_with(':'));
        if !is_key {
            // Arguments that are encoded twice are JSON in a text.
            if depth > 0 && text.trim_start().starts_with(['{', '[']) {
                look(&text, depth - 1, found);
            }
            found.push(Text { text, whole: after.is_some() });
        }
        rest = after.unwrap_or_default();
    }
}

/// A string behind its opening quote, and what stands behind its closing one; none where that is missing.
fn string(rest: &str) -> (String, Option<&str>) {
    let mut text = String::new();
    let mut chars = rest.char_indices();
    while let Some((at, char)) = chars.next() {
        match char {
            '"' => return (text, Some(&rest[at + 1..])),
            '\\' => match chars.next() {
                Some((_, 'n')) => text.push('\n'),
                Some((_, 't')) => text.push('\t'),
                Some((_, 'r')) => text.push('\r'),
                Some((_, 'b')) => text.push('\u{8}'),
                Some((_, 'f')) => text.push('\u{c}'),
                Some((at, 'u')) => {
                    let digits = rest.get(at + 1..at + 5);
                    let code = digits.and_then(|digits| u32::from_str_radix(digits, 16).ok());
                    if code.is_some() {
                        chars.nth(3);
                    }
                    // Halves of a surrogate pair are no characters; paths and commands hold none.
                    text.push(code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER));
                }
                Some((_, other)) => text.push(other),
                None => {}
            },
            other => text.push(other),
        }
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::{Text, texts};

    fn found(json: &str) -> Vec<(String, bool)> {
        texts(json).into_iter().map(|Text { text, whole }| (text, whole)).collect()
    }

    #[test]
    fn values_are_found_wherever_the_text_broke_off() {
        let table: &[(&str, &[(&str, bool)])] = &[
            ("", &[]),
            ("{", &[]),
            ("\"", &[("", false)]),
            (r#"{"path": "a.txt", "content": "he"#, &[("a.txt", true), ("he", false)]),
            (r#"{"path"  : "a.txt"#, &[("a.txt", false)]),
            (r#"{"a": ["x", 1, "y"#, &[("x", true), ("y", false)]),
            (r#"{"a": "q\"\n\u00e9\\", "b"#, &[("q\"\né\\", true), ("b", false)]),
            (r#"{"a": "cut\"#, &[("cut", false)]),
            (r#"{"a": "cut\u12"#, &[("cut\u{fffd}12", false)]),
            (r#"{"a": "\ud83d"}"#, &[("\u{fffd}", true)]),
            (r#""{\"path\": \"a.t"#, &[("a.t", false), (r#"{"path": "a.t"#, false)]),
        ];
        for (json, wanted) in table {
            let wanted: Vec<_> = wanted.iter().map(|(text, whole)| ((*text).to_owned(), *whole)).collect();
            assert_eq!(found(json), wanted, "{json}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_makes_it_fail(json in r#"[\PC"\\u0-9a-f:{}\[\]]{0,60}"#) {
            let whole: usize = texts(&json).iter().map(|text| text.text.len()).sum();
            proptest::prop_assert!(whole <= json.len() * 9);
        }
    }
}
