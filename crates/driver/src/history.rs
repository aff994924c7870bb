//! Writes requests: the conversation so far as JSON, grown message by message and never rewritten.

use crate::answer::Answer;
use crate::tool::TOOLS;
use rehearsal_wire::json::write_string;

const INSTRUCTIONS: &str = "You are an agent that works in one folder, the workspace. Use the tools to look, change and \
check. Paths are relative to the workspace. When the task is done, answer with a short text and call no tool.";

/// The conversation so far.
#[derive(Debug)]
pub(crate) struct History {
    /// The request up to and with the newest message.
    open: Vec<u8>,
    /// What follows the messages in every request.
    tail: Vec<u8>,
}

impl History {
    pub(crate) fn new(model: &str, prompt: &str, stream: bool) -> Self {
        let mut open = b"{\"model\":".to_vec();
        write_string(&mut open, model);
        open.extend_from_slice(b",\"messages\":[{\"role\":\"system\",\"content\":");
        write_string(&mut open, INSTRUCTIONS);
        open.extend_from_slice(b"},{\"role\":\"user\",\"content\":");
        write_string(&mut open, prompt);
        open.push(b'}');
        Self { open, tail: tail(stream) }
    }

    /// The request that asks for the next answer.
    pub(crate) fn request(&self) -> Vec<u8> {
        [self.open.as_slice(), &self.tail].concat()
    }

    /// Adds a turn of the model as it came: null stays null, argument texts keep every byte. Only turns with calls come
    /// here, since a turn without ends the conversation.
    pub(crate) fn add_turn(&mut self, answer: &Answer) {
        let out = &mut self.open;
        out.extend_from_slice(b",{\"role\":\"assistant\",\"content\":");
        match &answer.content {
            Some(text) => write_string(out, text),
            None => out.extend_from_slice(b"null"),
        }
        for (key, text) in [("refusal", &answer.refusal), ("reasoning_content", &answer.reasoning)] {
            if let Some(text) = text {
                out.push(b',');
                write_string(out, key);
                out.push(b':');
                write_string(out, text);
            }
        }
        out.extend_from_slice(b",\"tool_calls\":");
        write_list(out, &answer.calls, |out, call| {
            out.extend_from_slice(b"{\"id\":");
            write_string(out, &call.id);
            out.extend_from_slice(b",\"type\":\"function\",\"function\":{\"name\":");
            write_string(out, &call.name);
            out.extend_from_slice(b",\"arguments\":");
            write_string(out, &call.arguments);
            out.extend_from_slice(b"}}");
        });
        out.push(b'}');
    }

    /// Adds the answer to one call.
    pub(crate) fn add_result(&mut self, id: &str, text: &str) {
        let out = &mut self.open;
        out.extend_from_slice(b",{\"role\":\"tool\",\"tool_call_id\":");
        write_string(out, id);
        out.extend_from_slice(b",\"content\":");
        write_string(out, text);
        out.push(b'}');
    }
}

fn tail(stream: bool) -> Vec<u8> {
    let mut out = b"],\"tools\":".to_vec();
    write_list(&mut out, TOOLS, |out, tool| {
        out.extend_from_slice(b"{\"type\":\"function\",\"function\":{\"name\":");
        write_string(out, tool.name);
        out.extend_from_slice(b",\"description\":");
        write_string(out, tool.description);
        out.extend_from_slice(b",\"parameters\":");
        out.extend_from_slice(tool.parameters.as_bytes());
        out.extend_from_slice(b"}}");
    });
    out.extend_from_slice(b",\"tool_choice\":\"auto\"");
    if stream {
        out.extend_from_slice(b",\"stream\":true,\"stream_options\":{\"include_usage\":true}");
    }
    out.push(b'}');
    out
}

fn write_list<T>(out: &mut Vec<u8>, items: &[T], write: impl Fn(&mut Vec<u8>, &T)) {
    out.push(b'[');
    for (at, item) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        write(out, item);
    }
    out.push(b']');
}
