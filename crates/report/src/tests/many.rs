//! Widths, colours, big suites, parts of suites.

use super::{STYLE, case, explained, finding, repeated, run, written};
use crate::{Style, find};
use rehearsal_journal::run::{CaseResult, RunFile, Severity, Verdict};

/// So many cases, of which every tenth failed and every seventh of the others has a warning.
fn big(cases: usize) -> RunFile {
    let cases = (0..cases).map(|number| {
        let name = format!("case-{number}");
        if number % 10 == 0 {
            let reason = finding(Severity::Error, "never-asked", &"it never asked, ".repeat(60), &[]);
            case(&name, Verdict::Failed, vec![reason])
        } else if number % 7 == 0 {
            case(&name, Verdict::Passed, vec![finding(Severity::Warning, "tried-to-leave", "out", &[])])
        } else {
            case(&name, Verdict::Passed, vec![])
        }
    });
    RunFile { cases: cases.collect(), codes: vec![explained("never-asked")], ..run() }
}

#[test]
fn no_line_of_the_table_is_wider_than_the_terminal_whatever_the_cases_are_called() {
    for mut run in [run(), repeated()] {
        run.cases[1].phrasing = "a-name-that-is-far-too-long-for-any-table".into();
        for width in [40, 60, 80, 100] {
            let text = (find("terminal").unwrap().write)(&run, Style { width, ..STYLE });
            let (rows, _) = text.rsplit_once("\n\n").unwrap();
            let wide: Vec<_> = rows.lines().filter(|line| line.chars().count() > width.max(58)).collect();
            assert!(wide.is_empty(), "{width}: {wide:#?}");
            assert!(text.contains("files/a-name-that-is-far-too-long-for-any-table"), "{text}");
            assert!(text.contains("2/2         3        1   1.23 s"), "{text}");
        }
    }
}

#[test]
fn colours_appear_only_where_wanted() {
    let write = find("terminal").unwrap().write;
    let coloured = write(&run(), Style { colour: true, ..STYLE });
    assert!(coloured.contains("\u{1b}[31m  FAIL\u{1b}[0m"), "{coloured}");
    assert!(
        coloured.contains("\u{1b}[2mwarning: tried-to-leave: it asked for example.com:443\u{1b}[0m"),
        "{coloured}"
    );
    for format in ["terminal", "markdown", "junit", "sarif"] {
        assert!(!written(format, &run()).contains('\u{1b}'));
    }
}

#[test]
fn up_to_forty_cases_are_listed_and_of_more_only_those_that_did_not_pass() {
    let rows = |text: &str| text.lines().filter(|line| line.contains("files/case-")).count();
    let forty = written("terminal", &big(40));
    assert_eq!(rows(&forty), 40);
    assert!(!forty.contains("not shown"));
    let many = written("terminal", &big(41));
    assert_eq!(rows(&many), 5);
    let words: Vec<_> = many.split_whitespace().collect();
    let told =
        "36 passed cases are not shown, 5 of them with warnings (rehearsal report RUN --all shows all)";
    assert!(words.join(" ").contains(told), "{many}");
    let all = (find("terminal").unwrap().write)(&big(41), Style { all: true, ..STYLE });
    assert_eq!(rows(&all), 41);
    assert!(!all.contains("not shown"));
    assert!(written("markdown", &big(41)).contains("Not listed: 36 passed cases, 5 of them with warnings."));
}

#[test]
fn a_page_stays_below_githubs_limit_and_says_how_much_it_left_out() {
    let page = written("markdown", &big(20_000));
    assert!(page.len() <= 900_000, "{}", page.len());
    assert!(page.starts_with("## 2000 of 20000 cases failed\n"), "{}", &page[..80]);
    let told = page.matches("\n#### ").count();
    let left_out = format!("Left out, because the page would be too long: {} cases.", 2000 - told);
    assert!(page.contains(&left_out), "{left_out}");
    assert!(page.trim_end().ends_with("</details>"));
}

#[test]
fn what_a_run_left_out_is_said_by_every_format_for_people() {
    let part = RunFile { shard: Some((2, 4)), ended_early: true, ..run() };
    let clauses = "shard 2 of 4; ended at the first failure, further cases did not run";
    assert!(written("terminal", &part).ends_with(&format!(" of 3 cases in 2.05 s; {clauses}\n")));
    assert!(
        written("junit", &part).contains(&format!("<property name=\"restrictions\" value=\"{clauses}\"/>"))
    );
    assert!(written("markdown", &part).contains(&clauses.replace("; ", ", ")));
    assert!(written("sarif", &part).contains("\"id\": \"rehearsal/shard-2-of-4/20260101-000000-abcdef\""));
}

#[test]
fn the_shards_that_a_merge_went_without_are_said_by_every_format_for_people() {
    for (missing, clause) in [
        (vec![2], "shard 2 is missing, its cases are not judged"),
        (vec![1, 3, 12], "shards 1 and 3 and 12 are missing, their cases are not judged"),
    ] {
        let part = RunFile { missing_shards: missing, ..run() };
        assert!(written("terminal", &part).ends_with(&format!(" of 3 cases in 2.05 s; {clause}\n")));
        assert!(
            written("junit", &part)
                .contains(&format!("<property name=\"restrictions\" value=\"{clause}\"/>"))
        );
        assert!(written("markdown", &part).contains(clause));
    }
    assert!(!written("json", &run()).contains("missing_shards"));
}

#[test]
fn a_run_without_cases_is_told_as_such() {
    let none = RunFile { cases: vec![], codes: vec![], ..run() };
    assert_eq!(written("terminal", &none), "\n0 passed of 0 cases in 2.05 s\n");
    assert!(written("markdown", &none).starts_with("## no case ran\n"));
    assert!(written("junit", &none).contains("tests=\"0\""));
    assert!(written("sarif", &none).contains("\"results\": []"));
}

#[test]
fn the_first_round_that_failed_stands_for_a_case_and_one_that_failed_always_is_not_flaky() {
    let mut run = repeated();
    for case in run.cases.iter_mut().filter(|case| case.phrasing == "shaky") {
        case.verdict = Verdict::Failed;
        case.findings =
            vec![finding(Severity::Error, "never-asked", &format!("in round {}", case.round), &[])];
    }
    let text = written("terminal", &run);
    assert!(text.contains("  FAIL  files/shaky     0/10"), "{text}");
    assert!(text.contains("in round 1:\n        never-asked: in round 1\n"), "{text}");
    assert!(text.ends_with("1 passed, 1 failed of 2 cases, 10 rounds each, in 2.05 s\n"), "{text}");
    assert!(!written("junit", &run).contains("name=\"flaky\""));
    assert!(!written("markdown", &run).contains("### Flaky"));
}

#[test]
fn a_case_that_could_not_be_judged_in_one_round_is_broken_not_flaky() {
    let broken = CaseResult { round: 2, ..case("good", Verdict::Broken, vec![]) };
    let run = RunFile { cases: vec![case("good", Verdict::Passed, vec![]), broken], repeat: 2, ..run() };
    let text = written("terminal", &run);
    assert!(text.contains("BROKEN  files/good     1/2"), "{text}");
    assert!(!text.to_lowercase().contains("flaky"), "{text}");
    assert!(
        written("junit", &run)
            .contains("<error message=\"files/good did not pass, and its run file says no reason\"/>")
    );
    assert!(written("sarif", &run).contains("files/good could not be judged"));
}
