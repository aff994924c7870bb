//! The cases of a run, so many at once, each as often as was asked.

use crate::case;
use crate::choose::Case;
use crate::field::{Field, Seat};
use crate::run::Progress;
use crate::work;
use rehearsal_journal::run::{CaseResult, Verdict};
use rehearsal_world::task::{self, JoinSet};
use std::sync::Arc;

/// What became of the cases.
pub(crate) struct Outcome {
    /// The results in the order of the suite, the rounds of a case in theirs.
    pub(crate) cases: Vec<CaseResult>,
    /// Whether the first failure ended the run, so that some are missing.
    pub(crate) ended_early: bool,
}

/// Runs them. A case is made up only when it is its turn: what waits costs nothing, however many there are.
pub(crate) async fn run(
    field: &Arc<Field>,
    watch: &Arc<impl Fn(Progress<'_>) + Send + Sync + 'static>,
) -> Outcome {
    let order = &field.order;
    let (mut running, mut done) = (JoinSet::new(), Vec::new());
    let mut waiting = field.seats().peekable();
    let mut failed = false;
    while !failed {
        while running.len() < order.jobs.max(1)
            && let Some(seat) = waiting.next()
        {
            running.spawn(one(Arc::clone(field), seat, Arc::clone(watch)));
        }
        let Some(ended) = running.join_next().await else { break };
        let (seat, result) = task::joined(ended);
        failed = order.fail_fast && result.verdict.is_executed() && result.verdict != Verdict::Passed;
        done.push((seat, result));
    }
    // Dropping a case ends its agent.
    let ended_early = waiting.peek().is_some() || !running.is_empty();
    running.shutdown().await;
    done.sort_by_key(|(seat, _)| *seat);
    Outcome { cases: done.into_iter().map(|(_, result)| result).collect(), ended_early }
}

async fn one(
    field: Arc<Field>,
    seat: Seat,
    watch: Arc<impl Fn(Progress<'_>) + Send + Sync + 'static>,
) -> (Seat, CaseResult) {
    let label = field.label(seat);
    watch(Progress::Started(&label));
    let result = match field.case(seat) {
        Case::Phrasing(at) => case::run(&field, seat, at, &label).await,
        Case::Workflow(file, at) => work::run(&field, seat, (file, at), &label).await,
    };
    watch(Progress::Finished(&result));
    (seat, result)
}
