//! A tree with files in it, a folder of records, and something outside.

use crate::scratch::Scratch;
use rehearsal_world::owned::{Entry, Held, Limits, Mode, OwnedError, Tree};
use rehearsal_world::vault;
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Stand {
    path: PathBuf,
    /// Removes the folder at its end, where it is not in memory.
    scratch: Option<Scratch>,
}

impl Stand {
    pub(crate) fn new(name: &str) -> Self {
        let scratch = Scratch::new(&format!("owned-{name}"));
        Self::fill(Self { path: scratch.path().to_owned(), scratch: Some(scratch) })
    }

    /// In memory where the system has a folder for that: waiting for a disk is not what some tests are about.
    pub(crate) fn in_memory(name: &str) -> Self {
        let path = Path::new("/dev/shm").join(format!("rehearsal-owned-{name}-{}", std::process::id()));
        match fs::create_dir(&path) {
            Ok(()) => Self::fill(Self { path, scratch: None }),
            Err(_) => Self::new(name),
        }
    }

    fn fill(stand: Self) -> Self {
        fs::create_dir_all(stand.path.join("tree/sub")).unwrap();
        fs::create_dir_all(stand.path.join("outside")).unwrap();
        fs::write(stand.outside(), "secret").unwrap();
        stand.write("a", "old a");
        stand.write("sub/b", "old b");
        stand
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn at(&self, below: &str) -> PathBuf {
        self.path().join("tree").join(below)
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.path().join("outside/secret")
    }

    pub(crate) fn write(&self, below: &str, content: &str) {
        fs::write(self.at(below), content).unwrap();
    }

    pub(crate) fn read(&self, below: &str) -> String {
        fs::read_to_string(self.at(below)).unwrap()
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::open(&self.at(""), Limits::default()).unwrap()
    }

    pub(crate) fn records(&self) -> vault::Folder {
        own(&self.path().join("records"))
    }

    pub(crate) fn take(&self, entries: &[(&str, Mode)]) -> Result<Held, OwnedError> {
        take(&self.tree(), entries)
    }

    /// The names in a folder of the tree, in order.
    pub(crate) fn names(&self, below: &str) -> Vec<String> {
        let mut names: Vec<_> = fs::read_dir(self.at(below))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        if self.scratch.is_none() {
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

/// Owns a folder of records. Between fork and exec of a process that another test starts, that process holds the lock, too.
pub(crate) fn own(path: &Path) -> vault::Folder {
    let mut tries = 0;
    loop {
        match vault::Folder::own(path) {
            Err(vault::VaultError::InUse(_)) if tries < 1_000_000 => std::thread::yield_now(),
            owned => return owned.unwrap(),
        }
        tries += 1;
    }
}

pub(crate) fn take(tree: &Tree, entries: &[(&str, Mode)]) -> Result<Held, OwnedError> {
    let entries: Vec<_> =
        entries.iter().map(|(path, mode)| Entry { path: (*path).to_owned(), mode: *mode }).collect();
    tree.take(&entries)
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
