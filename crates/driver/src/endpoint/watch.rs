//! Sees from the bytes of a body, in any pieces, that a stream is over, though its connection stays open.

use super::answer::is_over;
use super::config::Dialect;
use rehearsal_wire::sse::SseReader;

/// Watches one body.
#[derive(Debug)]
pub(super) struct Watch {
    dialect: Dialect,
    state: State,
}

#[derive(Debug)]
enum State {
    /// Nothing but white space and a byte order mark yet.
    Open,
    /// A document: its end is that of the body.
    Whole,
    Stream(Box<SseReader>),
    Over,
}

impl Watch {
    /// Watches a body whose events are no longer than this, in bytes.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, state: State::Open }
    }

    /// Takes what came next; says whether nothing that counts can follow.
    pub(super) fn push(&mut self, bytes: &[u8], limit: usize) -> bool {
        if let State::Open = self.state {
            let skipped = |byte: &&u8| byte.is_ascii_whitespace() || [0xEF, 0xBB, 0xBF].contains(*byte);
            match bytes.iter().find(|byte| !skipped(byte)) {
                None => return false,
                Some(b'{' | b'[' | b'<') => self.state = State::Whole,
                Some(_) => self.state = State::Stream(Box::new(SseReader::new(limit))),
            }
        }
        let State::Stream(reader) = &mut self.state else { return matches!(self.state, State::Over) };
        let too_long = reader.feed(bytes).is_err();
        let mut over = false;
        while let Some(event) = reader.next_event() {
            over |= is_over(self.dialect, event.data.trim(), &event.kind);
        }
        if over {
            self.state = State::Over;
        } else if too_long {
            self.state = State::Whole;
        }
        over
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const CHAT: &str = ": hi\n\ndata: {\"choices\":[]}\n\ndata: [DONE]\n\n";
    const MESSAGES: &str =
        "event: ping\ndata: {}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    const RESPONSES: &str = "data: {\"type\":\"response.completed\",\"response\":{}}\r\n\r\n";

    proptest! {
        #[test]
        fn the_end_of_a_stream_is_seen_in_any_pieces(cuts in proptest::collection::vec(1..9_usize, 1..200)) {
            for (dialect, text) in
                [(Dialect::Chat, CHAT), (Dialect::Messages, MESSAGES), (Dialect::Responses, RESPONSES)]
            {
                let mut watch = Watch::new(dialect);
                let (mut rest, mut over) = (text.as_bytes(), false);
                for cut in cuts.iter().cycle() {
                    prop_assert!(!over || rest.is_empty() || rest == b"\n", "too early");
                    let (piece, after) = rest.split_at((*cut).min(rest.len()));
                    over |= watch.push(piece, 1 << 20);
                    rest = after;
                    if rest.is_empty() {
                        break;
                    }
                }
                prop_assert!(over);
            }
        }
    }

    #[test]
    fn a_document_has_no_end_of_its_own() {
        let mut watch = Watch::new(Dialect::Chat);
        assert!(!watch.push(b" \xEF\xBB\xBF", 99));
        assert!(!watch.push(b"{\"a\":1}\n\ndata: [DONE]\n\n", 99));
    }
}
