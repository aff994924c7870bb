//! A program that tests talk with: lines in, lines out, each waited for no longer than the test wants. It ends with its owner.
#![expect(clippy::disallowed_methods, reason = "a test starts programs and threads as a person would")]
#![expect(clippy::expect_used, reason = "what goes wrong here is a failed test")]

use crate::raw_client::PATIENCE;
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::net::SocketAddr;
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// A running program.
#[derive(Debug)]
pub struct Program {
    child: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
}

/// What was heard of a program.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Heard {
    /// A line, without its end.
    Line(String),
    /// Its standard output ended.
    End,
    /// Nothing within the time.
    Silence,
}

impl Program {
    /// Starts a program; what it says on standard error goes where the command lets it go.
    ///
    /// # Panics
    /// Where it cannot be started.
    #[must_use]
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.spawn().expect("the program can be started");
        let input = Some(child.stdin.take().expect("its input is a pipe"));
        let lines = lines(child.stdout.take().expect("its output is a pipe"));
        Self { child, input, lines }
    }

    /// Starts the provider of a suite on a free port, and gives its address.
    ///
    /// # Panics
    /// Where it does not serve.
    #[must_use]
    pub fn serving(rehearsal: &str, suite: &Path, data: &Path) -> (Self, SocketAddr) {
        let mut command = Command::new(rehearsal);
        command.args(["serve", "--port", "0", "--scenarios"]).arg(suite).arg("--data").arg(data);
        let provider = Self::start(&mut command);
        let banner = provider.hear(PATIENCE);
        let Heard::Line(line) = &banner else { panic!("it does not serve: {banner:?}") };
        let address = line.split_whitespace().find_map(|word| word.parse().ok());
        (provider, address.unwrap_or_else(|| panic!("no address in {line:?}")))
    }

    /// Says a line to it; one that ended does not hear it.
    pub fn say(&mut self, line: &str) {
        let Some(input) = &mut self.input else { return };
        drop(writeln!(input, "{line}").and_then(|()| input.flush()));
    }

    /// Nothing more is said to it.
    pub fn end_of_input(&mut self) {
        drop(self.input.take());
    }

    /// The next line that it says.
    #[must_use]
    pub fn hear(&self, patience: Duration) -> Heard {
        match self.lines.recv_timeout(patience) {
            Ok(line) => Heard::Line(line),
            Err(RecvTimeoutError::Timeout) => Heard::Silence,
            Err(RecvTimeoutError::Disconnected) => Heard::End,
        }
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

/// The lines of a pipe as they come.
pub fn lines(pipe: impl Read + Send + 'static) -> Receiver<String> {
    let (line, told) = channel();
    std::thread::spawn(move || {
        for said in BufReader::new(pipe).lines().map_while(Result::ok) {
            drop(line.send(said));
        }
    });
    told
}
