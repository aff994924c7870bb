//! The page: tables of the outcomes, and the entries whose public reports are met again.

use crate::column::{LIMIT, Measured, named};
use crate::outcome::{Outcome, Seen};
use crate::{ITERATOR, LIBRARIES};
use rehearsal_wire::fault::{Arrives, FAULTS, Fault, Group};
use std::fmt::Write as _;

const NOTE: &str =
    "<!-- Measured: `UPDATE_REFERENCE=1 cargo test -p rehearsal --test sdk_faults` renews it. -->";

const GROUPS: [Group; 7] = [
    Group::Framing,
    Group::Life,
    Group::Contents,
    Group::ToolCalls,
    Group::Http,
    Group::Refusals,
    Group::Endpoint,
];

/// How many entries of the catalogue must show, with the libraries as they are, what somebody reported: with fewer the
/// clients have gone blind, or the libraries well, and then this page has news to tell.
const FOUND_AT_LEAST: usize = 10;

/// The whole page.
pub(crate) fn text(columns: &[Measured]) -> String {
    let mut out = format!("{NOTE}\n# Official libraries under each fault\n\n{}", legend(columns));
    for library in LIBRARIES.iter().map(|library| library.dialect).fold(Vec::new(), once) {
        let columns: Vec<_> = columns.iter().filter(|column| column.library.dialect == library).collect();
        writeln!(out, "\n## {library}").unwrap();
        for group in GROUPS {
            out += &table(&columns, group);
        }
    }
    out + &found(columns)
}

fn once(mut seen: Vec<&'static str>, name: &'static str) -> Vec<&'static str> {
    if !seen.contains(&name) {
        seen.push(name);
    }
    seen
}

fn legend(columns: &[Measured]) -> String {
    let versions: Vec<_> = LIBRARIES
        .iter()
        .map(|library| {
            let ran = columns.iter().find(|column| column.library.name == library.name).unwrap();
            format!("{} {}", library.name, ran.version)
        })
        .collect();
    format!(
        "What a program sees that asks with a provider's own library while one answer is broken: measured with {}.\n\n\
         Each is asked for a whole answer (`plain`), for a stream that the program reads event by event and puts together as the\n\
         library's examples do (`iterator`), and for one that the library puts together (`helper`). Timeouts are 3 seconds, retries 2, all\n\
         else is as it comes. The answer is a sentence, or, where the fault needs calls, two calls of one tool. A fault that leaves no turn\n\
         of the model breaks the first answer alone: who asks again gets it whole. [faults.md](faults.md) explains each fault.\n\n\
         | cell | what the program sees |\n|---|---|\n\
         | `same` | what it sees without the fault |\n\
         | `error` | an exception of the library's own classes, with the status that it tells |\n\
         | `raw-error` | an exception of another class: of the transport, of the language, or of the program, which was handed what the library promises never to hand out |\n\
         | `silent` | no exception, though the answer did not arrive, or not as it is without the fault: what differs |\n\
         | `hung` | nothing for {LIMIT} seconds |\n\
         | `–` | the answer holds nothing that the fault could break |\n\n\
         A number in brackets counts the requests, where it was not one. What a correct client gets stands under `arrives`: `as said` (the\n\
         turn, whole), `other words` (the fault changes what the model says, and `silent` tells that change), `other calls` (other ids), `no turn`.\n",
        versions.join(", ")
    )
}

fn table(columns: &[&Measured], group: Group) -> String {
    let rows = FAULTS.iter().enumerate().filter(|(_, row)| row.group == group);
    let rows: Vec<_> = rows.filter(|(i, _)| columns[0].seen[*i].is_some()).collect();
    if rows.is_empty() {
        return String::new();
    }
    let heads: Vec<_> = columns.iter().map(|column| title(column)).collect();
    let mut out = format!(
        "\n### {}\n\n| fault | arrives | {} | reports |\n|{}\n",
        group.words(),
        heads.join(" | "),
        "---|".repeat(heads.len() + 3)
    );
    for (i, row) in rows {
        let cells: Vec<_> =
            columns.iter().filter_map(|column| column.seen[i].as_ref()).map(Seen::cell).collect();
        let (name, arrives) = (named(row), arrives(row));
        writeln!(out, "| `{name}` | {arrives} | {} | {} |", cells.join(" | "), row.reports.join(", "))
            .unwrap();
    }
    out
}

fn title(column: &Measured) -> String {
    format!("{}: {}", column.library.name, column.form)
}

fn arrives(row: &Fault) -> &'static str {
    match row.arrives {
        Arrives::AsSaid if row.only_words() => "other words",
        Arrives::AsSaid => "as said",
        Arrives::Otherwise => "other calls",
        Arrives::Not => "no turn",
    }
}

/// Whether an outcome is what such reports are about, and no right answer to the fault.
fn is_harm(row: &Fault, column: &Measured, outcome: &Outcome) -> bool {
    // What the clients here put together themselves is their own making.
    if row.group == Group::ToolCalls && column.form == ITERATOR {
        return false;
    }
    match outcome {
        Outcome::Unmet | Outcome::Same => false,
        Outcome::RawError(_) | Outcome::Hung => true,
        // What cannot be read may end in a clear error, but a turn that is whole is to be read; and an error that tells a status
        // of success is taken for none that is worth another attempt.
        Outcome::Error(name) => {
            let whole = row.arrives == Arrives::AsSaid && !row.only_words() && !row.may_give_up;
            whole || name.ends_with(" 200")
        }
        Outcome::Silent(differs) => match row.arrives {
            Arrives::AsSaid => differs.untold && !row.only_words(),
            Arrives::Otherwise => false,
            Arrives::Not => differs.untold,
        },
    }
}

/// The outcomes of a fault that are harm: a library and an outcome once, with the forms that have it.
fn harm(row: &Fault, i: usize, columns: &[Measured]) -> Vec<String> {
    let mut harm: Vec<(&str, Vec<&str>, String)> = Vec::new();
    for column in columns {
        let Some(seen) = column.seen[i].as_ref().filter(|seen| is_harm(row, column, &seen.outcome)) else {
            continue;
        };
        let (name, cell) = (column.library.name, seen.cell());
        match harm.iter_mut().find(|(library, _, other)| *library == name && *other == cell) {
            Some((_, forms, _)) => forms.push(column.form),
            None => harm.push((name, vec![column.form], cell)),
        }
    }
    harm.iter().map(|(library, forms, cell)| format!("{library} ({}): {cell}", forms.join(", "))).collect()
}

/// The entries with public reports that at least one library takes as those reports tell.
fn found(columns: &[Measured]) -> String {
    let mut out = "\n## What was reported, and is seen here\n\n\
                   Entries with public reports, and where these versions are not above the trouble: the turn is there and is not read, it is\n\
                   not there and nobody says so, or what ends it is no exception of the library, or one that tells the status 200. Calls that\n\
                   the program puts together are its own making and do not count. The reports are of the same entry, often in other programs.\n\n\
                   | fault | right | seen here | reports |\n|---|---|---|---|\n"
        .to_owned();
    let mut count = 0;
    for (i, row) in FAULTS.iter().enumerate().filter(|(_, row)| !row.reports.is_empty()) {
        let harm = harm(row, i, columns);
        if harm.is_empty() {
            continue;
        }
        count += 1;
        let (name, right) = (row.name, row.right_reaction.replace('|', "\\|"));
        writeln!(out, "| `{name}` | {right} | {} | {} |", harm.join("; "), row.reports.join(", ")).unwrap();
    }
    assert!(count >= FOUND_AT_LEAST, "only {count} entries show what was reported:\n{out}");
    out
}
