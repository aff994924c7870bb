//! Patterns of paths: `*` and `?` within a part, `**` for any number of parts.

/// Whether a relative path, `/` between its parts, is meant by a pattern.
pub(super) fn meets(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('/').collect(), path.split('/').collect());
    sequence(
        &pattern,
        &path,
        |part| *part == "**",
        |part, name| {
            let (part, name): (Vec<char>, Vec<char>) = (part.chars().collect(), name.chars().collect());
            sequence(&part, &name, |char| *char == '*', |wanted, char| *wanted == '?' || wanted == char)
        },
    )
}

/// Matches element by element; a pattern's element that is `any` stands for any number. Steps back to the last such element
/// only, which is enough, so the time is at most the product of both lengths.
fn sequence<T>(pattern: &[T], items: &[T], any: impl Fn(&T) -> bool, one: impl Fn(&T, &T) -> bool) -> bool {
    let (mut at, mut item) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while item < items.len() {
        if at < pattern.len() && any(&pattern[at]) {
            back = Some((at, item));
            at += 1;
        } else if at < pattern.len() && one(&pattern[at], &items[item]) {
            (at, item) = (at + 1, item + 1);
        } else if let Some((star, taken)) = back {
            back = Some((star, taken + 1));
            (at, item) = (star + 1, taken + 1);
        } else {
            return false;
        }
    }
    pattern[at..].iter().all(any)
}

#[cfg(test)]
mod tests {
    use super::meets;

    #[test]
    fn stars_stay_within_a_part_and_two_of_them_cross_parts() {
        for (pattern, path, wanted) in [
            ("a.txt", "a.txt", true),
            ("a.txt", "b/a.txt", false),
            ("*.txt", "a.txt", true),
            ("*.txt", "b/a.txt", false),
            ("**/*.txt", "a.txt", true),
            ("**/*.txt", "b/c/a.txt", true),
            ("b/**", "b/c/a.txt", true),
            ("b/**", "ab/c", false),
            ("b/**/a.txt", "b/a.txt", true),
            ("b/**/a.txt", "b/x/y/a.txt", true),
            ("**", "anything/at/all", true),
            ("?.txt", "é.txt", true),
            ("?.txt", "ab.txt", false),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "a-b-b-d", false),
            (".env*", ".env.local", true),
            ("*", "", true),
        ] {
            assert_eq!(meets(pattern, path), wanted, "{pattern} {path}");
        }
    }
}
