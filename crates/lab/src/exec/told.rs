//! What a program left behind, as fields and as a sentence.

use crate::plain::{last_line, line, text};
use rehearsal_journal::digest;
use rehearsal_world::process::{Captured, Ran};
use serde_json::{Map, Value};

/// Both outputs as fields.
pub(crate) fn outputs(ran: &Ran) -> Map<String, Value> {
    let mut observed = Map::new();
    for (name, output) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
        tell(&mut observed, name, output);
    }
    observed
}

fn tell(observed: &mut Map<String, Value>, name: &str, output: &Captured) {
    let (text, is_lossy) = text(&output.kept);
    observed.insert(name.to_owned(), text.into());
    observed.insert(format!("{name}_bytes"), output.bytes.into());
    observed.insert(format!("{name}_sha256"), digest::text(&digest::of(&output.kept)).into());
    if is_lossy {
        observed.insert(format!("{name}_lossy"), true.into());
    }
}

/// How it ended, with the last line that it said of that.
pub(crate) fn ended(program: &str, ran: &Ran) -> String {
    let program = line(program);
    let end = match (ran.status, ran.signal) {
        (Some(status), _) => format!("{program} ended with status {status}"),
        (None, Some(signal)) => format!("{program} was ended by signal {signal}"),
        (None, None) => format!("{program} ended, and nothing tells how"),
    };
    match last_line(&ran.stderr.text()) {
        Some(said) => format!("{end}: {said}"),
        None => end,
    }
}
