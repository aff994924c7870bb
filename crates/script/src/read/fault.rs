//! Faults by name, with their parameters.

use super::class::Context;
use crate::finding::{Code, Findings};
use crate::node::{Key, Node};
use rehearsal_wire::fault::{Fault, ParamFault, check_params};
use rehearsal_wire::names::{hint, nearest};

/// Reads the name and the parameters (name, value as JSON text).
pub(super) fn fault(
    node: &Node,
    context: &Context<'_>,
    findings: &mut Findings<'_>,
) -> (String, Vec<(String, String)>) {
    let name_node = node.get("name").unwrap_or(node);
    let name = name_node.as_text().unwrap_or_default();
    let known = context.known.faults;
    let fault = known.iter().find(|fault| fault.name == name);
    if fault.is_none() && !name.trim().is_empty() {
        let message = format!("there is no fault `{name}`");
        let near = nearest(name, known.iter().map(|fault| fault.name));
        let hint = hint(near, || "`rehearsal faults` lists them".to_owned());
        findings.error_with_hint(name_node.at, Code::UnknownName, message, hint);
    }
    let mut params = Vec::new();
    for (key, value) in node.entries().iter().filter(|(key, _)| key.name != "name" && key.name != "comment") {
        if let Some(fault) = fault {
            param(fault, key, value, findings);
        }
        params.push((key.name.clone(), value.to_json()));
    }
    (name.to_owned(), params)
}

fn param(fault: &Fault, key: &Key, value: &Node, findings: &mut Findings<'_>) {
    let given = (key.name.clone(), value.to_json());
    match check_params(fault.params, std::slice::from_ref(&given)) {
        Ok(()) => {}
        Err(ParamFault::Kind { name, wanted }) => {
            findings.error(value.at, Code::WrongValue, format!("`{name}` must be {wanted}"));
        }
        Err(ParamFault::Unknown { name, known }) => {
            let message = format!("the fault `{}` has no parameter `{name}`", fault.name);
            let hint = hint(nearest(&name, known.iter().copied()), || match known.as_slice() {
                [] => "it has none".to_owned(),
                known => format!("it has `{}`", known.join("`, `")),
            });
            findings.error_with_hint(key.at, Code::UnknownName, message, hint);
        }
    }
}
