//! Answers are heard as they were said: round trips in every dialect, cut and broken bodies, every fault.

#![expect(clippy::expect_used, reason = "a helper of tests fails as they do")]

#[path = "any/mod.rs"]
mod any;
#[path = "playing/mod.rs"]
#[expect(dead_code, reason = "the tests of faults look closer")]
mod playing;

use any::any_reply;
use playing::{calls, played, words};
use proptest::prelude::*;
use rehearsal_wire::act::Act;
use rehearsal_wire::dialect::heard::{Heard, MOST_NOTES, hear};
use rehearsal_wire::dialect::{DIALECTS, Dialect, dialect};
use rehearsal_wire::fault::{Arrives, FAULTS, Group, Named, Wanted, change_words, play};
use rehearsal_wire::head::ResponseHead;
use rehearsal_wire::json::parse;
use rehearsal_wire::reply::{Envelope, Framing, IssuedCall, Reply, Usage, custom_input};

/// What a dialect can say of a reply, and how its finish reasons come back.
struct Says {
    name: &'static str,
    /// Whether no text differs from an empty one.
    null_text: bool,
    thinking: bool,
    /// Whether a refusal has a place of its own; else it is said as text where there is none.
    refusal: bool,
    calls: Calls,
    id: bool,
    finish: fn(&Reply) -> Option<&str>,
}

#[derive(PartialEq)]
enum Calls {
    /// There are none.
    None,
    /// Arguments are a text, whatever it holds.
    Texts,
    /// Arguments are an object; what is none becomes an empty one.
    Objects,
    /// The same, but a stream sends the text as it is, which is an empty object where there is none.
    StreamedObjects,
}

const SAYS: &[Says] = &[
    Says {
        name: "openai-chat",
        null_text: true,
        // The dialect has no place for it; servers that have one are in `heard_real.rs`.
        thinking: false,
        refusal: true,
        calls: Calls::Texts,
        id: true,
        finish: |reply| {
            let follows =
                if reply.calls.is_empty() { &["stop"][..] } else { &["tool_calls", "function_call"] };
            reply.finish.as_deref().filter(|word| !follows.contains(word))
        },
    },
    Says {
        name: "openai-responses",
        null_text: false,
        thinking: true,
        refusal: true,
        calls: Calls::Texts,
        id: true,
        finish: |reply| reply.finish.as_deref().filter(|word| matches!(*word, "length" | "content_filter")),
    },
    Says {
        name: "anthropic-messages",
        null_text: false,
        thinking: true,
        refusal: true,
        calls: Calls::StreamedObjects,
        id: true,
        finish: |reply| {
            let follows = match (reply.refusal.is_some(), reply.calls.is_empty()) {
                (true, _) => "content_filter",
                (false, true) => "stop",
                (false, false) => "tool_calls",
            };
            let word =
                reply.finish.as_deref().map(|word| if word == "function_call" { "tool_calls" } else { word });
            word.filter(|word| *word != follows)
        },
    },
    Says {
        name: "google-gemini",
        null_text: false,
        thinking: true,
        refusal: true,
        calls: Calls::Objects,
        id: true,
        finish: |reply| match (reply.finish.as_deref(), reply.refusal.is_some()) {
            (Some("stop" | "tool_calls" | "function_call"), true) => Some("stop"),
            (Some("stop" | "tool_calls" | "function_call"), false) | (Some("content_filter"), true) => None,
            (word, _) => word,
        },
    },
    Says {
        name: "openai-completions",
        null_text: false,
        thinking: false,
        refusal: false,
        calls: Calls::None,
        id: true,
        finish: |reply| reply.finish.as_deref().filter(|word| !matches!(*word, "stop" | "tool_calls")),
    },
    Says {
        name: "ollama-chat",
        null_text: false,
        thinking: true,
        refusal: false,
        calls: Calls::Objects,
        id: false,
        finish: |reply| reply.finish.as_deref().filter(|word| *word == "length"),
    },
    Says {
        name: "ollama-generate",
        null_text: false,
        thinking: true,
        refusal: false,
        calls: Calls::None,
        id: false,
        finish: |reply| reply.finish.as_deref().filter(|word| *word == "length"),
    },
];

impl Says {
    /// The reply as this dialect can say it.
    fn expected(&self, reply: &Reply, stream: bool) -> Reply {
        let text = match (&reply.text, &reply.refusal) {
            (None, Some(refusal)) if !self.refusal => Some(refusal.clone()),
            (text, _) => text.clone(),
        };
        let usage = &reply.usage;
        // Go counts in signed numbers of 64 bits; the stand-in clamps to them.
        let most = if self.name.starts_with("ollama") { i64::MAX as u64 } else { u64::MAX };
        Reply {
            thinking: reply.thinking.clone().filter(|_| self.thinking),
            text: text.filter(|text| self.null_text || !text.is_empty()),
            refusal: reply.refusal.clone().filter(|_| self.refusal),
            calls: if self.calls == Calls::None {
                Vec::new()
            } else {
                reply.calls.iter().map(|call| self.call(call, stream)).collect()
            },
            finish: (self.finish)(reply).map(str::to_owned),
            usage: Usage { prompt: usage.prompt.min(most), completion: usage.completion.min(most) },
        }
    }

    fn call(&self, call: &IssuedCall, stream: bool) -> IssuedCall {
        let is_object = call.arguments.starts_with('{') && parse(call.arguments.as_bytes()).is_ok();
        let lost = match self.calls {
            Calls::None | Calls::Texts => false,
            Calls::StreamedObjects if stream => call.arguments.trim_ascii().is_empty(),
            Calls::Objects | Calls::StreamedObjects => !is_object,
        };
        IssuedCall { arguments: if lost { "{}".to_owned() } else { call.arguments.clone() }, ..call.clone() }
    }
}

/// The same call whatever spaces and escapes its arguments are written with.
fn meant(mut reply: Reply) -> Reply {
    for call in &mut reply.calls {
        if let Ok(value) = serde_json::from_str::<serde_json::Value>(&call.arguments) {
            call.arguments = value.to_string();
        }
    }
    reply
}

/// An envelope of a request that wants to see everything.
fn envelope(dialect: &Dialect) -> Envelope {
    let echoed = match dialect.name {
        "openai-responses" => vec![("reasoning", r#"{"summary": "auto"}"#.to_owned())],
        "anthropic-messages" => vec![("thinking", r#"{"type": "enabled"}"#.to_owned())],
        "google-gemini" => {
            vec![("generationConfig", r#"{"thinkingConfig": {"includeThoughts": true}}"#.to_owned())]
        }
        _ => Vec::new(),
    };
    let plain = Envelope::plain("reply-7".to_owned(), 1_754_000_000, "\"some-model\"".to_owned());
    Envelope { include_usage: true, echoed, ..plain }
}

/// A body with what it is called, in each of the forms that the dialect has.
fn bodies(dialect: &Dialect, reply: &Reply, envelope: &Envelope) -> Vec<(&'static str, Vec<u8>, bool)> {
    let mut all = vec![(dialect.content_type, (dialect.render)(reply, envelope), false)];
    for framing in [Framing::Events, Framing::Array] {
        let envelope = Envelope { framing, ..envelope.clone() };
        let stream = (dialect.stream)(reply, &envelope).bytes().to_vec();
        if framing == Framing::Events || dialect.name == "google-gemini" {
            all.push((dialect.type_of_stream(framing), stream, true));
        }
    }
    all
}

/// A reply whose parts no dialect confuses: calls have names and ids of their own, nothing stands for nothing.
fn sound_reply() -> impl Strategy<Value = Reply> {
    let finish = proptest::option::of(proptest::sample::select(vec![
        "stop",
        "length",
        "tool_calls",
        "function_call",
        "content_filter",
        "odd",
    ]));
    (any_reply(), finish).prop_map(|(mut reply, finish)| {
        for (k, call) in reply.calls.iter_mut().enumerate() {
            call.id = format!("call_gate_p_s0_{k}");
            call.name.insert(0, 'n');
        }
        reply.finish = finish.map(str::to_owned);
        reply.thinking.take_if(|words| words.is_empty());
        reply.refusal.take_if(|words| words.is_empty());
        reply
    })
}

#[test]
fn every_dialect_is_in_the_table() {
    let names = |says: &[Says]| says.iter().map(|says| says.name).collect::<Vec<_>>();
    let mut known = names(SAYS);
    let mut all: Vec<_> = DIALECTS.iter().map(|row| row.name).collect();
    known.sort_unstable();
    all.sort_unstable();
    assert_eq!(known, all);
}

/// Whatever is heard of a body, it is heard.
fn survives(dialect: &Dialect, kind: &str, body: &[u8]) {
    assert!(hear(dialect, kind, body).notes.len() <= MOST_NOTES);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn replies_are_heard_as_they_were_said(reply in sound_reply(), piece in 1_usize..9, choices in 1_u32..3) {
        for says in SAYS {
            let row = dialect(says.name).unwrap();
            let envelope = Envelope { piece, choices, ..envelope(row) };
            for (kind, body, stream) in bodies(row, &reply, &envelope) {
                let heard = hear(row, kind, &body);
                let place = || format!("{} {kind} {}", says.name, String::from_utf8_lossy(&body));
                prop_assert_eq!(meant(heard.reply), meant(says.expected(&reply, stream)), "{}", place());
                prop_assert_eq!(heard.id.as_deref(), says.id.then_some("reply-7"), "{}", place());
                prop_assert_eq!(heard.model.as_deref(), Some("some-model"));
                prop_assert_eq!((heard.done, heard.error), (true, None), "{}", place());
                prop_assert!(heard.notes.is_empty() || choices > 1, "{:?}", heard.notes);
            }
        }
    }

    #[test]
    fn whatever_comes_is_heard(bytes in proptest::collection::vec(any::<u8>(), 0..200), text in "([\\[\\]{}\",: ]|data|event|\\PC|\n)*") {
        for row in DIALECTS {
            for kind in ["", "text/event-stream", "application/json"] {
                survives(row, kind, &bytes);
                survives(row, kind, text.as_bytes());
            }
        }
    }

    #[test]
    fn damaged_answers_are_heard(reply in sound_reply(), at in any::<prop::sample::Index>(), with in any::<[u8; 2]>(), other in any::<prop::sample::Index>()) {
        for row in DIALECTS {
            for (kind, mut body, _) in bodies(row, &reply, &envelope(row)) {
                let place = at.index(body.len());
                body.splice(place..(place + 1).min(body.len()), with);
                survives(row, kind, &body);
                survives(other.get(DIALECTS), kind, &body);
            }
        }
    }
}

#[test]
fn an_answer_that_was_cut_anywhere_is_not_done() {
    let thoughtful = Reply { thinking: Some("Well…".to_owned()), ..words() };
    for row in DIALECTS {
        for reply in [thoughtful.clone(), calls(), Reply::default()] {
            for (kind, body, _) in bodies(row, &reply, &Envelope { piece: 24, ..envelope(row) }) {
                let last = body.trim_ascii_end().len();
                for cut in 0..last {
                    let heard = hear(row, kind, &body[..cut]);
                    assert!(!heard.done, "{} {kind}: {cut} of {last}", row.name);
                    assert_eq!(heard.error, None);
                }
                assert!(hear(row, kind, &body).done);
            }
        }
    }
}

#[test]
fn what_came_before_the_cut_is_heard() {
    for row in DIALECTS {
        let body = (row.stream)(&words(), &envelope(row));
        let begun: Vec<&[u8]> = body.iter().take(body.len() - 2).collect();
        let heard = hear(row, row.stream_type, &begun.concat());
        let said = heard.reply.text.unwrap();
        assert!(words().text.unwrap().starts_with(&said) && said.len() > 10, "{}: {said}", row.name);
        assert!(!heard.done, "{}", row.name);
    }
}

/// The bytes that leave under a fault, with their head if they have one.
fn raw(row: &'static rehearsal_wire::fault::Fault, wanted: &Wanted<'_>, reply: &Reply) -> Option<Vec<u8>> {
    let mut reply = reply.clone();
    let named = change_words(&[Named { row, params: &[] }], &mut reply);
    let faulted = play(&named, &Wanted { reply: Some(&reply), ..*wanted })?;
    let written = faulted.plan.acts.into_iter().filter_map(|act| match act {
        Act::Write(bytes) => Some(bytes),
        Act::Wait(_) | Act::HalfClose | Act::Abort | Act::Stall => None,
    });
    Some(written.collect::<Vec<_>>().concat())
}

#[test]
fn faulted_answers_are_heard() {
    for dialect in DIALECTS {
        for row in FAULTS.iter().filter(|row| row.dialects.include(dialect.name)) {
            for (reply, stream) in [(words(), false), (words(), true), (calls(), false), (calls(), true)] {
                let envelope = envelope(dialect);
                let head = ResponseHead::new(200);
                let wanted = Wanted {
                    dialect,
                    reply: None,
                    envelope: &envelope,
                    stream,
                    request: None,
                    head: &head,
                    params: &[],
                    seed: 7,
                    ordinal: 1,
                };
                let bytes = raw(row, &wanted, &reply).unwrap_or_default();
                let body = bytes.windows(4).position(|four| four == b"\r\n\r\n").map_or(0, |at| at + 4);
                survives(dialect, "", &bytes);
                survives(
                    dialect,
                    if stream { dialect.stream_type } else { dialect.content_type },
                    &bytes[body..],
                );
            }
        }
    }
}

/// These arrive as said in other words: they make a refusal of what was to be the text.
const HEARD_OTHERWISE: &[&str] = &["refusal-empty-content"];

#[test]
fn what_arrives_as_said_is_heard_as_said() {
    let mut held = 0;
    for dialect in DIALECTS {
        let says = SAYS.iter().find(|says| says.name == dialect.name).unwrap();
        let rows = FAULTS.iter().filter(|row| row.dialects.include(dialect.name));
        let quiet = rows.filter(|row| {
            row.arrives == Arrives::AsSaid
                && matches!(row.group, Group::Contents | Group::ToolCalls | Group::Framing)
        });
        for row in quiet.filter(|row| !HEARD_OTHERWISE.contains(&row.name)) {
            for (reply, stream) in [(words(), false), (words(), true), (calls(), false), (calls(), true)] {
                let Some(sent) = played(&[(row.name, &[])], dialect, &reply, stream) else { continue };
                let heard = hear(dialect, if stream { dialect.stream_type } else { "" }, &sent.body());
                let place = format!("{} {} {stream} {}", dialect.name, row.name, sent.text());
                let said = meant(says.expected(sent.faulted.delivered.as_ref().unwrap_or(&reply), stream));
                let heard = meant(heard.reply);
                let text = heard.text.filter(|text| !text.is_empty());
                let calls: Vec<_> = heard.calls.iter().map(|call| (&call.name, &call.arguments)).collect();
                assert_eq!(text, said.text, "{place}");
                let known: Vec<_> = said.calls.iter().map(|call| (&call.name, &call.arguments)).collect();
                assert_eq!(calls, known, "{place}");
                held += 1;
            }
        }
    }
    assert!(held > 100, "{held}");
}

#[test]
fn the_input_of_a_custom_tool_is_heard() {
    for (tools, name, arguments) in [
        (r#"[{"type": "custom", "name": "patch"}]"#, "patch", r#"{"input": "*** Begin\n\"Patch\""}"#),
        (r#"[{"type": "custom", "name": "patch"}]"#, "patch", "no JSON {"),
    ] {
        let row = dialect("openai-responses").unwrap();
        let envelope = Envelope { echoed: vec![("tools", tools.to_owned())], ..envelope(row) };
        let call = IssuedCall { id: "c".to_owned(), name: name.to_owned(), arguments: arguments.to_owned() };
        let reply = Reply { calls: vec![call], ..Reply::default() };
        for (kind, body, _) in bodies(row, &reply, &envelope) {
            let Heard { reply: heard, .. } = hear(row, kind, &body);
            let heard = &heard.calls[0];
            assert_eq!((heard.id.as_str(), heard.name.as_str()), ("c", name));
            assert_eq!(custom_input(&heard.arguments), custom_input(arguments));
            assert!(heard.arguments.starts_with("{\"input\":"), "{}", heard.arguments);
        }
    }
}

#[test]
fn counts_that_are_absent_null_or_no_number_are_unknown() {
    let counted = |usage: &str| {
        let body = format!(r#"{{"choices":[{{"message":{{"content":"x"}}}}],"usage":{usage}}}"#);
        let counted = hear(dialect("openai-chat").unwrap(), "", body.as_bytes()).counted;
        (counted.prompt, counted.completion, counted.strange)
    };
    assert_eq!(counted("null"), (None, None, false));
    assert_eq!(counted("[]"), (None, None, false));
    assert_eq!(counted(r#"{"prompt_tokens":null,"completion_tokens":7}"#), (None, Some(7), false));
    assert_eq!(counted(r#"{"prompt_tokens":0,"completion_tokens":7}"#), (Some(0), Some(7), false));
    for strange in ["-5", "1.5", "true", "\"7\"", "1e999", "{}"] {
        let usage = format!(r#"{{"prompt_tokens":{strange}}}"#);
        assert_eq!(counted(&usage), (None, None, true), "{strange}");
    }
}

#[test]
fn a_whole_message_at_the_end_of_a_stream_takes_the_place_of_its_pieces() {
    let stream = concat!(
        "data: {\"choices\":[{\"delta\":{\"content\":\"ab\"}}]}\n\n",
        "data: {\"choices\":[{\"message\":{\"content\":\"abc\"},\"finish_reason\":\"stop\"}]}\n\n",
    );
    let heard = hear(dialect("openai-chat").unwrap(), "", stream.as_bytes());
    assert_eq!(heard.reply.text.as_deref(), Some("abc"));
}
