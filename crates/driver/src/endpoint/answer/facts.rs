//! What must be known of an answer before its words are looked at: how it ended, what is wrong with it, what is lenient in it.

use super::Leniency;
use super::end::{self, End};
use super::form::{DONE, Fault, Form};
use crate::endpoint::complaint::{self, Complaint};
use crate::endpoint::config::Dialect;
use rehearsal_wire::json::{self, Kind, Value};
use rehearsal_wire::sse::SseReader;
use std::collections::BTreeSet;

/// What is known of an answer.
#[derive(Debug, Default)]
pub(super) struct Facts {
    pub(super) end: End,
    /// The last finish reason that says something.
    pub(super) finish: Option<String>,
    /// Whether a finish reason tells of calls.
    pub(super) ends_with_calls: bool,
    /// An error inside it; the first one.
    pub(super) complaint: Option<Complaint>,
    /// What every answer has and this one lacks.
    pub(super) missing: Option<String>,
    /// What the message holds under a name of the API, and is of no kind that belongs there.
    pub(super) odd: Option<String>,
    /// Whether it is a stream that ended before its end.
    pub(super) cut: bool,
    /// Whether the model had its turn, though it may have said nothing in it.
    pub(super) spoke: bool,
    /// Bytes of a stream up to the event behind which nothing counts.
    pub(super) over: usize,
    /// Whether an event held a whole message.
    whole_event: bool,
    /// Choices beside the first.
    pub(super) other_choices: usize,
    pub(super) leniencies: BTreeSet<Leniency>,
}

impl Facts {
    /// Gathers what is known; `stream` says whether one was asked for.
    ///
    /// # Errors
    /// [`Fault`] where it is not JSON, or no object.
    pub(super) fn gather(dialect: Dialect, form: &Form<'_>, stream: bool) -> Result<Self, Fault> {
        let mut facts = Self::default();
        facts.leniencies.extend(form.leniencies(stream));
        match form {
            Form::Whole { text, .. } => facts.whole(dialect, text)?,
            Form::Stream { text, .. } => facts.events(dialect, text)?,
        }
        if facts.finish.is_none() {
            facts.leniencies.insert(Leniency::NoFinish);
        }
        if facts.other_choices > 0 {
            facts.leniencies.insert(Leniency::MoreChoices);
        }
        Ok(facts)
    }

    fn whole(&mut self, dialect: Dialect, text: &str) -> Result<(), Fault> {
        let tape = json::parse(text.as_bytes())
            .map_err(|broken| Fault::new("not_json", format!("the body is not JSON: {broken}")))?;
        self.oddities(tape.duplicate_key, tape.lone_surrogate)?;
        let root = tape.root();
        self.complaint = complaint::nested(root);
        if root.kind() != Kind::Object {
            // A list may hold an error; nothing else in it is an answer.
            return match self.complaint {
                Some(_) => Ok(()),
                None => Err(Fault::new("not_object", format!("the body is {}", root.kind().phrase()))),
            };
        }
        self.missing = missing(dialect, root);
        if self.missing.is_some() && self.complaint.is_none() && says_error(root) {
            self.complaint = complaint::flat(root);
        }
        self.document(dialect, root);
        Ok(())
    }

    fn events(&mut self, dialect: Dialect, text: &str) -> Result<(), Fault> {
        self.over = text.len();
        // No event can be longer.
        let mut reader = SseReader::new(text.len());
        let (mut done, mut began) = (false, false);
        let lines: Vec<&str> = text.split_inclusive(['\n', '\r']).collect();
        let last_line = lines.iter().rposition(|line| !line.trim_ascii().is_empty()).unwrap_or(0);
        for (at, line) in lines.iter().enumerate() {
            if let Some(error) = line.strip_prefix("error:") {
                self.error_line(error.trim());
            }
            // Ids are not needed, and each later event would hold a copy of the last one.
            if line.starts_with("id:") || reader.feed(line.as_bytes()).is_err() {
                continue;
            }
            while let Some(event) = reader.next_event().filter(|_| !done) {
                let data = event.data.trim();
                if data.is_empty() || DONE.contains(&data) {
                    done = end::is_done(dialect, data);
                    continue;
                }
                let tape = match json::parse(data.as_bytes()) {
                    Ok(tape) => tape,
                    // The last event may be cut with the stream.
                    Err(_) if at > last_line => break,
                    Err(broken) => {
                        let what = format!("an event of the stream is not JSON: {broken}");
                        return Err(Fault::new("not_json", what));
                    }
                };
                self.oddities(tape.duplicate_key, tape.lone_surrogate)?;
                let root = tape.root();
                began |= root.kind() == Kind::Object;
                self.odd_event(dialect, root);
                let failed = error(root, &event.kind);
                // Chat has no event that ends a stream with an error: any error does.
                let broken_off = dialect == Dialect::Chat && failed.is_some();
                if self.complaint.is_none() {
                    self.complaint = failed;
                }
                self.document(dialect, root);
                done = broken_off || end::is_last(dialect, root, &event.kind);
            }
            if done {
                self.over = lines[..=at].iter().map(|line| line.len()).sum();
                break;
            }
        }
        if !began && self.complaint.is_none() {
            return Err(Fault::new("no_events", "the stream holds no event with an answer"));
        }
        if !done {
            self.leniencies.insert(Leniency::NoLastEvent);
            self.cut = self.finish.is_none() && !self.whole_event;
        }
        Ok(())
    }

    /// An event of chat that should hold a piece of the answer and holds none: what is missing cannot be known. Others say nothing.
    fn odd_event(&mut self, dialect: Dialect, root: Value<'_>) {
        let choices = root.get("choices").map(Value::kind);
        let is_chunk = root.get("object").is_some_and(|object| object.is_str("chat.completion.chunk"));
        let has_usage = root.get("usage").is_some_and(|usage| !usage.is_null());
        let what = match (dialect, root.kind(), choices) {
            (Dialect::Responses | Dialect::Messages, _, _)
            | (Dialect::Chat, Kind::Object, Some(Kind::Array)) => {
                return;
            }
            (Dialect::Chat, Kind::Object, None) if has_usage || !is_chunk => return,
            (Dialect::Chat, Kind::Object, None) => "an event of the stream has no choices".to_owned(),
            (Dialect::Chat, Kind::Object, Some(_)) if has_usage => return,
            (Dialect::Chat, Kind::Object, Some(kind)) => {
                format!("in an event of the stream choices is {}", kind.phrase())
            }
            (Dialect::Chat, kind, _) => format!("an event of the stream is {}", kind.phrase()),
        };
        self.odd.get_or_insert(what);
    }

    /// A line `error: …`, which no reader of events would see.
    fn error_line(&mut self, text: &str) {
        let told = match json::parse(text.as_bytes()) {
            Ok(tape) => complaint::nested(tape.root()).or_else(|| complaint::flat(tape.root())),
            Err(_) => None,
        };
        let told = told.unwrap_or_else(|| Complaint { message: text.to_owned(), ..Complaint::default() });
        self.complaint.get_or_insert(told);
    }

    fn oddities(&mut self, duplicate: Option<usize>, surrogate: Option<usize>) -> Result<(), Fault> {
        if let Some(offset) = surrogate {
            // It would be read as another character than was sent.
            let what = format!("half a surrogate pair stands at byte {offset}");
            return Err(Fault::new("lone_surrogate", what));
        }
        if duplicate.is_some() {
            self.leniencies.insert(Leniency::DuplicateKey);
        }
        Ok(())
    }

    fn document(&mut self, dialect: Dialect, root: Value<'_>) {
        match dialect {
            Dialect::Chat => self.chat(root),
            Dialect::Responses => {
                let response = root.get("response").unwrap_or(root);
                if response.get("object").is_some_and(|object| object.is_str("response"))
                    || response.get("output").is_some()
                {
                    let why = response.at("/incomplete_details/reason").filter(|why| !why.is_null());
                    self.every(response, "status", |status| {
                        !matches!(status, "in_progress" | "queued" | "incomplete")
                    });
                    match why {
                        Some(why) => self.finished(why),
                        None if response.get("status").is_some_and(|status| status.is_str("incomplete")) => {
                            self.ends("incomplete");
                        }
                        None => {}
                    }
                    let waits = |status: Value<'_>| status.is_str("queued") || status.is_str("in_progress");
                    if root.get("response").is_none() && response.get("status").is_some_and(waits) {
                        self.missing = Some("the response is not made yet".to_owned());
                    }
                }
            }
            Dialect::Messages => {
                for place in [Some(root), root.get("delta"), root.get("message")].into_iter().flatten() {
                    self.every(place, "stop_reason", |_| true);
                }
            }
        }
    }

    fn chat(&mut self, root: Value<'_>) {
        let Some(choices) = root.get("choices") else { return };
        let is_first =
            |choice: &Value<'_>| choice.get("index").and_then(Value::as_i64).is_none_or(|index| index == 0);
        let first = choices.items().find(is_first);
        self.other_choices = self.other_choices.max(choices.len() - usize::from(first.is_some()));
        let Some(first) = first else { return };
        self.every(first, "finish_reason", |_| true);
        if self.complaint.is_none() {
            self.complaint = complaint::nested(first);
        }
        let whole = first.get("message").filter(|said| said.kind() == Kind::Object);
        self.whole_event |= whole.is_some();
        let said = whole.or(first.get("delta"));
        let Some(said) = said else { return };
        self.spoke = true;
        let is_fine = |kind| matches!(kind, Kind::Null | Kind::Array);
        for (name, text_too) in [("content", true), ("tool_calls", false)] {
            let kind = said.get(name).map_or(Kind::Null, Value::kind);
            if !(is_fine(kind) || text_too && kind == Kind::String) {
                self.odd.get_or_insert_with(|| format!("{name} is {}", kind.phrase()));
            }
        }
        if said.get("content").is_some_and(|content| content.kind() == Kind::Array) {
            self.leniencies.insert(Leniency::ContentParts);
        }
        let is_value = |call: Value<'_>| {
            let arguments = call.at("/function/arguments");
            arguments.is_some_and(|it| !matches!(it.kind(), Kind::String | Kind::Null))
        };
        if said.get("tool_calls").into_iter().flat_map(Value::items).any(is_value) {
            self.leniencies.insert(Leniency::ArgumentsAsValue);
        }
    }

    /// Takes the finish reasons under a key, each of them where it stands twice.
    fn every(&mut self, object: Value<'_>, key: &str, counts: fn(&str) -> bool) {
        let reasons = object.entries().filter(|(name, _)| name.is_str(key)).map(|(_, reason)| reason);
        for reason in reasons {
            if reason.as_str().is_some_and(|word| counts(&word)) {
                self.finished(reason);
            }
        }
    }

    fn finished(&mut self, reason: Value<'_>) {
        if let Some(word) = reason.as_str() {
            self.ends(word.trim());
        }
    }

    fn ends(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        let (end, is_known) = end::of(&word.to_ascii_lowercase());
        self.end = self.end.max(end);
        self.ends_with_calls |= matches!(word, "tool_calls" | "tool_use" | "function_call");
        if !is_known {
            self.leniencies.insert(Leniency::OddFinish);
        }
        self.finish = Some(word.to_owned());
        self.spoke = true;
    }
}

/// The error that an event is.
pub(super) fn error(root: Value<'_>, event: &str) -> Option<Complaint> {
    let is_one = || event == "error" || says_error(root);
    complaint::nested(root).or_else(|| is_one().then(|| complaint::flat(root)).flatten())
}

/// Whether a document without an answer says that it is an error.
fn says_error(root: Value<'_>) -> bool {
    let is_error = |key: &str| root.get(key).is_some_and(|kind| kind.is_str("error"));
    is_error("object")
        || is_error("type")
        || ["message", "detail"]
            .into_iter()
            .any(|key| root.get(key).is_some_and(|it| it.kind() == Kind::String))
            && ["choices", "object", "content", "output"].into_iter().all(|key| root.get(key).is_none())
            && root.get("type").is_none_or(|kind| !kind.is_str("message"))
}

/// What every whole answer has and this one lacks, with the names that it has instead.
fn missing(dialect: Dialect, root: Value<'_>) -> Option<String> {
    let key = match dialect {
        Dialect::Chat => "choices",
        Dialect::Responses => "output",
        Dialect::Messages => "content",
    };
    let list = root.get(key).filter(|list| list.kind() == Kind::Array);
    match (dialect, list) {
        (Dialect::Chat, Some(choices)) if !choices.is_empty() => {
            let says = |choice: Value<'_>| {
                ["message", "delta"]
                    .iter()
                    .any(|key| choice.get(key).is_some_and(|said| said.kind() == Kind::Object))
            };
            (!choices.items().any(says)).then(|| "no choice holds a message".to_owned())
        }
        (Dialect::Responses | Dialect::Messages, Some(_)) => None,
        (Dialect::Chat | Dialect::Responses | Dialect::Messages, _) => {
            let names: Vec<_> = root.entries().take(10).filter_map(|(name, _)| name.as_str()).collect();
            let names: Vec<String> = names.iter().map(|name| name.chars().take(40).collect()).collect();
            Some(format!("there are no {key}; the keys are: {}", names.join(", ")))
        }
    }
}
