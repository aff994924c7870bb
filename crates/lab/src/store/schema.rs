//! The tables of a session store: migrations by number, the image that every new store begins as, and what is checked at opening.

use super::trouble::failed;
use crate::refusal::Stop;
use rehearsal_journal::digest;
use rehearsal_world::database;
use rusqlite::{Connection, params};
use std::sync::OnceLock;

/// What says in a file's header that it is a session store: `ReSt` (SQLite's `application_id`).
const APPLICATION: i32 = 0x5265_5374;

/// One step from a version to the next. What was once released is never edited: stores remember its digest.
struct Migration {
    name: &'static str,
    sql: &'static str,
}

/// All of them; the first leads to version 1.
const MIGRATIONS: &[Migration] = &[
    Migration { name: "0001_sessions", sql: include_str!("migrations/0001_sessions.sql") },
    Migration { name: "0002_artifacts", sql: include_str!("migrations/0002_artifacts.sql") },
    Migration { name: "0003_lineage", sql: include_str!("migrations/0003_lineage.sql") },
];

/// The table that remembers what was applied.
const APPLIED: &str = "CREATE TABLE migrations (
    version INTEGER NOT NULL PRIMARY KEY CHECK (version >= 1),
    name TEXT NOT NULL,
    sha256 TEXT NOT NULL CHECK (length(sha256) = 64 AND sha256 NOT GLOB '*[^0-9a-f]*')
) STRICT";

/// The version that this program writes.
pub(super) const VERSION: usize = MIGRATIONS.len();

/// A new store's file, made once a process, and the digest of its schema.
struct Template {
    image: Vec<u8>,
    schema: String,
}

fn template() -> Result<&'static Template, Stop> {
    static TEMPLATE: OnceLock<Template> = OnceLock::new();
    if let Some(template) = TEMPLATE.get() {
        return Ok(template);
    }
    let mut connection = database::memory().map_err(|error| failed(&error))?;
    connection.execute_batch(APPLIED)?;
    connection.pragma_update(None, "application_id", APPLICATION)?;
    upgrade(&mut connection, 0)?;
    let schema = schema(&connection)?;
    let image = database::image(&mut connection).map_err(|error| failed(&error))?;
    // Another thread may have been first; both made the same.
    Ok(TEMPLATE.get_or_init(|| Template { image, schema }))
}

/// The bytes that a new store begins as.
pub(super) fn image() -> Result<&'static [u8], Stop> {
    Ok(&template()?.image)
}

/// Checks that a store is one, that this program can read it and that it is whole, and brings it to [`VERSION`].
pub(super) fn check(connection: &mut Connection) -> Result<(), Stop> {
    if connection.pragma_query_value::<i32, _>(None, "application_id", |row| row.get(0))? != APPLICATION {
        return Err(Stop::Failed("the session store is a database of another program".to_owned()));
    }
    let version: i64 = connection.pragma_query_value(None, "user_version", |row| row.get(0))?;
    let known = usize::try_from(version).ok().filter(|version| *version <= VERSION);
    let Some(version) = known else {
        return Err(Stop::Failed(format!(
            "the session store is of version {version}, this program knows up to {VERSION}: use a newer program"
        )));
    };
    compare(connection, version)?;
    whole(connection)?;
    upgrade(connection, version)?;
    if schema(connection)? != template()?.schema {
        return Err(Stop::Failed(
            "the tables of the session store were changed by another program".to_owned(),
        ));
    }
    Ok(())
}

/// Whether the store was made by the same migrations.
fn compare(connection: &Connection, version: usize) -> Result<(), Stop> {
    let mut statement = connection.prepare("SELECT version, sha256 FROM migrations ORDER BY version")?;
    let rows = statement.query_map([], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, String>(1)?)))?;
    let applied = rows.collect::<Result<Vec<_>, _>>()?;
    let meant = MIGRATIONS.iter().take(version).zip(1..).map(|(row, number)| (number, sum(row)));
    if applied.into_iter().eq(meant) {
        return Ok(());
    }
    Err(Stop::Failed("the session store was made by other migrations than this program's".to_owned()))
}

/// Whether pages and references are as they must be.
fn whole(connection: &Connection) -> Result<(), Stop> {
    let found: String = connection.pragma_query_value(None, "quick_check", |row| row.get(0))?;
    if found != "ok" {
        return Err(Stop::Failed(format!("the session store is damaged: {}", found.escape_debug())));
    }
    let mut broken = connection.prepare("PRAGMA foreign_key_check")?;
    if broken.exists([])? {
        return Err(Stop::Failed("the session store is damaged: a reference leads nowhere".to_owned()));
    }
    Ok(())
}

/// Applies what is missing, each migration in a transaction of its own.
fn upgrade(connection: &mut Connection, version: usize) -> Result<(), Stop> {
    for (migration, number) in MIGRATIONS.iter().zip(1_i64..).skip(version) {
        database::commit(connection, |sql| -> Result<(), Stop> {
            sql.execute_batch(migration.sql)?;
            sql.execute(
                "INSERT INTO migrations (version, name, sha256) VALUES (?1, ?2, ?3)",
                params![number, migration.name, sum(migration)],
            )?;
            Ok(sql.pragma_update(None, "user_version", number)?)
        })?;
    }
    Ok(())
}

fn sum(migration: &Migration) -> String {
    digest::text(&digest::of(migration.sql.as_bytes()))
}

/// A digest of all tables, indexes and triggers.
fn schema(connection: &Connection) -> Result<String, Stop> {
    let mut statement =
        connection.prepare("SELECT type, name, coalesce(sql, '') FROM sqlite_schema ORDER BY type, name")?;
    let mut rows = statement.query([])?;
    let mut running = digest::Running::default();
    while let Some(row) = rows.next()? {
        for at in 0..3 {
            running.update(row.get_ref(at)?.as_str().unwrap_or_default().as_bytes());
            running.update(&[0]);
        }
    }
    Ok(digest::text(&running.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A store as a program left it that knew so many migrations.
    fn at(version: usize) -> Connection {
        let mut connection = database::memory().unwrap();
        connection.execute_batch(APPLIED).unwrap();
        connection.pragma_update(None, "application_id", APPLICATION).unwrap();
        upgrade(&mut connection, 0).unwrap();
        // Back to that version: what came later is taken away again.
        let later: &[&str] = &["lineage_edges", "artifact_versions", "artifacts"];
        if version == 1 {
            connection.execute_batch("PRAGMA foreign_keys = off").unwrap();
            for table in later {
                connection.execute_batch(&format!("DROP TABLE {table}")).unwrap();
            }
            connection
                .execute_batch("DELETE FROM migrations WHERE version > 1; PRAGMA user_version = 1")
                .unwrap();
            connection.execute_batch("PRAGMA foreign_keys = on").unwrap();
        }
        connection
    }

    fn refusal(connection: &mut Connection) -> String {
        match check(connection).unwrap_err() {
            Stop::Failed(sentence) => sentence,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_store_of_this_version_is_taken_as_it_is() {
        check(&mut at(VERSION)).unwrap();
    }

    #[test]
    fn an_older_store_is_brought_to_this_version() {
        let mut old = at(1);
        check(&mut old).unwrap();
        let version: i64 = old.pragma_query_value(None, "user_version", |row| row.get(0)).unwrap();
        assert_eq!(version, i64::try_from(VERSION).unwrap());
    }

    #[test]
    fn a_newer_store_is_one_clear_error() {
        let mut newer = at(VERSION);
        newer.pragma_update(None, "user_version", 99).unwrap();
        let said = refusal(&mut newer);
        assert_eq!(
            said,
            "the session store is of version 99, this program knows up to 3: use a newer program"
        );
        newer.pragma_update(None, "user_version", -1).unwrap();
        assert!(refusal(&mut newer).contains("of version -1"));
    }

    #[test]
    fn a_changed_migration_is_one_clear_error() {
        let mut other = at(VERSION);
        other.execute("UPDATE migrations SET sha256 = ?1 WHERE version = 2", ["0".repeat(64)]).unwrap();
        assert!(refusal(&mut other).contains("other migrations"));
        let mut fewer = at(VERSION);
        fewer.execute("DELETE FROM migrations WHERE version = 2", []).unwrap();
        assert!(refusal(&mut fewer).contains("other migrations"));
    }

    #[test]
    fn a_trigger_that_was_taken_away_is_noticed() {
        let mut bare = at(VERSION);
        bare.execute_batch("DROP TRIGGER lineage_edges_stay").unwrap();
        assert!(refusal(&mut bare).contains("changed by another program"));
    }

    #[test]
    fn a_database_of_another_program_is_refused() {
        assert!(refusal(&mut database::memory().unwrap()).contains("another program"));
    }

    #[test]
    fn a_reference_that_leads_nowhere_is_noticed() {
        let mut broken = at(VERSION);
        broken.execute_batch("PRAGMA foreign_keys = off").unwrap();
        broken
            .execute_batch("INSERT INTO session_roots VALUES ('f-000000000000', 'proj_000000000000')")
            .unwrap();
        assert!(refusal(&mut broken).contains("leads nowhere"));
    }
}
