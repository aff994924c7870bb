//! What a model says outside its fences: a summary, and a last line that says whether the task is finished.

/// What was said.
pub(super) struct Said {
    /// The text without the closing line; `None` where there is none.
    pub(super) summary: Option<String>,
    /// What the closing line says: `DONE` or `NOT DONE`; `None` where there is no such line.
    pub(super) done: Option<bool>,
}

/// Reads the lines outside fences. Only the last line that is not blank can be the closing line. Marks of emphasis around its words and letter
/// case are of no account, so that a `**Not done.**` is not taken for the end of the task.
pub(super) fn said(lines: &[&str]) -> Said {
    let last = lines.iter().rposition(|line| !line.trim().is_empty());
    let done = last.and_then(|last| closing(lines[last]));
    let end = if done.is_some() { last.unwrap_or(0) } else { lines.len() };
    let summary = lines[..end].join("\n").trim().to_owned();
    Said { summary: Some(summary).filter(|summary| !summary.is_empty()), done }
}

/// What a closing line says, if it is one.
pub(super) fn closing(line: &str) -> Option<bool> {
    let plain = |c: char| c.is_whitespace() || matches!(c, '*' | '_' | '`' | '.' | '!' | '#');
    match line.trim_matches(plain).to_ascii_uppercase().as_str() {
        "DONE" => Some(true),
        "NOT DONE" => Some(false),
        _ => None,
    }
}
