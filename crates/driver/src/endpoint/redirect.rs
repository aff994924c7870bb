//! Which redirects are followed: those that ask for the same request at the same origin. A task is a secret as a key is one.

use super::class::{Class, Failed};
use super::mask::Mask;
use rehearsal_world::dial::BaseUrl;

/// Most redirects of one request.
pub(super) const MOST_HOPS: u32 = 3;

/// Whether a status asks to go elsewhere.
pub(super) fn is_redirect(status: u16) -> bool {
    matches!(status, 301 | 302 | 303 | 307 | 308)
}

/// The target at the same origin to which the same request goes next. `hops` counts the redirects that were followed.
///
/// # Errors
/// [`Failed`] of the class redirect, which names the other origin and nothing else of where it leads.
pub(super) fn follow(
    status: u16,
    location: Option<&str>,
    root: &BaseUrl,
    target: &str,
    hops: u32,
    mask: &Mask,
) -> Result<String, Box<Failed>> {
    let failed = |reason, what: String| {
        let message = mask.hide(&format!("{root}{target}: status {status}: {what}"));
        Err(Box::new(Failed {
            status: Some(status),
            ..Failed::new(Class::Redirect, message).because(reason)
        }))
    };
    let Some(location) = location.map(str::trim).filter(|location| !location.is_empty()) else {
        return failed("redirect_no_location", "a redirect to nowhere".to_owned());
    };
    let place = match place(location, root, target) {
        Ok(place) => place,
        Err(Wrong::Scheme) => {
            return failed("redirect_scheme", "a redirect to something other than http".to_owned());
        }
        Err(Wrong::Malformed) => {
            return failed("redirect_bad_location", "a redirect whose target cannot be read".to_owned());
        }
    };
    let other = &place.origin;
    let keeps_method = matches!(status, 307 | 308);
    if root.is_tls() && !other.is_tls() {
        return failed("redirect_downgrade", format!("a redirect from https to {other}"));
    }
    // The same host with TLS is the usual reason, and there the method is what goes wrong.
    let is_same_host = other.host().eq_ignore_ascii_case(root.host());
    let is_upgrade = is_same_host && other.is_tls() && !root.is_tls();
    if !place.is_same && (keeps_method || !is_upgrade) {
        return failed("redirect_cross_origin", format!("a redirect to another origin, {other}"));
    }
    if !keeps_method {
        return failed(
            "redirect_method_change",
            format!("a redirect to {other} that would make a GET of the request"),
        );
    }
    if hops >= MOST_HOPS {
        return failed("redirect_loop", format!("more than {MOST_HOPS} redirects"));
    }
    Ok(place.target)
}

struct Place {
    origin: BaseUrl,
    is_same: bool,
    target: String,
}

enum Wrong {
    Scheme,
    Malformed,
}

/// Where a location leads, read from the target of the request.
fn place(location: &str, root: &BaseUrl, target: &str) -> Result<Place, Wrong> {
    let location = location.split('#').next().unwrap_or_default();
    let scheme = if root.is_tls() { "https" } else { "http" };
    let absolute = match location.split_once(':') {
        Some((scheme, _)) if is_scheme(scheme) => Some(location.to_owned()),
        _ => location.starts_with("//").then(|| format!("{scheme}:{location}")),
    };
    let (origin, path) = match &absolute {
        Some(url) => {
            let (scheme, rest) = url.split_once(':').ok_or(Wrong::Malformed)?;
            if !["http", "https"].iter().any(|known| scheme.eq_ignore_ascii_case(known)) {
                return Err(Wrong::Scheme);
            }
            let rest = rest.strip_prefix("//").ok_or(Wrong::Malformed)?;
            let (authority, path) = rest.find(['/', '?']).map_or((rest, ""), |at| rest.split_at(at));
            let origin = BaseUrl::parse(&format!("{scheme}://{authority}")).map_err(|_| Wrong::Malformed)?;
            (origin, if path.starts_with('/') { path.to_owned() } else { format!("/{path}") })
        }
        None if location.starts_with('/') => (root.clone(), location.to_owned()),
        None => {
            let path = target.split('?').next().unwrap_or_default();
            let folder = path.rfind('/').map_or("/", |end| &path[..=end]);
            let base = if location.starts_with('?') { path } else { folder };
            (root.clone(), format!("{base}{location}"))
        }
    };
    if !path.bytes().all(|byte| byte.is_ascii_graphic()) {
        return Err(Wrong::Malformed);
    }
    let is_same = origin.to_string().eq_ignore_ascii_case(&root.to_string());
    Ok(Place { origin, is_same, target: without_dots(&path) })
}

/// A path and query without the segments `.` and `..` in the path (RFC 3986, 5.2.4).
fn without_dots(target: &str) -> String {
    let (path, query) = target.find('?').map_or((target, ""), |at| target.split_at(at));
    let mut kept: Vec<&str> = Vec::new();
    let mut segments = path.split('/').skip(1).peekable();
    while let Some(segment) = segments.next() {
        let is_last = segments.peek().is_none();
        match segment {
            "." | ".." => {
                if segment == ".." {
                    kept.pop();
                }
                // What is left names a folder.
                if is_last {
                    kept.push("");
                }
            }
            other => kept.push(other),
        }
    }
    format!("/{}{query}", kept.join("/"))
}

fn is_scheme(text: &str) -> bool {
    let begins = text.bytes().next().is_some_and(|first| first.is_ascii_alphabetic());
    begins && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'-' | b'.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn go(
        status: u16,
        from: &str,
        location: &str,
        hops: u32,
    ) -> Result<String, (Option<&'static str>, String)> {
        let root = BaseUrl::parse(from).unwrap();
        follow(status, Some(location), &root, "/v1/chat/completions", hops, &Mask::new(None))
            .map_err(|failed| (failed.reason, failed.message))
    }

    fn reason(status: u16, from: &str, location: &str) -> &'static str {
        go(status, from, location, 0).expect_err(location).0.unwrap()
    }

    #[test]
    fn the_same_request_is_sent_again_at_the_same_origin() {
        for status in [307, 308] {
            for (location, target) in [
                ("/v2/x?y=1", "/v2/x?y=1"),
                ("http://H:80/v2", "/v2"),
                ("//h/v2#part", "/v2"),
                ("completions/", "/v1/chat/completions/"),
                ("?a", "/v1/chat/completions?a"),
                ("./completions?x=./..", "/v1/chat/completions?x=./.."),
                ("../../v2/./x", "/v2/x"),
                ("/../../x/.", "/x/"),
                ("..", "/v1/"),
                ("/a//b", "/a//b"),
                (".", "/v1/chat/"),
                ("http://h", "/"),
            ] {
                assert_eq!(go(status, "http://h", location, 0), Ok(target.to_owned()), "{location}");
            }
        }
    }

    #[test]
    fn a_post_never_becomes_a_get() {
        for status in [301, 302, 303] {
            assert_eq!(reason(status, "http://h", "/v2"), "redirect_method_change");
            assert_eq!(reason(status, "http://h", "http://other/v2"), "redirect_cross_origin");
        }
    }

    #[test]
    fn q55_http_that_is_sent_to_https_names_the_origin_alone() {
        let (reason, message) = go(301, "http://h", "https://h/v1/chat/completions?token=x", 0).unwrap_err();
        assert_eq!(reason, Some("redirect_method_change"));
        assert!(message.contains("https://h ") && !message.contains("token"), "{message}");
    }

    #[test]
    fn a_prompt_goes_to_no_other_origin() {
        for location in
            ["http://other/v1", "http://h:81/v1", "https://h/v1", "//other/v1", "http://h.evil/v1"]
        {
            assert_eq!(reason(307, "http://h", location), "redirect_cross_origin", "{location}");
        }
        assert_eq!(reason(307, "http://127.0.0.1:9", "http://LOCALHOST:9/x"), "redirect_cross_origin");
    }

    #[test]
    fn tls_is_never_given_up() {
        for status in [302, 307] {
            assert_eq!(reason(status, "https://h", "http://h/v1"), "redirect_downgrade");
        }
    }

    #[test]
    fn other_schemes_and_broken_targets_are_refused() {
        assert_eq!(reason(307, "http://h", "file:///etc/passwd"), "redirect_scheme");
        assert_eq!(reason(302, "http://h", "data:text/plain,x"), "redirect_scheme");
        for broken in ["http://h:port/", "http://user:pw@h/", "http:/h", "/a b", "http://", "/\u{fc}"] {
            assert_eq!(reason(307, "http://h", broken), "redirect_bad_location", "{broken}");
        }
        assert_eq!(reason(307, "http://h", " "), "redirect_no_location");
    }

    #[test]
    fn a_loop_ends_after_three_hops() {
        assert!(go(307, "http://h", "/x", 2).is_ok());
        assert_eq!(go(307, "http://h", "/x", 3).unwrap_err().0, Some("redirect_loop"));
    }
}
