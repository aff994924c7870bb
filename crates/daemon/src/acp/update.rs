//! What is told to the client: `session/update` of each kind that a run brings by itself, and the requests for a choice or a text.

use super::line;
use rehearsal_script::runs::Question;
use serde_json::{Value, json};

/// Longest piece of a text in one update, in bytes.
const PIECE: usize = 16 * 1024;

/// The options of a question that has none of its own: those that clients show for permissions.
const OPTIONS: [(&str, &str, &str); 4] = [
    ("allow_once", "Allow once", "allow_once"),
    ("allow_always", "Allow always", "allow_always"),
    ("reject_once", "Reject once", "reject_once"),
    ("reject_always", "Reject always", "reject_always"),
];

/// An update of a session.
pub(super) fn update(session: &str, update: &Value) -> String {
    line::notification("session/update", &json!({"sessionId": session, "update": update}))
}

/// A text in pieces of whole characters, each one update of this kind.
pub(super) fn chunks(session: &str, kind: &str, text: &str) -> Vec<String> {
    let mut rest = text;
    let mut lines = Vec::new();
    while !rest.is_empty() {
        let mut end = rest.len().min(PIECE);
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let (piece, tail) = rest.split_at(end);
        let content = json!({"type": "text", "text": piece});
        lines.push(update(session, &json!({"sessionUpdate": kind, "content": content})));
        rest = tail;
    }
    lines
}

/// The call of a tool that stands for a question.
pub(super) fn asking(session: &str, id: &str, question: &Question) -> String {
    let call = json!({
        "sessionUpdate": "tool_call",
        "toolCallId": id,
        "title": question.text,
        "kind": "other",
        "status": "pending",
    });
    update(session, &call)
}

/// How a call of a tool goes on.
pub(super) fn status(session: &str, id: &str, status: &str) -> String {
    update(session, &json!({"sessionUpdate": "tool_call_update", "toolCallId": id, "status": status}))
}

/// The call of a tool that writes a file.
pub(super) fn edit(session: &str, id: &str, path: &str, text: &str) -> String {
    let call = json!({
        "sessionUpdate": "tool_call",
        "toolCallId": id,
        "title": format!("Write {path}"),
        "kind": "edit",
        "status": "pending",
        "content": [{"type": "diff", "path": path, "newText": text}],
        "locations": [{"path": path}],
    });
    update(session, &call)
}

/// The parameters of `session/request_permission`.
pub(super) fn permission(session: &str, id: &str, question: &Question) -> Value {
    let own = question.options.iter().enumerate().map(
        |(at, (label, _))| json!({"optionId": format!("option-{}", at + 1), "name": label, "kind": "allow_once"}),
    );
    let options: Vec<Value> = match question.options.is_empty() {
        true => OPTIONS
            .iter()
            .map(|(id, name, kind)| json!({"optionId": id, "name": name, "kind": kind}))
            .collect(),
        false => own.collect(),
    };
    json!({
        "sessionId": session,
        "toolCall": {"toolCallId": id, "title": question.text, "kind": "other", "status": "pending"},
        "options": options,
    })
}

/// The name of an option, which is what is taken for the answer; `None` where there is no such option.
pub(super) fn chosen(question: &Question, option: &str) -> Option<String> {
    if question.options.is_empty() {
        return OPTIONS.iter().find(|(id, ..)| *id == option).map(|(_, name, _)| (*name).to_owned());
    }
    let at: usize = option.strip_prefix("option-")?.parse().ok()?;
    Some(question.options.get(at.checked_sub(1)?)?.0.clone())
}

/// The parameters of `elicitation/create` for a text.
pub(super) fn elicitation(session: &str, id: &str, question: &Question) -> Value {
    json!({
        "mode": "form",
        "sessionId": session,
        "toolCallId": id,
        "message": question.text,
        "requestedSchema": {
            "type": "object",
            "properties": {"answer": {"type": "string", "title": question.header}},
            "required": ["answer"],
        },
    })
}
