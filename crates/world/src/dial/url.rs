//! The base URL of a provider, read strictly: what it cannot mean is refused before a byte leaves.

use std::net::Ipv6Addr;
use thiserror::Error;

/// Why a text is no base URL. No variant repeats the text: it may hold a secret.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum UrlError {
    /// It does not begin with a scheme.
    #[error("a base URL begins with http://")]
    NoScheme,
    /// It asks for TLS.
    #[error("TLS is not spoken here; the base URL must begin with http://")]
    Tls,
    /// Any other scheme.
    #[error("only http:// is spoken here")]
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

/// An `http` base URL, e.g. `http://127.0.0.1:7771/t/abc/v1`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BaseUrl {
    /// Host name or address, without brackets.
    pub(super) host: String,
    pub(super) port: u16,
    /// What the `Host` header says.
    pub(super) authority: String,
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
        match scheme.to_ascii_lowercase().as_str() {
            "http" => {}
            "https" => return Err(UrlError::Tls),
            _ => return Err(UrlError::UnknownScheme),
        }
        if rest.contains(['?', '#']) {
            return Err(UrlError::QueryOrFragment);
        }
        let (authority, path) = rest.find('/').map_or((rest, ""), |slash| rest.split_at(slash));
        if authority.contains('@') {
            return Err(UrlError::UserInfo);
        }
        let (host, port) = split_port(authority)?;
        let path = path.trim_end_matches('/');
        if !is_path(path) {
            return Err(UrlError::BadPath);
        }
        let bracketed = if host.contains(':') { format!("[{host}]") } else { host.to_owned() };
        let authority = if port == 80 { bracketed } else { format!("{bracketed}:{port}") };
        Ok(Self { host: host.to_owned(), port, authority, path: path.to_owned() })
    }

    /// The request target for an endpoint that begins with `/`; a base that already ends with it is taken as it is.
    #[must_use]
    pub fn target(&self, endpoint: &str) -> String {
        if self.path.ends_with(endpoint) { self.path.clone() } else { format!("{}{endpoint}", self.path) }
    }
}

impl std::fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "http://{}{}", self.authority, self.path)
    }
}

fn split_port(authority: &str) -> Result<(&str, u16), UrlError> {
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
    let Some(port) = port else { return Ok((host, 80)) };
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
