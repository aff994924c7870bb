//! The fields of `daemon` and `expect_daemon`.

use super::Kind::{Either, Flag, List, Name, Object, OrNull, Paths, Text, Whole, Word};
use super::fields::{COMMENT, new};
use super::run::{QUOTA, RUN};
use super::{Field, Shape};
use crate::daemon::{Daemon, ExpectRuns};

pub(super) static DAEMON_FIELD: Field = new(
    "daemon",
    &OrNull(&Object(&DAEMON)),
    "A stand-in for an agent-run daemon beside each case; narrower levels win key by key, and null takes it away.",
);
pub(super) static EXPECT_DAEMON_FIELD: Field = new(
    "expect_daemon",
    &Object(&EXPECT_DAEMON),
    "What the agent must do as a client of the daemon; narrower levels win key by key.",
);

static DAEMON: Shape = Shape {
    name: "daemon",
    called: "`daemon`",
    doc: "A daemon of the case's own, on loopback, with a configuration folder and a project; it ends with the case.",
    others: None,
    fields: &[
        COMMENT,
        new(
            "runs",
            &Either(&[&Name, &List(&Object(&RUN))]),
            "A file of run scripts, by its path relative to this file, or the scripts themselves; other prompts go by their markers.",
        ),
        new("quota", &Object(&QUOTA), "What `GET /v2/quota` says, beside scripts that stand here."),
        new(
            "as",
            &Word(&Daemon::MANNERS),
            "Whose answers are given: those of the contract with its defects `corrected` (the default), of the real `engine`, or of the original fake (`seed`).",
        ),
        new("harness", &Name, "Id of the one harness; `fake-harness` by default."),
        new("engine_version", &Name, "Version that the engine says it has."),
        new("build_sha", &Name, "Build that the engine says it is."),
        new("model", &Name, "Model that runs say they used."),
        new("profile", &Name, "Credential profile that runs say they used."),
        new(
            "ghost_profile",
            &Name,
            "A credential profile that does not exist; `ghost-profile` by default. A start that names it is refused.",
        ),
        new(
            "live_input",
            &Word(&Daemon::LIVE_INPUTS),
            "How live messages get into a run; `mid_turn` by default, `none` takes them away.",
        ),
        new(
            "edits",
            &Paths(&Text),
            "What mutating runs write into their private workspace: path to content.",
        ),
        new("require_project", &Flag, "Whether runs in projects that nobody registered are refused."),
        new("scripted_clock", &Flag, "Whether time stands still but for `POST /_control/clock`."),
        new("keep_runs", &Whole(0, 10_000), "How many runs that are over are kept; older ones answer 410."),
    ],
};

static EXPECT_DAEMON: Shape = Shape {
    name: "expect_daemon",
    called: "`expect_daemon`",
    doc: "What the agent must do as a client of the daemon, judged from what the daemon took down.",
    others: None,
    fields: &[
        COMMENT,
        new(
            "runs",
            &Either(&[&Whole(0, 10_000), &List(&Word(&ExpectRuns::STATES))]),
            "How many runs it must start, or their states in the end, in the order of their starts.",
        ),
        new("answers", &Whole(0, 10_000), "How many questions it must have answered."),
        new("messages", &Whole(0, 10_000), "How many of its live messages must be accepted."),
        new("cancelled", &Whole(0, 10_000), "How many runs must be cancelled in the end."),
        new("most_requests", &Whole(1, 1_000_000), "The most requests that it may send to the daemon."),
    ],
};
