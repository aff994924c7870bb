//! The coding agent cline on the command line.

use super::row::{KnownAgent, Program, Shell};
use std::time::Duration;

pub(super) const ROW: KnownAgent = KnownAgent {
    name: "cline",
    summary: "the coding agent cline on the command line",
    dialects: &["openai-chat"],
    program: Program::Own,
    install: "npm install cline@3.0.65",
    command: &[
        "sh",
        "-c",
        r#"cline auth -p openai -k test -m "$REHEARSAL_MODEL" -b "$OPENAI_BASE_URL" >/dev/null && exec cline --yolo "$REHEARSAL_PROMPT""#,
    ],
    env: &[("CLINE_TELEMETRY_DISABLED", "1"), ("CLINE_NO_AUTO_UPDATE", "1")],
    files: &[],
    stdin: None,
    model: "gpt-4o-mini",
    time_limit: Duration::from_secs(180),
    shell: Some(Shell { tool: "run_commands", arguments: r#"{"commands": ["{command}"]}"# }),
    exits: "1 where a request failed for good",
    quiet: &["CLINE_TELEMETRY_DISABLED", "CLINE_NO_AUTO_UPDATE", "--yolo"],
    notes: &[
        "It leaves a process behind when it ends, which the run ends too.",
        "Two of its maker's hosts are tried in spite of all switches; the proxy of the run refuses and notes them.",
    ],
};
