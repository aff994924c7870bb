//! Rules: named checks of a request, in the order in which they are applied, with the profiles that hold them.

use crate::json::Value;
use crate::reject::Reject;

/// How strict the stand-in is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Profile {
    /// It must be HTTP and JSON.
    Lenient,
    /// What the real provider refuses, in its words.
    Api,
    /// The gate checks, then `api`, then stricter rules that no correct client breaks.
    Gate,
    /// `gate` plus the seed's rules and expectations that real clients break.
    Pinned,
}

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

/// The script's side of a check. Implemented by the stand-in over the loaded scenarios.
pub trait Scripted {
    /// What is known of a tool-call id.
    fn issued(&self, id: &str) -> Issued<'_>;
    /// Ids that the matched phrasing issued at this step, in order; empty without a match or for a text step.
    fn ids_of_step(&self, step: usize) -> Vec<String>;
    /// The text that the matched phrasing sent at this step, if any.
    fn text_of_step(&self, step: usize) -> Option<&str>;
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

/// Something worth a finding that is no ground for a refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// Code of the finding, e.g. `arguments_not_json`.
    pub code: &'static str,
    /// RFC 6901 pointer into the body.
    pub pointer: String,
    /// One sentence.
    pub message: String,
}

/// What one check says.
pub type Verdict = Result<(), Reject>;

/// A value in an array, with its index.
pub type Element<'t> = (usize, Value<'t>);
