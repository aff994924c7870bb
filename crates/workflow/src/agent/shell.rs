//! `tool: shell` of scenario files, fitted to the agent that is to be run.

use super::row::Shell;
use rehearsal_script::scenario::{Action, Phrasing, SHELL, Scenarios, ScriptedCall, Step};
use rehearsal_wire::json::quoted;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The shell tool of the built-in agent, and of agents that no row knows.
pub const BUILT_IN: Shell = Shell { tool: "run_command", arguments: r#"{"command": "{command}"}"# };

/// Where the command goes in a row's arguments.
const COMMAND: &str = "\"{command}\"";

/// A case that needs a shell tool, for an agent that has none.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("the script of {case} calls `tool: shell`, and this agent offers no such tool")]
pub struct NoShell {
    /// The case.
    pub case: String,
}

/// The scenarios with every `tool: shell` as a call of the agent's own tool, also where `tools_called` and `tools_include` name
/// it. Cases that are not among `cases` may lack a tool to call.
///
/// # Errors
/// The first of the cases that needs a shell where there is none.
pub fn fitted(
    mut scenarios: Scenarios,
    cases: &[usize],
    shell: Option<&Shell>,
) -> Result<Scenarios, NoShell> {
    let Some(shell) = shell else {
        let of_case = |case: usize| std::iter::once(case).chain(scenarios.parts(case));
        let needs = cases.iter().find(|case| {
            of_case(**case).any(|index| scenarios.phrasings.get(index).is_some_and(calls_shell))
        });
        return match needs {
            Some(case) => Err(NoShell { case: scenarios.phrasings[*case].id.clone() }),
            None => Ok(scenarios),
        };
    };
    // A case's own expectations speak of its further conversations too.
    let callers: BTreeSet<usize> = (0..scenarios.phrasings.len())
        .filter(|index| calls_shell(&scenarios.phrasings[*index]))
        .flat_map(|index| [Some(index), scenarios.phrasings[index].part_of])
        .flatten()
        .collect();
    for index in callers {
        if let Some(phrasing) = scenarios.phrasings.get_mut(index) {
            fit(phrasing, shell);
        }
    }
    Ok(scenarios)
}

fn fit(phrasing: &mut Phrasing, shell: &Shell) {
    for step in &mut phrasing.script {
        for call in calls(step) {
            if let Some(command) = &call.shell {
                shell.tool.clone_into(&mut call.name);
                call.arguments = shell.arguments.replace(COMMAND, &quoted(command));
            }
        }
        let troubles = step.before.iter_mut().map(|trouble| &mut trouble.expected);
        for expected in troubles.chain([&mut step.expected]) {
            rename(&mut expected.tools_include, shell);
        }
    }
    let holds = |names: &Vec<String>| names.iter().any(|name| name == SHELL);
    if phrasing.expect_agent.tools_called.as_ref().is_some_and(holds)
        && let Some(names) = &mut Arc::make_mut(&mut phrasing.expect_agent).tools_called
    {
        rename(names, shell);
    }
}

fn rename(names: &mut [String], shell: &Shell) {
    for name in names.iter_mut().filter(|name| *name == SHELL) {
        shell.tool.clone_into(name);
    }
}

fn calls(step: &mut Step) -> impl Iterator<Item = &mut ScriptedCall> {
    let actions = step.before.iter_mut().map(|trouble| &mut trouble.action).chain([&mut step.action]);
    actions.filter_map(said).flat_map(|said| &mut said.calls)
}

fn said(action: &mut Action) -> Option<&mut rehearsal_script::scenario::Said> {
    match action {
        Action::Say(said) => Some(said),
        Action::Fault { said, .. } => said.as_mut(),
        Action::Error(_) | Action::End => None,
    }
}

fn calls_shell(phrasing: &Phrasing) -> bool {
    let actions = phrasing
        .script
        .iter()
        .flat_map(|step| step.before.iter().map(|trouble| &trouble.action).chain([&step.action]));
    actions.filter_map(Action::said).flat_map(|said| &said.calls).any(|call| call.shell.is_some())
}
