//! All that a daemon knows: runs, receipts, projects, and what is being worked on. It holds no file and no clock.

use crate::a2a::{Stand, Tasks};
use crate::receipt::Receipts;
use crate::run::Run;
use crate::setting::Setting;
use crate::uploads::Uploads;
use rehearsal_journal::daemon::Fact;
use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Of how many runs that are no longer kept it is known that they were.
const MOST_GONE: usize = 100_000;
/// Most runs that are not over.
const MOST_ALIVE: usize = 100_000;
/// Most projects that are registered at once.
pub(crate) const MOST_PROJECTS: usize = 10_000;

/// Most model operations that nobody acknowledged.
pub(crate) const MOST_OPERATIONS: usize = 10_000;

/// A model operation.
#[derive(Clone, Debug)]
pub(crate) struct Operation {
    pub(crate) model: String,
    /// `running`, `succeeded`, `failed` or `cancelled`.
    pub(crate) state: &'static str,
    /// Whether it never ends by itself.
    pub(crate) hangs: bool,
    /// Whether it ends badly.
    pub(crate) fails: bool,
}

/// The state.
#[derive(Clone, Debug, Default)]
pub(crate) struct State {
    pub(crate) runs: BTreeMap<String, Run>,
    /// Runs that are over, in the order in which that was seen.
    over: VecDeque<String>,
    /// Runs that are over and no longer kept, and the order in which they went.
    gone: BTreeSet<String>,
    gone_order: VecDeque<String>,
    /// Ids that stand in the folder of runs from an earlier process: with the same seed they would come again.
    pub(crate) taken: BTreeSet<String>,
    pub(crate) receipts: Receipts,
    /// Roots by id.
    pub(crate) projects: BTreeMap<String, String>,
    /// Roots by the key that registered them.
    pub(crate) project_keys: BTreeMap<String, String>,
    /// Tasks of A2A.
    pub(crate) tasks: Tasks,
    pub(crate) uploads: Uploads,
    /// Model operations by id, until they are acknowledged.
    pub(crate) operations: BTreeMap<String, Operation>,
    /// Roots that are trusted with full access.
    pub(crate) trusted: BTreeSet<String>,
    /// What a scripted clock shows, milliseconds since 1970; none where time passes by itself.
    pub(crate) clock_ms: Option<u64>,
    /// Runs that something is being done for: nobody else touches them meanwhile.
    pub(crate) busy: BTreeSet<String>,
    /// When the clock brings something to a run next, and the same by time: there may be a hundred thousand, and each request asks.
    timers: BTreeMap<String, u64>,
    by_time: BTreeSet<(u64, String)>,
}

impl State {
    /// Nothing, at a time that a scripted clock shows, where there is one.
    pub(crate) fn new(clock_ms: Option<u64>) -> Self {
        Self { clock_ms, ..Self::default() }
    }

    /// A run that is kept.
    #[must_use]
    pub(crate) fn run(&self, id: &str) -> Option<&Run> {
        self.runs.get(id)
    }

    /// An id that nothing has or had, the same for the same seed, sort and key.
    pub(crate) fn fresh_id(&self, setting: &Setting, sort: &str, key: &str) -> String {
        let mut of = key.to_owned();
        loop {
            let id = setting.id(sort, &of, 16);
            // One whose files are being made has no run yet.
            let used = self.busy.contains(&id) || self.taken.contains(&id) || self.is_gone(&id);
            if !used && self.run(&id).is_none() && self.tasks.get(&id).is_none() {
                return id;
            }
            of.push('\n');
        }
    }

    /// Whether there are so many runs under way that no further one begins.
    pub(crate) fn is_full(&self) -> bool {
        self.runs.len().saturating_sub(self.over.len()) >= MOST_ALIVE
    }

    /// Whether a run was kept once and is no longer.
    pub(crate) fn is_gone(&self, id: &str) -> bool {
        self.gone.contains(id)
    }

    /// Adds a task of A2A. The oldest of those that have no run go.
    pub(crate) fn add_task(&mut self, id: &str, context: String, stand: Stand, setting: &Setting) {
        for oldest in self.tasks.add(id.to_owned(), context, stand, setting.keep) {
            self.let_go(oldest);
        }
    }

    /// Remembers that something of this id was there.
    fn let_go(&mut self, id: String) {
        if self.gone.insert(id.clone()) {
            self.gone_order.push_back(id);
        }
        if self.gone.len() > MOST_GONE
            && let Some(oldest) = self.gone_order.pop_front()
        {
            self.gone.remove(&oldest);
        }
    }

    /// When the clock brings something next, milliseconds since 1970.
    #[must_use]
    pub(crate) fn next_due(&self) -> Option<u64> {
        self.by_time.iter().find(|(_, run)| !self.busy.contains(run)).map(|(due, _)| *due)
    }

    /// Runs to which the clock brings something now.
    pub(crate) fn due(&self, now_ms: u64) -> Vec<String> {
        let due = self.by_time.iter().take_while(|(due, _)| *due <= now_ms).map(|(_, run)| run);
        let mut runs: Vec<String> = due.filter(|run| !self.busy.contains(*run)).cloned().collect();
        runs.sort_unstable();
        runs
    }

    /// Takes what happened in a run, notes when it wants to be looked at, and lets go of the oldest that are over.
    pub(crate) fn touched(&mut self, id: &str, setting: &Setting) -> Vec<Fact> {
        let Some(run) = self.runs.get_mut(id) else { return Vec::new() };
        let facts = run.take_facts();
        let due = run.due_ms();
        let before = match due {
            Some(due) => self.timers.insert(id.to_owned(), due),
            None => self.timers.remove(id),
        };
        if before != due {
            self.by_time.extend(due.map(|due| (due, id.to_owned())));
            if let Some(before) = before {
                self.by_time.remove(&(before, id.to_owned()));
            }
        }
        if run.is_over() && !run.put_by {
            run.put_by = true;
            self.over.push_back(id.to_owned());
        }
        while self.over.len() > setting.keep {
            let Some(oldest) = self.over.pop_front() else { break };
            self.runs.remove(&oldest);
            self.tasks.let_go(&oldest);
            self.let_go(oldest);
        }
        facts
    }
}
