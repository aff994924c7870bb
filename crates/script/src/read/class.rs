//! Classes and phrasings.

use super::Known;
use super::agent;
use super::step::{self, Script};
use crate::finding::{Code, Findings};
use crate::fold::fold;
use crate::node::{Content, Key, Node};
use crate::scenario::{Action, Advance, Phrasing, Place};
use std::collections::BTreeMap;

/// Most steps of one script after `repeat`.
pub(super) const MAX_STEPS: usize = 10_000;
/// Most steps of all scripts of a suite: classes share a script, but each phrasing holds its own copy.
const MAX_ALL_STEPS: usize = 200_000;
/// Most values and bytes of text in the steps of a suite.
const MAX_WEIGHT: usize = 64 << 20;

/// What outlives a file.
pub(super) struct Context<'k> {
    pub(super) known: &'k Known<'k>,
    /// Whether the file at hand has no `version`.
    pub(super) older: bool,
    /// Whether such a file's built-in expectations hold.
    pub(super) built_in: bool,
    pub(super) phrasings: Vec<Phrasing>,
    /// Phrasing ids, with the file that has them.
    ids: BTreeMap<String, Place>,
    pub(super) steps_left: usize,
    pub(super) weight_left: usize,
}

impl<'k> Context<'k> {
    pub(super) fn new(known: &'k Known<'k>, built_in: bool) -> Self {
        let (phrasings, ids) = (Vec::new(), BTreeMap::new());
        Self {
            known,
            older: true,
            built_in,
            phrasings,
            ids,
            steps_left: MAX_ALL_STEPS,
            weight_left: MAX_WEIGHT,
        }
    }
}

/// The levels that a step inherits from, widest first: defaults, class, phrasing.
#[derive(Clone, Copy)]
pub(super) struct Levels<'n>(pub(super) [Option<&'n Node>; 3]);

impl<'n> Levels<'n> {
    /// The nodes under a key, widest first.
    pub(super) fn all(&self, key: &'static str) -> impl DoubleEndedIterator<Item = &'n Node> {
        self.0.into_iter().filter_map(move |level| level?.get(key))
    }

    /// The node under a key at the narrowest level that has one.
    pub(super) fn narrowest(&self, key: &'static str) -> Option<&'n Node> {
        self.all(key).next_back()
    }
}

pub(super) fn classes(root: &Node, context: &mut Context<'_>, findings: &mut Findings<'_>) {
    let defaults = root.get("defaults");
    let classes = root.get("classes").map_or(&[][..], Node::entries);
    if let Some(node) = root.get("classes").filter(|node| node.content == Content::Map(Vec::new())) {
        findings.warning(node.at, "the file has no class".to_owned(), "there is no case in it to run");
    }
    for (key, class) in classes {
        if key.name.trim().is_empty() {
            findings.error(key.at, Code::WrongValue, "a class needs a name");
        }
        let script_node = class.get("script").filter(|node| !node.items().is_empty());
        if let Some(script_node) = script_node {
            // Also where every phrasing has a script of its own: its mistakes count.
            step::script(script_node, Levels([defaults, Some(class), None]), context, findings);
        }
        let phrasings = class.get("phrasings").map_or(&[][..], Node::items);
        if class.get("phrasings").is_some_and(|node| node.content == Content::List(Vec::new())) {
            findings.warning(
                key.at,
                format!("the class `{}` has no phrasings", key.name),
                "it is never played",
            );
        }
        for node in phrasings {
            phrasing(key, node, script_node, Levels([defaults, Some(class), Some(node)]), context, findings);
        }
    }
    slashes(classes, findings);
}

/// In the older form a class `c/p` takes the script of phrasing `p` of class `c`; in ours nobody could tell them apart in a report.
fn slashes(classes: &[(Key, Node)], findings: &mut Findings<'_>) {
    for (key, _) in classes.iter().filter(|(key, _)| key.name.contains('/')) {
        let clash = classes.iter().any(|(other, class)| {
            let id = key.name.strip_prefix(&other.name).and_then(|rest| rest.strip_prefix('/'));
            let phrasings = class.get("phrasings").map_or(&[][..], Node::items);
            id.is_some() && phrasings.iter().any(|phrasing| phrasing.text("id") == id)
        });
        if clash {
            let message = format!("the class name `{}` also means a phrasing of another class", key.name);
            findings.error_with_hint(key.at, Code::Clash, message, "rename the class");
        }
    }
}

fn phrasing(
    class: &Key,
    node: &Node,
    class_script: Option<&Node>,
    levels: Levels<'_>,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) {
    let own = node.get("script").filter(|node| !node.items().is_empty());
    let script = own.or(class_script).map(|node| step::script(node, levels, context, findings));
    let Script { steps, forever } = script.unwrap_or_default();
    let (Some(id), Some((marker, prompt))) = (id(node, context, findings), names(node, context, findings))
    else {
        return;
    };
    let advance = match levels.narrowest("advance").and_then(Node::as_text) {
        Some("request") if !context.older => Advance::Request,
        _ => Advance::Assistants,
    };
    let hostile = levels.narrowest("hostile").and_then(Node::as_flag).filter(|_| !context.older);
    let hostile = hostile.unwrap_or_else(|| is_hostile(&steps, forever, advance, context.known));
    let expect_agent = agent::expect(levels, context, findings);
    context.phrasings.push(Phrasing {
        class: class.name.clone(),
        id,
        marker_folded: fold(&marker).into_owned(),
        marker,
        prompt,
        script: steps,
        forever,
        advance,
        expect_agent,
        hostile,
        part_of: None,
        place: Place {
            file: findings.file.to_owned(),
            line: node.at.line as usize,
            column: node.at.column as usize,
        },
    });
}

fn id(node: &Node, context: &mut Context<'_>, findings: &mut Findings<'_>) -> Option<String> {
    let id_node = node.get("id")?;
    let id = id_node.as_text().filter(|id| !id.trim().is_empty())?;
    if id.contains(|c: char| c.is_control()) {
        let message = "a phrasing id holds no line breaks and control characters";
        findings.error(id_node.at, Code::WrongValue, message);
    }
    let (line, column) = (id_node.at.line as usize, id_node.at.column as usize);
    if let Some(first) = context.ids.get(id) {
        let message = format!("the phrasing id `{id}` is taken");
        let hint = format!("it stands at {}:{}:{} already", first.file, first.line, first.column);
        findings.error_with_hint(id_node.at, Code::Clash, message, hint);
        return None;
    }
    context.ids.insert(id.to_owned(), Place { file: findings.file.to_owned(), line, column });
    Some(id.to_owned())
}

/// The marker and the prompt; each stands in for the other.
fn names(node: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> Option<(String, String)> {
    let prompt = node.text("prompt").filter(|_| !context.older);
    let marker = node.text("marker");
    if marker.is_none() && prompt.is_none() {
        if !context.older && node.get("marker").is_none() && node.get("prompt").is_none() {
            let message = "a phrasing needs `prompt` or `marker`";
            findings.error_with_hint(
                node.at,
                Code::MissingField,
                message,
                "`prompt` is what the agent is told",
            );
        }
        return None;
    }
    let marker = marker.or(prompt)?;
    Some((marker.to_owned(), prompt.unwrap_or(marker).to_owned()))
}

fn is_hostile(steps: &[crate::scenario::Step], forever: bool, advance: Advance, known: &Known<'_>) -> bool {
    let last = steps.len().saturating_sub(1);
    steps.iter().enumerate().any(|(i, step)| match &step.action {
        Action::Fault { name, .. } => known.is_hostile(name),
        Action::Say(said) => forever && i == last && !said.calls.is_empty(),
        // No answer, so no further assistant message: every retry meets the same error.
        Action::Error(_) => advance == Advance::Assistants || (forever && i == last),
        Action::End => false,
    })
}
