//! What all work of `drive` has in common: the tree, what is protected, how answers are written, where things are kept.

use super::endpoint;
use crate::command::choice;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_driver::endpoint_driver::Ground;
use rehearsal_driver::worker::format::guard::Limits;
use rehearsal_driver::worker::format::{self, FORMATS, Format};
use rehearsal_driver::worker::ownership::{Mode, Protection, Reading, Set};
use rehearsal_driver::worker::task::Task;
use rehearsal_world::files;
use rehearsal_world::owned::{self, Cause, Ended, RECORD, Tree};
use rehearsal_world::vault::Folder;
use std::collections::BTreeSet;
use std::path::PathBuf;

/// Arguments of all work.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// A file that is never owned, beside tests, their configuration and start-up files: a name (anywhere), a folder (`golden/`), a
    /// path from the top (`/data/expected.json`), each with `*`. May be given several times.
    #[arg(long, value_name = "PATH")]
    protect: Vec<String>,
    /// The work tree.
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(super) workdir: PathBuf,
    /// How the answer is written: json_patch, fenced or diff.
    #[arg(long, value_name = "FORMAT", default_value = "json_patch", value_parser = answer_format)]
    pub(super) format: &'static Format,
    /// How often an answer that cannot be used goes back to the model.
    #[arg(long, value_name = "NUMBER", default_value_t = 2)]
    repairs: usize,
    /// Most tokens of an answer.
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    max_tokens: Option<u32>,
    /// The temperature that is sent, 0 or more; none is sent without it, or where the endpoint does not take it.
    #[arg(long, value_name = "NUMBER", value_parser = temperature, allow_negative_numbers = true)]
    temperature: Option<f64>,
    /// Let a file of ten lines or more shrink below half.
    #[arg(long)]
    allow_shrink: bool,
    /// Folder for what must outlive a kill.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal/drive")]
    pub(super) data: PathBuf,
    /// Print the report as one line of JSON.
    #[arg(long)]
    pub(super) json: bool,
}

fn answer_format(text: &str) -> Result<&'static Format, String> {
    let names = || FORMATS.iter().map(|format| format.name).collect::<Vec<_>>().join(", ");
    format::find(text).ok_or_else(|| format!("the formats are {}", names()))
}

fn temperature(text: &str) -> Result<f64, String> {
    let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
    number.ok_or_else(|| "a temperature is a number, 0 or more".to_owned())
}

impl Arguments {
    /// Opens the tree and ends what an earlier worker was killed at.
    pub(super) fn ground(&self) -> Result<Ground, Failure> {
        choice::folder(&self.data)?;
        if self.data_in_tree().is_some_and(|inner| inner.is_empty()) {
            let data = self.data.display();
            return Err(Failure::Command(format!(
                "--data: {data} is the work tree; take a folder of its own"
            )));
        }
        let tree = Tree::open(&self.workdir, owned::Limits::default()).map_err(|error| {
            Failure::Command(format!("--workdir: cannot open {}: {error}", self.workdir.display()))
        })?;
        let record = Folder::own(&self.data).map_err(|error| Failure::World(error.to_string()))?;
        let recovered = tree.recover(&record).map_err(|error| {
            let mut why = error.to_string();
            if matches!(error.cause, Cause::Unreadable(_)) {
                let at = self.data.join(RECORD);
                why = format!(
                    "{why}: look at the tree, and remove {} where all is as it should be",
                    at.display()
                );
            }
            Failure::World(why)
        })?;
        let ended = match recovered.ended {
            Ended::Nothing => None,
            Ended::Undone => Some("undone"),
            Ended::Finished => Some("finished"),
        };
        if let Some(ended) = ended {
            terminal::complain(&format!(
                "rehearsal: what an earlier worker was writing when it was killed is {ended}"
            ));
        }
        Ok(Ground { tree, record })
    }

    /// What is never owned: what the user says, and our own folder where it is in the tree.
    pub(super) fn protection(&self, more: &[String]) -> Protection {
        let data = self.data_in_tree().map(|inner| format!("/{inner}/"));
        let protected: Vec<&str> = self.protect.iter().chain(more).chain(&data).map(String::as_str).collect();
        Protection::with(&protected)
    }

    /// Where in the tree our own folder is, `/` between the parts; empty where it is the tree, none where it is elsewhere.
    pub(super) fn data_in_tree(&self) -> Option<String> {
        let (tree, data) = (files::real(&self.workdir), files::real(&self.data));
        let inner = data.strip_prefix(&tree).ok()?.to_str()?;
        Some(inner.replace(std::path::MAIN_SEPARATOR, "/"))
    }

    /// A task with these files (`PATH` or `PATH:create`).
    pub(super) fn task(
        &self,
        asked: &endpoint::Arguments,
        (prompt, model): (String, &str),
        owns: &[String],
        protection: &Protection,
    ) -> Result<Task, String> {
        let entries: Vec<(&str, Mode)> = owns
            .iter()
            .map(|path| {
                path.strip_suffix(":create").map_or((path.as_str(), Mode::Edit), |path| (path, Mode::Create))
            })
            .collect();
        Ok(Task {
            prompt,
            model: model.to_owned(),
            owns: Set::new(&entries, protection).map_err(|error| error.to_string())?,
            format: self.format,
            reading: if asked.strict { Reading::Strict } else { Reading::Lenient },
            limits: Limits { allow_shrink: self.allow_shrink, ..Limits::default() },
            repairs: if asked.attempts == 1 { 0 } else { self.repairs },
            // The cap is that of the policy, where one is known.
            rounds: if asked.attempts == 1 { 0 } else { u32::MAX },
            validate_json: true,
            limit: self.max_tokens,
            temperature: self.temperature,
            stream: asked.stream,
            known: BTreeSet::new(),
        })
    }
}
