//! `rehearsal lint`: files checked, for people or as JSON, the rule table, the JSON Schema.

use crate::failure::Failure;
use crate::terminal::{self, plural};
use clap::Args;
use rehearsal_script::FileKind;
use rehearsal_script::finding::{Severity, to_json};
use rehearsal_wire::rule::{Profile, RULES};
use rehearsal_workflow::suite;
use std::path::PathBuf;

/// Arguments of `lint`.
#[derive(Debug, Args)]
#[command(arg_required_else_help = true)]
pub(crate) struct Arguments {
    /// Files of scenarios, workflows, waves or run scripts, or folders of them. Run scripts are looked at together.
    #[arg(value_name = "FILE", required_unless_present_any = ["rules", "schema"])]
    files: Vec<PathBuf>,
    /// Print the rules of the provider, with their profiles and codes.
    #[arg(long, conflicts_with_all = ["files", "schema"])]
    rules: bool,
    /// Print what was found as a JSON list: file, line, column, JSON pointer, severity, code, message, hint.
    #[arg(long, conflicts_with_all = ["rules", "schema"])]
    json: bool,
    /// Print the JSON Schema of a kind of file: suite (scenario files with `version: 1`; the default), wave, runs or workflow (with `version: 1`).
    #[arg(
        long,
        value_name = "KIND",
        num_args = 0..=1,
        default_missing_value = "suite",
        value_parser = kind,
        conflicts_with = "files"
    )]
    schema: Option<FileKind>,
}

fn kind(text: &str) -> Result<FileKind, String> {
    let known = FileKind::ALL.into_iter().find(|kind| kind.word() == text);
    known.ok_or_else(|| format!("it is {}", FileKind::ALL.map(FileKind::word).join(", ")))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if arguments.rules {
        terminal::print(&rules());
        return Ok(());
    }
    if let Some(kind) = arguments.schema {
        terminal::print(&rehearsal_script::json_schema(kind));
        return Ok(());
    }
    let (files, findings) = suite::lint(&arguments.files)?;
    if arguments.json {
        terminal::print(&to_json(&findings));
        let mistakes = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
        return if mistakes == 0 { Ok(()) } else { Err(Failure::Listed(mistakes)) };
    }
    let (mistakes, warnings): (Vec<_>, Vec<_>) =
        findings.into_iter().partition(|finding| finding.severity == Severity::Error);
    for warning in &warnings {
        terminal::say(&warning.to_string());
    }
    if !mistakes.is_empty() {
        return Err(Failure::Files(mistakes));
    }
    terminal::say(&format!(
        "{files} file{} without mistakes, {} warning{}",
        plural(files),
        warnings.len(),
        plural(warnings.len())
    ));
    Ok(())
}

/// The rule table, one line a rule, columns aligned.
fn rules() -> String {
    let name_width = RULES.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    let mut out = format!(
        "{:<name_width$}  stage   {}  what it refuses (codes)\n",
        "rule",
        Profile::ALL.map(Profile::name).join(" ")
    );
    for rule in RULES {
        let marks = Profile::ALL.map(|profile| {
            let mark = if rule.profiles.contains(&profile) { "x" } else { "-" };
            format!("{mark:<width$}", width = profile.name().len())
        });
        out.push_str(&format!(
            "{:<name_width$}  {:<6}  {}  {} ({})\n",
            rule.name,
            rule.stage.name(),
            marks.join(" "),
            rule.summary,
            rule.codes.join(", "),
        ));
    }
    out
}
