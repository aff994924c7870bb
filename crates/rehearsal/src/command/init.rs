//! `rehearsal init [DIR]`: a small suite to begin with, which passes and explains itself.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_world::files;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};

/// What a new folder holds: the name of each file, and its text.
const STARTER: [(&str, &str); 2] = [
    ("suite.yaml", include_str!("../starter/suite.yaml")),
    // By another name in our own sources, where it would have its effect.
    (".gitignore", include_str!("../starter/gitignore")),
];

/// Arguments of `init`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Folder to make; one that is there keeps its files.
    #[arg(value_name = "DIR", default_value = "rehearsal")]
    folder: PathBuf,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let folder = &arguments.folder;
    if files::is_file(folder) {
        return Err(Failure::Command(format!("{} is a file; name a folder", folder.display())));
    }
    let paths = STARTER.map(|(name, _)| folder.join(name));
    // All are looked for before the first is written: a folder gets the whole suite or nothing.
    if let Some(taken) = paths.iter().find(|path| files::is_file(path) || files::is_folder(path)) {
        return Err(there_already(taken));
    }
    for (path, (_, text)) in paths.iter().zip(STARTER) {
        let text = text.replace("FOLDER", &word(folder));
        files::write_new(path, text.as_bytes()).map_err(|error| match error.kind() {
            ErrorKind::AlreadyExists => there_already(path),
            _ => Failure::World(format!("cannot write {}: {error}", path.display())),
        })?;
        terminal::say(&format!("wrote {}", path.display()));
    }
    terminal::say(&format!("next: rehearsal run {}", word(folder)));
    Ok(())
}

fn there_already(path: &Path) -> Failure {
    Failure::Command(format!(
        "{} is there already, and nothing is overwritten; name another folder",
        path.display()
    ))
}

/// A path as one word of a command.
fn word(path: &Path) -> String {
    let text = path.display().to_string();
    if text.contains(char::is_whitespace) { format!("\"{text}\"") } else { text }
}
