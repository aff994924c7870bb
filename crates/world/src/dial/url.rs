//! The base URL of a provider, read strictly: what it cannot mean is refused before a byte leaves.

use std::net::{IpAddr, Ipv6Addr};
use std::sync::Arc;
use thiserror::Error;

/// Why a text is no base URL. No variant repeats the text: it may hold a secret.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UrlError {
    /// It does not begin with a scheme.
    #[error("a base URL begins with http:// or https://")]
    NoScheme,
    /// Neither `http` nor `https`.
    #[error("only http:// and https:// are spoken here")]
    UnknownScheme,
    /// A name or password before the host.
    #[error("a base URL holds no name or password; give the key as the API key")]
    UserInfo,
    /// No host, or one with characters that no host has.
    #[error("the host in the base URL is missing or malformed")]
    BadHost,
    /// A port that is no number of 1 to 65535.
    #[error("the port in the base URL is not a number from 1 to 65535")]
    BadPort,
    /// A `?` or `#` part.
    #[error("a base URL holds no `?` and no `#`")]
    QueryOrFragment,
    /// A path with white space, control characters, non-ASCII or a broken `%` escape.
    #[error("the path in the base URL holds a character that must be percent-encoded")]
    BadPath,
}

/// Whom a connection leads to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(super) struct Origin {
    tls: bool,
    /// Host name or address, without brackets.
    host: String,
    port: u16,
    /// Whether only addresses of the machine itself will do.
    loopback: bool,
}

/// An `http` or `https` base URL, e.g. `http://127.0.0.1:7771/t/abc/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl(Arc<Parts>);

/// Its parts, which copies share.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Parts {
    origin: Origin,
    /// What the `Host` header says.
    authority: String,
    /// Empty, or begins with `/` and does not end with one.
    path: String,
}

impl BaseUrl {
    /// Reads a base URL. All slashes at its end are dropped.
    ///
    /// # Errors
    /// [`UrlError`] says what part cannot be used.
    pub fn parse(text: &str) -> Result<Self, UrlError> {
        let (scheme, rest) = text.split_once("://").ok_or(UrlError::NoScheme)?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return Err(UrlError::UnknownScheme),
        };
        if rest.contains(['?', '#']) {
            return Err(UrlError::QueryOrFragment);
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        if authority.contains('@') {
            return Err(UrlError::UserInfo);
        }
        let usual = if tls { 443 } else { 80 };
        let (host, port) = split_port(authority, usual)?;
        let path = path.trim_end_matches('/');
        if !is_path(path) {
            return Err(UrlError::BadPath);
        }
        let bracketed = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let authority = if port == usual { bracketed } else { format!("{bracketed}:{port}") };
        let origin = Origin { tls, host: host.to_owned(), port, loopback: false };
        Ok(Self(Arc::new(Parts { origin, authority, path: path.to_owned() })))
    }

    /// The request target for an endpoint that begins with `/`; a base that already ends with it is taken as it is.
    #[must_use]
    pub fn target(&self, endpoint: &str) -> String {
        if self.0.path.ends_with(endpoint) { self.0.path.clone() } else { self.behind(endpoint) }
    }

    /// The request target for a path and query that begin with `/`.
    pub(super) fn behind(&self, target: &str) -> String {
        format!("{}{target}", self.0.path)
    }

    /// The same origin without a path.
    #[must_use]
    pub fn root(&self) -> Self {
        Self(Arc::new(Parts { path: String::new(), ..(*self.0).clone() }))
    }

    /// The same URL, for which a connection is made only where all its addresses are the machine's own. All of them are tried,
    /// for the name `localhost` those of both families, whatever the resolver knows.
    #[must_use]
    pub fn on_loopback(&self) -> Self {
        let mut parts = (*self.0).clone();
        parts.origin.loopback = true;
        Self(Arc::new(parts))
    }

    /// Whether the host is, as it is written, an address of the machine itself (IPv4 ones written as IPv6 too) or the name
    /// `localhost`, which is still to be looked up.
    #[must_use]
    pub fn names_loopback(&self) -> bool {
        let address = self.host().parse::<IpAddr>();
        address.map_or_else(|_| self.is_localhost(), |address| address.to_canonical().is_loopback())
    }

    pub(super) fn is_localhost(&self) -> bool {
        self.host().eq_ignore_ascii_case("localhost")
    }

    pub(super) fn only_loopback(&self) -> bool {
        self.0.origin.loopback
    }

    pub(super) fn origin(&self) -> &Origin {
        &self.0.origin
    }

    /// Whether it begins with `https`.
    #[must_use]
    pub fn is_tls(&self) -> bool {
        self.0.origin.tls
    }

    /// The host name or address, without brackets, as it was written.
    #[must_use]
    pub fn host(&self) -> &str {
        &self.0.origin.host
    }

    /// The port, the scheme's own where none was written.
    #[must_use]
    pub fn port(&self) -> u16 {
        self.0.origin.port
    }

    pub(super) fn authority(&self) -> &str {
        &self.0.authority
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let scheme = if self.0.origin.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.0.authority, self.0.path)
    }
}

fn split_port(authority: &str, usual: u16) -> Result<(&str, u16), UrlError> {
    let (host, port) = if let Some(rest) = authority.strip_prefix('[') {
        let (host, tail) = rest.split_once(']').ok_or(UrlError::BadHost)?;
        host.parse::<Ipv6Addr>().map_err(|_| UrlError::BadHost)?;
        let port = match tail.strip_prefix(':') {
            Some(port) => Some(port),
            None if tail.is_empty() => None,
            None => return Err(UrlError::BadHost),
        };
        (host, port)
    } else {
        let (host, port) =
            authority.split_once(':').map_or((authority, None), |(host, port)| (host, Some(port)));
        let legal = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_');
        if host.is_empty() || host.len() > 253 || !host.bytes().all(legal) {
            return Err(UrlError::BadHost);
        }
        (host, port)
    };
    let Some(port) = port else { return Ok((host, usual)) };
    // `parse` alone would take a leading plus sign.
    let digits = port.bytes().all(|byte| byte.is_ascii_digit());
    match port.parse::<u16>() {
        Ok(number) if digits && number > 0 => Ok((host, number)),
        _ => Err(UrlError::BadPort),
    }
}

fn is_path(path: &str) -> bool {
    let bytes = path.as_bytes();
    bytes.iter().enumerate().all(|(at, byte)| match byte {
        b'%' => bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit)),
        b'"' | b'<' | b'>' | b'\\' | b'^' | b'`' | b'{' | b'|' | b'}' => false,
        other => other.is_ascii_graphic(),
    })
}
