//! The files of a journal: made once, appended to, cut back to the last whole line where a write fails.

use super::ledger::{Batch, Part};
use super::{Name, RecordError};
use crate::files;
use std::fs::File;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Writes batches, one segment after the other.
#[derive(Debug)]
pub(super) struct Writer {
    folder: PathBuf,
    name: Name,
    keep: Option<u32>,
    segment: Segment,
    spare: Part,
}

#[derive(Debug)]
struct Segment {
    lines: Kept,
    bodies: Kept,
}

/// A file and how much of it is certain.
#[derive(Debug)]
struct Kept {
    file: File,
    path: PathBuf,
    len: u64,
}

impl Writer {
    pub(super) fn create(folder: PathBuf, name: Name, keep: Option<u32>) -> Result<Self, RecordError> {
        files::private_folders(&folder)
            .map_err(|error| RecordError::Folder { path: folder.clone(), source: Arc::new(error) })?;
        let segment = Segment::create(&folder, &name, 1)?;
        Ok(Self { folder, name, keep, segment, spare: Part::default() })
    }

    /// Empty buffers with memory from an earlier batch.
    pub(super) fn spare(&mut self) -> Part {
        std::mem::take(&mut self.spare)
    }

    pub(super) fn write(&mut self, batch: Batch) -> Result<(), RecordError> {
        for part in &batch.parts {
            self.write_part(part)?;
        }
        self.write_part(&batch.last)?;
        self.spare = batch.last;
        self.spare.clear();
        Ok(())
    }

    fn write_part(&mut self, part: &Part) -> Result<(), RecordError> {
        if let Some(number) = part.opens {
            self.segment = Segment::create(&self.folder, &self.name, number)?;
            self.throw_away(number)?;
        }
        self.segment.write(part)
    }

    fn throw_away(&self, newest: u32) -> Result<(), RecordError> {
        let Some(oldest) = self.keep.and_then(|keep| newest.checked_sub(keep.max(1))) else { return Ok(()) };
        if oldest == 0 {
            return Ok(());
        }
        let (lines, bodies) = self.name.files(oldest);
        for name in [lines, bodies] {
            let path = self.folder.join(name);
            std::fs::remove_file(&path)
                .map_err(|error| RecordError::Remove { path, source: Arc::new(error) })?;
        }
        Ok(())
    }
}

impl Segment {
    fn create(folder: &Path, name: &Name, number: u32) -> Result<Self, RecordError> {
        let (lines, bodies) = name.files(number);
        // Bodies first here too: wherever a kill strikes, lines have their bodies.
        let bodies = Kept::create(folder.join(bodies))?;
        Ok(Self { lines: Kept::create(folder.join(lines))?, bodies })
    }

    /// Bodies first: a line that is there has its body.
    fn write(&mut self, part: &Part) -> Result<(), RecordError> {
        self.bodies.append(&part.bodies)?;
        let bodies = part.bodies.len() as u64;
        self.lines.append(&part.lines).inspect_err(|_| self.bodies.cut(self.bodies.len - bodies))
    }
}

impl Kept {
    fn create(path: PathBuf) -> Result<Self, RecordError> {
        match files::create_private(&path) {
            Ok(file) => Ok(Self { file, path, len: 0 }),
            Err(error) => Err(RecordError::Create { path, source: Arc::new(error) }),
        }
    }

    fn append(&mut self, bytes: &[u8]) -> Result<(), RecordError> {
        if bytes.is_empty() {
            return Ok(());
        }
        match self.file.write_all(bytes) {
            Ok(()) => {
                self.len += bytes.len() as u64;
                Ok(())
            }
            Err(error) => {
                self.cut(self.len);
                Err(self.failed(error))
            }
        }
    }

    /// Takes back what a failed write left behind. Where that fails too, readers see a cut line, which they allow.
    fn cut(&self, len: u64) {
        drop(self.file.set_len(len));
    }

    fn failed(&self, error: io::Error) -> RecordError {
        RecordError::Write { path: self.path.clone(), source: Arc::new(error) }
    }
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_an_error_with_the_files_name() {
        let path = PathBuf::from("/dev/full");
        let file = File::options().write(true).open(&path).unwrap();
        let mut kept = Kept { file, path, len: 0 };
        let error = kept.append(b"line").unwrap_err();
        assert!(error.to_string().starts_with("cannot write /dev/full: No space left"), "{error}");
        assert_eq!(kept.len, 0);
    }
}
