//! Makes the files of exchanges from the log of traffic, in its order, and removes what of the log is no longer needed.

use crate::exchange::{READABLE, REQUEST, RESPONSE, SERVED, UPSTREAM_REQUEST};
use crate::traffic::{self, Entry, Hop};
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::BTreeMap;

/// Bytes of the log that are read at once; an entry that is longer is read whole.
const PIECE: usize = 128 * 1024;

/// How far the log is unpacked.
#[derive(Debug)]
pub struct Unpacker {
    traffic: Folder,
    exchanges: Folder,
    /// The segment at hand and how much of it is done.
    segment: u64,
    done: u64,
    /// Exchanges that have begun and not ended.
    open: BTreeMap<u64, Open>,
    /// The oldest segment that is still there.
    oldest: u64,
    /// What the journal should say of exchanges that ended.
    ended: Vec<Vec<u8>>,
}

/// What of an exchange was read so far.
#[derive(Debug, Default)]
struct Open {
    name: String,
    segment: u64,
    hops: BTreeMap<Hop, Vec<u8>>,
}

impl Unpacker {
    /// Begins with the oldest segment.
    ///
    /// # Errors
    /// When the folder cannot be read.
    pub fn new(traffic: Folder, exchanges: Folder) -> Result<Self, VaultError> {
        let oldest = traffic::segments(&traffic)?.first().copied().unwrap_or(1);
        Ok(Self {
            traffic,
            exchanges,
            segment: oldest,
            done: 0,
            open: BTreeMap::new(),
            oldest,
            ended: Vec::new(),
        })
    }

    /// The segment at hand.
    #[must_use]
    pub fn segment(&self) -> u64 {
        self.segment
    }

    /// Makes the files of at most `most` exchanges of what lies before a place in the log: a segment and its length. Says
    /// whether it came to that place.
    ///
    /// # Errors
    /// When a file cannot be read or written; the next call begins where this one failed.
    pub fn unpack(&mut self, until: (u64, u64), most: usize) -> Result<bool, VaultError> {
        let mut ended = 0;
        while ended < most {
            if (self.segment, self.done) >= until {
                return Ok(true);
            }
            let name = traffic::name(self.segment);
            if !self.traffic.holds(&name) {
                self.next_segment()?;
                continue;
            }
            let record = self.traffic.read_from(&name)?;
            let mut bytes = record.read_at(self.done, PIECE)?;
            if let Some(whole) = traffic::length(&bytes).filter(|length| *length > bytes.len()) {
                bytes = record.read_at(self.done, whole)?;
            }
            let mut rest = bytes.as_slice();
            while ended < most
                && let Some((entry, behind)) = traffic::read(rest)
            {
                ended += usize::from(self.take(&entry)?);
                self.done += (rest.len() - behind.len()) as u64;
                rest = behind;
            }
            if rest.len() == bytes.len() {
                // The end of the segment, or half an entry that a kill left behind.
                if self.segment >= until.0 {
                    return Ok(true);
                }
                self.next_segment()?;
            }
        }
        Ok(false)
    }

    /// Keeps what there is of exchanges that never ended: nobody writes on.
    ///
    /// # Errors
    /// When a file cannot be written.
    pub fn interrupt(&mut self) -> Result<(), VaultError> {
        while let Some((sequence, open)) = self.open.pop_first() {
            if let Err(error) = self.keep(&open, &[]) {
                self.open.insert(sequence, open);
                return Err(error);
            }
        }
        Ok(())
    }

    /// Removes all segments up to this one; they must be unpacked.
    ///
    /// # Errors
    /// When one cannot be removed.
    pub fn clear(&mut self, last: u64) -> Result<(), VaultError> {
        while self.oldest <= last {
            self.traffic.remove(&traffic::name(self.oldest))?;
            self.oldest += 1;
        }
        Ok(())
    }

    /// What the journal should say of the exchanges that ended since this was asked, as JSON.
    pub fn ended(&mut self) -> Vec<Vec<u8>> {
        std::mem::take(&mut self.ended)
    }

    /// Whether every exchange that began in what was read has ended.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.open.is_empty()
    }

    fn next_segment(&mut self) -> Result<(), VaultError> {
        self.segment += 1;
        self.done = 0;
        let needed = self.open.values().map(|open| open.segment).min().unwrap_or(self.segment);
        while self.oldest < needed.min(self.segment) {
            self.traffic.remove(&traffic::name(self.oldest))?;
            self.oldest += 1;
        }
        Ok(())
    }

    /// Takes an entry; says whether it ended its exchange.
    fn take(&mut self, entry: &Entry<'_>) -> Result<bool, VaultError> {
        match entry.hop {
            Hop::Request | Hop::UpstreamRequest | Hop::Response | Hop::Served | Hop::Readable => {
                let segment = self.segment;
                let open = self.open.entry(entry.sequence).or_default();
                if open.name.is_empty() {
                    entry.name.clone_into(&mut open.name);
                    open.segment = segment;
                }
                open.hops.entry(entry.hop).or_default().extend_from_slice(entry.bytes);
                Ok(false)
            }
            Hop::Done | Hop::GivenUp => {
                let Some(mut open) = self.open.remove(&entry.sequence) else { return Ok(false) };
                if entry.hop == Hop::GivenUp {
                    open.hops.retain(|hop, _| *hop == Hop::Request);
                }
                let readable = open.hops.remove(&Hop::Readable).unwrap_or_default();
                if let Err(error) = self.keep(&open, &readable) {
                    open.hops.insert(Hop::Readable, readable);
                    self.open.insert(entry.sequence, open);
                    return Err(error);
                }
                if entry.hop == Hop::Done {
                    self.ended.push(entry.bytes.to_vec());
                }
                Ok(true)
            }
        }
    }

    /// Writes the files that are not there yet. The readable one comes last: where it is, the others are whole.
    fn keep(&self, open: &Open, readable: &[u8]) -> Result<(), VaultError> {
        let name = |ending: &str| format!("{}.{ending}", open.name);
        if self.exchanges.holds(&name(READABLE)) {
            return Ok(());
        }
        for (hop, bytes) in &open.hops {
            let ending = match hop {
                Hop::Request => REQUEST,
                Hop::UpstreamRequest => UPSTREAM_REQUEST,
                Hop::Response => RESPONSE,
                Hop::Served => SERVED,
                Hop::Readable | Hop::GivenUp | Hop::Done => continue,
            };
            // One that is there went on by itself, as long bodies do, or was made by a process that was killed then.
            if !self.exchanges.holds(&name(ending)) {
                self.exchanges.replace(&name(ending), bytes, false)?;
            }
        }
        if !readable.is_empty() {
            self.exchanges.replace(&name(READABLE), readable, false)?;
        }
        Ok(())
    }
}
