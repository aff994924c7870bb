//! Faults of whether, when and how an answer begins and ends.
