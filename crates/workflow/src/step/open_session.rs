//! `open_session`: a store of the case's own, a project in it, and its first frame.

use super::permission::Needs;
use super::{Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::store::Store;
use rehearsal_lab::{Fact, Stop};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "open_session",
        reference: &["open_session"],
        summary: "Opens a session: a project and its root frame in a store of the case's own.",
        inputs: &[Input {
            name: "project",
            kind: InputKind::Text,
            required: false,
            doc: "Name of the project; `benchmark` where none is given.",
        }],
        gives: &[("project_id", "id of the project"), ("root_frame_id", "id of the root frame")],
        gives_more: false,
        refuses: &["E_INVALID"],
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: open_session\nid: session\nwith: {project: pilot}\nexpect: {project_id: {matches: \"proj_[0-9a-f]{12}\"}}\n",
    },
    needs: Needs::Nothing,
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let project = inputs.text("project")?.unwrap_or("benchmark");
    if let Some(moments) = bench.moments.take() {
        bench.store = Some(Store::create(&bench.root.join("store"), moments)?);
    }
    bench.store()?.open_session(project)
}
