//! `rehearsal agents [NAME]`: the agents that `run --agent` knows, all in a list or one shown.

use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_wire::dialect::DIALECTS;
use rehearsal_wire::names::{hint, nearest};
use rehearsal_workflow::agent::{self, AGENTS, Found, KnownAgent, Missing, Program};
use rehearsal_world::{environment, task};

/// Arguments of `agents`.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The agent to show; without it all are listed.
    #[arg(value_name = "NAME", value_parser = named)]
    name: Option<&'static KnownAgent>,
}

/// The row of a name that a person wrote.
pub(super) fn named(text: &str) -> Result<&'static KnownAgent, String> {
    agent::agent(text).ok_or_else(|| {
        let known: Vec<_> = AGENTS.iter().map(|row| row.name).collect();
        hint(nearest(text, known.iter().copied()), || format!("the agents are {}", known.join(", ")))
    })
}

/// The dialect that a row lets its agent speak, where no row of ours serves it.
pub(super) fn unserved(row: &KnownAgent) -> Option<&'static str> {
    let spoken = row.dialects.first().copied();
    spoken.filter(|spoken| DIALECTS.iter().all(|dialect| dialect.name != *spoken))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    let world = |error: std::io::Error| Failure::World(error.to_string());
    let here = environment::current_folder().map_err(world)?;
    let inherited = environment::all();
    let rows = arguments.name.map_or(AGENTS, std::slice::from_ref);
    let looked = task::run_here(async {
        let mut looked = Vec::with_capacity(rows.len());
        for row in rows {
            looked.push((row, agent::find(row, &here, &inherited).await));
        }
        looked
    });
    let looked = looked.map_err(world)?;
    match (arguments.name, looked.as_slice()) {
        (Some(_), [(row, found), ..]) => {
            let installed = match found {
                Ok(Found { program, .. }) => format!("yes, {}", program.display()),
                Err(Missing { what, .. }) => format!("no: {what}"),
            };
            terminal::print(&(explanation(row) + &part("installed", &installed)));
        }
        (_, looked) => terminal::print(&list(looked)),
    }
    Ok(())
}

/// One line an agent.
fn list(looked: &[(&KnownAgent, Result<Found, Missing>)]) -> String {
    let width = AGENTS.iter().map(|row| row.name.len()).max().unwrap_or(0);
    let mut out = String::new();
    for (row, found) in looked {
        let there = match (unserved(row), found) {
            (Some(_), _) => "not served yet".to_owned(),
            (None, Ok(_)) => "installed".to_owned(),
            (None, Err(missing)) => missing.install.to_owned(),
        };
        out.push_str(&format!("{:<width$}  {}\n{:<width$}    {there}\n", row.name, row.summary, ""));
    }
    out + "\n`rehearsal agents NAME` shows one; `rehearsal run SUITE --agent NAME` rehearses it.\n"
}

fn part(head: &str, text: &str) -> String {
    let head = format!("{head}:");
    let lines: Vec<_> = text.trim_end().lines().collect();
    format!("{head:<14} {}\n", lines.join(&format!("\n{:<15}", "")))
}

/// Everything that the table says of one agent.
pub(crate) fn explanation(row: &KnownAgent) -> String {
    let mut out = format!("{}: {}\n\n", row.name, row.summary);
    let needs = match row.program {
        Program::Own => None,
        Program::Python(modules) => Some(format!("python3 with {}", modules.join(" and "))),
        Program::Node(packages) => Some(format!("node, and node_modules with {}", packages.join(" and "))),
    };
    out.push_str(&part("install", row.install));
    out.push_str(&needs.map(|needs| part("needs", &needs)).unwrap_or_default());
    let spoken = row.dialects.iter().enumerate();
    let spoken: Vec<_> =
        spoken.map(|(i, name)| if i == 0 { (*name).to_owned() } else { format!("({name})") }).collect();
    out.push_str(&part("speaks", &spoken.join(" ")));
    out.push_str(&part("command", &row.command.iter().map(|word| shown(word)).collect::<Vec<_>>().join(" ")));
    out.push_str(&row.stdin.map(|text| part("stdin", text)).unwrap_or_default());
    let env: Vec<_> = row.env.iter().map(|(name, value)| format!("{name}={value}")).collect();
    out.push_str(&if env.is_empty() { String::new() } else { part("environment", &env.join("\n")) });
    out.push_str(&part("model", row.model));
    out.push_str(&part("time limit", &format!("{}s", row.time_limit.as_secs())));
    let shell = row.shell.map_or("none".to_owned(), |shell| format!("{} {}", shell.tool, shell.arguments));
    out.push_str(&part("tool: shell", &shell));
    out.push_str(&part("exit status", row.exits));
    out.push_str(&if row.quiet.is_empty() {
        String::new()
    } else {
        part("quieted by", &row.quiet.join(", "))
    });
    out.push_str(&if row.notes.is_empty() { String::new() } else { part("notes", &row.notes.join("\n")) });
    for (path, content) in row.files {
        out.push_str(&format!("\n{path}:\n"));
        content.lines().for_each(|line| out.push_str(&format!("    {line}\n")));
    }
    out
}

/// A word of a command as a shell would take it.
fn shown(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./{}=:@".contains(c);
    if !word.is_empty() && word.chars().all(plain) { word.to_owned() } else { format!("'{word}'") }
}
