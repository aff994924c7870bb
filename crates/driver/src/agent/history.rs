//! The conversation so far: grown message by message, never rewritten.

use super::tool::TOOLS;
use crate::endpoint::answer::{Call, Told};
use crate::endpoint::request::{Choice, Message, Said, Talk, Tool};

const INSTRUCTIONS: &str = "You are an agent that works in one folder, the workspace. Use the tools to look, change and \
check. Paths are relative to the workspace. When the task is done, answer with a short text and call no tool.";

/// The conversation so far.
#[derive(Debug)]
pub(crate) struct History {
    model: String,
    stream: bool,
    messages: Vec<Message>,
    tools: Vec<Tool<'static>>,
}

impl History {
    pub(crate) fn new(model: &str, prompt: &str, stream: bool) -> Self {
        let tools = TOOLS
            .iter()
            .map(|tool| Tool { name: tool.name, description: tool.description, parameters: tool.parameters })
            .collect();
        let messages = vec![Message::User(prompt.to_owned())];
        Self { model: model.to_owned(), stream, messages, tools }
    }

    /// What is asked next.
    pub(crate) fn talk(&self) -> Talk<'_> {
        Talk {
            model: &self.model,
            system: INSTRUCTIONS,
            messages: &self.messages,
            tools: &self.tools,
            choice: Some(Choice::Auto),
            parallel: None,
            schema: None,
            stream: self.stream,
        }
    }

    /// Adds a turn of the model as it came, with the ids that its calls have now. Only turns with calls come here, since a turn
    /// without ends the conversation.
    pub(crate) fn add_turn(&mut self, told: Told, calls: Vec<Call>) {
        let said = Said { content: told.content, reasoning: told.reasoning, calls };
        self.messages.push(Message::Assistant(said));
    }

    /// Adds the answer to one call.
    pub(crate) fn add_result(&mut self, call: String, text: String) {
        self.messages.push(Message::Result { call, text });
    }
}
