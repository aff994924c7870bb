//! Facts about workflow steps without what differs from run to run: times, volatile fields, and texts of this run.

use crate::work::Fact;
use serde_json::Value;

/// The fact as it is equal in two runs; `mask` puts words in the place of this run's own texts.
pub(super) fn normal(fact: &Fact, mask: &impl Fn(&mut String)) -> Fact {
    let mut fact = fact.normal();
    match &mut fact {
        Fact::Began { posture, .. } => posture.clear(),
        Fact::StepBegan { with, .. } => with.values_mut().for_each(|value| texts(value, mask)),
        Fact::StepEnded(ended) => {
            ended.observed.values_mut().for_each(|value| texts(value, mask));
            ended.message.iter_mut().for_each(mask);
        }
        Fact::Refused { path, .. } => path.iter_mut().for_each(mask),
    }
    fact
}

/// Masks every text in a value. Keys are names, not texts of a run.
fn texts(value: &mut Value, mask: &impl Fn(&mut String)) {
    match value {
        Value::String(text) => mask(text),
        Value::Array(items) => items.iter_mut().for_each(|item| texts(item, mask)),
        Value::Object(fields) => fields.values_mut().for_each(|field| texts(field, mask)),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
