//! `restore_artifact`: the bytes of an earlier version again, as a new version that says where it comes from.

use super::permission::{self, Needs};
use super::{PATHS, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::store::Restore;
use rehearsal_lab::{Fact, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

static REFUSES: [&str; PATHS.len() + 5] =
    super::with_paths(["E_NO_SESSION", "E_UNKNOWN", "E_FOREIGN", "E_DIGEST", "E_INVALID"]);

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "restore_artifact",
        reference: &[],
        summary: "Stores the bytes of an earlier version again, from a file that must have its digest, as a fresh version with an edge.",
        inputs: &[
            Input {
                name: "version_id",
                kind: InputKind::Text,
                required: true,
                doc: "The version to restore.",
            },
            Input {
                name: "filename",
                kind: InputKind::Text,
                required: true,
                doc: "The file with its bytes.",
            },
            Input {
                name: "expected_head",
                kind: InputKind::Text,
                required: true,
                doc: "The version that must still be the artifact's newest.",
            },
        ],
        gives: &[
            ("artifact_id", "id of the artifact"),
            ("version_id", "id of the fresh version"),
            ("version", "its number, from 1"),
            ("restored_from", "id of the version that was restored"),
            ("checksum", "SHA-256 of its bytes, hexadecimal"),
            ("size", "bytes"),
            ("edges", "id of the edge to what was restored"),
        ],
        gives_more: false,
        refuses: &REFUSES,
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: restore_artifact\nwith: {version_id: \"${raw.version_id}\", filename: raw.csv, expected_head: \"${raw.version_id}\"}\n",
    },
    needs: Needs::Always(permission::WRITE),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let version = bench.version(inputs.needed("version_id")?)?;
    let expected_head = bench.version(inputs.needed("expected_head")?)?;
    bench.store()?;
    let mut content = bench.workspace.reader(inputs.needed("filename")?)?;
    let step = bench.step.clone();
    let restore = Restore {
        version_id: &version,
        expected_head: &expected_head,
        content: Some(&mut content),
        step: &step,
    };
    bench.store()?.restore_artifact(restore)
}
