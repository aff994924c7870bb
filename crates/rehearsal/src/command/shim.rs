//! What the program does where it stands on PATH under the name of a watched command: it reports the call to the case, then
//! becomes the command.

use crate::env;
use crate::terminal::complain;
use rehearsal_world::shim;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// What a shell answers for a program that is nowhere.
const NOT_FOUND: u8 = 127;
/// What a shell answers for a program that cannot be run.
const NOT_RUNNABLE: u8 = 126;

/// Acts as a shim where we were called by another name and a case is there to report to. Comes back with an exit code
/// only where there was nothing to become.
pub(crate) fn act(words: &[OsString]) -> Option<ExitCode> {
    let told = env::shim_surroundings()?;
    let name = shim::called_as(words)?;
    let shown = name.to_string_lossy();
    let mut argv = words.to_vec();
    argv[0].clone_from(&name);
    if let Err(error) = shim::report(&told.base_url, &argv, told.workspace.as_deref().map(Path::new)) {
        complain(&format!("rehearsal: this call of {shown} runs unreported: {error}"));
    }
    let Some(program) = shim::real(&name, told.search_path.as_deref().unwrap_or_default()) else {
        complain(&format!("{shown}: command not found"));
        return Some(ExitCode::from(NOT_FOUND));
    };
    let error = shim::become_program(&program, &words[1..]);
    complain(&format!("{shown}: {}: {error}", program.display()));
    Some(ExitCode::from(NOT_RUNNABLE))
}
