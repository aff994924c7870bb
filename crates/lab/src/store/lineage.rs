//! Edges of descent: which version came from which, how, and on whose word.

use super::row::{Version, foreign, version};
use super::trouble::refuse;
use super::{Operation, Session, Sort, Store, fact};
use crate::fact::Fact;
use crate::refusal::{Code, Stop};
use rusqlite::params;
use serde_json::json;

/// How the output came from the input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EdgeKind {
    /// It was made of it.
    Derived,
    /// It has the same bytes under another name.
    Copied,
    /// An older version was made the head again.
    Restored,
    /// It was taken over from another session of the project.
    Materialised,
    /// The input was read while the output was made.
    Read,
}

impl EdgeKind {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Derived, Self::Copied, Self::Restored, Self::Materialised, Self::Read];

    /// Their words.
    pub const WORDS: &[&'static str] = &[
        Self::Derived.word(),
        Self::Copied.word(),
        Self::Restored.word(),
        Self::Materialised.word(),
        Self::Read.word(),
    ];

    /// The kind of this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|kind| kind.word() == word)
    }

    /// Its word in the store.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Derived => "derived",
            Self::Copied => "copied",
            Self::Restored => "restored",
            Self::Materialised => "materialised",
            Self::Read => "read",
        }
    }
}

/// On whose word an edge stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Basis {
    /// A manifest names it.
    Declared,
    /// The host saw it.
    Observed,
    /// Code says so.
    Claimed,
}

impl Basis {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Declared, Self::Observed, Self::Claimed];

    /// Their words.
    pub const WORDS: &[&'static str] = &[Self::Declared.word(), Self::Observed.word(), Self::Claimed.word()];

    /// The basis of this word.
    #[must_use]
    pub fn of(word: &str) -> Option<Self> {
        Self::ALL.iter().copied().find(|basis| basis.word() == word)
    }

    /// Its word in the store.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Declared => "declared",
            Self::Observed => "observed",
            Self::Claimed => "claimed",
        }
    }
}

/// A version that another one comes from.
#[derive(Clone, Copy, Debug)]
pub struct Source<'a> {
    /// The input.
    pub version_id: &'a str,
    /// How.
    pub kind: EdgeKind,
    /// On whose word.
    pub basis: Basis,
}

/// An edge between two versions that are there.
#[derive(Clone, Copy, Debug)]
pub struct Edge<'a> {
    /// Where it comes from.
    pub source: Source<'a>,
    /// The output, a version of this session.
    pub output: &'a str,
    /// The step that says so, where no cell was begun.
    pub step: &'a str,
}

impl Store {
    /// Adds an edge between two versions that are there.
    ///
    /// The fact has `edge_id`, `input`, `output`, `kind` and `basis`.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN` for a version; `E_EXISTS` where there is an edge between the two already; `E_CYCLE`.
    pub fn add_edge(&mut self, edge: &Edge<'_>) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        self.operate(|operation| {
            let output = version(operation.sql, &session, edge.output)?;
            if output.root_frame_id != session.root_frame_id {
                return Err(foreign("version", edge.output, "session"));
            }
            let input = operation.input(&session, &edge.source)?;
            let cell = operation.producing(&session, edge.step)?;
            let edge_id =
                operation.edge(&input, &edge.source, edge.output, (&cell, &session.root_frame_id))?;
            Ok(fact(json!({
                "edge_id": edge_id, "input": input.version_id, "output": output.version_id,
                "kind": edge.source.kind.word(), "basis": edge.source.basis.word(),
            })))
        })
    }
}

impl Operation<'_> {
    /// The version that a source names, where it may be one.
    pub(super) fn input(&self, session: &Session, source: &Source<'_>) -> Result<Version, Stop> {
        let input = version(self.sql, session, source.version_id)?;
        if input.root_frame_id != session.root_frame_id && source.kind != EdgeKind::Materialised {
            return Err(foreign("version", source.version_id, "session"));
        }
        Ok(input)
    }

    /// Inserts an edge, made by a cell in a frame. Its id.
    pub(super) fn edge(
        &mut self,
        input: &Version,
        source: &Source<'_>,
        output: &str,
        (cell_id, frame_id): (&str, &str),
    ) -> Result<String, Stop> {
        let edge_id = self.draw(Sort::Edge);
        let inserted = self
            .sql
            .prepare_cached(
                "INSERT INTO lineage_edges (edge_id, input_version_id, output_version_id, kind, basis,
                     producing_cell_id, frame_id, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8)",
            )?
            .execute(params![
                edge_id,
                input.version_id,
                output,
                source.kind.word(),
                source.basis.word(),
                cell_id,
                frame_id,
                self.now_ms(),
            ]);
        inserted.map_err(|error| said(Stop::from(error), &input.version_id, output))?;
        Ok(edge_id)
    }
}

/// The same refusal with the names of both ends.
fn said(stop: Stop, input: &str, output: &str) -> Stop {
    match stop {
        Stop::Refused(refusal) if matches!(refusal.code, Code::Exists | Code::Cycle) => {
            refuse(refusal.code, format!("{} ({input} to {output})", refusal.message))
        }
        other => other,
    }
}
