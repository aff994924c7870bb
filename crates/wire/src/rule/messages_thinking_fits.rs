//! What thinking with a budget does not go with.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::dialect::anthropic_messages::speech::BETA;
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-thinking-fits",
    summary: "a thinking budget of max_tokens or more, or thinking at another temperature than 1",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":1024,"messages":[{"role":"user","content":"hi"}],"thinking":{"type":"enabled","budget_tokens":1024}}"#,
    ),
    check: Check::Request(check),
};

fn check(asked: &Asked<'_>) -> Verdict {
    let Some(thinking) = asked.top("thinking") else { return Ok(()) };
    if !thinking.get("type").is_some_and(|kind| kind.is_str("enabled")) {
        return Ok(());
    }
    let number = |value: Option<Value<'_>>| value.and_then(Value::as_i64);
    let (budget, most) = (number(thinking.get("budget_tokens")), number(asked.top("max_tokens")));
    // Thoughts between calls are counted over the whole turn.
    let interleaved = asked.header(BETA).is_some_and(|betas| {
        let betas = String::from_utf8_lossy(betas);
        betas.split(',').any(|beta| beta.trim().starts_with("interleaved-thinking"))
    });
    if budget.zip(most).is_some_and(|(budget, most)| budget >= most) && !interleaved {
        let what = "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation \
                    at https://docs.claude.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size";
        return Err(say::api(None, None, "/max_tokens", what));
    }
    let temperature = asked.top("temperature").and_then(Value::as_number);
    if temperature.is_some_and(|text| text.parse() != Ok(1.0_f64)) {
        let what = "`temperature` may only be set to 1 when thinking is enabled. Please consult our documentation \
                    at https://docs.claude.com/en/docs/build-with-claude/extended-thinking";
        return Err(say::api(None, None, "/temperature", what));
    }
    Ok(())
}
