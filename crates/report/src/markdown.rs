//! A page for a CI job's summary, in GitHub's Markdown. Texts of agents are escaped, so that none of them is read as markup.

use crate::rounds::{Rounds, count, listed, rounds};
use crate::words::{by_weight, reason, remedies, requests, restrictions, seconds, several, visible, weight};
use crate::{Report, Style};
use rehearsal_journal::run::{Finding, RunFile, Severity, Verdict};
use std::fmt::Write as _;

pub(super) const ROW: Report = Report {
    name: "markdown",
    summary: "a page for the summary of a CI job: what failed, why, what to do, what is flaky or slow",
    write,
};

/// Bytes of the table, of the failed cases, and of each smaller list. GitHub takes up to 1 MiB; all together stay below 900 kB.
const TABLE: usize = 250_000;
const FAILURES: usize = 500_000;
const LIST: usize = 40_000;

/// Characters of one text, at most.
const TEXT: usize = 2_000;

/// Characters of a name, at most.
const NAME: usize = 200;

/// Findings of a case, and consequences of a finding, at most.
const MANY: usize = 20;

fn write(run: &RunFile, style: Style) -> String {
    let all = rounds(run);
    let mut out = format!("## {}\n\n{}\n", headline(run, &all), circumstances(run));
    table(&mut out, run, &all, style);
    failures(&mut out, run, &all);
    left_out(&mut out, &all);
    flaky(&mut out, &all);
    slowest(&mut out, &all);
    out
}

fn headline(run: &RunFile, all: &[Rounds<'_>]) -> String {
    let failed = count(all, Verdict::Failed) + count(all, Verdict::TimedOut);
    let broken = count(all, Verdict::Broken);
    let cases = several(all.len(), "case");
    let left_out = count(all, Verdict::Skipped) + count(all, Verdict::Unsupported);
    let text = match (all.len(), failed, broken) {
        (many, 0, 0) if left_out == many && many > 0 => format!("none of {cases} was executed"),
        (many, 0, 0) if left_out > 0 => format!("{} of {cases} passed, {left_out} left out", many - left_out),
        (0, _, _) => "no case ran".to_owned(),
        (1, 0, 0) => "1 case passed".to_owned(),
        (_, 0, 0) => format!("all {cases} passed"),
        (_, 0, broken) => format!("{broken} of {cases} could not be judged"),
        (_, failed, 0) => format!("{failed} of {cases} failed"),
        (_, failed, broken) => format!("{failed} of {cases} failed, {broken} could not be judged"),
    };
    if run.repeat > 1 { format!("{text} ({} rounds each)", run.repeat) } else { text }
}

fn circumstances(run: &RunFile) -> String {
    let mut parts = vec![
        format!("Run {}", text(&run.run, NAME)),
        text(&run.program, NAME),
        format!("profile {}", text(&run.profile, NAME)),
        format!("seed {}", run.seed),
        seconds(run.took_ms),
    ];
    if let Some(beginning) = run.suite_digest.get(..16) {
        parts.push(format!("suite {}", text(beginning, NAME)));
    }
    parts.extend(restrictions(run));
    parts.join(", ") + "\n"
}

fn table(out: &mut String, run: &RunFile, all: &[Rounds<'_>], style: Style) {
    let (rows, hidden) = listed(all, style.all);
    let repeated = run.repeat > 1;
    if !rows.is_empty() {
        let passes = |cell: &str| if repeated { format!(" {cell} |") } else { String::new() };
        let _ = writeln!(
            out,
            "| case | verdict |{} steps | requests | retries | time |\n|---|---|{}--:|--:|--:|--:|",
            passes("passes"),
            if repeated { "--:|" } else { "" }
        );
        let rows = rows.iter().map(|rounds| {
            let (case, (passed, of)) = (rounds.shown(), rounds.passes());
            format!(
                "| {} | {} |{} {}/{} | {} | {} | {} |\n",
                text(&rounds.name(), NAME),
                verdict(rounds),
                passes(&format!("{passed}/{of}")),
                case.steps.0,
                case.steps.1,
                case.requests,
                case.retries,
                seconds(case.ran_ms),
            )
        });
        fill(out, rows, TABLE, "case");
    }
    if let Some((passed, warned)) = hidden {
        let warned = if warned > 0 { format!(", {warned} of them with warnings") } else { String::new() };
        let _ = writeln!(out, "\nNot listed: {}{warned}.", several(passed, "passed case"));
    }
}

fn verdict(rounds: &Rounds<'_>) -> String {
    let word = match rounds.verdict() {
        Verdict::Failed if rounds.flaky() => "**flaky**",
        Verdict::Passed => "passed",
        Verdict::Failed => "**failed**",
        Verdict::Broken => "**broken**",
        Verdict::TimedOut => "**timeout**",
        Verdict::Skipped => "skipped",
        Verdict::Unsupported => "unsupported",
    };
    match rounds.warnings() {
        0 => word.to_owned(),
        warnings => format!("{word}, {}", several(warnings, "warning")),
    }
}

fn failures(out: &mut String, run: &RunFile, all: &[Rounds<'_>]) {
    let is_bad = |rounds: &&Rounds<'_>| rounds.verdict().is_executed() && rounds.verdict() != Verdict::Passed;
    let bad: Vec<_> = all.iter().filter(is_bad).collect();
    if bad.is_empty() {
        return;
    }
    out.push_str("\n### What went wrong\n");
    fill(out, bad.iter().map(|rounds| failure(rounds)), FAILURES, "case");
    let findings: Vec<_> = bad.iter().flat_map(|rounds| &rounds.shown().findings).collect();
    let remedies = remedies(run, &findings);
    if !remedies.is_empty() {
        out.push_str("\n### What to do\n\n");
        let items = remedies.iter().map(|(name, remedy)| format!("- {}: {}\n", code(name), prose(remedy)));
        fill(out, items, LIST, "code");
    }
}

/// One case that did not pass: where it stands and all that was found in the round that is shown.
fn failure(rounds: &Rounds<'_>) -> String {
    let case = rounds.shown();
    let round = if rounds.passes().1 > 1 { format!(", round {}", case.round) } else { String::new() };
    let mut out = format!(
        "\n#### {} ({}:{}{round})\n\n",
        text(&rounds.name(), NAME),
        text(&case.place.file, NAME),
        case.place.line
    );
    for finding in by_weight(&case.findings).into_iter().take(MANY) {
        out.push_str(&item(finding));
    }
    more(&mut out, "", case.findings.len(), "finding");
    out
}

fn item(finding: &Finding) -> String {
    let weight = match finding.severity {
        Severity::Error => String::new(),
        Severity::Warning | Severity::Note => weight(finding.severity).to_owned(),
    };
    let mut out =
        format!("- {weight}{}: {}{}\n", code(&finding.code), text(&finding.message, TEXT), requests(finding));
    for also in finding.also.iter().take(MANY) {
        let _ = writeln!(out, "  - also: {}", text(also, TEXT));
    }
    more(&mut out, "  ", finding.also.len(), "consequence");
    out
}

fn more(out: &mut String, indent: &str, all: usize, one: &str) {
    if all > MANY {
        let _ = writeln!(out, "{indent}- and {}", several(all - MANY, &format!("further {one}")));
    }
}

/// Why cases were not run.
fn left_out(out: &mut String, all: &[Rounds<'_>]) {
    let mut cases = all.iter().filter(|rounds| !rounds.verdict().is_executed()).peekable();
    if cases.peek().is_none() {
        return;
    }
    out.push_str("\n### Left out\n\n");
    let items = cases.map(|rounds| {
        let (word, why) = (rounds.verdict().word(), text(&reason(rounds.shown()), TEXT));
        format!("- {}: {word}: {why}\n", text(&rounds.name(), NAME))
    });
    fill(out, items, LIST, "case");
}

fn flaky(out: &mut String, all: &[Rounds<'_>]) {
    let mut flaky = all.iter().filter(|rounds| rounds.flaky()).peekable();
    if flaky.peek().is_none() {
        return;
    }
    out.push_str("\n### Flaky\n\n");
    let items = flaky.map(|rounds| {
        let (passed, of) = rounds.passes();
        format!("- {}: {passed} of {of} rounds passed\n", text(&rounds.name(), NAME))
    });
    fill(out, items, LIST, "case");
}

fn slowest(out: &mut String, all: &[Rounds<'_>]) {
    if all.is_empty() {
        return;
    }
    let mut by_time: Vec<_> = all.iter().collect();
    by_time.sort_by_key(|rounds| std::cmp::Reverse(rounds.slowest()));
    out.push_str("\n<details><summary>Slowest cases</summary>\n\n| case | time |\n|---|--:|\n");
    for rounds in by_time.into_iter().take(5) {
        let _ = writeln!(out, "| {} | {} |", text(&rounds.name(), NAME), seconds(rounds.slowest()));
    }
    out.push_str("\n</details>\n");
}

/// Appends the items that fit into so many bytes, and says how many did not.
fn fill(out: &mut String, items: impl Iterator<Item = String>, budget: usize, one: &str) {
    let end = out.len() + budget;
    let mut left_out = 0;
    for item in items {
        if out.len() + item.len() <= end {
            out.push_str(&item);
        } else {
            left_out += 1;
        }
    }
    if left_out > 0 {
        let _ = writeln!(out, "\nLeft out, because the page would be too long: {}.", several(left_out, one));
    }
}

/// A code as code; one that is no plain word is text like any other, in quotes, so that it begins no list.
fn code(code: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !code.is_empty() && code.len() <= NAME && code.chars().all(plain) {
        format!("`{code}`")
    } else {
        format!("\"{}\"", text(code, NAME))
    }
}

/// A text of ours, in which words stand in backticks; all else is text.
fn prose(written: &str) -> String {
    let mut parts: Vec<_> = written.split('`').collect();
    // An opening backtick without its closing one is a character like any other.
    let open = if parts.len() % 2 == 0 { parts.pop() } else { None };
    let mut out = String::new();
    for (number, part) in parts.into_iter().enumerate() {
        let inside = number % 2 == 1 && !part.trim().is_empty();
        out.push_str(&if inside { format!("`{}`", visible(part)) } else { text(part, TEXT) });
    }
    out + &open.map(|rest| text(&format!("`{rest}"), TEXT)).unwrap_or_default()
}

/// A text for the inside of a line in which nothing is markup: what could begin some stands behind a backslash, and a
/// space without width keeps GitHub from reading `@name` and `#1` as people and issues. A long one is cut.
fn text(text: &str, longest: usize) -> String {
    let text = visible(text);
    let mut out = String::with_capacity(text.len());
    for (number, c) in text.chars().enumerate() {
        if number == longest {
            out.push('…');
            break;
        }
        match c {
            '@' | '#' => {
                let _ = write!(out, "\\{c}&#8203;");
            }
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | ':' => {
                out.push('\\');
                out.push(c);
            }
            // `www.` alone makes a link.
            '.' if out.ends_with(['w', 'W']) => out.push_str("\\."),
            plain => out.push(plain),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{code, prose, text};
    use proptest::prelude::*;

    #[test]
    fn no_markup_survives_in_a_text() {
        for (written, shown) in [
            (
                "a plain sentence, with commas. (And brackets!)",
                "a plain sentence, with commas. (And brackets!)",
            ),
            ("<img src=x onerror=y>", "\\<img src=x onerror=y\\>"),
            ("[a](b) ![c](d)", "\\[a\\](b) !\\[c\\](d)"),
            ("a | b `c` **d** _e_ ~~f~~", "a \\| b \\`c\\` \\*\\*d\\*\\* \\_e\\_ \\~\\~f\\~\\~"),
            ("x\n# head\n- list", "x \\#&#8203; head - list"),
            ("see @someone and #12", "see \\@&#8203;someone and \\#&#8203;12"),
            ("https://a.b www.c.d :bug: $x$", "https\\://a.b www\\.c.d \\:bug\\: \\$x\\$"),
            ("&lt; \\", "\\&lt; \\\\"),
        ] {
            assert_eq!(text(written, 100), shown);
        }
        assert_eq!(text("abcdef", 3), "abc…");
    }

    #[test]
    fn words_in_backticks_stay_code_in_texts_of_ours() {
        for (written, shown) in [
            ("send `tool` messages, see `a|b`", "send `tool` messages, see `a|b`"),
            ("an open ` is a <character>", "an open \\` is a \\<character\\>"),
            ("``", ""),
            ("`a` `", "`a` \\`"),
        ] {
            assert_eq!(prose(written), shown);
        }
    }

    #[test]
    fn a_code_is_code_only_where_it_is_a_plain_word() {
        assert_eq!(code("never-asked"), "`never-asked`");
        assert_eq!(code("- a`b"), "\"- a\\`b\"");
    }

    proptest! {
        #[test]
        fn every_character_that_could_begin_markup_stands_behind_a_backslash(written in "(?s)([-+#*_`|<>\\[\\]()~@&$:.!\\\\w\n ]|.){0,80}") {
            let shown = text(&written, 1_000).replace("&#8203;", "");
            let mut rest = shown.chars();
            while let Some(c) = rest.next() {
                prop_assert!(!"`*_[]<>|~@#&$:\n".contains(c), "{c:?} in {shown}");
                if c == '\\' {
                    prop_assert!(rest.next().is_some_and(|next| next.is_ascii_punctuation()), "{shown}");
                }
            }
        }
    }
}
