//! Every environment variable that the program reads, in one place.

use rehearsal_world::environment::variable;

/// `NO_COLOR` (no-color.org): any non-empty value.
pub(crate) fn no_color() -> bool {
    variable("NO_COLOR").is_some_and(|value| !value.is_empty())
}

/// `COLUMNS`: the width of the terminal, 100 where it is not said.
pub(crate) fn columns() -> usize {
    variable("COLUMNS").and_then(|text| text.parse().ok()).unwrap_or(100)
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
}

pub(crate) fn agent_surroundings() -> AgentSurroundings {
    AgentSurroundings {
        base_url: variable("OPENAI_BASE_URL"),
        api_key: variable("OPENAI_API_KEY"),
        prompt: variable("REHEARSAL_PROMPT"),
        workspace: variable("REHEARSAL_WORKSPACE"),
        model: variable("REHEARSAL_MODEL"),
    }
}
