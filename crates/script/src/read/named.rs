//! What a conversation is called: its id, its marker, its prompt.

use super::class::Context;
use crate::finding::{Code, Findings};
use crate::node::Node;

/// The names of a phrasing, or of a further conversation of its case.
pub(super) struct Named {
    pub(super) id: String,
    pub(super) marker: String,
    pub(super) prompt: String,
}

/// Reads them; `what` is the thing that messages speak of, `prefix` what its id begins with.
pub(super) fn named(
    node: &Node,
    what: &str,
    prefix: &str,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> Option<Named> {
    let id = id(node, what, prefix, context, findings);
    let (marker, prompt) = marker_and_prompt(node, what, context, findings)?;
    Some(Named { id: id?, marker, prompt })
}

fn id(
    node: &Node,
    what: &str,
    prefix: &str,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> Option<String> {
    let node = node.get("id")?;
    let id = node.as_text().filter(|id| !id.trim().is_empty())?;
    if id.contains(|c: char| c.is_control()) {
        let message = format!("the id of {what} holds no line breaks and control characters");
        findings.error(node.at, Code::WrongValue, message);
    }
    let id = format!("{prefix}{id}");
    if let Some(first) = context.ids.get(&id) {
        let message = format!("the phrasing id `{id}` is taken");
        let hint = format!("it stands at {}:{}:{} already", first.file, first.line, first.column);
        findings.error_with_hint(node.at, Code::Clash, message, hint);
        return None;
    }
    context.ids.insert(id.clone(), findings.place(node.at));
    Some(id)
}

/// The marker and the prompt; each stands in for the other.
fn marker_and_prompt(
    node: &Node,
    what: &str,
    context: &Context<'_>,
    findings: &mut Findings<'_>,
) -> Option<(String, String)> {
    let prompt = node.text("prompt").filter(|_| !context.older);
    let marker = node.text("marker");
    if marker.is_none() && prompt.is_none() {
        if !context.older && node.get("marker").is_none() && node.get("prompt").is_none() {
            let message = format!("{what} needs `prompt` or `marker`");
            let hint = "`prompt` is what the agent is told";
            findings.error_with_hint(node.at, Code::MissingField, message, hint);
        }
        return None;
    }
    let marker = marker.or(prompt)?;
    Some((marker.to_owned(), prompt.unwrap_or(marker).to_owned()))
}
