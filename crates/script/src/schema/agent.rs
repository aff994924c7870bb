//! The table, second part: what a file says of the agent, its command and what it must do.

use super::Kind::{Either, List, Map, Name, Object, Paths, Scalar, Span, Text, Whole};
use super::Shape;
use super::fields::{COMMENT, must, new};

pub(super) static AGENT: Shape = Shape {
    name: "agent",
    called: "`agent`",
    doc: "The agent that the suite is for. Its texts may hold {prompt}, {base_url}, {root_url}, {workspace}, {home}, {model} and {case}, and in cases with a daemon {daemon_url}, {daemon_config_dir} and {daemon_project}.",
    others: None,
    fields: &[
        COMMENT,
        must(
            "command",
            &Either(&[&Name, &List(&Text)]),
            "Program and arguments: a list, or one text that is split at blanks outside quotes.",
        ),
        new("env", &Map(&Scalar), "Variables by name, beside those that every agent gets."),
        new(
            "files",
            &Map(&Text),
            "Files to write before it starts: path to content. A path begins with `{home}/` or `{workspace}/`.",
        ),
        new("stdin", &Text, "Its standard input; closed by default."),
        new("time_limit", &Span, "Time limit of a case that sets none: `10s`, `500ms`, `2m`."),
    ],
};

pub(super) static EXPECT_AGENT: Shape = Shape {
    name: "expect_agent",
    called: "`expect_agent`",
    doc: "What the agent must do, judged from what the host saw.",
    others: None,
    fields: &[
        new("exit", &Whole(0, 255), "Its exit status."),
        new(
            "max_requests",
            &Whole(1, 1_000_000),
            "The most requests that it may send, every attempt counted.",
        ),
        new("tools_called", &List(&Name), "Tools whose answers must come back, in this order."),
        new("output_contains", &Either(&[&Text, &List(&Text)]), "Texts that its standard output must hold."),
        new(
            "output_matches",
            &Either(&[&Text, &List(&Text)]),
            "Regular expressions that its standard output must match.",
        ),
        new(
            "files",
            &Paths(&Either(&[&Text, &Object(&EXPECT_FILE)])),
            "Files that must be in the workspace afterwards: path to content, or to `content` or `sha256`.",
        ),
        new(
            "forbidden_files",
            &Either(&[&Name, &List(&Name)]),
            "Paths in the workspace that it must neither make, change nor delete: `*` and `?` within a name, `**` for any number of folders.",
        ),
        new("commands", &Object(&EXPECT_COMMANDS), "Commands that it must or must not run."),
        new("time_limit", &Span, "Time limit of the case: `10s`, `500ms`, `2m`."),
    ],
};

static EXPECT_FILE: Shape = Shape {
    name: "expect_file",
    called: "an expected file",
    doc: "A file that must be there afterwards.",
    others: None,
    fields: &[
        new("content", &Text, "Its exact content."),
        new("sha256", &Text, "SHA-256 of its bytes, 64 hexadecimal digits."),
    ],
};

static EXPECT_COMMANDS: Shape = Shape {
    name: "expect_commands",
    called: "`commands`",
    doc: "Commands by their first words: `git commit` is met by `git commit -m x`. Their programs are watched on PATH.",
    others: None,
    fields: &[
        COMMENT,
        new("ran", &Either(&[&Name, &List(&Name)]), "Commands that must have run, in any order."),
        new("not_ran", &Either(&[&Name, &List(&Name)]), "Commands that may not have run."),
        new("watch", &Either(&[&Name, &List(&Name)]), "Further programs to write into the journal."),
    ],
};
