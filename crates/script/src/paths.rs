//! Paths inside a workspace as files write them, and patterns: of such paths, and of any text.

/// Whether a path stays inside the workspace on every system: relative, `/` between its parts, no `..`.
#[must_use]
pub fn is_inside(path: &str) -> bool {
    let bad_part = |part: &str| part.is_empty() || part == "." || part == "..";
    let bad_letter = |c: char| c == '\\' || c == ':' || c.is_control();
    !path.split('/').any(bad_part) && !path.contains(bad_letter)
}

/// Whether `**` stands only alone between slashes, where it has a meaning.
pub(crate) fn is_pattern(pattern: &str) -> bool {
    pattern.split('/').all(|part| part == "**" || !part.contains("**"))
}

/// Whether a path is meant by a pattern: `*` is any text without `/`, `?` one character but `/`, and `**` alone between slashes
/// any number of parts, none included. Letter case counts. Takes time in the product of the lengths at most.
#[must_use]
pub fn matches(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    wild(&pattern, &path, |part| *part == "**", |part, name| text_matches(part, name))
}

/// Whether a text is meant by a pattern: `*` is any characters, `?` is one; a slash is a character like any other.
#[must_use]
pub fn text_matches(pattern: &str, text: &str) -> bool {
    let (pattern, text): (Vec<char>, Vec<char>) = (pattern.chars().collect(), text.chars().collect());
    wild(&pattern, &text, |letter| *letter == '*', |letter, other| *letter == '?' || letter == other)
}

/// Matching with one sort of wildcard for any run of items. Where the rest does not fit, only the last wildcard takes one more:
/// an earlier one could only reach what the last one reaches too.
fn wild<P, T>(pattern: &[P], items: &[T], is_run: fn(&P) -> bool, fits: impl Fn(&P, &T) -> bool) -> bool {
    let (mut p, mut i) = (0, 0);
    let mut last_run = None;
    while i < items.len() {
        if pattern.get(p).is_some_and(is_run) {
            last_run = Some((p, i));
            p += 1;
        } else if pattern.get(p).is_some_and(|part| fits(part, &items[i])) {
            (p, i) = (p + 1, i + 1);
        } else if let Some((run, from)) = last_run {
            last_run = Some((run, from + 1));
            (p, i) = (run + 1, from + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(is_run)
}

#[cfg(test)]
mod tests {
    use super::{is_inside, is_pattern, matches, text_matches};
    use proptest::prelude::*;

    #[test]
    fn a_pattern_means_what_its_wildcards_say() {
        let table: &[(&str, &[&str], &[&str])] = &[
            ("a.txt", &["a.txt"], &["b.txt", "a.txt/b", "x/a.txt", "A.txt"]),
            ("*.txt", &["a.txt", ".txt", "é.txt"], &["a/b.txt", "a.txt2"]),
            ("?.txt", &["a.txt", "é.txt"], &[".txt", "ab.txt", "/.txt"]),
            ("src/**", &["src", "src/a", "src/a/b"], &["srcs", "lib/src"]),
            ("**/*.env", &["a.env", "x/a.env", "x/y/.env"], &["a.env/b"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/b/y/b"], &["a", "a/x", "ab"]),
            ("**", &["a", "a/b/c"], &[]),
            ("*a*b*", &["ab", "xaxbx", "aab"], &["ba", "a/b"]),
            (".env*", &[".env", ".env.local"], &["x/.env"]),
            ("b/**/a.txt", &["b/a.txt", "b/x/y/a.txt"], &["ab/a.txt"]),
            ("[a]{b}", &["[a]{b}"], &["ab"]),
        ];
        for (pattern, meant, others) in table {
            for path in *meant {
                assert!(matches(pattern, path), "{pattern} {path}");
            }
            for path in *others {
                assert!(!matches(pattern, path), "{pattern} {path}");
            }
        }
    }

    #[test]
    fn a_pattern_of_a_text_knows_no_parts() {
        for (pattern, text, meant) in [
            ("text", "text", true),
            ("text", "texts", false),
            ("t*", "text", true),
            ("t*", "", false),
            ("*", "", true),
            ("*", "a/b", true),
            ("**", "x", true),
            ("*ool*", "tools", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-c-b", false),
            ("?", "é", true),
            ("?", "", false),
            ("t??t", "text", true),
            ("t?t", "text", false),
        ] {
            assert_eq!(text_matches(pattern, text), meant, "{pattern} {text}");
        }
    }

    #[test]
    fn many_wildcards_take_no_time() {
        let (pattern, path) = ("*a".repeat(200) + "b", "a".repeat(5_000));
        assert!(!matches(&pattern, &path));
        let (pattern, path) = ("**/a/".repeat(200) + "b", "a/".repeat(2_000) + "c");
        assert!(!matches(&pattern, &path));
    }

    #[test]
    fn what_leads_out_of_the_workspace_is_no_path_in_it() {
        for path in ["a", "a/b.c", ".env", "a b", "...", "*/?/**"] {
            assert!(is_inside(path), "{path}");
        }
        for path in ["", "/a", "a/", "a//b", "..", "a/../b", "./a", "C:x", "a\\b", "a\nb"] {
            assert!(!is_inside(path), "{path}");
        }
        assert!(is_pattern("**/a*/**") && !is_pattern("a**/b") && !is_pattern("***"));
    }

    /// The definition, without a thought for time.
    fn plainly(pattern: &[char], path: &[char]) -> bool {
        match (pattern, path) {
            ([], []) => true,
            (['*', rest @ ..], _) if plainly(rest, path) => true,
            (['*', ..], [c, path @ ..]) if *c != '/' => plainly(pattern, path),
            (['?', rest @ ..], [c, path @ ..]) if *c != '/' => plainly(rest, path),
            ([p, rest @ ..], [c, path @ ..]) if p == c => plainly(rest, path),
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn matching_is_what_its_definition_says(pattern in "[ab*?/]{0,9}", path in "[ab/]{0,9}") {
            prop_assume!(!pattern.contains("**") && !path.contains('*'));
            let letters = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &path), plainly(&letters(&pattern), &letters(&path)));
        }
    }
}
