//! One request on its way to an answer: what it may change, and how it is refused.

use super::{Problem, Reply};
use crate::core::{Decision, Heard, Step};
use crate::effect::Space;
use crate::run::Run;
use crate::setting::{Manner, Setting};
use crate::state::State;
use rehearsal_journal::daemon::{Decided, Fact};
use rehearsal_journal::digest;
use rehearsal_script::runs::{Answers, Mode};
use serde_json::Value;

/// The request.
pub(crate) struct Call<'c, 't> {
    pub(crate) state: &'c mut State,
    pub(crate) setting: &'c Setting,
    pub(crate) heard: &'c Heard<'t>,
    pub(crate) now_ms: u64,
    /// What is known of it so far, for the journal.
    pub(crate) decided: Decided,
    /// What it changed so far.
    pub(crate) facts: Vec<Fact>,
}

impl Call<'_, '_> {
    pub(crate) fn is_seed(&self) -> bool {
        self.setting.manner == Manner::Seed
    }

    pub(crate) fn is_engine(&self) -> bool {
        self.setting.manner == Manner::Engine
    }

    /// 200 with this.
    pub(crate) fn ok(&mut self, value: &Value) -> Step {
        self.say(Reply::json(200, value))
    }

    /// A refusal.
    pub(crate) fn refuse(&mut self, problem: &Problem) -> Step {
        self.decided.code = Some(problem.code.clone());
        let reply = problem.reply(self.setting.manner);
        self.say(reply)
    }

    /// This answer.
    pub(crate) fn say(&mut self, reply: Reply) -> Step {
        self.say_about(None, reply)
    }

    /// This answer about a run, which its script may break on the wire.
    pub(crate) fn say_about(&mut self, about: Option<(&str, Answers)>, reply: Reply) -> Step {
        let trouble = about.and_then(|(run, what)| trouble(self.state, run, what));
        let decided = std::mem::take(&mut self.decided);
        let facts = std::mem::take(&mut self.facts);
        Step::Done(Box::new(Decision::new(reply, decided, facts, trouble)))
    }

    /// Takes what happened in a run.
    pub(crate) fn touched(&mut self, run: &str) {
        let facts = self.state.touched(run, self.setting);
        self.facts.extend(facts);
    }
}

/// How the script of a run breaks this answer about it; counts it.
pub(crate) fn trouble(state: &mut State, run: &str, what: Answers) -> Option<Mode> {
    let run = state.runs.get_mut(run)?;
    let count = run.asked_for.get_mut(what as usize)?;
    *count += 1;
    let hit = |skip: u64, times: u64| (skip + 1..=skip.saturating_add(times)).contains(count);
    let troubles = run.script.troubles.iter().filter(|trouble| trouble.on == what);
    troubles.into_iter().find(|trouble| hit(trouble.skip, trouble.times)).map(|trouble| trouble.mode)
}

/// Longest idempotency key, in characters: that of the real daemon.
pub(crate) const LONGEST_KEY: usize = 256;

impl Call<'_, '_> {
    /// The idempotency key that must come along.
    pub(crate) fn key(&mut self) -> Result<String, Problem> {
        let key = self.heard.key;
        if key.is_empty() {
            let code = if self.is_engine() { "idempotency_key_required" } else { "missing_idempotency_key" };
            let why = "send the header Idempotency-Key: one key for each thing that is to be done once";
            return Err(Problem::new(400, code, why));
        }
        if !self.is_seed() && key.chars().count() > LONGEST_KEY {
            let why = format!("an idempotency key has at most {LONGEST_KEY} characters");
            return Err(Problem::new(400, "invalid_idempotency_key", why));
        }
        self.decided.key = Some(key.to_owned());
        Ok(key.to_owned())
    }

    /// The space that keys of an operation live in: one for all, but for the real daemon, which has one for each client (the token has one),
    /// partition of its journal and operation. The partition is the project; empty where there is none.
    pub(crate) fn space(&self, operation: &str, project: &str) -> String {
        if self.is_engine() { format!("{operation} {project}") } else { String::new() }
    }

    /// The digest of the body, which is taken down, too.
    pub(crate) fn digest(&mut self) -> [u8; 32] {
        let digest = self.heard.digest();
        self.decided.digest = Some(digest::text(&digest));
        digest
    }

    /// The stored answer again.
    pub(crate) fn replay(&mut self, reply: Reply, about: Option<(&str, Answers)>) -> Step {
        self.decided.replayed = true;
        self.say_about(about, reply)
    }

    /// The key was used for something else.
    pub(crate) fn conflict(&mut self) -> Step {
        let why = "this idempotency key was used for another request; the first answer stays";
        self.refuse(&Problem::new(409, "idempotency_conflict", why))
    }

    /// The private workspace of a run.
    pub(crate) fn space_of(&self, run: &Run) -> Space {
        let root = run.workspace.clone().unwrap_or_default();
        // Over A2A edits are artifacts, and are written only where a workspace was named.
        let nowhere = run.workspace.is_none() && self.state.tasks.get(&run.id).is_some();
        Space { root, live: run.live.clone(), lenient: self.is_seed() || nowhere }
    }
}
