//! The permissions of our form: which there are, and which a step needs with the inputs that it is given.

/// Reading files of the workspace and artifacts.
pub const READ: &str = "workspace:read";
/// Writing files of the workspace and artifacts.
pub const WRITE: &str = "workspace:write";
/// Running programs.
pub const EXEC: &str = "process:exec";
/// Asking servers on this machine.
pub const LOOPBACK: &str = "network:loopback";
/// Running the agent of the run.
pub const AGENT: &str = "agent:run";

/// All that steps need, each with what it permits, as documentation shows them.
pub const ALL: [(&str, &str); 5] = [
    (READ, "reading files of the workspace and stored artifacts"),
    (WRITE, "writing and removing them"),
    (EXEC, "running programs"),
    (LOOPBACK, "asking servers on this machine"),
    (AGENT, "running the agent of the run"),
];

/// What a step needs.
#[derive(Clone, Copy, Debug)]
pub enum Needs {
    /// Nothing.
    Nothing,
    /// This, whatever its inputs are.
    Always(&'static str),
    /// [`WRITE`] where one of these inputs is given, else [`READ`].
    WriteWith(&'static [&'static str]),
}

impl Needs {
    /// The permission, where `given` says which inputs are.
    pub(crate) fn with(self, given: impl Fn(&str) -> bool) -> Option<&'static str> {
        match self {
            Self::Nothing => None,
            Self::Always(permission) => Some(permission),
            Self::WriteWith(inputs) => Some(if inputs.iter().any(|name| given(name)) { WRITE } else { READ }),
        }
    }

    /// Whether this permission is needed with some inputs.
    #[must_use]
    pub fn may_be(self, permission: &str) -> bool {
        [true, false].iter().any(|given| self.with(|_| *given) == Some(permission))
    }
}
