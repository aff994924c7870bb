//! The pages of workflow steps and of the codes with which they refuse.

use super::{code, fenced, head, row};
use rehearsal_lab::Code;
use rehearsal_script::workflow::{InputKind, Trigger};
use rehearsal_workflow::step::STEPS;
use rehearsal_workflow::step::permission::{self, Needs};

/// All steps: inputs, what they observe, with what they refuse, an example each.
pub(super) fn steps() -> String {
    let mut out = "What a step of a workflow can `use`; [workflows.md](../guide/workflows.md) says how files are written. What a step observes is \
                   what `expect` and `${id.field}` ask for.\n\n"
        .to_owned()
        + &head(&["step", "what it does"]);
    for step in STEPS {
        out.push_str(&row(&[&format!("[{0}](#{0})", step.form.name), step.form.summary]));
    }
    out.push_str(&format!(
        "\nA workflow lists in `permissions` what its steps need:\n\n{}",
        head(&["permission", "for", "needed by"])
    ));
    for (name, what) in permission::ALL {
        let by = STEPS.iter().filter(|step| step.needs.may_be(name)).map(|step| code(step.form.name));
        out.push_str(&row(&[&code(name), what, &by.collect::<Vec<_>>().join(", ")]));
    }
    for step in STEPS {
        let form = &step.form;
        out.push_str(&format!("\n## {}\n\n{}\n", form.name, form.summary));
        if !form.reference.is_empty() {
            let names: Vec<_> = form.reference.iter().map(|name| code(name)).collect();
            out.push_str(&format!("\nIn the reference's form: {}.\n", names.join(", ")));
        }
        out.push_str(&needed(step.needs));
        for (trigger, outcome) in [(form.interrupts, "cancelled"), (form.breaks, "recovered")] {
            out.push_str(&serves(trigger, outcome));
        }
        if !form.inputs.is_empty() {
            out.push_str(&format!("\n{}", head(&["input", "what stands there", "what it is"])));
            for input in form.inputs {
                let must = if input.required { ", required" } else { "" };
                out.push_str(&row(&[&code(input.name), &format!("{}{must}", kind(input.kind)), input.doc]));
            }
        }
        if !form.gives.is_empty() {
            out.push_str(&format!("\n{}", head(&["observes", "what it is"])));
            for (name, doc) in form.gives {
                out.push_str(&row(&[&code(name), doc]));
            }
        }
        if !form.refuses.is_empty() {
            let codes: Vec<_> = form.refuses.iter().map(|word| code(word)).collect();
            out.push_str(&format!("\nRefuses with {}.\n", codes.join(", ")));
        }
        out.push_str(&format!("\n{}", fenced("text", form.example)));
    }
    out
}

fn needed(needs: Needs) -> String {
    match needs {
        Needs::Nothing => String::new(),
        Needs::Always(permission) => format!("\nNeeds the permission {}.\n", code(permission)),
        Needs::WriteWith(inputs) => {
            let inputs: Vec<_> = inputs.iter().map(|input| code(input)).collect();
            let (write, read) = (code(permission::WRITE), code(permission::READ));
            format!("\nNeeds the permission {write} with {}, else {read}.\n", inputs.join(" or "))
        }
    }
}

/// For which outcome it does what a case with it must have.
fn serves(trigger: Trigger, outcome: &str) -> String {
    match trigger {
        Trigger::Never => String::new(),
        Trigger::Always => format!("\nServes the outcome `{outcome}`.\n"),
        Trigger::Given(input) => format!("\nWith `{input}` it serves the outcome `{outcome}`.\n"),
    }
}

fn kind(kind: InputKind) -> String {
    match kind {
        InputKind::Text => "a text".to_owned(),
        InputKind::Flag => "true or false".to_owned(),
        InputKind::Whole => "a whole number".to_owned(),
        InputKind::Span => "a duration such as `200ms`".to_owned(),
        InputKind::Texts => "a list of texts".to_owned(),
        InputKind::TextMap => "a map of texts".to_owned(),
        InputKind::Word(words) => words.iter().map(|word| code(word)).collect::<Vec<_>>().join(", "),
        InputKind::Anything => "any value".to_owned(),
    }
}

/// All codes of refusals.
pub(super) fn refusals() -> String {
    let mut out = "What `refusal: {step, code}` of a workflow case can declare, and what `step-refused` tells. A code that is about permission belongs \
                   to the outcome `permission_denied`, any other to `failure`. Any step can refuse with `E_PERMISSION` and \
                   `E_INPUT`; `E_REFERENCE` can be declared of none.\n\n"
        .to_owned()
        + &head(&["code", "about", "what it means", "what to do"]);
    for refusal in Code::ALL {
        let about = if refusal.is_permission() { "permission" } else { "" };
        out.push_str(&row(&[&code(refusal.word()), about, refusal.meaning(), refusal.remedy()]));
    }
    out
}
