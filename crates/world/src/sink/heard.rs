//! What the first bytes of a client say about where it wants to. Pure: any bytes have an answer.

use rehearsal_journal::event::EscapeTried;

/// Most characters of a target that are kept.
const TARGET: usize = 512;
/// Most bytes of a method.
const METHOD: usize = 32;
/// What is said of a target that nobody can read.
const UNKNOWN: &str = "unknown";
/// First byte of a TLS record that holds a handshake (RFC 8446, 5.1).
const HANDSHAKE: u8 = 22;

/// Whether nothing that may still come changes what [`attempt`] says.
pub(super) fn is_enough(bytes: &[u8]) -> bool {
    match bytes.first() {
        None => false,
        Some(&HANDSHAKE) => {
            let length = bytes.get(3..5).map(|two| usize::from(two[0]) << 8 | usize::from(two[1]));
            length.is_some_and(|length| bytes.len() >= 5 + length)
        }
        Some(_) => !may_be_http(bytes) || has_whole_head(bytes),
    }
}

/// Whether a request line can begin like this.
fn may_be_http(bytes: &[u8]) -> bool {
    let method = bytes.split(|&byte| byte == b' ').next().unwrap_or_default();
    method.len() <= METHOD && method.iter().all(u8::is_ascii_alphabetic)
}

fn has_whole_head(bytes: &[u8]) -> bool {
    bytes.windows(2).any(|two| two == b"\n\n") || bytes.windows(4).any(|four| four == b"\r\n\r\n")
}

/// Where a client wants to. What is neither HTTP nor a readable TLS greeting has an empty method.
pub(super) fn attempt(bytes: &[u8]) -> EscapeTried {
    http(bytes).unwrap_or_else(|| EscapeTried {
        method: String::new(),
        target: server_name(bytes).map_or_else(|| UNKNOWN.to_owned(), shown),
    })
}

/// The whole answer.
pub(super) fn refusal(target: &str) -> Vec<u8> {
    let host =
        target.split_once("://").map_or(target, |(_, rest)| rest).split('/').next().unwrap_or_default();
    let text = format!("Rehearsal lets nothing leave this machine: {host}\n");
    let head = "HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain; charset=utf-8\r\nConnection: close\r\n";
    format!("{head}Content-Length: {}\r\n\r\n{text}", text.len()).into_bytes()
}

fn http(bytes: &[u8]) -> Option<EscapeTried> {
    if !may_be_http(bytes) {
        return None;
    }
    let text = String::from_utf8_lossy(bytes);
    let mut lines = text.lines();
    let mut words = lines.next()?.split(' ');
    let (method, target) = (words.next()?, words.next()?);
    words.next()?.strip_prefix("HTTP/")?;
    let host = || {
        let named = |line: &str| {
            let (name, value) = line.split_once(':')?;
            name.eq_ignore_ascii_case("host").then(|| value.trim().to_owned())
        };
        lines.take_while(|line| !line.is_empty()).find_map(named).unwrap_or_else(|| UNKNOWN.to_owned())
    };
    let bare = target.split(['?', '#']).next().unwrap_or_default();
    let target = match bare.split_once("://") {
        Some((scheme, rest)) => format!("{scheme}://{}", without_user(host_of(rest))),
        // Not a proxy request: somebody took the sink for the server itself.
        None if bare.starts_with('/') => format!("http://{}", without_user(&host())),
        None => without_user(bare).to_owned(),
    };
    Some(EscapeTried { method: method.to_owned(), target: shown(&target) })
}

/// What stands before the path: a path may be a secret, as it is with webhooks.
fn host_of(rest: &str) -> &str {
    rest.split('/').next().unwrap_or_default()
}

/// Drops a name and password before the host: they may be secrets.
fn without_user(text: &str) -> &str {
    let end = text.find('/').unwrap_or(text.len());
    text[..end].rfind('@').map_or(text, |at| &text[at + 1..])
}

/// As it may stand in a journal: no control characters, not without end.
fn shown(target: &str) -> String {
    let shown: String = target.chars().filter(|c| !c.is_control()).take(TARGET).collect();
    if shown.is_empty() { UNKNOWN.to_owned() } else { shown }
}

/// The server name in a TLS ClientHello (RFC 8446, 4.1.2; RFC 6066, 3), where it lies in the first record.
fn server_name(bytes: &[u8]) -> Option<&str> {
    let mut record = bytes;
    if number(&mut record, 1)? != usize::from(HANDSHAKE) {
        return None;
    }
    take(&mut record, 4)?;
    let mut hello = record;
    // Type 1, three bytes of length, version, random.
    if number(&mut hello, 1)? != 1 {
        return None;
    }
    take(&mut hello, 3 + 2 + 32)?;
    // Session, cipher suites, compression.
    for width in [1, 2, 1] {
        let length = number(&mut hello, width)?;
        take(&mut hello, length)?;
    }
    number(&mut hello, 2)?;
    while let Some(kind) = number(&mut hello, 2) {
        let length = number(&mut hello, 2)?;
        let mut extension = take(&mut hello, length)?;
        if kind == 0 {
            // The length of the list, the kind of its first name (0 for a host), the name.
            number(&mut extension, 2)?;
            let kind = number(&mut extension, 1)?;
            let length = number(&mut extension, 2)?;
            let name = std::str::from_utf8(take(&mut extension, length)?).ok()?;
            return (kind == 0 && name.is_ascii()).then_some(name);
        }
    }
    None
}

fn take<'b>(bytes: &mut &'b [u8], count: usize) -> Option<&'b [u8]> {
    let (taken, rest) = bytes.split_at_checked(count)?;
    *bytes = rest;
    Some(taken)
}

/// A number of so many bytes, the highest first.
fn number(bytes: &mut &[u8], width: usize) -> Option<usize> {
    Some(take(bytes, width)?.iter().fold(0, |number, &byte| number << 8 | usize::from(byte)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A greeting as a client sends it, with a session, two suites and another extension before the name.
    pub(super) fn client_hello(name: &str) -> Vec<u8> {
        let short = |length: usize| u16::try_from(length).unwrap().to_be_bytes();
        let mut extensions = vec![0, 43, 0, 3, 2, 3, 4, 0, 0];
        extensions.extend(short(name.len() + 5));
        extensions.extend(short(name.len() + 3));
        extensions.push(0);
        extensions.extend(short(name.len()));
        extensions.extend(name.as_bytes());
        let mut hello = vec![3, 3];
        hello.extend([7; 32]);
        hello.extend([4, 1, 2, 3, 4, 0, 4, 19, 1, 19, 2, 1, 0]);
        hello.extend(short(extensions.len()));
        hello.extend(extensions);
        let mut record = vec![22, 3, 1];
        record.extend(short(hello.len() + 4));
        record.extend([1, 0]);
        record.extend(short(hello.len()));
        record.extend(hello);
        record
    }

    #[test]
    fn where_a_client_wants_to_is_told_without_its_secrets() {
        for (said, method, target) in [
            ("CONNECT api.openai.com:443 HTTP/1.1\r\nHost: x\r\n\r\n", "CONNECT", "api.openai.com:443"),
            ("CONNECT u:p@h:443 HTTP/1.1\r\n\r\n", "CONNECT", "h:443"),
            ("CONNECT [2001:db8::1]:443 HTTP/1.0\n\n", "CONNECT", "[2001:db8::1]:443"),
            ("GET http://u:p@h:81/a/b?key=s#t HTTP/1.1\r\n\r\n", "GET", "http://h:81"),
            ("GET http://h?key=s HTTP/1.1\r\n\r\n", "GET", "http://h"),
            ("GET http://h/@home HTTP/1.1\r\n\r\n", "GET", "http://h"),
            ("POST /v1/x?key=s HTTP/1.1\r\nA: b\r\nhOST: h:1 \r\n\r\n", "POST", "http://h:1"),
            ("POST /v1/x HTTP/1.1\r\n\r\nHost: body", "POST", "http://unknown"),
            ("CONNECT 127.0.0.1:8080 HTTP/1.1\r\n\r\n", "CONNECT", "127.0.0.1:8080"),
            ("OPTIONS * HTTP/1.1\r\n\r\n", "OPTIONS", "*"),
            ("CONNECT  HTTP/1.1\r\n\r\n", "CONNECT", "unknown"),
            ("GET \u{1} HTTP/1.1\r\n\r\n", "GET", "unknown"),
            ("CONNECT h:443", "", "unknown"),
            ("EHLO me\r\n", "", "unknown"),
            ("\u{5}\u{1}\u{0}", "", "unknown"),
            ("SSH-2.0-x\r\n", "", "unknown"),
            ("\n\n", "", "unknown"),
        ] {
            let told = attempt(said.as_bytes());
            assert_eq!((told.method.as_str(), told.target.as_str()), (method, target), "{said:?}");
        }
        let endless = format!("CONNECT {} HTTP/1.1\r\n\r\n", "x".repeat(5000));
        assert_eq!(attempt(endless.as_bytes()).target.len(), TARGET);
    }

    #[test]
    fn a_tls_greeting_names_its_server() {
        let hello = client_hello("api.openai.com");
        let told = attempt(&hello);
        assert_eq!((told.method.as_str(), told.target.as_str()), ("", "api.openai.com"));
        for cut in 0..hello.len() {
            assert!(!is_enough(&hello[..cut]), "{cut} bytes are not enough");
            assert_eq!(attempt(&hello[..cut]).target, UNKNOWN, "{cut} bytes");
        }
        assert!(is_enough(&hello));
    }

    #[test]
    fn nobody_is_waited_for_who_cannot_say_more() {
        for (said, enough) in [
            ("", false),
            ("CONN", false),
            ("CONNECT h:443 HTTP/1.1\r\nA: b\r\n", false),
            ("CONNECT h:443 HTTP/1.1\r\nA: b\r\n\r\n", true),
            ("CONNECT h:443 HTTP/1.1\n\n", true),
            ("SSH-2.0-x\r\n", true),
            ("\u{5}\u{1}\u{0}", true),
            ("ABCDEFGHIJKLMNOPQRSTUVWXYZABCDEFGHIJ", true),
        ] {
            assert_eq!(is_enough(said.as_bytes()), enough, "{said:?}");
        }
    }

    #[test]
    fn the_refusal_names_the_host_alone() {
        for (target, host) in
            [("h:443", "h:443"), ("http://h:81/a/b", "h:81"), ("http://h", "h"), ("unknown", "unknown")]
        {
            let answer = String::from_utf8(refusal(target)).unwrap();
            assert!(answer.starts_with("HTTP/1.1 403 "), "{answer}");
            assert!(
                answer.ends_with(&format!("\r\n\r\nRehearsal lets nothing leave this machine: {host}\n"))
            );
        }
    }

    proptest! {
        #[test]
        fn any_bytes_have_a_bounded_answer(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
            let told = attempt(&bytes);
            prop_assert!(told.method.len() <= METHOD && told.target.chars().count() <= TARGET);
            prop_assert!(!told.target.is_empty());
            is_enough(&bytes);
        }

        #[test]
        fn a_broken_greeting_harms_nobody(at in 0..100_usize, byte: u8) {
            let mut hello = client_hello("api.openai.com");
            let at = at % hello.len();
            hello[at] = byte;
            attempt(&hello);
            is_enough(&hello);
        }

        #[test]
        fn no_secret_of_a_url_is_told(user in "[a-z]{1,5}SECRET", query in "SECRET[a-z/@?]{0,9}") {
            for said in [
                format!("GET http://{user}:{user}@host/path?{query} HTTP/1.1\r\n\r\n"),
                format!("POST http://hooks.test/services/{user} HTTP/1.1\r\n\r\n"),
                format!("CONNECT {user}@host:443 HTTP/1.1\r\n\r\n"),
                format!("GET /path?{query} HTTP/1.1\r\nHost: {user}@host\r\n\r\n"),
            ] {
                prop_assert!(!attempt(said.as_bytes()).target.contains("SECRET"), "{}", said);
            }
        }
    }
}
