//! A URL taken apart: whom to ask, which is this machine alone, and for what.

use crate::plain::line;
use crate::{Code, Refusal};
use rehearsal_world::dial::BaseUrl;

/// Where a request goes.
#[derive(Clone, Debug)]
pub(crate) struct Address {
    /// Whom it goes to. Only addresses of this machine are ever connected to.
    pub(crate) base: BaseUrl,
    /// Path and query.
    pub(crate) target: String,
}

impl Address {
    /// Reads a URL.
    pub(crate) fn read(url: &str) -> Result<Self, Refusal> {
        let bad = |why: &dyn std::fmt::Display| Refusal::new(Code::Input, format!("{why}: {}", line(url)));
        let (scheme, rest) = url.split_once("://").ok_or_else(|| bad(&"a URL begins with http://"))?;
        let rest = rest.split('#').next().unwrap_or_default();
        let (authority, target) = rest.find(['/', '?']).map_or((rest, ""), |end| rest.split_at(end));
        // The name or password is not repeated.
        if authority.contains('@') {
            let why = "a URL holds no name or password; send the header `authorization`";
            return Err(Refusal::new(Code::Input, why));
        }
        if !target.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(bad(&"the URL holds a character that must be percent-encoded"));
        }
        let base = BaseUrl::parse(&format!("{scheme}://{authority}")).map_err(|error| bad(&error))?;
        if !base.names_loopback() {
            let message = format!("{} is not on this machine", line(base.host()));
            return Err(Refusal::new(Code::NotLoopback, message));
        }
        let slash = if target.starts_with('/') { "" } else { "/" };
        Ok(Self { base: base.on_loopback(), target: format!("{slash}{target}") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_an_origin_and_a_target() {
        for (url, base, target) in [
            ("http://127.0.0.1:8000", "http://127.0.0.1:8000", "/"),
            ("http://localhost:8000/a/b?c=d/e#f", "http://localhost:8000", "/a/b?c=d/e"),
            ("http://[::1]:8000?x", "http://[::1]:8000", "/?x"),
            ("http://127.0.0.1:8000/a/", "http://127.0.0.1:8000", "/a/"),
        ] {
            let read = Address::read(url).expect("it is a URL of this machine");
            assert_eq!((read.base.to_string().as_str(), read.target.as_str()), (base, target), "{url}");
        }
    }

    #[test]
    fn only_this_machine_is_asked() {
        for host in [
            "example.com",
            "10.0.0.1",
            "0.0.0.0",
            "127.1",
            "0x7f000001",
            "2130706433",
            "localhost.example.com",
            "127.0.0.1.example.com",
            "localhost.",
            "[::]",
            "[::ffff:10.0.0.1]",
            "169.254.169.254",
        ] {
            let refusal = Address::read(&format!("http://{host}:80/")).map_err(|refusal| refusal.code);
            assert_eq!(refusal.err(), Some(Code::NotLoopback), "{host}");
        }
        for url in [
            "127.0.0.1:80",
            "ftp://127.0.0.1/",
            "http://u:p@127.0.0.1/",
            "http://:80/",
            "http://127.0.0.1:0/",
            "http://127.0.0.1/a b",
            "http://127.0.0.1/ü",
            "http://127.0.0.1/\r\n",
            "",
        ] {
            let refusal = Address::read(url).map_err(|refusal| refusal.code);
            assert_eq!(refusal.err(), Some(Code::Input), "{url}");
        }
    }
}
