//! `rehearsal faults [NAME]`: the faults of the wire, all in a list or one explained.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_wire::fault::{Arrives, FAULTS, Fault, fault, unknown};

/// Arguments of `faults`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The fault to explain; without it all are listed.
    #[arg(value_name = "NAME", value_parser = named)]
    name: Option<&'static Fault>,
}

fn named(text: &str) -> Result<&'static Fault, String> {
    fault(text).ok_or_else(|| unknown(text))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    match arguments.name {
        Some(row) => terminal::print(&explanation(row)),
        None => terminal::print(&list()),
    }
    Ok(())
}

/// One line a fault.
fn list() -> String {
    let width = FAULTS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    let mut group = None;
    for row in FAULTS {
        if group.replace(row.group) != Some(row.group) {
            let blank = if out.is_empty() { "" } else { "\n" };
            out.push_str(&format!("{blank}{}\n", row.group.words()));
        }
        out.push_str(&format!("  {:<width$}  {}\n", row.name, row.summary));
    }
    out + "\n`rehearsal faults NAME` explains one, `rehearsal serve --play NAME` shows its bytes.\n"
}

/// Everything that the table says of one fault.
pub(crate) fn explanation(row: &Fault) -> String {
    let mut out = format!("{}: {}\n\n", row.name, row.summary);
    out.push_str(&format!("as a step:       {}\n", row.example));
    out.push_str(&format!("right reaction:  {}\n", row.right_reaction));
    let arrives = match row.arrives {
        Arrives::AsSaid => "the model's turn, as the script says it",
        Arrives::Otherwise => {
            "the model's turn, but its calls have other ids or arguments than the script says"
        }
        Arrives::Not => "no turn: a client tries again or gives up",
    };
    out.push_str(&format!("what arrives:    {arrives}\n"));
    let give_up =
        if row.may_give_up { "may, with a clear failure" } else { "must not: the work can be done" };
    out.push_str(&format!("giving up:       an agent {give_up}\n"));
    out.push_str(&format!("dialects:        {}\n", row.dialects.words()));
    let hostile = if row.hostile {
        format!(
            "yes: an agent that meets it again and again can only give up{}",
            if row.is_mode() {
                format!("; `serve --mode {}` plays it on every request", row.name)
            } else {
                String::new()
            }
        )
    } else {
        "no: an agent can get past it".to_owned()
    };
    out.push_str(&format!("hostile:         {hostile}\n"));
    if !row.reports.is_empty() {
        out.push_str("reported in:\n");
        out.extend(row.reports.iter().map(|report| format!("  {report}\n")));
    }
    if row.params.is_empty() {
        out.push_str("parameters:      none\n");
    } else {
        out.push_str("parameters:\n");
    }
    for param in row.params {
        out.push_str(&format!(
            "  {}: {}; {} where the step does not say\n",
            param.name,
            param.kind.phrase(),
            param.default
        ));
        out.push_str(&format!("    {}\n", param.doc));
    }
    out
}
