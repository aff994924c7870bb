//! Stored bytes by their digest: `content/<2 digits>/<64 digits>`. What is there is on the disk, or is not there.

use super::trouble::{refuse, unkept};
use crate::refusal::{Code, Stop};
use crate::workspace::Changed;
use rehearsal_journal::digest;
use rehearsal_world::vault::{Folder, VaultError};
use std::io::{ErrorKind, Read};

/// Bytes of one version, at most.
pub const CONTENT_LIMIT: u64 = 64 << 20;

/// The folder's name below the store's.
const NAME: &str = "content";

/// What was handed in: its bytes and their digest, 64 lower-case hexadecimal digits.
pub(super) struct Taken {
    pub(super) bytes: Vec<u8>,
    pub(super) checksum: String,
}

impl Taken {
    /// Their number.
    pub(super) fn size(&self) -> i64 {
        // The limit is far below.
        i64::try_from(self.bytes.len()).unwrap_or(i64::MAX)
    }
}

/// Reads all that a reader gives, up to [`CONTENT_LIMIT`].
pub(super) fn take(reader: &mut dyn Read, of: &str) -> Result<Taken, Stop> {
    let mut bytes = Vec::new();
    let read = reader.take(CONTENT_LIMIT + 1).read_to_end(&mut bytes);
    read.map_err(|error| {
        let said = format!("the content of {} cannot be read: {error}", of.escape_debug());
        if Changed::is_it(&error) { refuse(Code::Race, said) } else { Stop::Failed(said) }
    })?;
    if bytes.len() as u64 > CONTENT_LIMIT {
        let said = format!("{} has more than {CONTENT_LIMIT} bytes", of.escape_debug());
        return Err(refuse(Code::Quota, said));
    }
    let checksum = digest::text(&digest::of(&bytes));
    Ok(Taken { bytes, checksum })
}

/// The folder of stored bytes.
pub(super) struct Content {
    folder: Folder,
}

impl Content {
    /// Opens it below the store's folder, and makes it where it is missing.
    pub(super) fn open(root: &Folder) -> Result<Self, Stop> {
        Ok(Self { folder: root.folder(NAME).map_err(|error| unkept(&error))? })
    }

    /// Removes what a killed process was writing.
    pub(super) fn sweep(&self) -> Result<(), Stop> {
        let swept = || -> Result<(), VaultError> {
            for shelf in self.folder.names()? {
                // What else lies here is not ours.
                let Ok(shelf) = self.folder.folder_there(&shelf) else { continue };
                for name in
                    shelf.names()?.iter().filter(|name| name.starts_with('.') && name.ends_with(".part"))
                {
                    shelf.remove(name)?;
                }
            }
            Ok(())
        };
        swept().map_err(|error| unkept(&error))
    }

    /// Stores bytes: they are on the disk when this returns. Those that are there rightly stay untouched, others are replaced.
    pub(super) fn put(&self, taken: &Taken) -> Result<(), Stop> {
        let shelf = self.shelf_to_write(&taken.checksum).map_err(|error| unkept(&error))?;
        let held = shelf.holds_file(&taken.checksum) && self.is_intact(&taken.checksum, taken.size())?;
        if held {
            return Ok(());
        }
        shelf.replace(&taken.checksum, &taken.bytes, true).map_err(|error| unkept(&error))
    }

    /// The bytes of a digest, read and digested anew.
    pub(super) fn get(&self, checksum: &str, size: i64) -> Result<Vec<u8>, Stop> {
        let Some(bytes) = self.raw(checksum)? else {
            return Err(refuse(Code::Digest, format!("the bytes with the digest {checksum} are gone")));
        };
        let right = i64::try_from(bytes.len()) == Ok(size) && digest::text(&digest::of(&bytes)) == checksum;
        if !right {
            return Err(refuse(Code::Digest, format!("the bytes stored as {checksum} have another digest")));
        }
        Ok(bytes)
    }

    /// Whether the bytes of a digest are there and are the right ones.
    pub(super) fn is_intact(&self, checksum: &str, size: i64) -> Result<bool, Stop> {
        match self.get(checksum, size) {
            Ok(_) => Ok(true),
            Err(Stop::Refused(_)) => Ok(false),
            Err(other) => Err(other),
        }
    }

    /// Changes one byte on purpose; none where there is nothing. Which byte.
    pub(super) fn damage(&self, checksum: &str) -> Result<usize, Stop> {
        let bytes = self.raw(checksum)?;
        let mut bytes = bytes.ok_or_else(|| refuse(Code::Digest, "its stored bytes are gone already"))?;
        let at = bytes.len() / 2;
        match bytes.get_mut(at) {
            Some(byte) => *byte ^= 1,
            None => bytes.push(0),
        }
        let shelf = self.shelf_to_write(checksum).map_err(|error| unkept(&error))?;
        shelf.replace(checksum, &bytes, false).map_err(|error| unkept(&error))?;
        Ok(at)
    }

    /// What lies where the bytes of a digest must lie; none where no file does, or one that is too long for any.
    fn raw(&self, checksum: &str) -> Result<Option<Vec<u8>>, Stop> {
        let shelf = match self.folder.folder_there(&checksum[..2]) {
            Ok(shelf) => shelf,
            Err(error) if is_missing(&error) => return Ok(None),
            Err(error) => return Err(unkept(&error)),
        };
        // A link or a folder in its place is as good as nothing, and is not followed.
        if !shelf.holds_file(checksum) {
            return Ok(None);
        }
        match shelf.read(checksum, CONTENT_LIMIT) {
            Err(VaultError::TooLong { .. }) => Ok(None),
            Err(error) => Err(unkept(&error)),
            Ok(bytes) => Ok(bytes),
        }
    }

    fn shelf_to_write(&self, checksum: &str) -> Result<Folder, VaultError> {
        let name = &checksum[..2];
        match self.folder.folder_there(name) {
            Err(error) if is_missing(&error) => {
                let made = self.folder.folder(name)?;
                // Bytes in a folder whose name may be lost are not on the disk.
                self.folder.sync()?;
                Ok(made)
            }
            found => found,
        }
    }
}

fn is_missing(error: &VaultError) -> bool {
    matches!(error, VaultError::System { source, .. } if source.kind() == ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io;

    struct Fails(Option<io::Error>);

    impl Read for Fails {
        fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
            self.0.take().map_or(Ok(0), Err)
        }
    }

    #[test]
    fn a_file_that_changes_while_it_is_stored_is_a_race_and_a_disk_that_fails_is_none() {
        let taken = |error| take(&mut Fails(Some(error)), "f").map(|taken| taken.checksum);
        let Err(Stop::Refused(refusal)) = taken(io::Error::other(Changed)) else {
            panic!("it must be refused")
        };
        assert_eq!(refusal.code, Code::Race);
        assert!(matches!(taken(io::Error::other("bad sector")), Err(Stop::Failed(_))));
    }
}
