//! What came of one question, in few words.

use serde_json::Value;

/// What came of a fault.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Seen {
    pub(crate) outcome: Outcome,
    /// How many requests the library sent.
    pub(crate) requests: usize,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// The answer held nothing that the fault could break.
    Unmet,
    /// The program got what it gets without the fault.
    Same,
    /// An exception of the library's own classes: its name and the status that it tells.
    Error(String),
    /// An exception of another class.
    RawError(String),
    /// No exception, though what was heard is not the answer: what it lacks or has.
    Silent(Differs),
    /// No end within the time.
    Hung,
}

/// In what an answer is another than without the fault.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Differs {
    /// A few words on each thing.
    pub(crate) words: String,
    /// Whether words or calls are others, and no reason of the end tells the program of it.
    pub(crate) untold: bool,
}

impl Outcome {
    /// What a client told, beside what it tells of the answer without a fault.
    pub(crate) fn of(told: &Value, whole: &Value) -> Self {
        if let Some(name) = told["error"].as_str() {
            let name = name.to_owned();
            return match (told["own"] == true, told["status"].as_u64()) {
                (true, Some(status)) => Self::Error(format!("{name} {status}")),
                (true, None) => Self::Error(name),
                (false, _) => Self::RawError(name),
            };
        }
        let differs = differs(told, whole);
        if differs == Differs::default() { Self::Same } else { Self::Silent(differs) }
    }

    /// The word of the page, and what it says beside it.
    pub(crate) fn words(&self) -> (&'static str, &str) {
        match self {
            Self::Unmet => ("–", ""),
            Self::Same => ("same", ""),
            Self::Error(name) => ("error", name),
            Self::RawError(name) => ("raw-error", name),
            Self::Silent(differs) => ("silent", &differs.words),
            Self::Hung => ("hung", ""),
        }
    }
}

impl Seen {
    /// A cell of the page.
    pub(crate) fn cell(&self) -> String {
        let (word, more) = self.outcome.words();
        let mut cell = word.to_owned();
        if !more.is_empty() {
            cell += if word == "silent" { ": " } else { " " };
            cell += more;
        }
        if self.outcome != Outcome::Unmet && self.requests != 1 {
            cell += &format!(" ({})", self.requests);
        }
        cell
    }
}

/// The longest name of a tool that is told whole: names that grow with each piece of a call are long.
const NAME: usize = 24;

fn differs(told: &Value, whole: &Value) -> Differs {
    let text = cut(&told["text"], &whole["text"]).map(|how| format!("text {how}"));
    let refusal = told["refusal"].as_str().map(|_| "a refusal".to_owned());
    let mut words: Vec<_> = text.into_iter().chain(of_calls(told, whole)).chain(refusal).collect();
    let same = told["reason"] == whole["reason"];
    let untold = !words.is_empty() && (same || told["reason"].as_str().is_none_or(str::is_empty));
    words.extend((!same).then(|| match &told["reason"] {
        Value::Null => "no reason".to_owned(),
        other => format!("reason {other}"),
    }));
    Differs { words: words.join(", "), untold }
}

fn of_calls(told: &Value, whole: &Value) -> Vec<String> {
    let (told, whole) = (told["calls"].as_array().unwrap(), whole["calls"].as_array().unwrap());
    if told.len() != whole.len() {
        return vec![format!("{} of {} calls", told.len(), whole.len())];
    }
    let mut differs = Vec::new();
    let ids: Vec<_> = told.iter().map(|call| call["id"].as_str().unwrap_or_default()).collect();
    if ids.iter().any(|id| id.is_empty()) {
        differs.push("no ids".to_owned());
    } else if ids.windows(2).any(|two| two[0] == two[1]) {
        differs.push("equal ids".to_owned());
    }
    for (told, whole) in told.iter().zip(whole) {
        if told["name"] != whole["name"] {
            let name = told["name"].as_str().unwrap_or_default();
            let rest = if name.chars().nth(NAME).is_some() { "…" } else { "" };
            differs.push(format!("tool \"{}{rest}\"", name.chars().take(NAME).collect::<String>()));
        }
        let read = |call: &Value| call["arguments"].as_str().and_then(|text| serde_json::from_str(text).ok());
        if read(told) != read(whole) || read(told).is_none_or(|read: Value| read.is_null()) {
            let how = cut(&told["arguments"], &whole["arguments"]).unwrap_or("another");
            differs.push(format!("arguments {how}"));
        }
    }
    differs.dedup();
    differs
}

/// How a text is another.
fn cut(told: &Value, whole: &Value) -> Option<&'static str> {
    if !told.is_string() && !told.is_null() {
        return Some("no text");
    }
    match (told.as_str().unwrap_or_default(), whole.as_str().unwrap_or_default()) {
        (told, whole) if told == whole => None,
        ("", _) => Some("lost"),
        (told, whole) if whole.starts_with(told) => Some("cut"),
        (_, _) => Some("another"),
    }
}
