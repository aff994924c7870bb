//! The pages of docs/reference: what the tables and the command line say of themselves. A test holds the files to them.

mod steps;

use crate::command::{agents, faults};
use crate::{Arguments, env, failure};
use clap::{CommandFactory as _, Parser as _};
use rehearsal_report::REPORTS;
use rehearsal_wire::dialect::batch;
use rehearsal_wire::dialect::mount::{MOUNTS, Mount};
use rehearsal_wire::dialect::{DIALECTS, Serves, Visit};
use rehearsal_wire::fault::FAULTS;
use rehearsal_wire::rule::{Profile, RULES, Rule};
use rehearsal_workflow::agent::AGENTS;
use rehearsal_workflow::grade::{self, CHECKS};
use rehearsal_workflow::told::{DROPPED, GIVEN, families};

/// One page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Page {
    /// Its file in docs/reference.
    pub file: &'static str,
    /// Its text, as Markdown.
    pub text: String,
}

/// All pages.
#[must_use]
pub fn pages() -> Vec<Page> {
    let page = |file, title: &str, body: String| {
        let note = "<!-- Written by the program: `UPDATE_REFERENCE=1 cargo test -p rehearsal --test reference` renews it. -->";
        Page { file, text: format!("{note}\n# {title}\n\n{body}") }
    };
    vec![
        page("agents.md", "Agents", agents()),
        page("cli.md", "Command line", command_line()),
        page("dialects.md", "Dialects", dialects()),
        page("env.md", "Environment variables", environment()),
        page("exit-codes.md", "Exit codes", exit_codes()),
        page("faults.md", "Faults", fault_pages()),
        page("findings.md", "Findings", findings()),
        page("refusals.md", "Refusals of workflow steps", steps::refusals()),
        page("reports.md", "Reports", reports()),
        page("rules.md", "Rules", rules()),
        page("steps.md", "Steps of workflows", steps::steps()),
    ]
}

fn agents() -> String {
    let mut out = "What `rehearsal run SUITE --agent NAME` starts. `rehearsal agents` says which of them are installed; words in braces are \
                   filled in as in any agent's command ([env.md](env.md)).\n\n"
        .to_owned()
        + &head(&["agent", "what it is", "speaks", "`tool: shell`"]);
    for row in AGENTS {
        let shell = row.shell.map(|shell| code(shell.tool)).unwrap_or_default();
        let name = format!("[{0}](#{0})", row.name);
        out.push_str(&self::row(&[&name, row.summary, row.dialects.first().unwrap_or(&""), &shell]));
    }
    for row in AGENTS {
        out.push_str(&format!("\n## {}\n\n{}", row.name, fenced("text", &agents::explanation(row))));
    }
    out
}

fn fenced(kind: &str, text: &str) -> String {
    let lines: Vec<_> = text.trim_end().lines().map(str::trim_end).collect();
    format!("```{kind}\n{}\n```\n", lines.join("\n"))
}

/// A row of a Markdown table; a bar inside a cell would end it.
fn row(cells: &[&str]) -> String {
    let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
    format!("| {} |\n", cells.join(" | "))
}

fn head(cells: &[&str]) -> String {
    row(cells) + &format!("|{}\n", "---|".repeat(cells.len()))
}

fn code(text: &str) -> String {
    format!("`{text}`")
}

fn command_line() -> String {
    let mut out = fenced("text", &help(&["rehearsal", "--help"]));
    let mut all = Arguments::command();
    all.build();
    for command in all.get_subcommands().filter(|command| command.get_name() != "help") {
        let name = command.get_name();
        let hidden = if command.is_hide_set() { " (hidden: `run` starts it)" } else { "" };
        out.push_str(&format!(
            "\n## rehearsal {name}{hidden}\n\n{}",
            fenced("text", &help(&["rehearsal", name, "--help"]))
        ));
        for below in command.get_subcommands().map(clap::Command::get_name).filter(|name| *name != "help") {
            let text = fenced("text", &help(&["rehearsal", name, below, "--help"]));
            out.push_str(&format!("\n### rehearsal {name} {below}\n\n{text}"));
        }
    }
    out
}

/// What a person sees who asks for help.
fn help(words: &[&str]) -> String {
    match Arguments::try_parse_from(words) {
        Err(text) => text.render().to_string(),
        Ok(_) => String::new(),
    }
}

fn dialects() -> String {
    let mut out = String::new();
    for dialect in DIALECTS {
        if !out.is_empty() {
            out.push('\n');
        }
        out.push_str(&format!(
            "## {}\n\n{}.\n\n{}",
            dialect.name,
            dialect.summary,
            head(&["route", "serves"])
        ));
        for route in dialect.routes {
            let serves = match route.serves {
                Serves::Conversation => "a turn of a conversation",
                Serves::Stream(_) => "a turn of a conversation, streamed",
                Serves::Models => "the list of models",
                Serves::Model => "one model",
                Serves::Kept(Visit::Begin) => "begins a conversation that requests may name",
                Serves::Kept(Visit::Read) => "a kept reply, plain or as a stream from some event on",
                Serves::Kept(Visit::Delete) => "forgets a kept reply",
                Serves::Kept(Visit::Cancel) => "cancels a reply that is made in the background",
                Serves::Kept(Visit::Items) => "what the request of a kept reply held",
                Serves::Batch(batch::Visit::Begin, _) => "begins a batch of requests",
                Serves::Batch(batch::Visit::List, _) => "the list of batches",
                Serves::Batch(batch::Visit::Read, _) => "how far a batch is",
                Serves::Batch(batch::Visit::Results, _) => "what became of a batch's requests, a line each",
                Serves::Batch(batch::Visit::Cancel, _) => "cancels a batch",
                Serves::Batch(batch::Visit::Delete, _) => "forgets a batch",
                Serves::Always(_) => "the same answer each time",
                Serves::Answer(_) => "an answer that follows from the request",
            };
            out.push_str(&row(&[&code(&format!("{} {}", route.method, route.path)), serves]));
        }
        out.push_str(&format!(
            "\nReplies are `{}`, streams `{}`.\n",
            dialect.content_type, dialect.stream_type
        ));
    }
    MOUNTS.iter().fold(out, |out, mount| out + &mounted(mount))
}

fn mounted(mount: &Mount) -> String {
    let mut out = format!(
        "\n## {}\n\n{}.\n\n{}",
        mount.name,
        mount.summary,
        head(&["in place of `/v1`", "what may follow", "the query must hold"])
    );
    for root in mount.roots {
        let only = if root.only.is_empty() {
            "anything".to_owned()
        } else {
            root.only.iter().map(|path| code(&format!("/{path}"))).collect::<Vec<_>>().join(", ")
        };
        out.push_str(&row(&[&code(root.path), &only, &root.query.map(code).unwrap_or_default()]));
    }
    let dialects = mount.dialects.words();
    out.push_str(&format!("\nIt serves {dialects}; the key may come as `{}`, too.\n", mount.key));
    out
}

fn environment() -> String {
    let mut out = "## Read by the program\n\n".to_owned() + &head(&["variable", "read by", "what it does"]);
    for variable in env::VARIABLES {
        out.push_str(&row(&[&code(variable.name), variable.reader, variable.summary]));
    }
    out.push_str("\n## Given to the agent\n\nA placeholder stands in the agent's command, also inside an argument.\n\n");
    out.push_str(&head(&["variables", "placeholder", "what it is"]));
    for given in GIVEN {
        let names: Vec<_> = given.variables().into_iter().map(code).collect();
        out.push_str(&row(&[
            &names.join(", "),
            &given.placeholder.map(code).unwrap_or_default(),
            given.what,
        ]));
    }
    let names = |names: &[&str], end: &str| {
        names.iter().map(|name| code(&format!("{name}{end}"))).collect::<Vec<_>>().join(", ")
    };
    out.push_str(&format!(
        "\n## Kept from the agent\n\nEverything else is inherited but {}, all of {}, and whatever sounds like a secret \
         (key, token, password, credential, cookie).\n",
        names(DROPPED, ""),
        names(&families(), "*"),
    ));
    out
}

fn exit_codes() -> String {
    let mut out = head(&["code", "means", "when"]);
    for exit in failure::EXITS {
        out.push_str(&row(&[&exit.code.to_string(), exit.short, exit.meaning]));
    }
    out.push_str("\nFailed cases (1) outweigh broken ones (3). `report` gives the code that the run had.\n");
    out
}

fn fault_pages() -> String {
    let pages: Vec<_> = FAULTS
        .iter()
        .map(|row| format!("## {}\n\n{}", row.name, fenced("text", &faults::explanation(row))))
        .collect();
    pages.join("\n")
}

fn findings() -> String {
    let mut out = "Everything that a finding can be, `rehearsal explain CODE` tells more of each. An error fails the case; `findings: {CODE: \
                   warning}` in a suite or `--finding CODE=warning` on the command line changes what a code weighs. How findings \
                   are folded below their causes stands in [running.md](../guide/running.md#verdicts).\n\n"
        .to_owned()
        + &head(&["code", "weight", "what it means", "what to do"]);
    // Rules have a page of their own; here they would only repeat it.
    let is_rule = |name: &str| {
        RULES.iter().any(|rule| rule.name == name) && !CHECKS.iter().any(|check| check.code == name)
    };
    for (severity, text) in grade::codes().into_iter().filter(|code| !is_rule(code)).filter_map(grade::text) {
        out.push_str(&row(&[&code(&text.code), grade::weight_word(severity), &text.meaning, &text.remedy]));
    }
    out + "\nA request that a rule refused is an error with the name of the rule as its code: [rules.md](rules.md) has them all.\n\n"
        + &rule_list()
}

/// The names of all rules, in the order in which they are applied.
fn rule_list() -> String {
    RULES.iter().map(|rule| format!("- [`{0}`](rules.md#{0}): {1}\n", rule.name, rule.summary)).collect()
}

fn reports() -> String {
    let mut out = "`rehearsal report RUN --format NAME`\n\n".to_owned() + &head(&["name", "what it is"]);
    for report in REPORTS {
        out.push_str(&row(&[&code(report.name), report.summary]));
    }
    out
}

fn rules() -> String {
    let names = Profile::ALL.map(Profile::name);
    let mut out = format!(
        "In the order in which they are applied; the first that refuses answers. A profile (`--profile`, or `profile` in a file) is a \
         set of rules; `--rule NAME=off` or `rules: {{NAME: false}}` in a file switches one.\n\n{}",
        head(&[
            "rule",
            "stage",
            "dialects",
            names[0],
            names[1],
            names[2],
            names[3],
            "what it refuses",
            "codes"
        ])
    );
    for rule in RULES {
        let marks = Profile::ALL.map(|profile| if rule.profiles.contains(&profile) { "x" } else { "" });
        let codes: Vec<_> = rule.codes.iter().map(|name| code(name)).collect();
        let name = format!("[{0}](#{0})", rule.name);
        out.push_str(&row(&[
            &name,
            rule.stage.name(),
            &rule.dialects.words(),
            marks[0],
            marks[1],
            marks[2],
            marks[3],
            rule.summary,
            &codes.join(", "),
        ]));
    }
    out + "\nA request that each rule refuses or notes:\n"
        + &RULES.iter().map(|rule| example(rule)).collect::<String>()
}

fn example(rule: &Rule) -> String {
    let headers = rule
        .example
        .headers
        .iter()
        .map(|(name, value)| format!("{name}: {}\n", String::from_utf8_lossy(value)));
    let text = headers.collect::<String>() + rule.example.body;
    format!("\n### {}\n\n{}", rule.name, fenced("text", &text))
}
