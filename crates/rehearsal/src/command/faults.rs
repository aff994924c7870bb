//! `rehearsal faults [NAME]`: the faults of the wire, all in a list or one explained.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_wire::fault::{FAULTS, Fault, fault};

/// Arguments of `faults`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The fault to explain; without it all are listed.
    #[arg(value_name = "NAME", value_parser = named)]
    name: Option<&'static Fault>,
}

fn named(text: &str) -> Result<&'static Fault, String> {
    fault(text).ok_or_else(|| {
        let known: Vec<_> = FAULTS.iter().map(|row| row.name).collect();
        format!("the faults are {}", known.join(", "))
    })
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
    let lines = FAULTS.iter().map(|row| format!("{:<width$}  {}\n", row.name, row.summary));
    lines.collect::<String>() + "\n`rehearsal faults NAME` explains one.\n"
}

/// Everything that the table says of one fault.
pub(crate) fn explanation(row: &Fault) -> String {
    let mut out = format!("{}: {}\n\n", row.name, row.summary);
    out.push_str(&format!("as a step:       {}\n", row.example));
    out.push_str(&format!("right reaction:  {}\n", row.right_reaction));
    out.push_str(&format!("dialects:        {}\n", row.dialects.words()));
    let hostile = if row.hostile {
        format!(
            "yes: without `times` the agent can only give up; `serve --mode {}` plays it on every request",
            row.name
        )
    } else {
        "no: an agent can get past it".to_owned()
    };
    out.push_str(&format!("hostile:         {hostile}\n"));
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
