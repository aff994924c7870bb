//! What may stand before an answer and is none of it: a byte order mark, a block of thoughts. Shared by all formats.

use super::Leniency;
use super::answer::BOM;

/// Where the answer's own text begins: after one byte order mark and one `<think>` block, if they lead. What is left out is
/// recorded. A block that does not lead, such as one inside a file's contents, is never touched.
pub(super) fn lead(text: &str, leniencies: &mut Vec<Leniency>) -> usize {
    let mut start = 0;
    if text.starts_with(BOM) {
        leniencies.push(Leniency::ByteOrderMark);
        start = BOM.len_utf8();
    }
    if let Some(length) = think_block(&text[start..]) {
        leniencies.push(Leniency::ThinkBlock);
        start += length;
    }
    start
}

/// Bytes of a leading `<think>…</think>` block, white space before it included.
fn think_block(text: &str) -> Option<usize> {
    const OPEN: &str = "<think>";
    const CLOSE: &str = "</think>";
    let begin = text.len() - text.trim_start().len();
    let block = &text[begin..];
    let opens = block.get(..OPEN.len()).is_some_and(|tag| tag.eq_ignore_ascii_case(OPEN));
    let close = |at: &usize| {
        block.as_bytes()[*at..]
            .get(..CLOSE.len())
            .is_some_and(|tag| tag.eq_ignore_ascii_case(CLOSE.as_bytes()))
    };
    opens
        .then(|| block.match_indices('<').map(|(at, _)| at).find(close))
        .flatten()
        .map(|at| begin + at + CLOSE.len())
}

/// The line of a text on which a byte stands, from 1.
pub(super) fn line_of(text: &str, offset: usize) -> usize {
    1 + text.as_bytes()[..offset.min(text.len())].iter().filter(|byte| **byte == b'\n').count()
}

/// Where in a text a part of it begins. The part must be a slice of the text.
pub(super) fn offset_in(text: &str, part: &str) -> usize {
    (part.as_ptr() as usize).saturating_sub(text.as_ptr() as usize).min(text.len())
}
