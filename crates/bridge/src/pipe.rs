//! What becomes of an answer's body on its way to the client: its coding is taken off where names must be mapped, and then they are.

use crate::passing::Header;
use bytes::Bytes;
use rehearsal_wire::relay::Names;
use rehearsal_wire::relay::coding::{Coding, CodingError, Decoder};
use rehearsal_wire::relay::events::{EventMap, StreamEnd};
use rehearsal_wire::relay::json::JsonMap;
use rehearsal_wire::relay::text::TextMap;

/// Most bytes that a coded body may become.
pub(crate) const MOST_DECODED: u64 = 1 << 30;

/// How a body is framed into documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// Server-sent events.
    Events,
    /// JSON, or lines of it.
    Json,
    /// Anything else.
    Text,
}

impl Form {
    /// The form of a body by its `Content-Type`; without one it is taken for JSON.
    #[must_use]
    pub(crate) fn of(headers: &[Header]) -> Self {
        let Some(value) = value(headers, "content-type") else { return Self::Json };
        let essence = value.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
        match essence.as_str() {
            "text/event-stream" => Self::Events,
            "" => Self::Json,
            json if json.contains("json") => Self::Json,
            _ => Self::Text,
        }
    }
}

/// The value of a header, whatever the case of its name; the first of several.
#[must_use]
pub(crate) fn value(headers: &[Header], name: &str) -> Option<String> {
    let (_, value) = headers.iter().find(|(known, _)| known.eq_ignore_ascii_case(name))?;
    Some(String::from_utf8_lossy(value).into_owned())
}

/// The codings of a body in the order in which they were put on; none of them `identity`.
///
/// # Errors
/// When one is not known.
pub(crate) fn codings(headers: &[Header]) -> Result<Vec<Coding>, CodingError> {
    Coding::list(&value(headers, "content-encoding").unwrap_or_default())
}

/// A whole body without its codings, up to about `most` bytes. What a broken or cut one gave is taken.
#[must_use]
pub(crate) fn decoded(codings: &[Coding], body: Vec<u8>, most: usize) -> Vec<u8> {
    if codings.is_empty() {
        return body;
    }
    let mut out = Vec::new();
    let mut decoder = Decoder::new(codings, most as u64);
    if decoder.push(&body, &mut out).is_ok() {
        drop(decoder.finish(&mut out));
    }
    out
}

/// A body on its way. Without names it passes as it comes.
#[derive(Debug)]
pub(crate) struct Pipe {
    decoder: Option<Decoder>,
    map: Map,
    decoded: Vec<u8>,
    tail: Tail,
}

#[derive(Debug)]
enum Map {
    None,
    Json(JsonMap),
    Text(TextMap),
    Events(EventMap),
}

impl Pipe {
    /// The pipe of a body. `spare` are keys whose values are generated text.
    #[must_use]
    pub(crate) fn new(
        names: Option<&Names>,
        spare: &'static [&'static str],
        form: Form,
        codings: &[Coding],
    ) -> Self {
        let (decoder, map) = match names {
            None => (None, Map::None),
            Some(names) => {
                let map = match form {
                    Form::Events => Map::Events(EventMap::new(names, spare)),
                    Form::Json => Map::Json(JsonMap::new(names, spare)),
                    Form::Text => Map::Text(TextMap::new(names)),
                };
                ((!codings.is_empty()).then(|| Decoder::new(codings, MOST_DECODED)), map)
            }
        };
        Self { decoder, map, decoded: Vec::new(), tail: Tail::default() }
    }

    /// Takes pieces that came, none where the body is over; gives what may leave of each, and whether a coding is broken.
    pub(crate) fn pass(&mut self, pieces: Vec<Bytes>) -> (Vec<Bytes>, Result<(), CodingError>) {
        let mut passed = Vec::with_capacity(pieces.len());
        let mut leave = |out: Vec<u8>| {
            if !out.is_empty() {
                passed.push(Bytes::from(out));
            }
        };
        if pieces.is_empty() {
            let mut out = Vec::new();
            let finished = self.finish(&mut out);
            leave(out);
            return (passed, finished);
        }
        if self.decoder.is_none() && matches!(self.map, Map::None) {
            pieces.iter().for_each(|piece| self.tail.push(piece));
            return (pieces, Ok(()));
        }
        for piece in pieces {
            let mut out = Vec::new();
            let pushed = self.push(&piece, &mut out);
            leave(out);
            if pushed.is_err() {
                return (passed, pushed);
            }
        }
        (passed, Ok(()))
    }

    /// Takes what came; appends what may leave.
    ///
    /// # Errors
    /// When the coding is broken: what could be decoded has left.
    pub(crate) fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) -> Result<(), CodingError> {
        let Some(decoder) = &mut self.decoder else {
            self.map.push(bytes, out);
            self.tail.push(bytes);
            return Ok(());
        };
        self.decoded.clear();
        let pushed = decoder.push(bytes, &mut self.decoded);
        self.map.push(&self.decoded, out);
        self.tail.push(&self.decoded);
        pushed
    }

    /// The body is over; appends what was held back.
    ///
    /// # Errors
    /// When the coding says that more should come.
    pub(crate) fn finish(&mut self, out: &mut Vec<u8>) -> Result<(), CodingError> {
        self.decoded.clear();
        let finished = self.decoder.as_mut().map_or(Ok(()), |decoder| decoder.finish(&mut self.decoded));
        self.map.push(&self.decoded, out);
        self.tail.push(&self.decoded);
        match &mut self.map {
            Map::None => {}
            Map::Json(map) => map.finish(out),
            Map::Text(map) => map.finish(out),
            Map::Events(map) => map.finish(out),
        }
        finished
    }

    /// Whether a stream of events that ended here broke off within one. Where nothing but the end of the connection says that a
    /// body is over, this is all that tells a cut stream from a whole one.
    #[must_use]
    pub(crate) fn broke_off(&self) -> bool {
        match &self.map {
            Map::Events(map) => map.ended() == StreamEnd::MidEvent,
            Map::None => self.tail.is_within_event(),
            Map::Json(_) | Map::Text(_) => false,
        }
    }
}

impl Map {
    fn push(&mut self, bytes: &[u8], out: &mut Vec<u8>) {
        match self {
            Self::None => out.extend_from_slice(bytes),
            Self::Json(map) => map.push(bytes, out),
            Self::Text(map) => map.push(bytes, out),
            Self::Events(map) => map.push(bytes, out),
        }
    }
}

/// The last bytes of a body: enough to know a blank line, and the line that ends most streams.
#[derive(Debug, Default)]
struct Tail(Vec<u8>);

impl Tail {
    const LONGEST: usize = 32;

    fn push(&mut self, bytes: &[u8]) {
        if bytes.len() >= Self::LONGEST {
            self.0.clear();
            self.0.extend_from_slice(&bytes[bytes.len() - Self::LONGEST..]);
            return;
        }
        self.0.extend_from_slice(bytes);
        let over = self.0.len().saturating_sub(Self::LONGEST);
        self.0.drain(..over);
    }

    fn is_within_event(&self) -> bool {
        let text = self.0.as_slice();
        let blank = [&b"\n\n"[..], b"\r\n\r\n", b"\r\r"].iter().any(|end| text.ends_with(end));
        let line = text.trim_ascii_end();
        let last = line.rsplit(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
        let done = last == b"data: [DONE]" || last == b"data:[DONE]";
        !(text.is_empty() || blank || done || last.first() == Some(&b':'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names() -> Names {
        Names::new("real-1", "alias").unwrap()
    }

    fn headers(content_type: &str) -> Vec<Header> {
        vec![("Content-Type".to_owned(), content_type.as_bytes().to_vec())]
    }

    #[test]
    fn the_form_follows_from_the_type_whatever_its_letters() {
        for (content_type, form) in [
            ("Text/Event-Stream; charset=utf-8", Form::Events),
            ("application/json", Form::Json),
            ("application/x-ndjson", Form::Json),
            ("application/problem+json", Form::Json),
            ("text/html", Form::Text),
            ("", Form::Json),
        ] {
            assert_eq!(Form::of(&headers(content_type)), form, "{content_type}");
        }
        assert_eq!(Form::of(&[]), Form::Json);
    }

    #[test]
    fn a_stream_that_ends_within_an_event_broke_off_with_names_and_without() {
        for (text, broke_off) in [
            ("data: {\"a\":1}\n\n", false),
            ("data: {\"a\":1}\r\n\r\ndata: [DONE]", false),
            ("data: {\"a\":1}\n\ndata: [DONE]\n", false),
            ("data: {\"a\":1}\n\ndata: {\"a\"", true),
            ("data: {\"a\":", true),
            ("", false),
            ("data: {\"a\":1}\r\r", false),
        ] {
            for names in [None, Some(&names())] {
                let mut pipe = Pipe::new(names, &["choices"], Form::Events, &[]);
                let mut out = Vec::new();
                for byte in text.as_bytes() {
                    pipe.push(&[*byte], &mut out).unwrap();
                }
                pipe.finish(&mut out).unwrap();
                assert_eq!(pipe.broke_off(), broke_off, "{text:?} {names:?}");
                assert_eq!(String::from_utf8(out).unwrap(), text);
            }
        }
    }

    #[test]
    fn names_are_mapped_in_every_form() {
        for (form, text, mapped) in [
            (
                Form::Json,
                r#"{"model":"real-1","choices":["real-1"]}"#,
                r#"{"model":"alias","choices":["real-1"]}"#,
            ),
            (Form::Events, "data: {\"model\":\"real-1\"}\n\n", "data: {\"model\":\"alias\"}\n\n"),
            (Form::Text, "<p>real-1</p>", "<p>alias</p>"),
        ] {
            let mut pipe = Pipe::new(Some(&names()), &["choices"], form, &[]);
            let mut out = Vec::new();
            pipe.push(text.as_bytes(), &mut out).unwrap();
            pipe.finish(&mut out).unwrap();
            assert_eq!(String::from_utf8(out).unwrap(), mapped);
        }
    }
}
