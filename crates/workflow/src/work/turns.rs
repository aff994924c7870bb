//! The steps of a case, one after the other, each within its time limit, until one does not do what the case goes on from.

mod look;

use super::agent::{self, Rehearsed, Stage};
use super::bench::Bench;
use super::expect::Unmet;
use super::hush::Hush;
use super::judge::Seen;
use super::mask::masked;
use crate::case::{self, Folders};
use crate::field::Field;
use crate::run::RunError;
use crate::step::inputs::Inputs;
use crate::step::{STEPS, Step, Work};
use rehearsal_journal::event::Event;
use rehearsal_journal::run::{Finding, JournalHead};
use rehearsal_journal::work::{self, StepEnd, StepResult};
use rehearsal_lab::store::Moments;
use rehearsal_lab::workspace::{Policy, Workspace};
use rehearsal_lab::{Fact, Proof, Refusal, Service, Stop, Used};
use rehearsal_script::workflow::{Form, WorkflowCase, WorkflowStep};
use rehearsal_world::clock::Clock;
use rehearsal_world::record::Recorder;
use rehearsal_world::task;
use rehearsal_world::{environment, files};
use serde_json::{Map, Value};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

/// The steps of one case while they are taken.
pub(super) struct Turns<'f> {
    field: &'f Arc<Field>,
    form: Form,
    case: &'f WorkflowCase,
    folders: &'f Folders,
    recorder: &'f Recorder,
    /// Name of the attempt.
    name: &'f str,
    clock: Clock,
    limit: Duration,
    /// None once a step was given up at its time limit: what it still does, it does to what it holds.
    bench: Option<Box<Bench>>,
    /// Programs that run beside the steps, each with the id of the step that started it.
    services: Vec<(String, Service)>,
    posture: Vec<(String, String)>,
    seen: Vec<Seen>,
    journals: Vec<JournalHead>,
    /// What each step observed, unmasked, for references.
    observed: Vec<Map<String, Value>>,
    /// What must not be kept.
    hush: Hush,
}

/// What is left of the steps.
pub(super) struct Taken {
    pub(super) seen: Vec<Seen>,
    pub(super) journals: Vec<JournalHead>,
    pub(super) posture: Vec<(String, String)>,
    pub(super) hush: Hush,
}

/// What came of the work of a step.
struct Came {
    outcome: Result<Observed, Stop>,
    used: Used,
    findings: Vec<Finding>,
}

/// What a step observed.
#[derive(Default)]
struct Observed {
    fields: Map<String, Value>,
    volatile: Vec<String>,
    proofs: Vec<Proof>,
}

impl From<Fact> for Observed {
    fn from(fact: Fact) -> Self {
        Self {
            fields: fact.observed().clone(),
            volatile: fact.volatile().iter().map(|field| (*field).to_owned()).collect(),
            proofs: fact.proofs().to_vec(),
        }
    }
}

impl Came {
    fn of(outcome: Result<Fact, Stop>, used: Used) -> Self {
        Self { outcome: outcome.map(Observed::from), used, findings: Vec::new() }
    }
}

impl<'f> Turns<'f> {
    pub(super) fn new(
        field: &'f Arc<Field>,
        (form, case): (Form, &'f WorkflowCase),
        folders: &'f Folders,
        recorder: &'f Recorder,
        name: &'f str,
        clock: Clock,
    ) -> Self {
        Self {
            field,
            form,
            case,
            folders,
            recorder,
            name,
            clock,
            limit: case.time_limit.unwrap_or(field.order.time_limit),
            bench: None,
            services: Vec::new(),
            posture: Vec::new(),
            seen: Vec::new(),
            journals: Vec::new(),
            observed: Vec::new(),
            hush: Hush::default(),
        }
    }

    /// Takes them all, or those up to the first after which the case cannot go on.
    pub(super) async fn take_all(&mut self) {
        let opened = self.open().await;
        self.posture = posture(opened.as_deref().ok());
        let (declared, posture) = (self.case.outcome.word().to_owned(), self.posture.clone());
        self.note(work::Fact::Began { declared, posture });
        let mut failed = opened.map(|bench| self.bench = Some(bench)).err();
        for step in &self.case.steps {
            self.take(step, failed.take()).await;
            if !self.seen.last().is_some_and(Seen::goes_on) {
                return;
            }
        }
    }

    fn note(&self, fact: work::Fact) {
        self.recorder.note(Event::Work(fact));
    }

    /// Sets the bench up.
    async fn open(&mut self) -> Result<Box<Bench>, Stop> {
        let folder = self.folders.workspace.clone();
        let workspace = task::blocking(move || Workspace::open(&folder, Policy::default())).await?;
        Ok(Box::new(Bench {
            root: self.folders.case.clone(),
            folder: self.folders.workspace.clone(),
            home: self.folders.home.clone(),
            suite: beside(&self.case.place.file),
            workspace,
            store: None,
            moments: Some(Moments::new(self.field.order.choice.seed, &self.case.name)),
            services: Vec::new(),
            names: std::collections::BTreeMap::new(),
            form: self.form,
            inherited: needed(&self.field.order.inherited),
            step: String::new(),
        }))
    }

    /// Takes one step; `failed` is why it cannot even begin.
    async fn take(&mut self, step: &WorkflowStep, failed: Option<Stop>) {
        let row = &STEPS[step.row];
        let with = self.with(step);
        if let Ok(inputs) = &with {
            self.hush.learn(&inputs.0);
        }
        let shown = with.as_ref().map(|inputs| masked(&inputs.0, &self.hush)).unwrap_or_default();
        let began =
            work::Fact::StepBegan { step: step.id.clone(), uses: step.called.clone(), with: shown.clone() };
        self.note(began);
        let clock = Clock::start();
        let came = match (failed, with) {
            (Some(stop), _) | (None, Err(stop)) => Came::of(Err(stop), Used::default()),
            (None, Ok(inputs)) => self.work(step, row, (inputs, shown)).await,
        };
        let wall = clock.elapsed();
        let unmet = match &came.outcome {
            Ok(observed) => self.unmet(step, &observed.fields).await,
            Err(_) => Vec::new(),
        };
        self.ended(step, came, wall, unmet);
    }

    /// Its inputs, references replaced, where it may have them.
    fn with(&self, step: &WorkflowStep) -> Result<Inputs, Stop> {
        let observed = |at: usize| self.observed.get(at);
        let resolved = |(name, given): &(String, rehearsal_script::workflow::Given)| {
            Ok((
                name.clone(),
                given.resolve(&observed).map_err(|error| Refusal::of_reference(error.to_string()))?,
            ))
        };
        Ok(Inputs(step.with.iter().map(resolved).collect::<Result<_, Refusal>>()?))
    }

    /// Does its work, if it is permitted and there is time left.
    async fn work(
        &mut self,
        step: &WorkflowStep,
        row: &'static Step,
        (inputs, shown): (Inputs, Map<String, Value>),
    ) -> Came {
        if let Some(lacks) = self.lacks(row, &inputs) {
            return Came::of(Err(lacks.into()), Used::default());
        }
        if let Some(bench) = &self.bench
            && !bench.workspace.stands_at(&bench.folder)
        {
            let why = "the workspace was removed, or something else was put in its place";
            return Came::of(Err(Stop::Failed(why.to_owned())), Used::default());
        }
        let left = self.limit.saturating_sub(self.clock.elapsed());
        let limit = step.time_limit.map_or(left, |limit| limit.min(left));
        match row.work {
            Work::Restate => {
                let observed = Observed { fields: inputs.0, ..Observed::default() };
                Came { outcome: Ok(observed), used: Used::default(), findings: Vec::new() }
            }
            Work::Lab(work) => self.lab(step, work, (inputs, shown), limit).await,
            Work::Outside(work) => {
                let Some(bench) = self.bench.as_mut() else { return gone() };
                if let Err(stop) = bench.begin(&step.id, &shown) {
                    return Came::of(Err(stop), Used::default());
                }
                let ended = task::within(limit + BEYOND, work(bench, &inputs, limit)).await;
                let started = bench.services.drain(..).map(|service| (step.id.clone(), service));
                self.services.extend(started);
                let (outcome, used) = ended.unwrap_or((Err(Stop::TimedOut), Used::default()));
                let written = bench.end(&outcome, &self.hush);
                Came::of(written.and(outcome), used)
            }
            Work::Agent => self.agent(step, &inputs, limit).await,
        }
    }

    /// The permission that a step needs and the workflow does not list; enforced in our form alone.
    fn lacks(&self, row: &Step, inputs: &Inputs) -> Option<Refusal> {
        let needed =
            row.needs.with(|name| inputs.value(name).is_some()).filter(|_| self.form == Form::Own)?;
        if self.case.permissions.iter().any(|permission| permission == needed) {
            return None;
        }
        let name = row.form.name;
        Some(Refusal::of_permission(unlisted(name, needed)))
    }

    /// Work that waits for the disk, on a thread for such work. Given up, the thread keeps the bench.
    async fn lab(
        &mut self,
        step: &WorkflowStep,
        work: fn(&mut Bench, &Inputs) -> Result<Fact, Stop>,
        (inputs, shown): (Inputs, Map<String, Value>),
        limit: Duration,
    ) -> Came {
        let Some(mut bench) = self.bench.take() else { return gone() };
        bench.step.clone_from(&step.id);
        let hush = self.hush.clone();
        let done = task::blocking(move || {
            let cpu = rehearsal_world::clock::thread_cpu();
            let begun = bench.begin(&bench.step.clone(), &shown);
            let outcome = begun.and_then(|()| work(&mut bench, &inputs));
            let outcome = bench.end(&outcome, &hush).and(outcome);
            let cpu = rehearsal_world::clock::thread_cpu()
                .zip(cpu)
                .map(|(after, before)| after.saturating_sub(before));
            (bench, outcome, cpu)
        });
        match task::within(limit, done).await {
            Some((bench, outcome, cpu)) => {
                self.bench = Some(bench);
                Came::of(outcome, Used { cpu, ..Used::default() })
            }
            None => Came::of(Err(Stop::TimedOut), Used::default()),
        }
    }

    async fn agent(&mut self, step: &WorkflowStep, inputs: &Inputs, limit: Duration) -> Came {
        let Folders { case, workspace, home } = self.folders;
        let stage = Stage { folders: [case, workspace, home], case: self.name, step: &step.id };
        let rehearsed = task::within(limit, agent::rehearse(self.field, inputs, &stage)).await;
        let Some(Rehearsed { outcome, findings, journal }) = rehearsed else {
            return Came::of(Err(Stop::TimedOut), Used::default());
        };
        self.journals.extend(journal);
        Came { findings, ..Came::of(outcome, Used::default()) }
    }

    /// Writes down what became of a step.
    fn ended(&mut self, step: &WorkflowStep, came: Came, wall: Duration, unmet: Vec<Unmet>) {
        let Came { outcome, used, findings } = came;
        let (end, observed, code, message) = match outcome {
            Ok(observed) => (StepEnd::Done, observed, None, None),
            Err(Stop::Refused(refusal)) => {
                let Refusal { code, message, path, system } = refusal;
                let (word, system) = (code.word().to_owned(), system.map(str::to_owned));
                let path = path.map(|path| self.hush.told(&path));
                self.note(work::Fact::Refused { step: step.id.clone(), code: word, path, system });
                (StepEnd::Refused, Observed::default(), Some(code), Some(message))
            }
            Err(Stop::Failed(why)) => (StepEnd::Failed, Observed::default(), None, Some(why)),
            Err(Stop::TimedOut) => (StepEnd::TimedOut, Observed::default(), None, Some(self.too_long(step))),
            Err(Stop::Unsupported(why)) => (StepEnd::Unsupported, Observed::default(), None, Some(why)),
        };
        let us = |time: Duration| u64::try_from(time.as_micros()).unwrap_or(u64::MAX);
        let result = StepResult {
            step: step.id.clone(),
            uses: step.called.clone(),
            end,
            observed: masked(&observed.fields, &self.hush),
            volatile: observed.volatile.clone(),
            code: code.map(|code| code.word().to_owned()),
            message: message.map(|message| self.hush.told(&message)),
            proofs: observed.proofs.iter().map(|proof| proof.word().to_owned()).collect(),
            wall_us: us(wall),
            cpu_us: used.cpu.map(us),
            peak_rss_kb: used.peak_rss_kb,
        };
        self.note(work::Fact::StepEnded(Box::new(result.clone())));
        self.observed.push(observed.fields.clone());
        let Observed { fields, proofs, .. } = observed;
        self.seen.push(Seen { result, observed: fields, code, proofs, unmet, findings });
    }

    /// The limit that a step has overstepped, in words.
    fn too_long(&self, step: &WorkflowStep) -> String {
        let own = step.time_limit.filter(|_| self.clock.elapsed() < self.limit);
        match own {
            Some(limit) => format!("it took longer than its time limit of {limit:?}, and was ended"),
            None => format!("the case took longer than its time limit of {:?}, and was ended", self.limit),
        }
    }

    /// Ends what still runs, and keeps what it printed.
    ///
    /// # Errors
    /// When that cannot be written.
    pub(super) async fn end(mut self) -> Result<Taken, RunError> {
        for (step, service) in self.services.drain(..) {
            let ran = service.stop().await;
            for (output, printed) in [("stdout", &ran.stdout), ("stderr", &ran.stderr)] {
                case::keep(&self.folders.case, &format!("service-{step}.{output}.txt"), printed)?;
            }
        }
        Ok(Taken { seen: self.seen, journals: self.journals, posture: self.posture, hush: self.hush })
    }
}

/// That a step needs a permission which is not listed.
pub(super) fn unlisted(step: &str, needed: &str) -> String {
    format!("`{step}` needs {needed}, which `permissions` does not list")
}

/// What comes of a step after one that was given up: none is begun.
fn gone() -> Came {
    Came::of(Err(Stop::Failed("an earlier step was given up".to_owned())), Used::default())
}

/// What work outside gets beyond its time limit to end by itself what it started.
const BEYOND: Duration = Duration::from_secs(5);

/// What no program can do without: where programs are, and on Windows where the system is. Anything else that we were started with,
/// keys above all, is none of their business, and would make a case depend on who runs it.
fn needed(inherited: &[(String, String)]) -> Vec<(String, String)> {
    const ALL: &[&str] = &["PATH"];
    const WINDOWS: &[&str] = &["SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT"];
    let is_needed = |name: &str| {
        let known = |all: &[&str]| all.iter().any(|known| known.eq_ignore_ascii_case(name));
        if cfg!(windows) { known(ALL) || known(WINDOWS) } else { ALL.contains(&name) }
    };
    inherited.iter().filter(|(name, _)| is_needed(name)).cloned().collect()
}

/// The folder of a file as it was named, absolute.
pub(super) fn beside(file: &str) -> PathBuf {
    let file = files::absolute(Path::new(file));
    file.parent().map_or_else(|| file.clone(), Path::to_owned)
}

/// What a case runs in.
fn posture(bench: Option<&Bench>) -> Vec<(String, String)> {
    let walk = bench.map_or("none", |bench| bench.workspace.walk());
    vec![("system".to_owned(), environment::system()), ("paths".to_owned(), walk.to_owned())]
}
