//! What an agent is told: placeholders in its command, variables in its environment.

use rehearsal_journal::redact;
use rehearsal_wire::dialect::{DIALECTS, Environment};

/// Everything that one case tells its agent.
#[derive(Clone, Debug)]
pub struct Told {
    /// What it is asked to do.
    pub prompt: String,
    /// The case's base URL, ending in `/v1`.
    pub base_url: String,
    /// Its workspace as an absolute path.
    pub workspace: String,
    /// Its own HOME as an absolute path.
    pub home: String,
    /// A model name.
    pub model: String,
    /// The case's name.
    pub case: String,
    /// URL of the proxy that refuses, where there is one.
    pub proxy: Option<String>,
    /// The hosts that are asked without a proxy, where there is one.
    pub no_proxy: Option<String>,
    /// Where watched commands are told, where the case watches some.
    pub shim: Option<String>,
    /// The daemon of the case, where it has one.
    pub daemon: Option<DaemonTold>,
}

/// What an agent is told of the daemon of its case.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DaemonTold {
    /// Its address, ending in `/v2`.
    pub url: String,
    /// The folder that holds `daemon/control-api.json`, as an absolute path.
    pub config_dir: String,
    /// A folder for the project of its runs, as an absolute path.
    pub project: String,
}

/// The key that every agent gets. It opens nothing.
pub const KEY: &str = "sk-rehearsal";

/// One thing that an agent is told.
#[derive(Debug)]
pub struct Given {
    /// Variables of ours that hold it, and of every program.
    variables: &'static [&'static str],
    /// Variables of a dialect's clients that hold it.
    clients: fn(&Environment) -> &'static [&'static str],
    /// The placeholder of the command that stands for it.
    pub placeholder: Option<&'static str>,
    /// What it is, for tables.
    pub what: &'static str,
    value: fn(&Told) -> Option<&str>,
}

impl Given {
    /// The variables that hold it, each once.
    #[must_use]
    pub fn variables(&self) -> Vec<&'static str> {
        let clients = DIALECTS.iter().flat_map(|dialect| (self.clients)(&dialect.environment));
        once(clients.chain(self.variables))
    }
}

/// The names, each once, in the order in which they first stand.
fn once(names: impl Iterator<Item = &'static &'static str>) -> Vec<&'static str> {
    let mut all = Vec::new();
    for name in names {
        if !all.contains(name) {
            all.push(*name);
        }
    }
    all
}

/// What no client of a provider reads under a name of its own.
const NO_CLIENT: fn(&Environment) -> &'static [&'static str] = |_| &[];

/// Everything that an agent is told.
pub const GIVEN: &[Given] = &[
    Given {
        variables: &["REHEARSAL_BASE_URL"],
        clients: |environment| environment.base_url,
        placeholder: Some("{base_url}"),
        what: "the case's own base URL, ending in `/v1`",
        value: |told| Some(&told.base_url),
    },
    Given {
        variables: &[],
        clients: |environment| environment.root_url,
        placeholder: Some("{root_url}"),
        what: "the same without `/v1`, for clients that add the version themselves",
        value: |told| Some(told.base_url.strip_suffix("/v1").unwrap_or(&told.base_url)),
    },
    Given {
        variables: &[],
        clients: |environment| environment.key,
        placeholder: None,
        what: "a key that is worth nothing",
        value: |_| Some(KEY),
    },
    Given {
        variables: &["REHEARSAL_PROMPT"],
        clients: NO_CLIENT,
        placeholder: Some("{prompt}"),
        what: "what the agent is asked to do",
        value: |told| Some(&told.prompt),
    },
    Given {
        variables: &["REHEARSAL_WORKSPACE"],
        clients: NO_CLIENT,
        placeholder: Some("{workspace}"),
        what: "its empty folder, also its current folder",
        value: |told| Some(&told.workspace),
    },
    Given {
        variables: &["REHEARSAL_MODEL"],
        clients: NO_CLIENT,
        placeholder: Some("{model}"),
        what: "a model name (`--model`)",
        value: |told| Some(&told.model),
    },
    Given {
        variables: &["REHEARSAL_CASE"],
        clients: NO_CLIENT,
        placeholder: Some("{case}"),
        what: "the name of the case",
        value: |told| Some(&told.case),
    },
    Given {
        variables: &["HOME", "USERPROFILE"],
        clients: NO_CLIENT,
        placeholder: Some("{home}"),
        what: "an empty home of its own",
        value: |told| Some(&told.home),
    },
    Given {
        variables: &["HTTPS_PROXY", "https_proxy"],
        clients: NO_CLIENT,
        placeholder: None,
        what: "a proxy that refuses and takes down who wanted where (not with `--no-sink`)",
        value: |told| told.proxy.as_deref(),
    },
    Given {
        variables: &["NO_PROXY", "no_proxy"],
        clients: NO_CLIENT,
        placeholder: None,
        what: "the hosts to ask without that proxy",
        value: |told| told.no_proxy.as_deref(),
    },
    Given {
        variables: &["REHEARSAL_SHIM"],
        clients: NO_CLIENT,
        placeholder: None,
        what: "where watched commands are told, in cases with `commands`",
        value: |told| told.shim.as_deref(),
    },
    Given {
        variables: &["REHEARSAL_DAEMON_URL"],
        clients: NO_CLIENT,
        placeholder: Some("{daemon_url}"),
        what: "the address of the case's own daemon, ending in `/v2`, in cases with `daemon`",
        value: |told| Some(&told.daemon.as_ref()?.url),
    },
    Given {
        variables: &["REHEARSAL_DAEMON_CONFIG_DIR", "CLAUDEXOR_CONFIG_DIR"],
        clients: NO_CLIENT,
        placeholder: Some("{daemon_config_dir}"),
        what: "the folder by which clients find that daemon: it holds `daemon/control-api.json` and the token",
        value: |told| Some(&told.daemon.as_ref()?.config_dir),
    },
    Given {
        variables: &["REHEARSAL_DAEMON_PROJECT"],
        clients: NO_CLIENT,
        placeholder: Some("{daemon_project}"),
        what: "an empty folder for the project that the daemon's runs are about",
        value: |told| Some(&told.daemon.as_ref()?.project),
    },
];

/// Variables that would let an agent leave the loopback or reach a person's accounts, and the folders that HOME replaces.
pub const DROPPED: &[&str] = &[
    "HTTP_PROXY",
    "HTTPS_PROXY",
    "ALL_PROXY",
    "NO_PROXY",
    "XDG_CONFIG_HOME",
    "XDG_DATA_HOME",
    "XDG_CACHE_HOME",
    "XDG_STATE_HOME",
    "SSH_AUTH_SOCK",
];
/// How the names of variables begin that are replaced or dropped as a whole: all that could lead the clients of a provider elsewhere, base
/// URLs too, and our own.
#[must_use]
pub fn families() -> Vec<&'static str> {
    once(
        DIALECTS.iter().flat_map(|dialect| dialect.environment.families).chain(&["REHEARSAL_", "CLAUDEXOR_"]),
    )
}

impl Told {
    /// The command with its placeholders filled. `place` gives the absolute path of an argument that names a file where the run was
    /// started, since the agent runs elsewhere: in its workspace.
    pub fn command(&self, template: &[String], place: impl Fn(&str) -> Option<String>) -> Vec<String> {
        template
            .iter()
            .map(|argument| match place(argument) {
                Some(path) => path,
                None => self.fill(argument),
            })
            .collect()
    }

    /// A text with its placeholders filled. One pass from left to right, so that a filled-in text is never searched for placeholders.
    #[must_use]
    pub fn fill(&self, argument: &str) -> String {
        let (mut out, mut rest) = (String::new(), argument);
        while let Some(open) = rest.find('{') {
            out.push_str(&rest[..open]);
            rest = &rest[open..];
            let known = GIVEN.iter().find_map(|given| Some((given, rest.strip_prefix(given.placeholder?)?)));
            match known {
                Some((given, after)) => {
                    out.push_str((given.value)(self).unwrap_or_default());
                    rest = after;
                }
                None => {
                    out.push('{');
                    rest = &rest[1..];
                }
            }
        }
        out + rest
    }

    /// The agent's environment: what was inherited without secrets, proxies and provider settings, then what it is told, then
    /// its own variables, which may replace either.
    pub fn environment(
        &self,
        inherited: impl IntoIterator<Item = (String, String)>,
        own: &[(String, String)],
    ) -> Vec<(String, String)> {
        let is_own = |name: &str| own.iter().any(|(known, _)| known == name);
        let told = GIVEN.iter().flat_map(|given| {
            let value = (given.value)(self);
            given.variables().into_iter().filter_map(move |name| Some((name.to_owned(), value?.to_owned())))
        });
        inherited
            .into_iter()
            .filter(|(name, _)| !is_dropped(name) && !is_told(name))
            .chain(told)
            .filter(|(name, _)| !is_own(name))
            .chain(own.iter().map(|(name, value)| (name.clone(), self.fill(value))))
            .collect()
    }
}

fn is_told(name: &str) -> bool {
    GIVEN.iter().any(|given| given.variables().contains(&name))
}

fn is_dropped(name: &str) -> bool {
    let upper = name.to_ascii_uppercase();
    DROPPED.contains(&upper.as_str())
        || families().iter().any(|family| upper.starts_with(family))
        || ["PASSWORD", "CREDENTIAL"].iter().any(|word| upper.contains(word))
        || redact::is_secret(&name.replace('_', "-"))
}

#[cfg(test)]
mod tests {
    use super::Told;

    fn told() -> Told {
        Told {
            prompt: "say {model} and {x}".into(),
            base_url: "http://127.0.0.1:1/t/a/v1".into(),
            workspace: "/w".into(),
            home: "/h".into(),
            model: "m".into(),
            case: "c".into(),
            proxy: None,
            no_proxy: None,
            shim: None,
            daemon: None,
        }
    }

    #[test]
    fn what_is_filled_in_is_what_suites_know() {
        let filled: Vec<_> = super::GIVEN.iter().filter_map(|given| given.placeholder).collect();
        let known = rehearsal_script::placeholder::NAMES.map(|name| format!("{{{name}}}"));
        assert_eq!(filled.len(), known.len(), "{filled:?}");
        assert!(filled.iter().all(|placeholder| known.iter().any(|name| name == placeholder)), "{filled:?}");
    }

    #[test]
    fn placeholders_are_filled_once() {
        let template =
            ["run", "--p={prompt}", "{model}{model}", "{unknown} {", "{case}{home}"].map(str::to_owned);
        let command = told().command(&template, |_| None);
        assert_eq!(command, ["run", "--p=say {model} and {x}", "mm", "{unknown} {", "c/h"]);
    }

    #[test]
    fn an_argument_that_is_a_file_becomes_its_path() {
        let command = told().command(&["python3".into(), "a.py".into()], |argument| {
            (argument == "a.py").then(|| "/here/a.py".into())
        });
        assert_eq!(command, ["python3", "/here/a.py"]);
    }

    #[test]
    fn secrets_proxies_and_provider_settings_are_not_inherited() {
        let inherited = [
            ("PATH", "/bin"),
            ("LANG", "C"),
            ("GITHUB_TOKEN", "s"),
            ("AWS_SECRET_ACCESS_KEY", "s"),
            ("DB_PASSWORD", "s"),
            ("https_proxy", "p"),
            ("OPENAI_ORG_ID", "o"),
            ("ANTHROPIC_BASE_URL", "u"),
            ("ANTHROPIC_AUTH_TOKEN", "s"),
            ("GOOGLE_GENAI_USE_VERTEXAI", "true"),
            ("GOOGLE_API_KEY", "real"),
            ("HOME", "/me"),
            ("OPENAI_API_KEY", "real"),
        ];
        let owned = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        let own = [("LANG", "{model}"), ("OPENAI_BASE_URL", "u")].map(owned);
        let environment = told().environment(inherited.map(owned), &own);
        let get = |name: &str| {
            environment
                .iter()
                .filter(|(known, _)| known == name)
                .map(|(_, value)| value.as_str())
                .collect::<Vec<_>>()
        };
        assert_eq!(get("PATH"), ["/bin"]);
        assert_eq!(get("LANG"), ["m"], "its own variables win over inherited ones");
        assert_eq!(get("OPENAI_BASE_URL"), ["u"], "and over what every agent is told, where it names that");
        assert_eq!(get("ANTHROPIC_BASE_URL"), ["http://127.0.0.1:1/t/a"], "its clients add `/v1`");
        assert_eq!(get("GOOGLE_GEMINI_BASE_URL"), ["http://127.0.0.1:1/t/a"], "and so do these");
        assert_eq!(get("GEMINI_API_KEY"), [super::KEY]);
        assert_eq!(get("HTTPS_PROXY"), [""; 0], "where there is no proxy, none is named");
        assert_eq!(get("HOME"), ["/h"]);
        assert_eq!(get("OPENAI_API_KEY"), [super::KEY]);
        for gone in [
            "GITHUB_TOKEN",
            "AWS_SECRET_ACCESS_KEY",
            "DB_PASSWORD",
            "https_proxy",
            "OPENAI_ORG_ID",
            "ANTHROPIC_AUTH_TOKEN",
            "GOOGLE_GENAI_USE_VERTEXAI",
            "GOOGLE_API_KEY",
        ] {
            assert!(get(gone).is_empty(), "{gone}");
        }
    }
}
