//! Finds the real id in decoded text that comes in pieces, and writes the alias in its place; all else leaves as it was written.

use super::Names;

/// Bytes of the longest character.
const LONGEST: usize = 4;

/// The search. What could be the beginning of an id, or needs a look at the character after it, is held back.
#[derive(Debug)]
pub(super) struct Search {
    names: Names,
    /// The alias is written as inside a JSON string.
    quoted: bool,
    /// The last bytes of the decoded text that left.
    before: Vec<u8>,
    /// Decoded text that is held back.
    held: Vec<u8>,
    /// The same as it was written.
    raw: Vec<u8>,
    /// For each byte of `held` how many bytes of `raw` it stands for; an escape of several bytes counts at its first.
    widths: Vec<u8>,
}

/// What comes next in a text.
enum Next {
    /// A whole id at this place.
    Id(usize),
    /// None before this place; what follows must wait (or is the text's end).
    Wait(usize),
}

/// What the first bytes of a text are.
enum First {
    Letter,
    Other,
    Cut,
}

impl Search {
    pub(super) fn new(names: &Names, quoted: bool) -> Self {
        let (before, held, raw, widths) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        Self { names: names.clone(), quoted, before, held, raw, widths }
    }

    /// Text in which each byte stands for itself.
    pub(super) fn plain(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while !self.held.is_empty() && !rest.is_empty() {
            let take = rest.len().min(self.names.real().len() + LONGEST);
            self.hold(&rest[..take]);
            self.settle(false, out);
            if self.held.len() <= take {
                // What still waits began in these bytes: go on with them where they lie.
                rest = &rest[take - self.held.len()..];
                self.forget();
            } else {
                rest = &rest[take..];
            }
        }
        let mut at = 0;
        loop {
            let next = self.next(rest, at, false);
            let (Next::Id(place) | Next::Wait(place)) = next;
            out.extend_from_slice(&rest[at..place]);
            at = place;
            match next {
                Next::Id(_) => {
                    self.write_alias(out);
                    at += self.names.real().len();
                }
                Next::Wait(_) => break,
            }
        }
        self.passed(&rest[..at]);
        self.hold(&rest[at..]);
    }

    /// One character (or half a surrogate pair) that was written in another way than as itself.
    #[expect(clippy::cast_possible_truncation, reason = "the longest escape has 12 bytes")]
    pub(super) fn escape(&mut self, decoded: &[u8], raw: &[u8], out: &mut Vec<u8>) {
        if self.held.is_empty() && decoded[0] != self.names.real().as_bytes()[0] {
            out.extend_from_slice(raw);
            return self.passed(decoded);
        }
        self.held.extend_from_slice(decoded);
        self.raw.extend_from_slice(raw);
        self.widths.push(raw.len() as u8);
        self.widths.resize(self.held.len(), 0);
        self.settle(false, out);
    }

    /// The text is at its end; the next one starts anew.
    pub(super) fn end(&mut self, out: &mut Vec<u8>) {
        self.settle(true, out);
        self.before.clear();
    }

    /// From here on the text is what was written, not what it decodes to: what is held back is looked at again.
    pub(super) fn become_text(&mut self) {
        self.quoted = false;
        let raw = std::mem::take(&mut self.raw);
        self.forget();
        self.hold(&raw);
    }

    /// The opposite, at the start of a document.
    pub(super) fn become_quoted(&mut self) {
        self.quoted = true;
    }

    /// Tells what stood before the text that comes.
    pub(super) fn stands_after(&mut self, before: &[u8]) {
        self.before.clear();
        self.passed(before);
    }

    /// How many bytes, as they were written, are held back.
    pub(super) fn pending(&self) -> usize {
        self.raw.len()
    }

    fn hold(&mut self, bytes: &[u8]) {
        self.held.extend_from_slice(bytes);
        self.raw.extend_from_slice(bytes);
        self.widths.resize(self.held.len(), 1);
    }

    fn forget(&mut self) {
        self.held.clear();
        self.raw.clear();
        self.widths.clear();
    }

    fn write_alias(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(if self.quoted { self.names.escaped() } else { self.names.alias().as_bytes() });
    }

    /// Notes decoded text that left.
    fn passed(&mut self, text: &[u8]) {
        if text.is_empty() {
            return;
        }
        self.before.extend_from_slice(&text[text.len().saturating_sub(LONGEST)..]);
        let old = self.before.len().saturating_sub(LONGEST);
        self.before.drain(..old);
    }

    /// Lets go of what is held back as far as it is decided.
    fn settle(&mut self, last: bool, out: &mut Vec<u8>) {
        let written = |widths: &[u8]| widths.iter().map(|width| usize::from(*width)).sum::<usize>();
        let (mut at, mut raw_at) = (0, 0);
        loop {
            let next = self.next(&self.held, at, last);
            let (Next::Id(place) | Next::Wait(place)) = next;
            let width = written(&self.widths[at..place]);
            out.extend_from_slice(&self.raw[raw_at..raw_at + width]);
            (at, raw_at) = (place, raw_at + width);
            match next {
                Next::Id(_) => {
                    self.write_alias(out);
                    let end = at + self.names.real().len();
                    raw_at += written(&self.widths[at..end]);
                    at = end;
                }
                Next::Wait(_) => break,
            }
        }
        let mut held = std::mem::take(&mut self.held);
        self.passed(&held[..at]);
        held.drain(..at);
        self.held = held;
        self.raw.drain(..raw_at);
        self.widths.drain(..at);
    }

    /// Looks at a text from a place on; the text begins where `before` ends.
    fn next(&self, text: &[u8], at: usize, last: bool) -> Next {
        let real = self.names.real().as_bytes();
        let mut from = at;
        while let Some(place) = self.names.find(&text[from..]).map(|place| from + place) {
            if self.free_before(text, place) {
                match first(&text[place + real.len()..]) {
                    _ if !self.names.ends_as_word() => return Next::Id(place),
                    First::Other => return Next::Id(place),
                    First::Cut if last => return Next::Id(place),
                    First::Cut => return Next::Wait(place),
                    First::Letter => {}
                }
            }
            from = place + 1;
        }
        if last {
            return Next::Wait(text.len());
        }
        let tail = from.max((text.len() + 1).saturating_sub(real.len()));
        let begun = memchr::memchr_iter(real[0], &text[tail..])
            .map(|place| tail + place)
            .find(|&place| real.starts_with(&text[place..]) && self.free_before(text, place));
        Next::Wait(begun.unwrap_or(text.len()))
    }

    fn free_before(&self, text: &[u8], place: usize) -> bool {
        if !self.names.begins_as_word() {
            return true;
        }
        let mut near = [0; 2 * LONGEST];
        let here = &text[place.saturating_sub(LONGEST)..place];
        let there = if here.len() < LONGEST { &self.before[..] } else { &[] };
        let len = there.len() + here.len();
        near[..there.len()].copy_from_slice(there);
        near[there.len()..len].copy_from_slice(here);
        let near = &near[..len];
        !(1..=LONGEST.min(len))
            .find_map(|width| std::str::from_utf8(&near[len - width..]).ok())
            .is_some_and(|before| before.starts_with(char::is_alphanumeric))
    }
}

/// What a text begins with; bytes that are not UTF-8 are no letters.
fn first(text: &[u8]) -> First {
    let start = &text[..text.len().min(LONGEST)];
    let whole = match std::str::from_utf8(start) {
        Ok(whole) => whole,
        Err(error) if error.valid_up_to() == 0 => {
            return if error.error_len().is_none() { First::Cut } else { First::Other };
        }
        Err(error) => std::str::from_utf8(&start[..error.valid_up_to()]).unwrap_or_default(),
    };
    match whole.chars().next() {
        Some(letter) if letter.is_alphanumeric() => First::Letter,
        Some(_) => First::Other,
        None => First::Cut,
    }
}
