//! What a request is found by, on both sides: recorded and live requests become calls here and nowhere else, so that whatever must
//! not count is taken out of both.

use crate::key::Key;
use rehearsal_journal::redact::{self, REDACTED};
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::json::{Tape, parse};
use rehearsal_wire::target::query;

/// The call that a request makes. `target` is path and query without the lane.
#[must_use]
pub fn call(dialect: Option<&Dialect>, method: &str, target: &str, body: &[u8]) -> Key {
    call_of(dialect, method, target, (body, parse(body).ok().as_ref()))
}

/// The same for a body that was read already: none where it is no JSON.
pub(crate) fn call_of(
    dialect: Option<&Dialect>,
    method: &str,
    target: &str,
    (body, tape): (&[u8], Option<&Tape<'_>>),
) -> Key {
    Key::of(dialect, method, &place(target), body, tape)
}

/// The path and what a query asks beside it. A key in a query is not recorded, and who asks makes no other call of it.
fn place(target: &str) -> String {
    let path = target.split('?').next().unwrap_or_default();
    let masked = redact::target(target);
    let secret = |pair: &&str| pair.ends_with(&format!("={REDACTED}"));
    let pairs: Vec<&str> =
        query(&masked).split('&').filter(|pair| !pair.is_empty() && !secret(pair)).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_in_a_query_makes_no_other_call_and_a_page_does() {
        for (target, place_of) in [
            ("/v1/models", "/v1/models"),
            ("/v1/models?", "/v1/models"),
            ("/v1/models?after=x&limit=2", "/v1/models?after=x&limit=2"),
            (
                "/v1beta/models/m:streamGenerateContent?key=k1&alt=sse",
                "/v1beta/models/m:streamGenerateContent?alt=sse",
            ),
            ("/v1beta/models?key=<redacted>", "/v1beta/models"),
        ] {
            assert_eq!(place(target), place_of);
            assert_eq!(call(None, "GET", target, b""), call(None, "GET", place_of, b""));
        }
        assert_ne!(call(None, "GET", "/v1/models", b""), call(None, "GET", "/v1/models?after=x", b""));
    }
}
