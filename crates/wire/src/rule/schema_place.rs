//! The schema of a structured answer stands inside json_schema; beside it the API names the misplaced key first.

use super::{Asked, CHAT, Check, Example, Profile, Rule, Stage, Verdict, say};

pub(super) const ROW: Rule = Rule {
    name: "schema-place",
    summary: "response_format.schema beside json_schema",
    codes: &["unknown_parameter"],
    stage: Stage::Api,
    dialects: CHAT,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"response_format":{"type":"json_schema","schema":{}}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    match asked.top("response_format") {
        Some(format) if format.get("schema").is_some() => {
            let message = "Unknown parameter: 'response_format.schema'. Move it to 'response_format.json_schema.schema'.";
            let param = Some("response_format.schema".to_owned());
            Err(say::api(Some("unknown_parameter"), param, "/response_format/schema", message))
        }
        _ => Ok(()),
    }
}
