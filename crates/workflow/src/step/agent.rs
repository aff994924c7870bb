//! `agent`: the agent of the run, in the case's workspace, against a scripted conversation of the suite.

use super::permission::{self, Needs};
use super::{Step, Work};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "agent",
        reference: &[],
        summary: "Runs the agent of the run in the workspace of the case, on one phrasing of the suite, and judges it as ever.",
        inputs: &[
            Input {
                name: "phrasing",
                kind: InputKind::Text,
                required: true,
                doc: "The phrasing; one that an `agent` step names is no case by itself.",
            },
            Input {
                name: "fault",
                kind: InputKind::Text,
                required: false,
                doc: "A fault that breaks the provider's answers, with its parameters, as in `--faults`.",
            },
        ],
        gives: &[
            ("status", "the agent's exit status, where it ended by itself"),
            ("requests", "requests of the conversation, further attempts included"),
            ("retries", "further attempts among them"),
            ("refused", "how many of them were refused"),
            ("calls", "names of the tools that were called, in order"),
            ("faults", "how many answers were broken by a fault"),
            ("files", "paths of the files that it made or changed in the workspace, sorted"),
        ],
        gives_more: false,
        refuses: &[],
        judges: true,
        interrupts: Trigger::Never,
        breaks: Trigger::Given("fault"),
        example: "use: agent\nwith: {phrasing: notes}\nexpect: {files: [notes.md], refused: 0}\n",
    },
    needs: Needs::Always(permission::AGENT),
    work: Work::Agent,
};
