//! What the agent must do, and the files that it finds.

use super::class::{Context, Levels};
use super::expect::texts;
use crate::finding::{Code, Findings};
use crate::node::Node;
use crate::scenario::{ExpectAgent, ExpectFile};
use crate::span;

/// Merges defaults, class and phrasing, key by key.
pub(super) fn expect(levels: Levels<'_>, context: &Context<'_>, findings: &mut Findings<'_>) -> ExpectAgent {
    let mut expect = ExpectAgent::default();
    if context.older {
        return expect;
    }
    for node in levels.all("expect_agent") {
        apply(node, &mut expect, context, findings);
    }
    if let Some(workspace) = levels.narrowest("workspace") {
        let entries = workspace.entries().iter();
        expect.given_files = entries
            .filter_map(|(path, content)| Some((path.name.clone(), content.as_text()?.to_owned())))
            .collect();
    }
    expect
}

fn apply(node: &Node, expect: &mut ExpectAgent, context: &Context<'_>, findings: &mut Findings<'_>) {
    let whole = |name: &str| node.get(name).and_then(Node::as_whole);
    if let Some(exit) = whole("exit") {
        expect.exit = i32::try_from(exit).ok();
    }
    if let Some(most) = whole("max_requests") {
        expect.max_requests = u32::try_from(most).ok();
    }
    if let Some(names) = node.get("tools_called") {
        expect.tools_called = Some(texts(names));
    }
    if let Some(parts) = node.get("output_contains") {
        expect.output_contains = texts(parts);
    }
    if let Some(patterns) = node.get("output_matches") {
        let each =
            if patterns.as_text().is_some() { std::slice::from_ref(patterns) } else { patterns.items() };
        for (pattern, at) in each.iter().filter_map(|node| Some((node.as_text()?, node.at))) {
            if let Err(why) = (context.known.regex)(pattern) {
                let why = why.lines().last().unwrap_or_default().trim().to_owned();
                let message = format!("`{pattern}` is no regular expression");
                findings.error_with_hint(at, Code::WrongValue, message, why);
            }
        }
        expect.output_matches = texts(patterns);
    }
    if let Some(files) = node.get("files") {
        expect.files = files.entries().iter().map(|(path, node)| file(&path.name, node, findings)).collect();
    }
    if let Some(limit) = node.text("time_limit").and_then(span::parse) {
        if limit.is_zero() {
            let at = node.get("time_limit").map_or(node.at, |node| node.at);
            findings.error(at, Code::WrongValue, "`time_limit` must be longer than nothing");
        }
        expect.time_limit = Some(limit);
    }
}

fn file(path: &str, node: &Node, findings: &mut Findings<'_>) -> ExpectFile {
    let path = path.to_owned();
    if let Some(content) = node.as_text() {
        return ExpectFile { path, content: Some(content.to_owned()), sha256: None };
    }
    let (content, digest) = (node.text("content"), node.get("sha256"));
    let sha256 = digest.and_then(Node::as_text).map(str::to_ascii_lowercase);
    if let (Some(digest), Some(text)) = (digest, &sha256)
        && (text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()))
    {
        findings.error(digest.at, Code::WrongValue, "`sha256` must be 64 hexadecimal digits");
    }
    if content.is_some() && sha256.is_some() {
        let message = "`content` and `sha256` say the same thing twice";
        findings.error_with_hint(node.at, Code::Contradiction, message, "keep one of them");
    }
    ExpectFile { path, content: content.map(str::to_owned), sha256 }
}
