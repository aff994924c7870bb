//! The table: every field of the file form, with its kind and one sentence.

use super::Kind::{Anything, Either, Flag, List, Map, Name, Object, OrNull, Paths, Span, Text, Whole, Word};
use super::agent::{AGENT, EXPECT_AGENT};
use super::cassette::CASSETTE_FIELD;
use super::daemon::{DAEMON_FIELD, EXPECT_DAEMON_FIELD};
use super::{Field, Kind, Need, Shape};
use crate::scenario::{SHELL, Weight};

const fn both(name: &'static str, kind: &'static Kind, doc: &'static str) -> Field {
    Field { name, kind, need: Need::Optional, older: true, doc }
}

pub(super) const fn must(name: &'static str, kind: &'static Kind, doc: &'static str) -> Field {
    Field { name, kind, need: Need::Required, older: true, doc }
}

pub(super) const fn new(name: &'static str, kind: &'static Kind, doc: &'static str) -> Field {
    Field { name, kind, need: Need::Optional, older: false, doc }
}

pub(super) static COMMENT: Field =
    new("comment", &Anything, "Ignored: a place for notes, as JSON has no comments.");
static ADVANCE: Field = new(
    "advance",
    &Word(&["auto", "assistants", "request"]),
    "How a request finds its step: by the assistant messages since the prompt and what the case was answered so far (the default), by all assistant messages in it, or by the answered requests of the case.",
);
static EXPECT_AGENT_FIELD: Field = new("expect_agent", &Object(&EXPECT_AGENT), "What the agent must do.");
static EXPECT_REQUEST_FIELD: Field = both(
    "expect_request",
    &Object(&EXPECT_REQUEST),
    "What each request must hold; narrower levels win key by key.",
);
static PACING_FIELD: Field = new("pacing", &Object(&PACING), "How fast streamed answers leave.");
static WORKSPACE: Field =
    new("workspace", &Paths(&Text), "Files that are written into the workspace first: path to content.");
static HOSTILE: Field = new(
    "hostile",
    &Flag,
    "Whether the agent is expected to give up here. By default so where a fault or a tool call without end stands in the script.",
);
static CONVERSATIONS: Field = new(
    "conversations",
    &List(&Object(&CONVERSATION)),
    "Further conversations of the case: those of sub-agents. At a class they belong to each of its phrasings.",
);
static SCRIPT: Field = both(
    "script",
    &OrNull(&List(&Object(&STEP))),
    "The steps. A phrasing's own script, unless it is empty, replaces that of its class.",
);

pub(crate) static FILE: Shape = Shape {
    name: "file",
    called: "a scenario file",
    doc: "A scenario file for Rehearsal.",
    others: None,
    fields: &[
        Field {
            name: "version",
            kind: &Whole(1, 1),
            need: Need::Optional,
            older: false,
            doc: "1. A file without it is read in the older form, which knows fewer fields and expects more of requests.",
        },
        COMMENT,
        new(
            "profile",
            &Word(&["lenient", "api", "gate", "pinned"]),
            "How strict the stand-in is; `gate` by default.",
        ),
        new(
            "echo",
            &Word(&["exact", "double", "bytes"]),
            "How echoed arguments are compared; `double` by default.",
        ),
        new("rules", &Map(&Flag), "Rules switched on or off by name."),
        new("findings", &Map(&Word(&Weight::WORDS)), "What findings of a run weigh, by code."),
        new("agent", &Object(&AGENT), "The agent that the suite is for; one file of a suite may name it."),
        DAEMON_FIELD,
        both("defaults", &Object(&DEFAULTS), "What holds for every class of this file."),
        must(
            "classes",
            &Map(&Object(&CLASS)),
            "The classes by name, in the order in which their markers are tried.",
        ),
    ],
};

static DEFAULTS: Shape = Shape {
    name: "defaults",
    called: "`defaults`",
    doc: "What holds for every class of a file.",
    others: None,
    fields: &[COMMENT, EXPECT_REQUEST_FIELD, EXPECT_AGENT_FIELD, EXPECT_DAEMON_FIELD, PACING_FIELD, ADVANCE],
};

static CLASS: Shape = Shape {
    name: "class",
    called: "a class",
    doc: "Prompts that share a script.",
    others: None,
    fields: &[
        COMMENT,
        SCRIPT,
        CASSETTE_FIELD,
        DAEMON_FIELD,
        must("phrasings", &List(&Object(&PHRASING)), "The prompts; each is one case."),
        EXPECT_REQUEST_FIELD,
        EXPECT_AGENT_FIELD,
        EXPECT_DAEMON_FIELD,
        PACING_FIELD,
        ADVANCE,
        WORKSPACE,
        HOSTILE,
        CONVERSATIONS,
    ],
};

static PHRASING: Shape = Shape {
    name: "phrasing",
    called: "a phrasing",
    doc: "One prompt: one case of a run.",
    others: None,
    fields: &[
        COMMENT,
        must("id", &Name, "Its id, unique in the suite; part of every tool-call id."),
        new("prompt", &Name, "What the agent is told; the marker by default."),
        Field {
            name: "marker",
            kind: &Name,
            need: Need::OlderRequired,
            older: true,
            doc: "A user message that holds this text belongs to this phrasing (letter case is of no account); the prompt by default.",
        },
        SCRIPT,
        DAEMON_FIELD,
        Field { older: false, ..EXPECT_REQUEST_FIELD },
        EXPECT_AGENT_FIELD,
        EXPECT_DAEMON_FIELD,
        PACING_FIELD,
        ADVANCE,
        WORKSPACE,
        HOSTILE,
        CONVERSATIONS,
    ],
};

static CONVERSATION: Shape = Shape {
    name: "conversation",
    called: "a conversation",
    doc: "A further conversation of a case: that of a sub-agent. Of wider levels only `defaults` holds for it.",
    others: None,
    fields: &[
        COMMENT,
        must("id", &Name, "Its id; in the suite `<id of the case>.<this>`."),
        new("prompt", &Name, "What the sub-agent is told; the marker by default."),
        new("marker", &Name, "A user message that holds this text belongs to it; the prompt by default."),
        must("script", &List(&Object(&STEP)), "The steps."),
        EXPECT_REQUEST_FIELD,
        PACING_FIELD,
        ADVANCE,
    ],
};

static STEP: Shape = Shape {
    name: "step",
    called: "a step",
    doc: "What the model says next, or how the provider fails.",
    others: None,
    fields: &[
        COMMENT,
        both("text", &OrNull(&Text), "The model's words."),
        both("tool_calls", &OrNull(&List(&Object(&CALL))), "The tool calls it makes, in order."),
        new("refusal", &Text, "A refusal in the model's words."),
        new(
            "thinking",
            &Text,
            "What the model thinks before it speaks, beside `text` or `tool_calls`; dialects without thinking leave it out.",
        ),
        both("api_error", &Object(&API_ERROR), "An error of the provider, in place of an answer."),
        new(
            "fault",
            &Either(&[&Name, &Object(&FAULT), &List(&Either(&[&Name, &Object(&FAULT)]))]),
            "A fault of the wire by name, with its parameters if it has any; or a list of faults that break the answer together.",
        ),
        new(
            "times",
            &Whole(1, 10_000),
            "Only with `api_error` or `fault`: this many requests meet it, then it is skipped. Such a step has no number of its own.",
        ),
        both(
            "repeat",
            &Either(&[&Whole(-1_000_000_000, 1_000_000_000), &Word(&["forever"])]),
            "Writes the step so many times, `{N}` and `{NN}` replaced by the number; `forever` on the last step answers every later request.",
        ),
        new("usage", &Object(&USAGE), "Tokens that the answer reports; 100 and 100 by default."),
        new(
            "finish_reason",
            &Word(&["stop", "length", "tool_calls", "content_filter", "function_call"]),
            "The finish reason; by default it follows from the calls.",
        ),
        EXPECT_REQUEST_FIELD,
        PACING_FIELD,
    ],
};

static CALL: Shape = Shape {
    name: "tool_call",
    called: "a tool call",
    doc: "A tool call of the model.",
    others: None,
    fields: &[
        COMMENT,
        Field { name: "name", kind: &Text, need: Need::OlderRequired, older: true, doc: "The tool's name." },
        new(
            "tool",
            &Word(&[SHELL]),
            "In place of `name`: the tool by which the agent at hand runs commands, whatever it calls it. `arguments` then hold `command` alone.",
        ),
        Field {
            name: "arguments",
            kind: &Anything,
            need: Need::OlderRequired,
            older: true,
            doc: "The arguments, any JSON value.",
        },
        new(
            "arguments_text",
            &Text,
            "In place of `arguments`: the text that is sent as it stands, JSON or not.",
        ),
    ],
};

static API_ERROR: Shape = Shape {
    name: "api_error",
    called: "`api_error`",
    doc: "An error of the provider.",
    others: None,
    fields: &[
        COMMENT,
        // The narrower range of this form is checked with its own words; the older form also knows 200.
        must("status", &Whole(-1_000_000_000, 1_000_000_000), "HTTP status, 400 to 599."),
        must("message", &Text, "The error's message."),
        both("type", &OrNull(&Text), "The error's type; `server_error` by default."),
        both("code", &OrNull(&Text), "The error's code; null by default."),
        new("param", &OrNull(&Text), "The error's param; null by default."),
        new(
            "headers",
            &Map(&Either(&[&Text, &Whole(0, 1_000_000_000)])),
            "Headers to send with it, such as Retry-After.",
        ),
    ],
};

static FAULT: Shape = Shape {
    name: "fault",
    called: "`fault`",
    doc: "A fault of the wire.",
    others: Some(&Anything),
    fields: &[COMMENT, must("name", &Name, "Its name.")],
};

static USAGE: Shape = Shape {
    name: "usage",
    called: "`usage`",
    doc: "Tokens that an answer reports.",
    others: None,
    fields: &[
        new("prompt_tokens", &Whole(0, 1_000_000_000), "Tokens of the prompt; 100 by default."),
        new("completion_tokens", &Whole(0, 1_000_000_000), "Tokens of the answer; 100 by default."),
    ],
};

static PACING: Shape = Shape {
    name: "pacing",
    called: "`pacing`",
    doc: "How fast a streamed answer leaves.",
    others: None,
    fields: &[
        new(
            "ttft",
            &Either(&[&Whole(0, 3_600_000), &Span]),
            "Wait before the first byte: `200ms`, `2s`, or milliseconds.",
        ),
        new("tokens_per_second", &Whole(0, 1_000_000), "Pieces a second after that; 0 is unlimited."),
        new("chunk", &Whole(0, 1_000_000), "Characters in a piece; 0 is the default."),
    ],
};

static EXPECT_REQUEST: Shape = Shape {
    name: "expect_request",
    called: "`expect_request`",
    doc: "What a request must hold.",
    others: None,
    fields: &[
        both("require_tools", &Flag, "Tools must be offered."),
        both("forbid_tools", &Flag, "No tools may be offered."),
        both("require_tool_choice", &Flag, "`tool_choice` must be there."),
        both(
            "parallel_tool_calls",
            &OrNull(&Flag),
            "`parallel_tool_calls` must be there with this value; null lifts the check.",
        ),
        new(
            "system_contains",
            &Either(&[&Name, &List(&Name)]),
            "Texts that must stand in a system or developer message.",
        ),
        new("tools_include", &Either(&[&Name, &List(&Name)]), "Tools that must be offered, by name."),
        new("values", &Map(&Anything), "Values that the body must hold, by JSON pointer (`/temperature`)."),
    ],
};
