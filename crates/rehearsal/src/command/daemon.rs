//! `rehearsal daemon`: the stand-in for an agent-run daemon.

use super::{choice, value};
use crate::failure::Failure;
use crate::terminal;
use clap::Args;
use rehearsal_daemon::edits;
use rehearsal_daemon::install::{InstallError, Installed};
use rehearsal_daemon::run::LiveInput;
use rehearsal_daemon::serve::Daemon;
use rehearsal_daemon::setting::{Manner, Setting};
use rehearsal_script::File;
use rehearsal_script::runs::{self, RunScripts};
use rehearsal_world::clock::{Clock, unix_ms};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::listen::{self, Listener};
use rehearsal_world::record::{Lines, Name, RecordError, Recorder, SEGMENT_BYTES, Settings};
use rehearsal_world::{files, ids, task};
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Largest file of edits, in bytes.
const EDITS: u64 = 64 << 20;

/// Largest file of run scripts, in bytes.
const SCRIPT: u64 = 16 << 20;

/// Arguments of `daemon`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    /// Folder where clients find the daemon: its token and its descriptor are written into DIR/daemon.
    #[arg(long, value_name = "DIR", required_unless_present = "acp")]
    config_dir: Option<PathBuf>,
    /// Play an agent of the Agent Client Protocol on standard input and output, in place of the daemon.
    #[arg(long, conflicts_with_all = ["config_dir", "port", "as_seed", "as_engine", "require_project", "runs_dir", "live_input", "keep_runs", "profile", "ghost_profile", "build_sha"])]
    acp: bool,
    /// With --acp: refuse sessions until the client has authenticated.
    // `requires` alone asks for nothing where what it names conflicts with what is given.
    #[arg(long, requires = "acp", conflicts_with = "config_dir")]
    require_auth: bool,
    /// Port to listen on, on loopback; 0 takes any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, allow_hyphen_values = true, value_parser = value::port)]
    port: u16,
    /// Id of the one harness.
    #[arg(long, value_name = "ID", default_value = "fake-harness")]
    harness: String,
    /// Version that the engine says it has; clients pin it.
    #[arg(long, value_name = "VERSION", default_value = "3.99.0")]
    engine_version: String,
    /// Build that the engine says it is; clients pin it.
    #[arg(long, value_name = "SHA", default_value = "fakesha0")]
    build_sha: String,
    /// Model that runs say they used.
    #[arg(long, value_name = "NAME", default_value = "mock-model-echo")]
    model: String,
    /// Credential profile that runs say they used.
    #[arg(long, value_name = "ID", default_value = "fake-profile-1")]
    profile: String,
    /// A credential profile that does not exist: a start that names it is refused.
    #[arg(long, value_name = "ID", default_value = "ghost-profile")]
    ghost_profile: String,
    /// What mutating runs write into their private workspace: a JSON object of relative paths and texts.
    #[arg(long, value_name = "FILE")]
    edits: Option<PathBuf>,
    /// Folder of the runs [default: `runs` in the folder of --config-dir].
    #[arg(long, value_name = "DIR")]
    runs_dir: Option<PathBuf>,
    /// How live messages get into a run: mid_turn, next_tool_boundary or none.
    #[arg(long, value_name = "WHEN", default_value = "mid_turn", value_parser = live_input)]
    live_input: LiveInput,
    /// Also append every request to this file, one JSON object a line.
    #[arg(long, value_name = "FILE")]
    wire_log: Option<PathBuf>,
    /// Give the lenient answers of the original fake. Files stay safe.
    #[arg(long, conflicts_with = "as_engine")]
    as_seed: bool,
    /// Answer as the real daemon does where the contract of its fake differs.
    #[arg(long)]
    as_engine: bool,
    /// Refuse runs in projects that nobody registered, as --as-engine does.
    #[arg(long)]
    require_project: bool,
    /// With --as-engine: serve as the real daemon does while it recovers its journal; nearly everything answers 503.
    #[arg(long, requires = "as_engine")]
    recovery_only: bool,
    /// Seed of all ids [default: another one at each start].
    #[arg(long, value_name = "NUMBER", allow_hyphen_values = true, value_parser = value::seed)]
    seed: Option<u64>,
    /// Play runs by these files of run scripts, or folders of them; prompts that no marker fits go by the prompt's own markers.
    #[arg(long, value_name = "FILE", num_args = 1..)]
    script: Vec<PathBuf>,
    /// Let time stand still but for `POST /_control/clock {"advance": "90s"}`.
    #[arg(long)]
    scripted_clock: bool,
    /// How many runs that are over are kept; older ones answer 410.
    #[arg(long, value_name = "NUMBER", default_value_t = Setting::KEEP)]
    keep_runs: usize,
    /// Folder for the journal.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal")]
    data: PathBuf,
}

fn live_input(text: &str) -> Result<LiveInput, String> {
    let known = LiveInput::ALL.into_iter().find(|live| live.word() == text);
    known.ok_or_else(|| format!("it is {}", LiveInput::ALL.map(LiveInput::word).join(", ")))
}

impl From<InstallError> for Failure {
    fn from(error: InstallError) -> Self {
        Self::World(error.to_string())
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if listen::RESERVED_PORTS.contains(&arguments.port) {
        return Err(Failure::Command(listen::BindError::Reserved(arguments.port).to_string()));
    }
    choice::folder(&arguments.data)?;
    let mut setting = setting(arguments)?;
    let Some(config_dir) = arguments.config_dir.as_deref().filter(|_| !arguments.acp) else {
        return task::run_here(acp(arguments, setting)).map_err(|error| Failure::World(error.to_string()))?;
    };
    // The folder before the port: a second daemon there must change nothing, and is told why.
    let installed = Installed::open(config_dir, arguments.runs_dir.as_deref())?;
    setting.token.clone_from(&installed.token);
    setting.runs.clone_from(&installed.runs);
    let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port, false)
        .map_err(|error| Failure::World(error.to_string()))?;
    task::run_server(serve(arguments, config_dir, setting, installed, listener))
        .map_err(|error| Failure::World(error.to_string()))?
}

fn setting(arguments: &Arguments) -> Result<Setting, Failure> {
    let edits = match &arguments.edits {
        None => Setting::edits(),
        Some(path) => {
            let wrong = |error: &dyn std::fmt::Display| {
                Failure::Command(format!("--edits {}: {error}", path.display()))
            };
            let bytes =
                files::read_bytes(path, EDITS).map_err(|error| Failure::Command(error.to_string()))?;
            edits::read(&bytes).map_err(|error| wrong(&error))?
        }
    };
    Ok(Setting {
        manner: match (arguments.as_seed, arguments.as_engine) {
            (true, _) => Manner::Seed,
            (false, true) => Manner::Engine,
            (false, false) => Manner::Corrected,
        },
        token: String::new(),
        harness: arguments.harness.clone(),
        version: arguments.engine_version.clone(),
        sha: arguments.build_sha.clone(),
        model: arguments.model.clone(),
        profile: arguments.profile.clone(),
        ghost: arguments.ghost_profile.clone(),
        live: arguments.live_input,
        edits,
        runs: String::new(),
        require_project: arguments.require_project,
        recovery: arguments.recovery_only,
        seed: arguments.seed.unwrap_or_default(),
        scripted_clock: arguments.scripted_clock,
        scripts: scripts(&arguments.script)?,
        keep: arguments.keep_runs,
    })
}

/// Reads the files of run scripts. Other files of their folders are none of its business.
fn scripts(paths: &[PathBuf]) -> Result<RunScripts, Failure> {
    let mut read = Vec::new();
    for path in paths {
        let files = files::files_below(path).map_err(|error| Failure::Command(error.to_string()))?;
        for file in files {
            let bytes =
                files::read_bytes(&file, SCRIPT).map_err(|error| Failure::Command(error.to_string()))?;
            read.push((file.display().to_string(), bytes, file == *path));
        }
    }
    let files: Vec<File<'_>> = read
        .iter()
        .map(|(name, bytes, named)| (File { name, bytes }, *named))
        .filter(|(file, named)| *named || runs::is_one(file))
        .map(|(file, _)| file)
        .collect();
    runs::read(&files).map_err(Failure::Files)
}

/// The journal of this start, its folder, and the wire log.
fn record(
    arguments: &Arguments,
    setting: &mut Setting,
) -> Result<(Arc<Recorder>, PathBuf, Option<Lines>), Failure> {
    let world = |error: &dyn std::fmt::Display| Failure::World(error.to_string());
    let run = ids::run_id(unix_ms()).map_err(|error| world(&error))?;
    if arguments.seed.is_none() {
        setting.seed = ids::seed().map_err(|error| world(&error))?;
    }
    let folder = files::create_run_folder(&arguments.data, "daemon", &run)
        .map_err(|source| Failure::World(format!("cannot use {}: {source}", arguments.data.display())))?;
    let settings = Settings {
        folder: folder.clone(),
        name: Name::Journal,
        run,
        case: None,
        seed: setting.seed,
        program: concat!("rehearsal ", env!("CARGO_PKG_VERSION")).to_owned(),
        segment_bytes: SEGMENT_BYTES,
        keep: None,
    };
    let opened = |error: RecordError| world(&error);
    let recorder = Arc::new(Recorder::open(settings, Clock::start(), None).map_err(opened)?);
    let wire = arguments.wire_log.as_deref().map(Lines::open).transpose().map_err(opened)?;
    Ok((recorder, folder, wire))
}

/// Plays an agent for the one client that started us.
async fn acp(arguments: &Arguments, mut setting: Setting) -> Result<(), Failure> {
    let world = |error: &dyn std::fmt::Display| Failure::World(error.to_string());
    let (recorder, _, wire) = record(arguments, &mut setting)?;
    let agent = rehearsal_daemon::acp::serve(setting, arguments.require_auth, Arc::clone(&recorder), wire);
    let ended = task::unless_asked_to_end(agent).await.unwrap_or(Ok(()));
    recorder.close().map_err(|error| world(&error))?;
    ended.map_err(|error| world(&error))
}

async fn serve(
    arguments: &Arguments,
    config_dir: &Path,
    mut setting: Setting,
    installed: Installed,
    listener: Listener,
) -> Result<(), Failure> {
    let world = |error: &dyn std::fmt::Display| Failure::World(error.to_string());
    let (recorder, folder, wire) = record(arguments, &mut setting)?;
    // Whoever reads the banner may ask for the end at once.
    let end = task::asked_to_end();
    let address = listener.address();
    installed.announce(address.port())?;
    terminal::say(&format!(
        "rehearsal daemon [{}]: http://{address}/v2 (token and descriptor in {}, journal in {})",
        setting.manner.word(),
        config_dir.join("daemon").display(),
        folder.display()
    ));
    let daemon = Daemon::new(setting, installed, Arc::clone(&recorder), wire);
    let keeper = daemon.clone();
    drop(task::spawn(async move { keeper.keep_time().await }));
    let listened = daemon.clone();
    let end = async move {
        end.await;
        listened.end_streams();
    };
    let limits = Limits { body: Setting::BODY, ..Limits::default() };
    http::serve(listener, Arc::new(daemon), limits, end).await.map_err(|error| world(&error))?;
    recorder.close().map_err(|error| world(&error))?;
    Ok(())
}
