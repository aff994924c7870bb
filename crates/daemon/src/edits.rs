//! The file of edits: what mutating runs write, path by path.

use rehearsal_script::paths::is_inside;
use rehearsal_wire::json::{self, Kind};
use std::sync::Arc;
use thiserror::Error;

/// Why a file of edits cannot be used.
#[derive(Debug, Error)]
pub enum EditsError {
    /// It is not JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// It is something else than a map of texts.
    #[error("it must be an object of paths and texts, as in {{\"notes.txt\": \"done\\n\"}}")]
    NotTexts,
    /// A path could lead out of a workspace.
    #[error("{0:?} is no path below a workspace: write a relative one without `.` and `..`")]
    Outside(String),
    /// A path stands twice.
    #[error("{0:?} stands twice")]
    Twice(String),
}

/// Reads a file of edits: an object of relative paths and texts, in the order of the file.
///
/// # Errors
/// The first thing that is wrong.
pub fn read(bytes: &[u8]) -> Result<Arc<[(String, String)]>, EditsError> {
    let tape = json::parse(bytes).map_err(|broken| EditsError::NotJson(broken.to_string()))?;
    if tape.root().kind() != Kind::Object {
        return Err(EditsError::NotTexts);
    }
    let mut edits: Vec<(String, String)> = Vec::new();
    for (path, text) in tape.root().entries() {
        let path = path.as_str().unwrap_or_default().into_owned();
        let text = text.as_str().ok_or(EditsError::NotTexts)?.into_owned();
        if !is_inside(&path) {
            return Err(EditsError::Outside(path));
        }
        if edits.iter().any(|(known, _)| *known == path) {
            return Err(EditsError::Twice(path));
        }
        edits.push((path, text));
    }
    Ok(edits.into())
}

#[cfg(test)]
mod tests {
    use super::{EditsError, read};

    #[test]
    fn paths_that_lead_out_of_a_workspace_are_refused() {
        for path in ["../x", "/etc/x", "a/../../x", "", "a//b", ".", "a/.", "c:x"] {
            let file = format!("{{{path:?}: \"x\"}}");
            assert!(matches!(read(file.as_bytes()), Err(EditsError::Outside(_))), "{path}");
        }
        let edits = read(br#"{"b/c.txt": "one\n", "a.txt": "two"}"#).unwrap();
        assert_eq!(edits[0], ("b/c.txt".to_owned(), "one\n".to_owned()));
        assert!(matches!(read(b"[]"), Err(EditsError::NotTexts)));
        assert!(matches!(read(br#"{"a": 1}"#), Err(EditsError::NotTexts)));
        assert!(matches!(read(br#"{"a": "", "a": ""}"#), Err(EditsError::Twice(_))));
    }
}
