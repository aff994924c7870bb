//! What `expect_agent` declares beside the wire: tools in order, output, files.

use super::{Check, Evidence, Found, quote};
use regex_lite::Regex;
use rehearsal_journal::digest;

pub(super) const TOOLS_CALLED: Check = Check {
    code: "tools-called",
    meaning: "the answered tools are not those of `tools_called`, in that order",
    remedy: "what counts are `tool` messages that reached the provider, not what the agent says it did",
    judge: Some(tools_called),
};
pub(super) const OUTPUT_CONTAINS: Check = Check {
    code: "output-contains",
    meaning: "standard output lacks a text of `output_contains`",
    remedy: "print the model's last answer to standard output; see stdout.txt of the case",
    judge: Some(output_contains),
};
pub(super) const OUTPUT_MATCHES: Check = Check {
    code: "output-matches",
    meaning: "standard output does not match a pattern of `output_matches`",
    remedy: "as for output-contains",
    judge: Some(output_matches),
};
pub(super) const FILES: Check = Check {
    code: "files",
    meaning: "a file of `files` is missing from the workspace or holds something else",
    remedy: "compare it with the case's workspace folder, which is kept; relative paths start there",
    judge: Some(files),
};

fn tools_called(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(wanted) = &evidence.phrasing.expect_agent.tools_called else { return Vec::new() };
    let answered = evidence.facts.tools_answered();
    if answered.iter().eq(wanted.iter()) {
        return Vec::new();
    }
    let list = |names: Vec<&str>| if names.is_empty() { "none".to_owned() } else { names.join(", ") };
    let wanted = wanted.iter().map(String::as_str).collect();
    vec![Found::new(format!("tools answered in this order: {}; expected: {}", list(answered), list(wanted)))]
}

fn output_contains(evidence: &Evidence<'_>) -> Vec<Found> {
    let wanted = &evidence.phrasing.expect_agent.output_contains;
    wanted
        .iter()
        .filter(|text| !evidence.stdout.contains(text.as_str()))
        .map(|text| {
            Found::new(format!(
                "standard output does not contain {}; it is {}",
                quote(text),
                quote(evidence.stdout)
            ))
        })
        .collect()
}

fn output_matches(evidence: &Evidence<'_>) -> Vec<Found> {
    let wanted = &evidence.phrasing.expect_agent.output_matches;
    wanted
        .iter()
        // The reader of the file has compiled each of them once already.
        .filter(|pattern| !Regex::new(pattern).is_ok_and(|pattern| pattern.is_match(evidence.stdout)))
        .map(|pattern| {
            Found::new(format!(
                "standard output does not match {pattern:?}; it is {}",
                quote(evidence.stdout)
            ))
        })
        .collect()
}

fn files(evidence: &Evidence<'_>) -> Vec<Found> {
    let Some(workspace) = &evidence.facts.workspace else { return Vec::new() };
    let mut found = Vec::new();
    for wanted in &evidence.phrasing.expect_agent.files {
        let Some((path, length, sha256)) = workspace.files.iter().find(|(path, ..)| *path == wanted.path)
        else {
            found.push(Found::new(format!("{} is not in the workspace", wanted.path)));
            continue;
        };
        if let Some(content) = &wanted.content
            && digest::text(&digest::of(content.as_bytes())) != *sha256
        {
            let is = evidence.contents.iter().find(|(known, _)| known == path).map_or_else(
                || format!("{length} bytes"),
                |(_, bytes)| quote(&String::from_utf8_lossy(bytes)),
            );
            found.push(Found::new(format!("{path} holds {is}, not {}", quote(content))));
        }
        if let Some(wanted_digest) = &wanted.sha256
            && !wanted_digest.eq_ignore_ascii_case(sha256)
        {
            found.push(Found::new(format!("{path} has the SHA-256 {sha256}, not {wanted_digest}")));
        }
    }
    found
}
