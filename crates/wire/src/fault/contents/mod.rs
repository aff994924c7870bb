//! Faults of what the documents of an answer hold beside tool calls.
