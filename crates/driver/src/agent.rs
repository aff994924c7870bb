//! Joins the core to the world: sends its requests, does its actions in the workspace, tells what happens.

use crate::core::{Conversation, Ending, Event, Next, Settings};
use crate::failure::Failure;
use crate::incoming::Incoming;
use crate::options::{Exit, Options};
use crate::tool::Action;
use rehearsal_world::dial::{self, Answer, BaseUrl, Client, Deadline, DialError, Request, Trust};
use rehearsal_world::process;
use rehearsal_world::room::{self, Room};
use std::io::Write;
use std::time::Duration;

/// Most bytes of one answer's body.
const LARGEST_ANSWER: usize = 16 << 20;
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
    let mut voice = Voice { key: options.api_key.expose(), err };
    let ending = match Agent::open(options) {
        Ok(agent) => agent.work(&mut voice).await,
        Err(wrong) => Ending { exit: Exit::BadUsage, output: String::new(), reason: Some(wrong) },
    };
    if let Some(reason) = &ending.reason {
        voice.say(reason);
    }
    let output = voice.hide(&ending.output);
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
    base: BaseUrl,
    client: Client,
    room: Room,
    deadline: Deadline,
}

impl<'o> Agent<'o> {
    fn open(options: &'o Options) -> Result<Self, String> {
        let base = BaseUrl::parse(&options.base_url).map_err(|error| error.to_string())?;
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
        if !options.api_key.expose().bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("the API key holds a space or a character that no header may hold".to_owned());
        }
        let client = Client::new(Trust::system());
        Ok(Self { options, base, client, room, deadline: Deadline::after(options.total_timeout) })
    }

    async fn work(&self, voice: &mut Voice<'_, impl Write>) -> Ending {
        let options = self.options;
        let (mut conversation, mut next) = Conversation::begin(Settings {
            model: options.model.clone(),
            prompt: options.prompt.clone(),
            stream: options.stream,
            attempts: options.attempts,
            iterations: options.iterations,
            longest_wait: options.longest_wait,
        });
        loop {
            let event = match next {
                Next::Done(ending) => return ending,
                Next::Ask { body, attempt } => {
                    let event = self.deadline.within(self.ask(&body, attempt)).await;
                    if let Some(Event::Failed(failure)) = &event {
                        voice.say(&format!("attempt {attempt} failed: {failure}"));
                    }
                    event
                }
                Next::Wait(wait) => {
                    voice.say(&format!("waiting {} ms", wait.as_millis()));
                    self.deadline.wait(wait).await.then_some(Event::Waited)
                }
                Next::RunTools(actions) => self.deadline.within(self.run_tools(actions, voice)).await,
            };
            next = conversation.on(event.unwrap_or(Event::OutOfTime));
        }
    }

    async fn ask(&self, body: &[u8], attempt: u32) -> Event {
        let attempt = attempt.to_string();
        let bearer = format!("Bearer {}", self.options.api_key.expose());
        let accept = if self.options.stream { "text/event-stream" } else { "application/json" };
        let mut headers: Vec<(&str, &[u8])> = vec![
            ("content-type", b"application/json"),
            ("accept", accept.as_bytes()),
            ("user-agent", concat!("rehearsal/", env!("CARGO_PKG_VERSION")).as_bytes()),
            ("x-rehearsal-attempt", attempt.as_bytes()),
        ];
        if !self.options.api_key.expose().is_empty() {
            headers.push(("authorization", bearer.as_bytes()));
        }
        let body = body.to_vec().into();
        let request = Request { method: "POST", target: "/chat/completions", headers: &headers, body };
        let wait = self.options.request_timeout;
        // A stream may take longer than its longest silence.
        let total = if self.options.stream { self.options.total_timeout } else { wait };
        let limits = dial::Limits { connect: wait, idle: wait, total, body: LARGEST_ANSWER };
        let received = match self.client.ask(&self.base, request, limits).await {
            Ok(answer) => receive(answer, wait).await,
            Err(error) => Err(error),
        };
        match received {
            Ok(event) => event,
            Err(error @ DialError::TooLarge(_)) => Event::Failed(Failure::TooLarge(error.to_string())),
            Err(error) => Event::Failed(Failure::Wire(format!("{}: {error}", self.base))),
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

/// Takes an answer, of which something must arrive in each such time. Comments do not count: they say that a gateway lives.
async fn receive(mut answer: Answer, longest_silence: Duration) -> Result<Event, DialError> {
    if answer.status() != 200 {
        let retry_after = answer.retry_after();
        let status = answer.status();
        // The status alone is an answer, even where its body never comes.
        let body = answer.whole().await.unwrap_or_default();
        return Ok(Event::Failed(Failure::of_status(status, &body, retry_after)));
    }
    let mut incoming = Incoming::default();
    let mut silence = Deadline::after(longest_silence);
    let mut commented = false;
    loop {
        let next = match silence.within(answer.next()).await {
            Some(next) => next?,
            None if commented => {
                let waited = longest_silence.as_millis();
                let message = format!("nothing but comments arrived for {waited} ms");
                return Ok(Event::Failed(Failure::Wire(message)));
            }
            None => return Err(DialError::Idle(longest_silence)),
        };
        let before = incoming.progress();
        match next {
            Some(piece) if !incoming.push(&piece) => {}
            Some(_) | None => break,
        }
        commented = incoming.progress() == before;
        if !commented {
            silence = Deadline::after(longest_silence);
        }
    }
    Ok(incoming.finish().map_or_else(Event::Failed, Event::Answered))
}

/// Says what happens: one line a thing, without control characters and without the key.
struct Voice<'v, W> {
    key: &'v str,
    err: &'v mut W,
}

impl<W: Write> Voice<'_, W> {
    fn say(&mut self, text: &str) {
        let text = self.hide(text);
        let line: String =
            text.chars().take(LINE).map(|letter| if letter.is_control() { ' ' } else { letter }).collect();
        // Nobody may be listening any more; the work goes on.
        let _ = writeln!(self.err, "agent: {line}");
    }

    fn hide(&self, text: &str) -> String {
        if self.key.is_empty() { text.to_owned() } else { text.replace(self.key, "(hidden)") }
    }
}
