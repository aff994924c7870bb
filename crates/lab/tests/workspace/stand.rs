//! A workspace with something outside of it, and what a stop of it says.

use rehearsal_lab::workspace::{Policy, Workspace};
use rehearsal_lab::{Fact, Refusal, Stop};
use std::fs;
use std::path::{Path, PathBuf};

pub(crate) struct Stand(PathBuf);

impl Stand {
    /// In memory where the system has a folder for that: waiting for a disk is not what these tests are about.
    pub(crate) fn new(name: &str) -> Self {
        let name = format!("rehearsal-workspace-{name}-{}", std::process::id());
        let memory = Path::new("/dev/shm").join(&name);
        let path = match fs::create_dir(&memory) {
            Ok(()) => memory,
            Err(_) => Path::new(env!("CARGO_TARGET_TMPDIR")).join(&name),
        };
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(path.join("workspace")).unwrap();
        fs::create_dir_all(path.join("workspace-evil")).unwrap();
        fs::create_dir_all(path.join("outside/deep")).unwrap();
        fs::write(path.join("outside/secret"), "secret").unwrap();
        Self(path)
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn at(&self, below: &str) -> PathBuf {
        self.0.join("workspace").join(below)
    }

    pub(crate) fn outside(&self) -> PathBuf {
        self.0.join("outside")
    }

    pub(crate) fn open(&self) -> Workspace {
        self.open_with(Policy::default())
    }

    pub(crate) fn open_with(&self, policy: Policy) -> Workspace {
        Workspace::open(&self.at(""), policy).unwrap()
    }

    /// Everything but the workspace is as it was made: no file more, none less, none changed.
    pub(crate) fn assert_untouched(&self, after: &str) {
        assert_eq!(names(&self.0), ["outside", "workspace", "workspace-evil"], "{after}");
        assert_eq!(names(&self.outside()), ["deep", "secret"], "{after}");
        assert_eq!(names(&self.outside().join("deep")), [""; 0], "{after}");
        assert_eq!(names(&self.0.join("workspace-evil")), [""; 0], "{after}");
        assert_eq!(fs::read_to_string(self.outside().join("secret")).unwrap(), "secret", "{after}");
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<_> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

pub(crate) fn refused<T>(result: Result<T, Stop>) -> Refusal {
    match result {
        Err(Stop::Refused(refusal)) => refusal,
        Err(stop) => panic!("no refusal: {stop:?}"),
        Ok(_) => panic!("it was done"),
    }
}

pub(crate) fn failed<T>(result: Result<T, Stop>) -> String {
    match result {
        Err(Stop::Failed(why)) => why,
        Err(stop) => panic!("no failure of the world: {stop:?}"),
        Ok(_) => panic!("it was done"),
    }
}

/// The code of a refusal, or `done`.
pub(crate) fn code<T>(result: Result<T, Stop>) -> &'static str {
    if result.is_ok() { "done" } else { refused(result).code.word() }
}

pub(crate) fn text<'f>(fact: &'f Fact, field: &str) -> &'f str {
    fact.observed()[field].as_str().unwrap()
}

pub(crate) fn is_root() -> bool {
    rustix::process::geteuid().is_root()
}
