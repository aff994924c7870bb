//! Declared functions have names that the API takes, each its own; only a declared one may be allowed.

use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict, say};
use crate::dialect::google_gemini::read::{each, field};
use crate::json::Value;
use std::collections::BTreeSet;

pub(super) const ROW: Rule = Rule {
    name: "gemini-functions",
    summary: "a function whose name is not allowed or stands twice, an allowed function that is not declared",
    codes: &["null"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"contents":[{"parts":[{"text":"hi"}]}],"tools":[{"functionDeclarations":[{"name":"a b"}]}]}"#,
    ),
    check: Check::Request(check),
};

/// Most letters of a name.
const LONGEST: usize = 128;

fn check(asked: &Asked<'_>) -> Verdict {
    let mut names = BTreeSet::new();
    for (at, tool) in asked.top("tools").into_iter().flat_map(each).enumerate() {
        for (function, declared) in field(tool, "functionDeclarations").into_iter().flat_map(each).enumerate()
        {
            let Some(name) = declared.get("name").and_then(Value::as_str) else { continue };
            let place = format!("/tools/{at}/functionDeclarations/{function}/name");
            if !is_allowed(&name) {
                let message = format!(
                    "* GenerateContentRequest.tools[{at}].function_declarations[{function}].name: [FIELD_INVALID] Invalid \
                     function name. Must start with a letter or an underscore. Must be alphanumeric (a-z, A-Z, 0-9), \
                     underscores (_), dots (.), colons (:), or dashes (-), with a maximum length of {LONGEST}.\n"
                );
                return Err(say::api(None, None, place, message));
            }
            if !names.insert(name.clone()) {
                let message = format!("Duplicate function declaration found: {name}");
                return Err(say::api(None, None, place, message));
            }
        }
    }
    let config = field(asked.tape.root(), "toolConfig");
    let calling = config.and_then(|config| field(config, "functionCallingConfig"));
    let allowed = calling.and_then(|calling| field(calling, "allowedFunctionNames"));
    let absent = allowed.into_iter().flat_map(Value::items).filter_map(Value::as_str);
    match absent.into_iter().find(|name| !names.contains(name)) {
        Some(name) => {
            let place = "/toolConfig/functionCallingConfig/allowedFunctionNames";
            let message = format!(
                "* GenerateContentRequest.tool_config.function_calling_config.allowed_function_names: {name} is not a declared function.\n"
            );
            Err(say::api(None, None, place, message))
        }
        None => Ok(()),
    }
}

fn is_allowed(name: &str) -> bool {
    let mut letters = name.bytes();
    let first = letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_');
    let rest = |letter: u8| letter.is_ascii_alphanumeric() || matches!(letter, b'_' | b'.' | b'-' | b':');
    first && letters.all(rest) && name.len() <= LONGEST
}
