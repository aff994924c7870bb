//! Finished runs as text. One row a format; each is a pure function of the run file.
//!
//! Must not know: files, terminals, whether colour is wanted by anyone but its caller.
#![forbid(unsafe_code)]

mod inspect;
mod json;
mod junit;
mod markdown;
pub mod resilience;
mod rounds;
mod sarif;
mod terminal;
mod words;

use rehearsal_journal::run::RunFile;

/// How to write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Style {
    /// Whether ANSI colours may be used.
    pub colour: bool,
    /// Columns to stay within, 40 or more.
    pub width: usize,
    /// Whether formats for people list every case; without it a suite of more than 40 shows only those that did not pass.
    pub all: bool,
}

impl Style {
    /// What a file gets: no colours, and lines of a usual length.
    pub const FILE: Self = Self { colour: false, width: 100, all: false };
}

/// One format.
#[derive(Debug)]
pub struct Report {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is for.
    pub summary: &'static str,
    /// Writes a run.
    pub write: fn(&RunFile, Style) -> String,
}

/// All formats.
pub const REPORTS: &[&Report] =
    &[&terminal::ROW, &inspect::ROW, &json::ROW, &junit::ROW, &markdown::ROW, &resilience::ROW, &sarif::ROW];

/// The format of this name.
#[must_use]
pub fn find(name: &str) -> Option<&'static Report> {
    REPORTS.iter().find(|row| row.name == name).copied()
}

#[cfg(test)]
mod tests;
