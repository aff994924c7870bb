//! Takes the body of a 200 as it arrives and makes an answer of it, as a stream or whole: what came decides, not what
//! was asked for, since gateways confuse the two.

use crate::answer::Answer;
use crate::delta::Assembly;
use crate::failure::{Failure, excerpt};
use rehearsal_wire::json;
use rehearsal_wire::sse::SseReader;

/// The last event of a stream, and how gateways that mean it have sent it.
const DONE: [&str; 2] = ["[DONE]", "DONE"];
/// Most bytes of one event.
const LONGEST_EVENT: usize = 16 << 20;

/// A body in the making.
#[derive(Debug, Default)]
pub(crate) struct Incoming {
    form: Form,
}

#[derive(Debug, Default)]
enum Form {
    /// Nothing but white space yet.
    #[default]
    Open,
    Whole(Vec<u8>),
    Stream(Box<Stream>),
}

#[derive(Debug)]
struct Stream {
    events: SseReader,
    assembly: Assembly,
    failure: Option<Failure>,
    done: bool,
    events_taken: usize,
}

impl Incoming {
    /// Takes bytes; says whether the answer is over, though the connection may stay open.
    pub(crate) fn push(&mut self, bytes: &[u8]) -> bool {
        if let Form::Open = self.form {
            let Some(first) = bytes.iter().find(|byte| !byte.is_ascii_whitespace()) else { return false };
            // A byte order mark, a comment, or one of the fields data, event, id and retry.
            self.form = match first {
                0xEF | b':' | b'd' | b'e' | b'i' | b'r' => Form::Stream(Box::new(Stream::new())),
                _ => Form::Whole(Vec::new()),
            };
        }
        match &mut self.form {
            Form::Open => false,
            Form::Whole(body) => {
                body.extend_from_slice(bytes);
                false
            }
            Form::Stream(stream) => stream.push(bytes),
        }
    }

    /// A mark that changes with each byte of the answer that arrives. Comments of a stream are none: a gateway sends them for as
    /// long as its own connection lives, whether or not the model does.
    pub(crate) fn progress(&self) -> (usize, usize) {
        match &self.form {
            Form::Open => (0, 0),
            Form::Whole(body) => (0, body.len()),
            Form::Stream(stream) => (stream.events_taken, stream.events.pending()),
        }
    }

    /// The answer, once the body has ended.
    ///
    /// # Errors
    /// [`Failure`] where it is none.
    pub(crate) fn finish(self) -> Result<Answer, Failure> {
        match self.form {
            Form::Open => Err(Failure::BadAnswer("status 200 with an empty body".to_owned())),
            Form::Whole(body) => whole(&body),
            Form::Stream(stream) => stream.finish(),
        }
    }
}

fn whole(body: &[u8]) -> Result<Answer, Failure> {
    // Some gateways end a plain answer as if it were a stream.
    let trimmed = body.trim_ascii_end();
    let body = trimmed.strip_suffix(b"data: [DONE]").unwrap_or(trimmed);
    let tape = json::parse(body).map_err(|broken| {
        Failure::BadAnswer(format!("the answer is not JSON ({broken}): {}", excerpt(body)))
    })?;
    Answer::of_body(tape.root())
}

impl Stream {
    fn new() -> Self {
        let events = SseReader::new(LONGEST_EVENT);
        Self { events, assembly: Assembly::default(), failure: None, done: false, events_taken: 0 }
    }

    fn push(&mut self, bytes: &[u8]) -> bool {
        let fed = self.events.feed(bytes);
        while let Some(event) = self.events.next_event() {
            self.take(&event.data);
        }
        if let Err(too_long) = fed {
            self.failure.get_or_insert(Failure::TooLarge(too_long.to_string()));
        }
        self.done || self.failure.is_some()
    }

    /// Takes one event. What follows the last event, or a failure, is not looked at.
    fn take(&mut self, data: &str) {
        self.events_taken += 1;
        if self.done || self.failure.is_some() {
            return;
        }
        if DONE.contains(&data.trim()) {
            self.done = true;
        } else if let Err(failure) = self.assembly.add(data) {
            self.failure = Some(failure);
        }
    }

    fn finish(mut self) -> Result<Answer, Failure> {
        if self.events.is_mid_event() {
            // By the letter an event without its blank line is none; servers that close early mean it.
            self.push(b"\n\n");
        }
        match self.failure {
            Some(failure) => Err(failure),
            None if self.events_taken == 0 => Err(Failure::BadAnswer("the stream held no event".to_owned())),
            None => self.assembly.finish(self.done),
        }
    }
}

#[cfg(test)]
mod tests;
