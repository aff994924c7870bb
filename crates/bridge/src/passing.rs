//! Which headers pass between client and provider.

use rehearsal_wire::head::ResponseHead;

/// Headers that belong to one connection, not to the message (RFC 9110, 7.6.1), and what the HTTP layer writes itself.
const OF_THE_CONNECTION: &[&str] = &[
    "connection",
    "content-length",
    "expect",
    "host",
    "keep-alive",
    "proxy-authenticate",
    "proxy-authorization",
    "proxy-connection",
    "te",
    "trailer",
    "transfer-encoding",
    "upgrade",
];

/// Headers of a client that a provider has no use for: they tell of the page and the machine.
const OF_THE_CLIENT: &[&str] = &["cookie", "origin", "referer", "forwarded", "x-forwarded-for"];

/// Headers in which providers take keys.
pub(crate) const KEYS: &[&str] = &["authorization", "x-api-key", "x-goog-api-key", "api-key"];

/// What the original bridge drops of an answer and clients need: when to come again, which request it was, what is left.
const USEFUL: &[&str] = &[
    "content-language",
    "content-type",
    "date",
    "request-id",
    "retry-after",
    "retry-after-ms",
    "www-authenticate",
    "x-request-id",
    "x-should-retry",
];
/// The same, by how they begin.
const USEFUL_FAMILIES: &[&str] =
    &["anthropic-", "openai-", "ratelimit-", "x-ratelimit-", "x-goog-", "x-ms-", "x-envoy-upstream-"];

/// A header as it came.
pub(crate) type Header = (String, Vec<u8>);

fn is_one_of(name: &str, names: &[&str]) -> bool {
    names.iter().any(|known| name.eq_ignore_ascii_case(known))
}

/// The names that a `Connection` header gives to this connection alone.
fn named_by_connection(headers: &[Header]) -> Vec<String> {
    let values = headers.iter().filter(|(name, _)| name.eq_ignore_ascii_case("connection"));
    let words = values.flat_map(|(_, value)| value.split(|byte| *byte == b','));
    words.map(|word| String::from_utf8_lossy(word.trim_ascii()).into_owned()).collect()
}

/// What of a client's headers goes to the provider. `own` are headers of ours, a key among them: what the client says under their
/// names, and every other key of the client's if one of them is a key, stays here. `plain` asks the provider for no coding.
#[must_use]
pub(crate) fn to_provider(
    mut headers: Vec<Header>,
    own: &[Header],
    control: &str,
    plain: bool,
) -> Vec<Header> {
    let local = named_by_connection(&headers);
    let keyed = own.iter().any(|(name, _)| is_one_of(name, KEYS));
    let stays = |name: &str| {
        is_one_of(name, OF_THE_CONNECTION)
            || is_one_of(name, OF_THE_CLIENT)
            || name.eq_ignore_ascii_case(control)
            || local.iter().any(|known| known.eq_ignore_ascii_case(name))
            || own.iter().any(|(known, _)| known.eq_ignore_ascii_case(name))
            || (keyed && is_one_of(name, KEYS))
            || (plain && name.eq_ignore_ascii_case("accept-encoding"))
    };
    headers.retain(|(name, _)| !stays(name));
    headers.extend(own.iter().cloned());
    if plain {
        headers.push(("accept-encoding".to_owned(), b"identity".to_vec()));
    }
    headers
}

/// What goes to the provider for a case: nothing of the client's.
#[must_use]
pub(crate) fn for_a_case(own: &[Header]) -> Vec<Header> {
    let fixed = [
        ("content-type", "application/json"),
        ("accept", "text/event-stream, application/json"),
        ("accept-encoding", "identity"),
        ("user-agent", concat!("rehearsal/", env!("CARGO_PKG_VERSION"))),
    ];
    let fixed = fixed.map(|(name, value)| (name.to_owned(), value.as_bytes().to_vec()));
    fixed.into_iter().chain(own.iter().cloned()).collect()
}

/// How an answer's head is passed on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Way {
    /// Only what is known to be useful, as for cases; else all but what belongs to the connection.
    pub(crate) strict: bool,
    /// Whether the content coding was taken off.
    pub(crate) decoded: bool,
}

/// The head of an answer for the client. A missing type becomes JSON, as in the original bridge.
#[must_use]
pub(crate) fn to_client(status: u16, headers: &[Header], way: Way) -> ResponseHead {
    let local = named_by_connection(headers);
    let mut head = ResponseHead::new(status);
    for (name, value) in headers {
        let passes = if way.strict {
            is_one_of(name, USEFUL)
                || USEFUL_FAMILIES.iter().any(|family| begins_with(name, family))
                || (name.eq_ignore_ascii_case("content-encoding") && !way.decoded)
        } else {
            !(is_one_of(name, OF_THE_CONNECTION)
                || is_one_of(
                    name,
                    &["set-cookie", "set-cookie2", "alt-svc", "strict-transport-security", "cache-control"],
                )
                || begins_with(name, "access-control-")
                || name.eq_ignore_ascii_case("vary")
                || (way.decoded && name.eq_ignore_ascii_case("content-encoding"))
                || local.iter().any(|known| known.eq_ignore_ascii_case(name)))
        };
        if passes {
            head.push(name.clone(), String::from_utf8_lossy(value).into_owned());
        }
    }
    if head.get("content-type").is_none() && !matches!(status, 204 | 304) {
        head.push("content-type", "application/json");
    }
    head
}

fn begins_with(name: &str, family: &str) -> bool {
    name.get(..family.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(family))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(list: &[(&str, &str)]) -> Vec<Header> {
        list.iter().map(|(name, value)| ((*name).to_owned(), value.as_bytes().to_vec())).collect()
    }

    #[test]
    fn a_client_s_key_goes_to_the_provider_unless_there_is_one_of_ours() {
        let client = headers(&[
            ("Host", "x"),
            ("Authorization", "Bearer theirs"),
            ("X-Api-Key", "theirs"),
            ("Cookie", "c=1"),
            ("Connection", "close, X-Hop"),
            ("X-Hop", "1"),
            ("OpenAI-Beta", "b"),
            ("X-Control", "t"),
            ("Accept-Encoding", "br"),
        ]);
        let passed = to_provider(client.clone(), &[], "x-control", false);
        let names: Vec<&str> = passed.iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(names, ["Authorization", "X-Api-Key", "OpenAI-Beta", "Accept-Encoding"]);
        let ours = headers(&[("authorization", "Bearer ours")]);
        let passed = to_provider(client, &ours, "x-control", true);
        let own = headers(&[
            ("OpenAI-Beta", "b"),
            ("authorization", "Bearer ours"),
            ("accept-encoding", "identity"),
        ]);
        assert_eq!(passed, own);
    }

    #[test]
    fn what_clients_need_of_an_answer_passes_and_cookies_do_not() {
        let answer = headers(&[
            ("Content-Type", "text/plain"),
            ("Set-Cookie", "a=1"),
            ("Retry-After", "7"),
            ("x-request-id", "req_1"),
            ("X-RateLimit-Remaining-Requests", "41"),
            ("openai-processing-ms", "12"),
            ("Transfer-Encoding", "chunked"),
            ("Server", "s"),
            ("Content-Encoding", "gzip"),
        ]);
        let names = |strict, decoded| {
            let head = to_client(200, &answer, Way { strict, decoded });
            head.headers.iter().map(|(name, _)| name.to_string()).collect::<Vec<_>>()
        };
        let useful = [
            "Content-Type",
            "Retry-After",
            "x-request-id",
            "X-RateLimit-Remaining-Requests",
            "openai-processing-ms",
        ];
        assert_eq!(names(true, true), useful);
        assert_eq!(names(false, true), [&useful[..], &["Server"]].concat());
        assert_eq!(names(true, false), [&useful[..], &["Content-Encoding"]].concat());
        assert_eq!(
            to_client(200, &[], Way { strict: true, decoded: true }).get("content-type"),
            Some("application/json")
        );
        assert_eq!(to_client(204, &[], Way { strict: true, decoded: true }).headers.len(), 0);
    }
}
