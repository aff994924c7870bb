//! What is written of a recording reads back as it was, in a form that people can work on.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as they do")]

use proptest::prelude::*;
use rehearsal_script::finding::Finding;
use rehearsal_script::scenario::{Action, ApiError, Pacing, Phrasing, Said};
use rehearsal_script::write::{Conversation, Step, Written, write};
use rehearsal_script::{File, Known, lint, read};
use rehearsal_wire::dialect::heard::HeardError;
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::json::{Likeness, likeness, parse};
use rehearsal_wire::reply::{IssuedCall, Reply, Usage};
use std::time::Duration;

fn known() -> Known<'static> {
    Known { rules: &[], faults: FAULTS, codes: &[], regex: |_| Ok(()), steps: &[], refusals: &[] }
}

fn phrasings(text: &str) -> Vec<Phrasing> {
    let files = [File { name: "recorded.yaml", bytes: text.as_bytes() }];
    match read(&files, &known()) {
        Ok(scenarios) => scenarios.phrasings,
        Err(findings) => panic!("{}\n{text}", findings[0]),
    }
}

fn surprises(text: &str) -> Vec<Finding> {
    lint(&[File { name: "recorded.yaml", bytes: text.as_bytes() }], &known())
}

fn said(text: &str) -> Step {
    let reply =
        Reply { text: Some(text.to_owned()), usage: Usage { prompt: 12, completion: 3 }, ..Reply::default() };
    Step::Said { reply, pacing: Pacing::default() }
}

fn calls(calls: &[(&str, &str)]) -> Step {
    let call = |(name, arguments): &(&str, &str)| IssuedCall {
        id: "toolu_1".to_owned(),
        name: (*name).to_owned(),
        arguments: (*arguments).to_owned(),
    };
    let reply = Reply { calls: calls.iter().map(call).collect(), ..Reply::default() };
    Step::Said { reply, pacing: Pacing::default() }
}

fn failed(status: u16, headers: &[(&str, &str)], message: &str) -> Step {
    let headers = headers.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
    let error = HeardError {
        code: Some("slow_down".to_owned()),
        message: message.to_owned(),
        ..HeardError::default()
    };
    Step::Failed { status, headers, error }
}

fn conversation(class: &str, prompt: &str, steps: Vec<Step>) -> Conversation {
    Conversation { class: class.to_owned(), prompt: prompt.to_owned(), model: None, steps }
}

#[test]
#[expect(clippy::too_many_lines, reason = "a whole file")]
fn a_written_file_is_one_that_a_person_would_write() {
    let arguments = r##"{"path":"notes/a.md","content":"# Title\n\nA line: with a colon.\n  indented\n","options":{"mode":420,"tags":["a","b: c"]}}"##;
    let edits = r#"{"edits":[{"old":"one line of text that is long","new":"another line of text, longer still"},{"old":"x","new":"y"}],"dry":false}"#;
    let mut first = conversation(
        "Write a note",
        "Write a note.\nThen say \"done\".",
        vec![
            failed(429, &[("retry-after", "2")], "Slow down: 2 requests a minute."),
            failed(429, &[("retry-after", "2")], "Slow down: 2 requests a minute."),
            calls(&[("write_file", arguments), ("list", "{}"), ("edit", edits)]),
            calls(&[("broken", "{\"path\": ")]),
            said("Done, it's written."),
        ],
    );
    first.model = Some("claude-sonnet-4-5".to_owned());
    if let Step::Said { reply, pacing } = &mut first.steps[4] {
        reply.thinking = Some("Nothing is left to do.".to_owned());
        reply.finish = Some("length".to_owned());
        *pacing = Pacing { ttft: Duration::from_millis(250), tokens_per_second: 40, piece: 4 };
    }
    let second = conversation("refused", "Be bad.", vec![failed(400, &[], "No.")]);
    let Written { text, notes } = write(&[first, second]);
    assert_eq!(notes, [""; 0]);
    let (_, body) = text.split_once("version: 1\n").unwrap();
    assert_eq!(
        body,
        r##"
classes:
  Write a note:
    comment: Recorded from claude-sonnet-4-5.
    script:
      - api_error:
          status: 429
          message: "Slow down: 2 requests a minute."
          type: null
          code: slow_down
          headers:
            retry-after: "2"
        times: 2
      - tool_calls:
          - name: write_file
            arguments:
              path: notes/a.md
              content: |
                # Title

                A line: with a colon.
                  indented
              options: {mode: 420, tags: [a, "b: c"]}
          - name: list
            arguments: {}
          - name: edit
            arguments:
              edits:
                - old: one line of text that is long
                  new: another line of text, longer still
                - {old: x, new: y}
              dry: false
      - tool_calls:
          - name: broken
            arguments_text: "{\"path\": "
      - thinking: Nothing is left to do.
        text: Done, it's written.
        finish_reason: length
        usage: {prompt_tokens: 12, completion_tokens: 3}
        pacing: {ttft: 250ms, tokens_per_second: 40, chunk: 4}
    phrasings:
      - id: Write-a-note
        prompt: |-
          Write a note.
          Then say "done".

  refused:
    script:
      - api_error:
          status: 400
          message: No.
          type: null
          code: slow_down
    phrasings:
      - id: refused
        prompt: Be bad.

"##
    );
    let found: Vec<String> = surprises(&text).iter().map(|finding| finding.message.clone()).collect();
    assert_eq!(found, ["the arguments of `broken` at step 2 of `Write-a-note` are not JSON"]);
}

#[test]
fn errors_pass_but_the_last_one_stays() {
    let slow = || failed(429, &[], "Slow.");
    let down = || failed(503, &[], "Down.");
    let written =
        write(&[conversation("c", "p", vec![slow(), down(), said("a"), slow(), slow(), down(), down()])]);
    let phrasings = phrasings(&written.text);
    let script = &phrasings[0].script;
    assert_eq!(script.len(), 2);
    assert_eq!(script[0].before.iter().map(|trouble| trouble.times).collect::<Vec<_>>(), [1, 1]);
    assert_eq!(script[1].before.iter().map(|trouble| trouble.times).collect::<Vec<_>>(), [2]);
    assert!(matches!(&script[1].action, Action::Error(error) if error.status == 503) && phrasings[0].hostile);
    assert_eq!(surprises(&written.text), []);
}

#[test]
fn names_and_order_are_made_such_that_each_conversation_is_found() {
    let one = |class: &str, prompt: &str| conversation(class, prompt, vec![said("x")]);
    let written = write(&[
        one("a/b", "Count"),
        one("a/b", "Count the files"),
        one("", "Other"),
        one("\u{1}\n", "count"),
        one(&"long ".repeat(40), "Last"),
        one("null", "More"),
    ]);
    let read = phrasings(&written.text);
    let told: Vec<_> = read
        .iter()
        .map(|phrasing| (phrasing.class.as_str(), phrasing.id.as_str(), phrasing.prompt.as_str()))
        .collect();
    assert_eq!(
        told,
        [
            ("a-b", "a-b", "Count the files"),
            ("a-b-2", "a-b-2", "Count"),
            ("recorded", "recorded", "Other"),
            ("-", "recorded-2", "count"),
            (
                "long long long long long long long long long long long long",
                "long-long-long-long-long-long-long-long-long-long-long-long",
                "Last"
            ),
            ("null", "null", "More"),
        ]
    );
    assert_eq!(
        written.notes,
        ["`-` has the prompt of a conversation before it; only a case URL tells them apart."]
    );
    let surprises = surprises(&written.text);
    assert!(surprises.len() == 1 && surprises[0].message.contains("which comes first"), "{surprises:?}");
}

#[test]
fn what_no_script_can_say_is_told() {
    let mut odd = said("x");
    if let Step::Said { reply, .. } = &mut odd {
        reply.finish = Some("pause_turn".to_owned());
        reply.usage.prompt = u64::MAX;
    }
    let headers =
        [("Retry-After", "1"), ("retry-after", "2"), ("Content-Length", "3"), ("x", "é"), ("", "y")];
    let written = write(&[
        conversation("c", "p", vec![failed(200, &headers, ""), odd]),
        conversation("empty", "q", Vec::new()),
        conversation("blank", " \n", vec![said("x")]),
    ]);
    assert_eq!(
        written.notes,
        [
            "The conversation `empty` has no prompt or no answer and is left out.",
            "The conversation `blank` has no prompt or no answer and is left out.",
            "An error of `c` came with status 200 and is written with 500.",
            "A header of an error of `c` cannot be sent again and is left out.",
            "`c` ended with `pause_turn`, which a script cannot say.",
        ]
    );
    let read = phrasings(&written.text);
    let Action::Error(error) = &read[0].script[0].before[0].action else { panic!("{read:?}") };
    assert_eq!((error.status, error.message.as_str()), (500, "Internal Server Error"));
    assert_eq!(error.headers, [("Retry-After".to_owned(), "1".to_owned())]);
    assert_eq!(surprises(&written.text), []);
}

#[test]
fn nothing_recorded_is_a_file_without_cases() {
    let written = write(&[]);
    assert!(phrasings(&written.text).is_empty(), "{}", written.text);
}

/// Texts as models write them, and texts that a reader of YAML could take for something else.
fn any_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-zA-Z0-9 ,.:#'\"{}\\[\\]&*!|>%@`~?<=+/-]{0,24}",
        "([a-z:#\"' \t-]{0,10}\n){0,5}[a-z \t]{0,6}",
        "([ \t]{0,2}[-?:,#&*!|>%@a-z]{0,6}\r?\n){0,5}",
        "(\\PC|[\n\t\r\u{0}\u{1b}\u{85}\u{2028}\u{feff}]){0,20}",
        proptest::sample::select(vec![
            "",
            " ",
            "\n",
            "null",
            "~",
            "TRUE",
            "1",
            "1e5",
            "0x1F",
            ".inf",
            "---",
            "...",
            "- a",
            "a: b",
            "a #b",
            "<<",
            "=",
            "no",
            "a\n\nb",
            "a\n \nb",
            "a\n---\nb\n",
            "é…\n😀",
            "a,b",
            "it's",
            "{N}",
            "x\u{fffe}"
        ])
        .prop_map(str::to_owned),
    ]
}

fn quote(text: &str) -> String {
    let mut out = Vec::new();
    rehearsal_wire::json::write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}

fn any_arguments() -> impl Strategy<Value = String> {
    let scalar = prop_oneof![
        any_text().prop_map(|text| quote(&text)),
        proptest::sample::select(vec![
            "null",
            "true",
            "-0",
            "1.50",
            "1E5",
            "1e+400",
            "12345678901234567890",
            "-1.0e-7"
        ])
        .prop_map(str::to_owned),
    ];
    let value = scalar.prop_recursive(4, 24, 4, |inner| {
        let entry = (any_text(), inner.clone());
        prop_oneof![
            proptest::collection::vec(inner, 0..4).prop_map(|items| format!("[{}]", items.join(" ,"))),
            proptest::collection::vec(entry, 0..4).prop_map(|entries| {
                let entries: Vec<_> =
                    entries.iter().map(|(key, value)| format!("{}: {value}", quote(key))).collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    });
    prop_oneof![
        8 => value,
        1 => any_text(),
        1 => proptest::sample::select(vec![(1, 1), (40, 1), (300, 1), (1, 200), (1, 2000)]).prop_map(|(depth, key)| {
            format!("{}{{\"{}\": 1}}{}", "{\"a\":".repeat(depth), "k".repeat(key), "}".repeat(depth))
        }),
        1 => Just("{\"a\": 1, \"a\": 2}".to_owned()),
        1 => Just("{\"a\": \"\\ud800\"}".to_owned()),
    ]
}

fn any_said() -> impl Strategy<Value = Step> {
    let maybe = || proptest::option::of(any_text());
    let call = ("[a-z_]{1,9}|\\PC{0,4}", any_arguments()).prop_map(|(name, arguments)| IssuedCall {
        id: "call_1".to_owned(),
        name,
        arguments,
    });
    let finish = proptest::option::of(proptest::sample::select(vec!["stop", "length", "content_filter"]));
    let pacing = (0..3_600_001_u64, 0..1_000_001_u32, 0..1_000_001_usize).prop_map(
        |(ttft, tokens_per_second, piece)| Pacing {
            ttft: Duration::from_millis(ttft),
            tokens_per_second,
            piece,
        },
    );
    let pacing = prop_oneof![3 => Just(Pacing::default()), 1 => pacing];
    let usage = (0..1_000_000_001_u64, 0..1_000_000_001_u64);
    (maybe(), maybe(), maybe(), proptest::collection::vec(call, 0..3), finish, usage, pacing).prop_map(
        |(thinking, text, refusal, calls, finish, (prompt, completion), pacing)| Step::Said {
            reply: Reply {
                thinking,
                text,
                refusal,
                calls,
                finish: finish.map(str::to_owned),
                usage: Usage { prompt, completion },
            },
            pacing,
        },
    )
}

fn any_failed() -> impl Strategy<Value = Step> {
    let maybe = || proptest::option::of(any_text());
    let headers = proptest::collection::vec(("[a-zA-Z][a-zA-Z0-9-]{0,9}", "[ -~]{0,12}"), 0..3);
    (400..600_u16, headers, maybe(), maybe(), maybe(), any_text()).prop_map(
        |(status, mut headers, kind, code, param, message)| {
            headers.sort();
            headers.dedup_by(|one, other| one.0.eq_ignore_ascii_case(&other.0));
            headers.retain(|(name, _)| !name.eq_ignore_ascii_case("connection"));
            Step::Failed {
                status,
                headers,
                error: HeardError { kind, code, param, message: format!("m{message}") },
            }
        },
    )
}

fn any_conversation() -> impl Strategy<Value = Conversation> {
    let steps = proptest::collection::vec(prop_oneof![3 => any_said(), 1 => any_failed()], 1..5);
    (any_text(), any_text(), proptest::option::of(any_text()), steps).prop_map(
        |(class, prompt, model, steps)| Conversation { class, prompt: format!("p{prompt}"), model, steps },
    )
}

fn is_said(step: &Step, action: &Action, pacing: Pacing) -> Result<(), TestCaseError> {
    match (step, action) {
        (Step::Said { reply, pacing: wanted }, Action::Say(said)) => {
            let Said { thinking, text, refusal, calls, finish_reason, usage } = said;
            let silent = reply.text.is_none() && reply.refusal.is_none() && reply.calls.is_empty();
            let words = if silent { Some(String::new()) } else { reply.text.clone() };
            prop_assert_eq!((thinking, text, refusal), (&reply.thinking, &words, &reply.refusal));
            prop_assert_eq!(finish_reason, &reply.finish);
            if (reply.usage.prompt, reply.usage.completion) != (0, 0) {
                prop_assert_eq!(usage, &reply.usage);
            }
            prop_assert_eq!(pacing, *wanted);
            prop_assert_eq!(calls.len(), reply.calls.len());
            for (read, call) in calls.iter().zip(&reply.calls) {
                prop_assert_eq!(&read.name, &call.name);
                let same = match (parse(read.arguments.as_bytes()), parse(call.arguments.as_bytes())) {
                    (Ok(read), Ok(call)) => likeness(read.root(), call.root()) == Likeness::Same,
                    _ => false,
                };
                prop_assert!(
                    same || read.arguments == call.arguments,
                    "{} is {}",
                    call.arguments,
                    read.arguments
                );
            }
        }
        (Step::Failed { status, headers, error }, Action::Error(read)) => {
            let wanted = ApiError {
                status: *status,
                message: error.message.clone(),
                kind: error.kind.clone(),
                code: error.code.clone(),
                param: error.param.clone(),
                headers: headers.clone(),
            };
            prop_assert_eq!(read, &wanted);
        }
        (step, action) => prop_assert!(false, "{step:?} is {action:?}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_reads_back(conversations in proptest::collection::vec(any_conversation(), 1..4)) {
        let written = write(&conversations);
        let read = phrasings(&written.text);
        prop_assert_eq!(read.len(), conversations.len());
        for one in &conversations {
            let found = read.iter().filter(|phrasing| phrasing.prompt == one.prompt);
            let outcome: Vec<_> = found.map(|phrasing| is_played(one, phrasing)).collect();
            prop_assert!(outcome.iter().any(Result::is_ok), "{:?}\n{}", outcome, written.text);
        }
    }
}

/// Each step in its place; errors that are the same were counted.
fn is_played(one: &Conversation, phrasing: &Phrasing) -> Result<(), TestCaseError> {
    let mut steps = one.steps.iter();
    for read in &phrasing.script {
        for trouble in &read.before {
            for _ in 0..trouble.times {
                is_said(steps.next().unwrap(), &trouble.action, Pacing::default())?;
            }
        }
        let first = steps.next().unwrap();
        is_said(first, &read.action, read.pacing)?;
        if matches!(first, Step::Failed { .. }) {
            prop_assert!(steps.all(|step| step == first), "the last error stays");
        }
    }
    prop_assert_eq!(steps.next(), None);
    Ok(())
}
