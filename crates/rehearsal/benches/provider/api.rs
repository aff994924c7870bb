//! The APIs that a load speaks: path, head lines, and the same conversation in the words of each.

use std::fmt::Write as _;

/// One API of a model provider.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Api {
    Chat,
    Responses,
    Messages,
}

/// How much a request carries before its last message.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Past {
    /// One system message.
    None,
    /// 177 messages of an agent at work and the 20 tools it has: about 95 kB.
    Long,
}

impl Api {
    pub(crate) const ALL: [Self; 3] = [Self::Chat, Self::Responses, Self::Messages];

    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Chat => "chat",
            Self::Responses => "responses",
            Self::Messages => "messages",
        }
    }

    pub(crate) const fn path(self) -> &'static str {
        match self {
            Self::Chat => "/v1/chat/completions",
            Self::Responses => "/v1/responses",
            Self::Messages => "/v1/messages",
        }
    }

    /// Head lines that say who asks.
    pub(crate) const fn credentials(self) -> &'static str {
        match self {
            Self::Chat | Self::Responses => "Authorization: Bearer test\r\n",
            Self::Messages => "x-api-key: test\r\nanthropic-version: 2023-06-01\r\n",
        }
    }

    /// The body before and after the words that make a request its own; these end its last message.
    pub(crate) fn body(self, marker: &str, stream: bool, past: Past) -> (String, String) {
        let stream = if stream { r#","stream":true"# } else { "" };
        let (history, tools) = match past {
            Past::None => (String::new(), String::new()),
            Past::Long => (self.history(), self.tools()),
        };
        let start = match self {
            Self::Chat => format!(
                r#"{{"model":"gpt-4o-mini"{stream}{tools},"messages":[{{"role":"system","content":"You are under test."}},"#
            ),
            Self::Responses => format!(
                r#"{{"model":"gpt-4o-mini","instructions":"You are under test."{stream}{tools},"input":["#
            ),
            Self::Messages => format!(
                r#"{{"model":"claude-sonnet-4-5","max_tokens":1024,"system":"You are under test."{stream}{tools},"messages":["#
            ),
        };
        (format!(r#"{start}{history}{{"role":"user","content":"{marker} "#), r#""}]}"#.to_owned())
    }

    /// Each message with a comma after it.
    fn history(self) -> String {
        let mut text = String::new();
        for i in 0..59 {
            let words = format!(
                "Line {i} of a file that the agent reads, with some code in it: fn main() {{ run(); }}\\n"
            )
            .repeat(5);
            let _ = write!(
                text,
                r#"{{"role":"user","content":"Please look at file number {i} and go on. {words}"}},"#
            );
            text.push_str(&self.call(i, &words));
        }
        text + r#"{"role":"user","content":"Nearly there."},"#
    }

    /// A call and its answer.
    fn call(self, i: usize, words: &str) -> String {
        let tool = i % 20;
        let arguments = format!(r#"{{\"path\": \"src/file_{i}.rs\", \"line\": {i}}}"#);
        match self {
            Self::Chat => format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{i}","type":"function","function":{{"name":"tool_{tool}","arguments":"{arguments}"}}}}]}},{{"role":"tool","tool_call_id":"call_{i}","content":"{words}"}},"#
            ),
            Self::Responses => format!(
                r#"{{"type":"function_call","call_id":"call_{i}","name":"tool_{tool}","arguments":"{arguments}"}},{{"type":"function_call_output","call_id":"call_{i}","output":"{words}"}},"#
            ),
            Self::Messages => format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"toolu_{i}","name":"tool_{tool}","input":{}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{i}","content":"{words}"}}]}},"#,
                arguments.replace('\\', "")
            ),
        }
    }

    fn tools(self) -> String {
        let mut text = String::from(r#","tools":["#);
        for i in 0..20 {
            let about = "What this tool does, when to use it and when not, as agents like to say at length. "
                .repeat(6);
            let schema = format!(
                r#"{{"type":"object","properties":{{"path":{{"type":"string","description":"{}"}},"line":{{"type":"integer","minimum":0}}}},"required":["path"]}}"#,
                "A path relative to the workspace. ".repeat(4)
            );
            let named = format!(r#""name":"tool_{i}","description":"{about}""#);
            let comma = if i == 0 { "" } else { "," };
            let _ = match self {
                Self::Chat => write!(
                    text,
                    r#"{comma}{{"type":"function","function":{{{named},"parameters":{schema}}}}}"#
                ),
                Self::Responses => {
                    write!(text, r#"{comma}{{"type":"function",{named},"parameters":{schema}}}"#)
                }
                Self::Messages => write!(text, r#"{comma}{{{named},"input_schema":{schema}}}"#),
            };
        }
        text + "]"
    }
}
