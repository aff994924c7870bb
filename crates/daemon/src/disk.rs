//! Does in the world what the core wants: run folders, edits in private workspaces, telemetry. Everything by folder handle.

use crate::effect::{Blocked, Effect, Space};
use rehearsal_journal::digest;
use rehearsal_world::files;
use rehearsal_world::owned::{self, Cause, Entry, Held, Limits, Mode, OwnedError, Refusal, Tree};
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::BTreeSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

/// The daemon's folders.
#[derive(Clone, Debug)]
pub(crate) struct Disk {
    /// Where runs have their folders.
    pub(crate) runs: Option<Folder>,
    /// Where edits leave their records while they are under way.
    pub(crate) records: Folder,
    /// Folders that no workspace may have to do with.
    pub(crate) own: Vec<PathBuf>,
    /// Workspaces whose files are being changed.
    pub(crate) editing: Arc<Editing>,
}

/// The workspaces in which edits are under way, by the names of their records: never two in one, and none waits for another's.
#[derive(Debug, Default)]
pub(crate) struct Editing {
    names: Mutex<BTreeSet<String>>,
    left: Condvar,
}

/// The turn of one edit in a workspace, with the folder of its record; it ends when this goes.
struct Turn<'d> {
    disk: &'d Disk,
    name: String,
    record: Folder,
}

impl Editing {
    fn names(&self) -> MutexGuard<'_, BTreeSet<String>> {
        self.names.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else edits in this workspace.
    fn wait(&self, name: &str) {
        let mut names = self.names();
        while names.contains(name) {
            names = self.left.wait(names).unwrap_or_else(PoisonError::into_inner);
        }
        names.insert(name.to_owned());
    }

    fn leave(&self, name: &str) {
        self.names().remove(name);
        self.left.notify_all();
    }
}

impl<'d> Turn<'d> {
    fn wait(disk: &'d Disk, name: String) -> Result<Self, VaultError> {
        disk.editing.wait(&name);
        match disk.records.folder(&name) {
            Ok(record) => Ok(Self { disk, name, record }),
            Err(error) => {
                disk.editing.leave(&name);
                Err(error)
            }
        }
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        // A record that is done with is gone, and so its folder may go, too; one that is still needed keeps it.
        drop(self.disk.records.remove_folder(&self.name));
        self.disk.editing.leave(&self.name);
    }
}

impl Disk {
    /// Does it, all or nothing. Says whether edits were written. It waits for the disk.
    pub(crate) fn perform(&self, effect: &Effect) -> Result<bool, Blocked> {
        match effect {
            Effect::Begin { run, edits, attempt } => self.begin(run, edits.as_ref(), attempt.as_deref()),
            Effect::Edit { space, files } => {
                let Some((held, turn)) = self.take(space, files)? else { return Ok(false) };
                commit(held, &turn, files).map(|()| true)
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
        // Everything is looked at before anything is made.
        let taken = match edits {
            Some((space, files)) => self.take(space, files)?,
            None => None,
        };
        let folder = self.runs.as_ref().map(|runs| runs.new_folder(run)).transpose().map_err(disk)?;
        let mut edited = false;
        if let (Some((held, turn)), Some((_, files))) = (taken, edits.filter(|(_, files)| !files.is_empty()))
        {
            if let Err(blocked) = commit(held, &turn, files) {
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
    fn take(&self, space: &Space, edits: &[(String, String)]) -> Result<Option<(Held, Turn<'_>)>, Blocked> {
        let root = Path::new(&space.root);
        if !space.root.starts_with('/') || !files::is_folder(root) {
            return if space.lenient { Ok(None) } else { Err(Blocked::NoWorkspace) };
        }
        // Opened once, and all else by this handle: a link in its place that changes meanwhile leads nobody elsewhere.
        let tree = Tree::open(root, Limits::default()).map_err(|_| Blocked::NoWorkspace)?;
        self.is_private(space, tree.path())?;
        let turn = Turn::wait(self, record_name(&tree)).map_err(disk)?;
        tree.recover(&turn.record).map_err(|error| failed(&error.cause))?;
        let entries = edits.iter().map(|(path, _)| entry(&tree, path)).collect::<Result<Vec<_>, _>>();
        let held = entries.and_then(|entries| tree.take(&entries));
        let held = held.map_err(|error| refused(&error.path, &error.why.to_string()))?;
        Ok(Some((held, turn)))
    }

    fn is_private(&self, space: &Space, root: &Path) -> Result<(), Blocked> {
        let live = space.live.as_ref().map(Path::new).filter(|live| files::is_there(live));
        for other in live.into_iter().chain(self.own.iter().map(PathBuf::as_path)) {
            match owned::are_apart(root, other) {
                Ok(true) => {}
                Ok(false) | Err(_) => return Err(Blocked::NotPrivate),
            }
        }
        Ok(())
    }
}

fn commit(held: Held, turn: &Turn<'_>, edits: &[(String, String)]) -> Result<(), Blocked> {
    let changes: Vec<(&str, &[u8])> =
        edits.iter().map(|(path, text)| (path.as_str(), text.as_bytes())).collect();
    held.commit(&turn.record, &changes).map(|_| ()).map_err(|error| failed(&error.cause))
}

/// Why files of a workspace were not changed. What may be otherwise a moment later is no refusal.
fn failed(cause: &Cause) -> Blocked {
    match cause {
        Cause::Record(vault) => Blocked::Disk(vault.to_string()),
        Cause::Stale(owned) => refused(&owned.path, &owned.why.to_string()),
        Cause::Write { source, .. } if source.kind() == ErrorKind::WouldBlock => {
            Blocked::Disk(format!("the workspace is in use: {source}"))
        }
        Cause::Write { path, source } => refused(path, &source.to_string()),
        Cause::NotHeld(_)
        | Cause::Twice(_)
        | Cause::TooLarge { .. }
        | Cause::Unrecovered
        | Cause::NoRandom(_)
        | Cause::Unreadable(_) => refused(".", &cause.to_string()),
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
