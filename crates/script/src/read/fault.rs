//! Faults by name, with their parameters.

use super::class::Context;
use crate::finding::{Code, Findings};
use crate::node::{Content, Key, Node};
use crate::scenario::FaultCall;
use rehearsal_wire::fault::{self, Arrives, Fault, ParamFault, check_params};
use rehearsal_wire::names::{hint, nearest};

/// Reads one fault or a list of those that are to break an answer together, and what then reaches a correct client.
pub(super) fn faults(
    node: &Node,
    context: &Context<'_>,
    findings: &mut Findings<'_>,
) -> (Vec<FaultCall>, Arrives) {
    let list = match &node.content {
        Content::List(nodes) => nodes.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let calls: Vec<FaultCall> = list.iter().map(|node| fault(node, context, findings)).collect();
    let rows: Vec<&'static Fault> = calls.iter().filter_map(|call| fault::fault(&call.name)).collect();
    if let Some(why) = fault::clash(&rows) {
        findings.error(node.at, Code::Contradiction, why);
    } else if list.is_empty() {
        findings.error(node.at, Code::MissingField, "the list of faults is empty");
    }
    (calls, fault::arrives(&rows))
}

/// Reads the name and the parameters.
fn fault(node: &Node, context: &Context<'_>, findings: &mut Findings<'_>) -> FaultCall {
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
    FaultCall { name: name.to_owned(), params }
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
