//! The agent of a run: who is started for each case, and what is laid out for it.

use crate::told::Told;
use rehearsal_journal::redact;
use rehearsal_script::scenario::AgentCommand;
use rehearsal_world::files::{self, FillError};
use rehearsal_world::process::{self, StartError};
use std::path::{Path, PathBuf};

/// The agent of a run.
#[derive(Clone, Debug)]
pub struct Agent {
    /// Its command and what belongs to it, placeholders not filled.
    pub written: AgentCommand,
    /// Where it comes from.
    pub origin: Origin,
}

/// Where the agent of a run comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// It is our own reference agent.
    BuiltIn,
    /// A row of our table; its program was found there.
    Known {
        /// The row's name.
        name: &'static str,
        /// The program.
        program: PathBuf,
    },
    /// A person wrote its command; files that it names are looked for in this folder.
    Written(PathBuf),
}

const HOME: &str = "{home}/";
const WORKSPACE: &str = "{workspace}/";

impl Agent {
    /// Its command as the run file tells it: placeholders as they were written, secrets masked; nothing for the built-in one.
    pub(crate) fn told(&self) -> Vec<String> {
        match self.origin {
            Origin::BuiltIn => Vec::new(),
            Origin::Known { .. } | Origin::Written(_) => redact::arguments(&self.written.command),
        }
    }

    /// Program and arguments for one case.
    pub(crate) fn argv(&self, told: &Told) -> Vec<String> {
        let command = &self.written.command;
        match &self.origin {
            Origin::BuiltIn => command.clone(),
            // Its words are ours: none of them means a file of the person who runs it.
            Origin::Known { program, .. } => {
                let arguments = command.iter().skip(1).map(|argument| told.fill(argument));
                std::iter::once(program.display().to_string()).chain(arguments).collect()
            }
            Origin::Written(beside) => told.command(command, |argument| place(beside, argument)),
        }
    }

    /// Its whole environment; the folder of shims, where there is one, stands first on PATH.
    pub(crate) fn environment(
        &self,
        told: &Told,
        inherited: &[(String, String)],
        shims: Option<&Path>,
    ) -> Vec<(String, String)> {
        let mut all = told.environment(inherited.iter().cloned(), &self.written.env);
        if let Some(shims) = shims {
            let shims = shims.display();
            match all.iter_mut().find(|(name, _)| name == "PATH") {
                Some((_, path)) => *path = format!("{shims}:{path}"),
                None => all.push(("PATH".to_owned(), shims.to_string())),
            }
        }
        all
    }

    /// Writes the files that it is to find.
    pub(crate) fn lay_out(&self, told: &Told) -> Result<(), FillError> {
        files::fill_home(Path::new(&told.home), &self.files_below(HOME, told))?;
        files::fill_workspace(Path::new(&told.workspace), &self.files_below(WORKSPACE, told))
    }

    /// Its files below a folder: relative path and content.
    fn files_below(&self, folder: &str, told: &Told) -> Vec<(String, String)> {
        let files = self.written.files.iter();
        files
            .filter_map(|(path, content)| Some((told.fill(path.strip_prefix(folder)?), told.fill(content))))
            .collect()
    }

    /// What it reads from its standard input.
    pub(crate) fn stdin(&self, told: &Told) -> Option<Vec<u8>> {
        self.written.stdin.as_ref().map(|text| told.fill(text).into_bytes())
    }

    /// Looks for its program, so that a missing one is said once and not for each case. A program whose place only a case
    /// knows is not looked for.
    pub(crate) fn probe(&self, inherited: &[(String, String)]) -> Result<(), StartError> {
        let program = self.written.command.first().ok_or(StartError::Nothing)?;
        let placed = match &self.origin {
            Origin::Known { .. } => return Ok(()),
            Origin::BuiltIn => None,
            Origin::Written(beside) => place(beside, program),
        };
        if program.contains('{') || self.search(inherited).is_some_and(|search| search.contains('{')) {
            return Ok(());
        }
        self.find(placed.as_deref().unwrap_or(program), inherited).map(drop)
    }

    /// Where a program is that the agent would find by this name.
    pub(crate) fn find(&self, program: &str, inherited: &[(String, String)]) -> Result<PathBuf, StartError> {
        process::find(program, self.search(inherited))
    }

    /// Its PATH as far as it is known before a case.
    fn search<'a>(&'a self, inherited: &'a [(String, String)]) -> Option<&'a str> {
        let all = self.written.env.iter().chain(inherited);
        all.filter(|(name, _)| name == "PATH").map(|(_, path)| path.as_str()).next()
    }
}

/// The absolute path of an argument that names a file beside the suite, or where the run was started.
fn place(beside: &Path, argument: &str) -> Option<String> {
    // A folder is left as it is, for `.` and the like may mean many things.
    let path = beside.join(argument);
    (!argument.is_empty() && files::is_file(&path)).then(|| path.display().to_string())
}
