//! Every format over one run: names unique, words in place, width kept, colours only where wanted, and any text of an
//! agent harmless in each of them.

mod formats;
mod many;
mod texts;

use crate::{REPORTS, Style, find};
use rehearsal_journal::run::{
    CaseResult, CodeText, Finding, JournalHead, Place, RunFile, Severity, VERSION, Verdict,
};

const STYLE: Style = Style { colour: false, width: 80, all: false };

fn written(format: &str, run: &RunFile) -> String {
    (find(format).unwrap().write)(run, STYLE)
}

pub(crate) fn case(phrasing: &str, verdict: Verdict, findings: Vec<Finding>) -> CaseResult {
    CaseResult {
        class: "files".into(),
        phrasing: phrasing.into(),
        fault: None,
        outcome: None,
        place: Place { file: "suite.yaml".into(), line: 4, column: 9 },
        round: 1,
        verdict,
        workflow: None,
        findings,
        requests: 3,
        retries: 1,
        steps: (2, 2),
        ran_ms: 1234,
        status: Some(0),
        journal: JournalHead { journal: phrasing.into(), head: "ab".repeat(32), requests: 3 },
        normalised: "cd".repeat(32),
    }
}

fn finding(severity: Severity, code: &str, message: &str, exchanges: &[u64]) -> Finding {
    Finding {
        code: code.into(),
        message: message.into(),
        exchanges: exchanges.to_vec(),
        severity,
        also: vec![],
    }
}

fn stopped() -> Finding {
    Finding {
        also: vec!["the file a.txt was never written".into()],
        ..finding(
            Severity::Error,
            "script-not-finished",
            "the agent stopped after step 1 of 3, although the model had asked for two more tool calls that were never answered",
            &[2, 3],
        )
    }
}

fn explained(code: &str) -> CodeText {
    CodeText {
        code: code.into(),
        meaning: format!("what {code} means"),
        remedy: format!("mend what {code} names"),
    }
}

/// A run with one case of each kind.
fn run() -> RunFile {
    let warned = finding(Severity::Warning, "tried-to-leave", "it asked for example.com:443", &[]);
    let noted = finding(Severity::Note, "arguments-not-json", "cut short", &[2]);
    RunFile {
        format: VERSION,
        run: "20260101-000000-abcdef".into(),
        program: "rehearsal 0.1.0".into(),
        seed: 1,
        suite: vec![("suite.yaml".into(), "ef".repeat(32))],
        profile: "gate".into(),
        agent: vec![],
        started_unix_ms: 1_767_225_600_000,
        took_ms: 2050,
        cases: vec![
            case("good", Verdict::Passed, vec![noted]),
            case("bad-one", Verdict::Failed, vec![warned, stopped()]),
            CaseResult {
                class: "world".into(),
                ..case(
                    "lost",
                    Verdict::Broken,
                    vec![finding(Severity::Error, "agent-not-started", "there is no program <agent>", &[])],
                )
            },
        ],
        servers: vec![JournalHead::default()],
        codes: vec![
            explained("script-not-finished"),
            explained("tried-to-leave"),
            explained("arguments-not-json"),
            explained("agent-not-started"),
        ],
        repeat: 1,
        shard: None,
        missing_shards: vec![],
        suite_digest: String::new(),
        shuffle: None,
        strict_skips: false,
        ended_early: false,
        normalised: "01".repeat(32),
    }
}

/// A run of these cases.
pub(crate) fn run_of(cases: Vec<CaseResult>) -> RunFile {
    RunFile { cases, codes: vec![], ..run() }
}

/// Ten rounds of two cases: one good, one that fails in rounds 3 and 7.
fn repeated() -> RunFile {
    let mut cases = Vec::new();
    for round in 1..=10 {
        let bad = round == 3 || round == 7;
        let (verdict, findings) =
            if bad { (Verdict::Failed, vec![stopped()]) } else { (Verdict::Passed, vec![]) };
        cases.push(CaseResult { round, ..case("steady", Verdict::Passed, vec![]) });
        cases.push(CaseResult { round, ..case("shaky", verdict, findings) });
    }
    RunFile { cases, repeat: 10, ..run() }
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
fn json_reads_back_as_the_run_file() {
    assert_eq!(RunFile::from_json(&written("json", &run())).unwrap(), run());
}
