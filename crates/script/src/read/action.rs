//! One step: what the model says, or how the provider fails.

use super::class::Context;
use super::fault;
use super::step::spot;
use crate::finding::{Code, Findings, Spot};
use crate::node::{Content, Node};
use crate::scenario::{Action, ApiError, SHELL, Said, ScriptedCall};
use rehearsal_wire::reply::Usage;

/// Tokens where the file does not say.
const USAGE: Usage = Usage { prompt: 100, completion: 100 };

/// Reads what happens at a step.
pub(super) fn action(step: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> Action {
    let has = |field: &str| step.get(field).is_some();
    if has("api_error") {
        if !context.older {
            let others =
                ["text", "tool_calls", "refusal", "thinking", "fault", "usage", "finish_reason", "pacing"];
            for other in others.into_iter().filter(|other| has(other)) {
                let message = format!("`{other}` says nothing beside `api_error`");
                findings.error_with_hint(
                    spot(step, other),
                    Code::Contradiction,
                    message,
                    "put it into a step of its own",
                );
            }
        }
        return Action::Error(api_error(step.get("api_error").unwrap_or(step), context, findings));
    }
    let calls = step.get("tool_calls").filter(|node| !node.is_null());
    let speaks = has("text")
        || calls.is_some_and(|calls| !calls.items().is_empty())
        || (has("refusal") && !context.older);
    if has("fault") && !context.older {
        let (faults, arrives) = fault::faults(step.get("fault").unwrap_or(step), context, findings);
        let said = speaks.then(|| said(step, context, findings));
        return Action::Fault { faults, arrives, said };
    }
    // A step or a list of calls of the wrong type is a mistake of its own.
    let readable = matches!(step.content, Content::Map(_))
        && calls.is_none_or(|calls| matches!(calls.content, Content::List(_)));
    if readable && !speaks {
        nothing_said(step, context.older, findings);
    }
    Action::Say(said(step, context, findings))
}

fn nothing_said(step: &Node, older: bool, findings: &mut Findings<'_>) {
    let message = if older {
        "a step needs `text`, `tool_calls` or `api_error`"
    } else {
        "a step needs `text`, `tool_calls`, `refusal`, `api_error` or `fault`"
    };
    let hint = if older && step.get("fault").is_some() {
        "a `fault` needs `version: 1` at the top of the file"
    } else {
        "an empty answer is an empty text in quotes"
    };
    findings.error_with_hint(step.at, Code::MissingField, message, hint);
}

fn said(step: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> Said {
    let calls = step.get("tool_calls").map_or(&[][..], Node::items);
    let newer = |field: &str| step.get(field).filter(|_| !context.older);
    let tokens = |field: &str, default| {
        let tokens = newer("usage").and_then(|usage| usage.get(field)).and_then(Node::as_whole);
        tokens.and_then(|tokens| u64::try_from(tokens).ok()).unwrap_or(default)
    };
    Said {
        thinking: newer("thinking").and_then(Node::as_text).map(str::to_owned),
        text: step.text("text").map(str::to_owned),
        refusal: newer("refusal").and_then(Node::as_text).map(str::to_owned),
        calls: calls.iter().filter_map(|node| call(node, context, findings)).collect(),
        finish_reason: newer("finish_reason").and_then(Node::as_text).map(str::to_owned),
        usage: Usage {
            prompt: tokens("prompt_tokens", USAGE.prompt),
            completion: tokens("completion_tokens", USAGE.completion),
        },
    }
}

fn call(node: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> Option<ScriptedCall> {
    let tool = node.text("tool").filter(|tool| !context.older && *tool == SHELL);
    match (node.text("name"), tool) {
        (Some(_), Some(_)) => {
            let message = "`name` and `tool` stand in one call";
            let hint = "keep `name` for a tool of one agent, `tool: shell` for whatever agent is run";
            findings.error_with_hint(spot(node, "tool"), Code::Contradiction, message, hint);
            None
        }
        (Some(name), None) => {
            let arguments = arguments(node, context, findings)?;
            Some(ScriptedCall { name: name.to_owned(), arguments, shell: None })
        }
        (None, Some(_)) => shell(node, findings),
        (None, None) => {
            // A name or a tool of the wrong type is a mistake of its own, and so is a missing one in the older form.
            if !context.older && ["name", "tool"].iter().all(|field| node.get(field).is_none()) {
                let message = "a tool call needs `name`";
                let hint = "the tool's name, or `tool: shell` for a command by whatever tool the agent has";
                findings.error_with_hint(node.at, Code::MissingField, message, hint);
            }
            None
        }
    }
}

/// A command, as the built-in agent would be asked to run it.
fn shell(node: &Node, findings: &mut Findings<'_>) -> Option<ScriptedCall> {
    if let Some(raw) = node.get("arguments_text") {
        let message = "`arguments_text` cannot stand beside `tool: shell`";
        let hint = "each agent gets the command in arguments of its own; write `arguments: {command: ...}`";
        findings.error_with_hint(raw.at, Code::Contradiction, message, hint);
        return None;
    }
    let arguments = node.get("arguments");
    let command = arguments.and_then(|arguments| arguments.get("command")).and_then(Node::as_text);
    match (arguments, command) {
        (Some(arguments), Some(command)) if arguments.entries().len() == 1 => Some(ScriptedCall {
            name: "run_command".to_owned(),
            arguments: arguments.to_json(),
            shell: Some(command.to_owned()),
        }),
        (Some(_), _) | (None, _) => {
            let at = arguments.map_or(node.at, |arguments| arguments.at);
            let message = "the arguments of `tool: shell` are a text `command` and nothing else";
            findings.error_with_hint(at, Code::WrongValue, message, "write `arguments: {command: \"ls\"}`");
            None
        }
    }
}

fn arguments(node: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> Option<String> {
    let raw = node.text("arguments_text").filter(|_| !context.older);
    match (node.get("arguments"), raw) {
        (Some(_), Some(_)) => {
            let message = "`arguments` and `arguments_text` stand in one call";
            findings.error_with_hint(
                spot(node, "arguments_text"),
                Code::Contradiction,
                message,
                "keep one of them",
            );
            None
        }
        (Some(arguments), None) => Some(arguments.to_json()),
        (None, Some(raw)) => Some(raw.to_owned()),
        (None, None) => {
            if !context.older && node.get("arguments_text").is_none() {
                let message = "a tool call needs `arguments`";
                findings.error_with_hint(
                    node.at,
                    Code::MissingField,
                    message,
                    "a tool without parameters gets {}",
                );
            }
            None
        }
    }
}

fn api_error(node: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> ApiError {
    let status = node.get("status").and_then(Node::as_whole);
    let sound = |status: &i64| (400..=599).contains(status) || (context.older && *status == 200);
    if status.is_some_and(|status| !sound(&status)) {
        let message = "the status of an api_error must be from 400 to 599";
        findings.error(spot(node, "status"), Code::WrongValue, message);
    }
    let optional = |field: &str| node.text(field).map(str::to_owned);
    let headers = node.get("headers").filter(|_| !context.older).map_or(&[][..], Node::entries);
    let headers = headers.iter().filter_map(|(key, value)| {
        let text = match &value.content {
            Content::Text(text) | Content::Number(text) => text,
            Content::Null | Content::Bool(_) | Content::List(_) | Content::Map(_) => return None,
        };
        header(&key.name, text, key.at, findings);
        Some((key.name.clone(), text.clone()))
    });
    ApiError {
        headers: headers.collect(),
        status: status.and_then(|status| u16::try_from(status).ok()).unwrap_or(500),
        message: node.text("message").unwrap_or_default().to_owned(),
        kind: if node.get("type").is_none() { Some("server_error".to_owned()) } else { optional("type") },
        code: optional("code"),
        param: if context.older { None } else { optional("param") },
    }
}

/// Headers that frame the message belong to the wire; others must be sendable.
fn header(name: &str, value: &str, at: Spot, findings: &mut Findings<'_>) {
    if frames(name) {
        let message = format!("the header `{name}` frames the message and cannot be set");
        findings.error_with_hint(at, Code::WrongValue, message, "to break the framing use a fault");
    } else if !is_token(name) {
        findings.error(at, Code::WrongValue, format!("`{name}` is no name of a header"));
    } else if !is_value(value) {
        let message = format!("the value of the header `{name}` must be printable ASCII");
        findings.error(at, Code::WrongValue, message);
    }
}

/// Whether a step may send this header.
pub(crate) fn is_header(name: &str, value: &str) -> bool {
    !frames(name) && is_token(name) && is_value(value)
}

fn frames(name: &str) -> bool {
    const FRAMING: [&str; 4] = ["content-length", "transfer-encoding", "connection", "content-encoding"];
    FRAMING.iter().any(|framing| framing.eq_ignore_ascii_case(name))
}

fn is_token(name: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte);
    !name.is_empty() && name.bytes().all(letter)
}

fn is_value(value: &str) -> bool {
    value.bytes().all(|byte| byte == b'\t' || (0x20..0x7F).contains(&byte))
}
