//! Fields, roles, blocks and tools that other APIs have, in a request to the Messages API.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-foreign-fields",
    summary: "keys, roles, blocks, tools or a tool_choice of another API in a Messages request",
    codes: &["gate_dialect_leak"],
    stage: Stage::Gate,
    dialects: MESSAGES_API,
    profiles: &[Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}],"max_completion_tokens":9}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    for (key, value) in asked.tape.root().entries() {
        if let Some((name, fix)) = named(KEYS, key) {
            return Err(say::leak(format!("/{name}"), &format!("`{name}`"), fix));
        }
        let told = match key.as_str().as_deref() {
            Some("messages") => first(value, message).map(|(at, tell)| (format!("/messages/{at}"), tell)),
            Some("tools") => first(value, tool).map(|(at, tell)| (format!("/tools/{at}"), tell)),
            Some("tool_choice") => choice(value).map(|tell| ("/tool_choice".to_owned(), tell)),
            Some(_) | None => None,
        };
        if let Some((place, Tell { below, what, fix })) = told {
            return Err(say::leak(place + &below, &what, fix));
        }
    }
    Ok(())
}

/// A key, a role or a type, each with what to send instead.
type Foreign = (&'static str, &'static str);

const NOTHING: &str = "leave it out";

const KEYS: &[Foreign] = &[
    ("max_completion_tokens", "send it as `max_tokens`"),
    ("max_output_tokens", "send it as `max_tokens`"),
    ("stop", "send it as `stop_sequences`"),
    ("n", NOTHING),
    ("logprobs", NOTHING),
    ("top_logprobs", NOTHING),
    ("logit_bias", NOTHING),
    ("frequency_penalty", NOTHING),
    ("presence_penalty", NOTHING),
    ("seed", NOTHING),
    ("user", "send it as `metadata.user_id`"),
    ("store", NOTHING),
    ("verbosity", NOTHING),
    ("stream_options", NOTHING),
    ("parallel_tool_calls", "send `disable_parallel_tool_use` in `tool_choice`"),
    ("functions", "offer `tools`"),
    ("function_call", "send `tool_choice`"),
    ("response_format", "send `output_config.format`"),
    ("reasoning_effort", "send `output_config.effort`"),
    ("reasoning", "send `thinking`"),
    ("input", "send `messages`"),
    ("instructions", "send `system`"),
    ("previous_response_id", "send the whole history"),
    ("contents", "send `messages`"),
    ("systemInstruction", "send `system`"),
    ("system_instruction", "send `system`"),
    ("generationConfig", "send its values as top-level keys"),
    ("toolConfig", "send `tool_choice`"),
];

const ROLES: &[Foreign] = &[
    ("tool", "answer with a `tool_result` block in a user message"),
    ("function", "answer with a `tool_result` block in a user message"),
    ("developer", "send instructions as `system`"),
    ("model", "send the role `assistant`"),
];

const MESSAGE_KEYS: &[Foreign] = &[
    ("tool_calls", "send each call as a `tool_use` block"),
    ("tool_call_id", "answer with a `tool_result` block"),
    ("function_call", "send the call as a `tool_use` block"),
    ("refusal", NOTHING),
    ("reasoning_content", "send thoughts as `thinking` blocks"),
    ("parts", "send `content`"),
];

const BLOCKS: &[Foreign] = &[
    ("image_url", "send an `image` block"),
    ("input_image", "send an `image` block"),
    ("input_text", "send a `text` block"),
    ("output_text", "send a `text` block"),
    ("input_audio", NOTHING),
    ("input_file", "send a `document` block"),
    ("file", "send a `document` block"),
    ("refusal", NOTHING),
    ("function_call", "send a `tool_use` block"),
    ("function_call_output", "send a `tool_result` block"),
];

const TOOL_KEYS: &[Foreign] = &[
    ("function", FLAT),
    ("parameters", "send the schema as `input_schema`"),
    ("functionDeclarations", FLAT),
    ("function_declarations", FLAT),
];

const FLAT: &str = "send `name`, `description` and `input_schema` in the tool itself";
const CHOICE: &str =
    "send {\"type\": \"auto\"}, {\"type\": \"any\"}, {\"type\": \"tool\", …} or {\"type\": \"none\"}";

/// Something foreign: where below the element, what, and what to send instead.
struct Tell {
    below: String,
    what: String,
    fix: &'static str,
}

fn named(table: &[Foreign], value: Value<'_>) -> Option<Foreign> {
    table.iter().find(|(name, _)| value.is_str(name)).copied()
}

/// The first element of a list that holds something foreign.
fn first<'t>(list: Value<'t>, tell: impl Fn(usize, Value<'t>) -> Option<Tell>) -> Option<(usize, Tell)> {
    list.items().enumerate().find_map(|(at, element)| Some((at, tell(at, element)?)))
}

fn key_of(table: &[Foreign], element: Value<'_>) -> Option<Tell> {
    let (name, fix) = element.entries().find_map(|(key, _)| named(table, key))?;
    Some(Tell { below: format!("/{name}"), what: format!("`{name}`"), fix })
}

fn message(at: usize, message: Value<'_>) -> Option<Tell> {
    if let Some(role) = message.get("role") {
        let below = || "/role".to_owned();
        if let Some((name, fix)) = named(ROLES, role) {
            return Some(Tell { below: below(), what: format!("the role `{name}`"), fix });
        }
        // Behind a user's words the API takes instructions in the list, at its head it does not.
        if at == 0 && role.is_str("system") {
            let what = "the role `system` at the head of the list".to_owned();
            return Some(Tell { below: below(), what, fix: "send instructions as `system`" });
        }
    }
    if let Some(tell) = key_of(MESSAGE_KEYS, message) {
        return Some(tell);
    }
    let (block, (name, fix)) = message
        .get("content")?
        .items()
        .enumerate()
        .find_map(|(block, value)| Some((block, named(BLOCKS, value.get("type")?)?)))?;
    Some(Tell { below: format!("/content/{block}"), what: format!("a `{name}` block"), fix })
}

fn tool(_: usize, tool: Value<'_>) -> Option<Tell> {
    if tool.get("type").is_some_and(|kind| kind.is_str("function")) {
        return Some(Tell {
            below: "/type".to_owned(),
            what: "a tool of type `function`".to_owned(),
            fix: FLAT,
        });
    }
    key_of(TOOL_KEYS, tool)
}

fn choice(choice: Value<'_>) -> Option<Tell> {
    let kind = choice.get("type");
    let is_foreign = choice.as_str().is_some()
        || kind.is_some_and(|kind| kind.is_str("function") || kind.is_str("allowed_tools"));
    is_foreign.then(|| Tell {
        below: String::new(),
        what: "this form of `tool_choice`".to_owned(),
        fix: CHOICE,
    })
}
