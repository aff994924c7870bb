//! `rehearsal merge OUT RUN…`: the runs of a suite's shards as one run.

use super::run::{show, verdict};
use super::verify::{check, finished};
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_workflow::merge::{MergeError, Part, incomplete, merge, missing, write};
use rehearsal_world::files;
use std::path::{Path, PathBuf};

/// Arguments of `merge`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The run folder to make.
    #[arg(value_name = "OUT")]
    out: PathBuf,
    /// The run folders of the shards, each made by `run --shard k/n`.
    #[arg(required = true, value_name = "RUN")]
    runs: Vec<PathBuf>,
    /// Go without shards that are missing.
    #[arg(long)]
    partial: bool,
    /// Print the run file instead of the table.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let name = arguments.out.file_name().and_then(|name| name.to_str()).ok_or_else(|| {
        Failure::Command(format!("{} is no name for a new folder", arguments.out.display()))
    })?;
    folder_of(&arguments.out)?;
    let parts = arguments.runs.iter().map(|folder| part(folder)).collect::<Result<Vec<_>, _>>()?;
    let file = merge(name, &parts, arguments.partial)?;
    write(&arguments.out, &parts, &file)?;
    show(&arguments.out, &file, arguments.json);
    if let Some(MergeError::Missing(gone, n)) = incomplete(&parts) {
        terminal::complain(&format!(
            "rehearsal: {}; this verdict does not cover the whole suite",
            missing(&gone, n)
        ));
    }
    verdict(&file)
}

fn folder_of(out: &Path) -> Result<(), Failure> {
    match out.parent().filter(|parent| !parent.as_os_str().is_empty()) {
        Some(parent) if !files::is_folder(parent) => Err(Failure::Command(format!(
            "there is no folder {} to make {} in",
            parent.display(),
            out.display()
        ))),
        Some(_) | None => Ok(()),
    }
}

/// A part whose journals are what its run file says: what was changed is not passed on as if it were sound.
fn part(folder: &Path) -> Result<Part, Failure> {
    let file = finished(folder)?;
    check(folder)?;
    Ok(Part { folder: folder.to_owned(), file })
}

impl From<MergeError> for Failure {
    fn from(error: MergeError) -> Self {
        match error {
            MergeError::Nothing
            | MergeError::Whole(_)
            | MergeError::Differ { .. }
            | MergeError::Missing(..)
            | MergeError::Taken(_) => Self::Command(error.to_string()),
            MergeError::Folder { .. } => Self::World(error.to_string()),
        }
    }
}
