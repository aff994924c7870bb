//! What a Responses request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.
//!
//! A reply comes back as a run of items; they are one assistant message here. Calls and answers may stand apart, for the API
//! only asks that both are there: an answer is moved behind the message that made its call.

use super::super::{form, offers, texts};
use crate::json::{Kind, Tape, Value};
use crate::rule::ID_PREFIX;
use crate::turn::{Call, KEPT, Kept, Message, Role, Spot, Tool, Turn};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// The types of parts that hold words.
const TEXT: &[&str] = &["input_text", "output_text", "text"];

/// The index of `instructions`, which stand in no list.
const INSTRUCTIONS: usize = KEPT - 1;

/// Reads the body of a request.
#[must_use]
pub fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn::new(point);
    let (mut instructions, mut input) = (None, None);
    // One walk over the entries, so that a key that stands twice counts with its last value.
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "model" => turn.model = Some(value),
            "stream" => turn.stream = value.as_bool() == Some(true),
            "tools" => {
                turn.offers_tools = offers(value);
                turn.tools = value.items().flat_map(tools).collect();
            }
            "max_output_tokens" => turn.room = value.as_i64(),
            "text" => turn.form = value.get("format").and_then(form),
            "instructions" => instructions = Some(value),
            "input" => input = Some(value),
            "previous_response_id" => {
                turn.kept = value.as_str().map(|id| Kept {
                    id,
                    pointer: "/previous_response_id",
                    with_setting: false,
                });
            }
            _ => {}
        }
    }
    let mut items = Items::default();
    if let Some(text) = instructions.and_then(Value::as_str) {
        items.push(plain(INSTRUCTIONS, Role::System, vec![text]));
    }
    match input {
        Some(text) if text.kind() == Kind::String => {
            turn.listed = 1;
            turn.point = point_at_text;
            items.push(plain(0, Role::User, text.as_str().into_iter().collect()));
        }
        Some(list) => {
            turn.listed = list.len();
            for item in list.items().enumerate() {
                items.take(item);
            }
        }
        None => {}
    }
    for list in &items.offered {
        turn.offers_tools |= offers(*list);
        turn.tools.extend(list.items().flat_map(tools));
    }
    turn.messages = items.in_order();
    turn
}

/// Where the parts of a list of items stand. The index of a call is that of its item.
fn point(spot: Spot) -> String {
    match spot {
        Spot::List => "/input".to_owned(),
        Spot::Message(KEPT) | Spot::Content(KEPT) | Spot::Calls(KEPT) => "/previous_response_id".to_owned(),
        Spot::Message(INSTRUCTIONS) | Spot::Content(INSTRUCTIONS) | Spot::Calls(INSTRUCTIONS) => {
            "/instructions".to_owned()
        }
        Spot::Message(message) | Spot::Content(message) | Spot::Calls(message) => format!("/input/{message}"),
        Spot::Call(KEPT, _)
        | Spot::CallId(KEPT, _)
        | Spot::CallName(KEPT, _)
        | Spot::CallArguments(KEPT, _) => "/previous_response_id".to_owned(),
        Spot::Call(_, item) => format!("/input/{item}"),
        Spot::CallId(_, item) => format!("/input/{item}/call_id"),
        Spot::CallName(_, item) => format!("/input/{item}/name"),
        Spot::CallArguments(_, item) => format!("/input/{item}/arguments"),
    }
}

/// The same where the input is a mere text.
fn point_at_text(spot: Spot) -> String {
    match spot {
        Spot::Message(0) | Spot::Content(0) | Spot::Calls(0) => "/input".to_owned(),
        _ => point(spot),
    }
}

fn plain<'t>(index: usize, role: Role, texts: Vec<Cow<'t, str>>) -> Message<'t> {
    Message { index, role, texts, calls: Vec::new(), answers: Vec::new() }
}

/// What a model can call: the tool itself, those of a namespace, or one that the provider runs, by the word for it.
fn tools(tool: Value<'_>) -> Vec<Tool<'_>> {
    if let Some(nested) = tool.get("tools").filter(|nested| nested.kind() == Kind::Array) {
        return nested.items().filter_map(|tool| called(tool, "name")).collect();
    }
    called(tool, "name").or_else(|| called(tool, "type")).into_iter().collect()
}

/// A tool by what stands under this key.
fn called<'t>(tool: Value<'t>, key: &str) -> Option<Tool<'t>> {
    Some(Tool { name: tool.get(key)?.as_str()?, schema: tool.get("parameters") })
}

/// Calls of one reply that are sought one by one. More are looked up: a peer may send a hundred thousand.
const FEW: usize = 16;

/// The messages so far.
#[derive(Default)]
struct Items<'t> {
    /// Each with the place that it belongs to: its own, or that of the message whose calls it answers.
    messages: Vec<(usize, Message<'t>)>,
    /// Where the last assistant message stands.
    turn: Option<usize>,
    /// Whether nothing came behind it.
    open: bool,
    /// Who made which call; filled when an answer stands apart from its call.
    makers: Option<BTreeMap<Cow<'t, str>, usize>>,
    /// Whether some answer stands apart.
    apart: bool,
    /// The lists of tools that items hold.
    offered: Vec<Value<'t>>,
}

impl<'t> Items<'t> {
    fn push(&mut self, message: Message<'t>) {
        let place = self.messages.len();
        self.open = message.role == Role::Assistant;
        if self.open {
            self.turn = Some(place);
        }
        self.messages.push((place, message));
    }

    fn take(&mut self, (index, item): (usize, Value<'t>)) {
        if item.kind() != Kind::Object {
            return;
        }
        let kind = item.get("type").and_then(Value::as_str);
        match kind.as_deref() {
            None if is_reference(item) => self.reference(index, item),
            None | Some("message") => self.message(index, item),
            Some("function_call" | "custom_tool_call") => {
                if let Some(call) = call(index, item) {
                    self.call(index, call);
                }
            }
            Some("function_call_output" | "custom_tool_call_output") => {
                self.answer(index, item.get("call_id").and_then(Value::as_str));
            }
            Some("item_reference") => self.reference(index, item),
            // What stands for turns that were left out.
            Some("compaction" | "compaction_summary") => {
                let turns = super::compact::turns(item).unwrap_or(1);
                (0..turns).for_each(|_| self.push(plain(index, Role::Assistant, Vec::new())));
                self.open = false;
            }
            // Tools that are offered from here on, and those that a client's own search found.
            Some("additional_tools") => {
                self.offered.extend(item.get("tools"));
                self.push(plain(index, Role::Developer, Vec::new()));
            }
            Some("tool_search_output") => {
                self.offered.extend(item.get("tools"));
                self.answer(index, None);
            }
            // What a tool of the provider's own or of the client's machine gave back.
            Some(kind) if kind.ends_with("_output") || kind == "mcp_approval_response" => {
                self.answer(index, None)
            }
            // Reasoning, calls of the provider's own tools: parts of a reply.
            Some(kind) if kind == "reasoning" || kind.ends_with("_call") || kind.starts_with("mcp_") => {
                self.reply(index);
            }
            Some(_) => self.push(plain(index, Role::Unknown, Vec::new())),
        }
    }

    fn message(&mut self, index: usize, item: Value<'t>) {
        let role = match item.get("role").and_then(Value::as_str).as_deref() {
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("system") => Role::System,
            Some("developer") => Role::Developer,
            Some(_) | None => Role::Unknown,
        };
        let texts = item.get("content").map(|content| texts(content, TEXT)).unwrap_or_default();
        if role == Role::Assistant {
            self.reply(index).texts.extend(texts);
        } else {
            self.push(plain(index, role, texts));
        }
    }

    /// The assistant message that an item of a reply belongs to.
    fn reply(&mut self, index: usize) -> &mut Message<'t> {
        if !self.open {
            self.push(plain(index, Role::Assistant, Vec::new()));
        }
        let place = self.turn.unwrap_or_default();
        &mut self.messages[place].1
    }

    fn call(&mut self, index: usize, call: Call<'t>) {
        let place = match self.turn {
            // Some clients send each call of a reply with its answer right behind it.
            Some(place) if !self.open && self.of_one_reply(place, &call.id) => place,
            _ => {
                self.reply(index);
                self.turn.unwrap_or_default()
            }
        };
        if let Some(makers) = &mut self.makers {
            makers.insert(call.id.clone(), place);
        }
        self.messages[place].1.calls.push(call);
    }

    /// Whether a call comes from the reply that this message is: the ids of ours say so.
    fn of_one_reply(&self, place: usize, id: &str) -> bool {
        let last = self.messages[place].1.calls.last();
        reply_of(id).is_some_and(|own| last.is_some_and(|call| reply_of(&call.id) == Some(own)))
    }

    fn answer(&mut self, index: usize, id: Option<Cow<'t, str>>) {
        let own = self.messages.len();
        let place = id.as_ref().and_then(|id| self.maker(id)).unwrap_or(own);
        // Only other answers may stand between a call and its answer.
        let between = self.messages.get(place + 1..).unwrap_or_default();
        self.apart |= place < own && between.last().is_some_and(|(_, message)| message.role != Role::Tool);
        self.apart |= between.last().is_some_and(|(before, _)| *before > place);
        self.open = false;
        let answers = id.into_iter().collect();
        self.messages.push((place, Message { answers, ..plain(index, Role::Tool, Vec::new()) }));
    }

    /// Where the call with this id was made.
    fn maker(&mut self, id: &str) -> Option<usize> {
        let last = self.turn.filter(|place| {
            let calls = &self.messages[*place].1.calls;
            calls.len() <= FEW && calls.iter().any(|call| call.id == id)
        });
        if last.is_some() {
            return last;
        }
        let messages = &self.messages;
        let makers = self.makers.get_or_insert_with(|| {
            let made = messages
                .iter()
                .flat_map(|(place, message)| message.calls.iter().map(|call| (call.id.clone(), *place)));
            made.collect()
        });
        makers.get(id).copied()
    }

    /// A part of a kept reply by its id. Ours name the call: the script knows the rest.
    fn reference(&mut self, index: usize, item: Value<'t>) {
        let id = item.get("id").and_then(Value::as_str).unwrap_or_default();
        let call = super::item::call_of(&id);
        match call {
            Some(id) => {
                let name = Cow::Borrowed("");
                self.call(
                    index,
                    Call { index, id: Cow::Owned(id), name: name.clone(), arguments: name, custom: false },
                );
            }
            None if ["msg_", "rs_", "fc_", "ctc_"].iter().any(|kind| id.starts_with(kind)) => {
                self.reply(index);
            }
            None => self.push(plain(index, Role::Unknown, Vec::new())),
        }
    }

    /// All messages, answers behind what made their calls.
    fn in_order(mut self) -> Vec<Message<'t>> {
        if self.apart {
            self.messages.sort_by_key(|(place, _)| *place);
        }
        self.messages.into_iter().map(|(_, message)| message).collect()
    }
}

/// Whether an item without a type is a reference: it has an id and nothing that is said.
pub(super) fn is_reference(item: Value<'_>) -> bool {
    ["role", "content"].iter().all(|key| item.get(key).is_none()) && item.get("id").is_some()
}

/// What the ids of all calls of one reply of ours begin with.
fn reply_of(id: &str) -> Option<&str> {
    id.strip_prefix(ID_PREFIX)?.rsplit_once('_').map(|(reply, _)| reply)
}

fn call(index: usize, item: Value<'_>) -> Option<Call<'_>> {
    let custom = item.get("type").is_some_and(|kind| kind.is_str("custom_tool_call"));
    let arguments = item.get(if custom { "input" } else { "arguments" })?.as_str()?;
    let (id, name) = (item.get("call_id")?.as_str()?, item.get("name")?.as_str()?);
    Some(Call { index, id, name, arguments, custom })
}
