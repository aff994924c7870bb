//! A whole run: one stand-in, its cases side by side, the run folder.

use crate::case;
use crate::grade;
use crate::suite::{self, Choice, Suite};
use crate::told::Told;
use rehearsal_journal::event::Event;
use rehearsal_journal::run::{CaseResult, JournalHead, RunFile, VERSION};
use rehearsal_journal::{normal, redact};
use rehearsal_standin::serve::StandIn;
use rehearsal_wire::rule::UnknownRule;
use rehearsal_world::clock::{self, Clock};
use rehearsal_world::files::{self, FillError};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::ids::{self, NoRandom};
use rehearsal_world::listen::{self, BindError};
use rehearsal_world::process::StartError;
use rehearsal_world::record::{CheckError, Name, RecordError, Recorder, SEGMENT_BYTES, Settings};
use rehearsal_world::task::{self, JoinSet, Semaphore};
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr};
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
    /// The agent's command with placeholders, as a person gave it; empty for the built-in one.
    pub agent: Vec<String>,
    /// The built-in agent's command.
    pub built_in: Vec<String>,
    /// Indices of the phrasings to run, in order.
    pub cases: Vec<usize>,
    /// Most cases at once, 1 or more.
    pub jobs: usize,
    /// Time limit of a case that sets none.
    pub time_limit: Duration,
    /// Model name that agents are told.
    pub model: String,
    /// Folder below which the run folder is made.
    pub data: PathBuf,
    /// Program and version.
    pub program: String,
    /// Folder in which the command was given; files named in the agent's command are looked for there.
    pub started_in: PathBuf,
    /// Environment that agents inherit from.
    pub inherited: Vec<(String, String)>,
}

/// What a watcher is told while a run goes on.
#[derive(Clone, Copy, Debug)]
pub enum Progress<'p> {
    /// A case begins.
    Started {
        /// Its name.
        case: &'p str,
    },
    /// A case has its verdict.
    Finished(&'p CaseResult),
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
    /// The agent's program.
    #[error(transparent)]
    Start(#[from] StartError),
    /// No random bytes.
    #[error(transparent)]
    Random(#[from] NoRandom),
}

/// What all cases of a run share.
pub(crate) struct Field {
    pub(crate) order: Order,
    pub(crate) standin: Arc<StandIn>,
    pub(crate) address: SocketAddr,
    pub(crate) folder: PathBuf,
    run: String,
    clock: Clock,
}

impl Field {
    /// A journal of this run.
    pub(crate) fn recorder(&self, name: Name, case: Option<&str>) -> Result<Recorder, RecordError> {
        open_journal(&self.folder, &self.run, &self.order, self.clock, name, case)
    }

    /// The agent's command for one case.
    pub(crate) fn command(&self, told: &Told) -> Vec<String> {
        if self.order.agent.is_empty() {
            return self.order.built_in.clone();
        }
        told.command(&self.order.agent, |argument| {
            // A folder is left as it is, for `.` and the like may mean many things.
            let path = self.order.started_in.join(argument);
            (!argument.is_empty() && files::is_file(&path)).then(|| path.display().to_string())
        })
    }
}

fn open_journal(
    folder: &std::path::Path,
    run: &str,
    order: &Order,
    clock: Clock,
    name: Name,
    case: Option<&str>,
) -> Result<Recorder, RecordError> {
    let settings = Settings {
        folder: folder.join("journals"),
        name,
        run: run.to_owned(),
        case: case.map(str::to_owned),
        seed: order.choice.seed,
        program: order.program.clone(),
        segment_bytes: SEGMENT_BYTES,
        keep: None,
    };
    Recorder::open(settings, clock, None)
}

/// Runs a suite and writes its run folder. Gives the folder and what stands in its `run.json`.
///
/// # Errors
/// When the stand-in cannot be started or the run folder cannot be written; a case that fails is no error.
pub async fn run(
    order: Order,
    watch: impl Fn(Progress<'_>) + Send + Sync + 'static,
) -> Result<(PathBuf, RunFile), RunError> {
    let clock = Clock::start();
    let started_unix_ms = clock::unix_ms();
    let run = ids::run_id(started_unix_ms)?;
    let setting = suite::setting(order.suite.scenarios.clone(), &order.choice)?;
    let profile = setting.profile.name().to_owned();
    let data = files::absolute(&order.data);
    let folder = files::create_run_folder(&data, "runs", &run)
        .map_err(|source| RunError::Folder { path: data, source })?;
    let server = Arc::new(open_journal(&folder, &run, &order, clock, Name::Journal, None)?);
    let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, false)?;
    let address = listener.address();
    let standin = Arc::new(StandIn::new(setting, Arc::clone(&server)));
    let (stop, stopped) = task::oneshot::channel::<()>();
    let serving = task::spawn(http::serve(listener, Arc::clone(&standin), Limits::default(), async {
        let _told_or_gone = stopped.await;
    }));

    let field = Arc::new(Field { order, standin, address, folder: folder.clone(), run: run.clone(), clock });
    let cases = run_cases(&field, Arc::new(watch)).await;
    let _gone = stop.send(());
    let _ended = serving.await;
    for case in &cases {
        server.note(Event::Judged(case.judged()));
    }
    let head = server.close()?;

    let normalised: Vec<_> = cases.iter().map(|case| case.normalised.clone()).collect();
    let file = RunFile {
        format: VERSION,
        run,
        program: field.order.program.clone(),
        seed: field.order.choice.seed,
        suite: field.order.suite.files.clone(),
        profile,
        agent: redact::arguments(&field.order.agent),
        started_unix_ms,
        took_ms: clock.elapsed_us() / 1000,
        normalised: normal::digest(&normalised),
        codes: grade::explained(cases.iter().flat_map(|case| &case.findings)),
        repeat: 1,
        shard: None,
        ended_early: false,
        cases,
        servers: vec![JournalHead { journal: "journal".to_owned(), head: head.sum, requests: head.requests }],
    };
    let path = folder.join("run.json");
    files::write_report(&path, file.to_json().as_bytes())
        .map_err(|source| RunError::Folder { path, source })?;
    Ok((folder, file))
}

/// All cases, so many at once; their results in the order of the suite.
async fn run_cases(
    field: &Arc<Field>,
    watch: Arc<impl Fn(Progress<'_>) + Send + Sync + 'static>,
) -> Vec<CaseResult> {
    let places = Arc::new(Semaphore::new(field.order.jobs.max(1)));
    let mut tasks = JoinSet::new();
    for (position, index) in field.order.cases.iter().copied().enumerate() {
        let (field, places, watch) = (Arc::clone(field), Arc::clone(&places), Arc::clone(&watch));
        tasks.spawn(async move {
            // The semaphore is never closed.
            let _place = places.acquire().await;
            watch(Progress::Started { case: &field.standin.setting().scenarios.phrasings[index].id });
            let result = case::run(&field, index).await;
            watch(Progress::Finished(&result));
            (position, result)
        });
    }
    let mut results = tasks.join_all().await;
    results.sort_by_key(|(position, _)| *position);
    results.into_iter().map(|(_, result)| result).collect()
}
