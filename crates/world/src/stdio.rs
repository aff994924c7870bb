//! Standard input and output as a protocol of lines, for programs that a client starts and talks with.

use std::io::{self, BufRead as _, Read as _, Write as _};
use thiserror::Error;
use tokio::sync::{mpsc, oneshot};

/// Longest line that is read, in bytes.
const LONGEST: u64 = 64 << 20;

/// Why a line could not be read or written.
#[derive(Debug, Error)]
pub enum StdioError {
    /// Standard input fails.
    #[error("standard input cannot be read: {0}")]
    Read(#[source] io::Error),
    /// A line is longer than anybody should send.
    #[error("a line on standard input has more than {LONGEST} bytes")]
    TooLong,
    /// Standard output fails: whoever read it is gone.
    #[error("standard output cannot be written: {0}")]
    Write(#[source] io::Error),
}

/// Standard input, line by line.
#[derive(Debug)]
pub struct Input(mpsc::Receiver<Result<Vec<u8>, StdioError>>);

impl Input {
    /// Reads from now on, on a thread of its own, a few lines ahead.
    #[must_use]
    pub fn start() -> Self {
        let (sender, lines) = mpsc::channel(8);
        std::thread::spawn(move || {
            let mut input = io::stdin().lock();
            loop {
                let line = match next(&mut input) {
                    Ok(None) => return,
                    Ok(Some(line)) => Ok(line),
                    Err(error) => Err(error),
                };
                let failed = line.is_err();
                if sender.blocking_send(line).is_err() || failed {
                    return;
                }
            }
        });
        Self(lines)
    }

    /// The next line that is not empty, without its end; `None` once the input is over. What is dropped while it waits loses nothing.
    ///
    /// # Errors
    /// When the input fails, or a line is too long; nothing comes behind that.
    pub async fn line(&mut self) -> Result<Option<Vec<u8>>, StdioError> {
        self.0.recv().await.transpose()
    }
}

fn next(input: &mut impl io::BufRead) -> Result<Option<Vec<u8>>, StdioError> {
    loop {
        let mut line = Vec::new();
        input.by_ref().take(LONGEST + 1).read_until(b'\n', &mut line).map_err(StdioError::Read)?;
        if line.len() as u64 > LONGEST {
            return Err(StdioError::TooLong);
        }
        if line.is_empty() {
            return Ok(None);
        }
        while line.last().is_some_and(|end| matches!(end, b'\n' | b'\r')) {
            line.pop();
        }
        if !line.is_empty() {
            return Ok(Some(line));
        }
    }
}

/// Standard output.
#[derive(Debug)]
pub struct Output(std::sync::mpsc::Sender<Job>);

/// Bytes to write, and who wants to know that they were.
type Job = (Vec<u8>, oneshot::Sender<io::Result<()>>);

impl Output {
    /// Standard output, which nobody else writes to from now on. It has a thread of its own, for which nobody waits at the end: a client
    /// that reads nothing must not keep a program alive that was asked to end.
    #[must_use]
    pub fn start() -> Self {
        let (sender, jobs) = std::sync::mpsc::channel::<Job>();
        std::thread::spawn(move || {
            for (bytes, done) in jobs {
                let mut out = io::stdout().lock();
                // Whoever does not wait any more need not know.
                drop(done.send(out.write_all(&bytes).and_then(|()| out.flush())));
            }
        });
        Self(sender)
    }

    /// Writes bytes, and waits until the system has them. A client that reads nothing keeps its program waiting.
    ///
    /// # Errors
    /// When nobody reads any more.
    pub async fn write(&self, bytes: Vec<u8>) -> Result<(), StdioError> {
        let gone = || StdioError::Write(io::ErrorKind::BrokenPipe.into());
        let (done, written) = oneshot::channel();
        self.0.send((bytes, done)).map_err(|_| gone())?;
        written.await.map_err(|_| gone())?.map_err(StdioError::Write)
    }
}

#[cfg(test)]
mod tests {
    use super::next;
    use std::io::Cursor;

    #[test]
    fn lines_come_without_their_ends_and_empty_ones_not_at_all() {
        let mut input = Cursor::new(&b"one\r\n\n\r\ntwo\nlast"[..]);
        let mut lines = Vec::new();
        while let Some(line) = next(&mut input).unwrap() {
            lines.push(String::from_utf8(line).unwrap());
        }
        assert_eq!(lines, ["one", "two", "last"]);
    }
}
