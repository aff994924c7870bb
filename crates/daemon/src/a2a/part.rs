//! Parts of what the agent says.

use super::artifact::final_beginning;
use crate::failure;
use crate::run::Run;
use rehearsal_script::runs::Question;
use serde_json::{Value, json};

/// What a run still needs.
pub(super) fn needing(run: &Run) -> Vec<Value> {
    let needed = json!({"reason": "input_required", "requiredInputs": run.script.required_inputs});
    vec![one_text(&final_beginning(run)), one_data(&needed)]
}

/// Why a run failed.
pub(super) fn failed(run: &Run) -> Vec<Value> {
    let (Some((failure, _)), Some(facts)) = (&run.failure, failure::facts(run)) else {
        return vec![one_text("The run failed.")];
    };
    let said = if failure.message.is_empty() { &failure.code } else { &failure.message };
    vec![one_text(said), one_data(&facts)]
}

/// A question, and what can be chosen.
pub(super) fn asked(id: &str, question: &Question) -> Vec<Value> {
    let options: Vec<Value> = question
        .options
        .iter()
        .map(|(label, description)| json!({"label": label, "description": description}))
        .collect();
    let facts = json!({
        "interactionId": id,
        "header": question.header,
        "options": options,
        "multiSelect": question.multi_select,
    });
    vec![one_text(&question.text), one_data(&facts)]
}

/// A part that is text.
pub(super) fn one_text(text: &str) -> Value {
    json!({"text": text, "mediaType": "text/plain"})
}

/// A part that is for programs.
pub(super) fn one_data(data: &Value) -> Value {
    json!({"data": data, "mediaType": "application/json"})
}
