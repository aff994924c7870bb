//! Faults of tool calls.
