//! The tools: one table of what is offered and how a call's arguments are read. Nothing is done here.

use rehearsal_wire::json::{self, Kind, Value};

/// One thing that the model asks to be done in the workspace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action {
    ReadFile { path: String },
    WriteFile { path: String, content: String },
    ListDir { path: String },
    RunCommand { command: String },
}

/// One tool.
pub(crate) struct Tool {
    pub(crate) name: &'static str,
    pub(crate) description: &'static str,
    /// JSON Schema of the arguments, as JSON text.
    pub(crate) parameters: &'static str,
    read: fn(Value<'_>) -> Result<Action, String>,
}

/// What is offered, in this order.
pub(crate) const TOOLS: &[Tool] = &[READ_FILE, WRITE_FILE, LIST_DIR, RUN_COMMAND];

const READ_FILE: Tool = Tool {
    name: "read_file",
    description: "Read a text file of the workspace.",
    parameters: r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative path"}},"required":["path"],"additionalProperties":false}"#,
    read: |arguments| Ok(Action::ReadFile { path: text(arguments, "path")? }),
};

const WRITE_FILE: Tool = Tool {
    name: "write_file",
    description: "Write a text file of the workspace, replacing what it held. Folders are created.",
    parameters: r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative path"},"content":{"type":"string","description":"The whole new content"}},"required":["path","content"],"additionalProperties":false}"#,
    read: |arguments| {
        Ok(Action::WriteFile { path: text(arguments, "path")?, content: text(arguments, "content")? })
    },
};

const LIST_DIR: Tool = Tool {
    name: "list_dir",
    description: "List a folder of the workspace.",
    parameters: r#"{"type":"object","properties":{"path":{"type":"string","description":"Relative path; the workspace itself without one"}},"additionalProperties":false}"#,
    read: |arguments| {
        let path = if arguments.get("path").is_some() { text(arguments, "path")? } else { ".".to_owned() };
        Ok(Action::ListDir { path })
    },
};

const RUN_COMMAND: Tool = Tool {
    name: "run_command",
    description: "Run a shell command in the workspace and return its exit status and output.",
    parameters: r#"{"type":"object","properties":{"command":{"type":"string"}},"required":["command"],"additionalProperties":false}"#,
    read: |arguments| Ok(Action::RunCommand { command: text(arguments, "command")? }),
};

/// Reads a call.
///
/// # Errors
/// One line for the model: what is wrong with the call. Such a call is not executed, and nothing is repaired by guessing.
pub(crate) fn read(name: &str, arguments: &str) -> Result<Action, String> {
    let Some(tool) = TOOLS.iter().find(|tool| tool.name == name) else {
        let names: Vec<&str> = TOOLS.iter().map(|tool| tool.name).collect();
        return Err(format!("there is no tool {name:?}; the tools are {}", names.join(", ")));
    };
    // A tool without required arguments is often called with none at all.
    let arguments = if arguments.trim().is_empty() { "{}" } else { arguments };
    let tape = json::parse(arguments.as_bytes())
        .map_err(|broken| format!("the arguments are not JSON: {broken}"))?;
    if tape.duplicate_key.is_some() {
        return Err("the arguments hold a key twice".to_owned());
    }
    match tape.root().kind() {
        Kind::Object => (tool.read)(tape.root()),
        Kind::String => {
            Err("the arguments are a JSON string, not an object: they were encoded twice".to_owned())
        }
        other @ (Kind::Null | Kind::Bool | Kind::Number | Kind::Array) => {
            Err(format!("the arguments are {}, not an object", other.phrase()))
        }
    }
}

fn text(arguments: Value<'_>, key: &str) -> Result<String, String> {
    let value = arguments.get(key).ok_or_else(|| format!("the argument `{key}` is missing"))?;
    let wrong = || format!("the argument `{key}` must be a string, not {}", value.kind().phrase());
    value.as_str().map(String::from).ok_or_else(wrong)
}
