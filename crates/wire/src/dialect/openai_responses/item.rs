//! The items of a reply: reasoning, a message, calls. How they are spelt, how their ids are made and read.

use crate::base64;
use crate::json::{Kind, Tape, Value, parse, write_string};
use crate::reply::{Envelope, IssuedCall, Reply, custom_input};
use crate::rule::ID_PREFIX;
use std::borrow::Cow;

/// One item of the output.
pub(super) enum Item<'r> {
    /// What the model thought.
    Reasoning {
        /// Its id.
        id: String,
        /// What may be shown of it: the thinking itself where a summary is asked for.
        summary: Option<&'r str>,
        /// The thinking in a form that only the provider reads, where it is asked for.
        encrypted: Option<String>,
    },
    /// What the model says: words, a refusal, or both.
    Message {
        /// Its id.
        id: String,
        /// Its words.
        text: Option<&'r str>,
        /// Its refusal.
        refusal: Option<&'r str>,
    },
    /// A call.
    Call {
        /// Its id, not that of the call.
        id: String,
        /// The id of the call.
        call_id: &'r str,
        /// The tool's name.
        name: &'r str,
        /// Arguments as JSON text, or the free input of a custom tool.
        input: Cow<'r, str>,
        /// What kind of tool is called.
        of: Of,
    },
}

/// What kind of tool a call is of.
pub(super) enum Of {
    /// A function, with the namespace that it stands in.
    Function(Option<String>),
    /// A custom tool.
    Custom,
}

/// How far an item is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Stage {
    /// It begins: nothing of it is said yet.
    Begun,
    /// It is whole.
    Whole,
    /// It was cut.
    Cut,
}

impl Stage {
    fn word(self) -> &'static str {
        match self {
            Self::Begun => "in_progress",
            Self::Whole => "completed",
            Self::Cut => "incomplete",
        }
    }
}

/// The value that the request gave under a key, as JSON text.
pub(super) fn given<'e>(envelope: &'e Envelope, key: &str) -> Option<&'e str> {
    envelope.echoed.iter().find(|(known, _)| *known == key).map(|(_, text)| text.as_str())
}

/// The items of a reply, in order.
pub(super) fn items<'r>(reply: &'r Reply, envelope: &Envelope) -> Vec<Item<'r>> {
    let stem = envelope.id.strip_prefix("resp_").unwrap_or(&envelope.id);
    let mut items = Vec::with_capacity(2 + reply.calls.len());
    if let Some(thinking) = &reply.thinking {
        items.push(Item::Reasoning {
            id: format!("rs_{stem}"),
            summary: wants_summary(envelope).then_some(thinking.as_str()),
            encrypted: wants_encrypted(envelope).then(|| encrypted(thinking)),
        });
    }
    // No words beside calls are no message.
    let text = reply.text.as_deref().filter(|text| !text.is_empty() || reply.calls.is_empty());
    let refusal = reply.refusal.as_deref();
    if text.is_some() || refusal.is_some() {
        items.push(Item::Message { id: ["msg_", stem].concat(), text, refusal });
    }
    if reply.calls.is_empty() {
        return items;
    }
    let tools = Tools::of(envelope);
    let call = |(k, call): (usize, &'r IssuedCall)| {
        let of = tools.kind(&call.name);
        let (kind, input) = match of {
            Of::Function(_) => ("fc", Cow::Borrowed(call.arguments.as_str())),
            Of::Custom => ("ctc", custom_input(&call.arguments)),
        };
        Item::Call { id: format!("{kind}_{stem}_{k}"), call_id: &call.id, name: &call.name, input, of }
    };
    items.extend(reply.calls.iter().enumerate().map(call));
    items
}

/// The id of the call that an item of ours makes: `fc_gate_<phrasing>_s<step>_<hex>_<k>` makes `call_gate_<phrasing>_s<step>_<k>`.
pub(super) fn call_of(item: &str) -> Option<String> {
    let (rest, k) = stem(item)?.rsplit_once('_')?;
    let (step, _) = rest.rsplit_once('_')?;
    Some(format!("{ID_PREFIX}{step}_{k}"))
}

/// The id of the reasoning that stands before the call that an item of ours makes.
pub(crate) fn reasoning_of(item: &str) -> Option<String> {
    let (rest, _) = stem(item)?.rsplit_once('_')?;
    Some(format!("rs_gate_{rest}"))
}

/// What stands behind the kind in the id of a call's item of ours.
fn stem(item: &str) -> Option<&str> {
    item.strip_prefix("fc_gate_").or_else(|| item.strip_prefix("ctc_gate_"))
}

fn wants_summary(envelope: &Envelope) -> bool {
    given(envelope, "reasoning").and_then(|text| {
        let tape = parse(text.as_bytes()).ok()?;
        let asks = |key| tape.root().get(key).is_some_and(|value| value.kind() == Kind::String);
        Some(asks("summary") || asks("generate_summary"))
    }) == Some(true)
}

fn wants_encrypted(envelope: &Envelope) -> bool {
    given(envelope, "include").is_some_and(|text| text.contains("\"reasoning.encrypted_content\""))
}

/// What encrypted contents begin with.
pub(super) const SEALED: &str = "gAAAAAB";

/// The thinking in a form that clients can only give back: base64 with the beginning that real ones have.
pub(crate) fn encrypted(thinking: &str) -> String {
    format!("{SEALED}{}", base64::encode(thinking.as_bytes()))
}

/// The tools that a request offers, where some are no plain functions.
struct Tools<'e>(Option<Tape<'e>>);

impl<'e> Tools<'e> {
    fn of(envelope: &'e Envelope) -> Self {
        let special = |text: &&str| text.contains("\"custom\"") || text.contains("\"namespace\"");
        Self(given(envelope, "tools").filter(special).and_then(|text| parse(text.as_bytes()).ok()))
    }

    fn kind(&self, name: &str) -> Of {
        let tools = || self.0.iter().flat_map(|tape| tape.root().items());
        let is = |tool: Value<'_>, kind| tool.get("type").is_some_and(|word| word.is_str(kind));
        let named = |tool: Value<'_>| tool.get("name").is_some_and(|other| other.is_str(name));
        if tools().any(|tool| is(tool, "custom") && named(tool)) {
            return Of::Custom;
        }
        let holds = |tool: &Value<'_>| {
            is(*tool, "namespace") && tool.get("tools").is_some_and(|nested| nested.items().any(named))
        };
        let space = tools().find(holds).and_then(|tool| tool.get("name")?.as_str());
        Of::Function(space.map(Cow::into_owned))
    }
}

impl Item<'_> {
    /// Its id.
    pub(super) fn id(&self) -> &str {
        match self {
            Self::Reasoning { id, .. } | Self::Message { id, .. } | Self::Call { id, .. } => id,
        }
    }

    /// Writes it as far as it is.
    pub(super) fn write(&self, out: &mut Vec<u8>, stage: Stage) {
        out.extend_from_slice(b"{\"id\":");
        write_string(out, self.id());
        match self {
            Self::Reasoning { summary, encrypted, .. } => {
                out.extend_from_slice(b",\"type\":\"reasoning\",\"summary\":[");
                if let Some(summary) = summary.filter(|_| stage != Stage::Begun) {
                    summary_part(out, summary);
                }
                out.push(b']');
                if let Some(encrypted) = encrypted {
                    member(out, "encrypted_content", if stage == Stage::Begun { "" } else { encrypted });
                }
            }
            Self::Message { text, refusal, .. } => {
                out.extend_from_slice(b",\"type\":\"message\"");
                member(out, "status", stage.word());
                out.extend_from_slice(b",\"content\":[");
                if stage != Stage::Begun {
                    for (at, part) in Part::of(*text, *refusal).enumerate() {
                        if at > 0 {
                            out.push(b',');
                        }
                        part.write(out, true);
                    }
                }
                out.extend_from_slice(b"],\"role\":\"assistant\"");
            }
            Self::Call { call_id, name, input, of, .. } => {
                let (kind, key) = match of {
                    Of::Function(_) => ("function_call", "arguments"),
                    Of::Custom => ("custom_tool_call", "input"),
                };
                member(out, "type", kind);
                member(out, "status", stage.word());
                member(out, key, if stage == Stage::Begun { "" } else { input });
                member(out, "call_id", call_id);
                member(out, "name", name);
                if let Of::Function(Some(space)) = of {
                    member(out, "namespace", space);
                }
            }
        }
        out.push(b'}');
    }
}

/// A part of what a message says.
#[derive(Clone, Copy)]
pub(super) enum Part<'r> {
    /// Words.
    Text(&'r str),
    /// A refusal.
    Refusal(&'r str),
}

impl<'r> Part<'r> {
    /// The parts of a message.
    pub(super) fn of(text: Option<&'r str>, refusal: Option<&'r str>) -> impl Iterator<Item = Self> {
        text.map(Self::Text).into_iter().chain(refusal.map(Self::Refusal))
    }

    /// Writes it, without its words where it only begins.
    pub(super) fn write(self, out: &mut Vec<u8>, whole: bool) {
        match self {
            Self::Text(text) => {
                out.extend_from_slice(b"{\"type\":\"output_text\",\"annotations\":[],\"logprobs\":[]");
                member(out, "text", if whole { text } else { "" });
            }
            Self::Refusal(text) => {
                out.extend_from_slice(b"{\"type\":\"refusal\"");
                member(out, "refusal", if whole { text } else { "" });
            }
        }
        out.push(b'}');
    }
}

/// A part of a reasoning summary.
pub(super) fn summary_part(out: &mut Vec<u8>, text: &str) {
    out.extend_from_slice(b"{\"type\":\"summary_text\"");
    member(out, "text", text);
    out.push(b'}');
}

/// A further member of an object, whose value is a text.
pub(super) fn member(out: &mut Vec<u8>, name: &str, text: &str) {
    key(out, name);
    write_string(out, text);
}

/// The key of a further member. Inlined, a name is no text to be copied but a few constants.
#[inline(always)]
pub(super) fn key(out: &mut Vec<u8>, name: &str) {
    out.extend_from_slice(b",\"");
    out.extend_from_slice(name.as_bytes());
    out.extend_from_slice(b"\":");
}
