//! Sees from the bytes of a body, in any pieces, that a stream is over, though its connection stays open.

use super::answer::is_over;
use super::config::Dialect;
use rehearsal_wire::sse::SseReader;

/// Watches one body.
#[derive(Debug)]
pub(super) struct Watch {
    dialect: Dialect,
    state: State,
    /// Bytes of a body that is no stream, or events of one.
    taken: usize,
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
    /// Watches a body from its beginning.
    pub(super) fn new(dialect: Dialect) -> Self {
        Self { dialect, state: State::Open, taken: 0 }
    }

    /// A mark that changes with each byte that says something. Comments of a stream say nothing: a gateway sends them for as long
    /// as its own connection lives, whether or not the model does.
    pub(super) fn progress(&self) -> (usize, usize) {
        let pending = match &self.state {
            State::Stream(reader) => reader.pending(),
            State::Open | State::Whole | State::Over => 0,
        };
        (self.taken, pending)
    }

    /// Takes what came next, of events no longer than the limit in bytes; says whether nothing that counts can follow.
    pub(super) fn push(&mut self, bytes: &[u8], limit: usize) -> bool {
        if let State::Open = self.state {
            let skipped = |byte: &&u8| byte.is_ascii_whitespace() || [0xEF, 0xBB, 0xBF].contains(*byte);
            match bytes.iter().find(|byte| !skipped(byte)) {
                None => return false,
                Some(b'{' | b'[' | b'<') => self.state = State::Whole,
                Some(_) => self.state = State::Stream(Box::new(SseReader::new(limit))),
            }
        }
        let State::Stream(reader) = &mut self.state else {
            self.taken += bytes.len();
            return matches!(self.state, State::Over);
        };
        let too_long = reader.feed(bytes).is_err();
        let mut over = false;
        while let Some(event) = reader.next_event() {
            self.taken += 1;
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
    fn comments_are_no_progress_and_all_else_is() {
        let mut watch = Watch::new(Dialect::Chat);
        let mut moves = |piece: &str| {
            let before = watch.progress();
            watch.push(piece.as_bytes(), 99);
            watch.progress() != before
        };
        let told: Vec<bool> =
            [": pi", "ng\n\n", ":\n", "data: ", "x", "\n\n", ": y\n"].map(&mut moves).to_vec();
        assert_eq!(told, [false, false, false, true, true, true, false]);
    }

    #[test]
    fn an_error_ends_a_stream_and_the_word_does_not() {
        let over = |dialect, text: &str| Watch::new(dialect).push(text.as_bytes(), 999);
        assert!(over(Dialect::Chat, "data: {\"error\":{\"message\":\"busy\"}}\n\n"));
        assert!(over(Dialect::Chat, "event: error\ndata: \"busy\"\n\n"));
        assert!(over(Dialect::Messages, "event: error\ndata: {\"type\":\"error\"}\n\n"));
        for said in [r#"{"choices":[{"delta":{"content":"\"error\""}}]}"#, r#"{"error":null,"choices":[]}"#] {
            assert!(!over(Dialect::Chat, &format!("data: {said}\n\n")), "{said}");
        }
    }

    #[test]
    fn a_document_has_no_end_of_its_own() {
        let mut watch = Watch::new(Dialect::Chat);
        assert!(!watch.push(b" \xEF\xBB\xBF", 99));
        assert!(!watch.push(b"{\"a\":1}\n\ndata: [DONE]\n\n", 99));
    }
}
