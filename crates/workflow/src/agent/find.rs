//! Whether a known agent is installed, and where.

use super::row::{KnownAgent, Program};
use rehearsal_world::files;
use rehearsal_world::process::{self, Launch};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Longest that a Python may take to say whether it has a module.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks a Python whether it has all of some modules, without loading them.
const HAS_MODULES: &str =
    "import importlib.util as u, sys; sys.exit(any(u.find_spec(name) is None for name in sys.argv[1:]))";

/// The user's own packages lie below a home that no agent under rehearsal sees.
const NO_USER_SITE: (&str, &str) = ("PYTHONNOUSERSITE", "1");

/// Where an installed agent is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// Its program.
    pub program: PathBuf,
    /// Variables that it needs to find the rest.
    pub env: Vec<(String, String)>,
}

/// An agent that is not installed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{what}; to install it: {install}")]
pub struct Missing {
    /// What was not found, and where it was looked for.
    pub what: String,
    /// The command that installs it.
    pub install: &'static str,
}

/// Looks for an agent on the PATH of an environment, and in `node_modules` and `.venv` of a folder and those above it.
///
/// # Errors
/// When it is not there.
pub async fn find(
    row: &KnownAgent,
    folder: &Path,
    environment: &[(String, String)],
) -> Result<Found, Missing> {
    let place = Place { folder, environment };
    let name = row.command.first().copied().unwrap_or_default();
    let missing = |what: String| Missing { what, install: row.install };
    match row.program {
        Program::Own => {
            let program = place.programs(name).into_iter().next();
            let what = || {
                missing(format!("there is no program {name} on PATH, in node_modules/.bin or in .venv/bin"))
            };
            program.map(|program| Found { program, env: Vec::new() }).ok_or_else(what)
        }
        Program::Python(modules) => {
            for program in place.programs(name) {
                if has_modules(&program, modules, &place).await {
                    let env = vec![(NO_USER_SITE.0.to_owned(), NO_USER_SITE.1.to_owned())];
                    return Ok(Found { program, env });
                }
            }
            let modules = modules.join(" and ");
            Err(missing(format!("there is no {name} with {modules} on PATH or in .venv/bin")))
        }
        Program::Node(packages) => {
            let program = place.programs(name).into_iter().next();
            let program = program.ok_or_else(|| missing(format!("there is no program {name} on PATH")))?;
            let modules = place
                .modules()
                .into_iter()
                .find(|modules| packages.iter().all(|package| files::is_folder(&modules.join(package))));
            let what = || {
                let packages = packages.join(" and ");
                missing(format!("no node_modules here, above or in NODE_PATH holds {packages}"))
            };
            let modules = modules.ok_or_else(what)?;
            let env = vec![("NODE_PATH".to_owned(), modules.display().to_string())];
            Ok(Found { program, env })
        }
    }
}

/// Where to look.
struct Place<'p> {
    folder: &'p Path,
    environment: &'p [(String, String)],
}

impl Place<'_> {
    /// The folders that a variable lists.
    fn folders(&self, name: &str) -> impl Iterator<Item = &str> {
        let listed = self.environment.iter().find(|(known, _)| known == name);
        let listed = listed.map_or("", |(_, value)| value.as_str());
        listed.split(if cfg!(windows) { ';' } else { ':' }).filter(|folder| !folder.is_empty())
    }

    /// The programs of a name: what PATH leads to, then what stands beside a project.
    fn programs(&self, name: &str) -> Vec<PathBuf> {
        let beside = self.folder.ancestors().flat_map(|folder| {
            ["node_modules/.bin", ".venv/bin"].map(|inside| folder.join(inside).display().to_string())
        });
        let folders = self.folders("PATH").map(str::to_owned).chain(beside);
        folders.filter_map(|folder| process::find(name, Some(&folder)).ok()).collect()
    }

    /// The folders of Node.js packages: those beside a project, then those that NODE_PATH names.
    fn modules(&self) -> Vec<PathBuf> {
        let beside = self.folder.ancestors().map(|folder| folder.join("node_modules"));
        beside
            .chain(self.folders("NODE_PATH").map(PathBuf::from))
            .filter(|path| files::is_folder(path))
            .collect()
    }
}

async fn has_modules(python: &Path, modules: &[&str], place: &Place<'_>) -> bool {
    let asked = ["-c", HAS_MODULES].iter().chain(modules).map(|word| (*word).to_owned());
    let env = place.environment.iter().map(|(name, value)| (name.into(), value.into()));
    let launch = Launch {
        argv: std::iter::once(python.display().to_string()).chain(asked).collect(),
        env: env.chain([(NO_USER_SITE.0.into(), NO_USER_SITE.1.into())]).collect(),
        folder: place.folder.to_owned(),
        stdin: None,
        time_limit: PATIENCE,
        grace: Duration::ZERO,
        keep: 0,
    };
    match process::start(&launch) {
        Ok(running) => running.finish().await.status == Some(0),
        Err(_) => false,
    }
}
