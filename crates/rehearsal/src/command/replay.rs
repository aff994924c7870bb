//! `rehearsal replay`: recorded traffic, served again without a network.

use super::record::pattern;
use super::{choice, value};
use crate::failure::Failure;
use crate::terminal::{self, plural};
use clap::Args;
use rehearsal_bridge::cassette::{self, Cassette};
use rehearsal_bridge::key::PARTS;
use rehearsal_bridge::records::is_secret;
use rehearsal_bridge::redactor::Redactor;
use rehearsal_bridge::replay::play::Speed;
use rehearsal_bridge::replay::serve::Replay;
use rehearsal_bridge::replay::shelf::{Manner, Shelf};
use rehearsal_world::clock::{Clock, unix_ms};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::listen::{self, Listener};
use rehearsal_world::record::{Name, Recorder, SEGMENT_BYTES, Settings};
use rehearsal_world::{files, ids, task};
use std::fmt::Display;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// How many recordings that were never served are named.
const NAMED: usize = 20;

/// Arguments of `replay`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    /// Folders of records, their folders `exchanges`, or .json files of single exchanges.
    #[arg(required = true, value_name = "CASSETTE")]
    cassettes: Vec<PathBuf>,
    /// Port to listen on, on loopback; 0 takes any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, allow_hyphen_values = true, value_parser = value::port)]
    port: u16,
    /// How fast: 1 keeps the recorded times, 10 is ten times as fast, 0 does not wait.
    #[arg(long, value_name = "FACTOR", default_value = "0", allow_negative_numbers = true, value_parser = speed)]
    speed: Speed,
    /// Parts of a call that make no difference, as in `system,tools`: route, model, stream, system, tools, turn, results, user,
    /// rest.
    #[arg(long, value_name = "PART,…", value_delimiter = ',', value_parser = part)]
    ignore: Vec<String>,
    /// Serve the last recording of a call again once all of them were.
    #[arg(long)]
    repeat: bool,
    /// End well though some recordings were never asked for.
    #[arg(long)]
    allow_unused: bool,
    /// What the recording was made with: the same patterns as `record --redact`. May be given several times.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    redact: Vec<String>,
    /// The key of its marks [default: private/redaction-key.txt of the first cassette].
    #[arg(long, value_name = "FILE", requires = "redact")]
    redaction_key: Option<PathBuf>,
    /// The one origin of web pages that may ask.
    #[arg(long, value_name = "ORIGIN", value_parser = value::origin)]
    origin: Option<String>,
    /// Folder for the journal.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal")]
    data: PathBuf,
}

fn speed(text: &str) -> Result<Speed, String> {
    let factor = text.parse().ok().and_then(Speed::times);
    factor.ok_or_else(|| "a number, 0 or more".to_owned())
}

/// A part of a call by its name.
pub(super) fn part(text: &str) -> Result<String, String> {
    if PARTS.contains(&text) {
        return Ok(text.to_owned());
    }
    Err(format!("the parts are {}", PARTS.join(", ")))
}

/// What finds the places of marks in requests again.
fn redactor(arguments: &Arguments) -> Result<Option<Redactor>, Failure> {
    if arguments.redact.is_empty() {
        return Ok(None);
    }
    let first = arguments.cassettes.first().map(PathBuf::as_path).unwrap_or(Path::new("."));
    let beside = [first.join("private"), first.join("..")].map(|folder| folder.join("redaction-key.txt"));
    let found = beside.into_iter().find(|path| files::is_file(path));
    let path = arguments.redaction_key.clone().or(found).ok_or_else(|| {
        Failure::Command(
            "no redaction-key.txt lies beside the first cassette; name it by --redaction-key".to_owned(),
        )
    })?;
    let key = files::read_text(&path, 4096).map_err(|error| Failure::Command(error.to_string()))?;
    let key = key.trim();
    if !is_secret(key) {
        return Err(Failure::Command(format!(
            "{} holds no key of redaction marks; give the private/redaction-key.txt of the record",
            path.display()
        )));
    }
    Redactor::new(&arguments.redact, key).map_err(|error| Failure::Command(error.to_string()))
}

/// Reads recorded traffic; what never came to its end is named.
pub(super) fn open(path: &Path) -> Result<Cassette, Failure> {
    let cassette = cassette::open(path).map_err(|error| Failure::Command(error.to_string()))?;
    for name in &cassette.interrupted {
        terminal::complain(&format!("rehearsal: {name} never came to its end and is left out"));
    }
    if let Some(name) = cassette.logged.first() {
        terminal::complain(&format!(
            "rehearsal: left out, for the bytes are still in the recorder's log: {name} and {} more; end the recorder, or start it once more",
            cassette.logged.len() - 1
        ));
    }
    Ok(cassette)
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if listen::RESERVED_PORTS.contains(&arguments.port) {
        return Err(Failure::Command(listen::BindError::Reserved(arguments.port).to_string()));
    }
    choice::folder(&arguments.data)?;
    let redactor = redactor(arguments)?;
    let mut recordings = Vec::new();
    for path in &arguments.cassettes {
        recordings.extend(open(path)?.recordings);
    }
    if recordings.is_empty() {
        return Err(Failure::NothingRan(
            "no recording came to its end, so there is nothing to replay".to_owned(),
        ));
    }
    let manner = Manner { ignored: arguments.ignore.clone(), repeat: arguments.repeat };
    let shelf = Shelf::new(recordings, manner);
    let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port, false).map_err(world)?;
    task::run_server(serve(arguments, (shelf, redactor), listener)).map_err(world)?
}

fn world(error: impl Display) -> Failure {
    Failure::World(error.to_string())
}

async fn serve(
    arguments: &Arguments,
    (shelf, redactor): (Shelf, Option<Redactor>),
    listener: Listener,
) -> Result<(), Failure> {
    let run = ids::run_id(unix_ms()).map_err(world)?;
    let folder = files::create_run_folder(&arguments.data, "replay", &run)
        .map_err(|source| Failure::World(format!("cannot use {}: {source}", arguments.data.display())))?;
    let settings = Settings {
        folder: folder.clone(),
        name: Name::Journal,
        run,
        case: None,
        seed: 0,
        program: concat!("rehearsal ", env!("CARGO_PKG_VERSION")).to_owned(),
        segment_bytes: SEGMENT_BYTES,
        keep: None,
    };
    let recorder = Arc::new(Recorder::open(settings, Clock::start(), None).map_err(world)?);
    // Whoever reads the banner may ask for the end at once.
    let end = task::asked_to_end();
    terminal::say(&format!(
        "rehearsal replay: {} ({} recording{}, journal={})",
        listener.address(),
        shelf.len(),
        plural(shelf.len()),
        folder.display()
    ));
    terminal::say(&format!("base URL: http://{}/v1", listener.address()));
    let say = |line: &str| terminal::complain(&format!("rehearsal: {line}"));
    let origin = arguments.origin.clone();
    let replay = Replay::new(shelf, Arc::clone(&recorder), arguments.speed, origin, say);
    let replay = Arc::new(replay.redacting(redactor));
    http::serve(listener, Arc::clone(&replay), Limits::default(), end).await.map_err(world)?;
    recorder.close().map_err(world)?;
    if let Some(error) = replay.lost() {
        return Err(Failure::World(format!("a recording could not be served whole: {error}")));
    }
    sum_up(arguments, &replay)
}

/// Says what was served, and whether that is all as it should be.
fn sum_up(arguments: &Arguments, replay: &Replay) -> Result<(), Failure> {
    let shelf = replay.shelf();
    let unused: Vec<&str> = shelf.unused().map(|recording| recording.name.as_str()).collect();
    terminal::say(&format!(
        "{} of {} recording{} served, {} answer{}, {} miss{}, {} never asked for",
        shelf.len() - unused.len(),
        shelf.len(),
        plural(shelf.len()),
        shelf.served(),
        plural(shelf.served()),
        shelf.misses(),
        if shelf.misses() == 1 { "" } else { "es" },
        unused.len()
    ));
    if !unused.is_empty() {
        let more =
            if unused.len() > NAMED { format!(" and {} more", unused.len() - NAMED) } else { String::new() };
        let names = unused.iter().take(NAMED).copied().collect::<Vec<_>>().join(", ");
        terminal::complain(&format!("rehearsal: never asked for: {names}{more}"));
    }
    let missed = shelf.misses() > 0;
    if missed || !(unused.is_empty() || arguments.allow_unused) { Err(Failure::NotMet) } else { Ok(()) }
}
