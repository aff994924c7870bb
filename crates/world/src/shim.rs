//! Shims on PATH: links to our own program under the names of watched ones. A shim reports how it was called, then becomes
//! the program that would have been run without it.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rehearsal_wire::json::write_string;
use thiserror::Error;

use crate::dial::{BaseUrl, Client, DialError, Limits, Request, Trust, UrlError};
use crate::task;

/// Where a command is reported, below the base URL of its case.
const ENDPOINT: &str = "/gate/command";
/// A file that marks a folder of shims.
const MARK: &str = ".rehearsal-shims";
/// How long a report may take: the command waits for it.
const REPORT: Limits = Limits {
    connect: Duration::from_secs(2),
    idle: Duration::from_secs(2),
    total: Duration::from_secs(2),
    body: 4 << 10,
};
/// Most words of a command line that are reported, and most bytes of them.
const WORDS: usize = 1000;
const BYTES: usize = 32 << 10;

/// Why a folder of shims cannot be laid.
#[derive(Debug, Error)]
pub enum LayError {
    /// There is no way here for a program to become another.
    #[error("watching commands is not supported here")]
    NotSupported,
    /// A program's name that holds a slash or is empty is found without PATH.
    #[error("{0:?} is no name that is looked for on PATH")]
    NoName(String),
    /// What the system says.
    #[error("cannot make {path}: {source}")]
    System {
        /// The folder or link.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
}

/// Why a command could not be reported.
#[derive(Debug, Error)]
pub enum ReportError {
    /// The base URL.
    #[error(transparent)]
    Url(#[from] UrlError),
    /// The way to it.
    #[error(transparent)]
    Dial(#[from] DialError),
    /// Nobody there takes reports.
    #[error("it was answered with status {0}")]
    Status(u16),
    /// No runtime.
    #[error(transparent)]
    Runtime(io::Error),
}

/// Makes `folder` with one link for each program to `own_program`. Put it first on the agent's PATH.
///
/// # Errors
/// When a name is none, a link cannot be made, or there are no shims on this system.
pub fn lay(folder: &Path, programs: &[&str], own_program: &Path) -> Result<(), LayError> {
    if let Some(name) = programs.iter().find(|name| !is_name(name)) {
        return Err(LayError::NoName((*name).to_owned()));
    }
    let failed = |path: &Path, source| LayError::System { path: path.to_owned(), source };
    crate::files::private_folders(folder).map_err(|source| failed(folder, source))?;
    let mark = folder.join(MARK);
    crate::files::write_report(&mark, b"").map_err(|source| failed(&mark, source))?;
    for name in programs {
        let link = folder.join(name);
        system::link(own_program, &link).map_err(|source| match source.kind() {
            io::ErrorKind::Unsupported => LayError::NotSupported,
            _ => failed(&link, source),
        })?;
    }
    Ok(())
}

fn is_name(name: &str) -> bool {
    !name.is_empty() && name != "." && name != ".." && !name.contains(['/', '\0'])
}

/// The name under which we were called, where that is not our own: then this process is a shim.
#[must_use]
pub fn called_as(arguments: &[OsString]) -> Option<OsString> {
    let name = Path::new(arguments.first()?).file_name()?;
    let own = own_file().ok()?;
    (own.file_name() != Some(name)).then(|| name.to_owned())
}

/// Whether the link by which we were called lies in a folder of shims.
#[must_use]
pub fn is_laid(arguments: &[OsString], search_path: &OsStr) -> bool {
    let Some(called) = arguments.first().map(Path::new) else { return false };
    let marked = |folder: &Path| folder.join(MARK).is_file();
    if called.components().count() > 1 {
        return called.parent().is_some_and(marked);
    }
    let mut folders = std::env::split_paths(search_path);
    folders.find(|folder| system::is_executable(&folder.join(called))).is_some_and(|folder| marked(&folder))
}

/// Our own program with all links followed: where it is called by a link, the system may name the link.
fn own_file() -> io::Result<PathBuf> {
    std::env::current_exe()?.canonicalize()
}

/// Reports a command line to the case at `base_url`: words and current folder, which is told relative to `workspace`
/// where it lies inside.
///
/// # Errors
/// When the report does not arrive, or nobody takes it.
pub fn report(base_url: &str, argv: &[OsString], workspace: Option<&Path>) -> Result<(), ReportError> {
    let base = BaseUrl::parse(base_url)?;
    let body = body(argv, &folder(std::env::current_dir().ok().as_deref(), workspace));
    let asked = Request {
        method: "POST",
        target: ENDPOINT,
        headers: &[("content-type", b"application/json")],
        body: body.into(),
    };
    let client = Client::new(Trust::system());
    let answer = task::run_here(client.ask(&base, asked, REPORT)).map_err(ReportError::Runtime)??;
    match answer.status() {
        200..=299 => Ok(()),
        status => Err(ReportError::Status(status)),
    }
}

/// The current folder as a report tells it.
fn folder(current: Option<&Path>, workspace: Option<&Path>) -> String {
    let Some(current) = current else { return "unknown".to_owned() };
    let inside = |root: &Path| current.strip_prefix(root).ok().map(Path::to_owned);
    // The system names the current folder without links; the workspace may have been named with some.
    let relative = workspace
        .and_then(|root| inside(root).or_else(|| root.canonicalize().ok().as_deref().and_then(inside)));
    match relative {
        Some(path) if path.as_os_str().is_empty() => ".".to_owned(),
        Some(path) => path.to_string_lossy().into_owned(),
        None => current.to_string_lossy().into_owned(),
    }
}

/// The report. A command line beyond all bounds is cut, and says so in its last word.
fn body(argv: &[OsString], folder: &str) -> Vec<u8> {
    let mut out = b"{\"argv\": [".to_vec();
    let mut taken = 0;
    for word in argv {
        let mut written = Vec::new();
        write_string(&mut written, &word.to_string_lossy());
        let last_place = taken == WORDS - 1 && argv.len() > WORDS;
        if last_place || out.len() + written.len() > BYTES {
            break;
        }
        separate(&mut out, taken);
        out.append(&mut written);
        taken += 1;
    }
    if taken < argv.len() {
        separate(&mut out, taken);
        write_string(&mut out, &format!("… ({} more)", argv.len() - taken));
    }
    out.extend(b"], \"folder\": ");
    write_string(&mut out, folder);
    out.push(b'}');
    out
}

fn separate(out: &mut Vec<u8>, taken: usize) {
    if taken > 0 {
        out.extend(b", ");
    }
}

/// The program that a name means on this search path, shims left out: what is our own file is one, wherever it lies.
#[must_use]
pub fn real(name: &OsStr, search_path: &OsStr) -> Option<PathBuf> {
    let own = own_file().ok();
    std::env::split_paths(search_path)
        // An empty entry means the current folder.
        .map(|folder| if folder.as_os_str().is_empty() { PathBuf::from(".") } else { folder })
        .map(|folder| folder.join(name))
        .find(|path| system::is_executable(path) && path.canonicalize().ok() != own)
}

/// Becomes another program with the same arguments and environment. Comes back only with the reason why not.
///
/// Its name, `argv[0]`, is its path: a program that looks for its own files by a bare name and PATH, as Python does, would
/// find the shim.
#[must_use]
pub fn become_program(program: &Path, arguments: &[OsString]) -> io::Error {
    system::exec(program, arguments)
}

#[cfg(unix)]
mod system {
    use super::{OsString, Path, io};
    use std::os::unix::process::CommandExt as _;

    pub(super) fn link(program: &Path, link: &Path) -> io::Result<()> {
        std::os::unix::fs::symlink(program, link)
    }

    pub(super) fn is_executable(path: &Path) -> bool {
        path.is_file() && rustix::fs::access(path, rustix::fs::Access::EXEC_OK).is_ok()
    }

    #[expect(clippy::disallowed_methods, reason = "this process becomes another; none is started")]
    pub(super) fn exec(program: &Path, arguments: &[OsString]) -> io::Error {
        std::process::Command::new(program).args(arguments).exec()
    }
}

#[cfg(not(unix))]
mod system {
    use super::{OsString, Path, io};

    pub(super) fn link(_: &Path, _: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    pub(super) fn is_executable(path: &Path) -> bool {
        path.is_file()
    }

    pub(super) fn exec(_: &Path, _: &[OsString]) -> io::Error {
        io::ErrorKind::Unsupported.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(argv: &[&str]) -> Vec<OsString> {
        argv.iter().map(OsString::from).collect()
    }

    #[test]
    fn a_report_is_json_whatever_the_words_are() {
        let body = |argv: &[&str]| String::from_utf8(body(&words(argv), "a\"b")).unwrap();
        assert_eq!(body(&[]), r#"{"argv": [], "folder": "a\"b"}"#);
        assert_eq!(
            body(&["git", "a \"b\"\n", "ü"]),
            r#"{"argv": ["git", "a \"b\"\n", "ü"], "folder": "a\"b"}"#
        );
    }

    #[test]
    fn a_command_line_beyond_all_bounds_is_cut_and_says_so() {
        let read = |argv: &[OsString]| String::from_utf8(body(argv, ".")).unwrap();
        let whole = read(&vec![OsString::from("x"); WORDS]);
        assert_eq!(whole.matches("\"x\"").count(), WORDS);
        let many = read(&vec![OsString::from("x"); WORDS + 7]);
        assert_eq!(many.matches("\"x\"").count(), WORDS - 1);
        assert!(many.contains("\"… (8 more)\"], \"folder\""), "{many}");
        let long = read(&[words(&["rm"]), vec![OsString::from("y".repeat(BYTES))]].concat());
        assert_eq!(long, r#"{"argv": ["rm", "… (1 more)"], "folder": "."}"#);
    }

    #[test]
    fn the_folder_is_told_as_seen_from_the_workspace() {
        for (current, workspace, told) in [
            (Some("/w"), Some("/w"), "."),
            (Some("/w/a/b"), Some("/w"), "a/b"),
            (Some("/world"), Some("/w"), "/world"),
            (Some("/w"), None, "/w"),
            (None, Some("/w"), "unknown"),
        ] {
            assert_eq!(folder(current.map(Path::new), workspace.map(Path::new)), told);
        }
    }

    #[test]
    fn what_path_does_not_look_for_is_no_program_to_watch() {
        for name in ["", ".", "..", "a/b", "/bin/sh"] {
            assert!(!is_name(name), "{name:?}");
        }
        assert!(is_name("git") && is_name("python3.11"));
    }
}
