//! Scenario files from recorded conversations: what a provider said once becomes a script, in YAML for people to read and change.
//!
//! Must not know: where the recording lies, how an answer is told (`rehearsal_wire::dialect::heard` hears it).

mod names;
mod yaml;

use crate::scenario::Pacing;
use names::{Names, in_order};
use rehearsal_wire::dialect::heard::HeardError;
use rehearsal_wire::head::reason;
use rehearsal_wire::json::{Kind, Tape, parse};
use rehearsal_wire::reply::{IssuedCall, Reply};

/// What was recorded of one conversation.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Conversation {
    /// What its class and its phrasing shall be called; changed where the form of files or another conversation demands it.
    pub class: String,
    /// What the agent was told.
    pub prompt: String,
    /// The model that answered, for a comment.
    pub model: Option<String>,
    /// What happened, in order: one for each request, retries included.
    pub steps: Vec<Step>,
}

/// What one request met.
#[derive(Clone, Debug, PartialEq)]
pub enum Step {
    /// The model spoke.
    Said {
        /// Its words. Ids of calls are not written: the stand-in issues its own.
        reply: Reply,
        /// How fast the answer is to leave, to the millisecond; the default is not written.
        pacing: Pacing,
    },
    /// The provider refused.
    Failed {
        /// HTTP status, written as 500 where no scripted error can have it.
        status: u16,
        /// The headers to send again, such as Retry-After. Those that a script cannot set are left out.
        headers: Vec<(String, String)>,
        /// What the body said.
        error: HeardError,
    },
}

/// A written file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The text of a YAML file, which [`crate::read`] takes.
    pub text: String,
    /// What it could not say, one sentence each.
    pub notes: Vec<String>,
}

/// What a file begins with.
const HEAD: &str = "# Written from a recording: each class is one conversation, each step what one request met. Ids of calls are
# left out, since the stand-in issues its own. What the agent must do is yours to add, as `expect_agent`.
version: 1

classes:
";

/// Most tokens that a file may report.
const MOST_TOKENS: u64 = 1_000_000_000;
/// Longest wait before the first byte, in milliseconds, and most pieces a second and characters in a piece.
const MOST_PACE: (u128, u32, usize) = (3_600_000, 1_000_000, 1_000_000);
/// Most requests that one error may answer.
const MOST_TIMES: usize = 10_000;
/// The finish reasons that a file may set.
const FINISHES: [&str; 5] = ["stop", "length", "tool_calls", "content_filter", "function_call"];

/// Writes one file. Errors that follow each other and are the same become one step with `times`; one that ends a conversation
/// answers for ever, so that the case asks of an agent to give up. A conversation whose prompt stands in that of another comes
/// behind it.
#[must_use]
pub fn write(conversations: &[Conversation]) -> Written {
    let mut out = Writer { text: HEAD.to_owned(), notes: Vec::new() };
    let mut names = Names::default();
    let sound = |one: &&Conversation| !one.prompt.trim().is_empty() && !one.steps.is_empty();
    for one in conversations.iter().filter(|one| !sound(one)) {
        out.note(format!("The conversation `{}` has no prompt or no answer and is left out.", one.class));
    }
    let kept: Vec<&Conversation> = conversations.iter().filter(sound).collect();
    for (one, twin) in in_order(&kept) {
        let (class, id) = names.of(&one.class);
        if twin {
            out.note(format!(
                "`{class}` has the prompt of a conversation before it; only a case URL tells them apart."
            ));
        }
        out.conversation(&class, &id, one);
    }
    if kept.is_empty() {
        out.text.truncate(out.text.trim_end().len());
        out.text.push_str(" {}\n");
    }
    Written { text: out.text, notes: out.notes }
}

struct Writer {
    text: String,
    notes: Vec<String>,
}

impl Writer {
    fn note(&mut self, note: String) {
        if !self.notes.contains(&note) {
            self.notes.push(note);
        }
    }

    /// A line at this depth: a key and what stands behind it, written by the caller.
    fn key(&mut self, depth: usize, key: &str) {
        self.text.extend(std::iter::repeat_n("  ", depth));
        self.text.push_str(key);
        self.text.push(':');
    }

    fn member(&mut self, depth: usize, key: &str, text: &str) {
        self.key(depth, key);
        yaml::text(&mut self.text, text, depth + 1);
    }

    fn conversation(&mut self, class: &str, id: &str, one: &Conversation) {
        self.key(1, &yaml::key(class));
        self.text.push('\n');
        if let Some(model) = &one.model {
            self.member(2, "comment", &format!("Recorded from {model}."));
        }
        self.text.push_str("    script:\n");
        let mut rest = one.steps.as_slice();
        while let Some((first, after)) = rest.split_first() {
            match first {
                Step::Said { reply, pacing } => {
                    self.said(class, reply, *pacing);
                    rest = after;
                }
                Step::Failed { status, headers, error } => {
                    let same =
                        1 + after.iter().take(MOST_TIMES - 1).take_while(|step| *step == first).count();
                    rest = &rest[same..];
                    self.failed(class, *status, headers, error);
                    if !rest.is_empty() {
                        self.text.push_str(&format!("        times: {same}\n"));
                    }
                }
            }
        }
        self.text.push_str("    phrasings:\n      - id:");
        yaml::text(&mut self.text, id, 5);
        self.member(4, "prompt", &one.prompt);
        self.text.push('\n');
    }

    /// The first member of a step begins its item of the list; the others stand below it.
    fn item(&mut self, from: usize) {
        // What was written stands four levels deep; its first line gets the dash.
        if self.text.len() > from {
            self.text.replace_range(from + 6..from + 8, "- ");
        }
    }

    fn said(&mut self, class: &str, reply: &Reply, pacing: Pacing) {
        let from = self.text.len();
        let Reply { thinking, text, refusal, calls, finish, usage } = reply;
        if let Some(thinking) = thinking {
            self.member(4, "thinking", thinking);
        }
        let silent = text.is_none() && refusal.is_none() && calls.is_empty();
        if let Some(text) = text.as_deref().or(silent.then_some("")) {
            self.member(4, "text", text);
        }
        if let Some(refusal) = refusal {
            self.member(4, "refusal", refusal);
        }
        if !calls.is_empty() {
            self.text.push_str("        tool_calls:\n");
            calls.iter().for_each(|call| self.call(call));
        }
        match finish {
            Some(word) if FINISHES.contains(&word.as_str()) => self.member(4, "finish_reason", word),
            Some(word) => self.note(format!("`{class}` ended with `{word}`, which a script cannot say.")),
            None => {}
        }
        // A provider that counts nothing says nothing of tokens.
        if (usage.prompt, usage.completion) != (0, 0) {
            let [read, written] = [usage.prompt, usage.completion].map(|tokens| tokens.min(MOST_TOKENS));
            self.text.push_str(&format!(
                "        usage: {{prompt_tokens: {read}, completion_tokens: {written}}}\n"
            ));
        }
        if pacing != Pacing::default() {
            let (ttft, speed, piece) = MOST_PACE;
            self.text.push_str(&format!(
                "        pacing: {{ttft: {}ms, tokens_per_second: {}, chunk: {}}}\n",
                pacing.ttft.as_millis().min(ttft),
                pacing.tokens_per_second.min(speed),
                pacing.piece.min(piece),
            ));
        }
        self.item(from);
    }

    fn call(&mut self, call: &IssuedCall) {
        self.text.push_str("          - name:");
        yaml::text(&mut self.text, &call.name, 7);
        match parse(call.arguments.as_bytes()) {
            Ok(tape) if is_plain(&tape) => {
                self.key(6, "arguments");
                yaml::value(&mut self.text, tape.root(), 7);
            }
            Ok(_) | Err(_) => self.member(6, "arguments_text", &call.arguments),
        }
    }

    fn failed(&mut self, class: &str, status: u16, headers: &[(String, String)], error: &HeardError) {
        let from = self.text.len();
        self.key(4, "api_error");
        let written = if (400..=599).contains(&status) { status } else { 500 };
        if written != status {
            self.note(format!(
                "An error of `{class}` came with status {status} and is written with {written}."
            ));
        }
        self.text.push_str(&format!("\n          status: {written}\n"));
        let message = if error.message.is_empty() { reason(written) } else { &error.message };
        self.member(5, "message", message);
        match &error.kind {
            Some(kind) => self.member(5, "type", kind),
            // Without the key a type would be sent.
            None => self.text.push_str("          type: null\n"),
        }
        for (key, text) in [("code", &error.code), ("param", &error.param)] {
            if let Some(text) = text {
                self.member(5, key, text);
            }
        }
        self.headers(class, headers);
        self.item(from);
    }

    fn headers(&mut self, class: &str, headers: &[(String, String)]) {
        let mut written: Vec<&str> = Vec::new();
        for (name, value) in headers {
            let twice = written.iter().any(|known| known.eq_ignore_ascii_case(name));
            if twice || !names::is_sendable(name, value) {
                self.note(format!("A header of an error of `{class}` cannot be sent again and is left out."));
                continue;
            }
            if written.is_empty() {
                self.text.push_str("          headers:\n");
            }
            written.push(name);
            self.member(6, &yaml::key(name), value);
        }
    }
}

/// How deep arguments may nest to be written as values; deeper ones are a text.
const MOST_DEPTH: usize = 32;
/// Most bytes of a key: YAML allows 1024 characters before its colon, escapes included.
const MOST_KEY: usize = 100;

/// Whether arguments can be written as values: an object of which nothing is lost.
fn is_plain(tape: &Tape<'_>) -> bool {
    tape.root().kind() == Kind::Object
        && tape.duplicate_key.is_none()
        && tape.lone_surrogate.is_none()
        && yaml::fits(tape.root(), MOST_DEPTH, MOST_KEY)
}
