//! Recordings as conversations: which request goes on from which answer, and what each was answered.
//!
//! Must not know: what a scenario is.

mod history;

use super::{Ending, Recording};
use crate::pipe;
use history::History;
use rehearsal_wire::dialect::heard::{self, Heard, HeardError};
use rehearsal_wire::dialect::{Dialect, Serves, place};
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::Reply;
use rehearsal_world::vault::VaultError;
use std::collections::BTreeMap;

/// Longest body that is heard, in bytes.
const LONGEST: usize = 32 << 20;

/// Headers of an error that tell a client what to do.
const TELLING: &[&str] = &["retry-after", "retry-after-ms", "x-should-retry"];

/// What was said, in conversations, and what could not be told.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talks {
    /// The conversations, in the order in which they began.
    pub talks: Vec<Talk>,
    /// What is in none of them, one sentence each.
    pub notes: Vec<String>,
}

/// One conversation.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Talk {
    /// Its case, where its requests named one.
    pub case: Option<String>,
    /// The last thing that a user said when it began.
    pub prompt: String,
    /// The model that answered.
    pub model: Option<String>,
    /// What each request was told, in order.
    pub told: Vec<Told>,
}

/// What a request was told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// The model spoke.
    Said(Box<Reply>),
    /// The provider refused.
    Failed {
        /// HTTP status.
        status: u16,
        /// Headers that tell a client what to do.
        headers: Vec<(String, String)>,
        /// What the body said.
        error: HeardError,
    },
}

/// A conversation that may go on.
struct Open {
    talk: Talk,
    /// What its last request held.
    last: History,
    /// The ids of its replies.
    ids: Vec<String>,
    /// Whether the last request got what no client can go on from.
    failed: bool,
}

/// Sorts recordings into conversations: by case, and within one by growing history.
///
/// # Errors
/// When a body cannot be read.
pub fn talks<'r>(recordings: impl IntoIterator<Item = &'r Recording>) -> Result<Talks, VaultError> {
    let mut open: Vec<Open> = Vec::new();
    let mut notes = Vec::new();
    let mut beside: BTreeMap<String, u64> = BTreeMap::new();
    for recording in recordings {
        let name = &recording.name;
        let Some(dialect) = recording.dialect.filter(|_| is_turn(recording)) else {
            *beside.entry(recording.key.route.clone()).or_default() += 1;
            continue;
        };
        let asked = recording.request.read(LONGEST)?;
        let Ok(tape) = parse(&asked) else {
            notes.push(format!("{name}: its request is not JSON; it is left out."));
            continue;
        };
        let history = History::of(&(dialect.read)(&tape));
        let at = goes_on(&open, recording, &history).unwrap_or_else(|| {
            notes.extend(history.cut_in(name));
            open.push(Open::new(recording, &history));
            open.len() - 1
        });
        let Some(one) = open.get_mut(at) else { continue };
        one.last = history;
        let (told, heard) = told(recording, dialect)?;
        one.failed = !matches!(told, Ok(Told::Said(_)));
        one.ids.extend(heard.id);
        one.talk.model = one.talk.model.take().or(heard.model);
        match told {
            Ok(told) => one.talk.told.push(told),
            Err(why) => notes.push(format!("{name}: {why}; this answer is left out.")),
        }
    }
    let left_out = |(route, count): (String, u64)| {
        let plural = if count == 1 { "" } else { "s" };
        format!("{count} request{plural} {route}: no turn of a conversation; left out.")
    };
    notes.extend(beside.into_iter().map(left_out));
    Ok(Talks {
        talks: open.into_iter().map(|one| one.talk).filter(|talk| !talk.told.is_empty()).collect(),
        notes,
    })
}

impl Open {
    fn new(recording: &Recording, history: &History) -> Self {
        let talk = Talk {
            case: recording.case.clone(),
            prompt: history.prompt.clone(),
            model: None,
            told: Vec::new(),
        };
        Self { talk, last: History::default(), ids: Vec::new(), failed: false }
    }
}

/// Whether a request asks for a turn of a conversation.
fn is_turn(recording: &Recording) -> bool {
    let path = recording.target.split('?').next().unwrap_or_default();
    let found = place::find(&recording.method, path, &[]);
    let serves = found.is_some_and(|found| matches!(found.serves, Serves::Conversation | Serves::Stream(_)));
    serves && recording.method == "POST"
}

/// The conversation that a request goes on with: of its case the one of which it knows most, and of several the last.
fn goes_on(open: &[Open], recording: &Recording, history: &History) -> Option<usize> {
    let of_case = open.iter().enumerate().filter(|(_, one)| one.talk.case == recording.case);
    let knows = of_case.filter_map(|(at, one)| {
        let known = match &history.kept {
            // An attempt at the same again, which is one only where the first came to nothing.
            _ if *history == one.last => one.failed.then_some(usize::MAX)?,
            Some(id) if one.ids.last() == Some(id) => usize::MAX,
            Some(_) => return None,
            None if history.begins_with(&one.last) => one.last.len(),
            None => return None,
        };
        Some((known, at))
    });
    knows.max().map(|(_, at)| at)
}

/// What a request was told; why it cannot be said. And all that was heard.
fn told(recording: &Recording, dialect: &Dialect) -> Result<(Result<Told, String>, Heard), VaultError> {
    let untold = |why: &str| Ok((Err(why.to_owned()), Heard::default()));
    if !recording.provided {
        return untold("the provider could not be asked, or gave no whole answer");
    }
    let body = recording.body.read(LONGEST + 1)?;
    if body.len() > LONGEST {
        return untold("its answer is too long to be read");
    }
    let Some(body) = decoded(recording, body) else { return untold("its content coding is not known") };
    let content_type = pipe::value(&recording.headers, "content-type").unwrap_or_default();
    let heard = heard::hear(dialect, &content_type, &body);
    if recording.status >= 400 || heard.error.is_some() {
        let error = heard.error.clone().unwrap_or_default();
        let failed = Told::Failed { status: recording.status, headers: telling(recording), error };
        return Ok((Ok(failed), heard));
    }
    let said_nothing = heard.reply.text.is_none()
        && heard.reply.refusal.is_none()
        && heard.reply.thinking.is_none()
        && heard.reply.calls.is_empty();
    let told = if recording.ending == Ending::Cut || !heard.done {
        Err("its answer broke off".to_owned())
    } else if said_nothing && !heard.notes.is_empty() {
        Err(format!("its answer is no reply ({})", heard.notes.join(" ")))
    } else {
        Ok(Told::Said(Box::new(heard.reply.clone())))
    };
    Ok((told, heard))
}

/// A body without its content coding; none where that is not known. What a broken one gave is taken.
fn decoded(recording: &Recording, body: Vec<u8>) -> Option<Vec<u8>> {
    let codings = pipe::codings(&recording.headers).ok()?;
    Some(if recording.decoded { body } else { pipe::decoded(&codings, body, LONGEST) })
}

/// The headers of an error that tell a client what to do.
fn telling(recording: &Recording) -> Vec<(String, String)> {
    let wanted = |name: &str| TELLING.iter().any(|known| name.eq_ignore_ascii_case(known));
    let headers = recording.headers.iter().filter(|(name, _)| wanted(name));
    headers.map(|(name, value)| (name.clone(), String::from_utf8_lossy(value).into_owned())).collect()
}
