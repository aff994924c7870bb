//! The built-in reference agent. Joins its core to the world: sends its requests, does its actions in the workspace, tells what
//! happens.

mod core;
mod history;
mod options;
mod tool;

pub use options::{Exit, Options};

use self::core::{Conversation, Ending, Event, Next, Settings};
use self::tool::Action;
use crate::endpoint::ask::{Asker, Happened, Manner};
use crate::endpoint::attempts::Policy;
use crate::endpoint::config::{Dialect, Endpoint, Given};
use crate::endpoint::mask::Mask;
use crate::endpoint::request::Dialing;
use crate::secret::Secret;
use rehearsal_world::dial::{Client, Deadline, Trust};
use rehearsal_world::process;
use rehearsal_world::room::{self, Room};
use std::io::Write;
use std::time::Duration;

/// Wait before the second attempt; it doubles.
const FIRST_WAIT: Duration = Duration::from_millis(100);
/// Largest file that is read or written, in bytes.
const LARGEST_FILE: u64 = 256 << 10;
/// Most bytes kept of each output of a command.
const MOST_OUTPUT: usize = 32 << 10;
/// Most names in one listing.
const MOST_NAMES: usize = 1000;
/// Characters of one progress line.
const LINE: usize = 300;

/// Does the task. The model's last words go to `out`, one line for each thing that happens to `err`.
pub async fn run(options: &Options, out: &mut impl Write, err: &mut impl Write) -> Exit {
    // As the endpoint sends it.
    let key = Secret::new(options.api_key.expose().trim_ascii());
    let mut voice = Voice { mask: Mask::new(Some(&key)), err };
    let ending = match Agent::open(options) {
        Ok((agent, mut asker)) => agent.work(&mut asker, &mut voice).await,
        Err(wrong) => Ending { exit: Exit::BadUsage, output: String::new(), reason: Some(wrong) },
    };
    if let Some(reason) = &ending.reason {
        voice.say(reason);
    }
    let output = voice.mask.hide(&ending.output);
    let newline = if output.is_empty() || output.ends_with('\n') { "" } else { "\n" };
    match write!(out, "{output}{newline}").and_then(|()| out.flush()) {
        Ok(()) => ending.exit,
        Err(error) => {
            voice.say(&format!("the answer could not be written: {error}"));
            Exit::GaveUp
        }
    }
}

struct Agent<'o> {
    options: &'o Options,
    room: Room,
    deadline: Deadline,
}

impl<'o> Agent<'o> {
    fn open(options: &'o Options) -> Result<(Self, Asker), String> {
        let given = Given {
            base_url: options.base_url.clone(),
            dialect: Dialect::Chat,
            key_name: "OPENAI_API_KEY".to_owned(),
            key: Some(options.api_key.clone()),
            ..Given::default()
        };
        let endpoint = Endpoint::read(&given).map_err(|error| error.to_string())?;
        let limits = room::Limits {
            file: LARGEST_FILE,
            names: MOST_NAMES,
            output: MOST_OUTPUT,
            command: options.command_timeout,
        };
        let room = Room::open(&options.workspace, options.search_path.clone(), limits).map_err(|error| {
            format!("the workspace {} cannot be opened: {error}", options.workspace.display())
        })?;
        if options.attempts == 0 {
            return Err("there must be at least 1 attempt".to_owned());
        }
        for (name, text) in [("model", &options.model), ("prompt", &options.prompt)] {
            if text.is_empty() {
                return Err(format!("the {name} is empty"));
            }
        }
        let asker = Asker::new(endpoint, manner(options), Client::new(Trust::system()));
        Ok((Self { options, room, deadline: Deadline::after(options.total_timeout) }, asker))
    }

    async fn work(&self, asker: &mut Asker, voice: &mut Voice<'_, impl Write>) -> Ending {
        let options = self.options;
        let (mut conversation, mut next) = Conversation::begin(Settings {
            model: options.model.clone(),
            prompt: options.prompt.clone(),
            stream: options.stream,
            iterations: options.iterations,
        });
        loop {
            let event = match next {
                Next::Done(ending) => return ending,
                // Its own deadline is the same as ours.
                Next::Ask => Some(ask(&conversation, asker, voice).await),
                Next::RunTools(actions) => self.deadline.within(self.run_tools(actions, voice)).await,
            };
            next = conversation.on(event.unwrap_or(Event::OutOfTime));
        }
    }

    async fn run_tools(&self, actions: Vec<Action>, voice: &mut Voice<'_, impl Write>) -> Event {
        let mut results = Vec::new();
        for action in actions {
            results.push(self.run_tool(&action, voice).await);
        }
        Event::ToolsRan(results)
    }

    async fn run_tool(&self, action: &Action, voice: &mut Voice<'_, impl Write>) -> String {
        let result = match action {
            Action::ReadFile { path } => {
                voice.say(&format!("read_file {path}"));
                self.room.read_file(path)
            }
            Action::WriteFile { path, content } => {
                voice.say(&format!("write_file {path}"));
                self.room
                    .write_file(path, content)
                    .map(|()| format!("wrote {} bytes to {path}", content.len()))
            }
            Action::ListDir { path } => {
                voice.say(&format!("list_dir {path}"));
                self.room.list_dir(path)
            }
            Action::RunCommand { command } => {
                voice.say(&format!("run_command {command}"));
                self.room.run_command(command).await.map(|ran| self.describe(&ran))
            }
        };
        result.unwrap_or_else(|error| format!("error: {error}"))
    }

    fn describe(&self, ran: &process::Ran) -> String {
        let head = match (ran.status, ran.signal) {
            _ if ran.timed_out => {
                format!("ended at the time limit of {} s", self.options.command_timeout.as_secs())
            }
            (Some(status), _) => format!("exit status {status}"),
            (None, Some(signal)) => format!("ended by signal {signal}"),
            (None, None) => "ended in an unknown way".to_owned(),
        };
        let mut text = head + "\n";
        for output in [&ran.stdout, &ran.stderr] {
            text.push_str(&output.text());
            if output.is_capped() {
                let more = output.bytes - output.kept.len() as u64;
                text.push_str(&format!("\n({more} more bytes)\n"));
            }
        }
        text
    }
}

/// How the endpoint is asked.
fn manner(options: &Options) -> Manner {
    let policy = Policy {
        transport_retries: options.attempts - 1,
        each_turn: true,
        first_wait: FIRST_WAIT,
        total: options.total_timeout,
        longest_wait: options.longest_wait,
        // The same run waits the same; agents with different tasks do not come back at once.
        seed: options.prompt.bytes().fold(0, |sum: u64, byte| sum.wrapping_mul(31).wrapping_add(byte.into())),
        ..Policy::default()
    };
    let wait = options.request_timeout;
    Manner {
        policy,
        connect: wait,
        idle: wait,
        // A stream may take longer than its longest silence.
        request: (!options.stream).then_some(wait),
        empty_is_answer: true,
        retry_broken: true,
        // Who scripts a provider counts no tokens.
        bytes_per_token: None,
        ..Manner::default()
    }
}

/// One turn, with all its attempts.
async fn ask(conversation: &Conversation, asker: &mut Asker, voice: &mut Voice<'_, impl Write>) -> Event {
    let before = asker.attempts().len();
    let dialing = Dialing { stream_usage: true, ..Dialing::default() };
    let tell = |happened: Happened<'_>| match happened {
        Happened::Failed(attempt, failed) => voice.say(&format!("attempt {attempt} failed: {failed}")),
        Happened::Waits(wait) => voice.say(&format!("waiting {} ms", wait.as_millis())),
    };
    match asker.talk(&conversation.talk(), &dialing, tell).await {
        Ok(told) => Event::Answered(Box::new(told)),
        Err(failed) => Event::Failed(failed, asker.attempts().len() - before),
    }
}

/// Says what happens: one line a thing, without control characters and without the key.
struct Voice<'v, W> {
    mask: Mask,
    err: &'v mut W,
}

impl<W: Write> Voice<'_, W> {
    fn say(&mut self, text: &str) {
        let text = self.mask.hide(text);
        let line: String =
            text.chars().take(LINE).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        // Nobody may be listening any more; the work goes on.
        let _ = writeln!(self.err, "agent: {line}");
    }
}
