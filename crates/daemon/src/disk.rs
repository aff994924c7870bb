//! Does in the world what the core wants: run folders, edits in private workspaces, telemetry. Everything by folder handle.

use crate::effect::{Blocked, Effect, Space};
use rehearsal_journal::digest;
use rehearsal_world::files;
use rehearsal_world::owned::{self, Cause, Entry, Held, Limits, Mode, OwnedError, Refusal, Tree};
use rehearsal_world::vault::{Folder, VaultError};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

/// The daemon's folders.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// Where runs have their folders.
    pub(crate) runs: Option<Folder>,
    /// Where edits leave their records while they are under way.
    pub(crate) records: Folder,
    /// Folders that no workspace may have to do with.
    pub(crate) own: Vec<PathBuf>,
    /// Held while files of a workspace change: two edits of one are never under way at once.
    pub(crate) editing: Arc<Mutex<()>>,
}

impl Disk {
    /// Does it, all or nothing. Says whether edits were written. It waits for the disk.
    pub(crate) fn perform(&self, effect: &Effect) -> Result<bool, Blocked> {
        match effect {
            Effect::Begin { run, edits, attempt } => self.begin(run, edits.as_ref(), attempt.as_deref()),
            Effect::Edit { space, files } => {
                let _editing = self.editing.lock().unwrap_or_else(PoisonError::into_inner);
                let Some(held) = self.take(space, files)? else { return Ok(false) };
                self.commit(space, held, files).map(|()| true)
            }
            Effect::Telemetry { run, text } => self.telemetry(run, text).map(|()| false),
        }
    }

    fn begin(
        &self,
        run: &str,
        edits: Option<&(Space, Vec<(String, String)>)>,
        attempt: Option<&str>,
    ) -> Result<bool, Blocked> {
        let _editing = edits.map(|_| self.editing.lock().unwrap_or_else(PoisonError::into_inner));
        // Everything is looked at before anything is made.
        let held = match edits {
            Some((space, files)) => self.take(space, files)?,
            None => None,
        };
        let folder = self.runs.as_ref().map(|runs| runs.new_folder(run)).transpose().map_err(disk)?;
        let mut edited = false;
        if let (Some(held), Some((space, files))) = (held, edits.filter(|(_, files)| !files.is_empty())) {
            if let Err(blocked) = self.commit(space, held, files) {
                if let Some(runs) = &self.runs {
                    drop(runs.remove_folder(run));
                }
                return Err(blocked);
            }
            edited = true;
        }
        if let (Some(folder), Some(text)) = (folder, attempt) {
            let attempts = folder.folder("attempts").and_then(|attempts| attempts.folder("a01"));
            attempts
                .and_then(|attempt| attempt.replace("attempt.yaml", text.as_bytes(), false))
                .map_err(disk)?;
        }
        Ok(edited)
    }

    fn telemetry(&self, run: &str, text: &str) -> Result<(), Blocked> {
        let Some(runs) = &self.runs else { return Ok(()) };
        let folder = runs.folder(run).and_then(|run| run.folder("final")).map_err(disk)?;
        folder.replace("telemetry.yaml", text.as_bytes(), false).map_err(disk)
    }

    /// Opens the files of a workspace that edits will change. None where there is no workspace and none is fine.
    fn take(&self, space: &Space, edits: &[(String, String)]) -> Result<Option<Held>, Blocked> {
        let root = Path::new(&space.root);
        if !space.root.starts_with('/') || !files::is_folder(root) {
            return if space.lenient { Ok(None) } else { Err(Blocked::NoWorkspace) };
        }
        self.is_private(space)?;
        let tree = Tree::open(root, Limits::default()).map_err(|_| Blocked::NoWorkspace)?;
        let record = self.record(&tree)?;
        tree.recover(&record).map_err(|error| refused("", &error.to_string()))?;
        let entries = edits.iter().map(|(path, _)| entry(&tree, path)).collect::<Result<Vec<_>, _>>();
        let held = entries.and_then(|entries| tree.take(&entries));
        held.map(Some).map_err(|error| refused(&error.path, &error.why.to_string()))
    }

    fn is_private(&self, space: &Space) -> Result<(), Blocked> {
        let root = Path::new(&space.root);
        let live = space.live.as_ref().map(Path::new).filter(|live| files::is_there(live));
        for other in live.into_iter().chain(self.own.iter().map(PathBuf::as_path)) {
            match owned::are_apart(root, other) {
                Ok(true) => {}
                Ok(false) | Err(_) => return Err(Blocked::NotPrivate),
            }
        }
        Ok(())
    }

    fn commit(&self, space: &Space, held: Held, edits: &[(String, String)]) -> Result<(), Blocked> {
        let tree = Tree::open(Path::new(&space.root), Limits::default()).map_err(|_| Blocked::NoWorkspace)?;
        let record = self.record(&tree)?;
        let changes: Vec<(&str, &[u8])> =
            edits.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
        match held.commit(&record, &changes) {
            Ok(_) => {
                // Its record is gone, and so its folder may go, too.
                drop(self.records.remove_folder(&record_name(&tree)));
                Ok(())
            }
            Err(error) => match &error.cause {
                Cause::Record(vault) => Err(Blocked::Disk(vault.to_string())),
                Cause::Stale(owned) => Err(refused(&owned.path, &owned.why.to_string())),
                Cause::NotHeld(_)
                | Cause::Twice(_)
                | Cause::TooLarge { .. }
                | Cause::Unrecovered
                | Cause::NoRandom(_)
                | Cause::Write { .. }
                | Cause::Unreadable(_) => Err(refused("", &error.cause.to_string())),
            },
        }
    }

    /// The folder of the record of edits in a workspace: one for each, so that two at once there are seen.
    fn record(&self, tree: &Tree) -> Result<Folder, Blocked> {
        self.records.folder(&record_name(tree)).map_err(disk)
    }
}

fn record_name(tree: &Tree) -> String {
    let sum = digest::text(&digest::of(tree.path().as_os_str().as_encoded_bytes()));
    sum.chars().take(32).collect()
}

/// A file that is there is edited, another one is made.
fn entry(tree: &Tree, path: &str) -> Result<Entry, OwnedError> {
    let as_it_is = Entry { path: path.to_owned(), mode: Mode::Edit };
    match tree.take(std::slice::from_ref(&as_it_is)) {
        Ok(_) => Ok(as_it_is),
        Err(OwnedError { why: Refusal::Missing, .. }) => Ok(Entry { mode: Mode::Create, ..as_it_is }),
        Err(error) => Err(error),
    }
}

fn refused(path: &str, why: &str) -> Blocked {
    Blocked::Refused { path: path.to_owned(), why: why.to_owned() }
}

#[expect(clippy::needless_pass_by_value, reason = "it stands where errors are mapped")]
fn disk(error: VaultError) -> Blocked {
    Blocked::Disk(error.to_string())
}
