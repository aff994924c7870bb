//! `read_artifact`: a stored version, hashed again.

use super::permission::{self, Needs};
use super::{Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Fact, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "read_artifact",
        reference: &[],
        summary: "Reads a stored version and hashes it again; refuses where its bytes are not those that were stored.",
        inputs: &[Input { name: "version_id", kind: InputKind::Text, required: true, doc: "The version." }],
        gives: &[
            ("version_id", "the version"),
            ("checksum", "SHA-256 of its bytes, hexadecimal"),
            ("size", "bytes"),
            ("text", "its text, where it is UTF-8 of at most 64 KiB"),
        ],
        gives_more: false,
        refuses: &["E_NO_SESSION", "E_UNKNOWN", "E_FOREIGN", "E_DIGEST"],
        judges: true,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: read_artifact\nwith: {version_id: \"${raw.version_id}\"}\nexpect: {text: {contains: \"a,1\"}}\n",
    },
    needs: Needs::Always(permission::READ),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let version = bench.version(inputs.needed("version_id")?)?;
    bench.store()?.read_artifact(&version)
}
