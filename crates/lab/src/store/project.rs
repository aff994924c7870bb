//! Opening a session: its project, which is never replaced, and a new root frame.

use super::row::{foreign, unknown};
use super::trouble::refuse;
use super::{Operation, Session, Sort, Store, fact};
use crate::fact::Fact;
use crate::refusal::{Code, Stop};
use rusqlite::{OptionalExtension as _, params};
use serde_json::json;

impl Store {
    /// Opens a session of a project: the same project where its name is known, and always a new root frame.
    ///
    /// The fact has `project_id` and `root_frame_id`.
    ///
    /// # Errors
    /// `E_INVALID` for a name that is empty or longer than 255 characters.
    pub fn open_session(&mut self, project: &str) -> Result<Fact, Stop> {
        let session = self.operate(|operation| {
            let project_id = operation.project(project)?;
            let root_frame_id = operation.draw(Sort::Frame);
            let now = operation.now_ms();
            operation
                .sql
                .prepare_cached(
                    "INSERT INTO frames (frame_id, parent_id, root_frame_id, project_id, kind, status, depth,
                         created_at, updated_at)
                     VALUES (?1, NULL, ?1, ?2, 'turn', 'running', 0, ?3, ?3)",
                )?
                .execute(params![root_frame_id, project_id, now])?;
            operation
                .sql
                .prepare_cached("INSERT INTO session_roots (root_frame_id, project_id) VALUES (?1, ?2)")?
                .execute(params![root_frame_id, project_id])?;
            Ok(Session { project_id, root_frame_id })
        })?;
        let opened =
            fact(json!({ "project_id": session.project_id, "root_frame_id": session.root_frame_id }));
        self.session = Some(session);
        Ok(opened)
    }

    /// Goes on with a session of a store that was opened again, by its root frame.
    ///
    /// The fact is that of [`Store::open_session`].
    ///
    /// # Errors
    /// `E_UNKNOWN` for no frame, `E_FOREIGN` for one that is no root, `E_INVALID` for one that has ended.
    pub fn resume_session(&mut self, root_frame_id: &str) -> Result<Fact, Stop> {
        let found: Option<(String, String, String)> = self
            .sql
            .prepare_cached("SELECT project_id, root_frame_id, status FROM frames WHERE frame_id = ?1")?
            .query_row([root_frame_id], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        let (project_id, root, status) = found.ok_or_else(|| unknown("frame", root_frame_id))?;
        if root != root_frame_id {
            return Err(foreign("frame", root_frame_id, "session"));
        }
        if status == "done" || status == "failed" {
            return Err(refuse(Code::Invalid, format!("the session {root} has ended")));
        }
        let resumed = fact(json!({ "project_id": project_id, "root_frame_id": root }));
        self.session = Some(Session { project_id, root_frame_id: root });
        Ok(resumed)
    }
}

impl Operation<'_> {
    fn project(&mut self, name: &str) -> Result<String, Stop> {
        let sql = self.sql;
        let known = sql
            .prepare_cached("SELECT project_id FROM projects WHERE name = ?1")?
            .query_row([name], |row| row.get(0))
            .optional()?;
        if let Some(known) = known {
            return Ok(known);
        }
        let project_id = self.draw(Sort::Project);
        sql.prepare_cached("INSERT INTO projects (project_id, name, created_at) VALUES (?1, ?2, ?3)")?
            .execute(params![project_id, name, self.now_ms()])?;
        Ok(project_id)
    }
}
