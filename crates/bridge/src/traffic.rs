//! The log of bytes that just passed: one file for all exchanges, appended to before anything is served.
//!
//! To make three files an exchange costs more than to relay it. So what no budget pays for is written here first: all that came at
//! once, of all exchanges, in one write before any of it is passed on. `unpack` makes the files of it when there is time: at once
//! where the bridge is idle, later where it is busy, at the next start where it was killed. Nothing reads the log but `unpack`.
//!
//! ```text
//! entry: "RHL1" | hop u8 | sequence u64 | name length u16 | length u32 | name | bytes          numbers little-endian
//! ```

use rehearsal_world::task;
use rehearsal_world::vault::{Folder, Record, VaultError};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// Folder of the segments.
pub const TRAFFIC: &str = "traffic";
/// Bytes after which the next segment begins.
const SEGMENT: u64 = 16 << 20;
/// How each entry begins.
const MARK: &[u8; 4] = b"RHL1";
/// Bytes before an entry's name.
pub const HEAD: usize = 19;
/// Bytes of ends that wait to be written with the next entry.
const HELD: usize = 64 * 1024;

/// What an entry holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[repr(u8)]
pub enum Hop {
    /// A piece of what the client asked.
    Request = 1,
    /// A piece of what was sent to the provider, where it is something else.
    UpstreamRequest = 2,
    /// A piece of what came from the provider.
    Response = 3,
    /// A piece of what the client got, where it is something else.
    Served = 4,
    /// The readable file.
    Readable = 5,
    /// The exchange was given up: only what the client asked is kept.
    GivenUp = 6,
    /// What the journal says of it, as JSON; the exchange is over. It is in the log before it is in the journal, so that no kill comes
    /// between them: what the journal lacks is made up for at the next start.
    Done = 7,
}

impl Hop {
    const ALL: [Self; 7] = [
        Self::Request,
        Self::UpstreamRequest,
        Self::Response,
        Self::Served,
        Self::Readable,
        Self::GivenUp,
        Self::Done,
    ];

    fn of(byte: u8) -> Option<Self> {
        Self::ALL.into_iter().find(|hop| *hop as u8 == byte)
    }
}

/// The log, open to append.
#[derive(Debug)]
pub struct Traffic {
    folder: Folder,
    book: Mutex<Book>,
}

#[derive(Debug)]
struct Book {
    segment: Record,
    number: u64,
    /// Entries that wait to be written.
    held: Vec<u8>,
    /// What becomes of them.
    batch: Arc<Batch>,
}

/// Entries that are written together, and what became of them.
#[derive(Debug, Default)]
pub struct Batch(OnceLock<Result<(), VaultError>>);

impl Batch {
    /// Whether the kernel has it.
    #[must_use]
    pub fn is_written(&self) -> bool {
        matches!(self.0.get(), Some(Ok(())))
    }
}

impl Traffic {
    /// Begins a segment behind those that an earlier process left.
    ///
    /// # Errors
    /// When it cannot be made.
    pub fn open(private: &Folder) -> Result<Self, VaultError> {
        let folder = private.folder(TRAFFIC)?;
        let last = segments(&folder)?.last().copied().unwrap_or(0);
        let number = last + 1;
        let segment = folder.create(&name(number))?;
        let book = Book { segment, number, held: Vec::new(), batch: Arc::default() };
        Ok(Self { folder, book: Mutex::new(book) })
    }

    /// The folder of the segments.
    #[must_use]
    pub fn folder(&self) -> Folder {
        self.folder.clone()
    }

    /// Takes a piece that is written with the next one that cannot wait, or soon; gives what [`Traffic::written`] waits for.
    ///
    /// # Errors
    /// When what waits has become too much and cannot be written.
    pub fn write_soon(
        &self,
        hop: Hop,
        sequence: u64,
        name: &str,
        bytes: &[u8],
    ) -> Result<Arc<Batch>, VaultError> {
        let mut book = self.book();
        let batch = Arc::clone(&book.batch);
        entry(&mut book.held, hop, sequence, name, bytes);
        if book.held.len() > HELD { self.flush_into(&mut book).map(|()| batch) } else { Ok(batch) }
    }

    /// Waits until the kernel has all of some batches. Whoever has something to write in the same moment writes with us: one write
    /// for many exchanges.
    ///
    /// # Errors
    /// When it cannot be written: then it must not be served.
    pub async fn written(&self, batches: &[Arc<Batch>]) -> Result<(), VaultError> {
        task::give_way().await;
        let mut book = self.book();
        let mut all = Ok(());
        for batch in batches {
            let written = match batch.0.get() {
                Some(written) => written.clone(),
                // What nobody has written yet is what waits now.
                None => self.flush_into(&mut book),
            };
            all = all.and(written);
        }
        all
    }

    /// Writes what waits; gives the segment that is being written and how long it is.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn flush(&self) -> Result<(u64, u64), VaultError> {
        let mut book = self.book();
        self.flush_into(&mut book)?;
        Ok((book.number, book.segment.len()))
    }

    /// The segment that is being written.
    #[must_use]
    pub fn number(&self) -> u64 {
        self.book().number
    }

    fn flush_into(&self, book: &mut Book) -> Result<(), VaultError> {
        if book.held.is_empty() {
            return Ok(());
        }
        let written = self.next_segment(book).and_then(|()| book.segment.write(&book.held));
        // What cannot be written is refused to whoever asked; to keep it would only fill the memory.
        book.held.clear();
        // It is set here alone, under the lock, and once: the next entries get another one.
        let _first = std::mem::take(&mut book.batch).0.set(written.clone());
        written
    }

    /// Begins another segment where the present one is long enough.
    fn next_segment(&self, book: &mut Book) -> Result<(), VaultError> {
        if book.segment.len() > SEGMENT {
            book.segment = self.folder.create(&name(book.number + 1))?;
            book.number += 1;
        }
        Ok(())
    }

    fn book(&self) -> MutexGuard<'_, Book> {
        self.book.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn entry(out: &mut Vec<u8>, hop: Hop, sequence: u64, name: &str, bytes: &[u8]) {
    out.extend_from_slice(MARK);
    out.push(hop as u8);
    out.extend_from_slice(&sequence.to_le_bytes());
    out.extend_from_slice(&u16::try_from(name.len()).unwrap_or(u16::MAX).to_le_bytes());
    out.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_le_bytes());
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(bytes);
}

/// The name of a segment.
#[must_use]
pub fn name(number: u64) -> String {
    format!("{number:06}.log")
}

/// The numbers of all segments, in order.
///
/// # Errors
/// When the folder cannot be read.
pub fn segments(folder: &Folder) -> Result<Vec<u64>, VaultError> {
    let number = |name: &String| name.strip_suffix(".log")?.parse().ok();
    let mut numbers: Vec<u64> = folder.names()?.iter().filter_map(number).collect();
    numbers.sort_unstable();
    Ok(numbers)
}

/// One entry as it was read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry<'b> {
    /// What it holds.
    pub hop: Hop,
    /// The exchange.
    pub sequence: u64,
    /// The name of the exchange's files.
    pub name: &'b str,
    /// The bytes.
    pub bytes: &'b [u8],
}

/// Reads the entry at the front; none where it is not whole. Gives what stands behind it, too.
#[must_use]
pub fn read(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let head = bytes.get(..HEAD)?;
    if !head.starts_with(MARK) {
        return None;
    }
    let hop = Hop::of(head[4])?;
    let sequence = u64::from_le_bytes(head[5..13].try_into().ok()?);
    let names = usize::from(u16::from_le_bytes(head[13..15].try_into().ok()?));
    let length = u32::from_le_bytes(head[15..19].try_into().ok()?) as usize;
    let rest = &bytes[HEAD..];
    let (name, rest) = rest.split_at_checked(names)?;
    let (bytes, rest) = rest.split_at_checked(length)?;
    Some((Entry { hop, sequence, name: std::str::from_utf8(name).ok()?, bytes }, rest))
}

/// How long the entry at the front is; none where not even that is there.
#[must_use]
pub fn length(bytes: &[u8]) -> Option<usize> {
    let head = bytes.get(..HEAD).filter(|head| head.starts_with(MARK))?;
    let names = usize::from(u16::from_le_bytes(head[13..15].try_into().ok()?));
    let length = u32::from_le_bytes(head[15..19].try_into().ok()?) as usize;
    Some(HEAD + names + length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_handed_in_together_is_written_together_and_each_hears_of_it() {
        let scratch = rehearsal_world::files::Scratch::new().unwrap();
        let folder = Folder::own(scratch.path()).unwrap();
        let log = Traffic::open(&folder).unwrap();
        let length = || log.flush().unwrap().1;
        task::run_here(async {
            let first = log.write_soon(Hop::Request, 1, "0001-a", b"asked").unwrap();
            let second = log.write_soon(Hop::Request, 2, "0002-b", b"asked, too").unwrap();
            assert!(Arc::ptr_eq(&first, &second) && !first.is_written());
            log.written(&[second]).await.unwrap();
            assert!(first.is_written());
            let whole = (2 * (HEAD + 6) + 15) as u64;
            assert_eq!(length(), whole);
            // Nothing is written twice, whoever waits for it.
            log.written(&[first]).await.unwrap();
            assert_eq!(length(), whole);
            let third = log.write_soon(Hop::Done, 1, "0001-a", b"").unwrap();
            assert!(!third.is_written());
            log.written(&[third]).await.unwrap();
            assert_eq!(length(), whole + (HEAD + 6) as u64);
        })
        .unwrap();
    }

    #[test]
    fn entries_are_read_back_and_half_ones_are_none() {
        let mut log = Vec::new();
        entry(&mut log, Hop::Request, 7, "0007-a", b"asked");
        entry(&mut log, Hop::Done, 7, "0007-a", b"");
        let (first, rest) = read(&log).unwrap();
        assert_eq!(first, Entry { hop: Hop::Request, sequence: 7, name: "0007-a", bytes: b"asked" });
        let (second, rest) = read(rest).unwrap();
        assert_eq!((second.hop, second.bytes, rest), (Hop::Done, &b""[..], &b""[..]));
        let first_length = HEAD + 6 + 5;
        for cut in 0..first_length {
            assert_eq!(read(&log[..cut]), None, "{cut}");
        }
        assert_eq!(read(b"RHL2 and more than a whole head"), None);
    }
}
