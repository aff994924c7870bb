//! Looks for a program as the system would, without starting it.

use super::StartError;

/// Finds a program: one without a slash in the folders of `search` (a PATH), one with a slash from where we were started.
///
/// # Errors
/// When it is not there, may not be run, or needs an interpreter that is not there.
#[cfg(unix)]
pub fn find(program: &str, search: Option<&str>) -> Result<std::path::PathBuf, StartError> {
    use rustix::fs::{Access, access};
    let candidates = if program.contains('/') {
        vec![super::located(program).map_err(|_| StartError::Missing(program.to_owned()))?]
    } else {
        let search = search.unwrap_or("/bin:/usr/bin");
        std::env::split_paths(search).map(|folder| folder.join(program)).collect()
    };
    let mut there = candidates.into_iter().filter(|path| path.is_file()).peekable();
    if there.peek().is_none() {
        return Err(StartError::Missing(program.to_owned()));
    }
    let found = there
        .find(|path| access(path, Access::EXEC_OK).is_ok())
        .ok_or_else(|| StartError::NotExecutable(program.to_owned()))?;
    match interpreter(&found) {
        Some(wanted) if !wanted.exists() => Err(StartError::Interpreter(program.to_owned())),
        Some(_) | None => Ok(found),
    }
}

/// Elsewhere the rules by which a name becomes a program are the system's own: only a start tells.
///
/// # Errors
/// None.
#[cfg(not(unix))]
pub fn find(program: &str, _search: Option<&str>) -> Result<std::path::PathBuf, StartError> {
    Ok(program.into())
}

/// The absolute path behind the `#!` of a script.
#[cfg(unix)]
fn interpreter(script: &std::path::Path) -> Option<std::path::PathBuf> {
    use std::io::Read as _;
    let mut first = Vec::new();
    crate::files::open_regular(script).ok()?.take(256).read_to_end(&mut first).ok()?;
    let line = first.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let word = std::str::from_utf8(line).ok()?.split_whitespace().next()?;
    word.starts_with('/').then(|| word.into())
}
