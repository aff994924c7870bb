//! Whether the files of a record are what its journal says of them.

use super::{CassetteError, Raw, has_log};
use crate::exchange::{READABLE, REQUEST, RESPONSE, SERVED};
use crate::outline::hop;
use crate::records::{EXCHANGES, PRIVATE, number};
use rehearsal_journal::bridge::{Done, Fact};
use rehearsal_world::files;
use rehearsal_world::vault::Folder;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// What says what should be there.
const BY: &str = "the journal";

/// Whether a folder is the private part of a record, so that the files in it can be checked.
#[must_use]
pub fn is_private(folder: &Path) -> bool {
    folder.file_name().is_some_and(|name| name == PRIVATE) && files::is_folder(&folder.join(EXCHANGES))
}

/// What was checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checked {
    /// How many exchanges.
    pub exchanges: usize,
    /// How many more have no files yet: their bytes are in the log of a recorder.
    pub logged: usize,
}

/// Checks the files of all exchanges in the private part of a record against the facts of its journal.
///
/// # Errors
/// The first file that was changed, is gone or was put there.
pub fn files_of<'f>(private: &Path, facts: impl Iterator<Item = &'f Fact>) -> Result<Checked, CassetteError> {
    let folder = Folder::look_into(&private.join(EXCHANGES))?;
    let (mut ended, mut interrupted) = (BTreeMap::new(), BTreeSet::new());
    for fact in facts {
        match fact {
            Fact::Done(done) => {
                if let Some(name) = &done.files {
                    ended.insert(name.as_str(), done);
                }
            }
            Fact::Interrupted { sequence, .. } => drop(interrupted.insert(number(*sequence))),
            Fact::Began { .. }
            | Fact::Armed { .. }
            | Fact::Disarmed { .. }
            | Fact::Reserved { .. }
            | Fact::Sent { .. }
            | Fact::Headed { .. } => {}
        }
    }
    let mut checked = Checked::default();
    let has_log = has_log(private);
    for (name, done) in &ended {
        if has_log && done.readable.is_some() && !folder.holds(&format!("{name}.{READABLE}")) {
            checked.logged += 1;
            continue;
        }
        exchange(&folder, name, done)?;
        checked.exchanges += 1;
    }
    // A number ends in its dash.
    let is_interrupted = |stem: &str| stem.find('-').is_some_and(|dash| interrupted.contains(&stem[..=dash]));
    for name in folder.names()? {
        let Some((stem, _)) = name.rsplit_once('.').filter(|(_, ending)| *ending == READABLE) else {
            continue;
        };
        let known = ended.contains_key(stem) || is_interrupted(stem);
        if !known {
            let path = folder.path().join(name);
            return Err(CassetteError::Changed { path, by: format!("{BY} (none of this name)") });
        }
    }
    Ok(checked)
}

fn exchange(folder: &Folder, name: &str, done: &Done) -> Result<(), CassetteError> {
    let raw = Raw { folder, name, by: BY };
    raw.is(REQUEST, &done.request)?;
    raw.is_forwarded(&done.request, done.upstream_request.as_ref())?;
    match &done.upstream_response {
        Some(hop) => raw.is(RESPONSE, hop)?,
        None if folder.holds(&raw.file(RESPONSE)) => raw.is(RESPONSE, &hop(b""))?,
        None => {}
    }
    if let Some(readable) = &done.readable {
        raw.is_readable(readable)?;
    }
    if folder.holds(&raw.file(SERVED)) || (done.readable.is_some() && raw.said()?.served.file) {
        raw.is(SERVED, &done.served)?;
    }
    Ok(())
}
