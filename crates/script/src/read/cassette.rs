//! `cassette` of a class: a recording in the place of a script.

use super::class::Levels;
use crate::finding::{Code, Findings};
use crate::node::Node;
use crate::scenario::Cassette;

/// What a class says of the requests and answers of a script, and a recording cannot keep to.
const OF_SCRIPTS: [&str; 3] = ["expect_request", "pacing", "advance"];

/// Reads the cassette of a class, with the mistakes that stand beside it there; `phrasing` stands below the class.
pub(super) fn of_class(class: &Node, findings: &mut Findings<'_>) -> Option<Cassette> {
    let node = class.get("cassette")?;
    beside(class, findings);
    let place = findings.place(node.at);
    let path = node.as_text().or_else(|| node.text("path"))?;
    let flag = |name: &str| node.get(name).and_then(Node::as_flag).unwrap_or(false);
    let ignored = node.get("ignore").map_or(&[][..], Node::items);
    Some(Cassette {
        path: path.to_owned(),
        case: node.text("case").map(str::to_owned),
        ignore: ignored.iter().filter_map(Node::as_text).map(str::to_owned).collect(),
        repeat: flag("repeat"),
        speed: node.get("speed").and_then(Node::as_factor).unwrap_or(0.0),
        allow_unused: flag("allow_unused"),
        place,
    })
}

/// What stands at a class or a phrasing and does not go with the cassette of the class.
pub(super) fn beside(node: &Node, findings: &mut Findings<'_>) {
    if let Some(script) = node.get("script").filter(|script| !script.items().is_empty()) {
        let message = "`script` stands beside the `cassette` of the class";
        let hint =
            "the recording says what the model answers: remove one of them, or make a class of its own";
        findings.error_with_hint(script.at, Code::Contradiction, message, hint);
    }
    if let Some(further) = node.get("conversations") {
        let message = "`conversations` stand beside the `cassette` of the class";
        let hint = "a recording holds those of sub-agents, too; remove the field";
        findings.error_with_hint(further.at, Code::Contradiction, message, hint);
    }
    if let Some(tools) = node.get("expect_agent").and_then(|expected| expected.get("tools_called")) {
        let message = "`tools_called` needs a script: the calls of a recording have ids of their own";
        let hint = "an answer that was not recorded misses the recording; `files` and `commands` show what a tool did";
        findings.error_with_hint(tools.at, Code::Contradiction, message, hint);
    }
    for name in OF_SCRIPTS {
        if let Some(node) = node.get(name) {
            findings.warning(
                node.at,
                format!("`{name}` does nothing beside `cassette`"),
                "requests are compared with those that were recorded; remove the field",
            );
        }
    }
}

/// Whether a phrasing has something to be played by, in a file of our form.
pub(super) fn is_played(levels: Levels<'_>, has_daemon: bool, findings: &mut Findings<'_>) {
    let (Some(class), Some(phrasing)) = (levels.0[1], levels.0[2]) else { return };
    let has = |name: &str| class.get(name).is_some() || phrasing.get(name).is_some();
    if has("script") || has("cassette") || has_daemon {
        return;
    }
    let message = "neither the phrasing nor its class has a `script`, and the class has no `cassette`";
    let hint = "`script` lists what the model says, `cassette` names a recording; beside a `daemon` neither is needed";
    findings.error_with_hint(phrasing.at, Code::MissingField, message, hint);
}
