//! Whether a client saw its runs to their end, and how it waited for that.

use super::super::{Check, Evidence, Found, Tier};
use super::{Call, MOST_REQUESTS, Talk, talk_of};
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::run::Severity;
use rehearsal_script::daemon::ExpectRuns;

pub(in super::super) const POLLED_WITHOUT_PAUSE: Check = Check {
    code: "polled-without-pause",
    severity: Severity::Warning,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "a run was read again and again without a pause",
    remedy: "wait between two reads, longer each time, or follow GET /v2/runs/ID/events",
    judge: Some(without_pause),
};
pub(in super::super) const TOO_MANY_DAEMON_REQUESTS: Check = Check {
    code: "too-many-daemon-requests",
    severity: Severity::Error,
    tier: Tier::Conduct,
    follows: &[],
    meaning: "more requests to the daemon than `most_requests`; where the file sets none, than 10000",
    remedy: "bound the reads of a run by a time limit, and cancel it then",
    judge: Some(too_many),
};
pub(in super::super) const DAEMON_NEVER_ASKED: Check = Check {
    code: "daemon-never-asked",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["never-asked"],
    meaning: "no request reached the daemon of the case",
    remedy: "let the agent find it by REHEARSAL_DAEMON_CONFIG_DIR, CLAUDEXOR_CONFIG_DIR or {daemon_config_dir}; where it must not be asked, `expect_daemon: {runs: 0}` says so",
    judge: Some(never_asked),
};
pub(in super::super) const RUN_LEFT: Check = Check {
    code: "run-left",
    severity: Severity::Error,
    tier: Tier::End,
    follows: &["time-limit", "agent-killed"],
    meaning: "a run was left: neither was its end read, nor was it cancelled",
    remedy: "read each run until its state is no longer `running`, answer what it asks, and cancel what is not waited for",
    judge: Some(run_left),
};

/// A read that follows the one before sooner than this was not delayed.
const PAUSE_US: u64 = 10_000;
/// So many undelayed reads in a row are no accident.
const UNDELAYED: usize = 5;

fn without_pause(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    for (run, _) in talk.runs() {
        let (mut row, mut last): (Vec<u64>, Option<&Call>) = (Vec::new(), None);
        for call in talk.requests().filter(|call| call.decided.run.as_deref() == Some(run)) {
            let reads = call.decided.operation == "run.read";
            let gap_us = last.and_then(|last| Some(call.asked_us.saturating_sub(last.left_us?)));
            match gap_us.filter(|_| reads) {
                Some(gap_us) if gap_us < PAUSE_US => row.push(call.exchange),
                Some(_) | None => row.clear(),
            }
            // What changed something may be followed by a look at once.
            last = Some(call).filter(|call| reads && call.facts.is_empty());
            if row.len() >= UNDELAYED {
                let message = format!("the run {run} was read {} times in a row without a pause", row.len());
                return vec![Found::at(message, row)];
            }
        }
    }
    Vec::new()
}

fn too_many(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let (asked, most) = (talk.requests().count() as u64, most_requests(evidence.phrasing));
    let last = talk.requests().last().map(|call| call.exchange);
    let message = format!("the agent sent {asked} requests to the daemon; {most} is the most it may");
    (asked > most).then(|| Found::at(message, last)).into_iter().collect()
}

/// Most requests that the daemon of a case may get.
pub(crate) fn most_requests(phrasing: &rehearsal_script::scenario::Phrasing) -> u64 {
    phrasing.expect_daemon.most_requests.unwrap_or(MOST_REQUESTS)
}

fn never_asked(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let unwanted = match &evidence.phrasing.expect_daemon.runs {
        Some(ExpectRuns::Count(count)) => *count == 0,
        Some(ExpectRuns::States(states)) => states.is_empty(),
        None => false,
    };
    if unwanted || talk.requests().next().is_some() {
        return Vec::new();
    }
    let status = evidence.facts.exited.as_ref().and_then(|exited| exited.status);
    let why = match status.filter(|status| *status != 0) {
        Some(status) => {
            let last = super::super::agent::last_words(evidence.stderr);
            format!("no request reached the daemon before the agent ended with status {status}{last}")
        }
        None => "no request reached the daemon: was the agent told of {daemon_config_dir}?".to_owned(),
    };
    vec![Found::new(why)]
}

fn run_left(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(talk) = talk_of(evidence) else { return Vec::new() };
    let runs = talk.runs();
    let left = runs
        .iter()
        .enumerate()
        .filter(|(at, (run, state))| !may_be_left(evidence, *at) && !is_seen(talk, run, state));
    left.map(|(_, (run, state))| {
        let begun = talk
            .facts()
            .find(|(_, fact)| matches!(fact, Fact::RunStarted { run: known, .. } if known == run));
        Found::at(
            format!("the run {run} was left{}", how(talk, run, state)),
            begun.map(|(exchange, _)| exchange),
        )
    })
    .collect()
}

/// Whether the suite expects this run to go on without its client.
fn may_be_left(evidence: &Evidence<'_>, at: usize) -> bool {
    match &evidence.phrasing.expect_daemon.runs {
        Some(ExpectRuns::States(states)) => states.get(at).is_some_and(|state| state == "running"),
        Some(ExpectRuns::Count(_)) | None => false,
    }
}

/// Whether the client saw the end of a run, or wanted it.
fn is_seen(talk: &Talk, run: &str, state: &str) -> bool {
    let cancels = |fact: &Fact| matches!(fact, Fact::CancelAsked { run: known, .. } if known == run);
    // A stream of events goes on to the end of its run; who leaves at its last event leaves before the stream does.
    talk.facts().any(|(_, fact)| cancels(fact))
        || Talk::knew_its_end(&talk.calls, run, Call::arrived)
        || (state != "running" && talk.requests().any(|call| call.follows(run)))
        || is_listed(talk, run)
}

/// Whether the list of runs was read after the end of a run: it may have stood there.
fn is_listed(talk: &Talk, run: &str) -> bool {
    let ends = |fact: &Fact| matches!(fact, Fact::RunEnded { run: known, .. } if known == run);
    let end = talk.calls.iter().position(|call| call.facts.iter().any(ends));
    let lists = |call: &Call| call.decided.operation == "run.list" && call.decided.status == 200;
    end.is_some_and(|end| talk.calls[end..].iter().any(|call| lists(call) && call.arrived()))
}

/// Whether the client can know of a run: an answer about it came, or one under the key of its start.
fn is_known(talk: &Talk, run: &str) -> bool {
    let key = talk.facts().find_map(|(_, fact)| match fact {
        Fact::RunStarted { run: known, key, .. } if known == run => Some(key),
        _ => None,
    });
    let about = |call: &Call| call.decided.run.as_deref() == Some(run) || call.decided.key.as_ref() == key;
    talk.requests().any(|call| about(call) && call.arrived())
}

/// What stood in the way.
fn how(talk: &Talk, run: &str, state: &str) -> String {
    let mut open: Option<&str> = None;
    let mut refused: Option<&str> = None;
    for call in &talk.calls {
        for fact in &call.facts {
            match fact {
                Fact::QuestionAsked { run: known, question } if known == run => open = Some(question),
                Fact::QuestionClosed { run: known, .. } if known == run => open = None,
                _ => {}
            }
        }
        if call.decided.operation == "run.control" && call.decided.run.as_deref() == Some(run) {
            refused = call.decided.code.as_deref();
        }
    }
    if !is_known(talk, run) {
        return ": the answer to its start was lost, and the start was not repeated under its key".to_owned();
    }
    match (refused, open, state) {
        (Some(code), ..) => format!(": its cancel was refused ({code})"),
        (None, Some(question), _) => format!(" while its question {question} waits for an answer"),
        (None, None, "running") => " while it runs: it was neither read to its end nor cancelled".to_owned(),
        (None, None, state) => format!(": it {state}, and nobody read that"),
    }
}
