//! What rules ask of the script: expectations, issued calls, how exactly they must come back.

/// How the ids of issued calls begin.
pub const ID_PREFIX: &str = "call_gate_";

/// What the script expects of a request (check 14), merged from its levels.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Expected {
    /// `tools` must be a non-empty array.
    pub require_tools: bool,
    /// No tools may be offered.
    pub forbid_tools: bool,
    /// `tool_choice` must be present and of an accepted form.
    pub require_tool_choice: bool,
    /// `parallel_tool_calls` must be present and have this value.
    pub parallel_tool_calls: Option<bool>,
    /// Each of these must stand in a system or developer text.
    pub system_contains: Vec<String>,
    /// Each of these tools must be offered.
    pub tools_include: Vec<String>,
    /// The body must hold these values (JSON texts) at these RFC 6901 pointers.
    pub values: Vec<(String, String)>,
}

/// What the script knows of a tool-call id in the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Issued<'s> {
    /// Not one of our ids.
    Foreign,
    /// It has our prefix, but this script never issued it; the words say why.
    Never(&'static str),
    /// Issued at this step with this name and these arguments (JSON text, or broken text that a script sends on purpose).
    Call {
        /// Index of the step that issued it.
        step: usize,
        /// The scripted tool name.
        name: &'s str,
        /// The scripted arguments as they were sent.
        arguments: &'s str,
        /// Whether the id belongs to the phrasing that this request matched.
        ours: bool,
    },
}

/// The script's side of a check. Implemented by `script` over the loaded scenarios.
pub trait Scripted {
    /// What is known of a tool-call id.
    fn issued(&self, id: &str) -> Issued<'_>;
    /// Ids that the matched phrasing issued at this step, in order; empty without a match or for a text step.
    fn ids_of_step(&self, step: usize) -> Vec<String>;
    /// The text that the matched phrasing sent at this step, if any.
    fn text_of_step(&self, step: usize) -> Option<&str>;
    /// What the matched phrasing thought before it spoke at this step, if the script says.
    fn thinking_of_step(&self, step: usize) -> Option<&str>;
    /// Whether what the matched phrasing said at this step had the fault of this name put over it.
    fn has_fault(&self, step: usize, name: &str) -> bool;
    /// Whether a reply of ours has this id.
    fn replied(&self, id: &str) -> bool;
    /// What the matched step expects; `None` in the background and past the end.
    fn expected(&self) -> Option<&Expected>;
    /// How strictly echoed arguments are compared.
    fn echo(&self) -> Echo;
}

/// How strictly echoed arguments are compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Echo {
    /// As JSON values, numbers by exact decimal value.
    Exact,
    /// As JSON values through doubles and the offered schema; what only they explain is a finding.
    Double,
    /// Byte for byte.
    Bytes,
}
