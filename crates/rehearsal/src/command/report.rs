//! `rehearsal report RUN`: a finished run in any format, from its folder alone.

use super::verify::finished;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_report::{REPORTS, Report, Style, find};
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
}

fn format(text: &str) -> Result<&'static Report, String> {
    find(text).ok_or_else(|| {
        let known: Vec<_> = REPORTS.iter().map(|row| row.name).collect();
        format!("the formats are {}", known.join(", "))
    })
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let file = finished(&arguments.run)?;
    let style = Style { colour: terminal::colour(), width: terminal::width() };
    terminal::print(&(arguments.format.write)(&file, style));
    super::run::verdict(&file)
}
