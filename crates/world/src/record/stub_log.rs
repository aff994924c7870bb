//! The second sink: the log of `serve --log`, appended to, never truncated, readable before the reply is sent.

use super::RecordError;
use crate::files;
use rehearsal_journal::event::{Asked, Kind};
use rehearsal_journal::stub_log::{Around, is_recorded, record};
use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// One log file. Several journals of a server may share it.
#[derive(Debug)]
pub struct StubLog {
    path: PathBuf,
    mode: String,
    run: String,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    file: File,
    seq: u64,
    pending: Vec<u8>,
}

impl StubLog {
    /// Opens the log for appending and makes it where it is missing. `mode` and `run` stand in every record.
    ///
    /// # Errors
    /// When it cannot be opened or written.
    pub fn open(path: &Path, mode: &str, run: &str) -> Result<Arc<Self>, RecordError> {
        let file = files::append_private(path)
            .and_then(|mut file| end_the_last_line(&mut file).map(|()| file))
            .map_err(|error| RecordError::Create { path: path.to_owned(), source: Arc::new(error) })?;
        let inner = Mutex::new(Inner { file, seq: 0, pending: Vec::new() });
        Ok(Arc::new(Self { path: path.to_owned(), mode: mode.to_owned(), run: run.to_owned(), inner }))
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes down a request's record, if it gets one. A broken body is kept as it came, in a file of its own.
    pub(super) fn append(&self, asked: &Asked, body: &[u8], unix_us: u64) {
        if !is_recorded(asked) {
            return;
        }
        let mut inner = self.inner();
        inner.seq += 1;
        let dump = match asked.kind {
            Kind::BadJson => self.dump(inner.seq, body),
            Kind::Scenario
            | Kind::Background
            | Kind::Overrun
            | Kind::WrongPath
            | Kind::Hostile
            | Kind::Unreadable
            | Kind::Aside => Err(String::new()),
        };
        let (mode, run) = (self.mode.as_str(), self.run.as_str());
        let dump = dump.as_deref().map_err(String::as_str);
        let around = Around { unix_us, mode, seq: inner.seq, run, dump, raw_len: body.len() as u64 };
        record(asked, &around, &mut inner.pending);
    }

    /// Writes the body to `<log>.badbody.<seq>`, or with the run's id behind it where an earlier run has that name.
    fn dump(&self, seq: u64, body: &[u8]) -> Result<String, String> {
        let name = |end: &str| {
            let mut name = self.path.clone().into_os_string();
            name.push(format!(".badbody.{seq}{end}"));
            PathBuf::from(name)
        };
        let mut path = name("");
        let mut made = files::create_private(&path);
        if matches!(&made, Err(error) if error.kind() == io::ErrorKind::AlreadyExists) {
            path = name(&format!(".{}", self.run));
            made = files::create_private(&path);
        }
        match made.and_then(|mut file| file.write_all(body)) {
            Ok(()) => Ok(path.display().to_string()),
            Err(error) => Err(format!("{}: {error}", path.display())),
        }
    }

    /// Writes the records that are held, whole lines in one write: other programs may append to the same file.
    pub(super) fn flush(&self) -> Result<(), RecordError> {
        let mut inner = self.inner();
        let Inner { file, seq: _, pending } = &mut *inner;
        if pending.is_empty() {
            return Ok(());
        }
        let written = file.write_all(pending);
        pending.clear();
        written.map_err(|error| RecordError::Write { path: self.path.clone(), source: Arc::new(error) })
    }
}

/// A killed program may have left half a line: the next record begins on a line of its own.
fn end_the_last_line(file: &mut File) -> io::Result<()> {
    if !file.metadata()?.is_file() || file.metadata()?.len() == 0 {
        return Ok(());
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    if last == *b"\n" { Ok(()) } else { file.write_all(b"\n") }
}
