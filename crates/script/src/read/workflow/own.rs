//! Our form: steps as objects with inputs, references and expectations of their own.

use super::given::{Scope, given};
use super::inputs::{Texts, check, is_known};
use super::{Context, Ids, Planned, demands, expect, or_list, texts};
use crate::finding::{Code, Findings};
use crate::node::Node;
use crate::read::Known;
use crate::read::agent::time_limit;
use crate::schema;
use crate::workflow::{Control, Form, Given, Outcome, Workflow, WorkflowCase, WorkflowStep};
use std::time::Duration;

/// What a workflow says for cases that say nothing.
struct Defaults {
    id: String,
    permissions: Vec<String>,
    artifacts: Vec<String>,
    time_limit: Option<Duration>,
    /// How much each case takes over.
    weight: usize,
}

/// Reads a workflow whose fields have been looked at.
pub(super) fn workflow(root: &Node, context: &mut Context<'_>, findings: &mut Findings<'_>) -> Workflow {
    let defaults = Defaults {
        id: root.text("workflow").unwrap_or_default().to_owned(),
        permissions: texts(root, "permissions").unwrap_or_default(),
        artifacts: texts(root, "artifacts").unwrap_or_default(),
        time_limit: time_limit(root, findings),
        weight: ["permissions", "artifacts"].iter().filter_map(|name| root.get(name)).map(Node::weight).sum(),
    };
    if let Some(node) = root.get("workflow") {
        named(node, findings);
    }
    let cases = root.get("cases");
    if let Some(list) = cases.filter(|list| list.as_list().is_some_and(<[Node]>::is_empty)) {
        findings.error(list.at, Code::MissingField, "the workflow holds no case");
    }
    let cases = cases.map_or(&[][..], Node::items).iter();
    Workflow {
        title: root.text("title").unwrap_or_default().to_owned(),
        form: Form::Own,
        cases: cases.filter_map(|node| case(node, &defaults, context, findings)).collect(),
        place: findings.place(root.at),
        id: defaults.id,
    }
}

/// Finds a name that is no good as a path.
fn named(node: &Node, findings: &mut Findings<'_>) {
    let part = |part: &str| {
        let fits = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
        !matches!(part, "" | "." | "..") && part.bytes().all(fits)
    };
    // Blank ones have been told.
    if let Some(name) = node.as_text().filter(|name| !name.trim().is_empty())
        && !(name.split('/').all(part) && name.len() <= LONGEST_NAME)
    {
        let message = format!("`{}` is no name", name.escape_debug());
        let hint = format!(
            "names hold letters of ASCII, digits, `.`, `_` and `-`, with `/` between their parts; {LONGEST_NAME} at most"
        );
        findings.error_with_hint(node.at, Code::WrongValue, message, hint);
    }
}

/// Letters of the longest name.
const LONGEST_NAME: usize = 128;

/// A case; `None` where its outcome is not known, which has been told.
fn case(
    node: &Node,
    defaults: &Defaults,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> Option<WorkflowCase> {
    let id = node.text("id").unwrap_or_default();
    if let Some(node) = node.get("id") {
        named(node, findings);
    }
    let time_limit = time_limit(node, findings).or(defaults.time_limit);
    let list = node.get("steps");
    if let Some(list) = list.filter(|list| list.as_list().is_some_and(<[Node]>::is_empty)) {
        findings.error(list.at, Code::MissingField, "the case has no step");
    }
    let name = format!("{}/{id}", defaults.id);
    context.name(&name, node, findings);
    let length = list.map_or(0, |list| list.items().len());
    if !context.may_hold(length, node.weight().saturating_add(defaults.weight), node, findings) {
        return None;
    }
    let known = context.known;
    let planned = plan(list.map_or(&[][..], Node::items), known, findings);
    let steps: Vec<_> = (0..planned.len()).map(|at| step(&planned, at, known, findings)).collect();
    let outcome = node.text("outcome");
    let outcome = Outcome::ALL.into_iter().find(|known| outcome == Some(known.word()))?;
    let refusal = demands::refusal(node, outcome, &planned, known, findings);
    let artifacts = texts(node, "artifacts");
    let case = WorkflowCase {
        name,
        title: node.text("title").unwrap_or_default().to_owned(),
        outcome,
        refusal,
        control: Control::ALL.into_iter().find(|known| node.text("control") == Some(known.word())),
        because: demands::because(node, known, findings),
        skip: node.text("skip").map(str::to_owned),
        needs: texts(node, "needs").unwrap_or_default(),
        steps,
        expect: Vec::new(),
        permissions: texts(node, "permissions").unwrap_or_else(|| defaults.permissions.clone()),
        artifacts: match artifacts {
            Some(artifacts) => artifacts,
            None if outcome.refuses() => Vec::new(),
            None => defaults.artifacts.clone(),
        },
        time_limit,
        place: findings.place(node.at),
    };
    // Of a case whose steps are not known nothing can be said.
    if planned.iter().all(|step| step.row.is_some()) && !planned.is_empty() {
        demands::outcome(node, &case, known, findings);
    }
    Some(case)
}

/// The steps with their names, which references and refusals need before anything is read.
fn plan<'n>(nodes: &'n [Node], known: &Known<'_>, findings: &mut Findings<'_>) -> Vec<Planned<'n>> {
    let mut ids = Ids::default();
    for node in nodes {
        let Some((at, id)) = node.get("id").and_then(|node| Some((node.at, node.as_text()?))) else {
            continue;
        };
        let fits =
            |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || matches!(byte, b'_' | b'-');
        let is_one = id.bytes().all(fits) && id.starts_with(|c: char| c.is_ascii_lowercase());
        // A blank one has been told.
        if !is_one && !id.trim().is_empty() {
            let message = format!("`{}` is no id of a step", id.escape_debug());
            let hint = "it begins with a small letter of ASCII and holds such letters, digits, `_` and `-`";
            findings.error_with_hint(at, Code::WrongValue, message, hint);
        }
        if !ids.taken.insert(id.to_owned()) {
            findings.error(at, Code::Clash, format!("two steps of the case are called `{id}`"));
        }
    }
    let mut planned: Vec<Planned<'n>> = Vec::new();
    for node in nodes {
        let called = node.text("use").unwrap_or_default();
        let id = node.text("id").map_or_else(|| ids.free(called), str::to_owned);
        let row = known.steps.iter().position(|form| form.name == called);
        if row.is_none() && !called.trim().is_empty() {
            unknown(node.get("use").unwrap_or(node), called, known, findings);
        }
        planned.push(Planned { node, id, row, called });
    }
    planned
}

fn unknown(node: &Node, called: &str, known: &Known<'_>, findings: &mut Findings<'_>) {
    let message = format!("there is no step `{called}`");
    let hint = match known.steps.iter().find(|form| form.reference.contains(&called)) {
        Some(form) => format!("in this form it is called `{}`", form.name),
        None => or_list(called, known.steps.iter().map(|form| form.name)),
    };
    findings.error_with_hint(node.at, Code::UnknownName, message, hint);
}

fn step(planned: &[Planned<'_>], at: usize, known: &Known<'_>, findings: &mut Findings<'_>) -> WorkflowStep {
    let plan = &planned[at];
    let scope = Scope { steps: planned, at, known };
    let with = inputs(plan, &scope, findings);
    let expect = plan.node.get("expect").map_or_else(Vec::new, |node| expect::own(node, &scope, findings));
    WorkflowStep {
        id: plan.id.clone(),
        row: plan.row.unwrap_or_default(),
        called: plan.called.to_owned(),
        with,
        expect,
        time_limit: time_limit(plan.node, findings),
        place: findings.place(plan.node.at),
    }
}

fn inputs(plan: &Planned<'_>, scope: &Scope<'_>, findings: &mut Findings<'_>) -> Vec<(String, Given)> {
    let node = plan.node.get("with");
    let form = plan.form(scope.known);
    let mut with = Vec::new();
    for (key, node) in node.map_or(&[][..], Node::entries) {
        if let Some(form) = form
            && is_known(key, form, findings)
            && let Some(input) = form.inputs.iter().find(|input| input.name == key.name)
        {
            check(node, &format!("`{}`", key.name), input.kind, Texts::Referring, findings);
        }
        with.push((key.name.clone(), given(node, scope, findings)));
    }
    for input in form.map_or(&[][..], |form| form.inputs) {
        if input.required && !with.iter().any(|(name, _)| name == input.name) {
            let message = format!("the step `{}` needs the input `{}`", plan.called, input.name);
            let at = node.unwrap_or(plan.node).at;
            findings.error_with_hint(at, Code::MissingField, message, schema::lower_first(input.doc));
        }
    }
    with
}
