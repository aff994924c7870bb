//! A request target taken apart: lane, path, query. Exact and case-sensitive, as the providers are.

/// A target taken apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Target<'p> {
    /// The case token of `/t/<token>/…`.
    pub token: Option<&'p str>,
    /// The path without lane and query, with one leading slash where it has any.
    pub path: &'p str,
}

/// Takes a request target apart: absolute form, query, a run of leading slashes (cut to one, as the original stub's library does), lane.
#[must_use]
pub fn split(target: &str) -> Target<'_> {
    let rest = ["http://", "https://"]
        .iter()
        .find_map(|scheme| target.strip_prefix(scheme))
        .map_or(target, |after| after.find('/').map_or("/", |slash| &after[slash..]));
    let path = rest.split('?').next().unwrap_or("");
    let slashes = path.len() - path.trim_start_matches('/').len();
    let path = &path[slashes.saturating_sub(1)..];
    match path.strip_prefix("/t/").and_then(|lane| lane.split_once('/').map(|(token, _)| token)) {
        Some(token) => Target { token: Some(token), path: &path["/t/".len() + token.len()..] },
        None => Target { token: None, path },
    }
}

/// What stands behind the question mark of a target.
#[must_use]
pub fn query(target: &str) -> &str {
    target.split_once('?').map_or("", |(_, query)| query)
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn targets_are_taken_apart() {
        for (target, token, path) in [
            ("/v1/chat/completions", None, "/v1/chat/completions"),
            ("/v1/chat/completions?a?b=/x", None, "/v1/chat/completions"),
            ("///v1/models", None, "/v1/models"),
            ("http://example.invalid/v1/models?x", None, "/v1/models"),
            ("http://example.invalid", None, "/"),
            ("v1/chat/completions", None, "v1/chat/completions"),
            ("/t/abc/v1/models", Some("abc"), "/v1/models"),
            ("/t/abc", None, "/t/abc"),
            ("/t//v1", Some(""), "/v1"),
            ("*", None, "*"),
            ("", None, ""),
        ] {
            let got = split(target);
            assert_eq!((got.token, got.path), (token, path), "{target}");
        }
    }
}
