//! Checks a journal line by line: sums, order, form, and its bodies. Streams: one line and two bodies in memory.

use crate::body::{Bodies, BodyError};
use crate::digest;
use crate::event::{Event, Opened};
use crate::line::{self, LineError, MAX_LINE};
use std::io::{self, BufRead, Read};
use thiserror::Error;

/// What a whole journal turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verified {
    /// Whole lines, over all segments that were seen.
    pub lines: u64,
    /// Sum of the last line, hexadecimal.
    pub head: String,
    /// Requests in these lines.
    pub requests: u64,
    /// Whether the journal ends in order.
    pub closed: bool,
    /// Byte of its segment at which a line begins that a kill cut short.
    pub cut: Option<u64>,
    /// Id of the run.
    pub run: String,
    /// The case, if it belongs to one.
    pub case: Option<String>,
    /// Number of the first segment that was seen; earlier ones may have been thrown away.
    pub first_segment: u32,
}

/// The first thing that is wrong.
#[derive(Debug, Error)]
#[error("line {line}: {what}")]
pub struct Fault {
    /// Line of the segment, from 1.
    pub line: u64,
    /// What is wrong with it.
    #[source]
    pub what: What,
}

/// What is wrong with a line.
#[derive(Debug, Error)]
pub enum What {
    /// It cannot be read.
    #[error(transparent)]
    Line(#[from] LineError),
    /// A byte of it was changed.
    #[error("its sum does not match")]
    Sum,
    /// The line before it is another one.
    #[error("it follows another line than the one before it")]
    Prev,
    /// Lines are missing, doubled or swapped.
    #[error("its number jumps from {from} to {to}")]
    Jump {
        /// Number of the line before.
        from: u64,
        /// Number of this line.
        to: u64,
    },
    /// A segment must begin with its opening.
    #[error("a segment must begin with its opening")]
    NotOpened,
    /// An opening in the middle of a segment.
    #[error("it opens a segment inside a segment")]
    Reopened,
    /// A segment is missing.
    #[error("it opens segment {found} where segment {expected} is due")]
    Segment {
        /// The one that is due.
        expected: u32,
        /// The one that is there.
        found: u32,
    },
    /// A segment of another run or case.
    #[error("it opens a segment of another run or case")]
    Stranger,
    /// Something stands behind the closing line.
    #[error("it stands behind the closing line")]
    AfterClose,
    /// The closing line counts other requests.
    #[error("it closes a journal of {says} requests, but there are {found}")]
    Count {
        /// What it says.
        says: u64,
        /// What there is.
        found: u64,
    },
    /// Longer than any line may be.
    #[error("it is longer than {MAX_LINE} bytes")]
    Long,
    /// The last bytes are no beginning of a line.
    #[error("the bytes at the end are not the beginning of a line")]
    Tail,
    /// More segments follow a line that was cut short.
    #[error("it is cut short, but another segment follows")]
    CutInside,
    /// Nothing is there.
    #[error("there is no whole line")]
    Empty,
    /// Its body is not what it says.
    #[error(transparent)]
    Body(#[from] BodyError),
    /// The bodies go on behind the last body although the journal is closed.
    #[error("the bodies hold {0} bytes that no line speaks of")]
    BodiesLeft(u64),
    /// The file cannot be read.
    #[error("the file cannot be read: {0}")]
    Read(#[source] io::Error),
}

/// Takes in a journal segment by segment, line by line.
#[derive(Debug, Default)]
pub struct Verifier {
    /// Line of the segment.
    line: u64,
    /// Byte of the segment at which the next line begins.
    offset: u64,
    lines: u64,
    seq: u64,
    head: Vec<u8>,
    opened: Option<Opened>,
    first_segment: u32,
    requests: u64,
    closed: bool,
    cut: Option<u64>,
    scratch: Vec<u8>,
}

impl Verifier {
    /// A verifier that has seen nothing. The first segment it sees may be a later one of its journal.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes in one whole segment and, where given, its bodies. `seen` gets each event with its time in microseconds.
    ///
    /// # Errors
    /// The first fault.
    pub fn segment(
        &mut self,
        lines: impl BufRead,
        bodies: Option<impl Read>,
        mut seen: impl FnMut(u64, Event),
    ) -> Result<(), Fault> {
        self.segment_and_bodies(lines, bodies, |t_us, event, _| seen(t_us, event))
    }

    /// The same, and `seen` gets the body of a request, too, where it has one and the bodies are given.
    ///
    /// # Errors
    /// The first fault.
    pub fn segment_and_bodies(
        &mut self,
        mut lines: impl BufRead,
        bodies: Option<impl Read>,
        mut seen: impl FnMut(u64, Event, Option<&[u8]>),
    ) -> Result<(), Fault> {
        self.begin()?;
        let mut bodies = bodies.map(Bodies::new);
        let mut line = Vec::new();
        loop {
            line.clear();
            let limit = MAX_LINE as u64 + 1;
            let got = (&mut lines).take(limit).read_until(b'\n', &mut line);
            got.map_err(|error| self.fault_at_next(What::Read(error)))?;
            if line.pop_if(|last| *last == b'\n').is_none() {
                break;
            }
            let (t_us, event) = self.feed(&line)?;
            let mut bytes = None;
            if let (Some(bodies), Event::Asked(asked)) = (&mut bodies, &event)
                && let Some(body) = &asked.body
            {
                bytes = Some(bodies.next(body).map_err(|error| self.fault(error.into()))?);
            }
            seen(t_us, event, bytes);
        }
        self.tail(&line)?;
        if let Some(bodies) = bodies {
            let left = bodies.left_over().map_err(|error| self.fault(error.into()))?;
            if left > 0 && self.closed {
                return Err(self.fault(What::BodiesLeft(left)));
            }
        }
        Ok(())
    }

    /// A further segment begins.
    ///
    /// # Errors
    /// When the one before was cut short.
    pub fn begin(&mut self) -> Result<(), Fault> {
        if self.cut.is_some() {
            return Err(self.fault_at_next(What::CutInside));
        }
        self.line = 0;
        self.offset = 0;
        Ok(())
    }

    /// Takes in one line without its line feed; gives its time in microseconds and its event.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn feed(&mut self, line: &[u8]) -> Result<(u64, Event), Fault> {
        self.line += 1;
        let checked = self.check(line).map_err(|what| self.fault(what))?;
        self.offset += line.len() as u64 + 1;
        Ok(checked)
    }

    fn check(&mut self, line: &[u8]) -> Result<(u64, Event), What> {
        if line.len() > MAX_LINE {
            return Err(What::Long);
        }
        let parts = line::take_apart(line)?;
        if digest::hex(&digest::of(parts.covered)) != parts.sum {
            return Err(What::Sum);
        }
        if self.closed {
            return Err(What::AfterClose);
        }
        // Without an earlier line only the first segment's own claim stands: a journal begins with line 1 after zeros.
        let begins = self.lines == 0;
        if !begins && parts.seq != self.seq + 1 {
            return Err(What::Jump { from: self.seq, to: parts.seq });
        }
        if !begins && parts.prev != self.head {
            return Err(What::Prev);
        }
        let event = line::read_event(parts.fields, &mut self.scratch)?;
        if self.line == 1 && !matches!(event, Event::Opened(_)) {
            return Err(What::NotOpened);
        }
        match &event {
            Event::Opened(opened) => self.open(opened, begins.then_some((parts.seq, parts.prev)))?,
            Event::Asked(_) => self.requests += 1,
            // A journal whose first segments were thrown away cannot be counted.
            Event::Closed { requests } if self.first_segment == 1 && *requests != self.requests => {
                return Err(What::Count { says: *requests, found: self.requests });
            }
            Event::Closed { .. } => self.closed = true,
            Event::Answered(_)
            | Event::AgentStarted(_)
            | Event::AgentExited(_)
            | Event::WorkspaceFound(_)
            | Event::WorkspaceSeen(_)
            | Event::CommandRan(_)
            | Event::EscapeTried(_)
            | Event::CassettePlayed(_)
            | Event::Bridge(_)
            | Event::Daemon(_)
            | Event::Drive(_)
            | Event::Work(_)
            | Event::Judged(_) => {}
        }
        self.seq = parts.seq;
        self.head.clear();
        self.head.extend_from_slice(parts.sum);
        self.lines += 1;
        Ok((parts.t_us, event))
    }

    fn open(&mut self, opened: &Opened, first: Option<(u64, &[u8])>) -> Result<(), What> {
        if self.line != 1 {
            return Err(What::Reopened);
        }
        if let Some((seq, prev)) = first {
            if opened.segment == 1 && seq != 1 {
                return Err(What::Jump { from: 0, to: seq });
            }
            if (prev == digest::ZERO) != (opened.segment == 1) {
                return Err(What::Prev);
            }
            self.first_segment = opened.segment;
        }
        if let Some(before) = &self.opened {
            let expected = before.segment.saturating_add(1);
            if opened.segment != expected {
                return Err(What::Segment { expected, found: opened.segment });
            }
            if (&before.run, &before.case) != (&opened.run, &opened.case) {
                return Err(What::Stranger);
            }
        }
        self.opened = Some(opened.clone());
        Ok(())
    }

    /// The segment's last bytes, which no line feed ends. A kill leaves the beginning of a line; more is tampering.
    ///
    /// # Errors
    /// When they are no beginning of the line that is due.
    pub fn tail(&mut self, tail: &[u8]) -> Result<(), Fault> {
        if tail.is_empty() {
            return Ok(());
        }
        if tail.len() > MAX_LINE {
            return Err(self.fault_at_next(What::Long));
        }
        let due = match &self.opened {
            Some(_) => format!("{{\"v\":1,\"seq\":{},\"t\":", self.seq + 1),
            None => "{\"v\":1,\"seq\":".to_owned(),
        };
        let common = due.len().min(tail.len());
        // A sum that is already whole leaves nothing more to write than the closing quote, brace and line feed.
        let whole = tail.windows(line::SUM_MARK.len()).rposition(|window| window == line::SUM_MARK);
        let beyond = whole.is_some_and(|at| tail.len() - at > line::SUM_LEN);
        if self.closed || beyond || tail[..common] != due.as_bytes()[..common] {
            return Err(self.fault_at_next(What::Tail));
        }
        if whole.is_some_and(|at| tail.len() - at == line::SUM_LEN) {
            let intact =
                line::take_apart(tail).map(|parts| digest::hex(&digest::of(parts.covered)) == parts.sum);
            if !intact.unwrap_or(false) {
                return Err(self.fault_at_next(What::Sum));
            }
        }
        self.cut = Some(self.offset);
        Ok(())
    }

    /// Bytes of whole lines in the segment that was taken in last.
    #[must_use]
    pub fn whole_bytes(&self) -> u64 {
        self.offset
    }

    /// What the journal was.
    ///
    /// # Errors
    /// When it held no whole line.
    pub fn finish(self) -> Result<Verified, Fault> {
        let Some(opened) = self.opened else {
            return Err(Fault { line: 1, what: What::Empty });
        };
        Ok(Verified {
            lines: self.lines,
            head: line::plain(&self.head),
            requests: self.requests,
            closed: self.closed,
            cut: self.cut,
            run: opened.run,
            case: opened.case,
            first_segment: self.first_segment,
        })
    }

    fn fault(&self, what: What) -> Fault {
        Fault { line: self.line, what }
    }

    fn fault_at_next(&self, what: What) -> Fault {
        Fault { line: self.line + 1, what }
    }
}
