//! `rehearsal serve`: the scripted provider by itself.

use super::choice::{self, Flags};
use super::reach::Reach;
use super::{show, value};
use crate::failure::{self, Failure};
use crate::terminal::{self, plural};
use clap::Args;
use rehearsal_script::drill::{self, Drill};
use rehearsal_script::scenario::{Cassette, Phrasing, Scenarios};
use rehearsal_standin::core::Setting;
use rehearsal_standin::serve::StandIn;
use rehearsal_wire::fault::{FAULTS, Fault, fault};
use rehearsal_wire::rule::{Echo, Profile};
use rehearsal_workflow::{agent, suite};
use rehearsal_world::clock::{Clock, unix_ms};
use rehearsal_world::files::Watch;
use rehearsal_world::http::{self, Limits};
use rehearsal_world::listen::Listener;
use rehearsal_world::record::{Name, RecordError, Recorder, SEGMENT_BYTES, Settings, StubLog};
use rehearsal_world::{files, ids, task};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Arguments of `serve`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    /// Port to listen on; 0 takes any free one.
    #[arg(long, value_name = "PORT", required_unless_present = "play", allow_hyphen_values = true, value_parser = value::port)]
    port: Option<u16>,
    #[command(flatten)]
    reach: Reach,
    /// Scenario files, or folders of them; may be given several times.
    #[arg(long, value_name = "PATH")]
    scenarios: Vec<PathBuf>,
    /// Play scenario files anew when they change; while they have mistakes the old ones stay in force.
    #[arg(long, requires = "scenarios")]
    watch: bool,
    /// Also append one line a request to this file, with the field names of the original stub.
    #[arg(long, value_name = "FILE")]
    log: Option<PathBuf>,
    /// A fault that takes every conversation request.
    #[arg(long, value_name = "MODE", default_value = "normal", value_parser = mode)]
    mode: Mode,
    /// Faults that lie over every answer, as in `sse-crlf+utf8-split` or `429-retry-after-seconds:times=2`; POST /gate/faults
    /// changes them. With `times`, or once, for those that leave no turn of the model.
    #[arg(long, value_name = "NAME[:key=value…]", value_parser = drill::drill, conflicts_with = "mode")]
    fault: Option<Drill>,
    /// Show the bytes that leave under a fault, plain and streamed, and end.
    #[arg(long, value_name = "NAME[:key=value…]", value_parser = drill::drill)]
    play: Option<Drill>,
    #[command(flatten)]
    flags: Flags,
    /// Folder for the journal.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal")]
    data: PathBuf,
    /// How many segments of the journal to keep (64 MiB each) [default: all].
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u32).range(1..))]
    keep: Option<u32>,
}

/// Normal, or a fault.
#[derive(Clone, Copy, Debug)]
struct Mode(Option<&'static Fault>);

fn mode(text: &str) -> Result<Mode, String> {
    let modes =
        || FAULTS.iter().filter(|row| row.is_mode()).map(|row| row.name).collect::<Vec<_>>().join(", ");
    match fault(text) {
        _ if text == "normal" => Ok(Mode(None)),
        Some(row) if row.is_mode() => Ok(Mode(Some(row))),
        _ => Err(format!("the modes are normal, {}", modes())),
    }
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if let Some(drill) = &arguments.play {
        terminal::print(&show::bytes(drill));
        return Ok(());
    }
    // Before anything is read or written: a port that must not be taken, then files with mistakes.
    let port = arguments.port.unwrap_or_default();
    arguments.reach.check(port)?;
    if arguments.scenarios.is_empty() && arguments.mode.0.is_none() && arguments.fault.is_none() {
        return Err(Failure::Command(
            "--scenarios PATH is required unless a hostile --mode or a --fault is chosen".to_owned(),
        ));
    }
    choice::folder(&arguments.data)?;
    // From before the files are read: a change in between must not be missed.
    let watch = arguments.watch.then(|| files::watch(&arguments.scenarios));
    let setting = setting(arguments)?;
    let listener = arguments.reach.listen(port)?;
    task::run_server(serve(arguments, setting, listener, watch))
        .map_err(|error| Failure::World(error.to_string()))?
}

/// What the files and flags say.
fn setting(arguments: &Arguments) -> Result<Setting, Failure> {
    let scenarios = if arguments.scenarios.is_empty() {
        nothing()
    } else {
        let suite = suite::load(&arguments.scenarios, arguments.flags.profile)?;
        let recorded = suite.scenarios.phrasings.iter().find_map(|phrasing| phrasing.cassette.as_ref());
        if let Some(Cassette { place, path, .. }) = recorded {
            return Err(Failure::Command(format!(
                "{}:{}: the cassette {path} is played by `rehearsal run` for its cases alone; `rehearsal replay` serves one to whoever asks",
                place.file, place.line
            )));
        }
        let phrasings = &suite.scenarios.phrasings;
        if let Some(first) = phrasings.first().filter(|_| phrasings.iter().all(Phrasing::is_daemons)) {
            return Err(Failure::Command(format!(
                "{}: no case of these files asks a model; `rehearsal daemon --script FILE` plays run scripts to whoever asks",
                first.place.file
            )));
        }
        // Nobody says which agent will ask.
        agent::fitted(suite.scenarios, &[], Some(&agent::BUILT_IN))
            .map_err(|error| Failure::Command(error.to_string()))?
    };
    let chosen = suite::Choice { mode: arguments.mode.0, ..arguments.flags.choice() };
    suite::setting(scenarios, &chosen).map_err(|error| Failure::Command(error.to_string()))
}

/// Plays changed files from the next request on. Never ends.
async fn reload(arguments: Arguments, mut watch: Watch, standin: Arc<StandIn>) {
    loop {
        watch.changed().await;
        match setting(&arguments) {
            Ok(setting) => {
                let phrasings = setting.scenarios.phrasings.len();
                standin.replace(setting);
                standin.lay(arguments.fault.as_ref());
                terminal::say(&format!("reloaded {phrasings} phrasing{}", plural(phrasings)));
            }
            Err(failure) => {
                failure::report(&failure);
                terminal::complain("rehearsal: the old files stay in force");
            }
        }
    }
}

/// A suite that says nothing: everything is background.
fn nothing() -> Scenarios {
    Scenarios {
        phrasings: Vec::new(),
        profile: Profile::Gate,
        rules: Vec::new(),
        echo: Echo::Exact,
        weights: Vec::new(),
        agent: None,
    }
}

async fn serve(
    arguments: &Arguments,
    setting: Setting,
    listener: Listener,
    watch: Option<Watch>,
) -> Result<(), Failure> {
    let world = |error: &dyn std::fmt::Display| Failure::World(error.to_string());
    let known = arguments.reach.known()?;
    let run = ids::run_id(unix_ms()).map_err(|error| world(&error))?;
    let folder = files::create_run_folder(&arguments.data, "serve", &run)
        .map_err(|source| Failure::World(format!("cannot use {}: {source}", arguments.data.display())))?;
    let mode = setting.mode.map_or("normal", |row| row.name);
    let recorder = Arc::new(open_journal(arguments, &folder, &run, mode).map_err(|error| world(&error))?);
    // Whoever reads the banner may ask for the end at once.
    let end = task::asked_to_end();
    let log = arguments.log.as_deref().unwrap_or(&folder).display();
    let address = listener.address();
    // In one write: whoever waits for the first line is not woken thrice.
    terminal::say(&format!(
        "rehearsal serve [{mode}]: {address} /v1/chat/completions ({} markers registered, log={log})\n{}\n{}",
        setting.scenarios.phrasings.len(),
        known.line(address),
        known.root_line(address),
    ));
    let standin = StandIn::new(setting, Arc::clone(&recorder)).guard(known.token.as_deref(), Vec::new());
    let standin = standin.tell_of_side_calls(|line| terminal::complain(&format!("rehearsal: {line}")));
    standin.lay(arguments.fault.as_ref());
    let standin = Arc::new(standin);
    // Whoever read the banner is still on the way.
    let _status = rehearsal_standin::warm_up(standin.setting());
    if let Some(watch) = watch {
        task::spawn(reload(arguments.clone(), watch, Arc::clone(&standin)));
    }
    http::serve(listener, standin, Limits::default(), end).await.map_err(|error| world(&error))?;
    recorder.close().map_err(|error| world(&error))?;
    Ok(())
}

fn open_journal(
    arguments: &Arguments,
    folder: &Path,
    run: &str,
    mode: &str,
) -> Result<Recorder, RecordError> {
    let log = arguments.log.as_deref().map(|path| StubLog::open(path, mode, run)).transpose()?;
    let settings = Settings {
        folder: folder.to_owned(),
        name: Name::Journal,
        run: run.to_owned(),
        case: None,
        seed: arguments.flags.seed,
        program: concat!("rehearsal ", env!("CARGO_PKG_VERSION")).to_owned(),
        segment_bytes: SEGMENT_BYTES,
        keep: arguments.keep,
    };
    Recorder::open(settings, Clock::start(), log)
}
