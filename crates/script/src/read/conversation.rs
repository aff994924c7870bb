//! Further conversations of a case: those of its sub-agents, each with a marker and a script of its own.

use super::class::{self, Context, Levels};
use super::named::named;
use super::step;
use crate::finding::Findings;
use crate::node::Node;
use crate::scenario::Phrasing;

/// Reads the conversations that class and phrasing give a case, and registers them: the case must be the last phrasing so far.
/// Without an owner, which has mistakes of its own then, only theirs are found.
pub(super) fn conversations(
    owner: Option<usize>,
    levels: Levels<'_>,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) {
    if context.older {
        return;
    }
    for node in levels.all("conversations").flat_map(Node::items) {
        // Class and phrasing say what holds for the case's own requests; those of a sub-agent look otherwise.
        let levels = Levels([levels.0[0], None, Some(node)]);
        let script = node.get("script").map(|node| step::script(node, levels, context, findings));
        let Some(case) = owner.and_then(|owner| context.phrasings.get(owner)) else { continue };
        let (class, prefix) = (case.class.clone(), format!("{}.", case.id));
        if let Some(named) = named(node, "a conversation", &prefix, context, findings) {
            let place = findings.place(node.at);
            let played = class::played(class, named, script.unwrap_or_default(), levels, context, place);
            context.phrasings.push(Phrasing { part_of: owner, ..played });
        }
    }
}
