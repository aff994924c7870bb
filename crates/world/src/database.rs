//! SQLite databases in files: opened by path in a private folder, never through a link, each for one process alone.
//!
//! Must not know what is kept in them. Whoever got a connection works on it by itself; what failed is put into one sentence here.

use rusqlite::config::DbConfig;
use rusqlite::limits::Limit;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use thiserror::Error;

/// How long another process that has the database is waited for.
const PATIENCE: Duration = Duration::from_secs(2);

/// Bytes of one value or one row, at most: content lies in files of its own.
const VALUE: i32 = 16 << 20;

/// Bytes of one statement, at most.
const STATEMENT: i32 = 1 << 20;

/// Statements that a connection keeps prepared.
const PREPARED: usize = 64;

/// Pages of the log after which they are moved into the database: the more, the fewer are moved twice.
const LOGGED: i32 = 4000;

/// Memory for pages, in KiB, at most; SQLite takes it as negative, since pages are what a positive number counts.
const CACHED: i32 = -16_384;

/// What SQLite puts beside a database.
const BESIDE: [&str; 3] = ["-wal", "-shm", "-journal"];

/// Where the two bytes of a database's header stand that say how it is written, and what they say of a write-ahead log
/// (SQLite's file format, 1.3.3).
const WRITTEN: [usize; 2] = [18, 19];
const AHEAD: u8 = 2;

/// Why a database cannot be opened or used. Each is one clear sentence without a full stop.
#[derive(Debug, Error)]
pub enum DatabaseError {
    /// A link, a folder or a pipe stands where a file of the database must stand.
    #[error("{0} is not a regular file, so no database is opened there")]
    NotAFile(PathBuf),
    /// There is no database.
    #[error("there is no database at {0}")]
    Missing(PathBuf),
    /// There is one already.
    #[error("there is a database at {0} already")]
    Taken(PathBuf),
    /// SQLite says why.
    #[error("{path}: {}", .trouble.sentence())]
    Trouble {
        /// The database.
        path: PathBuf,
        /// Why.
        trouble: Trouble,
    },
    /// The folder or the file cannot be made or looked at.
    #[error("cannot open the database {path}: {source}")]
    System {
        /// The database.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

/// What went wrong with a database, by who can do something about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Trouble {
    /// A rule of the schema was broken; which, and what the schema says of it.
    Rule(Rule, String),
    /// The disk is full.
    Full,
    /// The disk or the file may only be read.
    ReadOnly,
    /// Another process has it.
    InUse,
    /// What is in the file is no database, or a broken one.
    Damaged(String),
    /// Anything else, in SQLite's words.
    Other(String),
}

/// The rules that a schema can have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rule {
    /// A value that must be the only one is there already.
    Unique,
    /// A reference leads nowhere.
    Reference,
    /// A value is not one of those allowed.
    Value,
    /// A trigger refuses; the text is its own.
    Trigger,
}

impl Trouble {
    /// What an error of a statement means.
    #[must_use]
    pub fn of(error: &rusqlite::Error) -> Self {
        let rusqlite::Error::SqliteFailure(failure, text) = error else {
            return Self::Other(error.to_string());
        };
        let text = text.clone().unwrap_or_else(|| error.to_string());
        match failure.code {
            ErrorCode::ConstraintViolation => Self::Rule(rule(failure.extended_code), text),
            ErrorCode::DiskFull => Self::Full,
            ErrorCode::ReadOnly => Self::ReadOnly,
            ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked | ErrorCode::FileLockingProtocolFailed => {
                Self::InUse
            }
            ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase => Self::Damaged(text),
            // A value longer than the limit breaks a rule as well as one that is none of those allowed.
            ErrorCode::TooBig | ErrorCode::TypeMismatch => Self::Rule(Rule::Value, text),
            _ => Self::Other(text),
        }
    }

    /// One sentence without a full stop; it does not say which database.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Rule(_, text) => format!("the database refuses it: {text}"),
            Self::Full => "the disk is full: the database cannot be written".to_owned(),
            Self::ReadOnly => {
                "the disk or the file may only be read: the database cannot be written".to_owned()
            }
            Self::InUse => "another process has the database".to_owned(),
            Self::Damaged(text) => format!("the database is damaged: {text}"),
            Self::Other(text) => format!("the database cannot be read or written: {text}"),
        }
    }
}

fn rule(extended: i32) -> Rule {
    use rusqlite::ffi;
    match extended {
        ffi::SQLITE_CONSTRAINT_UNIQUE | ffi::SQLITE_CONSTRAINT_PRIMARYKEY | ffi::SQLITE_CONSTRAINT_ROWID => {
            Rule::Unique
        }
        ffi::SQLITE_CONSTRAINT_FOREIGNKEY => Rule::Reference,
        ffi::SQLITE_CONSTRAINT_TRIGGER => Rule::Trigger,
        _ => Rule::Value,
    }
}

/// Opens a database that is there. What a killed process wrote last is taken up.
///
/// # Errors
/// When it is missing, is no regular file, is damaged, or another process has it.
pub fn open(folder: &Path, name: &str) -> Result<Connection, DatabaseError> {
    let path = place(folder, name)?;
    if !crate::files::is_there(&path) {
        return Err(DatabaseError::Missing(path));
    }
    if !is_writable(folder) || !is_writable(&path) {
        return Err(DatabaseError::Trouble { path, trouble: Trouble::ReadOnly });
    }
    let connection = connect(&path).map_err(|error| trouble(&path, &error))?;
    // Only what is read now is surely ours, and surely a database.
    let read = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |row| row.get::<_, i64>(0));
    read.map_err(|error| trouble(&path, &error))?;
    Ok(connection)
}

/// Makes a database from an [`image`] and opens it. Whoever is killed meanwhile leaves the whole database or none.
///
/// # Errors
/// When there is one already, or it cannot be written.
pub fn create(folder: &Path, name: &str, image: &[u8]) -> Result<Connection, DatabaseError> {
    crate::files::private_folders(folder)
        .map_err(|source| DatabaseError::System { path: folder.join(name), source })?;
    let path = place(folder, name)?;
    // A log that is left of another database would be taken for this one's.
    for beside in [""].iter().chain(&BESIDE) {
        let file = folder.join(format!("{name}{beside}"));
        if crate::files::is_there(&file) {
            return Err(DatabaseError::Taken(file));
        }
    }
    let made = crate::vault::Folder::look_into(folder).and_then(|folder| folder.create_with(name, image));
    made.map_err(|error| match error {
        error if error.is_full() => DatabaseError::Trouble { path: path.clone(), trouble: Trouble::Full },
        error if error.is_taken() => DatabaseError::Taken(path.clone()),
        error => DatabaseError::System { path: path.clone(), source: io::Error::other(error) },
    })?;
    connect(&path).map_err(|error| trouble(&path, &error))
}

/// A database that is only in memory: what becomes an [`image`].
///
/// # Errors
/// When there is no memory for it.
pub fn memory() -> Result<Connection, DatabaseError> {
    let path = Path::new(":memory:");
    let opened = Connection::open_in_memory().and_then(|connection| harden(&connection).map(|()| connection));
    opened.map_err(|error| trouble(path, &error))
}

/// The bytes of the file that a database would be, written by a write-ahead log from the start.
///
/// # Errors
/// When there is no memory for it.
pub fn image(connection: &mut Connection) -> Result<Vec<u8>, DatabaseError> {
    let bytes = connection.serialize("main").map_err(|error| trouble(Path::new(":memory:"), &error))?;
    let mut bytes = bytes.to_vec();
    for at in WRITTEN {
        // An image without pages has no header, and becomes one when it is first written.
        if let Some(byte) = bytes.get_mut(at) {
            *byte = AHEAD;
        }
    }
    Ok(bytes)
}

/// Does some work in one transaction that is on the disk when this returns: for seals. Usual commits outlive the process alone.
///
/// # Errors
/// Those of the work, after which nothing of it is done.
pub fn commit_surely<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    connection.pragma_update(None, "synchronous", "FULL")?;
    let done = commit(connection, work);
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    done
}

/// Does some work in one transaction: all of it, or nothing.
///
/// # Errors
/// Those of the work, after which nothing of it is done.
pub fn commit<T, E: From<rusqlite::Error>>(
    connection: &mut Connection,
    work: impl FnOnce(&Connection) -> Result<T, E>,
) -> Result<T, E> {
    let transaction = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // What is dropped unfinished is undone.
    let done = work(&transaction)?;
    transaction.commit()?;
    Ok(done)
}

/// Where the database lies, after a look at all that SQLite would open there.
fn place(folder: &Path, name: &str) -> Result<PathBuf, DatabaseError> {
    let path = folder.join(name);
    let failed = |source| DatabaseError::System { path: path.clone(), source };
    if !std::fs::symlink_metadata(folder).map_err(failed)?.is_dir() {
        return Err(DatabaseError::NotAFile(folder.to_owned()));
    }
    // SQLite itself refuses paths with a link in them; those above the folder are not ours to judge.
    let path = folder.canonicalize().map_err(failed)?.join(name);
    for beside in [""].iter().chain(&BESIDE) {
        let file = folder.join(format!("{name}{beside}"));
        if std::fs::symlink_metadata(&file).is_ok_and(|seen| !seen.is_file()) {
            return Err(DatabaseError::NotAFile(file));
        }
    }
    Ok(path)
}

/// Whether something can be written: asked by its name, since whoever closes a database's file takes its locks away.
fn is_writable(path: &Path) -> bool {
    #[cfg(unix)]
    return rustix::fs::access(path, rustix::fs::Access::WRITE_OK).is_ok();
    #[cfg(not(unix))]
    std::fs::metadata(path).is_ok_and(|seen| !seen.permissions().readonly())
}

fn connect(path: &Path) -> rusqlite::Result<Connection> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NOFOLLOW
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_PRIVATE_CACHE
        | OpenFlags::SQLITE_OPEN_EXRESCODE;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    // One process has a database for as long as it is open; then the log needs no memory that is shared.
    connection.pragma_update_and_check(None, "locking_mode", "EXCLUSIVE", |_| Ok(()))?;
    harden(&connection)?;
    connection.pragma_update_and_check(None, "journal_mode", "WAL", |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", LOGGED, |_| Ok(()))?;
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    Ok(connection)
}

/// What no file may do with us, and no statement with a file.
fn harden(connection: &Connection) -> rusqlite::Result<()> {
    connection.set_prepared_statement_cache_capacity(PREPARED);
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_FKEY, true)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    // Else statements are prepared anew whenever other values are bound: a fifth of the time of a small insert.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_limit(Limit::SQLITE_LIMIT_LENGTH, VALUE)?;
    connection.set_limit(Limit::SQLITE_LIMIT_SQL_LENGTH, STATEMENT)?;
    connection.set_limit(Limit::SQLITE_LIMIT_ATTACHED, 0)?;
    connection.set_limit(Limit::SQLITE_LIMIT_WORKER_THREADS, 0)?;
    connection.pragma_update(None, "cache_size", CACHED)?;
    connection.pragma_update(None, "cell_size_check", true)?;
    connection.pragma_update(None, "temp_store", "MEMORY")
}

fn trouble(path: &Path, error: &rusqlite::Error) -> DatabaseError {
    DatabaseError::Trouble { path: path.to_owned(), trouble: Trouble::of(error) }
}
