//! The endpoint that `drive` asks: where it is, how it is asked, and what may not happen to a key.

use crate::env;
use crate::failure::Failure;
use clap::{Args, ValueEnum};
use rehearsal_driver::Secret;
use rehearsal_driver::endpoint::ask::Manner;
use rehearsal_driver::endpoint::attempts;
use rehearsal_driver::endpoint::config::{ConfigError, Dialect, Endpoint, Given};
use rehearsal_world::dial::Trust;
use rehearsal_world::files;
use std::path::PathBuf;
use std::time::Duration;

/// Largest file with certificates, in bytes.
const LARGEST_CA: u64 = 4 << 20;

/// Arguments that say which endpoint is asked, and how.
#[derive(Clone, Debug, Args)]
#[group(skip)]
pub(super) struct Arguments {
    /// Base URL of the endpoint, with its `/v1` where it has one.
    #[arg(
        long,
        value_name = "URL",
        required_unless_present_any = ["status", "probe", "capabilities"],
        default_value = "",
        hide_default_value = true
    )]
    pub(super) endpoint: String,
    /// The model to ask.
    #[arg(
        long,
        value_name = "NAME",
        required_unless_present_any = ["status", "capabilities"],
        default_value = "",
        hide_default_value = true
    )]
    pub(super) model: String,
    /// Which API the endpoint speaks.
    #[arg(long, value_enum, default_value_t = Api::Chat)]
    api: Api,
    /// The environment variable with the key. An endpoint on this machine needs none.
    #[arg(long, value_name = "VARIABLE", default_value = "OPENAI_API_KEY")]
    pub(super) key_env: String,
    /// Sent as OpenAI-Organization.
    #[arg(long, value_name = "ID")]
    organization: Option<String>,
    /// Sent as OpenAI-Project.
    #[arg(long, value_name = "ID")]
    project: Option<String>,
    /// One more than the retries that all turns of a task share. 1 sends one request of a task in all, as a recorder with a budget
    /// of one wants it.
    #[arg(long, value_name = "NUMBER", default_value_t = 3, value_parser = clap::value_parser!(u32).range(1..))]
    pub(super) attempts: u32,
    /// Longest silence of the endpoint, in seconds.
    #[arg(long, value_name = "SECONDS", default_value = "120", value_parser = crate::command::record::seconds)]
    timeout: Duration,
    /// Longest time for a task up to its last request, in seconds: after it none is sent, and one that is under way ends.
    #[arg(long, value_name = "SECONDS", default_value = "600", value_parser = crate::command::record::seconds)]
    pub(super) deadline: Duration,
    /// Ask for answers as streams.
    #[arg(long)]
    pub(super) stream: bool,
    /// Take paths of an answer to the letter, and no JSON of the endpoint in which a key stands twice.
    #[arg(long)]
    pub(super) strict: bool,
    /// Where a model says nothing and only thought, take what it thought as its answer; it is told.
    #[arg(long)]
    answer_from_reasoning: bool,
    /// Take an answer though the endpoint counted too few tokens for what it was sent. Without this the prompt counts as cut; fakes
    /// often count the same for any prompt.
    #[arg(long)]
    ignore_token_count: bool,
    /// A file of certificates to trust beside those of the system.
    #[arg(long, value_name = "FILE")]
    ca: Option<PathBuf>,
}

/// An API by its short name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Api {
    /// Chat completions.
    Chat,
    /// Responses.
    Responses,
    /// Messages.
    Messages,
}

impl Arguments {
    /// The endpoint, checked.
    pub(super) fn read(&self) -> Result<Endpoint, Failure> {
        self.read_at(&self.endpoint)
    }

    /// The endpoint at another URL, checked.
    pub(super) fn read_at(&self, url: &str) -> Result<Endpoint, Failure> {
        let given = Given {
            base_url: url.to_owned(),
            dialect: match self.api {
                Api::Chat => Dialect::Chat,
                Api::Responses => Dialect::Responses,
                Api::Messages => Dialect::Messages,
            },
            key_name: self.key_env.clone(),
            key: env::named(&self.key_env).map(Secret::new),
            organization: self.organization.clone(),
            project: self.project.clone(),
        };
        Endpoint::read(&given).map_err(|error| match error {
            // A name that got so far is upper case and ends with _KEY: it is none of the secrets.
            ConfigError::NoKey => Failure::Command(format!("{error} (--key-env {})", self.key_env)),
            error => Failure::Command(error.to_string()),
        })
    }

    /// How it is asked.
    pub(super) fn manner(&self) -> Manner {
        let policy = attempts::Policy {
            once: self.attempts == 1,
            transport_retries: self.attempts - 1,
            total: self.deadline,
            ..attempts::Policy::default()
        };
        Manner {
            policy,
            idle: self.timeout,
            strict: self.strict,
            answer_from_reasoning: self.answer_from_reasoning,
            bytes_per_token: Manner::default().bytes_per_token.filter(|_| !self.ignore_token_count),
            ..Manner::default()
        }
    }

    /// Whose certificates are trusted.
    pub(super) fn trust(&self) -> Result<Trust, Failure> {
        let trust = Trust::system();
        let Some(path) = &self.ca else { return Ok(trust) };
        let pem = files::read_bytes(path, LARGEST_CA).map_err(|error| Failure::Command(error.to_string()))?;
        trust.and_pem(&pem).map_err(|error| Failure::Command(format!("--ca: {error}")))
    }
}
