//! What a Gemini request means. Total: whatever has not the documented shape is skipped, rules say what is wrong.
//!
//! Keys may be spelt in camel case or with underscores, and one value may stand where a list is meant, as the API reads
//! the JSON of protocol buffers. `systemInstruction` is a message of its own at the head of the turn. A user's content with
//! `functionResponse` parts becomes a tool message for each run of them and a user message for what is said between.
//! Contents of the model that follow each other are one turn.
//!
//! Ids of calls are optional: a call without one gets that of the reply which its `thoughtSignature` names, else one of our
//! making until the script names it; a response is paired by its id, else by the name of its function, in the order of the calls.

use super::super::PARTS;
use super::thought;
use crate::json::{Kind, Tape, Value};
use crate::turn::{Call, Form, Message, Role, Spot, Tool, Turn};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// Reads the body of a request.
#[must_use]
pub fn read<'t>(tape: &'t Tape<'t>) -> Turn<'t> {
    let root = tape.root();
    let mut turn = Turn { include_usage: true, ..Turn::new(point) };
    if let Some(tools) = field(root, "tools") {
        turn.tools = each(tools).flat_map(functions).collect();
        turn.offers_tools = !turn.tools.is_empty();
    }
    if let Some(setting) = field(root, "generationConfig") {
        turn.room = field(setting, "maxOutputTokens").and_then(Value::as_i64);
        turn.form = form(setting);
        let asked = field(setting, "candidateCount").and_then(Value::as_i64);
        turn.choices =
            asked.and_then(|n| u32::try_from(n).ok()).filter(|n| (1..=MOST_CHOICES).contains(n)).unwrap_or(1);
    }
    let mut reader = Reader::default();
    let instructions = field(root, "systemInstruction").map(texts).filter(|texts| !texts.is_empty());
    reader.messages.extend(instructions.map(|texts| said(0, Role::System, texts)));
    if let Some(contents) = root.get("contents") {
        turn.listed = each(contents).count();
        for (index, content) in each(contents).enumerate() {
            reader.content(index, content);
        }
    }
    if reader.underscores {
        turn.point = point_with_underscores;
    }
    turn.unnamed = reader.unnamed;
    turn.messages = reader.messages;
    turn
}

/// The value under a key, given in camel case, in either spelling.
pub(crate) fn field<'t>(value: Value<'t>, name: &str) -> Option<Value<'t>> {
    value.get(name).or_else(|| {
        let same = |key: Value<'t>| key.as_str().is_some_and(|key| key.contains('_') && camel(&key) == name);
        value.entries().filter(|(key, _)| same(*key)).last().map(|(_, value)| value)
    })
}

/// A key in camel case: `function_call` as `functionCall`.
pub(crate) fn camel(key: &str) -> Cow<'_, str> {
    if !key.contains('_') {
        return Cow::Borrowed(key);
    }
    let mut out = String::with_capacity(key.len());
    let mut letters = key.chars();
    while let Some(letter) = letters.next() {
        match letter {
            '_' if !out.is_empty() => out.extend(letters.next().map(|letter| letter.to_ascii_uppercase())),
            letter => out.push(letter),
        }
    }
    Cow::Owned(out)
}

/// The elements of a list, or the one value that stands in its place.
pub(crate) fn each<'t>(list: Value<'t>) -> impl Iterator<Item = Value<'t>> {
    let alone = (list.kind() == Kind::Object).then_some(list);
    list.items().chain(alone)
}

/// The parts of a content.
pub(crate) fn parts<'t>(content: Value<'t>) -> impl Iterator<Item = Value<'t>> {
    content.get("parts").into_iter().flat_map(each)
}

/// The most candidates that a request may ask for.
const MOST_CHOICES: u32 = 8;

fn form(setting: Value<'_>) -> Option<Form<'_>> {
    let schema = ["responseJsonSchema", "_responseJsonSchema", "responseSchema"];
    let schema = schema.into_iter().find_map(|key| field(setting, key)).map(Form::Schema);
    let json = field(setting, "responseMimeType").filter(|kind| kind.is_str("application/json"));
    schema.or(json.map(|_| Form::Json))
}

/// What a model can call: each declared function, or what the provider runs itself, by its key.
fn functions<'t>(tool: Value<'t>) -> Vec<Tool<'t>> {
    let mut tools = Vec::new();
    for (key, value) in tool.entries() {
        match key.as_str().as_deref().map(camel) {
            Some(key) if key == "functionDeclarations" => tools.extend(each(value).filter_map(function)),
            Some(key) => tools.push(Tool { name: Cow::Owned(key.into_owned()), schema: None }),
            None => {}
        }
    }
    tools
}

fn function(declared: Value<'_>) -> Option<Tool<'_>> {
    let schema = field(declared, "parametersJsonSchema").or_else(|| declared.get("parameters"));
    Some(Tool { name: declared.get("name")?.as_str()?, schema })
}

/// Where the parts of a conversation stand.
fn point(spot: Spot) -> String {
    place(spot, "functionCall")
}

/// The same in a body whose keys are spelt with underscores.
fn point_with_underscores(spot: Spot) -> String {
    place(spot, "function_call")
}

fn place(spot: Spot, key: &str) -> String {
    let part = |message: usize, call: usize| {
        format!("/contents/{}/parts/{}/{key}", message + call / PARTS, call % PARTS)
    };
    match spot {
        Spot::List => "/contents".to_owned(),
        Spot::Message(message) => format!("/contents/{message}"),
        Spot::Content(message) | Spot::Calls(message) => format!("/contents/{message}/parts"),
        Spot::Call(message, call) => part(message, call),
        Spot::CallId(message, call) => part(message, call) + "/id",
        Spot::CallName(message, call) => part(message, call) + "/name",
        Spot::CallArguments(message, call) => part(message, call) + "/args",
    }
}

fn said(index: usize, role: Role, texts: Vec<Cow<'_, str>>) -> Message<'_> {
    Message { index, role, texts, calls: Vec::new(), answers: Vec::new() }
}

/// What a content says: a text itself, or its parts.
fn texts(content: Value<'_>) -> Vec<Cow<'_, str>> {
    content.as_str().into_iter().chain(parts(content).filter_map(words)).collect()
}

/// The words of a part; thoughts are none.
fn words(part: Value<'_>) -> Option<Cow<'_, str>> {
    let thought = part.get("thought").and_then(Value::as_bool) == Some(true);
    part.get("text").filter(|_| !thought)?.as_str()
}

/// The messages so far.
#[derive(Default)]
struct Reader<'t> {
    messages: Vec<Message<'t>>,
    /// The calls of the last turn of the model.
    waiting: Waiting<'t>,
    /// The reply of ours that the last signature names: what ids of its calls begin with, and the number of the next.
    sealed: Option<(String, usize)>,
    /// Whether calls are spelt with underscores.
    underscores: bool,
    /// Whether nothing names some call.
    unnamed: bool,
}

impl<'t> Reader<'t> {
    /// Adds what one element of the list says.
    fn content(&mut self, index: usize, content: Value<'t>) {
        if content.kind() != Kind::Object {
            return;
        }
        match content.get("role").and_then(Value::as_str).as_deref() {
            Some("model") => self.model(index, content),
            None | Some("user" | "function" | "tool" | "") => self.user(index, content),
            Some("system") => self.messages.push(said(index, Role::System, texts(content))),
            Some(_) => self.messages.push(said(index, Role::Unknown, texts(content))),
        }
    }

    fn model(&mut self, index: usize, content: Value<'t>) {
        if self.messages.last().is_none_or(|last| last.role != Role::Assistant) {
            self.messages.push(said(index, Role::Assistant, Vec::new()));
            self.waiting = Waiting::default();
            self.sealed = None;
        }
        let Some(first) = self.messages.last().map(|turn| turn.index) else { return };
        let before = (index - first).saturating_mul(PARTS);
        for (at, part) in parts(content).enumerate() {
            let call = self.call((index, before, at), part);
            let Some(turn) = self.messages.last_mut() else { return };
            turn.texts.extend(words(part));
            turn.calls.extend(call);
        }
    }

    fn call(&mut self, (content, before, at): (usize, usize, usize), part: Value<'t>) -> Option<Call<'t>> {
        let made = field(part, "functionCall").filter(|made| made.kind() == Kind::Object)?;
        self.underscores |= part.get("functionCall").is_none();
        let name = made.get("name")?.as_str()?;
        let sent = made.get("id").and_then(Value::as_str).filter(|id| !id.is_empty());
        let named =
            field(part, "thoughtSignature").and_then(Value::as_str).and_then(|seal| thought::call(&seal));
        if let Some(first) = named {
            self.sealed = first.rsplit_once('_').map(|(reply, _)| (format!("{reply}_"), 0));
        }
        let next = self.sealed.as_mut().map(|(reply, number)| {
            *number += 1;
            format!("{reply}{}", *number - 1)
        });
        let id = match (&sent, next) {
            (Some(id), _) if thought::is_ours(id) => id.clone(),
            (_, Some(next)) => Cow::Owned(next),
            (Some(id), None) => id.clone(),
            (None, None) => {
                self.unnamed = true;
                Cow::Owned(format!("{name} (contents[{content}].parts[{at}])"))
            }
        };
        self.waiting.push(sent, name.clone(), id.clone());
        // The arguments are the value itself; its text is what other dialects send as a string.
        let arguments = Cow::Borrowed(made.get("args").map_or("{}", Value::text));
        Some(Call { index: before + at, id, name, arguments, custom: false })
    }

    fn user(&mut self, index: usize, content: Value<'t>) {
        let from = self.messages.len();
        for part in parts(content) {
            let answer = field(part, "functionResponse");
            let role = if answer.is_some() { Role::Tool } else { Role::User };
            if self.messages.len() == from || self.messages.last().is_none_or(|last| last.role != role) {
                self.messages.push(said(index, role, Vec::new()));
            }
            let id = answer.map(|answer| self.waiting.answered(answer));
            let Some(message) = self.messages.last_mut() else { return };
            message.answers.extend(id);
            message.texts.extend(words(part));
        }
        if self.messages.len() == from {
            self.messages.push(said(index, Role::User, Vec::new()));
        }
    }
}

/// The calls of one turn, by what a response may name.
#[derive(Default)]
struct Waiting<'t> {
    /// The id of each call, and whether it was answered.
    calls: Vec<(Cow<'t, str>, bool)>,
    /// Their places by the ids that were sent and by our own.
    by_id: BTreeMap<Cow<'t, str>, usize>,
    /// Their places by the name of the function, the last first: of all calls, and of those without a sent id.
    by_name: BTreeMap<Cow<'t, str>, [Vec<usize>; 2]>,
    /// Whether the lists by name are turned round.
    turned: bool,
}

impl<'t> Waiting<'t> {
    fn push(&mut self, sent: Option<Cow<'t, str>>, name: Cow<'t, str>, id: Cow<'t, str>) {
        let place = self.calls.len();
        let [all, nameless] = self.by_name.entry(name).or_default();
        all.push(place);
        match sent {
            Some(sent) => drop(self.by_id.entry(sent).or_insert(place)),
            None => nameless.push(place),
        }
        self.by_id.entry(id.clone()).or_insert(place);
        self.calls.push((id, false));
    }

    /// The id of the call that a response answers; that of the response itself where it answers none.
    fn answered(&mut self, response: Value<'t>) -> Cow<'t, str> {
        let text = |key| response.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        let (id, name) = (text("id"), text("name"));
        let by_id = id.as_ref().and_then(|id| self.by_id.get(id).copied());
        let place = by_id.or_else(|| self.by_name(name.as_deref()?, id.is_some()));
        match place.and_then(|place| self.calls.get_mut(place)) {
            Some((call, answered)) => {
                *answered = true;
                call.clone()
            }
            None => id.or(name).unwrap_or_default(),
        }
    }

    /// The first unanswered call of a function, else its last. A response with an id of its own answers no call that was
    /// sent with another.
    fn by_name(&mut self, name: &str, with_id: bool) -> Option<usize> {
        if !self.turned {
            self.by_name.values_mut().flatten().for_each(|places| places.reverse());
            self.turned = true;
        }
        let places = &mut self.by_name.get_mut(name)?[usize::from(with_id)];
        while let [_, .., last] = places.as_slice() {
            if !self.calls.get(*last).is_some_and(|(_, answered)| *answered) {
                break;
            }
            places.pop();
        }
        places.last().copied()
    }
}
