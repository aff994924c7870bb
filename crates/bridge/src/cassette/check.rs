//! Whether the files of a record are what its journal says of them.

use super::{CassetteError, Raw};
use crate::exchange::{READABLE, REQUEST, RESPONSE, SERVED};
use crate::records::{EXCHANGES, PRIVATE, number};
use crate::serve::hop;
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

/// Checks the files of all exchanges in the private part of a record against the facts of its journal; says how many exchanges those are.
///
/// # Errors
/// The first file that was changed, is gone or was put there.
pub fn files_of<'f>(private: &Path, facts: impl Iterator<Item = &'f Fact>) -> Result<usize, CassetteError> {
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
    for (name, done) in &ended {
        exchange(&folder, name, done)?;
    }
    for name in folder.names()? {
        let Some((stem, _)) = name.rsplit_once('.').filter(|(_, ending)| *ending == READABLE) else {
            continue;
        };
        let known = ended.contains_key(stem) || interrupted.iter().any(|number| stem.starts_with(number));
        if !known {
            let path = folder.path().join(name);
            return Err(CassetteError::Changed { path, by: format!("{BY} (none of this name)") });
        }
    }
    Ok(ended.len())
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
