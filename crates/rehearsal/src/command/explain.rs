//! `rehearsal explain [CODE]`: what a finding means and what to do about it.

use super::faults;
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_lab::Code;
use rehearsal_wire::fault::{FAULTS, fault};
use rehearsal_wire::names::{hint, nearest};
use rehearsal_workflow::grade;
use rehearsal_workflow::step::STEPS;

/// Arguments of `explain`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Code of a finding or of a step's refusal, or name of a rule or a fault; without it all codes of findings are listed.
    #[arg(value_name = "CODE")]
    code: Option<String>,
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let Some(code) = &arguments.code else {
        terminal::print(&list());
        return Ok(());
    };
    // What one API refuses may be what a fault says of it: then both have the name.
    let told: Vec<String> = grade::explain(code)
        .into_iter()
        .chain(refusal(code))
        .chain(fault(code).map(faults::explanation))
        .collect();
    if told.is_empty() {
        let refusals = Code::ALL.iter().map(|code| code.word());
        let names = grade::codes().into_iter().chain(FAULTS.iter().map(|row| row.name)).chain(refusals);
        let hint = hint(nearest(code, names), || "`rehearsal explain` lists all codes".to_owned());
        return Err(Failure::Command(format!("no finding has the code `{code}`; {hint}")));
    }
    terminal::print(&told.join("\nThe fault of this name:\n\n"));
    Ok(())
}

/// What a code means with which workflow steps refuse.
fn refusal(word: &str) -> Option<String> {
    let code = Code::ALL.iter().find(|code| code.word() == word)?;
    let outcome = if code.is_permission() { "permission_denied" } else { "failure" };
    let steps: Vec<_> =
        STEPS.iter().filter(|step| step.form.refuses.contains(&word)).map(|step| step.form.name).collect();
    let steps = if steps.is_empty() { "any".to_owned() } else { steps.join(", ") };
    Some(format!(
        "{word}: {}\n\nto do:      {}\noutcome:    {outcome}, with `refusal: {{step: ID, code: {word}}}`\nsteps:      {steps}\n",
        code.meaning(),
        code.remedy()
    ))
}

/// One line a code.
fn list() -> String {
    let known: Vec<_> = grade::codes().into_iter().filter_map(grade::text).collect();
    let width = known.iter().map(|(_, text)| text.code.len()).max().unwrap_or(0);
    let lines = known.iter().map(|(severity, text)| {
        format!("{:<width$}  {:<7}  {}\n", text.code, grade::weight_word(*severity), text.meaning)
    });
    lines.collect::<String>()
        + "\n`rehearsal explain CODE` says what to do; it knows the names of faults, too.\n"
}
