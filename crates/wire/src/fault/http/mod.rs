//! An error or another page in the place of the answer.
