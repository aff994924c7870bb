//! The fields of a file of run scripts.

use super::Kind::{Anything, Either, Flag, List, Map, Name, Object, Paths, Span, Text, Whole, Word};
use super::fields::{COMMENT, must, new};
use super::{Field, Kind, Need, Shape};
use crate::runs::{Answers, Ending, MessageOutcome, Mode, Problem, Quirk};

static NAMES: Kind = List(&Name);
/// What stands in quota is said as it is: the shapes are the client's.
static ROWS: Kind = List(&Map(&Anything));

pub(crate) static RUNS: Shape = Shape {
    name: "runs",
    called: "a file of run scripts",
    doc: "Runs of an agent-run daemon for `rehearsal daemon --script`.",
    others: None,
    fields: &[
        Field { need: Need::Required, ..new("version", &Whole(1, 1), "1.") },
        COMMENT,
        new("quota", &Object(&QUOTA), "What `GET /v2/quota` says."),
        must(
            "runs",
            &List(&Object(&RUN)),
            "The scripts; the first whose marker stands in a prompt plays the run.",
        ),
    ],
};

pub(super) static QUOTA: Shape = Shape {
    name: "quota",
    called: "`quota`",
    doc: "What is left of what its user may spend.",
    others: None,
    fields: &[
        COMMENT,
        new("snapshots", &ROWS, "Rows of known quota, said as they are."),
        new("absences", &ROWS, "Rows of quota that nobody knows, said as they are."),
    ],
};

pub(super) static RUN: Shape = Shape {
    name: "run",
    called: "a run",
    doc: "How the runs of one sort of prompt are played.",
    others: None,
    fields: &[
        COMMENT,
        must("id", &Name, "Its name, unique over all files."),
        new("marker", &Name, "A prompt that holds this text is played by it; the id by default."),
        new("refuse", &Object(&REFUSE), "The start is refused with this."),
        new(
            "queued",
            &Either(&[&Whole(1, 1_000_000), &Span]),
            "It waits in a queue first: for so many starts under its key or reads, or for a time. Only with `--as-engine`.",
        ),
        new(
            "steps",
            &List(&Object(&STEP)),
            "What the run does, in order; without an end it succeeds at the next read.",
        ),
        new(
            "messages",
            &List(&Object(&MESSAGE)),
            "What becomes of live messages, one row each; those beyond are accepted.",
        ),
        new("troubles", &List(&Object(&TROUBLE)), "How answers about the run are broken on the wire."),
        new("quirks", &List(&Word(&Quirk::WORDS)), "What the agent gets wrong over ACP."),
        new("relay", &Flag, "Whether the final text repeats what was answered, as `[FAKE:TURN]` does."),
        new("required_inputs", &NAMES, "What an ended run says that it still needs."),
        new("attempt", &Flag, "Whether the run has the record of an attempt; by default so where it edits."),
    ],
};

static REFUSE: Shape = Shape {
    name: "refuse",
    called: "`refuse`",
    doc: "The start is refused.",
    others: None,
    fields: &[
        COMMENT,
        must("status", &Whole(400, 599), "The status."),
        must("code", &Name, "The code, for programs."),
        new("message", &Text, "One sentence."),
    ],
};

/// The fields of a step that say what it does; it has exactly one of them.
pub(crate) const ACTS: [&str; 7] = ["ask", "edit", "note", "update", "call", "end", "hang"];
/// The fields of a step that say what it waits for; it has at most one of them.
pub(crate) const WAITS: [&str; 3] = ["polls", "after", "on"];

static STEP: Shape = Shape {
    name: "run_step",
    called: "a step of a run",
    doc: "One thing that a run does: `ask`, `edit`, `note`, `update`, `call`, `end` or `hang`, at once or after `polls`, `after` or `on`.",
    others: None,
    fields: &[
        COMMENT,
        new("polls", &Whole(1, 1_000_000), "It waits for so many reads of the run's detail."),
        new("after", &Span, "It waits for so long on the daemon's clock."),
        new("on", &Word(&["message"]), "It waits for a live message that is accepted."),
        new("ask", &Object(&ASK), "Asks its user, and waits for the answer."),
        new(
            "edit",
            &Either(&[&Paths(&Text), &Word(&["default"])]),
            "Writes files in the private workspace: path to text, or those of `--edits` (`default`).",
        ),
        new("note", &Text, "Says something in its events."),
        new(
            "update",
            &Map(&Anything),
            "Tells its client something: an update of ACP with its `sessionUpdate`, as it leaves.",
        ),
        new("call", &Object(&CALL), "Asks its client for something and waits for the answer, over ACP."),
        new(
            "end",
            &Either(&[&Word(&STATES), &Object(&END)]),
            "Ends: `succeeded`, `failed`, `interrupted` (which is `failed` without `--as-engine`), or with more.",
        ),
        new("hang", &Flag, "Does nothing any more; only a cancel ends it."),
    ],
};

/// How a run may end by itself.
pub(crate) const STATES: [&str; 3] = ["succeeded", "failed", "interrupted"];

static ASK: Shape = Shape {
    name: "ask",
    called: "`ask`",
    doc: "A question to the run's user.",
    others: None,
    fields: &[
        COMMENT,
        must("question", &Name, "The question."),
        new("header", &Text, "A word above it."),
        new(
            "id",
            &Name,
            "Its id, with `{run}` for the first 8 digits of the run's id; `ask-{run}-N` by default.",
        ),
        new("options", &List(&Either(&[&Name, &Object(&OPTION)])), "What may be chosen."),
        new("multi_select", &Flag, "Whether several may be chosen."),
        new("timeout", &Span, "How long it stays open; then the run goes on without an answer."),
    ],
};

static CALL: Shape = Shape {
    name: "client_call",
    called: "`call`",
    doc: "A request from the agent to its client.",
    others: None,
    fields: &[
        COMMENT,
        must(
            "method",
            &Name,
            "The method, such as `fs/read_text_file`, `terminal/create`, or one that nobody knows.",
        ),
        new(
            "params",
            &Map(&Anything),
            "Its parameters; `sessionId` is added. `{cwd}`, `{session}` and `{result.NAME}` (of the last answer) are filled in.",
        ),
    ],
};

static OPTION: Shape = Shape {
    name: "option",
    called: "an option",
    doc: "One choice.",
    others: None,
    fields: &[COMMENT, must("label", &Name, "What it says."), new("description", &Text, "What it means.")],
};

static END: Shape = Shape {
    name: "end",
    called: "`end`",
    doc: "How the run ends.",
    others: None,
    fields: &[
        COMMENT,
        new("state", &Word(&STATES), "`failed` by default where a failure stands here, else `succeeded`."),
        new("text", &Text, "Its final text."),
        new(
            "bytes",
            &Whole(1, 1 << 30),
            "Repeats the text up to so many bytes: beyond 256 KiB the detail shows its beginning, beyond 16 MiB nobody serves it.",
        ),
        new("failure", &Object(&FAILURE), "Why it failed, for programs."),
        new("stop_reason", &Word(&Ending::STOPS), "Why the turn stopped, over ACP."),
    ],
};

static FAILURE: Shape = Shape {
    name: "failure",
    called: "`failure`",
    doc: "A typed failure.",
    others: None,
    fields: &[
        COMMENT,
        must("code", &Name, "What clients schedule by, such as `subscription_window_exhausted`."),
        new("phase", &Name, "In which phase; `execution` by default."),
        new("category", &Name, "Of which category; `engine` by default."),
        new("message", &Text, "One sentence that may be shown."),
        new("resets_after", &Span, "How long after the end the limit is lifted (`resetsAt`)."),
        new("next_actions", &NAMES, "What its user can do."),
    ],
};

static MESSAGE: Shape = Shape {
    name: "message",
    called: "a message",
    doc: "What becomes of one live message.",
    others: None,
    fields: &[
        COMMENT,
        must("outcome", &Word(&MessageOutcome::OUTCOMES), "The outcome."),
        new("reason", &Word(&MessageOutcome::REASONS), "Why it was not accepted."),
    ],
};

static TROUBLE: Shape = Shape {
    name: "trouble",
    called: "a trouble",
    doc: "Answers that are broken on the wire. What they say has happened all the same.",
    others: None,
    fields: &[
        COMMENT,
        must("on", &Word(&Answers::WORDS), "Which answers about the run."),
        must("mode", &Word(&Mode::WORDS), "How they are broken."),
        new("time", &Span, "How long a slow head or body takes."),
        new("code", &Word(&Problem::CODES), "The code of a `problem`."),
        new("status", &Whole(400, 599), "The status of a `problem`; that of its code by default."),
        new("skip", &Whole(0, 1_000_000), "How many go well before; 0 by default."),
        new("times", &Whole(1, 1_000_000), "How many are broken then; 1 by default."),
    ],
};
