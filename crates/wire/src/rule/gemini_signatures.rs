//! The thought signature that came with a call comes back with it, as it was. The models from Gemini 3 on refuse a request
//! whose current turn lacks one; of older ones a missing signature is noted.

use super::{Asked, Check, Example, GEMINI, Issued, Note, Profile, Rule, Stage, Verdict, say};
use crate::dialect::google_gemini::read::field;
use crate::dialect::google_gemini::thought;
use crate::json::Value;
use crate::turn::{Call, Message, Role, Spot};

pub(super) const ROW: Rule = Rule {
    name: "gemini-signatures",
    summary: "a changed thoughtSignature, or none on the first call of a step of the current turn; notes one that was dropped",
    codes: &["null", "reasoning-dropped"],
    stage: Stage::Api,
    dialects: GEMINI,
    profiles: &[Profile::Api, Profile::Gate, Profile::Pinned],
    example: Example::body(
        r#"{"model":"models/gemini-3-pro-preview","contents":[{"parts":[{"text":"hi"}]},{"role":"model","parts":[{"functionCall":{"id":"call_gate_p_s0_0","name":"write_file","args":{"a":1}}}]},{"parts":[{"functionResponse":{"id":"call_gate_p_s0_0","name":"write_file","response":{}}}]}]}"#,
    ),
    check: Check::Noting(check),
};

fn check(asked: &Asked<'_>, notes: &mut Vec<Note>) -> Verdict {
    let messages = &asked.turn.messages;
    // The current turn begins with what a user said last.
    let begins = messages.iter().rposition(|message| message.role == Role::User).unwrap_or(0);
    let demanded = demands(asked);
    for (at, message) in messages.iter().enumerate() {
        for (number, call) in message.calls.iter().enumerate() {
            if !matches!(asked.script.issued(&call.id), Issued::Call { ours: true, .. }) {
                continue;
            }
            let Some((place, part)) = part(asked, message, call) else { continue };
            let signature = field(part, "thoughtSignature").and_then(Value::as_str).unwrap_or_default();
            if !signature.is_empty() {
                if !thought::fits(&signature, &call.id) {
                    let place = place + "/thoughtSignature";
                    return Err(say::api(None, None, place, "Corrupted thought signature."));
                }
            } else if number == 0 && demanded && at > begins {
                return Err(say::api(None, None, place, missing(&call.name, message.index + 1)));
            } else if number == 0 && at > begins {
                let message =
                    format!("{} came back without the thought signature that was sent with it", call.id);
                notes.push(Note { code: "reasoning-dropped", pointer: place, message });
            }
        }
    }
    Ok(())
}

/// The part that holds a call, and where it stands.
fn part<'t>(asked: &Asked<'t>, message: &Message<'_>, call: &Call<'_>) -> Option<(String, Value<'t>)> {
    let mut place = (asked.turn.point)(Spot::Call(message.index, call.index));
    place.truncate(place.rfind('/')?);
    let part = asked.tape.root().at(&place)?;
    Some((place, part))
}

/// Whether the model is one that demands signatures: `gemini-3` and later, but for those that make images.
fn demands(asked: &Asked<'_>) -> bool {
    let sent = || asked.top("model").and_then(Value::as_str);
    let Some(name) = asked.turn.addressed.clone().or_else(sent) else { return false };
    let name = name.rsplit('/').next().unwrap_or_default();
    let version = name.strip_prefix("gemini-").map(|rest| rest.split(['-', '.']).next().unwrap_or_default());
    version.and_then(|version| version.parse::<u32>().ok()).is_some_and(|version| version >= 3)
        && !name.contains("image")
}

fn missing(name: &str, position: usize) -> String {
    format!(
        "Function call is missing a thought_signature in functionCall parts. This is required for tools to work \
         correctly, and missing thought_signature may lead to degraded model performance. Additional data, function call \
         `default_api:{name}` , position {position}. Please refer to \
         https://ai.google.dev/gemini-api/docs/thought-signatures for more details."
    )
}
