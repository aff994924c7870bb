//! The run file itself, indented: what other programs read.

use crate::{Report, Style};
use rehearsal_journal::run::RunFile;

pub(super) const ROW: Report =
    Report { name: "json", summary: "the whole run as one JSON object (the run file's own form)", write };

fn write(run: &RunFile, _style: Style) -> String {
    // A run file holds only strings, numbers and lists of them: it always serialises.
    serde_json::to_string_pretty(run).map_or_else(|error| format!("{{\"error\": \"{error}\"}}\n"), |text| text + "\n")
}
