//! What a chat request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.
//!
//! Ids of calls are optional here, and most clients drop them. A call without one gets an id of our making, and so does the
//! answer to it: that of the first open call of the tool that it names, else of the first open call.

use super::super::openai_chat::read::{point, tool};
use super::super::{exactly, offers};
use crate::json::{Kind, Tape, Value};
use crate::turn::{Call, Form, Message, Role, Turn};
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

/// Reads the body.
pub(super) fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let mut turn = Turn { stream: true, include_usage: true, ..Turn::new(point) };
    for (key, value) in tape.root().entries() {
        let Some(key) = key.as_str() else { continue };
        match &*key {
            "messages" => {
                turn.listed = value.len();
                let mut reader = Reader::default();
                value.items().enumerate().for_each(|message| reader.message(message));
                (turn.messages, turn.unnamed) = (reader.messages, reader.unnamed);
            }
            "tools" => {
                turn.offers_tools = offers(value);
                turn.tools = exactly(value, value.items().filter_map(tool));
            }
            _ => setting(&mut turn, &key, value),
        }
    }
    turn
}

/// Reads a key that requests of both kinds have.
pub(in crate::dialect) fn setting<'t>(turn: &mut Turn<'t>, key: &str, value: Value<'t>) {
    match key {
        "model" => turn.model = Some(value),
        "stream" => turn.stream = value.as_bool() != Some(false),
        // A number below 1 stands for no limit.
        "options" => turn.room = value.get("num_predict").and_then(Value::as_i64).filter(|most| *most > 0),
        "format" if value.is_str("json") => turn.form = Some(Form::Json),
        "format" if value.kind() == Kind::Object => turn.form = Some(Form::Schema(value)),
        _ => {}
    }
}

/// The messages so far.
#[derive(Default)]
struct Reader<'t> {
    messages: Vec<Message<'t>>,
    /// The calls of the last turn of the model.
    made: Made<'t>,
    unnamed: bool,
}

/// The calls of one turn, by what an answer may name. Sorted: a peer may make a hundred thousand.
#[derive(Default)]
struct Made<'t> {
    /// The id of each call, and whether it was answered.
    calls: Vec<(Cow<'t, str>, bool)>,
    by_id: BTreeMap<Cow<'t, str>, usize>,
    by_tool: BTreeMap<Cow<'t, str>, VecDeque<usize>>,
    /// The calls before this place were answered.
    next: usize,
}

impl<'t> Reader<'t> {
    fn message(&mut self, (index, value): (usize, Value<'t>)) {
        if value.kind() != Kind::Object {
            return;
        }
        let role = role(value);
        let mut message = Message { index, role, texts: Vec::new(), calls: Vec::new(), answers: Vec::new() };
        let text = |key| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        match role {
            Role::Tool => {
                // Older clients wrote the name of the tool under `name`.
                let name = text("tool_name").or_else(|| text("name"));
                message.answers.push(self.made.answered(index, text("tool_call_id"), name));
            }
            Role::Assistant => {
                message.texts.extend(text("content"));
                let calls = value.get("tool_calls").into_iter().flat_map(Value::items).enumerate();
                message.calls = calls.filter_map(|call| self.call(index, call)).collect();
                self.made = Made::of(&message.calls);
            }
            Role::System | Role::Developer | Role::User | Role::Function | Role::Unknown => {
                message.texts.extend(value.get("content").and_then(Value::as_str));
            }
        }
        self.messages.push(message);
    }

    fn call(&mut self, message: usize, (index, value): (usize, Value<'t>)) -> Option<Call<'t>> {
        let function = value.get("function")?;
        let name = function.get("name")?.as_str()?;
        let sent = value.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        self.unnamed |= sent.is_none();
        let id = sent.unwrap_or_else(|| format!("{name} (messages[{message}].tool_calls[{index}])").into());
        // The arguments are the value itself; its text is what other dialects send as a string.
        let arguments = Cow::Borrowed(function.get("arguments").map_or("{}", Value::text));
        Some(Call { index, id, name, arguments, custom: false })
    }
}

impl<'t> Made<'t> {
    fn of(calls: &[Call<'t>]) -> Self {
        let mut made = Self::default();
        for (place, call) in calls.iter().enumerate() {
            made.calls.push((call.id.clone(), false));
            made.by_id.entry(call.id.clone()).or_insert(place);
            made.by_tool.entry(call.name.clone()).or_default().push_back(place);
        }
        made
    }

    /// The id of the call that an answer in this message is for; one that no call has where it is for none.
    fn answered(
        &mut self,
        message: usize,
        id: Option<Cow<'t, str>>,
        tool: Option<Cow<'t, str>>,
    ) -> Cow<'t, str> {
        let place = match (&id, &tool) {
            (Some(id), _) => self.by_id.get(id).copied(),
            (None, Some(tool)) => self.of_tool(tool),
            (None, None) => self.first(),
        };
        match place.and_then(|place| self.calls.get_mut(place)) {
            Some((call, answered)) => {
                *answered = true;
                call.clone()
            }
            None => id.or(tool).unwrap_or_else(|| format!("nothing (messages[{message}])").into()),
        }
    }

    /// The first unanswered call of a tool, else its last.
    fn of_tool(&mut self, tool: &str) -> Option<usize> {
        let places = self.by_tool.get_mut(tool)?;
        while places.len() > 1 && places.front().is_some_and(|place| self.calls[*place].1) {
            places.pop_front();
        }
        places.front().copied()
    }

    /// The first unanswered call.
    fn first(&mut self) -> Option<usize> {
        while self.calls.get(self.next)?.1 {
            self.next += 1;
        }
        Some(self.next)
    }
}

fn role(message: Value<'_>) -> Role {
    match message.get("role").and_then(Value::as_str).as_deref() {
        Some("user") => Role::User,
        Some("assistant") => Role::Assistant,
        Some("tool") => Role::Tool,
        Some("system") => Role::System,
        Some(_) | None => Role::Unknown,
    }
}
