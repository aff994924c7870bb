//! Frames: the turns of a session and what was handed on from them.

use super::row::frame_of;
use super::trouble::refuse;
use super::{Operation, Sort, Store, fact};
use crate::fact::Fact;
use crate::refusal::{Code, Stop};
use rusqlite::params;
use serde_json::json;

/// How deep frames may stand below the root of their session; the schema holds it, too.
const DEPTH: i64 = 64;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameKind {
    /// A turn of the session itself.
    Turn,
    /// Work that was handed to another agent.
    Delegate,
    /// Where the session went on with a shortened history.
    CompactionFork,
}

impl FrameKind {
    /// All of them.
    pub const ALL: &[Self] = &[Self::Turn, Self::Delegate, Self::CompactionFork];

    /// Its word in the store.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Turn => "turn",
            Self::Delegate => "delegate",
            Self::CompactionFork => "compaction_fork",
        }
    }
}

/// How a frame stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FrameStatus {
    /// It is worked on.
    Processing,
    /// It ended well. Nothing changes afterwards.
    Done,
    /// It ended badly. Nothing changes afterwards.
    Failed,
    /// Somebody must answer first.
    AwaitingUserResponse,
    /// It is open.
    Running,
}

impl FrameStatus {
    /// All of them.
    pub const ALL: &[Self] =
        &[Self::Processing, Self::Done, Self::Failed, Self::AwaitingUserResponse, Self::Running];

    /// Its word in the store.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Processing => "processing",
            Self::Done => "done",
            Self::Failed => "failed",
            Self::AwaitingUserResponse => "awaiting_user_response",
            Self::Running => "running",
        }
    }

    /// Whether it is the last one.
    #[must_use]
    pub fn is_end(self) -> bool {
        match self {
            Self::Done | Self::Failed => true,
            Self::Processing | Self::AwaitingUserResponse | Self::Running => false,
        }
    }
}

impl Store {
    /// Opens a frame below another one of this session, or below its root.
    ///
    /// The fact has `frame_id`, `root_frame_id` and `depth`.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN` for the parent; `E_QUOTA` where it would stand more than 64 deep.
    pub fn open_frame(&mut self, parent: Option<&str>, kind: FrameKind) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        let parent = parent.unwrap_or(&session.root_frame_id);
        self.operate(|operation| {
            let sql = operation.sql;
            frame_of(sql, &session, parent)?;
            let depth: i64 =
                sql.query_row("SELECT depth + 1 FROM frames WHERE frame_id = ?1", [parent], |row| {
                    row.get(0)
                })?;
            if depth > DEPTH {
                return Err(refuse(Code::Quota, format!("a frame would stand more than {DEPTH} deep")));
            }
            let (frame_id, now) = (operation.draw(Sort::Frame), operation.now_ms());
            sql.prepare_cached(
                "INSERT INTO frames (frame_id, parent_id, root_frame_id, project_id, kind, status, depth,
                     created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, 'running', ?6, ?7, ?7)",
            )?
            .execute(params![
                frame_id,
                parent,
                session.root_frame_id,
                session.project_id,
                kind.word(),
                depth,
                now
            ])?;
            Ok(fact(json!({
                "frame_id": frame_id, "root_frame_id": session.root_frame_id, "depth": depth,
            })))
        })
    }

    /// Says how a frame of this session stands. The root frame is ended by [`Store::seal_session`].
    ///
    /// The fact has `frame_id` and `status`.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN` for the frame; `E_INVALID` where it has ended already, or is the root.
    pub fn close_frame(&mut self, frame_id: &str, status: FrameStatus) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        if frame_id == session.root_frame_id && status.is_end() {
            return Err(refuse(Code::Invalid, "the root frame ends with its session"));
        }
        self.operate(|operation| {
            frame_of(operation.sql, &session, frame_id)?;
            operation.close(frame_id, status)
        })
    }

    /// Ends the session: its root frame and all below it that are open. It is on the disk when this returns, and no session is open
    /// afterwards.
    ///
    /// The fact is that of [`Store::close_frame`].
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_INVALID` for a status that is no end.
    pub fn seal_session(&mut self, status: FrameStatus) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        if !status.is_end() {
            return Err(refuse(Code::Invalid, format!("a session does not end as {}", status.word())));
        }
        let sealed = self.transact(true, |operation| {
            operation.sql.execute(
                "UPDATE frames SET status = ?2, updated_at = ?3
                 WHERE root_frame_id = ?1 AND frame_id <> ?1 AND status NOT IN ('done', 'failed')",
                params![session.root_frame_id, status.word(), operation.now_ms()],
            )?;
            operation.close(&session.root_frame_id, status)
        })?;
        self.session = None;
        Ok(sealed)
    }
}

impl Operation<'_> {
    fn close(&mut self, frame_id: &str, status: FrameStatus) -> Result<Fact, Stop> {
        self.sql
            .prepare_cached("UPDATE frames SET status = ?2, updated_at = ?3 WHERE frame_id = ?1")?
            .execute(params![frame_id, status.word(), self.now_ms()])?;
        Ok(fact(json!({ "frame_id": frame_id, "status": status.word() })))
    }
}
