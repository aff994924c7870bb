//! The `Host` of a request: whether it names this machine. Any other name is that of a page in a browser that was led here by it.

/// Whether a `Host` header's value names this machine, or one of `further` names, whatever the port.
#[must_use]
pub fn is_ours(host: &str, further: &[String]) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    // What nearly all clients here say.
    if name == "127.0.0.1" {
        return true;
    }
    further.iter().any(|known| known.eq_ignore_ascii_case(name))
        || name.eq_ignore_ascii_case("localhost")
        || name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::is_ours;

    #[test]
    fn this_machine_and_named_hosts_are_ours_whatever_the_port() {
        let further = ["Stub.example".to_owned()];
        for (host, ours) in [
            ("127.0.0.1:8080", true),
            ("127.9.9.9", true),
            ("[::1]:80", true),
            ("LocalHost:1", true),
            ("stub.example:80", true),
            ("evil.example", false),
            ("127.0.0.1.evil.example", false),
            ("[::2]", false),
            ("", false),
        ] {
            assert_eq!(is_ours(host, &further), ours, "{host}");
        }
    }
}
