//! `exec`: a program of the author's own, run to its end in the workspace.

use super::permission::{self, Needs};
use super::{Outside, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Exec, Interrupt, Stop, Used, exec};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};
use std::time::Duration;

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "exec",
        reference: &[],
        summary: "Runs a program in the workspace, with a fixed small environment, to its end; all its processes end with it.",
        inputs: &[
            Input {
                name: "command",
                kind: InputKind::Texts,
                required: true,
                doc: "The program and its arguments; no shell reads them. `{suite}` in them, and in `env`, is the folder of the workflow file.",
            },
            Input { name: "stdin", kind: InputKind::Text, required: false, doc: "Its standard input." },
            Input {
                name: "env",
                kind: InputKind::TextMap,
                required: false,
                doc: "Variables beside the fixed ones.",
            },
            Input {
                name: "may_fail",
                kind: InputKind::Flag,
                required: false,
                doc: "Whether a status other than 0 is a fact, too; else it is refused with E_EXIT.",
            },
            Input {
                name: "interrupt",
                kind: InputKind::Span,
                required: false,
                doc: "Interrupts it after this time: SIGINT, again, then SIGTERM, then SIGKILL, half a second apart.",
            },
        ],
        gives: &[
            ("status", "its exit status, where it ended by itself"),
            ("signal", "the signal that ended it, else"),
            ("stdout", "what it printed, the first 64 KiB"),
            ("stderr", "what it printed as errors, the first 64 KiB"),
            ("stdout_bytes", "how much it printed"),
            ("stderr_bytes", "how much it printed as errors"),
            ("stdout_sha256", "digest of its first MiB, hexadecimal"),
            ("stderr_sha256", "digest of the first MiB of its errors, hexadecimal"),
            ("stdout_lossy", "true where it was not UTF-8"),
            ("stderr_lossy", "true where it was not UTF-8"),
            (
                "interrupted",
                "where it was interrupted: `stage` at which it ended, and whether it `acknowledged`",
            ),
        ],
        gives_more: false,
        refuses: &["E_EXIT"],
        judges: true,
        interrupts: Trigger::Given("interrupt"),
        breaks: Trigger::Never,
        example: "use: exec\nwith: {command: [python3, -c, \"print('done')\"]}\nexpect: {stdout: {contains: done}}\n",
    },
    needs: Needs::Always(permission::EXEC),
    work: Work::Outside(work),
};

/// Time between the stages of an interrupt.
const GRACE: Duration = Duration::from_millis(500);

fn work<'b>(bench: &'b mut Bench, inputs: &'b Inputs, limit: Duration) -> Outside<'b> {
    Box::pin(async move {
        match order(bench, inputs, limit) {
            Ok(order) => {
                let done = exec(&order).await;
                (done.result, done.used)
            }
            Err(stop) => (Err(stop), Used::default()),
        }
    })
}

fn order(bench: &Bench, inputs: &Inputs, time_limit: Duration) -> Result<Exec, Stop> {
    Ok(Exec {
        argv: inputs.texts("command")?.iter().map(|word| bench.filled(word)).collect(),
        folder: bench.folder.clone(),
        home: bench.home.clone(),
        env: inputs.text_map("env")?.into_iter().map(|(name, word)| (name, bench.filled(&word))).collect(),
        inherited: bench.inherited.clone(),
        stdin: inputs.text("stdin")?.map(|text| text.as_bytes().to_vec()),
        may_fail: inputs.flag("may_fail")?,
        time_limit,
        grace: GRACE,
        interrupt: inputs.span("interrupt")?.map(|after| Interrupt { after }),
    })
}
