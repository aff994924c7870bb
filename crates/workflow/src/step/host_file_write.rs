//! `host_file_write`: a file written through the workspace boundary, which refuses whatever could lead out of it.

use super::permission::{self, Needs};
use super::{PATHS, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Fact, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "host_file_write",
        reference: &["host_file_write"],
        summary: "Writes a file through the workspace boundary; refuses each path that could lead out of it.",
        inputs: &[
            Input {
                name: "path",
                kind: InputKind::Text,
                required: true,
                doc: "The file, relative to the workspace.",
            },
            Input {
                name: "content",
                kind: InputKind::Text,
                required: false,
                doc: "What it is to hold; `x` where nothing is given.",
            },
        ],
        gives: &[
            ("path", "the file, relative to the workspace"),
            ("bytes", "how many were written"),
            ("sha256", "their digest, hexadecimal"),
            ("created", "whether nothing stood there before"),
        ],
        gives_more: false,
        refuses: PATHS,
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: host_file_write\nwith: {path: notes/run.txt, content: ok}\nexpect: {path: {exists: true}, bytes: 2}\n",
    },
    needs: Needs::Always(permission::WRITE),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let content = inputs.text("content")?.unwrap_or("x");
    bench.workspace.write(inputs.needed("path")?, content.as_bytes())
}
