//! Commands by the words that they begin with.

use rehearsal_journal::event::CommandRan;

/// The words of a command that ran: its program by its file name, then its arguments.
pub(super) fn words(ran: &CommandRan) -> Vec<&str> {
    let mut words: Vec<&str> = ran.argv.iter().flat_map(|argument| argument.split_whitespace()).collect();
    if let Some(program) = words.first_mut() {
        *program = program.rsplit(['/', '\\']).next().unwrap_or(program);
    }
    words
}

/// Whether a command begins with these words.
pub(super) fn begins(ran: &CommandRan, wanted: &str) -> bool {
    let words = words(ran);
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    !wanted.is_empty() && words.starts_with(&wanted)
}

/// The command as one line.
pub(super) fn line(ran: &CommandRan) -> String {
    words(ran).join(" ")
}

/// Whether these words stand in a text one after the other, whatever blanks stand between them.
pub(super) fn stand_in(text: &str, wanted: &str) -> bool {
    let wanted: Vec<&str> = wanted.split_whitespace().collect();
    let words: Vec<&str> = text.split_whitespace().collect();
    !wanted.is_empty() && words.windows(wanted.len()).any(|some| some == wanted)
}
