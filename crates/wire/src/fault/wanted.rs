//! What a fault gets to break, what it makes of it, and the helpers that rows share.

use super::chunked;
use crate::act::{Act, After, Plan};
use crate::dialect::Dialect;
use crate::head::ResponseHead;
use crate::json::Value;
use crate::reply::{Envelope, Reply};

/// What would have been sent without the fault.
#[derive(Clone, Debug)]
pub struct Wanted<'w> {
    /// The dialect that is spoken.
    pub dialect: &'w Dialect,
    /// What the model would have said; `None` lets the fault use words of its own.
    pub reply: Option<&'w Reply>,
    /// What that travels in.
    pub envelope: &'w Envelope,
    /// Whether a stream was asked for.
    pub stream: bool,
    /// The request; none where nobody asked. Faults of what an endpoint does not take look at it.
    pub request: Option<Value<'w>>,
    /// Status and headers without type and length of the body, which the plan adds.
    pub head: &'w ResponseHead,
    /// What the file sets: name, value as JSON text.
    pub params: &'w [(String, String)],
    /// Seed of every random choice of this reply.
    pub seed: u64,
    /// Number of the faulted reply, from 1: makes canned ids fresh.
    pub ordinal: u64,
}

/// What became of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Faulted {
    /// The faults that found what they break.
    pub names: Vec<&'static str>,
    /// What to do on the socket.
    pub plan: Plan,
    /// The status that leaves; `None` where no head does.
    pub status: Option<u16>,
    /// How long it asks the client to wait before it tries again, milliseconds.
    pub retry_after_ms: Option<u64>,
    /// The reply that leaves whole, if one does.
    pub delivered: Option<Reply>,
}

impl Wanted<'_> {
    /// The head for a whole body of so many bytes.
    #[must_use]
    pub fn whole_head(&self, length: usize) -> Vec<u8> {
        let head = self.head.clone().with("content-type", self.dialect.content_type);
        head.with("content-length", length.to_string()).to_bytes()
    }

    /// The head for a streamed body.
    #[must_use]
    pub fn stream_head(&self) -> Vec<u8> {
        let head = self.head.clone().with("content-type", self.dialect.type_of_stream(self.envelope.framing));
        head.with("cache-control", "no-cache").with("transfer-encoding", "chunked").to_bytes()
    }

    /// A reply as it leaves without any fault: whole or streamed, in one write.
    #[must_use]
    pub fn unharmed(&self, name: &'static str, reply: Reply, envelope: &Envelope) -> Faulted {
        let bytes = if self.stream {
            let mut bytes = self.stream_head();
            chunked::whole(&mut bytes, &(self.dialect.stream)(&reply, envelope));
            bytes
        } else {
            let body = (self.dialect.render)(&reply, envelope);
            let mut bytes = self.whole_head(body.len());
            bytes.extend_from_slice(&body);
            bytes
        };
        let plan = Plan { acts: vec![Act::Write(bytes)], after: After::KeepAlive };
        Faulted {
            names: vec![name],
            plan,
            status: Some(self.head.status),
            retry_after_ms: None,
            delivered: Some(reply),
        }
    }
}
