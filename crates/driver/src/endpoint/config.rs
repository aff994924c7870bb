//! What an endpoint is: its base URL, its key, its dialect. Read strictly, so that nothing is sent where it was not meant to go.
//!
//! Must not know: the environment (the key comes as a value with the name of its variable), name servers.

use crate::endpoint::mask::Mask;
use crate::secret::Secret;
use rehearsal_wire::dialect;
use rehearsal_world::dial::{BaseUrl, UrlError};

/// Which API is spoken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Dialect {
    /// Chat completions, which nearly all servers speak.
    #[default]
    Chat,
    /// The Responses API of `OpenAI`.
    Responses,
    /// The Messages API of Anthropic.
    Messages,
}

impl Dialect {
    const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    /// The last segments of its path.
    #[must_use]
    pub fn path(self) -> &'static str {
        match self {
            Self::Chat => "/chat/completions",
            Self::Responses => "/responses",
            Self::Messages => "/messages",
        }
    }

    /// The name of its row in `wire`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Chat => "openai-chat",
            Self::Responses => "openai-responses",
            Self::Messages => "anthropic-messages",
        }
    }

    /// Its row.
    pub(super) fn row(self) -> &'static dialect::Dialect {
        dialect::dialect(self.name()).unwrap_or_else(|| unreachable!("{} is a row of DIALECTS", self.name()))
    }
}

/// What is said of an endpoint.
#[derive(Clone, Debug, Default)]
pub struct Given {
    /// The base URL, with its `/v1` where it has one.
    pub base_url: String,
    /// Which API is spoken.
    pub dialect: Dialect,
    /// The name of the environment variable that holds the key.
    pub key_name: String,
    /// What it holds; none where it is not set.
    pub key: Option<Secret>,
    /// Sent as `OpenAI-Organization`.
    pub organization: Option<String>,
    /// Sent as `OpenAI-Project`.
    pub project: Option<String>,
}

/// Why an endpoint cannot be used. No text repeats what was given: it may hold a secret.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ConfigError {
    /// The base URL is none.
    Url(UrlError),
    /// The base URL ends with the path of its API twice, or with that of another one.
    Path(&'static str),
    /// The name of the key's variable is not upper case with `_KEY` at its end.
    KeyName,
    /// The name of the variable says that something else than an API key is in it.
    ForeignSecret(&'static str),
    /// There is no key, and the endpoint is not on this machine.
    NoKey,
    /// The key holds a space, a control character or a character that is not ASCII.
    BadKey,
    /// The value of this header cannot be sent.
    BadHeader(&'static str),
}

impl std::fmt::Display for ConfigError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Url(error) => error.fmt(f),
            Self::Path(path) => write!(f, "the base URL ends with {path}, which does not go with what is added to it"),
            Self::KeyName => {
                f.write_str("the key's environment variable must be named in upper case, with _KEY at the end")
            }
            Self::ForeignSecret(word) => {
                write!(f, "an environment variable with {word} in its name is not read as an API key")
            }
            Self::NoKey => f.write_str(
                "the key's environment variable is not set or empty; only an endpoint at a loopback address needs none",
            ),
            Self::BadKey => f.write_str("the API key holds a character that no header may hold"),
            Self::BadHeader(name) => write!(f, "the value for the header {name} cannot be sent"),
        }
    }
}

impl std::error::Error for ConfigError {}

/// An endpoint that can be asked.
#[derive(Clone, Debug)]
pub struct Endpoint {
    pub(super) dialect: Dialect,
    /// Its origin, without a path.
    pub(super) root: BaseUrl,
    /// Path of the requests.
    pub(super) target: String,
    pub(super) key: Option<Secret>,
    pub(super) organization: Option<String>,
    pub(super) project: Option<String>,
    /// What its user should know, one sentence each.
    pub notes: Vec<String>,
}

/// Variables that are known to hold keys of such endpoints; any other name is told.
const KNOWN: &[&str] = &[
    "ANTHROPIC_API_KEY",
    "AZURE_OPENAI_API_KEY",
    "CEREBRAS_API_KEY",
    "DEEPSEEK_API_KEY",
    "FIREWORKS_API_KEY",
    "GEMINI_API_KEY",
    "GROQ_API_KEY",
    "MISTRAL_API_KEY",
    "OPENAI_API_KEY",
    "OPENROUTER_API_KEY",
    "TOGETHER_API_KEY",
    "XAI_API_KEY",
];

/// Words of names whose values are not meant for a provider of models.
const FOREIGN: &[&str] = &["SECRET", "TOKEN", "PASSWORD", "PASSWD", "ACCESS", "PRIVATE", "CREDENTIAL"];

/// Whether a variable of this name may be read as the key: upper-case letters, digits and `_`, with `_KEY` at the end.
///
/// # Errors
/// [`ConfigError::KeyName`], [`ConfigError::ForeignSecret`].
pub fn check_key_name(name: &str) -> Result<(), ConfigError> {
    let legal = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    let begins = name.bytes().next().is_some_and(|first| first.is_ascii_uppercase());
    if !begins || !name.bytes().all(legal) || !name.ends_with("_KEY") {
        return Err(ConfigError::KeyName);
    }
    match FOREIGN.iter().find(|word| name.contains(**word)) {
        Some(word) => Err(ConfigError::ForeignSecret(word)),
        None => Ok(()),
    }
}

impl Endpoint {
    /// Reads what is said of an endpoint.
    ///
    /// # Errors
    /// [`ConfigError`] where a request could go somewhere else than meant, or not be sent at all.
    pub fn read(given: &Given) -> Result<Self, ConfigError> {
        check_key_name(&given.key_name)?;
        let base = BaseUrl::parse(&given.base_url).map_err(ConfigError::Url)?;
        let target = target(&base, given.dialect)?;
        let local = base.names_loopback();
        let key = match given.key.as_ref().map(|key| key.expose().trim_ascii()) {
            None | Some("") => None,
            Some(key) if is_visible(key) => Some(Secret::new(key)),
            Some(_) => return Err(ConfigError::BadKey),
        };
        if key.is_none() && !local {
            return Err(ConfigError::NoKey);
        }
        let header = |name, value: &Option<String>| match value.as_deref().map(str::trim_ascii) {
            None | Some("") => Ok(None),
            Some(value) if is_visible(value) => Ok(Some(value.to_owned())),
            Some(_) => Err(ConfigError::BadHeader(name)),
        };
        let mut notes = Vec::new();
        if key.is_some() && !KNOWN.contains(&given.key_name.as_str()) {
            notes.push(format!("The key comes from {}, which is no name that we know.", given.key_name));
        }
        if key.is_some() && !local && !base.is_tls() {
            notes.push("The key and the task travel over plain http.".to_owned());
        }
        let root = base.root();
        Ok(Self {
            dialect: given.dialect,
            // Where this machine is meant, nothing may go elsewhere, whatever a name server says.
            root: if local { root.on_loopback() } else { root },
            target,
            organization: header("OpenAI-Organization", &given.organization)?,
            project: header("OpenAI-Project", &given.project)?,
            key,
            notes,
        })
    }

    /// The whole URL that is asked.
    #[must_use]
    pub fn url(&self) -> String {
        format!("{}{}", self.root, self.target)
    }

    /// Which API it speaks.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Takes its key out of texts.
    #[must_use]
    pub fn mask(&self) -> Mask {
        Mask::new(self.key.as_ref())
    }

    /// The headers of a request, names and values. Without a key there is no header for one.
    pub(super) fn headers(&self, stream: bool) -> Vec<(&'static str, Secret)> {
        let accept = if stream { "text/event-stream" } else { "application/json" };
        let mut headers = vec![
            ("content-type", Secret::new("application/json")),
            ("accept", Secret::new(accept)),
            ("accept-encoding", Secret::new("identity")),
            ("user-agent", Secret::new(concat!("rehearsal/", env!("CARGO_PKG_VERSION")))),
        ];
        match (self.dialect, &self.key) {
            (Dialect::Chat | Dialect::Responses, Some(key)) => {
                headers.push(("authorization", Secret::new(format!("Bearer {}", key.expose()))));
            }
            (Dialect::Messages, Some(key)) => headers.push(("x-api-key", key.clone())),
            (Dialect::Chat | Dialect::Responses | Dialect::Messages, None) => {}
        }
        match self.dialect {
            Dialect::Chat | Dialect::Responses => {}
            Dialect::Messages => headers.push(("anthropic-version", Secret::new("2023-06-01"))),
        }
        for (name, value) in [("openai-organization", &self.organization), ("openai-project", &self.project)]
        {
            if let Some(value) = value {
                headers.push((name, Secret::new(value.clone())));
            }
        }
        headers
    }
}

fn is_visible(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// The path of the API behind the base URL, by segments; one that is there already is taken as it is.
fn target(base: &BaseUrl, dialect: Dialect) -> Result<String, ConfigError> {
    let target = base.target(dialect.path());
    let before = target.strip_suffix(dialect.path()).unwrap_or(&target);
    match Dialect::ALL.iter().find(|other| before.ends_with(other.path())) {
        Some(other) => Err(ConfigError::Path(other.path())),
        None => Ok(target),
    }
}

#[cfg(test)]
mod tests;
