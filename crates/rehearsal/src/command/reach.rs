//! Who can reach the provider: this machine alone, or others too, who then need a token.

use crate::failure::Failure;
use clap::Args;
use rehearsal_world::ids;
use rehearsal_world::listen::{self, BindError, Listener};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Shortest token that a person may give.
const TOKEN_LENGTH: usize = 16;

/// Where it listens and what its clients must know.
#[derive(Clone, Debug, Args)]
pub(crate) struct Reach {
    /// Address to listen on; one that is not loopback needs --allow-remote.
    #[arg(long, value_name = "IP", default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Let other machines and containers reach it, with a token in their base URL.
    #[arg(long)]
    allow_remote: bool,
    /// Answer only below /t/TOKEN/ [default: none on loopback, else one made at random and shown once].
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    token: Option<String>,
}

/// What clients must know.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Known {
    /// The token, where one is demanded.
    pub(crate) token: Option<String>,
    /// Whether a person gave it: then it is not shown again.
    given: bool,
}

impl Reach {
    /// Listens. Call [`Reach::check`] before anything else is done.
    pub(crate) fn listen(&self, port: u16) -> Result<Listener, Failure> {
        listen::bind(self.host, port, self.allow_remote).map_err(|error| Failure::World(error.to_string()))
    }

    /// What cannot be: a reserved port, a host that others reach though nobody allowed it.
    pub(crate) fn check(&self, port: u16) -> Result<(), Failure> {
        allowed(self.host, port, self.allow_remote)
    }

    /// What clients must know: the token given, or a new one where others may come.
    pub(crate) fn known(&self) -> Result<Known, Failure> {
        let random = || ids::case_token().map_err(|error| Failure::World(error.to_string()));
        let token = match &self.token {
            Some(token) => Some(token.clone()),
            None if self.host.is_loopback() => None,
            None => Some(random()?),
        };
        Ok(Known { token, given: self.token.is_some() })
    }
}

/// Refuses a reserved port, and a host that others reach though nobody allowed it.
pub(super) fn allowed(host: IpAddr, port: u16, allow_remote: bool) -> Result<(), Failure> {
    if listen::RESERVED_PORTS.contains(&port) {
        return Err(Failure::Command(BindError::Reserved(port).to_string()));
    }
    if !host.is_loopback() && !allow_remote {
        return Err(Failure::Command(format!(
            "other machines reach {host}; add --allow-remote to let them, or leave --host out"
        )));
    }
    Ok(())
}

impl Known {
    /// The line that tells clients their base URL.
    pub(crate) fn line(&self, address: SocketAddr) -> String {
        let (root, note) = self.root(address);
        format!("base URL: {root}/v1{note}")
    }

    /// The line for clients that add the version themselves.
    pub(crate) fn root_line(&self, address: SocketAddr) -> String {
        format!("root URL: {}, for clients that add the version themselves", self.root(address).0)
    }

    /// The URL without the version, and what is to be said of its host.
    fn root(&self, address: SocketAddr) -> (String, &'static str) {
        let lane = match self.token.as_deref() {
            None => String::new(),
            Some(_) if self.given => "/t/<token>".to_owned(),
            Some(token) => format!("/t/{token}"),
        };
        let (host, note) = match address.ip() {
            ip if !ip.is_unspecified() => (ip, ""),
            IpAddr::V4(_) => (Ipv4Addr::LOCALHOST.into(), " (from elsewhere: an address of this machine)"),
            IpAddr::V6(_) => (Ipv6Addr::LOCALHOST.into(), " (from elsewhere: an address of this machine)"),
        };
        let address = SocketAddr::new(host, address.port());
        (format!("http://{address}{lane}"), note)
    }
}

/// A token stands in a URL as it is, and must not be guessed.
fn token(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if text.len() >= TOKEN_LENGTH && text.bytes().all(fits) {
        return Ok(text.to_owned());
    }
    Err(format!("a token has {TOKEN_LENGTH} characters or more: letters, digits, `-`, `_`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reach(host: &str, allow_remote: bool, token: Option<&str>) -> Reach {
        Reach { host: host.parse().unwrap(), allow_remote, token: token.map(str::to_owned) }
    }

    #[test]
    fn others_are_let_in_only_where_that_was_said() {
        for (host, allow_remote, fine) in [
            ("127.0.0.1", false, true),
            ("127.0.0.9", false, true),
            ("::1", false, true),
            ("0.0.0.0", false, false),
            ("::", false, false),
            ("192.0.2.1", false, false),
            ("192.0.2.1", true, true),
        ] {
            assert_eq!(reach(host, allow_remote, None).check(0).is_ok(), fine, "{host} {allow_remote}");
        }
        assert!(reach("127.0.0.1", true, None).check(7770).is_err());
    }

    #[test]
    fn whoever_comes_from_elsewhere_needs_a_token() {
        let known = |host, token| reach(host, true, token).known().unwrap();
        assert_eq!(known("127.0.0.1", None).token, None);
        assert_eq!(known("127.0.0.1", Some("given")).token.as_deref(), Some("given"));
        assert_eq!(known("0.0.0.0", Some("given")).token.as_deref(), Some("given"));
        let (one, other) = (known("0.0.0.0", None), known("0.0.0.0", None));
        assert!(one.token.is_some() && one != other);
    }

    #[test]
    fn a_new_token_is_shown_and_a_given_one_is_not() {
        let line = |token: &str, given, address: &str| {
            Known { token: Some(token.to_owned()), given }.line(address.parse().unwrap())
        };
        assert_eq!(line("new", false, "192.0.2.1:80"), "base URL: http://192.0.2.1:80/t/new/v1");
        assert_eq!(
            line("secret", true, "[2001:db8::1]:80"),
            "base URL: http://[2001:db8::1]:80/t/<token>/v1"
        );
        let anywhere = " (from elsewhere: an address of this machine)";
        assert_eq!(
            line("new", false, "0.0.0.0:80"),
            format!("base URL: http://127.0.0.1:80/t/new/v1{anywhere}")
        );
        assert_eq!(line("new", false, "[::]:80"), format!("base URL: http://[::1]:80/t/new/v1{anywhere}"));
    }

    #[test]
    fn without_a_token_the_base_url_is_shown_all_the_same() {
        let line = |address: &str| Known { token: None, given: false }.line(address.parse().unwrap());
        assert_eq!(line("127.0.0.1:80"), "base URL: http://127.0.0.1:80/v1");
        assert_eq!(line("[::1]:80"), "base URL: http://[::1]:80/v1");
        let known = Known { token: None, given: false };
        assert_eq!(
            known.root_line("[::1]:80".parse().unwrap()),
            "root URL: http://[::1]:80, for clients that add the version themselves"
        );
    }

    #[test]
    fn tokens_that_can_be_guessed_or_mistaken_are_refused() {
        for text in
            ["", "short", "0123456789abcde", "0123456789abcde/", "0123456789 abcdef", "0123456789abcdeü"]
        {
            assert!(token(text).is_err(), "{text:?}");
        }
        assert!(token("0123456789-abc_D").is_ok());
    }
}
