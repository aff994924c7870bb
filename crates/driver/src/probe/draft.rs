//! A small request in the making, written in the words of each API.

use crate::endpoint::config::Dialect;
use crate::endpoint::request::{Schema, Structured};
use rehearsal_wire::json::quoted;

/// The tool that some rows offer.
pub const TOOL: &str = "report_word";

/// Parameters of that tool.
const TOOL_SCHEMA: &str = r#"{"type":"object","properties":{"word":{"type":"string","description":"The word to report."}},"required":["word"],"additionalProperties":false}"#;

/// Most tokens of an answer where an API wants a number.
const LIMIT: u32 = 1024;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Said {
    /// `user` or `assistant`.
    pub role: &'static str,
    /// The words.
    pub text: String,
}

/// A request as a value.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Draft {
    /// What the model is told first.
    pub system: Option<&'static str>,
    /// What was said.
    pub said: Vec<Said>,
    /// Whether contents are lists of parts.
    pub parts: bool,
    /// The form of the answer.
    pub structured: Structured,
    /// The schema, where one is sent.
    pub schema: Option<Schema<'static>>,
    /// Whether the tool is offered.
    pub tool: bool,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// Whether its tokens are asked for, too.
    pub stream_usage: bool,
    /// Further keys with their values as JSON.
    pub more: Vec<(&'static str, &'static str)>,
    /// Whether the messages are put as a text instead, which is a mistake.
    pub broken: bool,
    /// Whether the connection may carry the next request, too.
    pub keep: bool,
    /// Whether the tokens of the prompt are compared with its bytes.
    pub counted: bool,
}

impl Draft {
    /// One question of a user.
    #[must_use]
    pub fn ask(text: impl Into<String>) -> Self {
        Self { said: vec![Said { role: "user", text: text.into() }], ..Self::default() }
    }

    /// The same with a further message.
    #[must_use]
    pub fn then(mut self, role: &'static str, text: &str) -> Self {
        self.said.push(Said { role, text: text.to_owned() });
        self
    }

    /// The same with a further key, whose value is JSON.
    #[must_use]
    pub fn with(mut self, key: &'static str, value: &'static str) -> Self {
        self.more.push((key, value));
        self
    }

    /// Whether the answer is to be JSON.
    #[must_use]
    pub fn wants_json(&self) -> bool {
        self.structured != Structured::None
    }

    /// Whether a further key is sent.
    #[must_use]
    pub fn sends(&self, key: &str) -> bool {
        self.more.iter().any(|(known, _)| *known == key)
    }

    /// Bytes of all texts.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.system.map_or(0, str::len) + self.said.iter().map(|said| said.text.len()).sum::<usize>()
    }

    /// The body of the request.
    #[must_use]
    pub fn write(&self, dialect: Dialect, model: &str) -> Vec<u8> {
        let mut keys = vec![format!("\"model\":{}", quoted(model))];
        self.write_said(dialect, &mut keys);
        match dialect {
            Dialect::Chat => self.write_chat(&mut keys),
            Dialect::Responses => self.write_responses(&mut keys),
            Dialect::Messages => self.write_messages(&mut keys),
        }
        if self.tool {
            let (name, about) = (quoted(TOOL), quoted("Reports one word."));
            let tool = match dialect {
                Dialect::Chat => format!(
                    r#"{{"type":"function","function":{{"name":{name},"description":{about},"parameters":{TOOL_SCHEMA}}}}}"#
                ),
                Dialect::Responses => format!(
                    r#"{{"type":"function","name":{name},"description":{about},"parameters":{TOOL_SCHEMA}}}"#
                ),
                Dialect::Messages => {
                    format!(r#"{{"name":{name},"description":{about},"input_schema":{TOOL_SCHEMA}}}"#)
                }
            };
            keys.push(format!("\"tools\":[{tool}]"));
        }
        if self.stream {
            keys.push("\"stream\":true".to_owned());
        }
        keys.extend(self.more.iter().map(|(key, value)| format!("{}:{value}", quoted(key))));
        format!("{{{}}}", keys.join(",")).into_bytes()
    }

    fn write_said(&self, dialect: Dialect, keys: &mut Vec<String>) {
        let system = self.system.map(quoted);
        let mut messages: Vec<String> = self.said.iter().map(|said| self.message(dialect, said)).collect();
        match (dialect, system) {
            (Dialect::Chat, Some(system)) => {
                messages.insert(0, format!(r#"{{"role":"system","content":{system}}}"#));
            }
            (Dialect::Responses, Some(system)) => keys.push(format!("\"instructions\":{system}")),
            (Dialect::Messages, Some(system)) => keys.push(format!("\"system\":{system}")),
            (Dialect::Chat | Dialect::Responses | Dialect::Messages, None) => {}
        }
        let key = match dialect {
            Dialect::Chat | Dialect::Messages => "messages",
            Dialect::Responses => "input",
        };
        let list = format!("[{}]", messages.join(","));
        // Responses takes a text as its input: a number is none.
        keys.push(format!("\"{key}\":{}", if self.broken { "7" } else { &list }));
    }

    fn message(&self, dialect: Dialect, said: &Said) -> String {
        let text = quoted(&said.text);
        let kind = match (dialect, said.role) {
            (Dialect::Responses, "assistant") => "output_text",
            (Dialect::Responses, _) => "input_text",
            (Dialect::Chat | Dialect::Messages, _) => "text",
        };
        let content = if self.parts { format!(r#"[{{"type":"{kind}","text":{text}}}]"#) } else { text };
        format!(r#"{{"role":"{}","content":{content}}}"#, said.role)
    }

    fn write_chat(&self, keys: &mut Vec<String>) {
        match (self.structured, self.schema) {
            (Structured::JsonSchema, Some(schema)) => keys.push(format!(
                r#""response_format":{{"type":"json_schema","json_schema":{{"name":"{}","strict":true,"schema":{}}}}}"#,
                schema.name, schema.text
            )),
            (Structured::JsonObject, _) => {
                keys.push(r#""response_format":{"type":"json_object"}"#.to_owned());
            }
            (Structured::JsonSchema, None) | (Structured::None, _) => {}
        }
        if self.stream_usage {
            keys.push(r#""stream_options":{"include_usage":true}"#.to_owned());
        }
    }

    fn write_responses(&self, keys: &mut Vec<String>) {
        match (self.structured, self.schema) {
            (Structured::JsonSchema, Some(schema)) => keys.push(format!(
                r#""text":{{"format":{{"type":"json_schema","name":"{}","strict":true,"schema":{}}}}}"#,
                schema.name, schema.text
            )),
            (Structured::JsonObject, _) => {
                keys.push(r#""text":{"format":{"type":"json_object"}}"#.to_owned());
            }
            (Structured::JsonSchema, None) | (Structured::None, _) => {}
        }
        // A probe is nobody's to keep.
        keys.push("\"store\":false".to_owned());
    }

    fn write_messages(&self, keys: &mut Vec<String>) {
        if let (Structured::JsonSchema, Some(schema)) = (self.structured, self.schema) {
            let format = format!(r#"{{"type":"json_schema","schema":{}}}"#, schema.text);
            keys.push(format!(r#""output_config":{{"format":{format}}}"#));
        }
        if !self.sends("max_tokens") {
            keys.push(format!("\"max_tokens\":{LIMIT}"));
        }
    }
}
