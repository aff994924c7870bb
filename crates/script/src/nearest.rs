//! The known name that a misspelt one probably means.

/// The known name nearest to `name`, if one is near: one slip in a short name, two in a longer one.
pub(crate) fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    known
        .into_iter()
        .filter_map(|candidate| {
            let slips = slips(name, candidate)?;
            let allowed = if candidate.chars().count() < 5 { 1 } else { 2 };
            (slips <= allowed).then_some((slips, candidate))
        })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// Single-character insertions, deletions, replacements and swaps of neighbours between two names, letter case and `-`
/// for `_` of no account. `None` where the lengths alone say that they are far apart.
fn slips(a: &str, b: &str) -> Option<usize> {
    let letters =
        |text: &str| text.chars().map(|c| if c == '-' { '_' } else { c.to_ascii_lowercase() }).collect();
    // A name longer than any of ours is near to none; without this a huge key would cost a huge table.
    if a.len() > 4 * (b.len() + 2) {
        return None;
    }
    let (a, b): (Vec<char>, Vec<char>) = (letters(a), letters(b));
    if a.len().abs_diff(b.len()) > 2 {
        return None;
    }
    let mut before: Vec<usize> = Vec::new();
    let mut above: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replace = above[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replace.min(above[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before[j - 2] + 1);
            }
            row.push(best);
        }
        before = above;
        above = row;
    }
    above.last().copied()
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_the_name_that_a_slip_means() {
        let known = ["tool_calls", "text", "api_error", "id", "require_tools"];
        for (name, meant) in [
            ("tool_call", Some("tool_calls")),
            ("tool-calls", Some("tool_calls")),
            ("requires_tools", Some("require_tools")),
            ("txet", Some("text")),
            ("ID", Some("id")),
            ("note", None),
            ("comment", None),
            ("", None),
            ("x", None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
