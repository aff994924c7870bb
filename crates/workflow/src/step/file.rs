//! `file`: looks at a file of the workspace, or writes or removes it first.

use super::permission::Needs;
use super::{PATHS, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Fact, Refusal, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "file",
        reference: &[],
        summary: "Looks at a file of the workspace through its boundary; writes or removes it first, where that is asked.",
        inputs: &[
            Input {
                name: "path",
                kind: InputKind::Text,
                required: true,
                doc: "The file, relative to the workspace.",
            },
            Input { name: "content", kind: InputKind::Text, required: false, doc: "What is written first." },
            Input {
                name: "remove",
                kind: InputKind::Flag,
                required: false,
                doc: "Whether it is removed first.",
            },
        ],
        gives: &[
            ("path", "the file, relative to the workspace"),
            ("exists", "whether it is there"),
            ("size", "bytes, where it is there"),
            ("sha256", "its digest, hexadecimal, where it is there"),
            ("text", "its text, where it is UTF-8 of at most 64 KiB"),
        ],
        gives_more: false,
        refuses: PATHS,
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: file\nwith: {path: report.md}\nexpect: {exists: true, text: {contains: \"# Report\"}}\n",
    },
    needs: Needs::WriteWith(&["content", "remove"]),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let path = inputs.needed("path")?;
    match (inputs.text("content")?, inputs.flag("remove")?) {
        (Some(_), true) => {
            return Err(Refusal::of_input("`content` and `remove` cannot stand together").into());
        }
        (Some(content), false) => {
            bench.workspace.write(path, content.as_bytes())?;
        }
        (None, true) => {
            bench.workspace.remove(path)?;
        }
        (None, false) => {}
    }
    bench.workspace.read(path)
}
