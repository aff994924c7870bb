//! How a run begins.

use super::{Run, State, What};
use crate::setting::Setting;
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::digest;
use rehearsal_script::runs::{RunScript, When};
use std::sync::Arc;

/// What is known of a run when it begins.
#[derive(Clone, Debug)]
pub struct Beginning {
    /// Its id.
    pub id: String,
    /// What it plays.
    pub script: Arc<RunScript>,
    /// What it was told.
    pub prompt: String,
    /// The idempotency key of its start.
    pub key: String,
    /// The access that was asked for; empty where none was.
    pub access: String,
    /// The private workspace that was named.
    pub workspace: Option<String>,
    /// The live tree, which is never touched.
    pub live: Option<String>,
    /// The daemon's own edits, for scripts that name none.
    pub edits: Arc<[(String, String)]>,
    /// Whether its client can be asked for something.
    pub calls: bool,
    /// What it waits for before it begins: `Polls` or `After`.
    pub queued: Option<When>,
    /// Whether `interrupted` is a state of its own, and not a failure.
    pub interrupts: bool,
    /// How long questions stay open that do not say it, milliseconds; for ever where it does not say.
    pub patience_ms: Option<u64>,
}

impl Beginning {
    /// A run of nobody's project that waits for nothing, with a script and what a daemon is set to.
    #[must_use]
    pub fn new(id: String, script: Arc<RunScript>, prompt: String, setting: &Setting) -> Self {
        Self {
            key: id.clone(),
            id,
            script,
            prompt,
            access: String::new(),
            workspace: None,
            live: None,
            edits: Arc::clone(&setting.edits),
            calls: false,
            queued: None,
            interrupts: false,
            patience_ms: None,
        }
    }
}

impl Run {
    /// Begins, and does what is due at once.
    #[must_use]
    pub fn begin(beginning: Beginning, now_ms: u64) -> Self {
        let Beginning { id, script, prompt, key, access, workspace, live, edits, calls, .. } = beginning;
        let Beginning { queued, interrupts, patience_ms, .. } = beginning;
        let started = Fact::RunStarted {
            run: id.clone(),
            key,
            script: script.id.clone(),
            prompt: digest::text(&digest::of(prompt.as_bytes())),
        };
        let mut run = Self {
            id,
            script,
            access,
            workspace,
            live,
            state: if queued.is_some() { State::Queued } else { State::Running },
            polls: 0,
            open: None,
            told: Vec::new(),
            scripted: 0,
            cancel_reason: None,
            timeline: Vec::new(),
            failure: None,
            text: None,
            wanted: None,
            calling: None,
            stop: None,
            calls,
            queued,
            interrupts,
            telemetry: false,
            put_by: false,
            asked_for: [0; 6],
            at: 0,
            polls_here: 0,
            heard_here: false,
            since_ms: now_ms,
            edits,
            patience_ms,
            facts: vec![started],
        };
        if queued.is_some() {
            run.facts.push(run.queue_fact());
        }
        run.note(now_ms, if queued.is_some() { What::Queued } else { What::Started });
        run.advance(now_ms);
        run
    }
}
