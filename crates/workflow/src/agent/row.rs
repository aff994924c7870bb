//! What a row says of a known agent.

use rehearsal_script::scenario::{AgentCommand, Place};
use std::time::Duration;

/// A known agent. Its texts may hold the placeholders of an agent's command.
#[derive(Clone, Copy, Debug)]
pub struct KnownAgent {
    /// Name of the row: the word behind `--agent`.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Names of the dialects that it can speak. The row lets it speak the first.
    pub dialects: &'static [&'static str],
    /// What must be installed.
    pub program: Program,
    /// The command that installs the version which this row was written for.
    pub install: &'static str,
    /// Program and arguments. The program is the one to look for.
    pub command: &'static [&'static str],
    /// Variables beside those that every agent gets.
    pub env: &'static [(&'static str, &'static str)],
    /// Files to write before it starts: path and content. A path begins with `{home}/` or `{workspace}/`.
    pub files: &'static [(&'static str, &'static str)],
    /// Its standard input; closed where there is none.
    pub stdin: Option<&'static str>,
    /// The model that it is told where nobody names one: names change what an agent sends.
    pub model: &'static str,
    /// Time limit of a case that sets none: what it takes to start on a busy machine.
    pub time_limit: Duration,
    /// The tool by which it runs commands; none where it offers no such tool.
    pub shell: Option<Shell>,
    /// What its exit status is worth.
    pub exits: &'static str,
    /// What stands in the row against telemetry, updates and questions: names of variables, arguments or texts of files.
    pub quiet: &'static [&'static str],
    /// What else a person should know.
    pub notes: &'static [&'static str],
}

/// What must be installed for an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// A program of its own.
    Own,
    /// A Python that has these modules; the agent is a script of ours.
    Python(&'static [&'static str]),
    /// Node.js and a `node_modules` that holds these packages; the agent is a script of ours.
    Node(&'static [&'static str]),
}

/// The tool by which an agent runs commands of a shell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shell {
    /// Its name.
    pub tool: &'static str,
    /// Its arguments as JSON text; `"{command}"` stands for the command.
    pub arguments: &'static str,
}

impl KnownAgent {
    /// The row as a suite would write it.
    #[must_use]
    pub fn written(&self) -> AgentCommand {
        let pairs = |pairs: &[(&str, &str)]| {
            pairs.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
        };
        AgentCommand {
            command: self.command.iter().map(|word| (*word).to_owned()).collect(),
            env: pairs(self.env),
            files: pairs(self.files),
            stdin: self.stdin.map(str::to_owned),
            time_limit: Some(self.time_limit),
            place: Place::default(),
        }
    }
}
