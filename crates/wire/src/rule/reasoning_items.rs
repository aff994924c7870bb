//! Reasoning that the API gave with a call comes back with it, unchanged, or not at all with the call's own id.

use super::{Asked, Check, Example, Issued, Note, Profile, RESPONSES, Rule, Stage, Verdict, say};
use crate::dialect::openai_responses::item::{encrypted, reasoning_of};
use crate::json::Value;
use std::collections::BTreeMap;

pub(super) const ROW: Rule = Rule {
    name: "reasoning-items",
    summary: "a call without the reasoning that was issued with it, or changed reasoning; notes reasoning that was dropped",
    codes: &["null", "invalid_encrypted_content", "reasoning-dropped"],
    stage: Stage::Api,
    dialects: RESPONSES,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"m","input":[{"role":"user","content":"hi"},{"type":"function_call","id":"fc_gate_p_s0_0a_0","call_id":"call_gate_p_s0_0","name":"write_file","arguments":"{\"a\":1}"},{"type":"function_call_output","call_id":"call_gate_p_s0_0","output":"x"}]}"#,
    ),
    check: Check::Noting(check),
};

fn check(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Verdict {
    let items = || {
        let items = asked.top("input").into_iter().flat_map(Value::items).enumerate();
        items.filter_map(|(at, item)| Some((at, item, item.get("type")?)))
    };
    let mut reasoning = BTreeMap::new();
    let mut bare = false;
    let is_reasoning = |kind: Value<'_>| kind.is_str("reasoning") || kind.is_str("item_reference");
    for (at, item, _) in items().filter(|(_, _, kind)| is_reasoning(*kind)) {
        match item.get("id").and_then(Value::as_str) {
            Some(id) => drop(reasoning.insert(id, (at, item))),
            // Without ids nobody can tell whose it is.
            None => bare = true,
        }
    }
    let mut told = None;
    for (at, item, kind) in items() {
        let kind = ["function_call", "custom_tool_call"].into_iter().find(|known| kind.is_str(known));
        let (Some(kind), Some(id)) = (kind, item.get("call_id").and_then(Value::as_str)) else { continue };
        let Issued::Call { step, ours: true, .. } = asked.script.issued(&id) else { continue };
        let Some(thinking) = asked.script.thinking_of_step(step) else { continue };
        let own = item.get("id").and_then(Value::as_str);
        let wanted = own.as_deref().and_then(reasoning_of);
        match wanted.as_ref().map(|wanted| (wanted, reasoning.get(wanted.as_str()))) {
            Some((wanted, None)) => {
                let message = format!(
                    "Item '{}' of type '{kind}' was provided without its required 'reasoning' item: '{wanted}'.",
                    own.unwrap_or_default()
                );
                return Err(say::api(None, Some("input".to_owned()), format!("/input/{at}"), message));
            }
            Some((wanted, Some((at, item)))) => unchanged((wanted, *at, *item), thinking)?,
            None if bare || !reasoning.is_empty() || told == Some(step) => {}
            None => {
                told = Some(step);
                let message = format!("{id} came back without the reasoning that was sent with it");
                notes.push(Note { code: "reasoning-dropped", pointer: format!("/input/{at}"), message });
            }
        }
    }
    Ok(())
}

fn unchanged((id, at, item): (&str, usize, Value<'_>), thinking: &str) -> Verdict {
    let content = item.get("encrypted_content").and_then(Value::as_str);
    if content.is_none_or(|content| content == encrypted(thinking)) {
        return Ok(());
    }
    let message = format!(
        "The encrypted content for item {id} could not be verified. Reason: Encrypted content could not be decrypted or parsed."
    );
    Err(say::api(Some("invalid_encrypted_content"), None, format!("/input/{at}/encrypted_content"), message))
}
