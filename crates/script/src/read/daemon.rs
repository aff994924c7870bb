//! `daemon` and `expect_daemon` of a suite, its classes and phrasings.

use super::class::Levels;
use super::{agent, runs};
use crate::daemon::{Daemon, ExpectDaemon, ExpectRuns, Runs};
use crate::finding::{Code, Findings};
use crate::node::{Content, Node};
use std::sync::Arc;

/// A daemon after a narrower level's word, key by key: that of the file, its class, a phrasing.
pub(super) fn narrowed(
    wider: Option<Daemon>,
    node: Option<&Node>,
    findings: &mut Findings<'_>,
) -> Option<Daemon> {
    let Some(node) = node else { return wider };
    match &node.content {
        Content::Map(_) => {
            let mut daemon = wider.unwrap_or_default();
            apply(node, &mut daemon, findings);
            Some(daemon)
        }
        Content::Null => None,
        // Told by the table.
        Content::Bool(_) | Content::Number(_) | Content::Text(_) | Content::List(_) => wider,
    }
}

fn apply(node: &Node, daemon: &mut Daemon, findings: &mut Findings<'_>) {
    daemon.place = findings.place(node.at);
    let text = |name: &str, into: &mut Option<String>| {
        if let Some(text) = node.text(name) {
            *into = Some(text.to_owned());
        }
    };
    text("as", &mut daemon.manner);
    text("harness", &mut daemon.harness);
    text("engine_version", &mut daemon.engine_version);
    text("build_sha", &mut daemon.build_sha);
    text("model", &mut daemon.model);
    text("profile", &mut daemon.profile);
    text("ghost_profile", &mut daemon.ghost_profile);
    text("live_input", &mut daemon.live_input);
    let flag = |name: &str| node.get(name).and_then(Node::as_flag);
    daemon.require_project = flag("require_project").unwrap_or(daemon.require_project);
    daemon.scripted_clock = flag("scripted_clock").unwrap_or(daemon.scripted_clock);
    if let Some(keep) = whole(node, "keep_runs") {
        daemon.keep_runs = usize::try_from(keep).ok();
    }
    if let Some(edits) = node.get("edits") {
        daemon.edits = Some(agent::files(edits));
    }
    played(node, &mut daemon.runs, findings);
}

/// What the runs do: a file, or scripts that stand here.
fn played(node: &Node, runs: &mut Runs, findings: &mut Findings<'_>) {
    let quota = node.get("quota");
    match node.get("runs") {
        Some(named) if named.as_text().is_some() => {
            *runs = Runs::File {
                path: named.as_text().unwrap_or_default().to_owned(),
                place: findings.place(named.at),
            };
            if let Some(quota) = quota {
                let message = "`quota` stands beside a file of run scripts";
                findings.error_with_hint(
                    quota.at,
                    Code::Contradiction,
                    message,
                    "say it in that file, under `quota`",
                );
            }
        }
        Some(_) => *runs = Runs::Here(Arc::new(runs::scripts(node, findings))),
        None if quota.is_some() => match runs {
            Runs::Here(scripts) => {
                let quota = runs::scripts(node, findings);
                let scripts = Arc::make_mut(scripts);
                (scripts.snapshots, scripts.absences) = (quota.snapshots, quota.absences);
            }
            Runs::File { .. } => {}
        },
        None => {}
    }
}

fn whole(node: &Node, name: &str) -> Option<u64> {
    u64::try_from(node.get(name).and_then(Node::as_whole)?).ok()
}

/// What is expected of the client, which needs a daemon.
pub(super) fn expect(levels: Levels<'_>, has_daemon: bool, findings: &mut Findings<'_>) -> ExpectDaemon {
    let mut expect = ExpectDaemon::default();
    for node in levels.all("expect_daemon") {
        let into = |name: &str, into: &mut Option<u64>| *into = whole(node, name).or(*into);
        into("answers", &mut expect.answers);
        into("messages", &mut expect.messages);
        into("cancelled", &mut expect.cancelled);
        into("most_requests", &mut expect.most_requests);
        if let Some(runs) = node.get("runs") {
            expect.runs = match whole(node, "runs") {
                Some(count) => Some(ExpectRuns::Count(count)),
                None => {
                    let states = runs.items().iter().filter_map(Node::as_text).map(str::to_owned);
                    Some(ExpectRuns::States(states.collect()))
                }
            };
        }
    }
    let [_, class, phrasing] = levels.0;
    let said = phrasing.and_then(|node| node.get("expect_daemon"));
    // What `defaults` says is said of the classes that have one.
    if let Some(node) = said.or_else(|| class?.get("expect_daemon")).filter(|_| !has_daemon) {
        let message = "`expect_daemon` needs a `daemon`, and this case has none";
        let hint = "give the file, the class or the phrasing a `daemon`, or remove the field";
        findings.error_with_hint(node.at, Code::MissingField, message, hint);
    }
    expect
}
