//! What a request must hold: the built-in expectations, then defaults, class, phrasing and step, key by key.

use super::class::{Context, Levels};
use crate::finding::{Code, Findings};
use crate::node::{Content, Node};
use rehearsal_wire::rule::Expected;

/// Merges the levels and the step's own.
pub(super) fn request(
    levels: Levels<'_>,
    step: &Node,
    context: &Context<'_>,
    findings: &mut Findings<'_>,
) -> Expected {
    let mut expected = if context.older && context.built_in {
        Expected {
            require_tools: true,
            require_tool_choice: true,
            parallel_tool_calls: Some(false),
            ..Expected::default()
        }
    } else {
        Expected::default()
    };
    let mut nodes: Vec<&Node> = levels.all("expect_request").collect();
    if context.older && levels.0[2].is_some_and(|phrasing| phrasing.get("expect_request").is_some()) {
        // The older form does not know it at a phrasing.
        nodes.pop();
    }
    nodes.extend(step.get("expect_request"));
    for node in &nodes {
        apply(node, &mut expected, context, findings);
    }
    contradictions(&nodes, &expected, findings);
    expected
}

fn apply(node: &Node, expected: &mut Expected, context: &Context<'_>, findings: &mut Findings<'_>) {
    let flag = |name: &str, into: &mut bool| {
        if let Some(flag) = node.get(name).and_then(Node::as_flag) {
            *into = flag;
        }
    };
    flag("require_tools", &mut expected.require_tools);
    flag("forbid_tools", &mut expected.forbid_tools);
    flag("require_tool_choice", &mut expected.require_tool_choice);
    match node.get("parallel_tool_calls").map(|node| &node.content) {
        Some(Content::Null) => expected.parallel_tool_calls = None,
        Some(Content::Bool(flag)) => expected.parallel_tool_calls = Some(*flag),
        Some(Content::Number(_) | Content::Text(_) | Content::List(_) | Content::Map(_)) | None => {}
    }
    if context.older {
        return;
    }
    if let Some(texts) = node.get("system_contains") {
        expected.system_contains = self::texts(texts);
    }
    if let Some(names) = node.get("tools_include") {
        expected.tools_include = texts(names);
    }
    if let Some(values) = node.get("values") {
        for (pointer, _) in values.entries() {
            if !pointer.name.starts_with('/') {
                let message = format!("`{}` is no JSON pointer", pointer.name);
                findings.error_with_hint(
                    pointer.at,
                    Code::WrongValue,
                    message,
                    "a pointer begins with `/`: `/model`",
                );
            }
        }
        expected.values =
            values.entries().iter().map(|(pointer, value)| (pointer.name.clone(), value.to_json())).collect();
    }
}

/// A text or a list of texts.
pub(super) fn texts(node: &Node) -> Vec<String> {
    match node.as_text() {
        Some(text) => vec![text.to_owned()],
        None => node.items().iter().filter_map(Node::as_text).map(str::to_owned).collect(),
    }
}

fn contradictions(nodes: &[&Node], expected: &Expected, findings: &mut Findings<'_>) {
    if !expected.forbid_tools {
        return;
    }
    let (other, hint) = if expected.require_tools {
        (
            "require_tools",
            "no request can pass; set one of them to false (a file without `version` requires tools by default)",
        )
    } else if !expected.tools_include.is_empty() {
        ("tools_include", "no request can pass; remove one of them")
    } else {
        return;
    };
    let narrowest =
        nodes.iter().rev().find(|node| node.get("forbid_tools").is_some() || node.get(other).is_some());
    if let Some(node) = narrowest {
        let at = node.get("forbid_tools").or_else(|| node.get(other)).map_or(node.at, |node| node.at);
        let message = format!("`forbid_tools` and `{other}` hold at once");
        findings.error_with_hint(at, Code::Contradiction, message, hint);
    }
}
