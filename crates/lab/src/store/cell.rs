//! Cells: what was run in a session, a step of a workflow among them. What they came to only grows.

use super::row::Cell;
use super::trouble::refuse;
use super::{Operation, Session, Sort, Store, fact};
use crate::fact::Fact;
use crate::refusal::{Code, Stop};
use rehearsal_journal::digest;
use rusqlite::params;
use serde_json::json;

/// Bytes of a cell's code and of each of its outputs, at most.
const TEXT: usize = 1 << 20;

/// What a cell is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// A step of a workflow.
    Step,
    /// Python.
    Python,
    /// R.
    R,
}

impl Language {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Step, Self::Python, Self::R];

    /// Its word in the store.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Python => "python",
            Self::R => "r",
        }
    }
}

/// What a cell came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CellStatus {
    /// It did what it should.
    Ok,
    /// It failed.
    Error,
    /// It was ended before its end.
    Interrupted,
}

impl CellStatus {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Ok, Self::Error, Self::Interrupted];

    /// Its word in the store.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Error => "error",
            Self::Interrupted => "interrupted",
        }
    }
}

/// How a cell ended.
#[derive(Clone, Copy, Debug)]
pub struct End<'a> {
    /// What it came to.
    pub status: CellStatus,
    /// What it printed, 1 MiB at most.
    pub stdout: &'a str,
    /// What it printed as errors, 1 MiB at most.
    pub stderr: &'a str,
    /// Why it did not end well, 1 MiB at most. With [`CellStatus::Ok`] nothing is kept of it.
    pub error: &'a str,
    /// The moment by the clock on the wall, milliseconds since 1970, where it is to be kept. It stands in no fact.
    pub wall_unix_ms: Option<u64>,
}

impl End<'_> {
    /// An end without a word.
    #[must_use]
    pub fn silent(status: CellStatus) -> Self {
        End { status, stdout: "", stderr: "", error: "", wall_unix_ms: None }
    }
}

impl Store {
    /// Begins the cell of a step: what is saved until [`Store::finish_cell`] is of it. Its id.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_EXISTS` where one was begun and not finished; `E_QUOTA` for code of more than 1 MiB.
    pub fn begin_cell(&mut self, step: &str, code: &str) -> Result<String, Stop> {
        let session = self.session()?.clone();
        if let Some(open) = &self.cell {
            return Err(refuse(Code::Exists, format!("the cell {} has not ended", open.cell_id)));
        }
        let cell = self.operate(|operation| operation.begin(&session, step, code))?;
        let cell_id = cell.cell_id.clone();
        self.cell = Some(cell);
        Ok(cell_id)
    }

    /// Whether a cell was begun and not ended.
    #[must_use]
    pub fn has_open_cell(&self) -> bool {
        self.cell.is_some()
    }

    /// Ends the cell that was begun.
    ///
    /// The fact has `producing_cell_id`, `state_revision` and `status`.
    ///
    /// # Errors
    /// `E_INVALID` where none was begun; `E_QUOTA` for an output of more than 1 MiB: then it is still open.
    pub fn finish_cell(&mut self, end: &End<'_>) -> Result<Fact, Stop> {
        let Some(cell) = self.cell.clone() else {
            return Err(refuse(Code::Invalid, "no cell was begun"));
        };
        let ended = self.operate(|operation| operation.end(&cell, end))?;
        self.cell = None;
        Ok(ended)
    }

    /// Ends what was running when the process before this one ended.
    pub(super) fn end_interrupted(&mut self) -> Result<(), Stop> {
        let running: Vec<Cell> = self
            .sql
            .prepare(
                "SELECT cell_id, root_frame_id FROM cells
                 WHERE NOT EXISTS (SELECT 1 FROM execution_log WHERE producing_cell_id = cell_id)
                 ORDER BY created_at, cell_seq",
            )?
            .query_map([], |row| Ok(Cell { cell_id: row.get(0)?, root_frame_id: row.get(1)? }))?
            .collect::<Result<_, _>>()?;
        for cell in running {
            let end = End { error: "the process ended", ..End::silent(CellStatus::Interrupted) };
            self.operate(|operation| operation.end(&cell, &end))?;
        }
        Ok(())
    }
}

impl Operation<'_> {
    /// The cell that something is of: the one that was begun in this session, or one of its own that has ended with it.
    pub(super) fn producing(&mut self, session: &Session, step: &str) -> Result<String, Stop> {
        if let Some(open) = self.cell.filter(|cell| cell.root_frame_id == session.root_frame_id) {
            return Ok(open.cell_id.clone());
        }
        let cell = self.begin(session, step, "")?;
        self.end(&cell, &End::silent(CellStatus::Ok))?;
        Ok(cell.cell_id)
    }

    fn begin(&mut self, session: &Session, step: &str, code: &str) -> Result<Cell, Stop> {
        bounded("its code", code)?;
        let cell = Cell { cell_id: self.draw(Sort::Cell), root_frame_id: session.root_frame_id.clone() };
        self.sql
            .prepare_cached(
                "INSERT INTO cells (cell_id, frame_id, root_frame_id, project_id, cell_seq, language, step, code,
                     code_hash, created_at)
                 SELECT ?1, ?2, ?2, ?3, coalesce(max(cell_seq), 0) + 1, ?4, ?5, ?6, ?7, ?8
                 FROM cells WHERE root_frame_id = ?2",
            )?
            .execute(params![
                cell.cell_id,
                session.root_frame_id,
                session.project_id,
                Language::Step.word(),
                step,
                code,
                digest::text(&digest::of(code.as_bytes())),
                self.now_ms(),
            ])?;
        Ok(cell)
    }

    fn end(&mut self, cell: &Cell, end: &End<'_>) -> Result<Fact, Stop> {
        for (what, text) in
            [("its output", end.stdout), ("its error output", end.stderr), ("its error", end.error)]
        {
            bounded(what, text)?;
        }
        let error = match end.status {
            CellStatus::Ok => None,
            CellStatus::Error | CellStatus::Interrupted => Some(end.error),
        };
        let wall = end.wall_unix_ms.map(|ms| i64::try_from(ms).unwrap_or(i64::MAX));
        let revision: i64 = self
            .sql
            .prepare_cached(
                "SELECT coalesce(max(state_revision), 0) + 1 FROM execution_log WHERE root_frame_id = ?1",
            )?
            .query_row([&cell.root_frame_id], |row| row.get(0))?;
        self.sql
            .prepare_cached(
                "INSERT INTO execution_log (producing_cell_id, root_frame_id, state_revision, status, stdout, stderr,
                     error, wall_unix_ms, created_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
            )?
            .execute(params![
                cell.cell_id,
                cell.root_frame_id,
                revision,
                end.status.word(),
                end.stdout,
                end.stderr,
                error,
                wall,
                self.now_ms(),
            ])?;
        Ok(fact(json!({
            "producing_cell_id": cell.cell_id, "state_revision": revision, "status": end.status.word(),
        })))
    }
}

fn bounded(what: &str, text: &str) -> Result<(), Stop> {
    if text.len() > TEXT {
        return Err(refuse(Code::Quota, format!("{what} has more than {TEXT} bytes")));
    }
    Ok(())
}
