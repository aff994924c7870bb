//! What is kept of a reply, and what is told of it later.

use crate::dialect::{Begun, Keep, Origin};
use crate::json::{Kind, Tape, Value, write_string, write_value};
use crate::reject::Reject;

/// Whether the reply to a request is kept: unless `store` says no.
pub(super) fn keep(request: &Tape<'_>) -> Keep {
    let says = |key: &str| request.root().get(key).and_then(Value::as_bool);
    if says("background") == Some(true) {
        Keep::Background
    } else if says("store") == Some(false) {
        Keep::Not
    } else {
        Keep::Kept
    }
}

/// The id of a reply. The first of its last 16 digits is 8 or more where it is kept, so that nothing need be remembered.
pub(super) fn id(origin: &Origin<'_>) -> String {
    const PREFIX: &str = "resp_gate_";
    let origin = Origin { bits: origin.bits >> 1 | u64::from(origin.kept) << 63, ..*origin };
    origin.id_of_step(PREFIX, 16).unwrap_or_else(|| origin.id(PREFIX, 16))
}

/// Whether the reply with this id of ours was kept.
pub(crate) fn was_kept(id: &str) -> bool {
    id.rsplit('_').next().is_some_and(|hex| hex.starts_with(|digit: char| digit >= '8'))
}

/// The step that a reply of ours was, by its id.
pub(super) fn step(id: &str) -> Option<usize> {
    let (reply, _) = id.strip_prefix("resp_gate_")?.rsplit_once('_')?;
    reply.rsplit_once("_s")?.1.parse().ok()
}

/// The messages of users in a request, as they are told again.
pub(super) fn of_users(request: &Tape<'_>, stem: &str) -> Vec<Vec<u8>> {
    let input = request.root().get("input");
    let is_user = |item: Value<'_>| {
        let kind = item.get("type");
        item.get("role").is_some_and(|role| role.is_str("user"))
            && kind.is_none_or(|kind| kind.is_str("message"))
    };
    let items = input.into_iter().flat_map(Value::items).enumerate().filter(|(_, item)| is_user(*item));
    let text = written(request, stem)
        .into_iter()
        .filter(|_| input.is_some_and(|input| input.kind() == Kind::String));
    text.chain(items.map(|(at, item)| one(at, item, stem))).map(|(_, item)| item).collect()
}

/// The first event of a stream that goes on behind the one that `starting_after` names: its number is its place.
pub(super) fn streams_from(query: &str) -> Option<usize> {
    asked(query, "stream").filter(|stream| *stream == "true")?;
    let after = asked(query, "starting_after").and_then(|after| after.parse::<usize>().ok());
    Some(after.map_or(0, |after| after.saturating_add(1)))
}

fn asked<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

/// The body after a deletion.
pub(super) fn deleted(id: &str) -> Vec<u8> {
    let mut out = b"{\"id\":".to_vec();
    write_string(&mut out, id);
    out.extend_from_slice(b",\"object\":\"response\",\"deleted\":true}");
    out
}

/// The conversation that a request names, by its id or as an object.
pub(super) fn conversation(request: &Tape<'_>) -> Option<String> {
    let named = request.root().get("conversation")?;
    named.get("id").unwrap_or(named).as_str().map(std::borrow::Cow::into_owned)
}

/// A new conversation.
pub(super) fn begun(bits: u64, created: u64, request: Option<&Tape<'_>>) -> Begun {
    let id = format!("conv_gate_{bits:016x}");
    let mut out = b"{\"id\":".to_vec();
    write_string(&mut out, &id);
    out.extend_from_slice(b",\"object\":\"conversation\"");
    super::render::number(&mut out, "created_at", created);
    super::item::key(&mut out, "metadata");
    match request.and_then(|tape| tape.root().get("metadata")).filter(|value| !value.is_null()) {
        Some(metadata) => write_value(&mut out, metadata),
        None => out.extend_from_slice(b"{}"),
    }
    out.push(b'}');
    Begun { id, body: out }
}

/// What is said of an id that is not kept.
pub(super) fn missing(id: &str) -> Reject {
    Reject::of_no_place("kept-reply", 404, None, format!("Response with id '{id}' not found."))
}

/// Items of a page where the client does not say, and at most.
const PAGE: (usize, usize) = (20, 100);

/// The list of input items: newest first, unless the query says `order=asc`.
pub(super) fn items(request: &Tape<'_>, id: &str, query: &str) -> Vec<u8> {
    let mut items = written(request, id.strip_prefix("resp_").unwrap_or(id));
    if asked(query, "order") != Some("asc") {
        items.reverse();
    }
    if let Some(after) = asked(query, "after").and_then(|after| items.iter().position(|(id, _)| id == after))
    {
        items.drain(..=after);
    }
    let limit = asked(query, "limit").and_then(|limit| limit.parse().ok()).unwrap_or(PAGE.0).clamp(1, PAGE.1);
    let more = items.len() > limit;
    items.truncate(limit);

    let mut out = b"{\"object\":\"list\",\"data\":[".to_vec();
    for (at, (_, item)) in items.iter().enumerate() {
        if at > 0 {
            out.push(b',');
        }
        out.extend_from_slice(item);
    }
    out.push(b']');
    for (name, item) in [("first_id", items.first()), ("last_id", items.last())] {
        super::item::key(&mut out, name);
        match item {
            Some((id, _)) => write_string(&mut out, id),
            None => out.extend_from_slice(b"null"),
        }
    }
    out.extend_from_slice(if more { b",\"has_more\":true}" } else { b",\"has_more\":false}" });
    out
}

/// Each item with its id, in the order of the request.
fn written(request: &Tape<'_>, stem: &str) -> Vec<(String, Vec<u8>)> {
    let Some(input) = request.root().get("input") else { return Vec::new() };
    if input.kind() == Kind::String {
        let id = format!("msg_{stem}_in0");
        let mut out = b"{\"id\":".to_vec();
        write_string(&mut out, &id);
        out.extend_from_slice(
            b",\"type\":\"message\",\"status\":\"completed\",\"content\":[{\"type\":\"input_text\",\"text\":",
        );
        write_value(&mut out, input);
        out.extend_from_slice(b"}],\"role\":\"user\"}");
        return vec![(id, out)];
    }
    input
        .items()
        .enumerate()
        .filter(|(_, item)| item.kind() == Kind::Object)
        .map(|(at, item)| one(at, item, stem))
        .collect()
}

/// An item as it was sent, with an id, and a text as a list of parts.
fn one(at: usize, item: Value<'_>, stem: &str) -> (String, Vec<u8>) {
    let kind = item.get("type").and_then(Value::as_str);
    let prefix = match kind.as_deref() {
        None | Some("message") => "msg",
        Some("function_call") => "fc",
        Some("reasoning") => "rs",
        Some(_) => "item",
    };
    let given = item.get("id").and_then(Value::as_str);
    let id = given.map_or_else(|| format!("{prefix}_{stem}_in{at}"), std::borrow::Cow::into_owned);
    let mut out = b"{\"id\":".to_vec();
    write_string(&mut out, &id);
    if kind.is_none() && super::read::is_reference(item) {
        out.extend_from_slice(b",\"type\":\"item_reference\"");
    } else if kind.is_none() {
        out.extend_from_slice(b",\"type\":\"message\",\"status\":\"completed\"");
    }
    let part = if item.get("role").is_some_and(|role| role.is_str("assistant")) {
        "output_text"
    } else {
        "input_text"
    };
    for (key, value) in item.entries() {
        let Some(name) = key.as_str().filter(|name| name != "id") else { continue };
        out.push(b',');
        write_string(&mut out, &name);
        out.push(b':');
        if name == "content" && value.kind() == Kind::String {
            out.extend_from_slice(b"[{\"type\":");
            write_string(&mut out, part);
            super::item::key(&mut out, "text");
            write_value(&mut out, value);
            out.extend_from_slice(b"}]");
        } else {
            write_value(&mut out, value);
        }
    }
    out.push(b'}');
    (id, out)
}
