//! `rehearsal report RUN`: a finished run in any format, from its folder alone.

use super::verify::finished;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_report::{REPORTS, Report, Style, find};
use rehearsal_world::files;
use std::path::PathBuf;

/// Arguments of `report`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// A run folder, e.g. .rehearsal/runs/ID.
    #[arg(value_name = "RUN")]
    run: PathBuf,
    /// How to write it.
    #[arg(long, value_name = "FORMAT", default_value = "terminal", value_parser = format)]
    format: &'static Report,
    /// Write to this file instead of standard output.
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
    /// List every case; without it a suite of more than 40 shows only those that did not pass.
    #[arg(long)]
    all: bool,
}

/// A format by its name.
pub(super) fn format(text: &str) -> Result<&'static Report, String> {
    find(text).ok_or_else(|| {
        let known: Vec<_> = REPORTS.iter().map(|row| row.name).collect();
        format!("the formats are {}", known.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = finished(&arguments.run)?;
    match &arguments.output {
        Some(path) => {
            let text = (arguments.format.write)(&file, Style { all: arguments.all, ..Style::FILE });
            files::write_where_named(path, text.as_bytes())
                .map_err(|error| Failure::World(format!("{} cannot be written: {error}", path.display())))?;
        }
        None => {
            let style = Style { colour: terminal::colour(), width: terminal::width(), all: arguments.all };
            terminal::print(&(arguments.format.write)(&file, style));
        }
    }
    super::run::verdict(&file)
}
