//! Runs commands on a clean copy of the tree with an answer in it. Joins the proof to the world.

use super::Bench;
use super::verification::{Look, Sort};
use crate::endpoint::mask::Mask;
use crate::worker::format::Change;
use crate::worker::ownership::{Mode, Protection, Set};
use rehearsal_world::files::{Scratch, private_folders};
use rehearsal_world::owned::{self, Bounds, Clean, Copied, Entry, LeftOut, Original, Tree, copy_clean};
use rehearsal_world::process::{self, Launch, Ran, shell};
use rehearsal_world::task;
use rehearsal_world::vault::Folder;
use std::sync::Arc;
use std::time::Duration;

/// Most files and bytes of a copy.
const FILES: usize = 200_000;
const BYTES: u64 = 2 << 30;
/// Bytes kept of each output of a command.
const KEEP: usize = 8 << 20;
/// Bytes of the beginning and of the end of an output that are shown.
const HEAD: usize = 2 << 10;
const TAIL: usize = 6 << 10;
/// Most paths that a copy lacks that are told.
const LACKED: usize = 20;
/// Time between being asked to end and being killed.
const GRACE: Duration = Duration::from_millis(500);

/// What copies are made of: the tree, and its protected files as they were before anything was asked.
#[derive(Clone, Debug)]
pub struct Base(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    tree: Tree,
    originals: Vec<Original>,
    protection: Protection,
    bench: Bench,
}

impl Base {
    /// Reads the protected files of a tree.
    ///
    /// # Errors
    /// A sentence where they cannot be read, or are too many.
    pub async fn read(tree: &Tree, protection: &Protection, bench: &Bench) -> Result<Self, String> {
        let tree = tree.again().map_err(|error| format!("the tree cannot be opened again: {error}"))?;
        let (protection, bench) = (protection.clone(), bench.clone());
        task::aside(async move {
            let wanted = |path: &str| protection.covers(path);
            let skipped = |path: &str| bench.leaves_out(path) || is_git(path);
            let kept = tree.keep(&wanted, &skipped, Bounds::default());
            let originals = kept.map_err(|error| format!("the tests cannot be kept as they are: {error}"))?;
            Ok(Self(Arc::new(Inner { tree, originals, protection, bench })))
        })
        .await
    }

    /// Longest time for one command.
    #[must_use]
    pub fn time_limit(&self) -> Duration {
        self.0.bench.time_limit
    }

    /// Runs commands, one after the other, in one copy, with an answer in it or as the tree is, until one is not green.
    pub async fn looks(
        &self,
        answer: Option<(&Set, &[Change])>,
        commands: &[(Sort, &str)],
        mask: &Mask,
    ) -> Vec<Look> {
        let failed =
            |sort, trouble: String| Look { trouble: Some(mask.hide(&trouble)), ..Look::nothing(sort) };
        let Some((first, _)) = commands.first() else { return Vec::new() };
        let copy = match self.copy(answer).await {
            Ok(copy) => copy,
            Err(trouble) => return vec![failed(*first, trouble)],
        };
        let mut looks = Vec::with_capacity(commands.len());
        for (sort, command) in commands {
            let look = match process::run(&copy.launch(command, &self.0.bench)).await {
                Ok(ran) => self.seen(*sort, &ran, &copy, mask),
                Err(error) => failed(*sort, error.to_string()),
            };
            let is_green = look.is_green();
            looks.push(look);
            if !is_green {
                break;
            }
        }
        looks
    }

    async fn copy(&self, answer: Option<(&Set, &[Change])>) -> Result<Copy, String> {
        let inner = Arc::clone(&self.0);
        let (owned, changes) = answer.map_or((&[][..], &[][..]), |(owns, changes)| (owns.entries(), changes));
        let entries: Vec<Entry> = owned
            .iter()
            .filter(|entry| changes.iter().any(|change| change.path == entry.name.as_str()))
            .map(|entry| Entry { path: entry.name.as_str().to_owned(), mode: held_as(entry.mode) })
            .collect();
        let changes = changes.to_vec();
        task::aside(async move { Copy::make(&inner, &entries, &changes) }).await
    }

    fn seen(&self, sort: Sort, ran: &Ran, copy: &Copy, mask: &Mask) -> Look {
        let mut changed: Vec<String> =
            copy.tree.changed(&self.0.originals).into_iter().map(str::to_owned).collect();
        // Whoever writes here by its full path changes what the next look begins with.
        changed.extend(
            self.0
                .tree
                .changed(&self.0.originals)
                .into_iter()
                .map(|path| format!("{path} of the tree itself")),
        );
        let parts = [&ran.stdout, &ran.stderr].map(|output| match output.bytes - output.kept.len() as u64 {
            0 => output.text(),
            lost => format!("{}\n… {lost} bytes more were not kept", output.text()),
        });
        let text = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join("\n");
        let here = copy.scratch.path().join("tree").display().to_string();
        Look {
            sort,
            status: ran.status,
            signal: ran.signal,
            timed_out: ran.timed_out,
            took: ran.ran,
            strays: ran.strays,
            changed,
            lacked: copy.lacked.clone(),
            output: bounded(&mask.hide(&text.replace(&here, "."))),
            trouble: None,
        }
    }
}

/// How a file of a set is taken from a tree.
pub(in crate::worker) fn held_as(mode: Mode) -> owned::Mode {
    match mode {
        Mode::Edit => owned::Mode::Edit,
        Mode::Create => owned::Mode::Create,
    }
}

fn is_git(path: &str) -> bool {
    path.rsplit('/').next().is_some_and(|name| name.eq_ignore_ascii_case(".git"))
}

/// One copy; it goes when this is dropped.
#[derive(Debug)]
struct Copy {
    scratch: Scratch,
    tree: Tree,
    lacked: Vec<String>,
}

impl Copy {
    fn make(inner: &Inner, entries: &[Entry], changes: &[Change]) -> Result<Self, String> {
        let scratch = Scratch::new().map_err(|error| format!("there is no place for a copy: {error}"))?;
        let at = scratch.path().join("tree");
        for folder in [at.clone(), scratch.path().join("home"), scratch.path().join("tmp")] {
            private_folders(&folder).map_err(|error| format!("there is no place for a copy: {error}"))?;
        }
        let protected = |path: &str| inner.protection.covers(path);
        let without = |path: &str| inner.bench.leaves_out(path);
        let clean = Clean {
            originals: &inner.originals,
            protected: &protected,
            without: &without,
            without_git: true,
            files: FILES,
            bytes: BYTES,
        };
        let copied = copy_clean(&inner.tree, &at, &clean)
            .map_err(|error| format!("the tree cannot be copied: {error}"))?;
        let tree = Tree::open(&at, owned::Limits::default()).map_err(|error| error.to_string())?;
        if !changes.is_empty() {
            let record = Folder::own(&scratch.path().join("record")).map_err(|error| error.to_string())?;
            let held = tree.take(entries).map_err(|error| format!("in the copy: {error}"))?;
            let changes: Vec<(&str, &[u8])> =
                changes.iter().map(|change| (change.path.as_str(), change.contents.as_bytes())).collect();
            held.commit(&record, &changes).map_err(|error| format!("in the copy: {error}"))?;
        }
        Ok(Self { scratch, tree, lacked: lacked(&copied) })
    }

    fn launch(&self, command: &str, bench: &Bench) -> Launch {
        let place = |name: &str| self.scratch.path().join(name);
        let mut env = bench.env.clone();
        // What a caller sets for these is wanted: toolchains keep themselves in a home.
        for (name, folder) in [("HOME", "home"), ("TMPDIR", "tmp")] {
            if !env.iter().any(|(known, _)| known == name) {
                env.push((name.into(), place(folder).into_os_string()));
            }
        }
        Launch {
            argv: shell(command, &bench.caps),
            env,
            folder: place("tree"),
            stdin: None,
            time_limit: bench.time_limit,
            grace: GRACE,
            keep: KEEP,
        }
    }
}

/// What a copy lacks that a test may miss.
fn lacked(copied: &Copied) -> Vec<String> {
    let missed = copied.left_out.iter().filter_map(|(path, why)| {
        let why = match why {
            LeftOut::Git | LeftOut::Unwanted | LeftOut::Protected | LeftOut::Replaced => return None,
            LeftOut::LeadsOut => "a link that leads out of the tree",
            LeftOut::NotRegular => "a pipe, a socket or a device",
            LeftOut::BadName => "its name is no text",
            LeftOut::Changed => "it changed meanwhile",
        };
        Some(format!("{path}: {why}"))
    });
    missed.take(LACKED).collect()
}

/// The beginning and the end of a text.
fn bounded(text: &str) -> String {
    if text.len() <= HEAD + TAIL {
        return text.to_owned();
    }
    let boundary = |at: usize| (0..=at).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    let (head, tail) = (boundary(HEAD), boundary(text.len() - TAIL));
    format!("{}\n… {} bytes …\n{}", &text[..head], tail - head, &text[tail..])
}

#[cfg(test)]
mod tests {
    use super::bounded;

    #[test]
    fn a_long_output_keeps_its_beginning_and_its_end() {
        let text = format!("begin{}end", "ä".repeat(9000));
        let short = bounded(&text);
        assert!(
            short.starts_with("begin") && short.ends_with("end") && short.len() < 9000,
            "{}",
            short.len()
        );
        assert_eq!(bounded("all"), "all");
    }
}
