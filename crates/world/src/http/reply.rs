//! Replies in the two forms in which they leave: as a hyper response and as raw bytes.

use std::pin::Pin;
use std::task::{Context, Poll};

use bytes::Bytes;
use hyper::body::{Body, Frame, SizeHint};
use hyper::header::{CONNECTION, CONTENT_LENGTH, HeaderName, HeaderValue, TRANSFER_ENCODING};
use hyper::{HeaderMap, Method, Response, StatusCode, Version};
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_wire::fault::chunked;
use rehearsal_wire::follow::RequestHead;
use rehearsal_wire::frames::Frames;
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::json::write_number;

use super::live::Live;
use super::{Answer, Reply};

/// What follows a head.
enum Content {
    Whole(Vec<u8>),
    Chunks(Frames),
}

/// The body of a hyper response.
#[derive(Debug)]
pub(super) enum Payload {
    Whole(Vec<u8>),
    Chunks(std::vec::IntoIter<Bytes>),
}

impl From<Content> for Payload {
    fn from(content: Content) -> Self {
        match content {
            Content::Whole(body) => Self::Whole(body),
            Content::Chunks(frames) => {
                let said = frames.iter().filter(|frame| !frame.is_empty());
                Self::Chunks(said.map(Bytes::copy_from_slice).collect::<Vec<_>>().into_iter())
            }
        }
    }
}

impl Body for Payload {
    type Data = Bytes;
    type Error = std::convert::Infallible;

    fn poll_frame(
        self: Pin<&mut Self>,
        _: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Self::Error>>> {
        let next = match self.get_mut() {
            Self::Whole(body) if body.is_empty() => None,
            Self::Whole(body) => Some(Bytes::from(std::mem::take(body))),
            Self::Chunks(frames) => frames.next(),
        };
        Poll::Ready(next.map(|data| Ok(Frame::data(data))))
    }

    fn is_end_stream(&self) -> bool {
        match self {
            Self::Whole(body) => body.is_empty(),
            Self::Chunks(frames) => frames.as_slice().is_empty(),
        }
    }

    fn size_hint(&self) -> SizeHint {
        match self {
            Self::Whole(body) => SizeHint::with_exact(body.len() as u64),
            // Without a length hyper frames it in chunks.
            Self::Chunks(_) => SizeHint::default(),
        }
    }
}

/// What of a request decides how its answer is framed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Asked {
    /// The method is HEAD.
    pub(super) head_only: bool,
    /// HTTP/1.0 knows no chunks.
    pub(super) old: bool,
    /// The client closes after the answer.
    pub(super) last: bool,
}

impl Asked {
    pub(super) fn of(parts: &hyper::http::request::Parts) -> Self {
        let old = parts.version == Version::HTTP_10;
        let says = |word: &[u8]| {
            parts.headers.get_all(CONNECTION).iter().any(|value| {
                value
                    .as_bytes()
                    .split(|&byte| byte == b',')
                    .any(|token| token.trim_ascii().eq_ignore_ascii_case(word))
            })
        };
        let last = if old { !says(b"keep-alive") } else { says(b"close") };
        Self { head_only: parts.method == Method::HEAD, old, last }
    }

    /// The same for a request that hyper never read, or not to its end.
    pub(super) fn refused(head: Option<&RequestHead>) -> Self {
        let head_only = head.is_some_and(|head| head.method() == "HEAD");
        let old = head.is_some_and(|head| head.version() == "HTTP/1.0");
        Self { head_only, old, last: true }
    }
}

/// A hyper response and how many bytes follow its head.
pub(super) struct Ordinary {
    pub(super) response: Response<Payload>,
    pub(super) body_length: u64,
}

/// What leaves on the raw socket.
#[derive(Debug)]
pub(super) enum Raw {
    /// All of it is known.
    Plan(Plan),
    /// It is made while it leaves. Boxed, so that all others are no larger for it.
    Live(Box<Live>),
}

/// How an answer leaves.
pub(super) enum Way {
    /// Through hyper.
    Ordinary(Ordinary),
    /// On the raw socket.
    Raw(Raw),
}

/// Chooses the way of an answer: through hyper, unless hyper would not send it as it stands.
pub(super) fn way(answer: Answer, asked: Asked) -> Way {
    let close = answer.close;
    let (head, content) = match answer.reply {
        Reply::Acts(_) | Reply::Live { .. } => return Way::Raw(played(answer, asked)),
        Reply::Whole { head, body } => (head, Content::Whole(body)),
        Reply::Chunks { head, frames } => (head, Content::Chunks(frames)),
    };
    match translate(&head, close) {
        Some((status, headers)) => {
            let body_length = if bare(&head, asked) { 0 } else { length(&content, asked.old) };
            let mut response = Response::new(content.into());
            *response.status_mut() = status;
            *response.headers_mut() = headers;
            Way::Ordinary(Ordinary { response, body_length })
        }
        None => Way::Raw(Raw::Plan(raw(head, content, asked, close))),
    }
}

/// An answer for the raw socket, whatever its form.
pub(super) fn played(answer: Answer, asked: Asked) -> Raw {
    Raw::Plan(match answer.reply {
        Reply::Acts(mut plan) => {
            if asked.last {
                plan.after = After::Close;
            }
            plan
        }
        Reply::Whole { head, body } => raw(head, Content::Whole(body), asked, answer.close),
        Reply::Chunks { head, frames } => raw(head, Content::Chunks(frames), asked, answer.close),
        Reply::Live { head, body } => {
            return Raw::Live(Box::new(Live::new(head, body, asked, answer.close)));
        }
    })
}

/// The answer to a refused request, which ends its connection.
pub(super) fn last_played(answer: Answer, asked: Asked) -> Raw {
    played(Answer { close: true, ..answer }, Asked { last: true, ..asked })
}

/// Whether only the head leaves.
pub(super) fn bare(head: &ResponseHead, asked: Asked) -> bool {
    asked.head_only || matches!(head.status, 204 | 304)
}

/// How a client knows where a body ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Framing {
    /// Its length in bytes is said before it.
    Length(u64),
    /// It comes in chunks.
    Chunked,
    /// The connection ends with it.
    ToTheEnd,
}

impl Framing {
    /// For a body of a length that is not known.
    pub(super) fn unknown(asked: Asked) -> Self {
        if asked.old { Self::ToTheEnd } else { Self::Chunked }
    }
}

/// A head with its framing; `room` bytes more may follow without a move. Returns whether the connection ends with the reply.
pub(super) fn open(
    mut head: ResponseHead,
    framing: Framing,
    asked: Asked,
    close: bool,
    room: usize,
) -> (Vec<u8>, bool) {
    let last = close || asked.last || (framing == Framing::ToTheEnd && !bare(&head, asked));
    head.headers.retain(|(name, _)| !OURS.iter().any(|ours| name.eq_ignore_ascii_case(ours.as_str())));
    if last {
        head = head.with("connection", "close");
    }
    let mut bytes = Vec::with_capacity(head.room() + room);
    head.write_lines(&mut bytes);
    match framing {
        // RFC 9110, 8.6 and RFC 9112, 6.1: this status has neither.
        _ if head.status == 204 => {}
        Framing::Length(length) => {
            bytes.extend_from_slice(b"content-length: ");
            write_number(&mut bytes, length);
            bytes.extend_from_slice(b"\r\n");
        }
        Framing::ToTheEnd => {}
        Framing::Chunked => bytes.extend_from_slice(b"transfer-encoding: chunked\r\n"),
    }
    bytes.extend_from_slice(b"\r\n");
    (bytes, last)
}

/// A reply as one write.
fn raw(head: ResponseHead, content: Content, asked: Asked, close: bool) -> Plan {
    let bare = bare(&head, asked);
    let (framing, room) = match &content {
        Content::Whole(body) => (Framing::Length(body.len() as u64), 0),
        Content::Chunks(frames) => (Framing::unknown(asked), chunked::room(frames)),
    };
    let (mut bytes, last) = open(head, framing, asked, close, room);
    match content {
        _ if bare => {}
        Content::Whole(body) => bytes = before(bytes, body),
        Content::Chunks(frames) if asked.old => bytes.extend_from_slice(frames.bytes()),
        Content::Chunks(frames) => chunked::whole(&mut bytes, &frames),
    }
    Plan { acts: vec![Act::Write(bytes)], after: if last { After::Close } else { After::KeepAlive } }
}

/// A head before its body, in the body's memory where that has room for both: to move a body costs less than a further buffer.
fn before(mut head: Vec<u8>, mut body: Vec<u8>) -> Vec<u8> {
    if body.capacity() - body.len() < head.len() {
        head.reserve_exact(body.len());
        head.extend_from_slice(&body);
        return head;
    }
    let length = body.len();
    body.extend_from_slice(&head);
    body.copy_within(..length, head.len());
    body[..head.len()].copy_from_slice(&head);
    body
}

/// Headers that follow from the framing and are never the app's.
const OURS: [HeaderName; 3] = [CONTENT_LENGTH, TRANSFER_ENCODING, CONNECTION];

/// The head in hyper's form; `None` where hyper would change or refuse it.
fn translate(head: &ResponseHead, close: bool) -> Option<(StatusCode, HeaderMap)> {
    let status = StatusCode::from_u16(head.status).ok().filter(|status| !status.is_informational())?;
    let mut headers = HeaderMap::with_capacity(head.headers.len() + 2);
    for (name, value) in &head.headers {
        let name = HeaderName::from_bytes(name.as_bytes()).ok()?;
        if OURS.contains(&name) {
            continue;
        }
        headers.append(name, HeaderValue::from_str(value).ok()?);
    }
    if close {
        headers.insert(CONNECTION, HeaderValue::from_static("close"));
    }
    Some((status, headers))
}

/// How many bytes a body takes on the wire.
fn length(content: &Content, old: bool) -> u64 {
    match content {
        Content::Whole(body) => body.len() as u64,
        Content::Chunks(frames) if frames.bytes().is_empty() => 0,
        Content::Chunks(frames) => {
            let framing = |frame: &[u8]| match frame.len() {
                0 => 0,
                _ if old => 0,
                length => hex_digits(length) + 4,
            };
            let data: usize = frames.iter().map(|frame| frame.len() + framing(frame)).sum();
            // The empty chunk at the end is `0`, twice CR LF.
            data as u64 + if old { 0 } else { 5 }
        }
    }
}

fn hex_digits(number: usize) -> usize {
    number.checked_ilog(16).map_or(1, |digits| digits as usize + 1)
}

#[cfg(test)]
mod tests {
    use super::before;

    #[test]
    fn a_head_stands_before_its_body_wherever_there_is_room() {
        for length in [0, 1, 20, 300] {
            for spare in [0, 1, 3, 4, 5, 400] {
                let mut body = Vec::with_capacity(length + spare);
                body.extend((0..length).map(|at| b'a' + (at % 26) as u8));
                let wanted = [b"head".as_slice(), &body].concat();
                assert_eq!(before(b"head".to_vec(), body), wanted, "{length} bytes, {spare} spare");
            }
        }
    }
}
