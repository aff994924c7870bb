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

/// Acts as a shim where we were called by another name, and a case is there to report to or the name lies in a folder of
/// shims: who empties the environment of `git` wants git all the same. Comes back with an exit code only where there was nothing
/// to become.
pub(crate) fn act(words: &[OsString]) -> Option<ExitCode> {
    let name = shim::called_as(words)?;
    let told = env::shim_surroundings();
    let search_path = told.search_path.unwrap_or_default();
    let shown = name.to_string_lossy();
    let mut argv = words.to_vec();
    argv[0].clone_from(&name);
    match &told.base_url {
        Some(base_url) => {
            if let Err(error) = shim::report(base_url, &argv, told.workspace.as_deref().map(Path::new)) {
                complain(&format!("rehearsal: this call of {shown} runs unreported: {error}"));
            }
        }
        None if shim::is_laid(words, &search_path) => {
            complain(&format!(
                "rehearsal: this call of {shown} runs unreported: REHEARSAL_SHIM was taken from it"
            ));
        }
        None => return None,
    }
    let Some(program) = shim::real(&name, &search_path) else {
        complain(&format!("{shown}: command not found"));
        return Some(ExitCode::from(NOT_FOUND));
    };
    let error = shim::become_program(&program, &words[1..]);
    complain(&format!("{shown}: {}: {error}", program.display()));
    Some(ExitCode::from(NOT_RUNNABLE))
}
