//! The inside: a process that leaves the machine's network for one of its own, and becomes the agent there. It must have one
//! thread only, as long as it is ours.

use std::ffi::OsString;
use std::io::{self, Read as _, Write as _};
use std::net::{IpAddr, Ipv4Addr};
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixStream;
use std::path::Path;

use rustix::process::{getegid, geteuid};
use rustix::thread::{UnshareFlags, unshare_unsafe};

use super::{loopback, pass};
use crate::listen;

/// Makes a network of its own for this process and says whether that went well. For a process that only tries.
///
/// # Errors
/// Why not, in words for a person.
pub fn try_here() -> Result<(), String> {
    leave()
}

/// Makes a network of its own for this process, hands listening sockets on these ports out to whoever waits at `socket`, and
/// becomes the agent. Comes back only with the reason why not.
#[must_use]
pub fn enter(socket: &str, ports: &[u16], agent: &[OsString]) -> String {
    let reached = pass::address(socket).and_then(|address| UnixStream::connect_addr(&address));
    let mut outside = match reached {
        Ok(outside) => outside,
        Err(error) => return format!("nobody waits outside: {error}"),
    };
    match prepared(&mut outside, ports) {
        Ok(()) => {}
        Err(why) => {
            let _gone = outside.write_all(&[&[pass::FAILURE], why.as_bytes()].concat());
            return why;
        }
    }
    let [program, arguments @ ..] = agent else { return "no program is named".to_owned() };
    let error = become_agent(program, arguments);
    let number = error.raw_os_error().unwrap_or_default();
    let _gone = outside.write_all(&[&[pass::NOT_STARTED][..], &number.to_ne_bytes()].concat());
    format!("cannot start {}: {error}", program.to_string_lossy())
}

fn prepared(outside: &mut UnixStream, ports: &[u16]) -> Result<(), String> {
    leave()?;
    let mut listeners = Vec::new();
    for &port in ports {
        let host = IpAddr::V4(Ipv4Addr::LOCALHOST);
        listeners.push(listen::bind(host, port, false).map_err(|error| error.to_string())?);
    }
    let sockets: Vec<_> = listeners.iter().map(|listener| listener.as_fd()).collect();
    pass::send(outside.as_fd(), &sockets).map_err(|error| format!("nobody takes the sockets: {error}"))?;
    let mut word = [0];
    match outside.read_exact(&mut word) {
        Ok(()) if word == [pass::GO] => Ok(()),
        Ok(()) | Err(_) => Err("nobody outside said to go on".to_owned()),
    }
}

#[expect(clippy::disallowed_methods, reason = "this process becomes another; none is started")]
fn become_agent(program: &OsString, arguments: &[OsString]) -> io::Error {
    use std::os::unix::process::CommandExt as _;
    std::process::Command::new(program).args(arguments).exec()
}

/// Leaves the machine's network for an empty one. Making one takes a right that only a new set of users gives to everyone.
fn leave() -> Result<(), String> {
    let (user, group) = (geteuid().as_raw(), getegid().as_raw());
    unshare().map_err(|error| refused("make a network of its own", &error))?;
    // Without these two the agent's user would be nobody; the kernel wants groups given up before.
    for (file, text) in [
        ("/proc/self/setgroups", "deny".to_owned()),
        ("/proc/self/gid_map", format!("{group} {group} 1")),
        ("/proc/self/uid_map", format!("{user} {user} 1")),
    ] {
        write(file, &text).map_err(|error| refused(&format!("write {file}"), &error))?;
    }
    loopback::switch_on().map_err(|error| refused("switch on its loopback", &error))
}

#[expect(unsafe_code, reason = "the only way to a new namespace")]
fn unshare() -> io::Result<()> {
    // SAFETY: the danger of this call is a table of file descriptors that threads no longer share; these flags do not touch it.
    Ok(unsafe { unshare_unsafe(UnshareFlags::NEWUSER | UnshareFlags::NEWNET) }?)
}

fn write(file: &str, text: &str) -> io::Result<()> {
    std::fs::OpenOptions::new().write(true).open(file)?.write_all(text.as_bytes())
}

/// What the kernel forbids, and by which switch, where one can be told.
fn refused(step: &str, error: &io::Error) -> String {
    const SWITCHES: [(&str, &str); 3] = [
        ("/proc/sys/user/max_user_namespaces", "0"),
        ("/proc/sys/kernel/unprivileged_userns_clone", "0"),
        ("/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1"),
    ];
    let stands = |(file, forbids): &(&str, &str)| {
        let text = crate::files::read_text(Path::new(file), 64).unwrap_or_default();
        text.trim() == *forbids
    };
    let because = match SWITCHES.iter().find(|switch| stands(switch)) {
        Some((file, value)) => format!("; {file} is {value}"),
        None if error.kind() == io::ErrorKind::PermissionDenied => {
            "; a container's seccomp profile often forbids it".to_owned()
        }
        None => String::new(),
    };
    format!("the kernel does not let an agent {step}: {error}{because}")
}
