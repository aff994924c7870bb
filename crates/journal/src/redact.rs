//! The public projection: which header values, query values and arguments are secrets. JSON is never touched here.

use std::borrow::Cow;

/// What stands in a secret's place.
pub const REDACTED: &str = "<redacted>";

/// A name that holds one of these, in any case, names a secret.
const PARTS: &[&str] =
    &["authorization", "cookie", "credential", "key", "passwd", "password", "secret", "signature", "token"];

/// A name that is one of these, in any case, names a secret.
const WHOLE: &[&str] = &["auth", "pass", "pwd", "sig", "x-auth"];

/// Whether what goes by this name (of a header, a query key, an option) is a secret.
#[must_use]
pub fn is_secret(name: &str) -> bool {
    let name = name.as_bytes();
    let holds = name.iter().enumerate().any(|(at, first)| match first | 0x20 {
        b'a' | b'c' | b'k' | b'p' | b's' | b't' => PARTS.iter().any(|part| begins_with(&name[at..], part)),
        _ => false,
    });
    holds || WHOLE.iter().any(|whole| name.eq_ignore_ascii_case(whole.as_bytes()))
}

fn begins_with(text: &[u8], part: &str) -> bool {
    text.get(..part.len()).is_some_and(|beginning| beginning.eq_ignore_ascii_case(part.as_bytes()))
}

/// Masks the secrets among header values.
pub fn headers(headers: &mut [(String, String)]) {
    for (name, value) in headers {
        if is_secret(name) && value != REDACTED {
            REDACTED.clone_into(value);
        }
    }
}

/// Masks the secrets in a request target: values of query keys, and what stands before `@` in its absolute form.
#[must_use]
pub fn target(target: &str) -> Cow<'_, str> {
    // What most targets are: no search for what cannot be there.
    if !target.bytes().any(|byte| matches!(byte, b'?' | b':')) {
        return Cow::Borrowed(target);
    }
    let (place, query) = match target.split_once('?') {
        Some((place, query)) => (place, Some(query)),
        None => (target, None),
    };
    let place = without_login(place);
    let Some(query) = query else { return place };
    let masked: Vec<Cow<'_, str>> = query.split('&').map(pair).collect();
    if matches!(place, Cow::Borrowed(_)) && masked.iter().all(|pair| matches!(pair, Cow::Borrowed(_))) {
        return Cow::Borrowed(target);
    }
    Cow::Owned(format!("{place}?{}", masked.join("&")))
}

/// The values of a request target's query that are secrets, as they stand there.
#[must_use]
pub fn secrets(target: &str) -> Vec<&str> {
    let (_, query) = target.split_once('?').unwrap_or_default();
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    pairs
        .filter(|(name, value)| !value.is_empty() && is_secret(&decoded(name)))
        .map(|(_, value)| value)
        .collect()
}

/// A text of a query with its percent escapes undone; what is no escape stays.
#[must_use]
pub fn unescaped(text: &str) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        let digits =
            behind.get(..2).filter(|digits| first == b'%' && digits.iter().all(u8::is_ascii_hexdigit));
        let byte = digits
            .and_then(|digits| std::str::from_utf8(digits).ok())
            .and_then(|digits| u8::from_str_radix(digits, 16).ok());
        out.push(byte.unwrap_or(first));
        rest = if byte.is_some() { &behind[2..] } else { behind };
    }
    out
}

fn pair(pair: &str) -> Cow<'_, str> {
    match pair.split_once('=') {
        Some((name, value)) if !value.is_empty() && is_secret(&decoded(name)) => {
            Cow::Owned(format!("{name}={REDACTED}"))
        }
        _ => Cow::Borrowed(pair),
    }
}

/// Percent escapes of ASCII undone, so that an escaped name hides nothing.
fn decoded(name: &str) -> Cow<'_, str> {
    if !name.contains('%') {
        return Cow::Borrowed(name);
    }
    let mut out = String::new();
    let mut rest = name;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let byte = after.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok());
        match byte.filter(u8::is_ascii) {
            Some(byte) => {
                out.push(char::from(byte));
                rest = &after[2..];
            }
            None => {
                out.push('%');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

fn without_login(place: &str) -> Cow<'_, str> {
    let Some((scheme, rest)) = place.split_once("://") else { return Cow::Borrowed(place) };
    let authority = rest.split('/').next().unwrap_or(rest);
    match authority.rsplit_once('@') {
        Some((_, host)) => Cow::Owned(format!("{scheme}://{REDACTED}@{host}{}", &rest[authority.len()..])),
        None => Cow::Borrowed(place),
    }
}

/// Masks the secrets in a command line: `--api-key VALUE`, `--api-key=VALUE`, `API_KEY=VALUE`.
#[must_use]
pub fn arguments(argv: &[String]) -> Vec<String> {
    let mut expects_secret = false;
    argv.iter()
        .map(|argument| {
            if std::mem::take(&mut expects_secret) && !argument.starts_with('-') {
                return REDACTED.to_owned();
            }
            match argument.split_once('=') {
                Some((name, value)) if !value.is_empty() && is_option(name) && is_secret(name) => {
                    format!("{name}={REDACTED}")
                }
                Some(_) => argument.clone(),
                None => {
                    expects_secret = argument.starts_with("--") && is_secret(argument);
                    argument.clone()
                }
            }
        })
        .collect()
}

/// `--name` or `NAME`: not any text that happens to hold an equals sign.
fn is_option(name: &str) -> bool {
    name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_secrets_are_known_in_any_case() {
        for name in [
            "Authorization",
            "authorization",
            "x-api-key",
            "api-key",
            "X-Goog-Api-Key",
            "Cookie",
            "set-cookie",
            "proxy-authorization",
            "x-amz-security-token",
            "X-My-Secret",
            "idempotency-key",
            "sig",
            "PWD",
            "access_token",
            "AUTH",
        ] {
            assert!(is_secret(name), "{name}");
        }
        for name in [
            "host",
            "content-type",
            "user-agent",
            "accept",
            "connection",
            "x-stainless-retry-count",
            "author",
            "ke",
            "",
        ] {
            assert!(!is_secret(name), "{name}");
        }
    }

    #[test]
    fn header_values_are_masked_and_the_rest_stays() {
        let mut list = vec![
            ("Authorization".to_owned(), "Bearer sk-1".to_owned()),
            ("accept".to_owned(), "*/*".to_owned()),
        ];
        headers(&mut list);
        assert_eq!(list[0].1, REDACTED);
        assert_eq!(list[1].1, "*/*");
    }

    #[test]
    fn query_values_and_logins_are_masked() {
        for (from, to) in [
            ("/v1/models", "/v1/models"),
            ("/v1?a=b&c", "/v1?a=b&c"),
            ("/v1?key=AIza&alt=sse", "/v1?key=<redacted>&alt=sse"),
            ("/v1?alt=sse&API%5Fkey=AIza", "/v1?alt=sse&API%5Fkey=<redacted>"),
            ("/v1?%6bey=1&%zz=2&x%=3&%C3%A9=4", "/v1?%6bey=<redacted>&%zz=2&x%=3&%C3%A9=4"),
            ("/v1?sig=1&access_token=2&key=", "/v1?sig=<redacted>&access_token=<redacted>&key="),
            ("http://me:pw@host/v1?a=b", "http://<redacted>@host/v1?a=b"),
            ("http://host/a@b", "http://host/a@b"),
        ] {
            assert_eq!(target(from), to);
        }
    }

    #[test]
    fn secrets_in_a_command_line_are_masked() {
        let argv =
            ["agent", "--api-key", "sk-1", "--token=abc", "OPENAI_API_KEY=sk-2", "say key=value now", "-v"];
        let argv: Vec<String> = argv.iter().map(|&argument| argument.to_owned()).collect();
        assert_eq!(
            arguments(&argv),
            [
                "agent",
                "--api-key",
                REDACTED,
                "--token=<redacted>",
                "OPENAI_API_KEY=<redacted>",
                "say key=value now",
                "-v"
            ]
        );
        assert_eq!(arguments(&["--secret".to_owned(), "--verbose".to_owned()]), ["--secret", "--verbose"]);
    }
}
