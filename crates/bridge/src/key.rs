//! What tells one call of a model from another: who is asked, what it is set up with, how far the conversation is, and what was said
//! since. Recordings are found by it, and a miss is explained by it.

use crate::pretty::Node;
use rehearsal_journal::digest;
use rehearsal_wire::dialect::Dialect;
use rehearsal_wire::json::{Tape, Value, write_value};
use rehearsal_wire::turn::{Role, Spot, Turn};

/// The parts of a key, by the names under which they can be left out of account.
pub const PARTS: &[&str] =
    &["route", "model", "stream", "system", "tools", "turn", "results", "user", "rest"];

/// A call of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Method and path; the path also names the model in some dialects.
    pub route: String,
    /// The model, as it was named.
    pub model: String,
    /// Whether a stream is asked for.
    pub stream: bool,
    /// SHA-256 of the system and developer messages, hexadecimal; empty without any.
    pub system: String,
    /// Names of the offered tools.
    pub tool_names: Vec<String>,
    /// SHA-256 of what is offered, hexadecimal; empty where nothing is.
    pub tools: String,
    /// Turns of the model so far.
    pub turn: u64,
    /// Answers of tools since the model's last turn: SHA-256 of each, hexadecimal.
    pub results: Vec<String>,
    /// SHA-256 of the last message of a user, hexadecimal; empty without one.
    pub user: String,
    /// Its beginning, for people.
    pub user_text: String,
    /// SHA-256 of a body that is no conversation, hexadecimal; empty for one that is.
    pub rest: String,
}

/// How much of a user's text a message shows, in characters.
const SHOWN: usize = 200;

impl Key {
    /// The key of a request; `tape` is its body as it was read, where it is JSON.
    #[must_use]
    pub fn of(
        dialect: Option<&Dialect>,
        method: &str,
        path: &str,
        body: &[u8],
        tape: Option<&Tape<'_>>,
    ) -> Self {
        let mut key = Self { route: format!("{method} {path}"), ..Self::default() };
        match (dialect, tape) {
            (Some(dialect), Some(tape)) if method == "POST" => key.fill(&(dialect.read)(tape), tape),
            _ => key.rest = sum(body),
        }
        key
    }

    fn fill(&mut self, turn: &Turn<'_>, tape: &Tape<'_>) {
        let root = tape.root();
        self.model = turn
            .model
            .map(|model| model.as_str().map_or_else(|| model.text().to_owned(), |name| name.into_owned()))
            .unwrap_or_default();
        self.stream = turn.stream;
        self.turn = turn.assistants() as u64;
        self.tool_names = turn.tools.iter().map(|tool| tool.name.to_string()).collect();
        if turn.offers_tools {
            self.tools =
                root.get("tools").or_else(|| root.get("functions")).map(canonical).unwrap_or_default();
        }
        let content =
            |at: usize| root.at(&(turn.point)(Spot::Content(at))).map(canonical).unwrap_or_default();
        let mut setting = String::new();
        // Where they stand: only those behind the last turn are read, for each is sought from the beginning.
        let mut results = Vec::new();
        for message in &turn.messages {
            match message.role {
                Role::System | Role::Developer => setting.push_str(&message.texts.concat()),
                Role::User if !message.texts.is_empty() => {
                    let text = message.texts.concat();
                    self.user = sum(text.as_bytes());
                    self.user_text = text.chars().take(SHOWN).collect();
                }
                Role::User | Role::Assistant | Role::Tool | Role::Function | Role::Unknown => {}
            }
            if message.role == Role::Assistant {
                results.clear();
            } else if !message.answers.is_empty() || matches!(message.role, Role::Tool | Role::Function) {
                results.push(message.index);
            }
        }
        self.results = results.into_iter().map(content).collect();
        if !setting.is_empty() {
            self.system = sum(setting.as_bytes());
        }
        if turn.messages.is_empty() {
            self.rest = canonical(root);
        }
    }

    /// The key without some of its [`PARTS`]: two that are equal then have no difference beside these.
    #[must_use]
    pub fn without(&self, ignored: &[String]) -> Self {
        let mut key = self.clone();
        for part in ignored {
            match part.as_str() {
                "route" => key.route.clear(),
                "model" => key.model.clear(),
                "stream" => key.stream = false,
                "system" => key.system.clear(),
                "tools" => key.tools.clear(),
                "turn" => key.turn = 0,
                "results" => key.results.clear(),
                "user" => key.user.clear(),
                "rest" => key.rest.clear(),
                _ => {}
            }
        }
        // What people are shown follows from the digests.
        key.tool_names.clear();
        key.user_text.clear();
        key
    }

    /// The parts in which two keys differ, of those that are not ignored: its name, and both sides for people.
    #[must_use]
    pub fn differences(&self, other: &Self, ignored: &[String]) -> Vec<Difference> {
        let texts = |names: &[String]| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        let short = |sum: &str| {
            if sum.is_empty() {
                "none".to_owned()
            } else {
                format!("sha256 {}…", &sum[..sum.len().min(12)])
            }
        };
        let results = |sums: &[String]| match sums.len() {
            0 => "none".to_owned(),
            _ => sums.iter().map(|sum| short(sum)).collect::<Vec<_>>().join(", "),
        };
        let user =
            |key: &Self| if key.user.is_empty() { "none".to_owned() } else { format!("{:?}", key.user_text) };
        let tools = |key: &Self| format!("{} ({})", texts(&key.tool_names), short(&key.tools));
        let all = [
            ("route", self.route == other.route, self.route.clone(), other.route.clone()),
            ("model", self.model == other.model, self.model.clone(), other.model.clone()),
            ("stream", self.stream == other.stream, self.stream.to_string(), other.stream.to_string()),
            ("system", self.system == other.system, short(&self.system), short(&other.system)),
            ("tools", self.tools == other.tools, tools(self), tools(other)),
            ("turn", self.turn == other.turn, self.turn.to_string(), other.turn.to_string()),
            ("results", self.results == other.results, results(&self.results), results(&other.results)),
            ("user", self.user == other.user, user(self), user(other)),
            ("rest", self.rest == other.rest, short(&self.rest), short(&other.rest)),
        ];
        all.into_iter()
            .filter(|(part, same, ..)| !same && !ignored.iter().any(|name| name == part))
            .map(|(part, _, here, there)| Difference { part, here, there })
            .collect()
    }

    /// The key as a part of a readable file.
    #[must_use]
    pub fn shown(&self) -> Node {
        Node::Object(vec![
            ("model", (&self.model).into()),
            ("stream", self.stream.into()),
            ("systemSha256", (&self.system).into()),
            ("tools", self.tool_names.clone().into()),
            ("toolsSha256", (&self.tools).into()),
            ("turn", self.turn.into()),
            ("resultsSha256", self.results.clone().into()),
            ("userSha256", (&self.user).into()),
            ("user", (&self.user_text).into()),
        ])
    }
}

/// A part in which two calls differ.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// One of [`PARTS`].
    pub part: &'static str,
    /// What the one says.
    pub here: String,
    /// What the other says.
    pub there: String,
}

fn sum(bytes: &[u8]) -> String {
    digest::text(&digest::of(bytes))
}

/// SHA-256 of a value without what its writer chose: white space, escapes.
fn canonical(value: Value<'_>) -> String {
    let mut text = Vec::new();
    write_value(&mut text, value);
    sum(&text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rehearsal_wire::dialect::dialect;
    use rehearsal_wire::json::parse;

    fn key(body: &str) -> Key {
        let tape = parse(body.as_bytes()).ok();
        let (dialect, path) = (dialect("openai-chat"), "/v1/chat/completions");
        Key::of(dialect, "POST", path, body.as_bytes(), tape.as_ref())
    }

    const BASE: &str =
        r#"{"model":"m","messages":[{"role":"system","content":"s"},{"role":"user","content":"u"}]}"#;

    #[test]
    fn what_a_writer_chose_makes_no_difference() {
        let spaced = r#"{ "messages": [ {"content":"s","role":"system"}, {"role":"user","content":"\u0075"} ], "model":"m" }"#;
        assert_eq!(key(BASE), key(spaced));
    }

    #[test]
    fn each_part_is_told_by_its_name() {
        for (part, from, to) in [
            ("model", "\"m\"", "\"n\""),
            ("system", "\"s\"", "\"t\""),
            ("user", "\"u\"", "\"v\""),
            ("stream", "{\"model\"", "{\"stream\":true,\"model\""),
            (
                "tools",
                "{\"model\"",
                "{\"tools\":[{\"type\":\"function\",\"function\":{\"name\":\"f\"}}],\"model\"",
            ),
            ("turn", "\"u\"}", "\"u\"},{\"role\":\"assistant\",\"content\":\"a\"}"),
            ("results", "\"u\"}", "\"u\"},{\"role\":\"tool\",\"tool_call_id\":\"c\",\"content\":\"42\"}"),
        ] {
            let other = key(&BASE.replacen(from, to, 1));
            let parts: Vec<_> =
                key(BASE).differences(&other, &[]).into_iter().map(|difference| difference.part).collect();
            assert_eq!(parts, [part]);
            let ignored = [part.to_owned()];
            assert_eq!(key(BASE).differences(&other, &ignored), []);
            assert_eq!(key(BASE).without(&ignored), other.without(&ignored));
            assert_ne!(key(BASE).without(&[]), other.without(&[]));
        }
    }
}
