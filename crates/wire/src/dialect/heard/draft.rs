//! A reply in the making: what the documents of an answer add to, in whatever order a provider sends its pieces.

use super::split::excerpt;
use super::{Heard, HeardError, MOST_NOTES};
use crate::json::{Kind, Value, write_string};
use crate::reply::{IssuedCall, Reply};
use std::collections::BTreeMap;

/// What was heard so far.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Draft {
    /// The reply without its calls, and all around it.
    pub(in crate::dialect) heard: Heard,
    parts: Vec<Part>,
    /// The newest call with an index.
    by_index: BTreeMap<i64, usize>,
    /// The newest call with an id.
    by_id: BTreeMap<String, usize>,
    /// Whether the event came behind which nothing counts.
    pub(super) closed: bool,
    /// Bytes of thinking, text and refusal that belong to items which are over.
    over: [usize; 3],
}

/// A call in the making.
#[derive(Debug, Default)]
pub(in crate::dialect) struct Part {
    /// Its place among the calls, where the provider tells.
    pub(in crate::dialect) index: Option<i64>,
    /// What was heard of it.
    pub(in crate::dialect) call: IssuedCall,
    /// Whether its arguments are the free input of a custom tool.
    pub(in crate::dialect) free: bool,
    /// What its arguments are where no piece of them comes.
    pub(in crate::dialect) whole: Option<String>,
}

impl Draft {
    /// Adds words. An empty piece still makes the text a text: of the dialects only one tells it from none.
    pub(in crate::dialect) fn text(&mut self, piece: &str) {
        self.heard.reply.text.get_or_insert_default().push_str(piece);
    }

    /// Adds words where there are any, and tells if calls stand before them: a reply has its words first.
    pub(in crate::dialect) fn block(&mut self, piece: &str) {
        if !piece.is_empty() {
            if !self.parts.is_empty() {
                self.note("Words stand behind a call; the reply has them before it.");
            }
            self.text(piece);
        }
    }

    /// Adds to what was thought.
    pub(in crate::dialect) fn thinking(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.heard.reply.thinking.get_or_insert_default().push_str(piece);
        }
    }

    /// Adds to the refusal.
    pub(in crate::dialect) fn refusal(&mut self, piece: &str) {
        if !piece.is_empty() {
            self.heard.reply.refusal.get_or_insert_default().push_str(piece);
        }
    }

    /// Takes id and model where they stand under these keys: the first that are said.
    pub(in crate::dialect) fn names(&mut self, document: Value<'_>, id: &str, model: &str) {
        for (key, into) in [(id, &mut self.heard.id), (model, &mut self.heard.model)] {
            if into.is_none() {
                *into = words(document.get(key));
            }
        }
    }

    /// Why it ended.
    pub(in crate::dialect) fn ended(&mut self, word: Option<Value<'_>>) {
        if let Some(word) = words(word) {
            self.heard.ended = Some(word);
        }
    }

    /// Takes the tokens that stand under these keys; each list adds up. Later counts replace earlier ones.
    pub(in crate::dialect) fn usage(&mut self, usage: Option<Value<'_>>, prompt: &[&str], answer: &[&str]) {
        let Some(usage) = usage else { return };
        let total = |keys: &[&str]| {
            let counts = keys.iter().filter_map(|key| usage.get(key).and_then(number));
            counts.reduce(u64::saturating_add)
        };
        let (read, written) = (total(prompt), total(answer));
        let known = &mut self.heard.reply.usage;
        known.prompt = read.unwrap_or(known.prompt);
        known.completion = written.unwrap_or(known.completion);
        let is_strange = |key: &&str| usage.get(key).is_some_and(|it| !it.is_null() && number(it).is_none());
        let counted = &mut self.heard.counted;
        counted.prompt = read.or(counted.prompt);
        counted.completion = written.or(counted.completion);
        counted.strange |= prompt.iter().chain(answer).any(is_strange);
    }

    /// The last event of a stream was seen.
    pub(in crate::dialect) fn close(&mut self) {
        self.heard.done = true;
        self.closed = true;
    }

    /// The answer is an error. The first one counts.
    pub(in crate::dialect) fn fail(&mut self, error: HeardError) {
        self.heard.error.get_or_insert(error);
        self.heard.done = true;
    }

    /// Tells what cannot be said here, once.
    pub(in crate::dialect) fn note(&mut self, note: impl Into<String>) {
        let note = note.into();
        if self.heard.notes.len() < MOST_NOTES && !self.heard.notes.contains(&note) {
            self.heard.notes.push(note);
        }
    }

    /// Tells of a part that a reply has no place for.
    pub(in crate::dialect) fn left_out(&mut self, what: &str, kind: &str) {
        self.note(format!("{what} of type {} is left out.", excerpt(kind)));
    }

    /// The call at this index.
    pub(in crate::dialect) fn by_index(&self, index: Option<i64>) -> Option<usize> {
        self.by_index.get(&index?).copied()
    }

    /// The call with this id.
    pub(in crate::dialect) fn by_id(&self, id: &str) -> Option<usize> {
        self.by_id.get(id).copied()
    }

    /// The newest call.
    pub(in crate::dialect) fn newest(&self) -> Option<usize> {
        self.parts.len().checked_sub(1)
    }

    /// The call at a place that one of the above gave; a new one where there is none.
    pub(in crate::dialect) fn part(&mut self, at: Option<usize>) -> &mut Part {
        let at = at.filter(|at| *at < self.parts.len()).unwrap_or_else(|| {
            self.parts.push(Part::default());
            self.parts.len() - 1
        });
        &mut self.parts[at]
    }

    /// A new call at an index, if it has one. Gives its place.
    pub(in crate::dialect) fn begin(&mut self, index: Option<i64>) -> usize {
        let at = self.parts.len();
        self.parts.push(Part { index, ..Part::default() });
        if let Some(index) = index {
            self.by_index.insert(index, at);
        }
        at
    }

    /// Makes the call at a place known by an id too.
    pub(in crate::dialect) fn known_as(&mut self, at: usize, id: &str) {
        if !id.is_empty() {
            self.by_id.insert(id.to_owned(), at);
        }
    }

    /// A call that comes in one piece.
    pub(in crate::dialect) fn whole_call(&mut self, call: IssuedCall) {
        self.part(None).call = call;
    }

    /// How many calls there are.
    pub(in crate::dialect) fn calls(&self) -> usize {
        self.parts.len()
    }

    /// What an item says as a whole takes the place of the pieces of it that were heard: thinking, text and refusal, where it
    /// has them.
    pub(in crate::dialect) fn item(&mut self, whole: [Option<String>; 3]) {
        let Reply { thinking, text, refusal, .. } = &mut self.heard.reply;
        for ((known, whole), over) in [thinking, text, refusal].into_iter().zip(whole).zip(&mut self.over) {
            if let Some(whole) = whole {
                let known = known.get_or_insert_default();
                known.truncate(*over);
                known.push_str(&whole);
            }
            *over = known.as_ref().map_or(0, String::len);
        }
    }

    /// Forgets what was said so far: a whole one follows.
    pub(in crate::dialect) fn restart(&mut self) {
        let usage = self.heard.reply.usage;
        self.heard.reply = Reply { usage, ..Reply::default() };
        self.parts.clear();
        self.by_index.clear();
        self.by_id.clear();
        self.over = [0; 3];
    }

    /// The whole answer. Calls may have begun out of order; where an index is missing the order of arrival stays.
    pub(super) fn finish(mut self, finish: fn(&str, &Reply) -> Option<String>) -> Heard {
        self.parts.sort_by_key(|part| part.index.unwrap_or(i64::MAX));
        let reply = &mut self.heard.reply;
        reply.calls = self.parts.into_iter().map(Part::finish).collect();
        reply.thinking.take_if(|words| words.is_empty());
        reply.refusal.take_if(|words| words.is_empty());
        reply.finish = self.heard.ended.as_deref().and_then(|word| finish(word, reply));
        self.heard
    }
}

impl Part {
    /// Takes a piece of arguments: a text as it is, a value as its compact text.
    pub(in crate::dialect) fn arguments(&mut self, piece: Option<Value<'_>>) {
        let Some(piece) = piece.filter(|piece| !piece.is_null()) else { return };
        match piece.as_str() {
            Some(text) => self.call.arguments.push_str(&text),
            None => self.call.arguments.push_str(&compact(piece)),
        }
    }

    fn finish(self) -> IssuedCall {
        let Self { mut call, free, whole, .. } = self;
        if let Some(whole) = whole.filter(|_| call.arguments.trim_ascii().is_empty()) {
            call.arguments = whole;
        }
        if free {
            let mut object = b"{\"input\":".to_vec();
            write_string(&mut object, &call.arguments);
            object.push(b'}');
            call.arguments = String::from_utf8(object).unwrap_or_default();
        }
        call
    }
}

/// The text of a string that is not empty.
pub(in crate::dialect) fn words(value: Option<Value<'_>>) -> Option<String> {
    value?.as_str().filter(|text| !text.is_empty()).map(std::borrow::Cow::into_owned)
}

/// A whole number that is not negative.
fn number(value: Value<'_>) -> Option<u64> {
    let whole = value.as_number()?.parse().ok();
    whole.or_else(|| u64::try_from(value.as_i64()?).ok())
}

/// A value as it was written, without the space between its parts.
pub(in crate::dialect) fn compact(value: Value<'_>) -> String {
    let text = value.text();
    match value.kind() {
        Kind::Array | Kind::Object => {}
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => return text.to_owned(),
    }
    let (mut quoted, mut escaped) = (false, false);
    let kept = text.chars().filter(|&letter| {
        match letter {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ' ' | '\t' | '\n' | '\r' if !quoted => return false,
            _ => {}
        }
        true
    });
    kept.collect()
}
