//! Puts the chunks of a stream together to one answer.

use crate::answer::{Answer, Call, Finish, arguments, content, words};
use crate::failure::{Failure, excerpt, wrong_kind};
use rehearsal_wire::json::{self, Kind, Value};

/// An answer in the making.
#[derive(Debug, Default)]
pub(crate) struct Assembly {
    answer: Answer,
    parts: Vec<Part>,
    /// Whether any chunk held a piece of it.
    begun: bool,
    finished: bool,
    /// A whole answer that came as one event.
    whole: Option<Answer>,
}

/// A call in the making.
#[derive(Debug, Default)]
struct Part {
    index: Option<i64>,
    call: Call,
}

impl Assembly {
    /// Takes the data of one event.
    ///
    /// # Errors
    /// [`Failure`] where it holds an error or cannot be understood; what came before is then worth nothing.
    pub(crate) fn add(&mut self, data: &str) -> Result<(), Failure> {
        let tape = json::parse(data.as_bytes()).map_err(|_| {
            Failure::BadAnswer(format!(
                "the stream holds an event that is not JSON: {}",
                excerpt(data.as_bytes())
            ))
        })?;
        let chunk = tape.root();
        if chunk.kind() != Kind::Object {
            return Err(wrong_kind("an event of the stream", chunk.kind()));
        }
        if chunk.get("error").is_some_and(|error| !error.is_null()) {
            return Err(Failure::of_error(chunk));
        }
        let Some(choices) = chunk.get("choices") else {
            return Err(Failure::BadAnswer("an event of the stream has no choices".to_owned()));
        };
        // Some gateways send the plain answer as an event, whatever was asked for.
        if chunk.at("/choices/0/message").is_some_and(|message| message.kind() == Kind::Object) {
            self.whole = Some(Answer::of_body(chunk)?);
            return Ok(());
        }
        // Chunks without choices carry usage or filter results.
        let first = |choice: &Value<'_>| choice.get("index").and_then(Value::as_i64).unwrap_or(0) == 0;
        choices.items().filter(first).try_for_each(|choice| self.choice(choice))
    }

    /// The whole answer, once the stream has ended; `done` where its last event said so.
    ///
    /// # Errors
    /// [`Failure`] where neither a finish reason nor the last event came: half an answer is none.
    pub(crate) fn finish(mut self, done: bool) -> Result<Answer, Failure> {
        if let Some(whole) = self.whole {
            return Ok(whole);
        }
        if !(self.finished || done && self.begun) {
            return Err(Failure::BadAnswer("the stream ended without a finish reason".to_owned()));
        }
        // Calls may begin out of order; where an index is missing or shared the order of arrival stays.
        self.parts.sort_by_key(|part| part.index.unwrap_or(i64::MAX));
        self.answer.calls = self.parts.into_iter().map(|part| part.call).collect();
        self.answer.checked()
    }

    fn choice(&mut self, choice: Value<'_>) -> Result<(), Failure> {
        if let Some(reason) = words(choice.get("finish_reason")) {
            self.finished = true;
            self.answer.finish = Finish::of(&reason);
        }
        let Some(delta) = choice.get("delta") else { return Ok(()) };
        self.begun = true;
        // An empty piece still makes the content a string: "" is not null.
        if let Some(text) = content(delta.get("content"))? {
            self.answer.content.get_or_insert_default().push_str(&text);
        }
        for (key, whole) in
            [("refusal", &mut self.answer.refusal), ("reasoning_content", &mut self.answer.reasoning)]
        {
            if let Some(text) = words(delta.get(key)) {
                whole.get_or_insert_default().push_str(&text);
            }
        }
        match delta.get("tool_calls") {
            Some(pieces) => pieces.items().try_for_each(|piece| self.piece(piece)),
            None => Ok(()),
        }
    }

    fn piece(&mut self, piece: Value<'_>) -> Result<(), Failure> {
        let id = words(piece.get("id"));
        let name = words(piece.at("/function/name"));
        let index = piece.get("index").and_then(Value::as_i64);
        let call = match self.place(id.as_deref(), name.as_deref(), index) {
            Some(at) => &mut self.parts[at].call,
            None if id.is_none() && name.is_none() => {
                return Err(Failure::BadAnswer("a piece of a tool call belongs to no call".to_owned()));
            }
            None => {
                self.parts.push(Part { index, call: Call::default() });
                let last = self.parts.len() - 1;
                &mut self.parts[last].call
            }
        };
        if let Some(id) = id.filter(|_| call.id.is_empty()) {
            call.id = id;
        }
        // A name that comes again is the same name; one that goes on before the arguments do is its second half.
        if let Some(name) = name.filter(|name| *name != call.name && call.arguments.is_empty()) {
            call.name.push_str(&name);
        }
        call.arguments.push_str(&arguments(piece.at("/function/arguments")));
        Ok(())
    }

    /// Which call a piece belongs to; `None` where it begins a new one. The newest call wins where an index is shared.
    fn place(&self, id: Option<&str>, name: Option<&str>, index: Option<i64>) -> Option<usize> {
        let newest = |fits: &dyn Fn(&Part) -> bool| self.parts.iter().rposition(fits);
        match (id, index) {
            (Some(id), _) => newest(&|part| part.call.id == id && part.index == index)
                // A piece that names a tool under another index begins a call, though its id was used before.
                .or_else(|| newest(&|part| part.call.id == id && (name.is_none() || index.is_none())))
                // The id may come after the name; another id at the same index is another call.
                .or_else(|| {
                    newest(&|part| index.is_some() && part.index == index && part.call.id.is_empty())
                }),
            (None, Some(_)) => newest(&|part| part.index == index),
            // Without id and index only the newest call can be meant, unless another name begins.
            (None, None) => self
                .parts
                .len()
                .checked_sub(1)
                .filter(|&last| name.is_none_or(|name| name == self.parts[last].call.name)),
        }
    }
}
