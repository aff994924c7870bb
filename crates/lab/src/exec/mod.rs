//! Runs one program in a workspace to its end and tells what was seen of it from outside: nothing that it claims, no times, no
//! numbers of processes.

mod setting;
mod told;

pub(crate) use setting::Setting;
pub(crate) use told::{ended, outputs};

use crate::{Code, Fact, Proof, Refusal, Stop};
use rehearsal_world::process::{self, CAN_INTERRUPT, Captured, Launch, Ran};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Bytes kept of each output of a program: digests are of these.
pub(crate) const KEEP: usize = 1 << 20;

/// A program to run.
///
/// Its environment is `HOME`, `TMPDIR` (a folder below it), `LANG` and `LC_ALL` (`C.UTF-8`), `TZ` (`UTC`), `PYTHONHASHSEED` (`0`),
/// `SOURCE_DATE_EPOCH` (the beginning of 2020), `NO_COLOR` (`1`), what is inherited and what is its own, and `REHEARSAL_LAUNCH`, by
/// which its processes are found that leave its group. Nothing else.
#[derive(Clone, Debug)]
pub struct Exec {
    /// Program and arguments. A program without a slash is looked for in the `PATH` of its environment, a relative one with a
    /// slash from `folder`.
    pub argv: Vec<String>,
    /// Its working folder, absolute: the workspace.
    pub folder: PathBuf,
    /// Its home, absolute; made where it is missing.
    pub home: PathBuf,
    /// What it gets of our own environment: `PATH`, and on Windows what programs need there.
    pub inherited: Vec<(String, String)>,
    /// Variables of its own. They go before all others.
    pub env: Vec<(String, String)>,
    /// Its standard input; empty where there is none. It need not read it.
    pub stdin: Option<Vec<u8>>,
    /// Whether a failure of it is a fact rather than a refusal.
    pub may_fail: bool,
    /// Time after which it is ended with all that it started.
    pub time_limit: Duration,
    /// Time between one word to end and the next, harder one.
    pub grace: Duration,
    /// When it is interrupted, if at all.
    pub interrupt: Option<Interrupt>,
}

/// An interrupt: SIGINT to its group, and where it does not end, after the grace each, SIGINT again, SIGTERM and SIGKILL.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interrupt {
    /// Time from its start. One that ends before is not interrupted.
    pub after: Duration,
}

/// How a program went.
#[derive(Clone, Debug, PartialEq)]
pub struct Done {
    /// What was seen of it, or why there is nothing to see.
    ///
    /// Fields of the fact: `status` (the exit status; absent where a signal ended it), `signal` (else absent), `stdout` and `stderr` (the
    /// first 64 KiB as text, with replacement characters where they are none), `stdout_bytes` and `stderr_bytes` (all that came),
    /// `stdout_sha256` and `stderr_sha256` (of the first MiB at most), `stdout_lossy` and `stderr_lossy` (true; only where there are
    /// replacement characters), `interrupted` (only where it was, `{acknowledged, stage}`; `stage` is the last that was sent to it: `SIGINT`,
    /// `SIGINT again`, `SIGTERM`, `SIGKILL`).
    /// Volatile are the length and the digest of an output that names `folder` or `home`.
    pub result: Result<Fact, Stop>,
    /// What it used, refused or not. Nothing where it did not start.
    pub used: Used,
}

/// What a program used of the machine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Used {
    /// From its start to its end.
    pub wall: Duration,
    /// Time on a processor, its own and that of its children that were waited for; none where the system does not tell.
    pub cpu: Option<Duration>,
    /// Most memory that one of these processes held at a time, in KiB; none where the system does not tell, and on Linux also where
    /// it was no more than what this process held when it started the program.
    pub peak_rss_kb: Option<u64>,
}

impl Used {
    pub(crate) fn of(ran: &Ran) -> Self {
        Self { wall: ran.ran, cpu: ran.used.cpu, peak_rss_kb: ran.used.peak_rss_kb }
    }
}

/// Runs a program to its end. Whatever it started and left behind is gone then. Dropped before, it is killed with all of that.
///
/// Its result is [`Code::Exit`] where it fails and may not; [`Code::Input`] for words that no program can be given; [`Stop::Failed`] where it does not start; [`Stop::TimedOut`] at its
/// time limit; [`Stop::Unsupported`] where it is to be interrupted and the system has no such thing.
pub async fn exec(order: &Exec) -> Done {
    if order.interrupt.is_some() && !CAN_INTERRUPT {
        let none = "programs cannot be interrupted on this system".to_owned();
        return Done { result: Err(Stop::Unsupported(none)), used: Used::default() };
    }
    match run(order).await {
        Ok(ran) => Done { used: Used::of(&ran), result: judged(order, &ran) },
        Err(stop) => Done { result: Err(stop), used: Used::default() },
    }
}

async fn run(order: &Exec) -> Result<Ran, Stop> {
    let setting = Setting { folder: &order.folder, home: &order.home, inherited: &order.inherited };
    let launch = Launch {
        argv: setting.argv(&order.argv)?,
        env: setting.environment(&order.env)?,
        folder: order.folder.clone(),
        stdin: order.stdin.clone(),
        time_limit: order.time_limit,
        grace: order.grace,
        keep: KEEP,
    };
    let running = process::start(&launch).map_err(|error| setting.not_started(&error, &order.argv))?;
    Ok(match order.interrupt {
        None => running.finish().await,
        Some(interrupt) => running.finish_interrupted(interrupt.after).await,
    })
}

fn judged(order: &Exec, ran: &Ran) -> Result<Fact, Stop> {
    if ran.timed_out {
        return Err(Stop::TimedOut);
    }
    if ran.status != Some(0) && !order.may_fail && ran.interrupted.is_none() {
        let name = order.argv.first().map_or("", String::as_str);
        return Err(Refusal::new(Code::Exit, ended(name, ran)).into());
    }
    let mut observed = outputs(ran);
    if let Some(stage) = ran.interrupted {
        let interrupted = json!({"acknowledged": ran.acknowledged(), "stage": stage.word()});
        observed.insert("interrupted".to_owned(), interrupted);
    }
    for (name, number) in [("status", ran.status), ("signal", ran.signal)] {
        observed.extend(number.map(|number| (name.to_owned(), Value::from(number))));
    }
    let fact = Fact::of(observed).varying(&placed(order, ran));
    Ok(if ran.acknowledged() { fact.proving(Proof::InterruptAcknowledged) } else { fact })
}

/// The fields that tell of where the workspace lies, which is elsewhere in each run: lengths and digests of what names it. The text
/// itself is compared, with the name left out.
fn placed(order: &Exec, ran: &Ran) -> Vec<&'static str> {
    let folders = [&order.folder, &order.home].map(|folder| folder.display().to_string());
    let names = |output: &Captured| {
        let text = String::from_utf8_lossy(&output.kept);
        folders.iter().any(|folder| text.contains(folder.as_str()))
    };
    let mut fields = Vec::new();
    if names(&ran.stdout) {
        fields.extend(["stdout_bytes", "stdout_sha256"]);
    }
    if names(&ran.stderr) {
        fields.extend(["stderr_bytes", "stderr_sha256"]);
    }
    fields
}
