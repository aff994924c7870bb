//! Uploads: announced, filled, checked against what was announced.

use rehearsal_journal::daemon::Sum;
use std::collections::BTreeMap;

/// Most bytes of all uploads together.
const MOST_BYTES: u64 = 256 << 20;
/// Most uploads.
const MOST: usize = 1000;

/// How an upload stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Stand {
    /// Bytes are waited for.
    Open,
    /// It has all of them, and they are what was announced.
    Finalized,
}

/// One upload.
#[derive(Clone, Debug)]
pub(crate) struct Upload {
    /// How many bytes were announced.
    pub(crate) bytes: u64,
    /// The digest that was announced, hexadecimal.
    pub(crate) sha256: Option<String>,
    /// What came.
    pub(crate) got: Option<Sum>,
    pub(crate) stand: Stand,
}

/// Why something cannot be done with an upload.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Refused {
    /// There is no such upload.
    Unknown,
    /// It is finalized already.
    Closed,
    /// There is no room for more.
    Full,
    /// Fewer or more bytes came than were announced: so many.
    Length(u64),
    /// The bytes are others than announced.
    Digest,
}

/// All uploads by id. Their bytes are looked at and not kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Uploads(BTreeMap<String, Upload>);

impl Uploads {
    pub(crate) fn get(&self, id: &str) -> Option<&Upload> {
        self.0.get(id)
    }

    /// Announces one.
    pub(crate) fn open(&mut self, id: String, bytes: u64, sha256: Option<String>) -> Result<(), Refused> {
        let all: u64 = self.0.values().map(|upload| upload.bytes).sum();
        if self.0.len() >= MOST || all.saturating_add(bytes) > MOST_BYTES {
            return Err(Refused::Full);
        }
        self.0.insert(id, Upload { bytes, sha256, got: None, stand: Stand::Open });
        Ok(())
    }

    /// Takes its bytes, in the place of what came before.
    pub(crate) fn fill(&mut self, id: &str, bytes: &[u8]) -> Result<(), Refused> {
        let upload = self.0.get_mut(id).ok_or(Refused::Unknown)?;
        if upload.stand == Stand::Finalized {
            return Err(Refused::Closed);
        }
        if bytes.len() as u64 != upload.bytes {
            return Err(Refused::Length(bytes.len() as u64));
        }
        upload.got = Some(Sum::of(bytes));
        Ok(())
    }

    /// Ends it, if it is what was announced. Once more is fine.
    pub(crate) fn finalize(&mut self, id: &str) -> Result<(), Refused> {
        let upload = self.0.get_mut(id).ok_or(Refused::Unknown)?;
        let Some(got) = &upload.got else { return Err(Refused::Length(0)) };
        if upload.sha256.as_ref().is_some_and(|sha256| !sha256.eq_ignore_ascii_case(&got.sha256)) {
            return Err(Refused::Digest);
        }
        upload.stand = Stand::Finalized;
        Ok(())
    }

    /// Forgets one; false where there is none.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        self.0.remove(id).is_some()
    }
}
