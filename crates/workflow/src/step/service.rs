//! `service`: a program that runs beside the later steps, until the case ends.

use super::permission::{self, Needs};
use super::{Outside, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Ready, Service, Start, Stop, Used};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};
use std::time::Duration;

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "service",
        reference: &[],
        summary: "Starts a server of the author's own on a free port, and waits until it is ready; it ends with the case.",
        inputs: &[
            Input {
                name: "command",
                kind: InputKind::Texts,
                required: true,
                doc: "The program and its arguments; `{port}` in them is its port, as is `PORT` in its environment. `{suite}` in them, and in `env`, is the folder of the workflow file.",
            },
            Input {
                name: "env",
                kind: InputKind::TextMap,
                required: false,
                doc: "Variables beside the fixed ones.",
            },
            Input {
                name: "ready",
                kind: InputKind::Text,
                required: false,
                doc: "A path that must answer with a status below 500; without it, that it takes connections is enough.",
            },
        ],
        gives: &[
            ("url", "where it is, such as `http://127.0.0.1:40123`"),
            ("port", "its port"),
            ("ready", "true"),
        ],
        gives_more: false,
        refuses: &["E_EXIT", "E_INPUT"],
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: service\nid: web\nwith: {command: [python3, -m, http.server, \"{port}\", --bind, 127.0.0.1], ready: /}\n",
    },
    needs: Needs::Always(permission::EXEC),
    work: Work::Outside(work),
};

/// Time that it has to end once it is asked to.
const GRACE: Duration = Duration::from_millis(500);

fn work<'b>(bench: &'b mut Bench, inputs: &'b Inputs, limit: Duration) -> Outside<'b> {
    Box::pin(async move {
        let order = match order(bench, inputs, limit) {
            Ok(order) => order,
            Err(stop) => return (Err(stop), Used::default()),
        };
        let started = Service::start(&order).await.map(|(service, fact)| {
            bench.services.push(service);
            fact
        });
        // What it uses is known only when it ends.
        (started, Used::default())
    })
}

fn order(bench: &Bench, inputs: &Inputs, time_limit: Duration) -> Result<Start, Stop> {
    Ok(Start {
        argv: inputs.texts("command")?,
        fill: vec![bench.fill()],
        folder: bench.folder.clone(),
        home: bench.home.clone(),
        env: inputs.text_map("env")?.into_iter().map(|(name, word)| (name, bench.filled(&word))).collect(),
        inherited: bench.inherited.clone(),
        ready: inputs.text("ready")?.map_or(Ready::Port, |path| Ready::Path(path.to_owned())),
        time_limit,
        grace: GRACE,
    })
}
