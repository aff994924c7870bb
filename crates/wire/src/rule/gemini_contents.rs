//! A content is said by the user or the model, and each of its parts holds something.

use super::{Asked, Check, Example, GEMINI, Profile, Rule, Stage, Verdict, say};
use crate::dialect::google_gemini::read::{camel, parts};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "gemini-contents",
    summary: "a role that is none of user and model, a part that holds nothing",
    codes: &["null"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(r#"{"contents":[{"role":"assistant","parts":[{"text":"hi"}]}]}"#),
    check: Check::Request(check),
};

/// Roles that the API takes; older clients send the last two with responses of functions.
const ROLES: &[&str] = &["user", "model", "", "function", "tool"];

/// Keys that say something of a part and are none of what it holds.
const BESIDE: &[&str] = &["thought", "videoMetadata", "partMetadata", "mediaResolution"];

fn check(asked: &Asked<'_>) -> Verdict {
    for (index, content) in asked.top("contents").into_iter().flat_map(Value::items).enumerate() {
        let role = content.get("role").filter(|role| !role.is_null());
        if role.is_some_and(|role| !ROLES.iter().any(|known| role.is_str(known))) {
            let place = format!("/contents/{index}/role");
            return Err(say::api(None, None, place, "Please use a valid role: user, model."));
        }
        if let Some(at) = parts(content).position(is_empty) {
            let message = format!(
                "* GenerateContentRequest.contents[{index}].parts[{at}].data: required oneof field 'data' must have one initialized field\n"
            );
            return Err(say::api(None, None, format!("/contents/{index}/parts/{at}"), message));
        }
    }
    Ok(())
}

fn is_empty(part: Value<'_>) -> bool {
    let beside = |key: Value<'_>| key.as_str().is_none_or(|key| BESIDE.contains(&&*camel(&key)));
    part.entries().all(|(key, value)| value.is_null() || beside(key))
}
