//! Every format over one run: names unique, words in place, width kept, colours only where wanted.

use crate::{REPORTS, Style, find};
use rehearsal_journal::run::{
    CaseResult, CodeText, Finding, JournalHead, Place, RunFile, Severity, VERSION, Verdict,
};

fn run() -> RunFile {
    let case = |phrasing: &str, verdict, findings| CaseResult {
        class: "files".into(),
        phrasing: phrasing.into(),
        place: Place { file: "suite.yaml".into(), line: 4, column: 9 },
        round: 1,
        verdict,
        findings,
        requests: 3,
        retries: 1,
        steps: (2, 2),
        ran_ms: 1234,
        status: Some(0),
        journal: JournalHead { journal: phrasing.into(), head: "ab".repeat(32), requests: 3 },
        normalised: "cd".repeat(32),
    };
    let reason = Finding {
        code: "script-not-finished".into(),
        message: "the agent stopped after step 1 of 3, although the model had asked for two more tool calls that were never answered".into(),
        exchanges: vec![2, 3],
        severity: Severity::Error,
        also: vec![],
    };
    RunFile {
        format: VERSION,
        run: "20260101-000000-abcdef".into(),
        program: "rehearsal 0.1.0".into(),
        seed: 1,
        suite: vec![("suite.yaml".into(), "ef".repeat(32))],
        profile: "gate".into(),
        agent: vec![],
        started_unix_ms: 0,
        took_ms: 2050,
        cases: vec![case("good", Verdict::Passed, vec![]), case("bad-one", Verdict::Failed, vec![reason])],
        servers: vec![JournalHead::default()],
        codes: vec![CodeText {
            code: "script-not-finished".into(),
            meaning: "the agent stopped asking before the script's last step was answered".into(),
            remedy: "answer every tool call".into(),
        }],
        repeat: 1,
        shard: None,
        ended_early: false,
        normalised: "01".repeat(32),
    }
}

#[test]
fn names_are_unique_and_found() {
    for (i, row) in REPORTS.iter().enumerate() {
        assert!(REPORTS.iter().skip(i + 1).all(|other| other.name != row.name));
        assert!(find(row.name).is_some());
    }
    assert!(find("tea-leaves").is_none());
}

#[test]
fn the_table_names_the_reason_within_the_width() {
    let text = (find("terminal").unwrap().write)(&run(), Style { colour: false, width: 60 });
    let wanted = "        case           steps  requests  retries     time
  PASS  files/good       2/2         3        1   1.23 s
  FAIL  files/bad-one    2/2         3        1   1.23 s
        script-not-finished: the agent stopped after step 1
          of 3, although the model had asked for two more
          tool calls that were never answered (requests 2 to
          3)

1 passed, 1 failed of 2 cases in 2.05 s
";
    assert_eq!(text, wanted);
}

#[test]
fn no_line_of_the_table_is_wider_than_the_terminal_whatever_the_cases_are_called() {
    let mut run = run();
    run.cases[1].phrasing = "a-name-that-is-far-too-long-for-any-table".into();
    for width in [40, 60, 80, 100] {
        let text = (find("terminal").unwrap().write)(&run, Style { colour: false, width });
        let wide: Vec<_> = text.lines().filter(|line| line.chars().count() > width.max(56)).collect();
        assert!(wide.is_empty(), "{width}: {wide:#?}");
        assert!(text.contains("files/a-name-that-is-far-too-long-for-any-table"), "{text}");
        assert!(text.contains("2/2         3        1   1.23 s"), "{text}");
    }
}

#[test]
fn colours_appear_only_where_wanted() {
    let write = find("terminal").unwrap().write;
    assert!(write(&run(), Style { colour: true, width: 80 }).contains("\u{1b}[31m"));
    assert!(!write(&run(), Style { colour: false, width: 80 }).contains('\u{1b}'));
}

#[test]
fn json_reads_back_as_the_run_file() {
    let text = (find("json").unwrap().write)(&run(), Style { colour: false, width: 80 });
    let back: RunFile = serde_json::from_str(&text).unwrap();
    assert_eq!(back, run());
}

#[test]
fn a_note_stands_below_its_case_and_says_that_it_is_one() {
    let mut run = run();
    let note = Finding {
        severity: Severity::Note,
        also: vec![],
        code: "arguments_not_json".into(),
        message: "cut short".into(),
        exchanges: vec![2],
    };
    run.cases[0].findings.push(note);
    let text = (find("terminal").unwrap().write)(&run, Style { colour: false, width: 80 });
    assert!(text.contains("\n        note: arguments_not_json: cut short (request 2)\n  FAIL"), "{text}");
}
