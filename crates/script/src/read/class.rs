//! Classes and phrasings.

use super::Known;
use super::agent::OfClass;
use super::conversation;
use super::named::{Named, named};
use super::step::{self, Script};
use super::{cassette, daemon};
use crate::daemon::{Daemon, ExpectDaemon};
use crate::finding::{Code, Findings};
use crate::fold::fold;
use crate::node::{Content, Key, Node};
use crate::scenario::{Action, Advance, AgentCommand, Cassette, Phrasing, Place};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

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
    pub(super) ids: BTreeMap<String, Place>,
    /// What `agent` says, in the file that has it.
    pub(super) agent: Option<AgentCommand>,
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
            agent: None,
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
        let cassette = class.get("cassette").filter(|_| !context.older);
        let cassette = cassette.map(|_| cassette::of_class(class, findings));
        let phrasings = class.get("phrasings").map_or(&[][..], Node::items);
        if class.get("phrasings").is_some_and(|node| node.content == Content::List(Vec::new())) {
            findings.warning(
                key.at,
                format!("the class `{}` has no phrasings", key.name),
                "it is never played",
            );
        }
        if phrasings.is_empty() {
            continue;
        }
        let shared = &mut Shared::of(key, root, Levels([defaults, Some(class), None]), context, findings);
        for node in phrasings {
            let levels = Levels([defaults, Some(class), Some(node)]);
            let case = context.phrasings.len();
            let (daemon, expect_daemon) = client(shared, levels, context, findings);
            match &cassette {
                Some(cassette) => recorded(shared, node, cassette.as_ref(), levels, context, findings),
                None => {
                    if !context.older {
                        cassette::is_played(levels, daemon.is_some(), findings);
                    }
                    phrasing(shared, node, script_node, levels, context, findings);
                }
            }
            // Its further conversations stand behind it.
            if let Some(case) = context.phrasings.get_mut(case) {
                (case.daemon, case.expect_daemon) = (daemon, expect_daemon);
            }
        }
    }
    slashes(classes, findings);
}

/// In the older form a class `c/p` takes the script of phrasing `p` of class `c`; in ours nobody could tell them apart in a report.
fn slashes(classes: &[(Key, Node)], findings: &mut Findings<'_>) {
    // The ids of the phrasings of classes that may be meant: a file may hold tens of thousands of both.
    let mut known: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    for (key, class) in classes {
        let phrasings = class.get("phrasings").map_or(&[][..], Node::items);
        known.entry(&key.name).or_default().extend(phrasings.iter().filter_map(|node| node.text("id")));
    }
    for (key, _) in classes {
        let clash = key.name.match_indices('/').any(|(slash, _)| {
            let (class, id) = (&key.name[..slash], &key.name[slash + 1..]);
            known.get(class).is_some_and(|ids| ids.contains(id))
        });
        if clash {
            let message = format!("the class name `{}` also means a phrasing of another class", key.name);
            findings.error_with_hint(key.at, Code::Clash, message, "rename the class");
        }
    }
}

/// What the phrasings of a class have in common, read once.
struct Shared<'n> {
    class: &'n Key,
    expect_agent: OfClass<'n>,
    daemon: Option<Daemon>,
}

impl<'n> Shared<'n> {
    fn of(
        class: &'n Key,
        root: &Node,
        levels: Levels<'n>,
        context: &Context<'_>,
        findings: &mut Findings<'_>,
    ) -> Self {
        let expect_agent = OfClass::new(levels);
        let words = root.get("daemon").into_iter().chain(levels.all("daemon")).filter(|_| !context.older);
        let daemon = words.fold(None, |wider, node| daemon::narrowed(wider, Some(node), findings));
        Self { class, expect_agent, daemon }
    }
}

/// The daemon of a case, and what is expected of its client.
fn client(
    shared: &Shared<'_>,
    levels: Levels<'_>,
    context: &Context<'_>,
    findings: &mut Findings<'_>,
) -> (Option<Daemon>, ExpectDaemon) {
    if context.older {
        return (None, ExpectDaemon::default());
    }
    let own = levels.0[2].and_then(|node| node.get("daemon"));
    let daemon = daemon::narrowed(shared.daemon.clone(), own, findings);
    let expected = daemon::expect(levels, daemon.is_some(), findings);
    (daemon, expected)
}

fn phrasing(
    shared: &mut Shared<'_>,
    node: &Node,
    class_script: Option<&Node>,
    levels: Levels<'_>,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) {
    let own = node.get("script").filter(|node| !node.items().is_empty());
    let script = own.or(class_script).map(|node| step::script(node, levels, context, findings));
    let index = context.phrasings.len();
    let named = named(node, "a phrasing", "", context, findings);
    let owner = named.map(|named| {
        let (class, place) = (shared.class.name.clone(), findings.place(node.at));
        let played = played(class, named, script.unwrap_or_default(), levels, context, place);
        let expect_agent = shared.expect_agent.expect(levels, context, findings);
        context.phrasings.push(Phrasing { expect_agent, ..played });
        index
    });
    conversation::conversations(owner, levels, context, findings);
    let said = levels.narrowest("hostile").and_then(Node::as_flag).filter(|_| !context.older);
    let hostile = said.unwrap_or_else(|| context.phrasings[index..].iter().any(|phrasing| phrasing.hostile));
    if let Some(case) = owner.and_then(|owner| context.phrasings.get_mut(owner)) {
        case.hostile = hostile;
    }
}

/// A phrasing that a recording plays. Without a cassette, which has mistakes of its own then, only its own are found.
fn recorded(
    shared: &mut Shared<'_>,
    node: &Node,
    cassette: Option<&Cassette>,
    levels: Levels<'_>,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) {
    cassette::beside(node, findings);
    let named = named(node, "a phrasing", "", context, findings);
    let expect_agent = shared.expect_agent.expect(levels, context, findings);
    let Some((named, cassette)) = named.zip(cassette) else { return };
    // What `defaults` says of tools is said of scripts.
    let mut expect_agent = expect_agent;
    if expect_agent.tools_called.is_some() {
        Arc::make_mut(&mut expect_agent).tools_called = None;
    }
    let place = findings.place(node.at);
    let played = played(shared.class.name.clone(), named, Script::default(), levels, context, place);
    context.phrasings.push(Phrasing {
        cassette: Some(cassette.clone()),
        hostile: levels.narrowest("hostile").and_then(Node::as_flag).unwrap_or(false),
        expect_agent,
        ..played
    });
}

/// A script under its names. Nothing is expected of the agent yet, and it is hostile where its script is.
pub(super) fn played(
    class: String,
    named: Named,
    script: Script,
    levels: Levels<'_>,
    context: &Context<'_>,
    place: Place,
) -> Phrasing {
    let Named { id, marker, prompt } = named;
    let Script { steps, forever } = script;
    let advance = match levels.narrowest("advance").and_then(Node::as_text).filter(|_| !context.older) {
        Some("request") => Advance::Request,
        Some("assistants") => Advance::Assistants,
        _ if context.older => Advance::Assistants,
        _ => Advance::Auto,
    };
    Phrasing {
        class,
        id,
        marker_folded: fold(&marker).into_owned(),
        marker,
        prompt,
        hostile: is_hostile(&steps, forever, advance, context.known),
        script: steps,
        cassette: None,
        daemon: None,
        expect_daemon: ExpectDaemon::default(),
        forever,
        advance,
        expect_agent: Arc::default(),
        part_of: None,
        place,
    }
}

fn is_hostile(steps: &[crate::scenario::Step], forever: bool, advance: Advance, known: &Known<'_>) -> bool {
    let last = steps.len().saturating_sub(1);
    steps.iter().enumerate().any(|(i, step)| match &step.action {
        Action::Fault { faults, .. } => faults.iter().any(|fault| known.is_hostile(&fault.name)),
        Action::Say(said) => forever && i == last && !said.calls.is_empty(),
        // No answer, so no further assistant message: every retry meets the same error.
        Action::Error(_) => advance != Advance::Request || (forever && i == last),
        Action::End => false,
    })
}
