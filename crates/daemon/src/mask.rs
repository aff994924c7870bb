//! Keeps the daemon's secret out of what is written down, wherever a client put it: in a header of any name, a key, a path, a body.

use rehearsal_journal::daemon::Fact;
use rehearsal_journal::redact::REDACTED;
use rehearsal_wire::follow::RequestHead;
use std::borrow::Cow;

/// The secret.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Secret<'s>(pub(crate) &'s str);

impl Secret<'_> {
    /// Whether it stands there.
    pub(crate) fn is_in(self, bytes: &[u8]) -> bool {
        self.place_in(bytes).is_some()
    }

    fn place_in(self, bytes: &[u8]) -> Option<usize> {
        let secret = self.0.as_bytes();
        bytes.windows(secret.len().max(1)).position(|window| window == secret)
    }

    /// A text without it.
    pub(crate) fn out_of<'t>(self, text: Cow<'t, str>) -> Cow<'t, str> {
        if text.contains(self.0) { Cow::Owned(text.replace(self.0, REDACTED)) } else { text }
    }

    /// A fact without it: keys and ids are what a client makes them.
    pub(crate) fn out_of_fact(self, fact: Fact) -> Fact {
        let text = serde_json::to_string(&fact).unwrap_or_default();
        if !text.contains(self.0) {
            return fact;
        }
        serde_json::from_str(&self.out_of(text.into())).unwrap_or(fact)
    }

    /// A head without it, as long as before, so that its parts stay where they are.
    pub(crate) fn out_of_head(self, mut head: RequestHead) -> RequestHead {
        let mut from = 0;
        while let Some(at) = self.place_in(head.raw().get(from..).unwrap_or_default()) {
            let begin = from + at;
            from = begin + self.0.len();
            head.overwrite(begin..from, b'*');
        }
        head
    }
}

#[cfg(test)]
mod tests {
    use super::Secret;
    use rehearsal_journal::daemon::{Decided, Fact};

    #[test]
    fn it_is_taken_out_of_facts_and_texts_and_nothing_else_is() {
        let secret = Secret("the-secret");
        let fact = |key: &str| Fact::Decided(Decided { key: Some(key.into()), ..Decided::default() });
        assert_eq!(secret.out_of_fact(fact("a the-secret")), fact("a <redacted>"));
        assert_eq!(secret.out_of_fact(fact("another")), fact("another"));
        assert_eq!(secret.out_of("the-secretthe-secret".into()), "<redacted><redacted>");
        assert!(secret.is_in(b"xthe-secret") && !secret.is_in(b"the-secre") && !secret.is_in(b""));
    }
}
