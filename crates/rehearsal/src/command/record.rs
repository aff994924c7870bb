//! `rehearsal record`: the recording bridge before a real provider.

use super::{choice, value};
use crate::env;
use crate::failure::Failure;
use crate::terminal::{self, plural};
use clap::Args;
use rehearsal_bridge::cassette::{self, CassetteError};
use rehearsal_bridge::load::{self, LoadError};
use rehearsal_bridge::projection;
use rehearsal_bridge::records::{Found, Records, RecordsError};
use rehearsal_bridge::redactor::{self, Redactor};
use rehearsal_bridge::relay::Provider;
use rehearsal_bridge::replay::instead::Instead;
use rehearsal_bridge::replay::shelf::{Manner, Shelf};
use rehearsal_bridge::serve::Bridge;
use rehearsal_bridge::setting::{Budget, CONTROL_HEADER, Mode, Setting};
use rehearsal_bridge::state::{Counters, State};
use rehearsal_wire::relay::Names;
use rehearsal_world::clock::{rfc3339, unix_ms};
use rehearsal_world::dial::{self, BaseUrl, Client, Trust};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::listen::{self, Listener};
use rehearsal_world::{files, task};
use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

/// Largest body of a request for a case, in bytes: that of the original bridge.
const CASE_BODY: u64 = 1 << 20;
/// How long such a body may take. Clients of cases are on this machine.
const CASE_BODY_TIME: Duration = Duration::from_secs(3);
/// Largest answer that is recorded, in bytes.
const LARGEST_ANSWER: usize = 1 << 30;
/// Longest wait for a connection to the provider.
const CONNECT: Duration = Duration::from_secs(15);
/// How long forwards may still take once the bridge is asked to end.
const DRAIN: Duration = Duration::from_secs(5);
/// Largest file with certificates, in bytes.
const LARGEST_CA: u64 = 4 << 20;

/// Arguments of `record`.
#[derive(Clone, Debug, Args)]
pub(crate) struct Arguments {
    /// The provider: http:// or https://, its host, and what stands before `/v1` in its paths.
    #[arg(long, value_name = "URL")]
    upstream: String,
    /// Port to listen on, on loopback; 0 takes any free one.
    #[arg(long, value_name = "PORT", default_value_t = 0, allow_hyphen_values = true, value_parser = value::port)]
    port: u16,
    /// Folder of the record. One process at a time has it.
    #[arg(long, value_name = "DIR", default_value = ".rehearsal/recording")]
    data: PathBuf,
    /// Forward only these cases, each once and only when it is armed: a list of {id, promptFile}.
    #[arg(long, value_name = "FILE", requires_all = ["models", "system", "alias"])]
    cases: Option<PathBuf>,
    /// The provider's list of models; its first one is asked.
    #[arg(long, value_name = "FILE", requires = "cases")]
    models: Option<PathBuf>,
    /// The one system prompt that requests for cases must have; read anew for each.
    #[arg(long, value_name = "FILE", requires = "cases")]
    system: Option<PathBuf>,
    /// The name by which clients know the model; without --cases as ALIAS=PROVIDERS-NAME.
    #[arg(long, value_name = "NAME")]
    alias: Option<String>,
    /// The one origin of web pages that may use the bridge.
    #[arg(long, value_name = "ORIGIN", value_parser = value::origin)]
    origin: Option<String>,
    /// Longest silence of the provider, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "180", value_parser = seconds)]
    timeout: Duration,
    /// Longest time of a whole answer, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "3600", value_parser = seconds)]
    deadline: Duration,
    /// The header of the control token.
    #[arg(long, value_name = "NAME", default_value = CONTROL_HEADER, value_parser = header_name)]
    control_header: String,
    /// Forward at most so many requests that generate, over all starts with this folder.
    #[arg(long, value_name = "NUMBER", conflicts_with = "cases", allow_negative_numbers = true)]
    budget_requests: Option<u64>,
    /// Forward nothing more once answers have cost so many tokens.
    #[arg(long, value_name = "NUMBER", conflicts_with = "cases", allow_negative_numbers = true)]
    budget_tokens: Option<u64>,
    /// Which calls are forwarded though the folder may hold a recording of them: all; those that are missing there; never any. A
    /// call that is recorded is answered with its recording, each once, as `replay` does.
    #[arg(long, value_name = "WHICH", default_value = "all", value_parser = rerecord, conflicts_with = "cases")]
    rerecord: Rerecord,
    /// The environment variable with the provider's key [default: without --cases, the client's own key goes through; it is
    /// never recorded].
    #[arg(long, value_name = "VARIABLE")]
    key_env: Option<String>,
    /// The header that the key of --key-env goes into, with `{key}` for it.
    #[arg(long, value_name = "HEADER", default_value = "Authorization: Bearer {key}", value_parser = header)]
    key_header: (String, String),
    /// A further header for the provider, as in 'OpenAI-Organization: org_1'; may be given several times.
    #[arg(long = "upstream-header", value_name = "HEADER", value_parser = header)]
    headers: Vec<(String, String)>,
    /// Replace what matches this regular expression in all that is written, by a mark with a keyed digest; what is forwarded and
    /// served stays as it is. May be given several times.
    #[arg(long, value_name = "PATTERN", value_parser = pattern)]
    redact: Vec<String>,
    /// A file of certificates to trust beside those of the system.
    #[arg(long, value_name = "FILE")]
    upstream_ca: Option<PathBuf>,
}

/// Which calls are forwarded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Rerecord {
    All,
    Missing,
    Never,
}

fn rerecord(text: &str) -> Result<Rerecord, String> {
    match text {
        "all" => Ok(Rerecord::All),
        "missing" => Ok(Rerecord::Missing),
        "never" => Ok(Rerecord::Never),
        _ => Err("it is all, missing or never".to_owned()),
    }
}

/// A time above 0.
pub(super) fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse::<f64>().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.filter(|time| !time.is_zero()).ok_or_else(|| "a number of seconds above 0".to_owned())
}

/// A pattern of `--redact`.
pub(super) fn pattern(text: &str) -> Result<String, String> {
    redactor::pattern(text).map_err(|error| error.to_string())?;
    Ok(text.to_owned())
}

fn header_name(text: &str) -> Result<String, String> {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !text.is_empty() && text.bytes().all(fits) {
        return Ok(text.to_owned());
    }
    Err("a header's name has letters, digits, `-` and `_`".to_owned())
}

fn header(text: &str) -> Result<(String, String), String> {
    let (name, value) = text.split_once(':').ok_or("write 'NAME: VALUE'")?;
    Ok((header_name(name.trim())?, value.trim().to_owned()))
}

pub(crate) fn run(arguments: &Arguments) -> Result<(), Failure> {
    if listen::RESERVED_PORTS.contains(&arguments.port) {
        return Err(Failure::Command(listen::BindError::Reserved(arguments.port).to_string()));
    }
    choice::folder(&arguments.data)?;
    let provider = provider(arguments)?;
    let mut setting = setting(arguments)?;
    let fresh = match &setting.mode {
        Mode::Cases(cases) => State::new(cases.iter().map(|case| case.id.as_str())),
        Mode::Open(_) => State::free(),
    };
    // The folder before the port: a second process must change nothing, and is told why.
    let (mut records, found) =
        Records::open(&arguments.data, fresh, concat!("rehearsal ", env!("CARGO_PKG_VERSION")))?;
    setting.token = records.token()?;
    if !arguments.redact.is_empty() {
        setting.redactor = Redactor::new(&arguments.redact, &records.redaction_key()?)
            .map_err(|error| Failure::Command(error.to_string()))?;
    }
    let instead = instead(arguments)?;
    let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), arguments.port, false)
        .map_err(|error| Failure::World(error.to_string()))?;
    records.begin(&setting, &provider.base.to_string(), &found.state)?;
    task::run_server(serve(arguments, setting, provider, (records, found, instead), listener))
        .map_err(|error| Failure::World(error.to_string()))?
}

/// What is served in the place of forwards.
fn instead(arguments: &Arguments) -> Result<Option<Instead>, Failure> {
    let forwards = match arguments.rerecord {
        Rerecord::All => return Ok(None),
        Rerecord::Missing => true,
        Rerecord::Never => false,
    };
    let recordings = match cassette::open(&arguments.data) {
        Ok(cassette) => cassette.recordings,
        // A folder in which nothing was recorded yet.
        Err(CassetteError::Nothing(_)) => Vec::new(),
        Err(error) => return Err(Failure::Command(error.to_string())),
    };
    let say = |line: &str| terminal::complain(&format!("rehearsal: {line}"));
    Ok(Some(Instead::new(Shelf::new(recordings, Manner::default()), forwards, say)))
}

/// What an operator of cases must know. Not on standard output: there a program reads the one line of the start.
fn say_how_to_arm(arguments: &Arguments) {
    terminal::complain(&format!(
        "rehearsal: recording into {}; the token that arms cases stands in private/control-token.txt there",
        arguments.data.display()
    ));
    let unread = arguments.system.as_ref().filter(|path| !files::is_there(path));
    if let Some(path) = unread {
        terminal::complain(&format!(
            "rehearsal: --system: there is no file {} yet; no case is forwarded before there is one",
            path.display()
        ));
    }
}

/// Says what came in this process and where it is kept.
fn say_what_passed(arguments: &Arguments, before: &Counters, now: &Counters) {
    let forwards = |all: &Counters| all.generation_backend_forwards + all.metadata_backend_forwards;
    let (requests, forwarded) = (now.requests - before.requests, forwards(now) - forwards(before));
    terminal::say(&format!(
        "{requests} request{}, {forwarded} forwarded; kept in {}",
        plural(requests),
        arguments.data.display()
    ));
}

/// Says what was served of what was recorded before. A call that may not be forwarded and was never recorded is a failure.
fn sum_up(arguments: &Arguments, instead: &Instead) -> Result<(), Failure> {
    let shelf = instead.shelf();
    terminal::say(&format!(
        "{} answer{} from the record, {} call{} that it did not hold",
        shelf.served(),
        plural(shelf.served()),
        shelf.misses(),
        plural(shelf.misses())
    ));
    if arguments.rerecord == Rerecord::Never && shelf.misses() > 0 { Err(Failure::NotMet) } else { Ok(()) }
}

impl From<RecordsError> for Failure {
    fn from(error: RecordsError) -> Self {
        Self::World(error.to_string())
    }
}

fn provider(arguments: &Arguments) -> Result<Provider, Failure> {
    let wrong = |flag: &str, error: &dyn std::fmt::Display| Failure::Command(format!("{flag}: {error}"));
    // Whoever copies a base URL of clients copies its version, too; paths bring their own.
    let upstream = arguments.upstream.trim_end_matches('/');
    let upstream = upstream.strip_suffix("/v1").unwrap_or(upstream);
    let base = BaseUrl::parse(upstream).map_err(|error| wrong("--upstream", &error))?;
    let mut trust = Trust::system();
    if let Some(path) = &arguments.upstream_ca {
        let pem = files::read_bytes(path, LARGEST_CA).map_err(|error| Failure::Command(error.to_string()))?;
        trust = trust.and_pem(&pem).map_err(|error| wrong("--upstream-ca", &error))?;
    }
    let mut own: Vec<(String, Vec<u8>)> =
        arguments.headers.iter().map(|(name, value)| (name.clone(), value.clone().into_bytes())).collect();
    let mut keys = Vec::new();
    if let Some(variable) = &arguments.key_env {
        let key = env::named(variable).filter(|key| !key.trim().is_empty());
        let key =
            key.ok_or_else(|| Failure::Command(format!("--key-env: the variable {variable} is not set")))?;
        let (name, form) = &arguments.key_header;
        own.push((name.clone(), form.replace("{key}", key.trim()).into_bytes()));
        keys.push(key.trim().as_bytes().to_vec());
    }
    let limits = dial::Limits {
        connect: CONNECT.min(arguments.timeout),
        idle: arguments.timeout,
        total: arguments.deadline,
        body: LARGEST_ANSWER,
    };
    Ok(Provider { base, client: Client::new(trust), own, keys, limits })
}

fn setting(arguments: &Arguments) -> Result<Setting, Failure> {
    let alias = arguments.alias.as_deref();
    let wrong = |error: LoadError| Failure::Command(error.to_string());
    let (mode, names) = match (&arguments.cases, &arguments.models, alias) {
        (Some(cases), Some(models), Some(alias)) => {
            let names = load::names(models, alias).map_err(wrong)?;
            (Mode::Cases(load::cases(cases).map_err(wrong)?), Some(names))
        }
        (_, _, alias) => {
            let budget = Budget { requests: arguments.budget_requests, tokens: arguments.budget_tokens };
            (Mode::Open(budget), alias.map(both_names).transpose()?)
        }
    };
    Ok(Setting {
        mode,
        names,
        origin: arguments.origin.clone(),
        control_header: arguments.control_header.clone(),
        token: String::new(),
        redactor: None,
    })
}

/// `ALIAS=PROVIDERS-NAME`.
fn both_names(text: &str) -> Result<Names, Failure> {
    let wrong = |why: &dyn std::fmt::Display| Failure::Command(format!("--alias: {why}"));
    let (alias, real) = text
        .split_once('=')
        .ok_or_else(|| wrong(&"without --cases it is ALIAS=NAME, the public name and the provider's own"))?;
    Names::new(real, alias).map_err(|error| wrong(&error))
}

async fn serve(
    arguments: &Arguments,
    setting: Setting,
    provider: Provider,
    (records, found, instead): (Records, Found, Option<Instead>),
    listener: Listener,
) -> Result<(), Failure> {
    let is_open = matches!(setting.mode, Mode::Open(_));
    // Whoever reads the banner may ask for the end at once.
    let end = task::asked_to_end();
    let started =
        projection::started(&setting, &found.state, &listener.address().to_string(), &rfc3339(unix_ms()));
    terminal::say(&started);
    if is_open {
        terminal::say(&format!("base URL: http://{}/v1", listener.address()));
        terminal::say(&format!("recording {} into {}", provider.base, arguments.data.display()));
    }
    if found.interrupted > 0 {
        terminal::complain(&format!(
            "rehearsal: {} forward{} of an earlier process did not end: marked as interrupted, never repeated",
            found.interrupted,
            plural(found.interrupted)
        ));
    }
    if !is_open {
        say_how_to_arm(arguments);
    }
    let limits = if is_open {
        Limits::default()
    } else {
        Limits { body: CASE_BODY, body_time: CASE_BODY_TIME, ..Limits::default() }
    };
    let (system, before) = (arguments.system.clone(), found.state.counters.clone());
    let mut bridge = Bridge::new(setting, provider, system, records, found.state);
    if let Some(instead) = instead {
        bridge = bridge.with_recordings(instead);
    }
    let bridge = Arc::new(bridge);
    let fresh = Arc::clone(&bridge);
    task::spawn(async move { fresh.keep_fresh().await });
    let unpacked = Arc::clone(&bridge);
    task::spawn(async move { unpacked.keep_unpacked().await });
    http::serve(listener, Arc::clone(&bridge), limits, end)
        .await
        .map_err(|error| Failure::World(error.to_string()))?;
    bridge.drain(DRAIN).await;
    let all = bridge.unpack_all(DRAIN).await.map_err(|error| Failure::World(error.to_string()))?;
    if !all {
        terminal::complain(
            "rehearsal: the log of traffic still holds exchanges; the next start makes their files",
        );
    }
    bridge.show()?;
    if is_open {
        say_what_passed(arguments, &before, &bridge.state().counters);
    }
    match (bridge.lost(), bridge.instead()) {
        (Some(error), _) => Err(Failure::World(format!("part of the record is missing: {error}"))),
        (None, Some(instead)) => sum_up(arguments, instead),
        (None, None) => Ok(()),
    }
}
