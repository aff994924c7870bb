//! An event stream (WHATWG HTML, 9.2.6) with the real id replaced, in any chunking; line ends, blanks and field names leave
//! as they came.

use super::Names;
use super::json::JsonMap;
use super::text::TextMap;
use memchr::memchr2;

/// How a stream stood where it ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StreamEnd {
    /// Behind an event (or before the first one); a comment may have been cut.
    WholeEvents,
    /// All of an event but its blank line, and its data is `[DONE]` or one whole JSON value.
    LastLineUnended,
    /// Inside an event.
    MidEvent,
}

/// The map of one stream. The `data` lines of an event are one JSON document; everything else is plain text, line by line.
#[derive(Debug)]
pub struct EventMap {
    json: JsonMap,
    text: TextMap,
    line: Line,
    /// The beginning of a line, as long as it can be a field name that must stay.
    name: Vec<u8>,
    first_line: bool,
    /// The last byte was a CR that ended a line: an LF right after it belongs to it.
    after_cr: bool,
    data: Data,
    /// An `event` field came since the last blank line.
    has_kind: bool,
    done_seen: bool,
    events: u64,
    /// How the stream stood when it was finished.
    end: Option<StreamEnd>,
}

/// Where in a line we are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Line {
    /// Before its colon.
    Name,
    /// Behind the colon of a field, where one blank may stand.
    Colon(Field),
    /// In the value of a field.
    Value(Field),
    /// In a comment.
    Comment,
    /// In a line that has no field of the standard.
    Unknown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Field {
    Data,
    Other,
}

/// What the data of the current event is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Data {
    /// No data line yet.
    None,
    /// So many bytes of `[DONE]`, held back.
    Begun(usize),
    /// `[DONE]`; whether only white space followed.
    Done(bool),
    /// Anything else.
    Json,
}

const DONE: &[u8] = b"[DONE]";
const MARK: &[u8] = &[0xEF, 0xBB, 0xBF];
const FIELDS: [&[u8]; 4] = [b"data", b"event", b"id", b"retry"];

impl EventMap {
    /// A map at the start of a stream. `spare` names the keys whose values are left alone, as in [`JsonMap::new`].
    #[must_use]
    pub fn new(names: &Names, spare: &'static [&'static str]) -> Self {
        Self {
            json: JsonMap::new(names, spare),
            text: TextMap::new(names),
            line: Line::Name,
            name: Vec::new(),
            first_line: true,
            after_cr: false,
            data: Data::None,
            has_kind: false,
            done_seen: false,
            events: 0,
            end: None,
        }
    }

    /// Takes what came next and appends what can leave.
    pub fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        let mut rest = bytes;
        while let Some(&byte) = rest.first() {
            if std::mem::take(&mut self.after_cr) && byte == b'\n' {
                out.push(byte);
                rest = &rest[1..];
                continue;
            }
            if byte == b'\n' || byte == b'\r' {
                self.line_ended(out);
                out.push(byte);
                self.after_cr = byte == b'\r';
                rest = &rest[1..];
                continue;
            }
            if self.line == Line::Name {
                self.name_goes_on(byte, out);
                rest = &rest[1..];
                continue;
            }
            let part = &rest[..memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())];
            self.line_goes_on(part, out);
            rest = &rest[part.len()..];
        }
    }

    /// The stream is at its end: what was held back leaves. Nothing may be pushed after it.
    pub fn finish(&mut self, out: &mut Vec<u8>) {
        self.end = Some(self.ended());
        if self.line == Line::Name && !FIELDS.contains(&&self.name[..]) {
            self.text.push(&self.name, out);
        } else {
            out.extend_from_slice(&self.name);
        }
        self.name.clear();
        self.let_go_of_done(out);
        self.json.finish(out);
        self.text.finish(out);
    }

    /// How the stream stands, were it to end here; after [`EventMap::finish`], how it stood there.
    #[must_use]
    pub fn ended(&self) -> StreamEnd {
        if let Some(end) = self.end {
            return end;
        }
        let (in_line, in_data) = match self.line {
            Line::Name => (!self.name.is_empty(), self.name == FIELDS[0]),
            Line::Colon(field) | Line::Value(field) => (true, field == Field::Data),
            Line::Comment => (false, false),
            Line::Unknown => (true, false),
        };
        let whole = match self.data {
            Data::None | Data::Begun(_) => false,
            Data::Done(clean) => clean,
            Data::Json => self.json.is_one_value(),
        };
        if self.data == Data::None && !self.has_kind && !in_line {
            StreamEnd::WholeEvents
        } else if whole && (in_data || !in_line) {
            StreamEnd::LastLineUnended
        } else {
            StreamEnd::MidEvent
        }
    }

    /// Whether the data of an event was `[DONE]` (and white space at most behind it).
    #[must_use]
    pub fn done_seen(&self) -> bool {
        self.done_seen || self.data == Data::Done(true)
    }

    /// How many events with data were whole so far, `[DONE]` among them.
    #[must_use]
    pub fn events(&self) -> u64 {
        self.events
    }

    /// How many bytes are held back: as [`JsonMap::pending`] says, or a field name or `[DONE]` that is not whole.
    #[must_use]
    pub fn pending(&self) -> usize {
        let done = if let Data::Begun(length) = self.data { length } else { 0 };
        self.json.pending() + self.text.pending() + self.name.len() + done
    }

    /// A byte of the beginning of a line.
    fn name_goes_on(&mut self, byte: u8, out: &mut Vec<u8>) {
        if byte != b':' {
            self.name.push(byte);
            if self.first_line && self.name == MARK {
                out.append(&mut self.name);
                self.first_line = false;
                return;
            }
            let marks = self.first_line && MARK.starts_with(&self.name);
            if !marks && !FIELDS.iter().any(|field| field.starts_with(&self.name)) {
                self.line = Line::Unknown;
                self.text.push(&std::mem::take(&mut self.name), out);
            }
            return;
        }
        let name = std::mem::take(&mut self.name);
        if FIELDS.contains(&&name[..]) {
            out.extend_from_slice(&name);
            out.push(b':');
            self.text.stands_after(b":");
            self.line = Line::Colon(self.field(&name));
        } else {
            self.line = if name.is_empty() { Line::Comment } else { Line::Unknown };
            self.text.push(&name, out);
            self.text.push(b":", out);
        }
    }

    /// Notes that a line has this field.
    fn field(&mut self, name: &[u8]) -> Field {
        match name {
            b"data" => {
                if self.data == Data::None {
                    self.data = Data::Begun(0);
                }
                Field::Data
            }
            _ => {
                self.has_kind |= name == b"event";
                Field::Other
            }
        }
    }

    /// Bytes of a line behind its name, without line ends.
    fn line_goes_on(&mut self, part: &[u8], out: &mut Vec<u8>) {
        let mut part = part;
        if let Line::Colon(field) = self.line {
            self.line = Line::Value(field);
            if part.first() == Some(&b' ') {
                out.push(b' ');
                self.text.stands_after(b" ");
                part = &part[1..];
            }
        }
        match self.line {
            Line::Value(Field::Data) => self.data_goes_on(part, out),
            Line::Name | Line::Colon(_) | Line::Value(Field::Other) | Line::Comment | Line::Unknown => {
                self.text.push(part, out);
            }
        }
    }

    fn data_goes_on(&mut self, part: &[u8], out: &mut Vec<u8>) {
        let mut part = part;
        while let (Data::Begun(length), Some(&byte)) = (self.data, part.first()) {
            if byte != DONE[length] {
                self.let_go_of_done(out);
                break;
            }
            self.data = Data::Begun(length + 1);
            if length + 1 == DONE.len() {
                out.extend_from_slice(DONE);
                self.text.stands_after(DONE);
                self.data = Data::Done(true);
            }
            part = &part[1..];
        }
        if let Data::Done(clean) = self.data {
            self.data = Data::Done(clean && part.iter().all(u8::is_ascii_whitespace));
            self.text.push(part, out);
        } else {
            self.json.push(part, out);
        }
    }

    /// The data is something else than `[DONE]`.
    fn let_go_of_done(&mut self, out: &mut Vec<u8>) {
        if let Data::Begun(length) = self.data {
            self.data = Data::Json;
            self.json.push(&DONE[..length], out);
        }
    }

    /// Everything of a line but its end was taken.
    fn line_ended(&mut self, out: &mut Vec<u8>) {
        self.first_line = false;
        let name = std::mem::take(&mut self.name);
        let line = match std::mem::replace(&mut self.line, Line::Name) {
            Line::Name if name.is_empty() => return self.event_ended(out),
            Line::Name if FIELDS.contains(&&name[..]) => {
                out.extend_from_slice(&name);
                Line::Value(self.field(&name))
            }
            Line::Name => {
                self.text.push(&name, out);
                Line::Unknown
            }
            line => line,
        };
        if matches!(line, Line::Colon(Field::Data) | Line::Value(Field::Data)) {
            self.let_go_of_done(out);
            if self.data == Data::Json {
                self.json.line_end(out);
            }
        }
        self.text.finish(out);
    }

    fn event_ended(&mut self, out: &mut Vec<u8>) {
        self.done_seen = self.done_seen();
        self.events += u64::from(self.data != Data::None);
        self.data = Data::None;
        self.has_kind = false;
        // Each line end let go of what was held back; this only makes the map ready for the next document.
        self.json.finish(out);
    }
}
