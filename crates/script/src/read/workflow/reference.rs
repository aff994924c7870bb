//! The reference's form: steps by name, inputs by the name of a step, expectations of all that was observed.

use super::given::value;
use super::inputs::{Texts, check, is_known};
use super::{Context, Ids, MOST_STEPS, Planned, expect, or_list, texts};
use crate::finding::{Code, Findings};
use crate::node::{Key, Node};
use crate::read::Known;
use crate::workflow::{Form, Given, Outcome, Workflow, WorkflowCase, WorkflowStep};
use std::collections::BTreeMap;

/// Reads a workflow whose fields have been looked at.
pub(super) fn workflow(root: &Node, context: &mut Context<'_>, findings: &mut Findings<'_>) -> Workflow {
    let cases = root.get("cases").map_or(&[][..], Node::items).iter();
    // Steps that no case uses are looked at, too.
    let steps = root.get("steps").map_or(&[][..], Node::items);
    plan(steps, context.known, findings);
    Workflow {
        id: root.text("id").unwrap_or_default().to_owned(),
        title: root.text("title").unwrap_or_default().to_owned(),
        form: Form::Reference,
        cases: cases.filter_map(|node| case(node, root, context, findings)).collect(),
        place: findings.place(root.at),
    }
}

/// A case; `None` where its outcome is not known, which has been told.
fn case(
    node: &Node,
    root: &Node,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> Option<WorkflowCase> {
    if let Some(id) = node.get("id")
        && id.as_text().is_some_and(|text| text.contains(|c: char| c.is_control()))
    {
        let message = "the id of a case holds no line breaks and control characters";
        findings.error(id.at, Code::WrongValue, message);
    }
    let steps = node.get("steps");
    if let Some(list) = steps.filter(|list| list.as_list().is_some_and(<[Node]>::is_empty)) {
        findings.error_with_hint(
            list.at,
            Code::MissingField,
            "the case has no step",
            "leave `steps` out to take the workflow's",
        );
    }
    let name = node.text("id").unwrap_or_default();
    context.name(name, node, findings);
    let own = steps.is_some();
    let steps = steps.or_else(|| root.get("steps")).map_or(&[][..], Node::items);
    let weight = weight(node, root, steps);
    if !context.may_hold(steps.len(), weight, node, findings) {
        return None;
    }
    let known = context.known;
    // What is wrong with the workflow's steps has been told.
    let planned = if own { plan(steps, known, findings) } else { plan(steps, known, &mut Findings::new("")) };
    let inputs = node.get("inputs").map_or(&[][..], Node::entries);
    strangers(inputs, &planned, findings);
    // A step that comes again has the same inputs, and the same mistakes in them.
    let mut of_name: BTreeMap<&str, Vec<(String, Given)>> = BTreeMap::new();
    for step in &planned {
        of_name.entry(step.called).or_insert_with(|| with(step, inputs, known, findings));
    }
    let steps = planned.iter().map(|step| WorkflowStep {
        id: step.id.clone(),
        row: step.row.unwrap_or_default(),
        called: step.called.to_owned(),
        with: of_name.get(step.called).cloned().unwrap_or_default(),
        expect: Vec::new(),
        time_limit: None,
        place: findings.place(step.node.at),
    });
    let steps = steps.collect();
    let expect = node.get("expect").map_or_else(Vec::new, |node| expect::reference(node, findings));
    let outcome = node.text("outcome");
    Some(WorkflowCase {
        name: name.to_owned(),
        title: node.text("title").unwrap_or_default().to_owned(),
        outcome: Outcome::ALL.into_iter().find(|known| outcome == Some(known.word()))?,
        refusal: None,
        control: None,
        because: None,
        skip: None,
        needs: Vec::new(),
        steps,
        expect,
        permissions: texts(root, "permissions").unwrap_or_default(),
        artifacts: texts(root, "artifacts").unwrap_or_default(),
        time_limit: None,
        place: findings.place(node.at),
    })
}

/// How much a case holds with all that is given to it and its steps.
fn weight(case: &Node, root: &Node, steps: &[Node]) -> usize {
    let prose = ["permissions", "artifacts"].iter().filter_map(|name| root.get(name)).map(Node::weight);
    let inputs = case.get("inputs");
    let of = |name: &str| inputs.and_then(|inputs| inputs.get(name)).map_or(0, Node::weight);
    let for_all = of("*");
    let own = steps.iter().take(MOST_STEPS).filter_map(Node::as_text).map(of);
    prose.chain(own).fold(case.weight(), |sum, weight| sum.saturating_add(weight).saturating_add(for_all))
}

/// The steps by their names in this form.
fn plan<'n>(nodes: &'n [Node], known: &Known<'_>, findings: &mut Findings<'_>) -> Vec<Planned<'n>> {
    let (mut planned, mut ids) = (Vec::new(), Ids::default());
    for node in nodes {
        let Some(called) = node.as_text().filter(|name| !name.trim().is_empty()) else { continue };
        let row = known.steps.iter().position(|form| form.reference.contains(&called));
        if row.is_none() {
            let names = known.steps.iter().flat_map(|form| form.reference.iter().copied());
            let message = format!("there is no step `{called}` in this form");
            findings.error_with_hint(node.at, Code::UnknownName, message, or_list(called, names));
        }
        let id = ids.free(called);
        planned.push(Planned { node, id, row, called });
    }
    planned
}

/// Inputs of a step that the case does not have.
fn strangers(inputs: &[(Key, Node)], steps: &[Planned<'_>], findings: &mut Findings<'_>) {
    // What is wrong with the list of steps has been told.
    if steps.is_empty() {
        return;
    }
    for (key, _) in inputs {
        if key.name != "*" && !steps.iter().any(|step| step.called == key.name) {
            let message = format!("`{}` has inputs, but is no step of the case", key.name);
            let hint = or_list(&key.name, steps.iter().map(|step| step.called));
            findings.error_with_hint(key.at, Code::UnknownName, message, hint);
        }
    }
}

/// The inputs of a step: those for all of which it knows, overlaid by its own.
fn with(
    step: &Planned<'_>,
    inputs: &[(Key, Node)],
    known: &Known<'_>,
    findings: &mut Findings<'_>,
) -> Vec<(String, Given)> {
    let mut with: Vec<(String, Given)> = Vec::new();
    // A step that is not known has been told.
    let Some(form) = step.form(known) else { return with };
    let of = |name: &str| {
        let found = inputs.iter().find(|(key, _)| key.name == name);
        found.map_or(&[][..], |(_, node)| node.entries()).iter()
    };
    let for_all = of("*").map(|entry| (true, entry));
    for (for_all, (key, node)) in for_all.chain(of(step.called).map(|entry| (false, entry))) {
        let input = form.inputs.iter().find(|input| input.name == key.name);
        if input.is_none() && !for_all {
            is_known(key, form, findings);
        }
        let Some(input) = input else { continue };
        check(node, &format!("`{}`", key.name), input.kind, Texts::Literal, findings);
        let given = Given::Value(value(node, findings));
        match with.iter_mut().find(|(name, _)| *name == key.name) {
            Some((_, earlier)) => *earlier = given,
            None => with.push((key.name.clone(), given)),
        }
    }
    with
}
