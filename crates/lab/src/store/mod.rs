//! The session store: projects, sessions, what was done in them, artifacts and their descent, in one SQLite file with content beside it.
//!
//! Must not know: workflow files, where a workspace lies. It takes bytes from readers, and ids and times from [`Moments`].

mod artifact;
mod cell;
mod content;
mod descent;
mod frame;
mod lineage;
mod moments;
mod project;
mod row;
mod schema;
mod trouble;

pub use artifact::{Restore, Save, Stored};
pub use cell::{CellStatus, End, Language};
pub use content::CONTENT_LIMIT;
pub use descent::Ask;
pub use frame::{FrameKind, FrameStatus};
pub use lineage::{Basis, Edge, EdgeKind, Source};
pub use moments::{Moments, START_MS};

use crate::fact::Fact;
use crate::refusal::{Code, Stop};
use content::Content;
use moments::Sort;
use rehearsal_world::database;
use rehearsal_world::vault::Folder;
use row::Cell;
use rusqlite::{Connection, params};
use serde_json::Value;
use std::path::Path;
use trouble::{failed, refuse, unkept};

/// The name of the database in a store's folder.
pub const DATABASE: &str = "sessions.db";

/// A session store that this process alone has open.
pub struct Store {
    sql: Connection,
    content: Content,
    moments: Moments,
    session: Option<Session>,
    cell: Option<Cell>,
}

/// The session that operations belong to.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Session {
    project_id: String,
    root_frame_id: String,
}

/// One operation, while its transaction is open.
struct Operation<'a> {
    sql: &'a Connection,
    content: &'a Content,
    moments: Moments,
    /// The cell that was begun and not ended.
    cell: Option<&'a Cell>,
}

impl Operation<'_> {
    fn draw(&mut self, sort: Sort) -> String {
        self.moments.draw(sort)
    }

    /// The logical time of this operation, milliseconds since 1970.
    fn now_ms(&self) -> i64 {
        i64::try_from(self.moments.now_ms()).unwrap_or(i64::MAX)
    }
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("moments", &self.moments)
            .field("session", &self.session)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Makes a store in a folder, which is made for this user alone where it is missing.
    ///
    /// # Errors
    /// `E_EXISTS` where there is one already; the world's where it cannot be written.
    pub fn create(root: &Path, moments: Moments) -> Result<Self, Stop> {
        let sql = database::create(root, DATABASE, schema::image()?).map_err(|error| failed(&error))?;
        Self::of(root, sql, moments)
    }

    /// Opens a store that is there, as it was left or as a killed process left it: every operation that was acknowledged is in it, no
    /// other one in part. Cells that were running are ended as interrupted.
    ///
    /// # Errors
    /// The world's, in one sentence: it is missing, damaged, of a newer version, or in use.
    pub fn open(root: &Path, moments: Moments) -> Result<Self, Stop> {
        let mut sql = database::open(root, DATABASE).map_err(|error| failed(&error))?;
        schema::check(&mut sql)?;
        let mut store = Self::of(root, sql, moments)?;
        store.content.sweep()?;
        store.go_on()?;
        store.end_interrupted()?;
        Ok(store)
    }

    fn of(root: &Path, sql: Connection, moments: Moments) -> Result<Self, Stop> {
        let folder = Folder::look_into(root).map_err(|error| unkept(&error))?;
        Ok(Self { sql, content: Content::open(&folder)?, moments, session: None, cell: None })
    }

    /// Takes up ids and times where the store stands.
    fn go_on(&mut self) -> Result<(), Stop> {
        let read = |row: &rusqlite::Row<'_>| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?));
        let (drawn, now) = self.sql.query_row("SELECT drawn, now_ms FROM clock", [], read)?;
        // The schema keeps both at 0 or more.
        self.moments = self.moments.clone().gone_on(drawn.unsigned_abs(), now.unsigned_abs());
        Ok(())
    }

    /// Does one operation: all of it, or nothing, and then no id is drawn and no time has passed either.
    fn operate<T>(&mut self, work: impl FnOnce(&mut Operation<'_>) -> Result<T, Stop>) -> Result<T, Stop> {
        self.transact(false, work)
    }

    fn transact<T>(
        &mut self,
        surely: bool,
        work: impl FnOnce(&mut Operation<'_>) -> Result<T, Stop>,
    ) -> Result<T, Stop> {
        let Self { sql, content, moments, cell, .. } = self;
        let all = |sql: &Connection| {
            let mut operation = Operation { sql, content, moments: moments.clone(), cell: cell.as_ref() };
            operation.moments.tick();
            let done = work(&mut operation)?;
            let drawn = i64::try_from(operation.moments.drawn()).unwrap_or(i64::MAX);
            sql.prepare_cached("UPDATE clock SET drawn = ?1, now_ms = ?2")?
                .execute(params![drawn, operation.now_ms()])?;
            Ok::<_, Stop>((done, operation.moments))
        };
        let (done, after) =
            if surely { database::commit_surely(sql, all)? } else { database::commit(sql, all)? };
        *moments = after;
        Ok(done)
    }

    /// The session that is open.
    fn session(&self) -> Result<&Session, Stop> {
        self.session.as_ref().ok_or_else(|| refuse(Code::NoSession, "no session is open"))
    }
}

/// A fact of the fields of an object.
fn fact(fields: Value) -> Fact {
    match fields {
        Value::Object(fields) => Fact::of(fields),
        other => unreachable!("a fact is made of an object, not of {other}"),
    }
}
