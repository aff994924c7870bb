//! Reads the files of the case mode: list, prompts, models. What is wrong is said with the file's name.

use crate::case::{self, Case, CaseError};
use rehearsal_wire::relay::{NameFault, Names};
use rehearsal_world::files::{self, ReadError};
use rehearsal_world::vault::{Folder, VaultError};
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Longest file of a configuration, in bytes.
const LONGEST: u64 = 4 << 20;

/// Why the configuration cannot be used.
#[derive(Debug, Error)]
pub enum LoadError {
    /// A file cannot be read.
    #[error(transparent)]
    Read(#[from] ReadError),
    /// A prompt cannot be read from below the list's folder.
    #[error("the prompt of case {case:?}: {source}")]
    Prompt {
        /// The case.
        case: String,
        /// Why.
        source: VaultError,
    },
    /// A prompt is missing.
    #[error("the prompt of case {case:?}: there is no file {file:?} below {folder}")]
    NoPrompt {
        /// The case.
        case: String,
        /// The file as the list names it.
        file: String,
        /// The list's folder.
        folder: PathBuf,
    },
    /// A prompt is no text.
    #[error("the prompt of case {0:?} is not UTF-8 text")]
    NotText(String),
    /// A file is not what it should be.
    #[error("{path}: {source}")]
    Case {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        source: CaseError,
    },
    /// The names of the model cannot be told apart.
    #[error("the model's names: {0}")]
    Names(#[from] NameFault),
    /// The folder of the list cannot be opened.
    #[error(transparent)]
    Folder(#[from] VaultError),
}

/// Reads the list of cases and their prompts. A prompt lies in the list's folder or below it, and no link leads there.
///
/// # Errors
/// The first thing that is wrong.
pub fn cases(list: &Path) -> Result<Vec<Case>, LoadError> {
    let wrong = |source| LoadError::Case { path: list.to_owned(), source };
    let listed = case::read_list(&files::read_bytes(list, LONGEST)?).map_err(wrong)?;
    let parent = list.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let folder = Folder::look_into(parent)?;
    let mut cases = Vec::new();
    for row in listed {
        let prompt = folder
            .read(&row.prompt_file, LONGEST)
            .map_err(|source| LoadError::Prompt { case: row.id.clone(), source })?;
        let Some(prompt) = prompt else {
            return Err(LoadError::NoPrompt {
                case: row.id,
                file: row.prompt_file,
                folder: parent.to_owned(),
            });
        };
        let Ok(prompt) = String::from_utf8(prompt) else { return Err(LoadError::NotText(row.id)) };
        cases.push(Case::new(row.id, &prompt));
    }
    case::all_differ(&cases).map_err(wrong)?;
    Ok(cases)
}

/// The names of the model: the provider's from its list of models, and the public one.
///
/// # Errors
/// What is wrong with the list or the names.
pub fn names(models: &Path, alias: &str) -> Result<Names, LoadError> {
    let real = case::read_model(&files::read_bytes(models, LONGEST)?)
        .map_err(|source| LoadError::Case { path: models.to_owned(), source })?;
    Ok(Names::new(&real, alias)?)
}
