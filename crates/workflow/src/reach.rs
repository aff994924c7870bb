//! Where the stand-in listens, and by which URL agents reach it: from this machine, from a container, from elsewhere.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Where to listen and what to tell agents of it.
#[derive(Clone, Debug)]
pub struct Reach {
    /// The address to listen on.
    pub host: IpAddr,
    /// The port; 0 for any free one.
    pub port: u16,
    /// Whether it may be an address that other machines reach.
    pub allow_remote: bool,
    /// The URL that agents are told, where it is another one.
    pub public_url: Option<PublicUrl>,
}

impl Default for Reach {
    fn default() -> Self {
        Self { host: IpAddr::V4(Ipv4Addr::LOCALHOST), port: 0, allow_remote: false, public_url: None }
    }
}

impl Reach {
    /// The URL that agents are told, without lane and without a slash at its end.
    pub(crate) fn told(&self, address: SocketAddr) -> String {
        match &self.public_url {
            Some(url) => url.at(address.port()),
            None => self.local(address),
        }
    }

    /// The URL by which this machine itself reaches the stand-in.
    pub(crate) fn local(&self, address: SocketAddr) -> String {
        let host = match address.ip() {
            IpAddr::V4(ip) if ip.is_unspecified() => IpAddr::V4(Ipv4Addr::LOCALHOST),
            IpAddr::V6(ip) if ip.is_unspecified() => IpAddr::V6(Ipv6Addr::LOCALHOST),
            ip => ip,
        };
        format!("http://{}", SocketAddr::new(host, address.port()))
    }

    /// Whether others than the agents may come by, so that everything but the cases' own URLs is closed.
    pub(crate) fn is_open(&self) -> bool {
        !self.host.is_loopback() || self.public_url.is_some()
    }

    /// Hosts that requests may name beside the address.
    pub(crate) fn hosts(&self) -> Vec<String> {
        self.public_url.iter().map(|url| url.host().to_owned()).collect()
    }

    /// The hosts that agents ask without a proxy.
    pub(crate) fn no_proxy(&self) -> String {
        let mut hosts = vec!["127.0.0.1".to_owned(), "localhost".to_owned(), "::1".to_owned()];
        if !self.host.is_loopback() && !self.host.is_unspecified() {
            hosts.push(self.host.to_string());
        }
        hosts.extend(self.hosts());
        hosts.join(",")
    }
}

/// The beginning of a URL: scheme, host, port, perhaps a path. `{port}` in it stands for the port that the stand-in got.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PublicUrl {
    text: String,
    host: std::ops::Range<usize>,
}

const PORT: &str = "{port}";

impl PublicUrl {
    /// Reads it.
    ///
    /// # Errors
    /// What is wrong with it, in a few words.
    pub fn read(text: &str) -> Result<Self, String> {
        let text = text.trim_end_matches('/');
        let scheme = ["http://", "https://"].into_iter().find(|scheme| text.starts_with(scheme));
        let scheme = scheme.ok_or("it must begin with http:// or https://")?;
        if !text.bytes().all(|byte| byte.is_ascii_graphic()) || text.contains(['?', '#', '@']) {
            return Err("it is scheme, host, port and perhaps a path, and nothing else".to_owned());
        }
        let authority = text[scheme.len()..].split('/').next().unwrap_or_default();
        let host = match authority.strip_prefix('[') {
            Some(inside) => inside.find(']').map_or(0, |end| end + 2),
            None => authority.find(':').unwrap_or(authority.len()),
        };
        let port = &authority[host..];
        let is_port = |port: &str| port == PORT || port.parse::<u16>().is_ok_and(|port| port > 0);
        if host == 0 || authority[..host].contains(['{', '}']) {
            return Err("it names no host".to_owned());
        }
        if !port.is_empty() && !port.strip_prefix(':').is_some_and(is_port) {
            return Err(
                "behind the host stands a port: a number, or {port} for the one that the run gets".to_owned()
            );
        }
        if text[scheme.len() + authority.len()..].contains(['{', '}']) {
            return Err("{port} stands behind the host".to_owned());
        }
        Ok(Self { text: text.to_owned(), host: scheme.len()..scheme.len() + host })
    }

    fn at(&self, port: u16) -> String {
        self.text.replace(PORT, &port.to_string())
    }

    fn host(&self) -> &str {
        &self.text[self.host.clone()]
    }
}

#[cfg(test)]
mod tests {
    use super::{PublicUrl, Reach};

    #[test]
    fn a_public_url_is_read_and_filled() {
        for (text, host, filled) in [
            ("http://host.docker.internal:{port}", "host.docker.internal", "http://host.docker.internal:81"),
            ("http://host:{port}/", "host", "http://host:81"),
            ("https://ci.example/agents/", "ci.example", "https://ci.example/agents"),
            ("http://[fd00::1]:8080", "[fd00::1]", "http://[fd00::1]:8080"),
            ("http://10.0.0.1", "10.0.0.1", "http://10.0.0.1"),
        ] {
            let url = PublicUrl::read(text).unwrap();
            assert_eq!((url.host(), url.at(81)), (host, filled.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_is_no_beginning_of_a_url_is_refused() {
        for text in [
            "",
            "host:{port}",
            "ftp://host",
            "http://",
            "http://:80",
            "http://{port}",
            "http://host:",
            "http://host:0",
            "http://host:port",
            "http://host:{port}x",
            "http://host/{port}",
            "http://user@host",
            "http://host?x",
            "http://ho st",
            "http://[::1",
            "http://höst",
        ] {
            assert!(PublicUrl::read(text).is_err(), "{text}");
        }
    }

    #[test]
    fn an_address_that_means_all_of_them_is_told_as_loopback() {
        let reach = Reach { host: "0.0.0.0".parse().unwrap(), allow_remote: true, ..Reach::default() };
        assert_eq!(reach.told("0.0.0.0:9".parse().unwrap()), "http://127.0.0.1:9");
        assert_eq!(reach.told("[::]:9".parse().unwrap()), "http://[::1]:9");
        assert!(reach.is_open() && !Reach::default().is_open());
        let public_url = PublicUrl::read("http://box:{port}").ok();
        let reach = Reach { public_url, ..reach };
        assert_eq!(reach.told("0.0.0.0:9".parse().unwrap()), "http://box:9");
        assert_eq!(reach.no_proxy(), "127.0.0.1,localhost,::1,box");
    }
}
