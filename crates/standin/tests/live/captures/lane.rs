//! What is known of one API's captures: the script that each fits, how its answers are read, what breaks it.

use crate::request::{Answer, headers_of, request};
use crate::stand::{Served, Stand};
use rehearsal_wire::rule::Profile;
use serde_json::{Value, json};

/// The captures of one API.
pub(crate) struct Lane {
    /// Its dialect, or what is served beside dialects.
    pub(crate) name: &'static str,
    /// The corpus: a request a line.
    pub(super) captures: &'static str,
    /// How many lines it has.
    pub(super) count: usize,
    /// The script that a request belongs to; none for what belongs to no script.
    pub(super) fit: fn(&Value) -> Option<Fit>,
    /// The words of the answer to a request, read as strictly as the API is documented; none where it answers without words.
    pub(super) said: fn(&Value, &Answer) -> Option<String>,
    /// The code in a refusal, which has the form of the API; none where its refusals carry no code.
    pub(super) code: fn(&Answer) -> Option<String>,
    /// What breaks each request whose history holds calls.
    pub(super) mutations: &'static [Mutation],
}

/// What it breaks, what it does, how.
pub(super) type Mutation = (Breaks, &'static str, fn(&mut Value));

/// The three things that a client may not break.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Breaks {
    /// What the script issued comes back as it was.
    Echo,
    /// Each call has one answer.
    Pairing,
    /// A request speaks one API.
    Dialect,
}

impl Breaks {
    pub(super) const ALL: [Self; 3] = [Self::Echo, Self::Pairing, Self::Dialect];

    pub(super) fn code(self) -> &'static str {
        match self {
            Self::Echo => "gate_echo_mismatch",
            Self::Pairing => "gate_pairing",
            Self::Dialect => "gate_dialect_leak",
        }
    }
}

/// A request as a part of a script of ours: phrasing `p`, which calls at its step 0 and is done at its step 1.
pub(super) struct Fit {
    /// The body, with ids of ours in the place of its server's.
    pub(super) body: Value,
    /// What the script is found by.
    pub(super) prompt: String,
    /// What step 0 says.
    pub(super) text: Option<String>,
    /// What it calls: `name` with `arguments` or `arguments_text`.
    pub(super) calls: Vec<Value>,
    /// The step that the request is taken for; none for one beside the script.
    pub(super) step: Option<u64>,
}

impl Fit {
    /// Whether the history holds calls.
    pub(super) fn calls(&self) -> bool {
        !self.calls.is_empty()
    }

    /// The suite that issues what the history holds.
    fn suite(&self) -> String {
        let any = [json!({"name": "any", "arguments": {}})];
        let calls = if self.calls() { &self.calls[..] } else { &any[..] };
        let mut first = json!({"tool_calls": calls});
        if let Some(text) = &self.text {
            first["text"] = json!(text);
        }
        let class =
            json!({"script": [first, {"text": "done"}], "phrasings": [{"id": "p", "prompt": self.prompt}]});
        json!({"version": 1, "classes": {"c": class}}).to_string()
    }

    /// The same from a script that breaks none of its calls itself: what it breaks may come back in any form.
    pub(super) fn sound(mut self) -> Self {
        for call in &mut self.calls {
            let text = call["arguments_text"].as_str();
            if text.is_some_and(|text| object(text).is_none()) {
                *call = json!({"name": call["name"], "arguments": {"command": "echo hi"}});
            }
        }
        self
    }

    pub(super) fn is_sound(&self) -> bool {
        self.calls
            .iter()
            .filter_map(|call| call["arguments_text"].as_str())
            .all(|text| object(text).is_some())
    }

    /// A stand-in that plays the script.
    pub(super) fn served(&self, profile: Profile) -> Stand {
        Served::file("t.json", &self.suite()).lane("tokenp", "p").under(profile).start()
    }
}

/// Sends a captured request with this body, below this base path.
pub(super) fn send(stand: &Stand, base: &str, line: &Value, body: &Value) -> Answer {
    let target = format!("{base}{}", line["path"].as_str().unwrap());
    let body = if body.is_null() { String::new() } else { body.to_string() };
    stand.send(&request(line["method"].as_str().unwrap(), &target, &headers_of(line, &[]), body.as_bytes()))
}

/// An object in JSON text.
pub(super) fn object(text: &str) -> Option<Value> {
    serde_json::from_str::<Value>(text).ok().filter(Value::is_object)
}

/// The same arguments with one value that was not issued.
pub(super) fn changed(mut arguments: Value) -> Value {
    let members = arguments.as_object_mut().unwrap();
    let key = members.keys().next().map_or("added", String::as_str).to_owned();
    members.insert(key, json!("changed"));
    arguments
}

/// [`changed`] for arguments that are JSON text; text of any other kind is not what a sound script issues.
pub(super) fn changed_text(call: &mut Value) {
    if let Some(arguments) = object(call["arguments"].as_str().unwrap()) {
        call["arguments"] = json!(changed(arguments).to_string());
    }
}

const PROMPTS: &[&str] =
    &["Weather in Paris?", "Run the command: echo hi", "Write hi into hello.txt", "what time"];

/// The prompt that a client was given, somewhere in this text.
pub(super) fn prompt(text: &str) -> Option<&'static str> {
    PROMPTS.iter().find(|prompt| text.contains(**prompt)).copied()
}

/// The prompt of a message list: the one that the client was given, or all that its user said first.
pub(super) fn prompt_of(messages: &Value) -> Option<String> {
    let by_user = |message: &&Value| message["role"] == "user";
    let users: Vec<_> = messages.as_array()?.iter().filter(by_user).collect();
    let all = users.iter().map(|message| message["content"].to_string()).collect::<String>();
    let first = &users.first()?["content"];
    let whole = first.as_str().or_else(|| first[0]["text"].as_str());
    prompt(&all).or(whole).filter(|text| !text.trim().is_empty()).map(str::to_owned)
}

/// The id of the call with this number at step 0.
pub(super) fn id(number: usize) -> Value {
    json!(format!("call_gate_p_s0_{number}"))
}

/// The first message of this role.
pub(super) fn first<'b>(body: &'b mut Value, role: &str) -> &'b mut Value {
    let messages = body["messages"].as_array_mut().unwrap();
    messages.iter_mut().find(|message| message["role"] == role).unwrap()
}
