//! Plays faults for the tests of their groups, and reads what leaves.

use rehearsal_wire::act::{Act, Plan};
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::fault::{Answer, Fault, Faulted, Named, Wanted, change_words, fault, play};
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, IssuedCall, Reply, Usage};
use rehearsal_wire::sse::{SseEvent, SseReader};

/// A fault by name and what is set of it.
pub(crate) type Call<'c> = (&'c str, &'c [(&'c str, &'c str)]);

/// A reply that only speaks.
pub(crate) fn words() -> Reply {
    Reply {
        text: Some("It took a while, but here it is.".to_owned()),
        usage: Usage { prompt: 3, completion: 8 },
        ..Reply::default()
    }
}

/// A reply that calls two tools.
pub(crate) fn calls() -> Reply {
    let call = |nth: usize, name: &str, arguments: &str| IssuedCall {
        id: format!("call_{nth}"),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
    };
    Reply {
        calls: vec![
            call(1, "write_file", r#"{"path": "notes.txt", "content": "three lines of text"}"#),
            call(2, "read_file", r#"{"path": "other.txt"}"#),
        ],
        usage: Usage { prompt: 3, completion: 20 },
        ..Reply::default()
    }
}

fn row(name: &str) -> &'static Fault {
    fault(name).unwrap_or_else(|| panic!("no fault {name}"))
}

/// What leaves of a reply under some faults: none where they find nothing to break.
pub(crate) fn played(
    faults: &[Call<'_>],
    dialect: &'static Dialect,
    reply: &Reply,
    stream: bool,
) -> Option<Sent> {
    answered(faults, dialect, reply, stream, None)
}

/// The same for a request, whose JSON this is.
pub(crate) fn answered(
    faults: &[Call<'_>],
    dialect: &'static Dialect,
    reply: &Reply,
    stream: bool,
    request: Option<&str>,
) -> Option<Sent> {
    let tape = request.map(|text| parse(text.as_bytes()).expect("a request is JSON"));
    let owned = |set: &[(&str, &str)]| -> Vec<(String, String)> {
        set.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect()
    };
    let params: Vec<Vec<(String, String)>> = faults.iter().map(|(_, set)| owned(set)).collect();
    let named: Vec<Named<'_>> =
        faults.iter().zip(&params).map(|((name, _), params)| Named { row: row(name), params }).collect();
    let mut reply = reply.clone();
    let named = change_words(&named, &mut reply);
    let wanted = Wanted {
        dialect,
        reply: Some(&reply),
        envelope: &envelope(),
        stream,
        request: tape.as_ref().map(|tape| tape.root()),
        head: &ResponseHead::new(200),
        params: &[],
        seed: 7,
        ordinal: 1,
    };
    let faulted = play(&named, &wanted)?;
    assert_eq!(play(&named, &wanted).as_ref(), Some(&faulted), "the same bytes each time");
    let unharmed = unharmed(dialect, &reply, stream);
    Some(Sent { unharmed, ..Sent::read(faulted) })
}

fn envelope() -> Envelope {
    let plain =
        Envelope::plain("chatcmpl-gate-0123456789ab".to_owned(), 1_754_000_000, "\"asked-for\"".to_owned());
    Envelope { include_usage: true, ..plain }
}

fn unharmed(dialect: &Dialect, reply: &Reply, stream: bool) -> Vec<u8> {
    Answer::unharmed(dialect, reply, &envelope(), &ResponseHead::new(200), stream).flow().bytes()
}

/// What leaves, in its parts.
pub(crate) struct Sent {
    /// What the faults say of it.
    pub(crate) faulted: Faulted,
    /// Status line and headers.
    pub(crate) head: String,
    /// The bytes of each write behind the head, without the transfer coding.
    pub(crate) writes: Vec<Vec<u8>>,
    /// How many chunks there are, without the last one; 0 where the body has a length.
    pub(crate) chunks: usize,
    /// Whether the body ends as HTTP demands.
    pub(crate) whole: bool,
    /// The body of the same words without a fault.
    pub(crate) unharmed: Vec<u8>,
}

impl Sent {
    fn read(faulted: Faulted) -> Self {
        let Plan { acts, .. } = &faulted.plan;
        let write = |act: &Act| match act {
            Act::Write(bytes) => Some(bytes.clone()),
            Act::Wait(_) | Act::HalfClose | Act::Abort | Act::Stall => None,
        };
        let mut raw: Vec<Vec<u8>> = acts.iter().filter_map(write).collect();
        let first = raw.first_mut().expect("a head leaves");
        let end = first.windows(4).position(|four| four == b"\r\n\r\n").expect("the head is whole") + 4;
        let head = String::from_utf8(first.drain(..end).collect()).expect("a head is text");
        let (mut writes, mut chunks, mut whole) = (raw, 0, false);
        if head.contains("transfer-encoding: chunked\r\n") {
            for write in &mut writes {
                let (data, count, last) = unchunked(write);
                (chunks, whole, *write) = (chunks + count, last, data);
            }
        } else {
            let length = head.split("content-length: ").nth(1).and_then(|rest| rest.split("\r\n").next());
            let sent: usize = writes.iter().map(Vec::len).sum();
            whole = length.and_then(|length| length.parse().ok()) == Some(sent);
        }
        Self { faulted, head, writes, chunks, whole, unharmed: Vec::new() }
    }

    /// All bytes of the body.
    pub(crate) fn body(&self) -> Vec<u8> {
        self.writes.concat()
    }

    /// The body as text, what is cut inside a character in its first half.
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body()).into_owned()
    }

    /// The events that our reader makes of the writes as they come.
    pub(crate) fn events(&self) -> Vec<SseEvent> {
        events(self.writes.iter().map(Vec::as_slice))
    }

    /// The events of the same words without a fault.
    pub(crate) fn unharmed_events(&self) -> Vec<SseEvent> {
        events([self.unharmed.as_slice()].into_iter())
    }
}

fn events<'b>(writes: impl Iterator<Item = &'b [u8]>) -> Vec<SseEvent> {
    let mut reader = SseReader::new(8 << 20);
    writes.for_each(|bytes| reader.feed(bytes).expect("no event is so long"));
    std::iter::from_fn(|| reader.next_event()).collect()
}

/// The data of whole chunks, how many there are, and whether the last chunk follows.
fn unchunked(mut rest: &[u8]) -> (Vec<u8>, usize, bool) {
    let (mut data, mut chunks) = (Vec::new(), 0);
    while let Some(end) = rest.windows(2).position(|two| two == b"\r\n") {
        let digits = std::str::from_utf8(&rest[..end]).expect("a size is text");
        let size = usize::from_str_radix(digits, 16).expect("a size is hexadecimal");
        rest = &rest[end + 2..];
        if size == 0 {
            assert_eq!(rest, b"\r\n", "nothing follows the last chunk");
            return (data, chunks, true);
        }
        data.extend_from_slice(&rest[..size]);
        assert_eq!(&rest[size..size + 2], b"\r\n", "a chunk is as long as it says");
        rest = &rest[size + 2..];
        chunks += 1;
    }
    assert!(rest.is_empty());
    (data, chunks, false)
}
