//! The run file itself, indented: what other programs read.

use crate::{Report, Style};
use rehearsal_journal::run::RunFile;

pub(super) const ROW: Report =
    Report { name: "json", summary: "the whole run as one JSON object (the run file's own form)", write };

fn write(run: &RunFile, _style: Style) -> String {
    run.to_json()
}
