//! Every environment variable that the program reads, in one place.

use rehearsal_world::environment::{os_variable, variable};
use std::ffi::OsString;

/// A variable that the program reads.
pub(crate) struct Variable {
    /// Its name.
    pub(crate) name: &'static str,
    /// Who reads it.
    pub(crate) reader: &'static str,
    /// What it does.
    pub(crate) summary: &'static str,
}

const NO_COLOR: Variable = Variable {
    name: "NO_COLOR",
    reader: "`run`, `report`",
    summary: "any value but the empty one: no colours (no-color.org)",
};
const COLUMNS: Variable = Variable {
    name: "COLUMNS",
    reader: "`run`, `report`",
    summary: "width of tables; the terminal's own, or 100, where it is not set",
};
const BASE_URL: Variable = Variable {
    name: "OPENAI_BASE_URL",
    reader: "the built-in agent",
    summary: "the provider, ending in `/v1`",
};
const API_KEY: Variable =
    Variable { name: "OPENAI_API_KEY", reader: "the built-in agent", summary: "the key that it sends" };
const PROMPT: Variable =
    Variable { name: "REHEARSAL_PROMPT", reader: "the built-in agent", summary: "what it is to do" };
const WORKSPACE: Variable = Variable {
    name: "REHEARSAL_WORKSPACE",
    reader: "the built-in agent, a watched command",
    summary: "the folder that its tools work in",
};
const MODEL: Variable =
    Variable { name: "REHEARSAL_MODEL", reader: "the built-in agent", summary: "the model's name" };
const PATH: Variable = Variable {
    name: "PATH",
    reader: "the built-in agent, a watched command",
    summary: "where its `run_command` finds programs; where the command itself is found",
};
const SHIM: Variable = Variable {
    name: "REHEARSAL_SHIM",
    reader: "a watched command",
    summary: "base URL of the case that is told of each call",
};
/// Read in `world`, where programs are started.
const LAUNCH: Variable = Variable {
    name: "REHEARSAL_LAUNCH",
    reader: "`run`",
    summary: "marks all processes of an agent, so that none outlives its case; a run under rehearsal passes its own on",
};

/// All of them.
pub(crate) const VARIABLES: &[Variable] =
    &[NO_COLOR, COLUMNS, BASE_URL, API_KEY, PROMPT, WORKSPACE, MODEL, PATH, SHIM, LAUNCH];

fn read(known: &Variable) -> Option<String> {
    variable(known.name)
}

/// Whether colours are unwanted.
pub(crate) fn no_color() -> bool {
    read(&NO_COLOR).is_some_and(|value| !value.is_empty())
}

/// The width of tables, where a person sets one.
pub(crate) fn columns() -> Option<usize> {
    read(&COLUMNS).and_then(|text| text.parse().ok())
}

/// What the built-in agent is told by its surroundings, as any agent under rehearsal is.
pub(crate) struct AgentSurroundings {
    /// `OPENAI_BASE_URL`.
    pub(crate) base_url: Option<String>,
    /// `OPENAI_API_KEY`.
    pub(crate) api_key: Option<String>,
    /// `REHEARSAL_PROMPT`.
    pub(crate) prompt: Option<String>,
    /// `REHEARSAL_WORKSPACE`.
    pub(crate) workspace: Option<String>,
    /// `REHEARSAL_MODEL`.
    pub(crate) model: Option<String>,
    /// `PATH`.
    pub(crate) search_path: Option<String>,
}

pub(crate) fn agent_surroundings() -> AgentSurroundings {
    AgentSurroundings {
        base_url: read(&BASE_URL),
        api_key: read(&API_KEY),
        prompt: read(&PROMPT),
        workspace: read(&WORKSPACE),
        model: read(&MODEL),
        search_path: read(&PATH),
    }
}

/// What a watched command is told by its surroundings.
pub(crate) struct ShimSurroundings {
    /// `REHEARSAL_SHIM`; none where nobody asked to be told, or somebody emptied the environment.
    pub(crate) base_url: Option<String>,
    /// `REHEARSAL_WORKSPACE`.
    pub(crate) workspace: Option<String>,
    /// `PATH`, which need not be text.
    pub(crate) search_path: Option<OsString>,
}

/// What surrounds a watched command.
pub(crate) fn shim_surroundings() -> ShimSurroundings {
    ShimSurroundings {
        base_url: read(&SHIM),
        workspace: read(&WORKSPACE),
        search_path: os_variable(PATH.name),
    }
}

/// A variable whose name a person gave, such as the one with the key of a provider.
pub(crate) fn named(name: &str) -> Option<String> {
    variable(name)
}

/// The same, where it need not be text.
pub(crate) fn os_named(name: &str) -> Option<OsString> {
    os_variable(name)
}
