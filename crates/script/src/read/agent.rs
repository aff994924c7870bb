//! What the agent must do, and the files that it finds.

use super::class::{Context, Levels};
use super::expect::texts;
use crate::finding::{Code, Findings};
use crate::node::{Content, Node};
use crate::scenario::{ExpectAgent, ExpectCommands, ExpectFile};
use crate::{paths, span};
use std::sync::Arc;
use std::time::Duration;

/// What a class says for its phrasings, merged with the defaults, key by key. It is read once, for there may be thousands of both; and
/// its mistakes count only where a phrasing takes it.
pub(super) struct OfClass<'n> {
    levels: Levels<'n>,
    said: Option<Arc<ExpectAgent>>,
    /// Whether it was looked for what contradicts itself, in files and in commands.
    looked: [bool; 2],
}

impl<'n> OfClass<'n> {
    pub(super) fn new(levels: Levels<'n>) -> Self {
        Self { levels, said: None, looked: [false; 2] }
    }

    fn read(&mut self, context: &Context<'_>, findings: &mut Findings<'_>) -> Arc<ExpectAgent> {
        let levels = self.levels;
        let read = || {
            let mut expect = ExpectAgent::default();
            if !context.older {
                for node in levels.all("expect_agent") {
                    apply(node, &mut expect, context, findings);
                }
                expect.given_files = levels.narrowest("workspace").map(files).unwrap_or_default().into();
            }
            Arc::new(expect)
        };
        Arc::clone(self.said.get_or_insert_with(read))
    }

    /// What holds for a phrasing: what its class says, then its own word.
    pub(super) fn expect(
        &mut self,
        levels: Levels<'_>,
        context: &Context<'_>,
        findings: &mut Findings<'_>,
    ) -> Arc<ExpectAgent> {
        let class = self.read(context, findings);
        if context.older {
            return class;
        }
        let own = |key| levels.0[2].and_then(|node| node.get(key));
        let (said, workspace) = (own("expect_agent"), own("workspace"));
        let mut expect = Arc::clone(&class);
        if let Some(node) = said {
            apply(node, Arc::make_mut(&mut expect), context, findings);
        }
        if let Some(workspace) = workspace {
            Arc::make_mut(&mut expect).given_files = files(workspace).into();
        }
        let says = |name: &str| said.is_some_and(|node| node.get(name).is_some());
        if says("files") || says("forbidden_files") {
            forbidden_and_expected(levels, &expect, findings);
        } else if !std::mem::replace(&mut self.looked[0], true) {
            forbidden_and_expected(self.levels, &class, findings);
        }
        if says("commands") {
            ran_and_not_ran(levels, &expect.commands, findings);
        } else if !std::mem::replace(&mut self.looked[1], true) {
            ran_and_not_ran(self.levels, &class.commands, findings);
        }
        expect
    }
}

/// Paths and contents of a map.
pub(super) fn files(node: &Node) -> Vec<(String, String)> {
    let entries = node.entries().iter();
    entries.filter_map(|(path, content)| Some((path.name.clone(), content.as_text()?.to_owned()))).collect()
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
        for (pattern, at) in each(patterns).filter_map(|node| Some((node.as_text()?, node.at))) {
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
    if let Some(patterns) = node.get("forbidden_files") {
        each(patterns).for_each(|pattern| is_pattern(pattern, findings));
        expect.forbidden_files = texts(patterns);
    }
    if let Some(node) = node.get("commands") {
        commands(node, &mut expect.commands, findings);
    }
    expect.time_limit = time_limit(node, findings).or(expect.time_limit);
}

/// The time limit of a map that may have one.
pub(super) fn time_limit(node: &Node, findings: &mut Findings<'_>) -> Option<Duration> {
    let node = node.get("time_limit")?;
    let limit = span::parse(node.as_text()?)?;
    if limit.is_zero() {
        findings.error(node.at, Code::WrongValue, "`time_limit` must be longer than nothing");
    }
    Some(limit)
}

/// The texts of a text or a list of them.
fn each(node: &Node) -> impl Iterator<Item = &Node> {
    let all = if node.as_text().is_some() { std::slice::from_ref(node) } else { node.items() };
    all.iter().filter(|node| node.as_text().is_some())
}

fn is_pattern(node: &Node, findings: &mut Findings<'_>) {
    let pattern = node.as_text().unwrap_or_default();
    // Blank ones have been told.
    if !pattern.trim().is_empty() && !paths::is_inside(pattern) {
        let message = format!("`{pattern}` means no path inside the workspace");
        let hint = "write a relative path with `/` between its parts and without `..`; `folder/**` is all in a folder";
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    } else if !paths::is_pattern(pattern) {
        let message = format!("in `{pattern}` the `**` is only a part of a name");
        let hint = "`**` stands alone between slashes, for any number of folders; within a name write `*`";
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }
}

/// Nothing may be both: there afterwards, and never made, changed or deleted.
fn forbidden_and_expected(levels: Levels<'_>, expect: &ExpectAgent, findings: &mut Findings<'_>) {
    let Some(node) = levels.all("expect_agent").rfind(|node| node.get("files").is_some()) else {
        return;
    };
    for (path, _) in node.get("files").map_or(&[][..], Node::entries) {
        if let Some(pattern) =
            expect.forbidden_files.iter().find(|pattern| paths::matches(pattern, &path.name))
        {
            let message =
                format!("`{}` is expected, and `{pattern}` in `forbidden_files` forbids it", path.name);
            let hint = "a file that must stay as it is given needs only `forbidden_files`";
            findings.error_with_hint(path.at, Code::Contradiction, message, hint);
        }
    }
}

fn commands(node: &Node, expect: &mut ExpectCommands, findings: &mut Findings<'_>) {
    let was_empty = expect.programs().is_empty();
    let mut said = |name: &str, into: &mut Vec<String>| {
        if let Some(node) = node.get(name) {
            each(node).for_each(|command| program(command, findings));
            *into = texts(node);
        }
    };
    said("ran", &mut expect.ran);
    said("not_ran", &mut expect.not_ran);
    said("watch", &mut expect.watch);
    let is_empty = |node: &Node| node.content == Content::List(Vec::new());
    if was_empty
        && matches!(node.content, Content::Map(_))
        && node.entries().iter().all(|(_, node)| is_empty(node))
    {
        findings.warning(node.at, "`commands` names no program", "no command is watched");
    }
}

/// A shim bears the program's name and stands in one folder.
fn program(node: &Node, findings: &mut Findings<'_>) {
    let Some(program) = node.as_text().and_then(|words| words.split_whitespace().next()) else { return };
    if program.contains(|c: char| c == '/' || c == '\\' || c.is_control())
        || program == "."
        || program == ".."
    {
        let message = format!("`{program}` is no plain name of a program");
        let hint =
            "only programs that are found on PATH can be watched: write `git push`, not `/usr/bin/git push`";
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }
}

/// Nothing may both have run and not have run.
fn ran_and_not_ran(levels: Levels<'_>, expect: &ExpectCommands, findings: &mut Findings<'_>) {
    let mut nodes = levels.all("expect_agent").filter_map(|node| node.get("commands")?.get("ran"));
    for (command, at) in
        nodes.next_back().into_iter().flat_map(each).filter_map(|node| Some((node.as_text()?, node.at)))
    {
        let forbids =
            |not_ran: &&String| !not_ran.trim().is_empty() && words(command).starts_with(&words(not_ran));
        if let Some(not_ran) = expect.not_ran.iter().find(forbids) {
            let message = format!("`{command}` must run, and `{not_ran}` in `not_ran` forbids it");
            let hint = "`git` forbids every `git …`; name what must not run in more words";
            findings.error_with_hint(at, Code::Contradiction, message, hint);
        }
    }
}

fn words(command: &str) -> Vec<&str> {
    command.split_whitespace().collect()
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
