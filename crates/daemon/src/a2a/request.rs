//! Requests of A2A, read strictly.

use super::card::{INPUTS, OUTPUTS};
use super::fault::{Fault, Sort};
use super::field::Field;
use super::shown::Shown;
use super::time;
use crate::v2::body::canonical;
use rehearsal_journal::digest;
use serde_json::{Map, Value, json};

/// Longest id that a client gives, in characters.
const LONGEST_ID: usize = 256;
/// Most messages of a history that can be asked for.
const MOST_HISTORY: i64 = i32::MAX as i64;
/// Tasks on a page where nobody says how many, and the most (section 3.1.4).
const PAGE: i64 = 50;
const LARGEST_PAGE: i64 = 100;

/// A message that was sent.
#[derive(Clone, Debug)]
pub(crate) struct Message {
    /// Its id, which its client minted.
    pub(crate) id: String,
    pub(crate) context: Option<String>,
    pub(crate) task: Option<String>,
    /// All that its parts say.
    pub(crate) text: String,
    /// As it is shown in a history, without the ids of its task and context.
    pub(crate) shown: Map<String, Value>,
    /// SHA-256 over its canonical form and that of the request's metadata.
    pub(crate) digest: [u8; 32],
    /// What its metadata, or that of the request, ask for.
    pub(crate) wishes: Wishes,
}

/// What metadata may ask for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Wishes {
    /// The credential profile to work with.
    pub(crate) profile: Option<String>,
    /// A private workspace.
    pub(crate) workspace: Option<String>,
    /// The live tree, which is never touched.
    pub(crate) live: Option<String>,
}

/// A message and how it is answered.
#[derive(Clone, Debug)]
pub(crate) struct Sending {
    pub(crate) message: Message,
    /// Most messages of the history that are shown.
    pub(crate) history: Option<usize>,
    /// Whether the answer waits for nothing.
    pub(crate) at_once: bool,
}

/// Which tasks are listed.
#[derive(Clone, Debug)]
pub(crate) struct Listing {
    pub(crate) context: Option<String>,
    pub(crate) state: Option<Shown>,
    /// Tasks on a page.
    pub(crate) size: usize,
    /// Behind which task the page begins: when its status was, and its number.
    pub(crate) after: Option<(u64, u64)>,
    pub(crate) history: Option<usize>,
    /// Only tasks whose status is not older, milliseconds since 1970.
    pub(crate) since_ms: Option<u64>,
    pub(crate) artifacts: bool,
}

/// Reads the parameters of both kinds of sending.
pub(crate) fn sending(params: &Field<'_>) -> Result<Sending, Fault> {
    tenant(params)?;
    let options = params.get("configuration");
    options.object()?;
    if options.get("taskPushNotificationConfig").is_there() {
        return Err(no_push());
    }
    let accepted = options.get("acceptedOutputModes");
    let modes = accepted.texts()?;
    if !modes.is_empty() && !modes.iter().any(|mode| OUTPUTS.iter().any(|ours| takes(mode, ours))) {
        let why = format!("none of them is one of {}", OUTPUTS.join(", "));
        return Err(Fault { sort: Sort::ContentType, ..accepted.wrong(why) });
    }
    Ok(Sending {
        history: history(&options)?,
        at_once: options.get("returnImmediately").flag()?,
        message: message(params)?,
    })
}

/// Push notifications are not to be had.
pub(crate) fn no_push() -> Fault {
    let why = "the agent card says that push notifications are not supported; poll, stream or subscribe";
    Fault::new(Sort::PushNotSupported, why)
}

/// There is one tenant, without a name.
fn tenant(params: &Field<'_>) -> Result<(), Fault> {
    let tenant = params.get("tenant");
    if tenant.text()?.is_some() { Err(tenant.wrong("the agent card names no tenant")) } else { Ok(()) }
}

fn history(of: &Field<'_>) -> Result<Option<usize>, Fault> {
    let length = of.get("historyLength").whole(0, MOST_HISTORY)?;
    Ok(length.and_then(|length| usize::try_from(length).ok()))
}

/// Whether a media range takes a media type.
fn takes(range: &str, media: &str) -> bool {
    let range = range.split(';').next().unwrap_or_default().trim();
    let is_all = range.strip_suffix("/*").is_some_and(|group| {
        group == "*" || media.split('/').next().is_some_and(|ours| ours.eq_ignore_ascii_case(group))
    });
    is_all || range.eq_ignore_ascii_case(media)
}

fn message(params: &Field<'_>) -> Result<Message, Fault> {
    let message = params.get("message");
    message.object()?;
    if !message.is_there() {
        return Err(message.missing(params));
    }
    let id = short(&message.get("messageId"))?;
    let id = id.ok_or_else(|| message.get("messageId").missing(&message))?;
    role(&message)?;
    let (text, parts) = parts(&message)?;
    let mut shown = Map::new();
    shown.insert("messageId".to_owned(), json!(id));
    shown.insert("role".to_owned(), json!("ROLE_USER"));
    shown.insert("parts".to_owned(), json!(parts));
    let metadata = message.get("metadata");
    metadata.object()?;
    if let Some(metadata) = metadata.copy()? {
        shown.insert("metadata".to_owned(), metadata);
    }
    for name in ["extensions", "referenceTaskIds"] {
        let texts = message.get(name).texts()?;
        if !texts.is_empty() {
            shown.insert(name.to_owned(), json!(texts));
        }
    }
    let further = params.get("metadata");
    further.object()?;
    Ok(Message {
        id,
        context: short(&message.get("contextId"))?,
        task: short(&message.get("taskId"))?,
        text,
        shown,
        digest: sum(&[&message, &further]),
        wishes: wishes(&metadata, &further)?,
    })
}

/// A text that is an id.
fn short(field: &Field<'_>) -> Result<Option<String>, Fault> {
    let text = field.text()?;
    if text.as_ref().is_some_and(|text| text.chars().count() > LONGEST_ID) {
        return Err(field.wrong(format!("has more than {LONGEST_ID} characters")));
    }
    Ok(text)
}

fn role(message: &Field<'_>) -> Result<(), Fault> {
    let role = message.get("role");
    let Some(value) = role.value() else { return Err(role.missing(message)) };
    if value.is_str("ROLE_USER") || value.as_i64() == Some(1) {
        return Ok(());
    }
    let older = value.is_str("user") || value.is_str("agent");
    let hint = if older { "; that is the spelling of 0.3" } else { "" };
    Err(role.wrong(format!("a message to an agent has the role ROLE_USER{hint}")))
}

/// What the parts say, and the parts as they are shown.
fn parts(message: &Field<'_>) -> Result<(String, Vec<Value>), Fault> {
    let field = message.get("parts");
    let parts = field.list()?;
    if parts.is_empty() {
        return Err(if field.is_there() { field.wrong("must not be empty") } else { field.missing(message) });
    }
    let read = parts.iter().map(part).collect::<Result<Vec<_>, _>>()?;
    let text = read.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>().join("\n");
    if text.is_empty() {
        return Err(field.wrong("say nothing"));
    }
    Ok((text, read.into_iter().map(|(_, shown)| shown).collect()))
}

fn part(part: &Field<'_>) -> Result<(String, Value), Fault> {
    part.object()?;
    // `data` may be null, which is a value there.
    let raw = part.value().and_then(|value| value.get("data"));
    let there: Vec<&str> = ["text", "raw", "url", "data"]
        .into_iter()
        .filter(|name| part.get(name).is_there() || *name == "data" && raw.is_some())
        .collect();
    let [one] = there.as_slice() else {
        let older = if part.get("kind").is_there() { "; `kind` is of 0.3" } else { "" };
        let has = if there.is_empty() { "none".to_owned() } else { there.join(" and ") };
        return Err(part.wrong(format!("must have one of text, raw, url and data, and has {has}{older}")));
    };
    let media = part.get("mediaType").text()?;
    let is_ours = match *one {
        "text" => media.as_deref().is_none_or(|media| media.to_ascii_lowercase().starts_with("text/")),
        "data" => media.as_deref().is_none_or(|media| takes(media, "application/json")),
        _ => false,
    };
    if !is_ours {
        let why = format!(
            "a {one} part of {} is not taken; send {}",
            media.as_deref().unwrap_or("some media type"),
            INPUTS.join(" or ")
        );
        return Err(Fault { sort: Sort::ContentType, ..part.wrong(why) });
    }
    let mut shown = Map::new();
    let said = if *one == "text" {
        let text = part.get("text").text()?.unwrap_or_default();
        shown.insert("text".to_owned(), json!(text));
        text
    } else {
        let data = part.get("data").copy()?.unwrap_or_default();
        let text = data.to_string();
        shown.insert("data".to_owned(), data);
        text
    };
    if let Some(media) = media {
        shown.insert("mediaType".to_owned(), json!(media));
    }
    if let Some(name) = part.get("filename").text()? {
        shown.insert("filename".to_owned(), json!(name));
    }
    let metadata = part.get("metadata");
    metadata.object()?;
    if let Some(metadata) = metadata.copy()? {
        shown.insert("metadata".to_owned(), metadata);
    }
    Ok((said, shown.into()))
}

fn wishes(message: &Field<'_>, request: &Field<'_>) -> Result<Wishes, Fault> {
    let wish = |name: &str| -> Result<Option<String>, Fault> {
        Ok(message.get(name).text()?.or(request.get(name).text()?))
    };
    Ok(Wishes {
        profile: wish("credentialProfileId")?,
        workspace: wish("workspaceRoot")?,
        live: wish("scopeRoot")?,
    })
}

/// SHA-256 over canonical forms.
fn sum(of: &[&Field<'_>]) -> [u8; 32] {
    let mut out = Vec::new();
    for field in of {
        match field.value() {
            Some(value) => canonical(&mut out, value),
            None => out.extend_from_slice(b"{}"),
        }
        out.push(b'\n');
    }
    digest::of(&out)
}

/// Reads what `GetTask` asks: a task, and how much of its history.
pub(crate) fn getting(params: &Field<'_>, named: Option<&str>) -> Result<(String, Option<usize>), Fault> {
    Ok((one_task(params, named)?, history(params)?))
}

/// Reads what `CancelTask` asks: a task, and the reason in its metadata.
pub(crate) fn canceling(params: &Field<'_>, named: Option<&str>) -> Result<(String, Option<String>), Fault> {
    let metadata = params.get("metadata");
    metadata.object()?;
    Ok((one_task(params, named)?, metadata.get("reason").text()?))
}

/// Reads which task is meant. The path may have named it.
pub(crate) fn one_task(params: &Field<'_>, named: Option<&str>) -> Result<String, Fault> {
    tenant(params)?;
    params.object()?;
    let id = params.get("id");
    let Some(named) = named else { return id.needed(params) };
    match id.text()? {
        Some(other) if other != named => Err(id.wrong("is another task than that of the path")),
        _ => Ok(named.to_owned()),
    }
}

/// Reads what `ListTasks` asks.
pub(crate) fn listing(params: &Field<'_>) -> Result<Listing, Fault> {
    tenant(params)?;
    let state = params.get("status");
    let state = match state.text()? {
        Some(word) if word != "TASK_STATE_UNSPECIFIED" => {
            let known = Shown::of(&word);
            let all = Shown::ALL.map(Shown::word).join(", ");
            Some(known.ok_or_else(|| state.wrong(format!("{word:?} is none of {all}")))?)
        }
        _ => None,
    };
    let token = params.get("pageToken");
    let after = match token.text()? {
        Some(text) => Some(cursor(&text).ok_or_else(|| token.wrong("is no token of a page of ours"))?),
        None => None,
    };
    let since = params.get("statusTimestampAfter");
    let since_ms = match since.text()? {
        Some(text) => {
            let read = time::read(&text);
            Some(read.ok_or_else(|| since.wrong("must be a time such as 2026-09-01T00:00:00Z"))?)
        }
        None => None,
    };
    let size = params.get("pageSize").whole(1, LARGEST_PAGE)?.unwrap_or(PAGE);
    Ok(Listing {
        context: params.get("contextId").text()?,
        state,
        size: usize::try_from(size).unwrap_or(1),
        after,
        history: history(params)?,
        since_ms,
        artifacts: params.get("includeArtifacts").flag()?,
    })
}

/// The token of the page behind a task.
pub(crate) fn token((at_ms, number): (u64, u64)) -> String {
    format!("{at_ms:x}.{number:x}")
}

fn cursor(token: &str) -> Option<(u64, u64)> {
    let (at_ms, number) = token.split_once('.')?;
    let read = |text: &str| u64::from_str_radix(text, 16).ok().filter(|_| !text.starts_with('+'));
    Some((read(at_ms)?, read(number)?))
}

#[cfg(test)]
mod tests;
