//! The framing of a chunked body, followed without keeping it: sizes, extensions, data, trailers.

/// Where in a chunked body the next byte stands.
#[derive(Debug)]
pub(super) struct Chunked {
    state: State,
    /// Bytes that size lines and trailers may still take together.
    budget: usize,
}

#[derive(Clone, Copy, Debug)]
enum State {
    /// In the digits of a size; none yet if `None`.
    Size(Option<u64>),
    /// In what follows the digits on their line.
    Extension(u64),
    /// After the CR of a size line.
    SizeEnd(u64),
    Data(u64),
    /// After the data of a chunk: CR, then LF.
    DataCr,
    DataLf,
    /// At the start of a trailer line, after the CR there, or inside one.
    TrailerStart,
    TrailerCr,
    Trailer,
}

/// What became of the bytes.
pub(super) enum Fed {
    /// All of them belong to the body.
    More,
    /// The body ended after so many of them.
    Done(usize),
    /// This is no chunked body.
    Broken,
}

impl Chunked {
    /// Before the first size. `budget` bounds all size lines with extensions and trailers together.
    pub(super) fn new(budget: usize) -> Self {
        Self { state: State::Size(None), budget: budget.max(64) }
    }

    pub(super) fn feed(&mut self, bytes: &[u8]) -> Fed {
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if let State::Data(left) = self.state {
                let used = usize::try_from(left).map_or(bytes.len() - at, |left| left.min(bytes.len() - at));
                at += used;
                let left = left - used as u64;
                self.state = if left == 0 { State::DataCr } else { State::Data(left) };
                continue;
            }
            at += 1;
            match self.step(byte) {
                Some(State::TrailerStart) if matches!(self.state, State::TrailerStart | State::TrailerCr) => {
                    return Fed::Done(at);
                }
                Some(next) => self.state = next,
                None => return Fed::Broken,
            }
        }
        Fed::More
    }

    /// The state after a byte of framing; the end of the body reads as a second trailer start. `None` is broken.
    fn step(&mut self, byte: u8) -> Option<State> {
        if !matches!(self.state, State::DataCr | State::DataLf | State::Size(_) | State::SizeEnd(_)) {
            self.budget = self.budget.checked_sub(1)?;
        }
        match (self.state, byte) {
            (State::Size(Some(size)), b'\r') => Some(State::SizeEnd(size)),
            (State::Size(Some(size)), b'\n') | (State::SizeEnd(size), b'\n') => Some(after_size(size)),
            (State::Size(Some(size)), b';' | b' ' | b'\t') => Some(State::Extension(size)),
            (State::Size(size), digit) => {
                let digit = char::from(digit).to_digit(16)?;
                let size = size.unwrap_or(0).checked_mul(16)?.checked_add(u64::from(digit))?;
                Some(State::Size(Some(size)))
            }
            (State::SizeEnd(_), _) => None,
            (State::Extension(size), b'\r') => Some(State::SizeEnd(size)),
            (State::Extension(size), b'\n') => Some(after_size(size)),
            (State::Extension(size), _) => Some(State::Extension(size)),
            (State::DataCr, b'\r') => Some(State::DataLf),
            (State::DataLf, b'\n') => Some(State::Size(None)),
            (State::DataCr | State::DataLf, _) => None,
            (State::TrailerStart, b'\r') => Some(State::TrailerCr),
            (State::TrailerStart | State::TrailerCr | State::Trailer, b'\n') => Some(State::TrailerStart),
            (State::TrailerStart | State::Trailer, _) => Some(State::Trailer),
            (State::TrailerCr, _) => None,
            // `feed` passes over data in whole runs.
            (State::Data(left), _) => Some(State::Data(left)),
        }
    }
}

fn after_size(size: u64) -> State {
    if size == 0 { State::TrailerStart } else { State::Data(size) }
}
