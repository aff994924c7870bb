//! `rehearsal script`: scenario files from recorded traffic.

use super::replay;
use crate::failure::Failure;
use crate::terminal::{self, plural};
use clap::{Args, Subcommand};
use rehearsal_bridge::cassette::talk::{self, Talk, Told};
use rehearsal_script::scenario::Pacing;
use rehearsal_script::write::{Conversation, Step, write};
use rehearsal_world::files;
use std::path::PathBuf;

/// Longest name that a conversation gets of its prompt, in characters.
const LONGEST_NAME: usize = 40;

/// Arguments of `script`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

/// Where scripts come from.
#[derive(Debug, Subcommand)]
enum Command {
    /// Make a scenario file of recorded traffic: a class for each conversation, a step for each answer.
    From(From),
}

/// Arguments of `script from`.
#[derive(Debug, Args)]
struct From {
    /// Folders of records, their folders `exchanges`, or .json files of single exchanges.
    #[arg(required = true, value_name = "CASSETTE")]
    cassettes: Vec<PathBuf>,
    /// The file to write, which must not be there yet [default: standard output].
    #[arg(short = 'o', long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// Only conversations of this case.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match &arguments.command {
        Command::From(arguments) => from(arguments),
    }
}

fn from(arguments: &From) -> Result<(), Failure> {
    // Before all that is said of the recording: nobody wants to read that for nothing.
    if let Some(path) = arguments.output.as_deref().filter(|path| files::is_there(path)) {
        return Err(Failure::Command(format!(
            "{} is there already; remove it, or name another file",
            path.display()
        )));
    }
    let mut conversations = Vec::new();
    for path in &arguments.cassettes {
        let cassette = replay::open(path)?;
        let wanted = cassette
            .recordings
            .iter()
            .filter(|recording| arguments.case.is_none() || recording.case == arguments.case);
        let heard = talk::talks(wanted).map_err(|error| Failure::World(error.to_string()))?;
        heard.notes.iter().for_each(|note| terminal::complain(&format!("rehearsal: {note}")));
        conversations.extend(heard.talks.into_iter().map(conversation));
    }
    if conversations.is_empty() {
        let of = arguments.case.as_ref().map(|case| format!(" of case {case}")).unwrap_or_default();
        return Err(Failure::NothingRan(format!("no conversation{of} was recorded")));
    }
    let written = write(&conversations);
    written.notes.iter().for_each(|note| terminal::complain(&format!("rehearsal: {note}")));
    let Some(path) = &arguments.output else {
        terminal::print(&written.text);
        return Ok(());
    };
    files::write_new(path, written.text.as_bytes())
        .map_err(|error| Failure::Command(format!("cannot write {}: {error}", path.display())))?;
    let count = conversations.len();
    terminal::say(&format!("{}: {count} conversation{}", path.display(), plural(count)));
    Ok(())
}

fn conversation(talk: Talk) -> Conversation {
    let step = |told| match told {
        Told::Said(reply) => Step::Said { reply: *reply, pacing: Pacing::default() },
        Told::Failed { status, headers, error } => Step::Failed { status, headers, error },
    };
    Conversation {
        class: talk.case.unwrap_or_else(|| name(&talk.prompt)),
        prompt: talk.prompt,
        model: talk.model,
        steps: talk.told.into_iter().map(step).collect(),
    }
}

/// A name from the first words of a prompt.
fn name(prompt: &str) -> String {
    let words = prompt.split(|letter: char| !letter.is_alphanumeric()).filter(|word| !word.is_empty());
    let mut name = String::new();
    for word in words {
        let dash = usize::from(!name.is_empty());
        if name.chars().count() + dash + word.chars().count() > LONGEST_NAME {
            break;
        }
        name.push_str(if dash == 1 { "-" } else { "" });
        name.push_str(&word.to_lowercase());
    }
    name
}
