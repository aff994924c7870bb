//! The program as a person uses it: commands in, exit code, words and files out.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on should panic")]
#![expect(clippy::disallowed_methods, reason = "tests have their own files, processes and deadlines")]

mod agents;
mod authoring;
mod cassettes;
mod daemons;
mod defects;
mod drills;
mod driving;
mod enclosed;
mod evidence;
mod hostile;
mod init;
mod kills;
mod known;
mod merging;
mod mistakes;
mod network;
mod probing;
mod proving;
mod quirks;
mod reach;
mod redacting;
mod replaying;
mod running;
mod sandbox;
mod scripting;
mod secrets;
mod serving;
mod shims;
mod upstream;
mod watching;
mod waves;
mod workflows;
