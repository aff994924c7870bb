//! At most four places of a request may be marked for the cache.

use super::{Asked, Check, Example, MESSAGES_API, Profile, Rule, Stage, Verdict, say};
use crate::json::Value;

pub(super) const ROW: Rule = Rule {
    name: "messages-cache-blocks",
    summary: "more than four blocks with cache_control",
    codes: &["null"],
    stage: Stage::Api,
    dialects: MESSAGES_API,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}},{"type":"text","text":"a","cache_control":{"type":"ephemeral"}}]}]}"#,
    ),
    check: Check::Request(check),
};

/// Most marked blocks.
const MOST: usize = 4;

fn check(asked: &Asked<'_>) -> Verdict {
    let list = |key| asked.top(key).into_iter().flat_map(Value::items);
    let said = list("messages").flat_map(|message| message.get("content").into_iter().flat_map(Value::items));
    let blocks = said.flat_map(|block| {
        let inner = block.get("content").into_iter().flat_map(Value::items);
        std::iter::once(block).chain(inner)
    });
    let marked = |block: &Value<'_>| block.get("cache_control").is_some_and(|mark| !mark.is_null());
    let count = list("tools").chain(list("system")).chain(blocks).filter(marked).count();
    if count <= MOST {
        return Ok(());
    }
    let what = format!("A maximum of {MOST} blocks with cache_control may be provided. Found {count}.");
    Err(say::api(None, None, "", what))
}
