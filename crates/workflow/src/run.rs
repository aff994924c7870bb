//! A whole run: one stand-in, its cases side by side, the run folder.

use crate::agent::Agent;
use crate::choose::{Case, Shard};
use crate::field::{Field, open_journal};
use crate::grade;
use crate::reach::Reach;
use crate::rounds::{self, Outcome};
use crate::suite::{self, Choice, Suite};
use crate::switchboard::Switchboard;
use crate::work;
use rehearsal_daemon::install::InstallError;
use rehearsal_journal::event::Event;
use rehearsal_journal::normal;
use rehearsal_journal::run::{CaseResult, JournalHead, RunFile, VERSION, suite_digest};
use rehearsal_script::drill::Drill;
use rehearsal_script::scenario::Weight;
use rehearsal_standin::core::Setting;
use rehearsal_standin::serve::StandIn;
use rehearsal_wire::rule::UnknownRule;
use rehearsal_world::clock::{self, Clock};
use rehearsal_world::enclosed::{self, EnclosedError};
use rehearsal_world::environment;
use rehearsal_world::files::{self, FillError};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::ids::{self, NoRandom};
use rehearsal_world::listen::{self, BindError};
use rehearsal_world::process::StartError;
use rehearsal_world::record::{CheckError, Name, RecordError, Recorder};
use rehearsal_world::shim::LayError;
use rehearsal_world::task;
use rehearsal_world::vault::VaultError;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// What is to be run.
#[derive(Debug)]
pub struct Order {
    /// The suite.
    pub suite: Suite,
    /// Profile, rules, seed.
    pub choice: Choice,
    /// What findings weigh, after what the suite says.
    pub weights: Vec<(String, Weight)>,
    /// Whom to run.
    pub agent: Agent,
    /// The cases to run, in order.
    pub cases: Vec<Case>,
    /// Seed of the order in which they begin; that of `cases` where there is none.
    pub shuffle: Option<u64>,
    /// The faults under which each of them runs; none for a run without faults.
    pub drills: Vec<Drill>,
    /// Whether a case that is skipped or not supported fails the run.
    pub strict_skips: bool,
    /// How often each of them runs, 1 or more.
    pub repeat: u32,
    /// Which part of the suite they are, where it was parted.
    pub shard: Option<Shard>,
    /// Whether the first case that does not pass ends the run.
    pub fail_fast: bool,
    /// Most cases at once, 1 or more.
    pub jobs: usize,
    /// Time limit of a case that sets none.
    pub time_limit: Duration,
    /// Where the stand-in listens, and what agents are told of it.
    pub reach: Reach,
    /// Model name that agents are told.
    pub model: String,
    /// Whether agents get a proxy that refuses and takes down.
    pub sink: bool,
    /// Whether each agent gets a network of its own.
    pub enclose: Enclose,
    /// Folder below which the run folder is made.
    pub data: PathBuf,
    /// Program and version.
    pub program: String,
    /// Environment that agents inherit from.
    pub inherited: Vec<(String, String)>,
}

/// Whether each agent gets a network of its own, in which only the stand-in listens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Enclose {
    /// It sees the network of this machine.
    #[default]
    No,
    /// Where the kernel allows it.
    Auto,
    /// Without it nothing runs.
    Require,
}

/// What a watcher is told while a run goes on.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// A case begins: the name of this attempt at it.
    Started(&'p str),
    /// A case has its verdict.
    Finished(&'p CaseResult),
    /// Something that a person should know.
    Note(&'p str),
}

/// Why a run, or a case of it, failed for reasons of the world.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// A switch names no rule.
    #[error(transparent)]
    Rule(#[from] UnknownRule),
    /// No port.
    #[error(transparent)]
    Bind(#[from] BindError),
    /// A folder or file of the run.
    #[error("cannot use {path}: {source}")]
    Folder {
        /// The folder or file.
        path: PathBuf,
        /// The system's reason.
        source: io::Error,
    },
    /// A file that the case gives its agent.
    #[error(transparent)]
    Fill(#[from] FillError),
    /// A journal cannot be written.
    #[error(transparent)]
    Record(#[from] RecordError),
    /// A journal cannot be read back.
    #[error("the journal does not read back: {0}")]
    Check(#[from] CheckError),
    /// Shims before watched commands.
    #[error("cannot watch commands: {0}")]
    Shim(#[from] LayError),
    /// A network of its own for each agent.
    #[error("--netns: {0}")]
    NoNetwork(String),
    /// The network of one agent.
    #[error(transparent)]
    Enclosed(EnclosedError),
    /// The agent's program.
    #[error(transparent)]
    Start(#[from] StartError),
    /// The daemon of a case.
    #[error("the daemon of the case: {0}")]
    Daemon(InstallError),
    /// A recording that was there when the run began.
    #[error("a recording could not be played whole: {0}")]
    Lost(VaultError),
    /// No random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

impl From<EnclosedError> for RunError {
    fn from(error: EnclosedError) -> Self {
        match error {
            EnclosedError::Start(error) => Self::Start(error),
            other => Self::Enclosed(other),
        }
    }
}

/// Whether the agents get networks of their own.
async fn encloses(wanted: Enclose, watch: &impl Fn(Progress<'_>)) -> Result<bool, RunError> {
    if wanted == Enclose::No {
        return Ok(false);
    }
    let own = environment::own_program().map_err(|error| RunError::NoNetwork(error.to_string()))?;
    match (wanted, enclosed::possible(&own).await) {
        (_, Ok(())) => Ok(true),
        (Enclose::Require, Err(why)) => Err(RunError::NoNetwork(why)),
        (Enclose::Auto | Enclose::No, Err(why)) => {
            watch(Progress::Note(&format!("agents see the network of this machine: {why}")));
            Ok(false)
        }
    }
}

/// A stand-in that serves only those who know a case's token, where others than the agents may come by.
fn stand_in(setting: Setting, recorder: &Arc<Recorder>, reach: &Reach) -> Result<StandIn, RunError> {
    let standin = StandIn::new(setting, Arc::clone(recorder));
    if !reach.is_open() {
        return Ok(standin);
    }
    // Nobody is told this token: there is no lane but those of the cases.
    let token = ids::case_token()?;
    Ok(standin.guard(Some(&token), reach.hosts()))
}

/// Runs a suite and writes its run folder. Gives the folder and what stands in its `run.json`.
///
/// # Errors
/// When the stand-in cannot be started or the run folder cannot be written; a case that fails is no error.
pub async fn run(
    order: Order,
    watch: impl Fn(Progress<'_>) + Send + Sync + 'static,
) -> Result<(PathBuf, RunFile), RunError> {
    order.agent.probe(&order.inherited)?;
    let enclosed = encloses(order.enclose, &watch).await?;
    let clock = Clock::start();
    let started_unix_ms = clock::unix_ms();
    let run = ids::run_id(started_unix_ms)?;
    let setting = suite::setting(order.suite.scenarios.clone(), &order.choice)?;
    let profile = setting.profile.name().to_owned();
    let data = files::absolute(&order.data);
    let folder = files::create_run_folder(&data, "runs", &run)
        .map_err(|source| RunError::Folder { path: data, source })?;
    let server = Arc::new(open_journal(&folder, &run, &order, clock, Name::Journal, None)?);
    let listener = listen::bind(order.reach.host, order.reach.port, order.reach.allow_remote)?;
    let address = listener.address();
    let board = Arc::new(Switchboard::new(stand_in(setting, &server, &order.reach)?));
    let (stop, stopped) = task::oneshot::channel::<()>();
    let serving = task::spawn(http::serve(listener, Arc::clone(&board), Limits::default(), async {
        let _told_or_gone = stopped.await;
    }));

    let weights = order.suite.scenarios.weights.iter().chain(&order.weights).cloned().collect();
    let bare = board.standin().setting();
    let settings = order.drills.iter().map(|drill| Arc::new(bare.under(drill))).collect();
    let field = Arc::new(Field {
        order,
        board,
        settings,
        address,
        folder: folder.clone(),
        run,
        clock,
        enclosed,
        weights,
    });
    let outcome = rounds::run(&field, &Arc::new(watch)).await;
    let _gone = stop.send(());
    let _ended = serving.await;
    let file = written(&field, outcome, profile, started_unix_ms, &server)?;
    let path = folder.join("run.json");
    files::write_report(&path, file.to_json().as_bytes())
        .map_err(|source| RunError::Folder { path, source })?;
    Ok((folder, file))
}

/// What is written of a run, once its verdicts stand in the journal that belongs to no case, which ends here.
fn written(
    field: &Field,
    outcome: Outcome,
    profile: String,
    started_unix_ms: u64,
    server: &Recorder,
) -> Result<RunFile, RunError> {
    let Outcome { mut cases, ended_early } = outcome;
    work::compare_rounds(&mut cases, &field.weights);
    for case in &cases {
        server.note(Event::Judged(case.judged()));
    }
    let head = server.close()?;
    let normalised: Vec<_> = cases.iter().map(|case| case.normalised.clone()).collect();
    Ok(RunFile {
        format: VERSION,
        run: field.run.clone(),
        program: field.order.program.clone(),
        seed: field.order.choice.seed,
        suite: field.order.suite.files.clone(),
        profile,
        agent: field.order.agent.told(),
        started_unix_ms,
        took_ms: field.clock.elapsed_us() / 1000,
        normalised: normal::digest(&normalised),
        codes: grade::explained(cases.iter().flat_map(|case| &case.findings)),
        repeat: field.order.repeat,
        shard: field.order.shard,
        missing_shards: Vec::new(),
        suite_digest: suite_digest(&field.order.suite.files),
        shuffle: field.order.shuffle,
        strict_skips: field.order.strict_skips,
        ended_early,
        cases,
        servers: vec![JournalHead { journal: "journal".to_owned(), head: head.sum, requests: head.requests }],
    })
}
