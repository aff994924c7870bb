//! How much one session may write, and what it has used up of it.

use crate::refusal::Code;

/// How much one session may write. What programs write by themselves is not counted: only a file system can.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quota {
    /// Most files and folders that are made. Removing one gives nothing back.
    pub files: u64,
    /// Most bytes that are written, those that are written over others included.
    pub bytes: u64,
    /// Most parts of a path.
    pub depth: usize,
    /// Most bytes of one file, written or read.
    pub one_file: u64,
}

impl Default for Quota {
    /// 10,000 files and folders, 1 GiB, 32 parts, 256 MiB a file.
    fn default() -> Self {
        Self { files: 10_000, bytes: 1 << 30, depth: 32, one_file: 256 << 20 }
    }
}

/// What a session has used up.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Used {
    files: u64,
    bytes: u64,
}

impl Used {
    /// What is used up with so many more files and folders, and so many more bytes in one of them.
    pub(super) fn with(self, quota: &Quota, files: usize, bytes: usize) -> Result<Self, (Code, String)> {
        let (files, bytes) = (files as u64, bytes as u64);
        quota.fits(bytes)?;
        let used = Self { files: self.files.saturating_add(files), bytes: self.bytes.saturating_add(bytes) };
        if files > 0 && used.files > quota.files {
            let most = quota.files;
            return Err((Code::Quota, format!("the session may make {most} files and folders, no more")));
        }
        if used.bytes > quota.bytes {
            let most = quota.bytes;
            return Err((Code::Quota, format!("the session may write {most} bytes in all, no more")));
        }
        Ok(used)
    }
}

impl Quota {
    /// Whether one file may have so many bytes.
    pub(super) fn fits(&self, bytes: u64) -> Result<(), (Code, String)> {
        let most = self.one_file;
        if bytes <= most {
            return Ok(());
        }
        Err((Code::Quota, format!("a file may have {most} bytes, and this one has {bytes}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_up_is_counted_to_the_last_byte() {
        let quota = Quota { files: 2, bytes: 10, depth: 3, one_file: 6 };
        let used = Used::default().with(&quota, 1, 6).unwrap();
        assert_eq!(used.with(&quota, 1, 4), Ok(Used { files: 2, bytes: 10 }));
        assert!(used.with(&quota, 1, 5).unwrap_err().1.contains("10 bytes in all"));
        assert!(used.with(&quota, 2, 1).unwrap_err().1.contains("2 files"));
        assert!(Used::default().with(&quota, 0, 7).unwrap_err().1.contains("6 bytes, and this one has 7"));
    }

    #[test]
    fn numbers_at_their_end_do_not_turn_over() {
        let quota = Quota { files: u64::MAX, bytes: u64::MAX, depth: 1, one_file: u64::MAX };
        let used = Used { files: u64::MAX, bytes: u64::MAX };
        assert_eq!(used.with(&quota, 9, 9), Ok(used));
    }

    #[test]
    fn a_file_that_is_there_may_be_written_when_no_more_can_be_made() {
        let quota = Quota { files: 0, ..Quota::default() };
        assert!(Used::default().with(&quota, 0, 1).is_ok());
        assert!(Used::default().with(&quota, 1, 1).is_err());
    }
}
