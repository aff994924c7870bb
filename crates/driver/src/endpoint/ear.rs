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
}
