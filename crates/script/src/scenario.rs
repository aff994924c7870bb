//! What a scenario file says, after reading: classes, phrasings, steps, expectations.

use crate::daemon::{Daemon, ExpectDaemon};
use rehearsal_wire::fault::{Arrives, Named, fault};
use rehearsal_wire::reply::{IssuedCall, Reply, Usage};
use rehearsal_wire::rule::{Echo, Expected, Profile};
use std::sync::Arc;
use std::time::Duration;

/// Everything that the loaded files of a suite say.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenarios {
    /// All phrasings, in registration order (files, then classes, then phrasings).
    pub phrasings: Vec<Phrasing>,
    /// The profile that the files ask for: `pinned` for files of the older form, `gate` for `version: 1`, or what `profile` says.
    pub profile: Profile,
    /// Rules switched by the files: name, on or off. Names are checked on load.
    pub rules: Vec<(String, bool)>,
    /// How echoed arguments are compared: exact for files of the older form, double for `version: 1`, or what `echo` says.
    pub echo: Echo,
    /// What findings weigh in place of their own severity: code and weight, `off` to drop them. Codes are checked on load.
    pub weights: Vec<(String, Weight)>,
    /// The agent that the suite is for, where it names one.
    pub agent: Option<AgentCommand>,
}

/// What a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// The case fails.
    Error,
    /// Shown; the case passes.
    Warning,
    /// Shown small.
    Note,
    /// Not judged.
    Off,
}

impl Weight {
    /// The words for it, as files and the command line write them.
    pub const WORDS: [&str; 4] = ["error", "warning", "note", "off"];

    /// The weight that a word means.
    #[must_use]
    pub fn named(word: &str) -> Option<Self> {
        match word {
            "error" => Some(Self::Error),
            "warning" => Some(Self::Warning),
            "note" => Some(Self::Note),
            "off" => Some(Self::Off),
            _ => None,
        }
    }

    /// What a finding of this weight is, for messages.
    pub(crate) fn phrase(self) -> &'static str {
        match self {
            Self::Error => "an error",
            Self::Warning => "a warning",
            Self::Note => "a note",
            Self::Off => "off",
        }
    }
}

impl Scenarios {
    /// The phrasings that are cases, by index, in their order: all but the further conversations of others.
    pub fn cases(&self) -> impl DoubleEndedIterator<Item = usize> {
        let all = self.phrasings.iter().enumerate();
        all.filter(|(_, phrasing)| phrasing.part_of.is_none()).map(|(index, _)| index)
    }

    /// The further conversations of a case, by index: they stand right behind it.
    pub fn parts(&self, case: usize) -> impl Iterator<Item = usize> {
        let behind = self.phrasings.iter().enumerate().skip(case.saturating_add(1));
        behind.take_while(move |(_, phrasing)| phrasing.part_of == Some(case)).map(|(index, _)| index)
    }
}

/// `agent:` of a suite. Its texts may hold the placeholders of a command.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AgentCommand {
    /// Program and arguments.
    pub command: Vec<String>,
    /// Variables beside those that every agent gets; they win over inherited ones.
    pub env: Vec<(String, String)>,
    /// Files to write before it starts: path and content. A path starts with `{home}/` or `{workspace}/`.
    pub files: Vec<(String, String)>,
    /// Its standard input; closed where absent.
    pub stdin: Option<String>,
    /// Time limit of a case that sets none.
    pub time_limit: Option<Duration>,
    /// The file that names it: relative paths of the command are looked for beside it.
    pub place: Place,
}

/// One prompt of a class: one case of a run, or a further conversation of one.
#[derive(Clone, Debug, PartialEq)]
pub struct Phrasing {
    /// The class it belongs to.
    pub class: String,
    /// Its id, unique over all files; part of every tool-call id. That of a further conversation is `<case>.<its own>`.
    pub id: String,
    /// It is found by this text in a user message. Never empty.
    pub marker: String,
    /// The lower-cased marker (full Unicode rules).
    pub marker_folded: String,
    /// What the agent is told; the marker where the file does not say.
    pub prompt: String,
    /// The steps that have an index: answers 0, 1, 2 … A last step whose action is [`Action::End`] has none; it only
    /// carries steps with `times` that stand at the end.
    pub script: Vec<Step>,
    /// The recording that plays the provider in place of a script, which is empty then.
    pub cassette: Option<Cassette>,
    /// The agent-run daemon that stands beside the case.
    pub daemon: Option<Daemon>,
    /// What the agent must do as a client of that.
    pub expect_daemon: ExpectDaemon,
    /// Whether the last step answers every later request too, each under its own step number (`repeat: forever`, or a
    /// fault without end as the last step).
    pub forever: bool,
    /// How a request finds its step.
    pub advance: Advance,
    /// What the agent must do. Phrasings that say nothing of their own share what their class says.
    pub expect_agent: Arc<ExpectAgent>,
    /// Whether an agent is expected to give up here in bounded time: what the file says, else whether a fault without
    /// end or a tool call without end stands in the script; for a case in that of one of its conversations too.
    pub hostile: bool,
    /// The phrasing whose case this is a further conversation of: that of a sub-agent. It is no case of its own, has its own
    /// marker, script and steps, and is played on the lane of its case.
    pub part_of: Option<usize>,
    /// File and line where the phrasing stands, for messages.
    pub place: Place,
}

/// `cassette:` of a class: recorded traffic that plays the provider.
#[derive(Clone, Debug, PartialEq)]
pub struct Cassette {
    /// As the file writes it: the folder of a record, its folder `exchanges`, or the `.json` file of one exchange; relative to the
    /// folder of the file.
    pub path: String,
    /// The case whose recordings are meant, where not all are.
    pub case: Option<String>,
    /// The parts of a call that make no difference, of [`Cassette::PARTS`].
    pub ignore: Vec<String>,
    /// Whether the last recording of a call is served again once all of them were.
    pub repeat: bool,
    /// How many times as fast as it was recorded, finite and not negative; 0 does not wait.
    pub speed: f64,
    /// Whether the case passes though some recordings were never asked for.
    pub allow_unused: bool,
    /// Where `cassette` stands.
    pub place: Place,
}

impl Cassette {
    /// The parts of a call, by the names under which they can be left out of account.
    pub const PARTS: [&str; 9] =
        ["route", "model", "stream", "system", "tools", "turn", "results", "user", "rest"];
}

/// Where something stands.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Place {
    /// The file as it was named.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
}

/// How a request finds its step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Advance {
    /// By the assistant messages since the prompt, the calls that come back, and what the case was answered so far: holds for
    /// few-shot turns before the prompt and for compacted histories.
    Auto,
    /// By the number of assistant messages in the request.
    Assistants,
    /// By the number of answered requests of the case.
    Request,
}

/// One step with an index.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Steps with `times` that stand before it; each answers so many requests, then is skipped. They have no index.
    pub before: Vec<Trouble>,
    /// What the model does.
    pub action: Action,
    /// What the request must hold.
    pub expected: Expected,
    /// How fast a streamed answer leaves.
    pub pacing: Pacing,
}

/// A step with `times`.
#[derive(Clone, Debug, PartialEq)]
pub struct Trouble {
    /// How many requests it answers, 1 or more.
    pub times: u32,
    /// What happens to them.
    pub action: Action,
    /// What such a request must hold.
    pub expected: Expected,
}

/// What the stand-in does at a step.
#[derive(Clone, Debug, PartialEq)]
pub enum Action {
    /// The model speaks.
    Say(Said),
    /// The provider answers with an error.
    Error(ApiError),
    /// The wire breaks in named ways while this is said.
    Fault {
        /// The faults, one or more that go together.
        faults: Vec<FaultCall>,
        /// What reaches a correct client.
        arrives: Arrives,
        /// What the model would have said; the fault's own words where the step has none.
        said: Option<Said>,
    },
    /// Nothing is left to say: stands behind steps with `times` at the end of a script.
    End,
}

impl Action {
    /// What the model says at it, if it speaks.
    #[must_use]
    pub fn said(&self) -> Option<&Said> {
        match self {
            Self::Say(said) => Some(said),
            Self::Fault { said, .. } => said.as_ref(),
            Self::Error(_) | Self::End => None,
        }
    }

    /// Whether the model's turn arrives whole.
    #[must_use]
    pub fn is_turn(&self) -> bool {
        match self {
            Self::Say(_) => true,
            Self::Fault { arrives, .. } => *arrives != Arrives::Not,
            Self::Error(_) | Self::End => false,
        }
    }

    /// Whether the calls in it have other ids or arguments than the script says, so that nobody knows what comes back.
    #[must_use]
    pub fn is_otherwise(&self) -> bool {
        matches!(self, Self::Fault { arrives: Arrives::Otherwise, .. })
    }

    /// Whether these are names of faults of it, joined by `+` as the journal has them.
    #[must_use]
    pub fn breaks_by(&self, names: &str) -> bool {
        let Self::Fault { faults, .. } = self else { return false };
        names.split('+').all(|name| faults.iter().any(|fault| fault.name == name))
    }
}

/// A fault with its parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FaultCall {
    /// Name of the row in the fault table.
    pub name: String,
    /// Its parameters: name, value as JSON text.
    pub params: Vec<(String, String)>,
}

impl FaultCall {
    /// The row with these parameters; none for a name that the table does not have.
    #[must_use]
    pub fn named(&self) -> Option<Named<'_>> {
        Some(Named { row: fault(&self.name)?, params: &self.params })
    }
}

/// What the model says.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Said {
    /// What it thinks first, in dialects that tell.
    pub thinking: Option<String>,
    /// Its words; `None` is null.
    pub text: Option<String>,
    /// A refusal.
    pub refusal: Option<String>,
    /// Tool calls.
    pub calls: Vec<ScriptedCall>,
    /// Finish reason, where the file sets one.
    pub finish_reason: Option<String>,
    /// Tokens, where the file sets them (100 and 100 where it does not).
    pub usage: Usage,
}

impl Said {
    /// The same as a reply; `id` gives the id of the call with this place, from 0.
    #[must_use]
    pub fn reply(&self, id: impl Fn(usize) -> String) -> Reply {
        let call = |(k, call): (usize, &ScriptedCall)| IssuedCall {
            id: id(k),
            name: call.name.clone(),
            arguments: call.arguments.clone(),
        };
        Reply {
            thinking: self.thinking.clone(),
            text: self.text.clone(),
            refusal: self.refusal.clone(),
            calls: self.calls.iter().enumerate().map(call).collect(),
            finish: self.finish_reason.clone(),
            usage: self.usage,
        }
    }
}

/// A scripted tool call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptedCall {
    /// The tool's name.
    pub name: String,
    /// The arguments as JSON text: `", "` and `": "` between parts, raw non-ASCII, key order kept.
    pub arguments: String,
    /// The command, where the file says `tool: shell` in place of a name. Name and arguments are then those of the built-in
    /// agent, until they are fitted to the one that is run.
    pub shell: Option<String>,
}

/// The word behind `tool` for whatever tool an agent runs commands by.
pub const SHELL: &str = "shell";

/// An error of the provider.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiError {
    /// HTTP status, 400..=599.
    pub status: u16,
    /// The envelope's message.
    pub message: String,
    /// The envelope's type; `server_error` where absent, `None` where the file says null.
    pub kind: Option<String>,
    /// The envelope's code.
    pub code: Option<String>,
    /// The envelope's param (`version: 1` only; the older form ignores it).
    pub param: Option<String>,
    /// Headers to send with it, e.g. Retry-After.
    pub headers: Vec<(String, String)>,
}

/// How fast a streamed answer leaves; all zero: in one write.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Pacing {
    /// Wait before the first byte.
    pub ttft: Duration,
    /// Pieces a second after that; 0 is unlimited.
    pub tokens_per_second: u32,
    /// Characters in a piece; 0 is the default.
    pub piece: usize,
}

/// What the agent must do, judged from facts of the host and the journal.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct ExpectAgent {
    /// Exit status; `None` is not checked (0 is the default for a case that is not hostile).
    pub exit: Option<i32>,
    /// Most requests, all attempts counted.
    pub max_requests: Option<u32>,
    /// Names of the tools whose answers must come back, in this order.
    pub tools_called: Option<Vec<String>>,
    /// Standard output must contain each of these.
    pub output_contains: Vec<String>,
    /// Standard output must match each of these (regular expressions).
    pub output_matches: Vec<String>,
    /// Files in the workspace afterwards.
    pub files: Arc<[ExpectFile]>,
    /// Paths, `*`, `?` and `**` allowed, that the agent must neither make, change nor delete.
    pub forbidden_files: Vec<String>,
    /// Commands that it must or must not run.
    pub commands: ExpectCommands,
    /// Time limit of the case; the suite's where absent.
    pub time_limit: Option<Duration>,
    /// Files to put into the workspace first: relative path, content.
    pub given_files: Arc<[(String, String)]>,
}

/// Commands as a shim on PATH sees them. Each is the beginning of a command line in words: `git commit` is met by
/// `git commit -m x`. The first words name the programs to watch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ExpectCommands {
    /// Each of these must have run, in any order.
    pub ran: Vec<String>,
    /// None of these may have run.
    pub not_ran: Vec<String>,
    /// Further programs to watch, so that they stand in the journal.
    pub watch: Vec<String>,
}

impl ExpectCommands {
    /// The programs to watch, sorted, each once.
    #[must_use]
    pub fn programs(&self) -> Vec<&str> {
        let words = self.ran.iter().chain(&self.not_ran).chain(&self.watch);
        let mut programs: Vec<_> = words.filter_map(|words| words.split_whitespace().next()).collect();
        programs.sort_unstable();
        programs.dedup();
        programs
    }
}

/// A file that must be there afterwards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectFile {
    /// Path relative to the workspace, `/` between parts, no `..`.
    pub path: String,
    /// Its exact content.
    pub content: Option<String>,
    /// SHA-256 of its bytes in hexadecimal.
    pub sha256: Option<String>,
}
