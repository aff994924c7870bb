//! Decides: a request, the state and the time go in; an answer, what is to be done in the world, and facts come out.
//!
//! Must not know: files, sockets, clocks. What must be done in the world is a [`Work`]; [`resume`] goes on when it was.

use crate::a2a;
use crate::effect::{Blocked, Effect};
use crate::setting::{Manner, Setting};
use crate::state::State;
use crate::v2::{self, Body, Call, Form, Problem, Reply, Route, Starting};
use rehearsal_journal::daemon::{Decided, Fact, Place, Sum};
use rehearsal_script::runs::{Answers, Mode};
use std::sync::OnceLock;

/// A request as it was heard.
#[derive(Debug)]
pub(crate) struct Heard<'t> {
    /// Method as sent.
    pub(crate) method: &'t str,
    /// Target as sent, query included.
    pub(crate) target: &'t str,
    /// `Authorization`; empty where missing.
    pub(crate) authorization: &'t [u8],
    /// `Host`; empty where missing.
    pub(crate) host: &'t str,
    /// `Origin`, where one was sent.
    pub(crate) origin: Option<&'t str>,
    /// `Idempotency-Key`; empty where missing.
    pub(crate) key: &'t str,
    /// `X-Claudexor-Protocol-Major`; empty where missing.
    pub(crate) major: &'t str,
    /// `Last-Event-ID`; empty where missing.
    pub(crate) last_event: &'t str,
    /// What A2A adds.
    pub(crate) a2a: a2a::Headers<'t>,
    /// The body, where one is read.
    pub(crate) body: Body<'t>,
    /// Its bytes, whatever they are.
    pub(crate) raw: &'t [u8],
    /// What was found out about the body before anything was decided.
    pub(crate) looked: Looked,
}

/// What takes its time with a long body, and needs no state: found out once, and best before the state is held.
#[derive(Debug, Default)]
pub(crate) struct Looked {
    digest: OnceLock<[u8; 32]>,
    secret: OnceLock<Option<String>>,
}

impl Heard<'_> {
    /// What nobody asked: time alone brought it.
    #[must_use]
    pub(crate) fn nothing() -> Self {
        Self {
            method: "",
            target: "",
            authorization: b"",
            host: "",
            origin: None,
            key: "",
            major: "",
            last_event: "",
            a2a: a2a::Headers::default(),
            body: Body::Empty,
            raw: b"",
            looked: Looked::default(),
        }
    }

    /// Finds out now what would else be found out when it is asked for.
    pub(crate) fn look(&self, setting: &Setting) {
        if self.body.object().is_some() && !(setting.manner != Manner::Seed && a2a::is_ours(self.target)) {
            self.digest();
            if setting.manner == Manner::Engine {
                self.secret();
            }
        }
    }

    /// The digest of the body.
    pub(crate) fn digest(&self) -> [u8; 32] {
        *self.looked.digest.get_or_init(|| self.body.digest())
    }

    /// Where the first value stands in the body that looks like a secret.
    pub(crate) fn secret(&self) -> Option<&str> {
        self.looked.secret.get_or_init(|| v2::secret_in(&self.body)).as_deref()
    }
}

/// What becomes of a request for now.
#[derive(Debug)]
pub(crate) enum Step {
    /// It is decided.
    Done(Box<Decision>),
    /// Something must be done in the world first.
    Work(Box<Work>),
    /// What it is about is being worked on: it is to be judged again once that is done.
    Wait,
}

/// A decision.
#[derive(Debug)]
pub(crate) struct Decision {
    /// What is answered.
    pub(crate) reply: Reply,
    /// What is taken down of the request.
    pub(crate) decided: Decided,
    /// What it changed.
    pub(crate) facts: Vec<Fact>,
    /// How the answer is broken on the wire.
    pub(crate) trouble: Option<Mode>,
}

impl Decision {
    pub(crate) fn new(reply: Reply, mut decided: Decided, facts: Vec<Fact>, trouble: Option<Mode>) -> Self {
        decided.status = reply.status;
        decided.broken = trouble.map(|mode| mode.word().to_owned());
        Self { reply, decided, facts, trouble }
    }
}

/// Something to do in the world, and what then.
#[derive(Debug)]
pub(crate) struct Work {
    pub(crate) effect: Effect,
    next: Next,
    decided: Decided,
    facts: Vec<Fact>,
}

/// What follows a work.
#[derive(Debug)]
enum Next {
    Started(Box<Starting>),
    Task(Box<a2a::Starting>),
    Edited { run: String, then: Then },
    Told { run: String },
}

/// What is answered once a run has done all that was due.
#[derive(Debug)]
pub(crate) enum Then {
    /// This.
    Say { reply: Reply, what: Answers },
    /// Its detail.
    Detail,
    /// What was asked of it as a task of A2A.
    Task(Box<a2a::Asked>),
    /// Nothing: its clock moved it.
    Nothing,
}

/// Judges a request. It may be judged again after [`Step::Wait`]; until then nothing has changed.
pub(crate) fn judge(state: &mut State, setting: &Setting, heard: &Heard<'_>, now_ms: u64) -> Step {
    if setting.manner != Manner::Seed && a2a::is_ours(heard.target) {
        let decided = Decided::default();
        return a2a::judge(&mut Call { state, setting, heard, now_ms, decided, facts: Vec::new() });
    }
    let found = v2::route(heard.method, heard.target);
    let decided = Decided { operation: found.name(heard.method).to_owned(), ..Decided::default() };
    let mut call = Call { state, setting, heard, now_ms, decided, facts: Vec::new() };
    if setting.manner == Manner::Seed && matches!(heard.method, "PUT" | "HEAD" | "OPTIONS") {
        call.decided.code = Some("unsupported_method".to_owned());
        return call.say(Reply::page());
    }
    if let Some(problem) = v2::refused(setting, heard, &found) {
        return call.refuse(&problem);
    }
    if setting.manner != Manner::Seed
        && found != Route::Unknown
        && let Some(problem) = heard.body.problem()
    {
        return call.refuse(&problem);
    }
    if setting.manner == Manner::Engine
        && let Some(problem) = v2::unfit(heard, call.decided.operation.as_str())
    {
        return call.refuse(&problem);
    }
    v2::serve(&mut call, found)
}

/// Goes on after a work. The outcome says whether edits were written, or why nothing was done.
pub(crate) fn resume(
    state: &mut State,
    setting: &Setting,
    work: Work,
    outcome: Result<bool, Blocked>,
    now_ms: u64,
) -> Step {
    let heard = Heard::nothing();
    let Work { effect, next, decided, facts } = work;
    let mut call = Call { state, setting, heard: &heard, now_ms, decided, facts };
    match next {
        Next::Started(starting) => v2::started(&mut call, *starting, effect, outcome),
        Next::Task(starting) => a2a::started(&mut call, *starting, effect, outcome),
        Next::Edited { run, then } => {
            call.state.busy.remove(&run);
            call.edited(&run, &effect, outcome);
            call.touched(&run);
            call.go_on(&run, then)
        }
        Next::Told { run } => {
            call.state.busy.remove(&run);
            if let Err(blocked) = outcome {
                return call.refuse(&disk(&blocked));
            }
            call.told(&run, &effect);
            v2::detail(&mut call, &run)
        }
    }
}

/// Lets the clock bring what is due. Each step is to be taken down, or worked on, as that of a request.
pub(crate) fn tick(state: &mut State, setting: &Setting, now_ms: u64) -> Vec<Step> {
    let heard = Heard::nothing();
    let due = state.due(now_ms);
    let mut steps = Vec::new();
    for id in due {
        let Some(run) = state.runs.get_mut(&id) else { continue };
        run.catch_up(now_ms);
        let decided = Decided { operation: "clock".to_owned(), run: Some(id.clone()), ..Decided::default() };
        let mut call =
            Call { state: &mut *state, setting, heard: &heard, now_ms, decided, facts: Vec::new() };
        call.touched(&id);
        steps.push(call.go_on(&id, Then::Nothing));
    }
    steps
}

/// Lets a run go on that somebody waits for, as far as it goes without being read. None where somebody is at it.
pub(crate) fn play(state: &mut State, setting: &Setting, id: &str, now_ms: u64) -> Option<Step> {
    if state.busy.contains(id) {
        return None;
    }
    state.runs.get_mut(id).filter(|run| !run.is_over())?.play(now_ms);
    let heard = Heard::nothing();
    let decided =
        Decided { operation: "a2a.play".to_owned(), run: Some(id.to_owned()), ..Decided::default() };
    let mut call = Call { state, setting, heard: &heard, now_ms, decided, facts: Vec::new() };
    call.touched(id);
    Some(call.go_on(id, Then::Nothing))
}

/// A refusal because our own files cannot be written.
pub(crate) fn disk(blocked: &Blocked) -> Problem {
    Problem::new(503, "run_files_unavailable", blocked.to_string()).later()
}

impl Call<'_, '_> {
    /// Work for a start.
    pub(crate) fn begin(&mut self, effect: Effect, starting: Starting) -> Step {
        self.work(effect, Next::Started(Box::new(starting)))
    }

    /// Work for the run of a task.
    pub(crate) fn begin_task(&mut self, effect: Effect, starting: a2a::Starting) -> Step {
        self.work(effect, Next::Task(Box::new(starting)))
    }

    fn work(&mut self, effect: Effect, next: Next) -> Step {
        let decided = std::mem::take(&mut self.decided);
        let facts = std::mem::take(&mut self.facts);
        Step::Work(Box::new(Work { effect, next, decided, facts }))
    }

    /// Lets a run do what it wants to do, then answers.
    pub(crate) fn go_on(&mut self, id: &str, then: Then) -> Step {
        if let Some(effect) = self.wanted(id) {
            self.state.busy.insert(id.to_owned());
            return self.work(effect, Next::Edited { run: id.to_owned(), then });
        }
        match then {
            Then::Say { reply, what } => self.say_about(Some((id, what)), reply),
            Then::Task(asked) => a2a::settle(self, id, *asked),
            Then::Nothing => self.say(Reply { status: 0, form: Form::Whole("", bytes::Bytes::new()) }),
            Then::Detail => match v2::telemetry(self, id) {
                Some(effect) => {
                    self.state.busy.insert(id.to_owned());
                    self.work(effect, Next::Told { run: id.to_owned() })
                }
                None => v2::detail(self, id),
            },
        }
    }

    /// The edits that a run waits for.
    fn wanted(&self, id: &str) -> Option<Effect> {
        let run = self.state.run(id)?;
        let files = run.wanted.clone()?;
        Some(Effect::Edit { space: self.space_of(run), files })
    }

    fn edited(&mut self, id: &str, effect: &Effect, outcome: Result<bool, Blocked>) {
        let now_ms = self.now_ms;
        let Some(run) = self.state.runs.get_mut(id) else { return };
        match (outcome, effect) {
            (Ok(true), Effect::Edit { files, .. }) => {
                self.facts.extend(written(id, files));
                run.edited(now_ms);
            }
            (Ok(_), _) => run.edited(now_ms),
            (Err(blocked), _) => run.blocked(&blocked.to_string(), now_ms),
        }
    }

    fn told(&mut self, id: &str, effect: &Effect) {
        let Some(run) = self.state.runs.get_mut(id) else { return };
        if let (false, Effect::Telemetry { text, .. }) = (run.telemetry, effect) {
            self.facts.push(Fact::FileWritten {
                run: id.to_owned(),
                place: Place::Run,
                path: "final/telemetry.yaml".to_owned(),
                content: Sum::of(text.as_bytes()),
            });
        }
        run.telemetry = true;
    }
}

/// The facts of edits.
pub(crate) fn written<'f>(
    run: &'f str,
    files: &'f [(String, String)],
) -> impl Iterator<Item = Fact> + use<'f> {
    files.iter().map(move |(path, text)| Fact::FileWritten {
        run: run.to_owned(),
        place: Place::Workspace,
        path: path.clone(),
        content: Sum::of(text.as_bytes()),
    })
}

#[cfg(test)]
mod queue_tests;
#[cfg(test)]
mod tests;
