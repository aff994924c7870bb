//! Databases in files: what a connection cannot do, what a commit leaves, and who may read it.
#![expect(clippy::disallowed_methods, reason = "tests look at the files of a database")]
#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use rehearsal_testkit::scratch;
use rehearsal_world::database::{self, DatabaseError, Rule, Trouble};
use rusqlite::Connection;
use std::fs;
use std::path::{Path, PathBuf};

const NAME: &str = "some.db";

fn image() -> Vec<u8> {
    let mut memory = database::memory().unwrap();
    memory
        .execute_batch(
            "CREATE TABLE numbers (number INTEGER PRIMARY KEY CHECK (number >= 0)) STRICT;
             CREATE TABLE names (name TEXT NOT NULL, number INTEGER NOT NULL REFERENCES numbers (number)) STRICT;
             CREATE TRIGGER names_stay BEFORE DELETE ON names BEGIN SELECT RAISE(ABORT, 'they stay'); END;
             INSERT INTO numbers VALUES (1); INSERT INTO names VALUES ('one', 1);",
        )
        .unwrap();
    database::image(&mut memory).unwrap()
}

fn place(name: &str) -> PathBuf {
    scratch(env!("CARGO_TARGET_TMPDIR"), &format!("database-{name}"))
}

fn create(folder: &Path) -> Connection {
    database::create(folder, NAME, &image()).unwrap()
}

fn pragma(connection: &Connection, name: &str) -> String {
    connection
        .pragma_query_value(None, name, |row| {
            Ok(match row.get_ref(0)? {
                rusqlite::types::ValueRef::Integer(number) => number.to_string(),
                other => other.as_str()?.to_owned(),
            })
        })
        .unwrap()
}

#[test]
fn a_new_database_holds_its_image_and_is_written_by_a_log() {
    let folder = place("new");
    let connection = create(&folder);
    for (name, value) in [
        ("journal_mode", "wal"),
        ("locking_mode", "exclusive"),
        ("foreign_keys", "1"),
        ("trusted_schema", "0"),
        ("synchronous", "1"),
        ("cell_size_check", "1"),
    ] {
        assert_eq!(pragma(&connection, name), value, "{name}");
    }
    connection.execute("INSERT INTO numbers VALUES (2)", []).unwrap();
    #[cfg(unix)]
    for file in fs::read_dir(&folder).unwrap().map(Result::unwrap) {
        use std::os::unix::fs::PermissionsExt as _;
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600, "{:?}", file.file_name());
    }
    drop(connection);
    let left: Vec<_> = fs::read_dir(&folder).unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left, [NAME], "a database that was closed is one file");
    let again = database::open(&folder, NAME).unwrap();
    assert_eq!(
        again.query_row("SELECT sum(number) FROM numbers", [], |row| row.get::<_, i64>(0)).unwrap(),
        3
    );
    assert_eq!(pragma(&again, "journal_mode"), "wal");
}

#[test]
fn a_statement_reaches_no_other_file() {
    let folder = place("reach");
    let connection = create(&folder);
    let other = folder.join("other.db");
    assert!(connection.execute("ATTACH DATABASE ?1 AS other", [other.to_str().unwrap()]).is_err());
    assert!(connection.execute("VACUUM INTO ?1", [other.to_str().unwrap()]).is_err());
    assert!(connection.execute_batch("SELECT load_extension('x')").is_err());
    assert!(!other.exists());
    // Nor does it write where only SQLite itself may.
    assert!(connection.execute_batch("PRAGMA writable_schema = on; DELETE FROM sqlite_schema").is_err());
}

#[test]
fn work_that_fails_leaves_nothing_behind() {
    let folder = place("work");
    let mut connection = create(&folder);
    for surely in [false, true] {
        let work = |sql: &Connection| -> rusqlite::Result<()> {
            sql.execute("INSERT INTO numbers VALUES (7)", [])?;
            sql.execute("INSERT INTO numbers VALUES (-7)", []).map(drop)
        };
        let done = match surely {
            false => database::commit(&mut connection, work),
            true => database::commit_surely(&mut connection, work),
        };
        assert!(matches!(Trouble::of(&done.unwrap_err()), Trouble::Rule(Rule::Value, _)));
        assert_eq!(
            connection.query_row("SELECT count(*) FROM numbers", [], |row| row.get::<_, i64>(0)),
            Ok(1)
        );
        assert_eq!(pragma(&connection, "synchronous"), "1");
    }
    let insert = |sql: &Connection| sql.execute("INSERT INTO numbers VALUES (7)", []);
    assert_eq!(database::commit_surely(&mut connection, insert), Ok(1));
}

#[test]
fn what_a_schema_refuses_is_known_by_its_rule() {
    let connection = create(&place("rules"));
    for (statement, rule) in [
        ("INSERT INTO numbers VALUES (1)", Rule::Unique),
        ("INSERT INTO numbers VALUES (-1)", Rule::Value),
        ("INSERT INTO numbers VALUES ('x')", Rule::Value),
        ("INSERT INTO names VALUES (NULL, 1)", Rule::Value),
        ("INSERT INTO names VALUES (x'00', 1)", Rule::Value),
        ("INSERT INTO names VALUES ('two', 2)", Rule::Reference),
        ("DELETE FROM names", Rule::Trigger),
    ] {
        let error = connection.execute(statement, []).unwrap_err();
        assert!(
            matches!(Trouble::of(&error), Trouble::Rule(found, _) if found == rule),
            "{statement}: {error}"
        );
    }
    let long = "x".repeat((16 << 20) + 1);
    let error = connection.execute("INSERT INTO names VALUES (?1, 1)", [&long]).unwrap_err();
    assert!(matches!(Trouble::of(&error), Trouble::Rule(Rule::Value, _)), "{error}");
}

#[test]
fn a_database_is_made_once_and_belongs_to_one() {
    let folder = place("once");
    assert!(matches!(database::open(&folder, NAME), Err(DatabaseError::Missing(_))));
    let connection = create(&folder);
    assert!(matches!(database::create(&folder, NAME, &image()), Err(DatabaseError::Taken(_))));
    let second = database::open(&folder, NAME).unwrap_err();
    assert!(matches!(second, DatabaseError::Trouble { trouble: Trouble::InUse, .. }), "{second}");
    drop(connection);
    database::open(&folder, NAME).unwrap();
}

#[test]
fn what_is_no_database_is_damaged() {
    let folder = place("damaged");
    fs::write(folder.join(NAME), "not a database ".repeat(100)).unwrap();
    let error = database::open(&folder, NAME).unwrap_err();
    assert!(error.to_string().contains("the database is damaged"), "{error}");
}
