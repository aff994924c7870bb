//! Notices that files of a suite changed. It looks again and again: the file systems of containers and shared folders tell
//! nobody of changes.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use super::files_below;
use crate::task::after;

/// Time between two looks.
const PAUSE: Duration = Duration::from_millis(300);

/// Each file's length and time of change, where they can be told.
type Look = BTreeMap<PathBuf, Option<(u64, SystemTime)>>;

/// Files that are watched.
#[derive(Debug)]
pub struct Watch {
    paths: Vec<PathBuf>,
    settling: Settling,
}

/// Watches the files at and below some paths, as [`files_below`] lists them. What changes from this call on is noticed, so
/// call it before the files are read.
#[must_use]
pub fn watch(paths: &[PathBuf]) -> Watch {
    Watch { paths: paths.to_vec(), settling: Settling { known: look(paths), last: None } }
}

impl Watch {
    /// Resolves once something differs from what the last call, or [`watch`], saw, and has then stayed as it is for 0.3
    /// seconds: a file that is being written is left in peace.
    pub async fn changed(&mut self) {
        loop {
            after(PAUSE).await;
            let paths = self.paths.clone();
            // A thousand files on a slow disk must hold up nobody. A look that fails is as good as none.
            let Ok(seen) = tokio::task::spawn_blocking(move || look(&paths)).await else { continue };
            if self.settling.has_changed(seen) {
                return;
            }
        }
    }
}

fn look(paths: &[PathBuf]) -> Look {
    // A path that leads nowhere for now stands for itself: its coming back is a change.
    let below = |path: &PathBuf| files_below(path).unwrap_or_else(|_| vec![path.clone()]);
    paths
        .iter()
        .flat_map(below)
        .map(|file| {
            let facts = facts(&file);
            (file, facts)
        })
        .collect()
}

fn facts(file: &Path) -> Option<(u64, SystemTime)> {
    let metadata = std::fs::metadata(file).ok()?;
    Some((metadata.len(), metadata.modified().ok()?))
}

/// Decides when a change is over.
#[derive(Debug)]
struct Settling {
    known: Look,
    /// What was seen last, where it differs from what is known.
    last: Option<Look>,
}

impl Settling {
    /// Whether what is seen is new and was so before.
    fn has_changed(&mut self, seen: Look) -> bool {
        if seen == self.known {
            self.last = None;
            return false;
        }
        if self.last.as_ref() != Some(&seen) {
            self.last = Some(seen);
            return false;
        }
        self.known = seen;
        self.last = None;
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_told_once_and_only_when_it_has_settled() {
        let seen =
            |length: u64| Look::from([(PathBuf::from("a.yaml"), Some((length, SystemTime::UNIX_EPOCH)))]);
        let gone = || Look::from([(PathBuf::from("a.yaml"), None)]);
        let mut settling = Settling { known: seen(1), last: None };
        for (step, (look, changed)) in [
            (seen(1), false),
            // Still growing, then stable, then old news.
            (seen(2), false),
            (seen(3), false),
            (seen(3), true),
            (seen(3), false),
            // A change that is taken back is none.
            (seen(4), false),
            (seen(3), false),
            (seen(4), false),
            (seen(4), true),
            // Gone, as while an editor replaces it, and for good.
            (gone(), false),
            (seen(4), false),
            (gone(), false),
            (gone(), true),
        ]
        .into_iter()
        .enumerate()
        {
            assert_eq!(settling.has_changed(look), changed, "step {step}");
        }
    }
}
