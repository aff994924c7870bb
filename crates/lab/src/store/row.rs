//! Rows of the store as they are read and checked against the session that asks.

use super::Session;
use super::trouble::refuse;
use crate::refusal::{Code, Stop};
use rusqlite::{Connection, OptionalExtension as _, Row};

/// A cell that was begun, and whose it is.
#[derive(Clone, Debug)]
pub(super) struct Cell {
    pub(super) cell_id: String,
    pub(super) root_frame_id: String,
}

/// A version of an artifact.
#[derive(Clone, Debug)]
pub(super) struct Version {
    pub(super) version_id: String,
    pub(super) artifact_id: String,
    pub(super) root_frame_id: String,
    pub(super) content_type: String,
    pub(super) size: i64,
    pub(super) checksum: String,
}

/// A version of this session's project.
pub(super) fn version(sql: &Connection, session: &Session, version_id: &str) -> Result<Version, Stop> {
    let read = |row: &Row<'_>| {
        let version = Version {
            version_id: row.get(0)?,
            artifact_id: row.get(1)?,
            root_frame_id: row.get(2)?,
            content_type: row.get(4)?,
            size: row.get(5)?,
            checksum: row.get(6)?,
        };
        Ok((version, row.get::<_, String>(3)?))
    };
    let found = sql
        .prepare_cached(
            "SELECT version_id, artifact_id, root_frame_id, project_id, content_type, size_bytes, checksum
             FROM artifact_versions JOIN artifacts USING (artifact_id) WHERE version_id = ?1",
        )?
        .query_row([version_id], read)
        .optional()?;
    let (version, project) = found.ok_or_else(|| unknown("version", version_id))?;
    if project != session.project_id {
        return Err(foreign("version", version_id, "project"));
    }
    Ok(version)
}

/// Checks that a frame is of this session.
pub(super) fn frame_of(sql: &Connection, session: &Session, frame_id: &str) -> Result<(), Stop> {
    let root: Option<String> = sql
        .prepare_cached("SELECT root_frame_id FROM frames WHERE frame_id = ?1")?
        .query_row([frame_id], |row| row.get(0))
        .optional()?;
    match root {
        None => Err(unknown("frame", frame_id)),
        Some(root) if root != session.root_frame_id => Err(foreign("frame", frame_id, "session")),
        Some(_) => Ok(()),
    }
}

/// That the store has no such thing.
pub(super) fn unknown(what: &str, id: &str) -> Stop {
    refuse(Code::Unknown, format!("the store has no {what} {}", id.escape_debug()))
}

/// That a thing is another session's or project's.
pub(super) fn foreign(what: &str, id: &str, of: &str) -> Stop {
    refuse(Code::Foreign, format!("the {what} {} belongs to another {of}", id.escape_debug()))
}
