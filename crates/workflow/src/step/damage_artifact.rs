//! `damage_artifact`: breaks a stored version on purpose, so that a workflow can show what happens then.

use super::permission::{self, Needs};
use super::{Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Fact, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "damage_artifact",
        reference: &[],
        summary: "Changes a byte of a stored version behind the store's back, as a failing disk would.",
        inputs: &[Input { name: "version_id", kind: InputKind::Text, required: true, doc: "The version." }],
        gives: &[
            ("version_id", "the version"),
            ("checksum", "SHA-256 that its bytes had, hexadecimal"),
            ("offset", "where the byte is, from 0"),
        ],
        gives_more: false,
        refuses: &["E_NO_SESSION", "E_UNKNOWN", "E_FOREIGN", "E_DIGEST"],
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Always,
        example: "use: damage_artifact\nwith: {version_id: \"${raw.version_id}\"}\n",
    },
    needs: Needs::Always(permission::WRITE),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let version = bench.version(inputs.needed("version_id")?)?;
    bench.store()?.damage_artifact(&version)
}
