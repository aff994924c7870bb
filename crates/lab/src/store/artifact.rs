//! Artifacts: what was saved under a name in a session, version after version, each with bytes of its own.

use super::content::{Taken, take};
use super::lineage::{Basis, EdgeKind, Source};
use super::row::{foreign, frame_of, unknown, version};
use super::trouble::refuse;
use super::{Operation, Session, Sort, Store, fact};
use crate::fact::{Fact, Proof};
use crate::plain::SHOWN;
use crate::refusal::{Code, Stop};
use rusqlite::{OptionalExtension as _, params};
use serde_json::json;
use std::io::Read;

/// What is saved.
pub struct Save<'a> {
    /// The artifact's name in its session: 1 to 1,024 bytes, a relative path without `..`, `\` and control characters.
    pub filename: &'a str,
    /// Its media type, 1 to 255 characters.
    pub content_type: &'a str,
    /// Where its bytes come from; up to 64 MiB are read.
    pub content: &'a mut dyn Read,
    /// The digest that they must have, where somebody knows it: it is compared, never kept.
    pub sha256: Option<&'a str>,
    /// What it comes from.
    pub sources: &'a [Source<'a>],
    /// The artifact of which it must be a new version, where that is known.
    pub artifact: Option<&'a str>,
    /// The frame that makes it; the root frame, where it is none.
    pub frame: Option<&'a str>,
    /// The step that saves it, where no cell was begun.
    pub step: &'a str,
}

/// A version that becomes the head again.
pub struct Restore<'a> {
    /// The version.
    pub version_id: &'a str,
    /// What the head must be now: whoever meant another one is refused.
    pub expected_head: &'a str,
    /// Its bytes, where those that are stored may be damaged. They must have the digest of the version.
    pub content: Option<&'a mut dyn Read>,
    /// The step that restores it, where no cell was begun.
    pub step: &'a str,
}

/// The head of an artifact.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// The artifact's name.
    pub filename: String,
    /// The digest of the head's bytes, as recorded.
    pub checksum: String,
    /// Whether the stored bytes have it.
    pub intact: bool,
}

/// A version that was inserted.
struct Made {
    artifact_id: String,
    version_id: String,
    ordinal: i64,
}

impl Store {
    /// Saves bytes as a version: the first of a new artifact, or the next of the one that has this name in the session. They are on the
    /// disk before the store knows of them.
    ///
    /// The fact has `artifact_id`, `version_id`, `checksum`, `size` in bytes, `version` (1 for the first), `filename` and `edges`, the
    /// ids of the edges in the order of the sources.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_INVALID` for a name or a digest; `E_DIGEST` where the bytes have another one; `E_QUOTA` for more than 64 MiB;
    /// `E_UNKNOWN` and `E_FOREIGN` for the artifact, the frame or a source; `E_EXISTS` for a source that is named twice.
    pub fn save_artifact(&mut self, save: Save<'_>) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        let Save { filename, content_type, content, sha256, sources, artifact, frame, step } = save;
        named(filename)?;
        let taken = take(content, filename)?;
        compare(sha256, &taken)?;
        self.operate(|operation| {
            let known = operation.artifact(&session, artifact, filename)?;
            let frame = frame.unwrap_or(&session.root_frame_id);
            frame_of(operation.sql, &session, frame)?;
            let inputs = sources
                .iter()
                .map(|source| operation.input(&session, source))
                .collect::<Result<Vec<_>, _>>()?;
            operation.content.put(&taken)?;
            let cell = operation.producing(&session, step)?;
            let by = (cell.as_str(), frame);
            let made = operation.version(&session, known, (filename, content_type), &taken, by)?;
            let edges = sources
                .iter()
                .zip(&inputs)
                .map(|(source, input)| operation.edge(input, source, &made.version_id, by))
                .collect::<Result<Vec<_>, _>>()?;
            Ok(fact(json!({
                "artifact_id": made.artifact_id, "version_id": made.version_id, "checksum": taken.checksum,
                "size": taken.size(), "version": made.ordinal, "filename": filename, "edges": edges,
            })))
        })
    }

    /// Reads a version of the session's project and digests its bytes anew.
    ///
    /// The fact has `version_id`, `checksum`, `size` in bytes and, for UTF-8 of at most 64 KiB, `text`. It proves
    /// [`Proof::SealVerified`].
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN`; `E_DIGEST` where the bytes are not those that were saved.
    pub fn read_artifact(&self, version_id: &str) -> Result<Fact, Stop> {
        let version = version(&self.sql, self.session()?, version_id)?;
        let bytes = self.content.get(&version.checksum, version.size)?;
        let mut fields =
            json!({ "version_id": version_id, "checksum": version.checksum, "size": version.size });
        if let Ok(text) = String::from_utf8(bytes)
            && text.len() <= SHOWN
        {
            fields["text"] = text.into();
        }
        Ok(fact(fields).proving(Proof::SealVerified))
    }

    /// Changes a stored byte of a version on purpose. All versions with the same bytes are damaged with it.
    ///
    /// The fact has `version_id`, `checksum` (what it was) and `offset`, where the byte is. It proves [`Proof::FaultInjected`].
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN`; `E_DIGEST` where the bytes are gone already.
    pub fn damage_artifact(&mut self, version_id: &str) -> Result<Fact, Stop> {
        let version = version(&self.sql, self.session()?, version_id)?;
        let offset = self.content.damage(&version.checksum)?;
        let fields = json!({ "version_id": version_id, "checksum": version.checksum, "offset": offset });
        Ok(fact(fields).proving(Proof::FaultInjected))
    }

    /// Makes a version the head again: as a fresh version with the same bytes, and an edge of the kind `restored`. Bytes that are given
    /// heal damaged ones.
    ///
    /// The fact has `artifact_id`, `version_id`, `checksum`, `size`, `version`, `restored_from` and `edges`, a list of one id.
    ///
    /// # Errors
    /// `E_NO_SESSION`; `E_UNKNOWN` and `E_FOREIGN`; `E_INVALID` where the head is another one than expected; `E_DIGEST` where the bytes,
    /// given or stored, are not those of the version.
    pub fn restore_artifact(&mut self, restore: Restore<'_>) -> Result<Fact, Stop> {
        let session = self.session()?.clone();
        let given = restore.content.map(|content| take(content, restore.version_id)).transpose()?;
        self.operate(|operation| {
            let old = version(operation.sql, &session, restore.version_id)?;
            if old.root_frame_id != session.root_frame_id {
                return Err(foreign("version", restore.version_id, "session"));
            }
            let (head, filename): (String, String) = operation.sql.query_row(
                "SELECT latest_version_id, filename FROM artifacts WHERE artifact_id = ?1",
                [&old.artifact_id],
                |row| Ok((row.get(0)?, row.get(1)?)),
            )?;
            if head != restore.expected_head {
                let said = format!(
                    "the head of {} is {head}, not {}",
                    filename.escape_debug(),
                    restore.expected_head.escape_debug()
                );
                return Err(refuse(Code::Invalid, said));
            }
            let taken = match given {
                Some(taken) => taken,
                None => Taken {
                    bytes: operation.content.get(&old.checksum, old.size)?,
                    checksum: old.checksum.clone(),
                },
            };
            compare(Some(&old.checksum), &taken)?;
            operation.content.put(&taken)?;
            let cell = operation.producing(&session, restore.step)?;
            let by = (cell.as_str(), session.root_frame_id.as_str());
            let named = (filename.as_str(), old.content_type.as_str());
            let made = operation.version(&session, Some(old.artifact_id.clone()), named, &taken, by)?;
            // The store itself gave the bytes.
            let source =
                Source { version_id: &old.version_id, kind: EdgeKind::Restored, basis: Basis::Observed };
            let edge = operation.edge(&old, &source, &made.version_id, by)?;
            Ok(fact(json!({
                "artifact_id": made.artifact_id, "version_id": made.version_id, "checksum": taken.checksum,
                "size": taken.size(), "version": made.ordinal, "restored_from": old.version_id, "edges": [edge],
            })))
        })
    }

    /// The heads of all artifacts of the session, in the order of their names, each digested anew.
    ///
    /// # Errors
    /// `E_NO_SESSION`; the world's.
    pub fn artifacts(&self) -> Result<Vec<Stored>, Stop> {
        let session = self.session()?;
        let mut statement = self.sql.prepare_cached(
            "SELECT filename, checksum, size_bytes
             FROM artifacts JOIN artifact_versions ON version_id = latest_version_id
             WHERE artifacts.root_frame_id = ?1 ORDER BY filename",
        )?;
        let mut rows = statement.query([&session.root_frame_id])?;
        let mut stored = Vec::new();
        while let Some(row) = rows.next()? {
            let (filename, checksum, size): (String, String, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
            let intact = self.content.is_intact(&checksum, size)?;
            stored.push(Stored { filename, checksum, intact });
        }
        Ok(stored)
    }
}

impl Operation<'_> {
    /// The artifact that a save adds to; none where it begins one.
    fn artifact(
        &self,
        session: &Session,
        wanted: Option<&str>,
        filename: &str,
    ) -> Result<Option<String>, Stop> {
        let Some(wanted) = wanted else {
            let found = self
                .sql
                .prepare_cached(
                    "SELECT artifact_id FROM artifacts WHERE root_frame_id = ?1 AND filename = ?2",
                )?
                .query_row([&session.root_frame_id, filename], |row| row.get(0));
            return Ok(found.optional()?);
        };
        let found: Option<(String, String, String)> = self
            .sql
            .prepare_cached(
                "SELECT root_frame_id, project_id, filename FROM artifacts WHERE artifact_id = ?1",
            )?
            .query_row([wanted], |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .optional()?;
        match found {
            None => Err(unknown("artifact", wanted)),
            Some((_, project, _)) if project != session.project_id => {
                Err(foreign("artifact", wanted, "project"))
            }
            Some((root, _, _)) if root != session.root_frame_id => {
                Err(foreign("artifact", wanted, "session"))
            }
            Some((_, _, name)) if name != filename => Err(refuse(
                Code::Invalid,
                format!(
                    "the artifact {wanted} is named {}, not {}",
                    name.escape_debug(),
                    filename.escape_debug()
                ),
            )),
            Some(_) => Ok(Some(wanted.to_owned())),
        }
    }

    /// Inserts a version, with its artifact where that is new, and moves the head.
    fn version(
        &mut self,
        session: &Session,
        known: Option<String>,
        (filename, content_type): (&str, &str),
        taken: &Taken,
        (cell_id, frame_id): (&str, &str),
    ) -> Result<Made, Stop> {
        let (sql, now) = (self.sql, self.now_ms());
        let is_new = known.is_none();
        let artifact_id = known.unwrap_or_else(|| self.draw(Sort::Artifact));
        let version_id = self.draw(Sort::Version);
        if is_new {
            sql.prepare_cached(
                "INSERT INTO artifacts (artifact_id, project_id, root_frame_id, filename, latest_version_id,
                     created_at, updated_at)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?6)",
            )?
            .execute(params![
                artifact_id,
                session.project_id,
                session.root_frame_id,
                filename,
                version_id,
                now
            ])?;
        }
        let ordinal: i64 = sql
            .prepare_cached(
                "SELECT coalesce(max(ordinal), 0) + 1 FROM artifact_versions WHERE artifact_id = ?1",
            )?
            .query_row([&artifact_id], |row| row.get(0))?;
        sql.prepare_cached(
            "INSERT INTO artifact_versions (version_id, artifact_id, ordinal, content_type, size_bytes, checksum,
                 producing_cell_id, frame_id, created_at)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(params![
            version_id,
            artifact_id,
            ordinal,
            content_type,
            taken.size(),
            taken.checksum,
            cell_id,
            frame_id,
            now,
        ])?;
        if !is_new {
            sql.prepare_cached(
                "UPDATE artifacts SET latest_version_id = ?2, updated_at = ?3 WHERE artifact_id = ?1",
            )?
            .execute(params![artifact_id, version_id, now])?;
        }
        Ok(Made { artifact_id, version_id, ordinal })
    }
}

/// Whether a name can be one: the workspace has stricter rules for what is written in it.
fn named(filename: &str) -> Result<(), Stop> {
    let good = (1..=1024).contains(&filename.len())
        && !filename.starts_with('/')
        && !filename.contains('\\')
        && !filename.chars().any(char::is_control)
        && filename.split('/').all(|part| part != "..");
    if good {
        return Ok(());
    }
    Err(refuse(
        Code::Invalid,
        format!("no artifact can be named {:?}", filename.chars().take(80).collect::<String>()),
    ))
}

fn compare(given: Option<&str>, taken: &Taken) -> Result<(), Stop> {
    let Some(given) = given else { return Ok(()) };
    if given.len() != 64 || !given.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        return Err(refuse(Code::Invalid, "a digest is 64 lower-case hexadecimal digits"));
    }
    if given != taken.checksum {
        let said = format!("the bytes have the digest {}, not {given}", taken.checksum);
        return Err(refuse(Code::Digest, said));
    }
    Ok(())
}
