//! A thousand hostile answers: nothing outside the owned files is touched, they are wholly as before or wholly as the report says,
//! and nothing panics.

use crate::stand::*;
use crate::tree::{NEW, OWNED, Places, fault, grown, restore, seen};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use proptest::test_runner::{Config, TestRunner};
use rehearsal_driver::endpoint::{Asker, Manner, Received};
use rehearsal_driver::worker::format::guard::Limits;
use rehearsal_driver::worker::format::{FORMATS, Format};
use rehearsal_driver::worker::ownership::Reading;
use rehearsal_driver::worker::task::Task;
use rehearsal_driver::worker::work::work;
use rehearsal_wire::json;
use rehearsal_world::dial::DialError;
use std::cell::{Cell, RefCell};

const CASES: u32 = 1000;

/// Stands for half of a character: no Rust text can hold it, JSON can spell it.
const HALF: char = '\u{f8ff}';
/// Stands for the folder above the tree.
const HERE: &str = "HERE";

/// Paths that are owned, and how an answer may spell them.
const OWN: &[&str] = &["a.py", "a.py", "sub/b.txt", "é.txt", NEW, "./a.py", "sub\\b.txt", ".\\sub\\b.txt"];

/// Paths that are not.
const FOREIGN: &[&str] = &[
    "",
    ".",
    "..",
    "/",
    "\\",
    "../a.py",
    "../outside/secret",
    "..\\outside\\secret",
    "HERE/a.py",
    "HERE/outside/secret",
    "HERE/tree/a.py",
    "/etc/passwd",
    "~/x",
    "A.py",
    "a.PY",
    "SUB/b.txt",
    "e\u{301}.txt",
    "é\u{301}.txt",
    "link.py",
    "dangling.py",
    "nowhere",
    "out/secret",
    "out/new",
    "round/a.py",
    "hard.py",
    "locked.py",
    "pipe",
    "other.py",
    "sub/c.txt",
    "sub/../a.py",
    "sub/./b.txt",
    "sub//b.txt",
    "././a.py",
    "a.py/",
    "a.py/x",
    "a.py ",
    " a.py",
    "a.py.",
    "a.py\0",
    "a.py\n",
    "a.py\u{200b}",
    "\u{202e}a.py",
    "a.py:stream",
    "C:\\a.py",
    "C:a.py",
    "\\\\server\\a.py",
    ".git/config",
    ".GIT/config",
    ".git/hooks/pre-commit",
    "tests/test_a.py",
    "new",
    "new/er",
    "new/er/n.py/x",
    ".rehearsal-0-0",
    "../records/commit",
    "a.py\u{f8ff}",
    "/dev/null",
    "/proc/self/mem",
    "%2e%2e/a.py",
    "file:///a.py",
    "$HOME/x",
    "`x`",
    "con",
    "a/../../outside/secret",
];

const CONTENTS: &[&str] = &[
    "two\n",
    "one\ntwo\nfour\n",
    "one\ntwo\nthree\n",
    "",
    "\n",
    "no end",
    "a\r\nb\r\n",
    "a\rb\r",
    "\u{feff}eins\r\nzwei",
    "nul \0 byte",
    "half \u{f8ff} of one",
    "# ... rest of the code unchanged ...\n",
    "```\nfence\n```\n",
    "--- a/a.py\n+++ b/a.py\n",
    "\u{2028}😀é\u{301}\n",
    "sk-never-to-be-seen-1",
    "{\"files\":[]}",
    "\u{1b}[31m",
    "<think>",
    "DONE\n",
];

fn path() -> impl Strategy<Value = String> {
    prop_oneof![
        10 => select(OWN).prop_map(str::to_owned),
        2 => select(FOREIGN).prop_map(str::to_owned),
        1 => (select(OWN), select(FOREIGN)).prop_map(|(one, other)| format!("{other}{one}")),
        1 => "\\PC{0,12}",
        1 => (250_usize..5000).prop_map(|long| "x".repeat(long)),
    ]
}

fn contents() -> impl Strategy<Value = String> {
    prop_oneof![
        60 => select(CONTENTS).prop_map(str::to_owned),
        20 => vec("\\PC{0,20}", 0..12).prop_map(|lines| lines.join("\n")),
        1 => (1_usize..3).prop_map(|times| "x = 1\n".repeat(times * 100_000)),
    ]
}

fn files() -> impl Strategy<Value = Vec<(String, String)>> {
    prop_oneof![
        1 => vec((path(), contents()), 0..5),
        // Each file once, as a good answer has it.
        1 => (vec(contents(), 4), 0_usize..16).prop_map(|(contents, chosen)| {
            let names = OWNED.iter().map(|(name, _)| *name).chain([NEW]);
            let files = names.zip(contents).enumerate().filter(|(at, _)| chosen >> at & 1 == 1);
            files.map(|(_, (name, contents))| (name.to_owned(), contents)).collect()
        }),
    ]
}

fn halved(json: &str) -> String {
    json.replace(HALF, "\\ud83d")
}

fn as_patch(files: &[(String, String)]) -> String {
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    halved(&patch(&files))
}

fn as_fenced(files: &[(String, String)]) -> String {
    let file = |(path, text): &(String, String)| format!("{path}\n````\n{text}\n````\n\n");
    files.iter().map(file).collect::<String>() + "DONE\n"
}

fn as_diff(files: &[(String, String)]) -> String {
    let file = |(path, text): &(String, String)| {
        let known = OWNED.iter().find(|(name, _)| name == path).map_or("", |(_, old)| old);
        let lines =
            |text: &str, sign: char| text.lines().map(|line| format!("{sign}{line}\n")).collect::<String>();
        let (from, count) = if known.is_empty() {
            ("/dev/null".to_owned(), 0)
        } else {
            (format!("a/{path}"), known.lines().count())
        };
        let new = text.lines().count();
        format!(
            "--- {from}\n+++ b/{path}\n@@ -1,{count} +1,{new} @@\n{}{}",
            lines(known, '-'),
            lines(text, '+')
        )
    };
    format!("```diff\n{}```\nDONE\n", files.iter().map(file).collect::<String>())
}

/// Answers in any format, whatever was asked for.
fn answer() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        6 => files().prop_map(|files| as_patch(&files)),
        2 => files().prop_map(|files| as_fenced(&files)),
        2 => files().prop_map(|files| as_diff(&files)),
        1 => files().prop_map(|files| as_patch(&files).replace("true", "false")),
        1 => (files(), files()).prop_map(|(one, other)| as_patch(&one) + &as_patch(&other)),
        1 => files().prop_map(|files| format!("<think>{}</think>\n{}", as_patch(&files), as_patch(&[]))),
        1 => files().prop_map(|files| format!("[{}]", as_patch(&files))),
        1 => files().prop_map(|files| as_patch(&files).replacen("\"path\"", "\"path\":\"a.py\",\"path\"", 1)),
        1 => "\\PC{0,200}",
    ];
    let around = select(
        &[
            "",
            "",
            "",
            "```json\nX\n```",
            "Here:\n\nX\n\nBye",
            "\u{feff}X",
            "<think>no</think>X",
            "X}",
            "{X",
            "~~~\nX",
        ][..],
    );
    (whole, around, spoilt()).prop_map(|(whole, around, spoilt)| {
        let whole = if around.is_empty() { whole } else { around.replacen('X', &whole, 1) };
        String::from_utf8_lossy(&spoilt.apply(whole.into_bytes())).into_owned()
    })
}

/// What happens to bytes on their way.
#[derive(Clone, Debug)]
enum Spoilt {
    Not,
    Cut(usize),
    Without(usize, usize),
    With(usize, Vec<u8>),
    Twice(usize),
}

impl Spoilt {
    fn apply(&self, mut bytes: Vec<u8>) -> Vec<u8> {
        let within = |at: &usize| at % (bytes.len() + 1);
        match self {
            Self::Not => {}
            Self::Cut(at) => bytes.truncate(within(at)),
            Self::Without(from, most) => {
                let from = within(from);
                let to = (from + most).min(bytes.len());
                drop(bytes.drain(from..to));
            }
            Self::With(at, more) => {
                let at = within(at);
                drop(bytes.splice(at..at, more.iter().copied()));
            }
            Self::Twice(at) => {
                let again = bytes[within(at)..].to_vec();
                bytes.extend(again);
            }
        }
        bytes
    }
}

fn spoilt() -> impl Strategy<Value = Spoilt> {
    let at = || 0_usize..100_000;
    let more = prop_oneof![
        vec(any::<u8>(), 1..6),
        select(
            &[
                "\"",
                "\\",
                "}",
                "{",
                "]",
                ",",
                "\0",
                "\n",
                "\\ud800",
                "\u{feff}",
                "null",
                "\"path\":\"other.py\","
            ][..]
        )
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop_oneof![
        12 => Just(Spoilt::Not),
        1 => at().prop_map(Spoilt::Cut),
        1 => (at(), 1_usize..9).prop_map(|(from, most)| Spoilt::Without(from, most)),
        1 => (at(), more).prop_map(|(at, more)| Spoilt::With(at, more)),
        1 => at().prop_map(Spoilt::Twice),
    ]
}

/// The answer as a stream of chunks.
fn streamed(text: &str, size: usize, last: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut out = String::new();
    for piece in letters.chunks(size.max(1)) {
        let piece = halved(&quoted(&piece.iter().collect::<String>()));
        out.push_str(&format!("data: {{\"choices\":[{{\"delta\":{{\"content\":{piece}}}}}]}}\n\n"));
    }
    out + last
}

/// What carries an answer: whole, streamed, of another API, as a call, refused, broken, an error, or bytes.
fn envelope() -> impl Strategy<Value = Received> {
    const LAST: &[&str] = &[
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
        "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\ndata: [DONE]\n\n",
        "data: [DONE]\n\n",
        "data: {\"error\":{\"message\":\"x\"}}\n\n",
        "",
    ];
    const USAGES: &[&str] =
        &[USAGE, "null", r#"{"prompt_tokens":-1}"#, r#"{"prompt_tokens":1,"completion_tokens":1}"#, "[]"];
    const ENDS: &[&str] = &[
        "\"stop\"",
        "\"stop\"",
        "\"stop\"",
        "\"length\"",
        "null",
        "\"content_filter\"",
        "\"tool_calls\"",
        "7",
        "\"\u{e9}\"",
    ];
    let body = (answer(), 0_usize..20, select(ENDS), select(USAGES), (1_usize..400, select(LAST)));
    let body = body.prop_map(|(text, kind, end, usage, (size, last))| {
        let words = halved(&quoted(&text));
        match kind {
            0 => streamed(&text, size, last),
            1 => format!(r#"{{"choices":[{{"message":{{"content":[{{"type":"text","text":{words}}}]}},"finish_reason":{end}}}]}}"#),
            2 => format!(r#"{{"choices":[{{"message":{{"content":null,"tool_calls":[{{"id":"c","type":"function","function":{{"name":"f","arguments":{words}}}}}]}},"finish_reason":"tool_calls"}}],"usage":{usage}}}"#),
            3 => format!(r#"{{"choices":[{{"message":{{"content":{words},"refusal":"no"}},"finish_reason":{end}}}]}}"#),
            4 => format!(r#"{{"type":"message","role":"assistant","content":[{{"type":"text","text":{words}}}],"stop_reason":"end_turn"}}"#),
            5 => format!(r#"{{"object":"response","status":"completed","output":[{{"type":"message","content":[{{"type":"output_text","text":{words}}}]}}]}}"#),
            6 => format!(r#"{{"choices":[{{"message":{{"content":{words}}},"finish_reason":{end}}}],"error":{{"message":{words}}}}}"#),
            7 => words,
            8 => text,
            _ => format!(r#"{{"choices":[{{"message":{{"role":"assistant","content":{words}}},"finish_reason":{end}}}],"usage":{usage}}}"#),
        }
    });
    let status = prop_oneof![12 => Just(200_u16), 1 => select(&[201_u16, 204, 302, 307, 400, 401, 404, 429, 500, 503][..])];
    (body, status, spoilt(), vec(any::<u8>(), 0..60), 0_u8..30).prop_map(
        |(body, status, spoilt, bytes, raw)| {
            let body = if raw == 0 { bytes } else { spoilt.apply(body.into_bytes()) };
            let kind = if body.starts_with(b"data:") { "text/event-stream" } else { "application/json" };
            let headers = vec![
                ("content-type".to_owned(), kind.as_bytes().to_vec()),
                ("location".to_owned(), b"/again".to_vec()),
                ("x-request-id".to_owned(), b"r\xff".to_vec()),
            ];
            Received { status, headers, wire_bytes: body.len() as u64, body, ..Received::default() }
        },
    )
}

/// What a good provider sends: owned files, each once, whole. That it is answered in another form than was asked for stays possible.
fn good() -> impl Strategy<Value = Received> {
    let text = prop_oneof![
        4 => vec("[a-z]{0,9}", 1..6).prop_map(|lines| lines.join("\n")),
        1 => select(CONTENTS).prop_map(str::to_owned),
    ];
    let names = OWNED.iter().map(|(name, _)| *name).chain([NEW]).collect::<Vec<_>>();
    let files = (subsequence(names, 1..=4), vec(text, 4));
    (files, 0_u8..6).prop_map(|((names, texts), form)| {
        let files: Vec<_> = names.into_iter().map(str::to_owned).zip(texts).collect();
        let text = match form {
            0 => as_fenced(&files),
            1 => as_diff(&files),
            _ => as_patch(&files),
        };
        message(&halved(&quoted(&text)), "\"stop\"", USAGE)
    })
}

/// One task and what it is answered.
#[derive(Clone, Debug)]
struct Case {
    format: &'static Format,
    answers: Vec<Option<Received>>,
    strict: (bool, bool),
    stream: bool,
    repairs: usize,
    allow_shrink: bool,
}

fn case() -> impl Strategy<Value = Case> {
    let answers =
        vec(prop_oneof![10 => envelope().prop_map(Some), 6 => good().prop_map(Some), 1 => Just(None)], 1..5);
    let formats = prop_oneof![3 => Just(FORMATS[0]), 2 => select(FORMATS)];
    (formats, answers, any::<(bool, bool)>(), any::<(bool, bool)>(), 0_usize..4).prop_map(
        |(format, answers, strict, (stream, allow_shrink), repairs)| Case {
            format,
            answers,
            strict,
            stream,
            repairs,
            allow_shrink,
        },
    )
}

/// Plays one case, and says what is wrong afterwards.
fn played(stand: &Stand, before: &Places, case: &Case) -> (&'static str, Option<String>) {
    let here = stand.path().to_str().unwrap();
    let place = |answer: &Option<Received>| -> Play {
        let Some(answer) = answer.clone() else { return breaks(DialError::Reset) };
        // Where it is bytes and no text it names no place.
        let Ok(text) = String::from_utf8(answer.body.clone()) else { return received(answer) };
        received(Received { body: text.replace(HERE, here).into_bytes(), ..answer })
    };
    let owns: Vec<_> = OWNED.iter().map(|(name, _)| (*name, Edit)).chain([(NEW, Create)]).collect();
    let task = Task {
        format: case.format,
        reading: if case.strict.0 { Reading::Strict } else { Reading::Lenient },
        limits: Limits { allow_shrink: case.allow_shrink, ..Limits::default() },
        repairs: case.repairs,
        stream: case.stream,
        ..task(&owns)
    };
    let manner = Manner { strict: case.strict.1, ..manner() };
    let provider = Provider::new(case.answers.iter().map(place).collect());
    let mut asker = Asker::over(endpoint("https://models.example/v1"), manner, provider);
    let report = run(work(task, None, &stand.tree(), &stand.records(), &mut asker));
    let text = report.to_json();
    let fault = fault(stand, before, &report).or_else(|| {
        let is_told = json::parse(text.as_bytes()).is_ok() && !text.contains(KEY);
        (!is_told).then(|| format!("it is no report: {text}"))
    });
    (report.outcome.name(), fault)
}

#[test]
fn a_thousand_hostile_answers_touch_nothing_else_and_leave_nothing_half_written() {
    let stand = grown();
    let before = RefCell::new(seen(&stand));
    let (applied, failed, others) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let config =
        Config { cases: CASES, failure_persistence: None, max_shrink_iters: 2000, ..Config::default() };
    let mut runner = TestRunner::new(config);
    let result = runner.run(&case(), |case| {
        let (outcome, fault) = played(&stand, &before.borrow(), &case);
        let counter = match outcome {
            "applied" => &applied,
            "failed" => &failed,
            _ => &others,
        };
        counter.set(counter.get() + 1);
        // The next case begins with the same files, which may have other numbers then.
        restore(&stand, &before.borrow());
        *before.borrow_mut() = seen(&stand);
        prop_assert!(fault.is_none(), "{outcome}: {}", fault.unwrap_or_default());
        Ok(())
    });
    if let Err(error) = result {
        panic!("{error}");
    }
    println!("applied {}, failed {}, nothing to do or refused {}", applied.get(), failed.get(), others.get());
    // Answers that are all refused at the door would prove nothing.
    assert!(applied.get() > 100 && failed.get() > 100 && others.get() > 10, "the answers are of many kinds");
}
