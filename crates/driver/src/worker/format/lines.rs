//! A file's lines with the ends they have, so that what is not touched keeps them.

use super::Eol;

/// One line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// Its text.
    pub(super) text: &'t str,
    /// LF, CR LF, CR, or nothing at the end of a file.
    pub(super) end: &'t str,
}

/// The lines of a text. A CR alone ends a line only in a file in which all lines end so; elsewhere it is part of one.
pub(super) fn split(text: &str, eol: Eol) -> Vec<Line<'_>> {
    let mark = match eol {
        Eol::Cr => '\r',
        Eol::Lf | Eol::CrLf | Eol::Mixed | Eol::None => '\n',
    };
    text.split_inclusive(mark)
        .map(|line| {
            let bare = line.strip_suffix(mark).map_or(line, |bare| match mark {
                '\n' => bare.strip_suffix('\r').unwrap_or(bare),
                _ => bare,
            });
            Line { text: bare, end: &line[bare.len()..] }
        })
        .collect()
}

/// The end that a new line gets where its neighbours do not say another.
pub(super) fn usual(eol: Eol) -> &'static str {
    match eol {
        Eol::CrLf => "\r\n",
        Eol::Cr => "\r",
        Eol::Lf | Eol::Mixed | Eol::None => "\n",
    }
}
