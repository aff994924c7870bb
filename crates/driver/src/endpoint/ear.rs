//! Who is told of each request before it leaves and after it is over.

use super::attempts::Attempt;

/// Somebody who writes down what is asked.
pub trait Ear: Send + Sync {
    /// A request is about to leave.
    ///
    /// # Errors
    /// A sentence where this cannot be written down: then the request does not leave.
    fn sending(&mut self, number: u32) -> Result<(), String>;

    /// It came to this.
    fn sent(&mut self, attempt: &Attempt);

    /// What came of the requests is about to be written.
    ///
    /// # Errors
    /// A sentence where this cannot be written down: then the files are not written.
    fn writing(&mut self, writing: Writing) -> Result<(), String>;
}

/// Files that are about to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Writing {
    /// Why they are not verified; none where they are.
    pub missing: Option<&'static str>,
    /// Whether something about the work was not quite as it should be.
    pub suspect: bool,
    /// Paths, and SHA-256 of what each will hold, hexadecimal.
    pub files: Vec<(String, String)>,
}
