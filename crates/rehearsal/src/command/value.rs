//! Values of flags: each is read in one place, and what is wrong with one is said in one sentence.

use super::report::format;
use rehearsal_report::Report;
use rehearsal_script::scenario::Weight;
use rehearsal_script::span;
use rehearsal_workflow::Enclose;
use rehearsal_workflow::choose::Shard;
use rehearsal_workflow::reach::PublicUrl;
use std::path::PathBuf;
use std::time::Duration;

/// Most cases at once.
pub(super) const JOBS: u32 = 1000;
/// Most rounds of a case.
pub(super) const ROUNDS: u32 = 10_000;
/// Most parts of a suite.
const SHARDS: u32 = 10_000;

fn whole(text: &str, least: u64, most: u64) -> Result<u64, String> {
    match text.parse() {
        Ok(number) if (least..=most).contains(&number) => Ok(number),
        Ok(_) | Err(_) => Err(format!("a whole number from {least} to {most}")),
    }
}

fn counted(text: &str, most: u32) -> Result<u32, String> {
    // What is at most `most` fits.
    whole(text, 1, u64::from(most)).map(|number| u32::try_from(number).unwrap_or(most))
}

/// How many cases at once.
pub(super) fn jobs(text: &str) -> Result<u32, String> {
    counted(text, JOBS)
}

/// How many rounds.
pub(super) fn rounds(text: &str) -> Result<u32, String> {
    counted(text, ROUNDS)
}

/// A seed.
pub(super) fn seed(text: &str) -> Result<u64, String> {
    whole(text, 0, u64::MAX)
}

/// A port to listen on.
pub(super) fn port(text: &str) -> Result<u16, String> {
    whole(text, 0, u64::from(u16::MAX)).map(|number| u16::try_from(number).unwrap_or_default())
}

/// The origin of a web page (RFC 6454), as browsers send it: never with a path, nor a slash at its end.
pub(super) fn origin(text: &str) -> Result<String, String> {
    let host = text.split_once("://").map(|(scheme, host)| if scheme.is_empty() { "" } else { host });
    let is_one = host.is_some_and(|host| !host.is_empty() && !host.contains(['/', '?', '#', '*', ' ']));
    if is_one || text == "null" {
        return Ok(text.to_owned());
    }
    Err("an origin is scheme://host or scheme://host:port and nothing behind it, as in http://127.0.0.1:3000"
        .to_owned())
}

/// A model's name.
pub(super) fn model(text: &str) -> Result<String, String> {
    if text.trim().is_empty() {
        return Err("a model has a name of one character or more".to_owned());
    }
    Ok(text.to_owned())
}

/// An address to listen on.
pub(super) fn host(text: &str) -> Result<std::net::IpAddr, String> {
    text.parse().map_err(|_| "an IP address of this machine, such as 127.0.0.1 or 0.0.0.0".to_owned())
}

/// The URL that agents are told.
pub(super) fn public_url(text: &str) -> Result<PublicUrl, String> {
    PublicUrl::read(text)
}

/// Whether agents get networks of their own.
pub(super) fn enclose(text: &str) -> Result<Enclose, String> {
    match text {
        "require" => Ok(Enclose::Require),
        "auto" => Ok(Enclose::Auto),
        _ => Err("write --netns, --netns=require or --netns=auto".to_owned()),
    }
}

/// A part of a suite: `k/n`.
pub(super) fn shard(text: &str) -> Result<Shard, String> {
    let part = text.split_once('/').and_then(|(k, n)| Some((k.parse().ok()?, n.parse().ok()?)));
    match part {
        Some((k, n)) if 1 <= k && k <= n && n <= SHARDS => Ok((k, n)),
        Some(_) | None => {
            Err(format!("write k/n: part k of n, where k is 1 to n and n at most {SHARDS}, such as 1/4"))
        }
    }
}

/// A time longer than nothing, as in scenario files.
pub(super) fn time(text: &str) -> Result<Duration, String> {
    match span::parse(text) {
        Some(time) if !time.is_zero() => Ok(time),
        Some(_) | None => Err(format!("{}, up to 24h", span::FORM)),
    }
}

/// What a finding weighs: `CODE=error`.
pub(super) fn weight(text: &str) -> Result<(String, Weight), String> {
    let (code, word) = text.rsplit_once('=').unwrap_or((text, ""));
    let weight = match word {
        "error" => Weight::Error,
        "warning" => Weight::Warning,
        "note" => Weight::Note,
        "off" => Weight::Off,
        _ => return Err("write CODE=error, CODE=warning, CODE=note or CODE=off".to_owned()),
    };
    Ok((code.to_owned(), weight))
}

/// A report to write: `FORMAT=FILE`.
pub(super) fn report(text: &str) -> Result<(&'static Report, PathBuf), String> {
    match text.split_once('=') {
        Some((name, file)) if !file.is_empty() => Ok((format(name)?, PathBuf::from(file))),
        Some(_) | None => Err("write FORMAT=FILE, such as junit=report.xml".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::{jobs, origin, rounds, seed, shard};

    #[test]
    fn an_origin_has_a_host_and_nothing_behind_it() {
        for good in ["http://127.0.0.1:3000", "https://example.com", "chrome-extension://abc", "null"] {
            assert_eq!(origin(good).as_deref(), Ok(good));
        }
        for bad in ["", "*", "127.0.0.1:3000", "http://", "://x", "http://127.0.0.1:3000/", "http://*.x"] {
            assert!(origin(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn numbers_are_whole_and_in_their_range() {
        assert_eq!(
            (jobs("1"), jobs("1000"), rounds("10000"), seed("0")),
            (Ok(1), Ok(1000), Ok(10_000), Ok(0))
        );
        for text in ["0", "1001", "x", "", "1.5", "-1", "99999999999999999999"] {
            assert_eq!(jobs(text), Err("a whole number from 1 to 1000".to_owned()), "{text}");
        }
        assert!(seed("abc").is_err() && seed("-1").is_err());
    }

    #[test]
    fn a_shard_is_one_of_its_number() {
        assert_eq!((shard("1/1"), shard("3/4")), (Ok((1, 1)), Ok((3, 4))));
        for text in ["0/4", "5/4", "1", "1/", "/4", "a/b", "1/10001", "1/2/3", ""] {
            assert!(shard(text).is_err(), "{text}");
        }
    }
}
