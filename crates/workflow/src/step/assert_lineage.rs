//! `assert_lineage`: whether the store knows that one version was made of another.

use super::permission::{self, Needs};
use super::{Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::store::{Ask, Basis, EdgeKind};
use rehearsal_lab::{Fact, Refusal, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "assert_lineage",
        reference: &["assert_lineage"],
        summary: "Asks the store for the edge, or the path, from one version to what was made of it; both are hashed again.",
        inputs: &[
            Input { name: "input", kind: InputKind::Text, required: true, doc: "The earlier version." },
            Input {
                name: "output",
                kind: InputKind::Text,
                required: true,
                doc: "The version that was made of it.",
            },
            Input {
                name: "basis",
                kind: InputKind::Word(Basis::WORDS),
                required: false,
                doc: "What each edge must rest on; anything where none is given.",
            },
            Input {
                name: "kind",
                kind: InputKind::Word(EdgeKind::WORDS),
                required: false,
                doc: "What each edge must be; anything where none is given.",
            },
            Input {
                name: "path",
                kind: InputKind::Flag,
                required: false,
                doc: "Whether a path of several edges will do; else it must be one.",
            },
            Input {
                name: "absent",
                kind: InputKind::Flag,
                required: false,
                doc: "Whether there must be none; refused with E_EXISTS where there is one.",
            },
            Input {
                name: "acyclic",
                kind: InputKind::Flag,
                required: false,
                doc: "Whether all edges of the session are searched for a circle, too.",
            },
        ],
        gives: &[
            (
                "edges",
                "the edges from input to output, each with `edge_id`, `input`, `output`, `kind` and `basis`",
            ),
            ("length", "how many they are"),
            ("acyclic", "true, where that was asked"),
        ],
        gives_more: false,
        refuses: &["E_NO_SESSION", "E_UNKNOWN", "E_FOREIGN", "E_NO_EDGE", "E_EXISTS", "E_CYCLE", "E_DIGEST"],
        judges: true,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: assert_lineage\nwith: {input: \"${raw.version_id}\", output: \"${derived.version_id}\", basis: declared}\nexpect: {length: 1}\n",
    },
    needs: Needs::Always(permission::READ),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let (input, output) = (bench.version(inputs.needed("input")?)?, bench.version(inputs.needed("output")?)?);
    let unknown = |name: &str, words: &[&str]| {
        Stop::Refused(Refusal::of_input(format!("`{name}` is one of {}", words.join(", "))))
    };
    let basis =
        inputs.text("basis")?.map(|word| Basis::of(word).ok_or_else(|| unknown("basis", Basis::WORDS)));
    let kind =
        inputs.text("kind")?.map(|word| EdgeKind::of(word).ok_or_else(|| unknown("kind", EdgeKind::WORDS)));
    let ask = Ask {
        input: &input,
        output: &output,
        basis: basis.transpose()?,
        kind: kind.transpose()?,
        path: inputs.flag("path")?,
        absent: inputs.flag("absent")?,
        acyclic: inputs.flag("acyclic")?,
    };
    bench.store()?.assert_lineage(&ask)
}
