//! Names of table rows: that they differ, and which of them a misspelt one means.

/// Whether two names are equal, byte for byte: the check that each table makes at compile time.
pub(crate) const fn equal(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len() != b.len() {
        return false;
    }
    let mut i = 0;
    while i < a.len() {
        if a[i] != b[i] {
            return false;
        }
        i += 1;
    }
    true
}

/// The known name nearest to `name`, if one is near: one slip in a short name, two in a longer one. A slip is a letter too
/// many, too few or another one, or two neighbours swapped; letter case and `-` for `_` are of no account.
pub fn nearest<'n>(name: &str, known: impl IntoIterator<Item = &'n str>) -> Option<&'n str> {
    // A name longer than any of ours is near to none; without this a huge key would cost a huge table.
    if name.len() > LONGEST {
        return None;
    }
    let plain = |text: &str| text.replace('-', "_").to_ascii_lowercase();
    let name = plain(name);
    known
        .into_iter()
        .map(|candidate| (strsim::osa_distance(&name, &plain(candidate)), candidate))
        .filter(|(slips, candidate)| *slips <= if candidate.chars().count() < 5 { 1 } else { 2 })
        .min_by_key(|(slips, _)| *slips)
        .map(|(_, candidate)| candidate)
}

/// Bytes of the longest name that is looked at.
const LONGEST: usize = 256;

/// What to write instead of a misspelt name: the one that is near, else what `otherwise` says.
#[must_use]
pub fn hint(near: Option<&str>, otherwise: impl FnOnce() -> String) -> String {
    near.map_or_else(otherwise, |near| format!("did you mean `{near}`?"))
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
            (&"é".repeat(100_000), None),
        ] {
            assert_eq!(nearest(name, known), meant, "{name}");
        }
    }
}
