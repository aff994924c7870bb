//! Pages of the documentation that a test writes: held to what the test says, or written anew where that is asked for.
#![expect(
    clippy::disallowed_methods,
    reason = "a page is a file, and the environment says whether to write it"
)]

use std::fs;
use std::path::Path;

/// Where the page at `path` is not `text`: a line for the person who renews it. With `UPDATE_REFERENCE=1` the page is written
/// first, with its folder.
///
/// # Errors
/// The first line that differs, and what it should say.
///
/// # Panics
/// If the page cannot be written.
pub fn hold(path: &Path, text: &str) -> Result<(), String> {
    if std::env::var("UPDATE_REFERENCE").is_ok_and(|value| value == "1") {
        let written = path.parent().map_or(Ok(()), fs::create_dir_all).and_then(|()| fs::write(path, text));
        assert!(written.is_ok(), "{}: {written:?}", path.display());
    }
    // A clone may have turned line feeds into pairs; the words are what counts.
    let is = fs::read_to_string(path).unwrap_or_default().replace("\r\n", "\n");
    if is == text {
        return Ok(());
    }
    let first = is.lines().zip(text.lines()).position(|(is, wanted)| is != wanted);
    let line = first.unwrap_or_else(|| is.lines().count().min(text.lines().count()));
    let wanted = text.lines().nth(line).unwrap_or("(nothing)");
    let name = path.file_name().unwrap_or_default().display();
    Err(format!("docs/reference/{name}:{} is stale, the program says: {wanted}", line + 1))
}
