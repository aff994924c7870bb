//! Workflow files: which form one has, and the cases of all files side by side.

mod demands;
mod expect;
mod given;
mod inputs;
mod own;
mod reference;

use super::{File, Known, has_key};
use crate::finding::{Code, Finding, Findings, Severity};
use crate::node::{self, Node};
use crate::scenario::Place;
use crate::schema;
use crate::workflow::{Form, StepForm, Workflow};
use rehearsal_wire::names::{hint, nearest};
use std::collections::{BTreeMap, BTreeSet};

/// The key that only such files have at the top.
pub(super) const KEY: &str = "cases";

/// Whether a file holds a workflow.
#[must_use]
pub fn is_one(file: &File<'_>) -> bool {
    has_key(file, KEY)
}

/// Reads workflow files, each in its form; they are one suite, in which no two cases have one name.
///
/// # Errors
/// Every mistake of every file, in the order of the files and lines.
pub fn read(files: &[File<'_>], known: &Known<'_>) -> Result<Vec<Workflow>, Vec<Finding>> {
    let (workflows, mut findings) = load(files, known);
    findings.retain(|finding| finding.severity == Severity::Error);
    if findings.is_empty() { Ok(workflows) } else { Err(findings) }
}

/// All that can be said about workflow files.
#[must_use]
pub fn lint(files: &[File<'_>], known: &Known<'_>) -> Vec<Finding> {
    load(files, known).1
}

/// The workflows are of use only where no finding is an error.
fn load(files: &[File<'_>], known: &Known<'_>) -> (Vec<Workflow>, Vec<Finding>) {
    let (mut workflows, mut all) = (Vec::new(), Vec::new());
    let mut context = Context { known, names: BTreeMap::new(), left: LARGEST };
    for file in files {
        let mut findings = Findings::new(file.name);
        let root = node::read(file.bytes, &mut findings);
        if let Some(root) = &root {
            workflows.push(match form(root) {
                Form::Own => {
                    schema::check(root, &schema::WORKFLOW, false, &mut findings);
                    own::workflow(root, &mut context, &mut findings)
                }
                Form::Reference => {
                    schema::check(root, &schema::REFERENCE, false, &mut findings);
                    reference::workflow(root, &mut context, &mut findings)
                }
            });
        }
        all.extend(findings.into_sorted(root.as_ref()));
    }
    (workflows, all)
}

/// Ours has the number 1 as its version, and no `failure_conditions`, which the reference's must have. A file that is wrong in both
/// forms is ours where it names itself as ours do.
fn form(root: &Node) -> Form {
    let ours = root.get("version").and_then(Node::as_whole) == Some(1)
        || (root.get("workflow").is_some() && root.get("id").is_none());
    if ours && root.get("failure_conditions").is_none() { Form::Own } else { Form::Reference }
}

/// How much all cases may hold, in values and bytes of text: what stands once in a file can be given to each of its cases.
const LARGEST: usize = 50_000_000;

/// What counts for a step, beside its inputs.
const STEP: usize = 100;

/// The most steps of a case.
const MOST_STEPS: usize = 1_000;

/// What the cases of all files share.
struct Context<'c> {
    known: &'c Known<'c>,
    /// Names of cases as systems see them that know no large letters, with the name and the place of the first.
    names: BTreeMap<String, (String, Place)>,
    /// How much more they may hold.
    left: usize,
}

impl Context<'_> {
    /// Finds a name of a case that stands twice, in this file or in one before it.
    fn name(&mut self, name: &str, case: &Node, findings: &mut Findings<'_>) {
        let Some(id) = case.get("id").filter(|id| id.as_text().is_some_and(|id| !id.trim().is_empty()))
        else {
            return;
        };
        let key = name.to_lowercase();
        if let Some((known, first)) = self.names.get(&key) {
            let message = if known == name {
                format!("the case name `{name}` is taken")
            } else {
                // Their journals would be one file on such a system.
                format!("the case name `{name}` differs from `{known}` in large letters alone")
            };
            let hint = format!("it stands at {}:{}:{} already", first.file, first.line, first.column);
            findings.error_with_hint(id.at, Code::Clash, message, hint);
        } else {
            self.names.insert(key, (name.to_owned(), findings.place(id.at)));
        }
    }

    /// Whether a case with so many steps that holds so much may be read; if not, it is told.
    fn may_hold(&mut self, steps: usize, weight: usize, case: &Node, findings: &mut Findings<'_>) -> bool {
        if steps > MOST_STEPS {
            let message = format!("the case has {steps} steps; {MOST_STEPS} is the most");
            findings.error(case.at, Code::TooMuch, message);
            return false;
        }
        let weight = weight.saturating_add(steps.saturating_mul(STEP));
        if weight > self.left {
            findings.error(case.at, Code::TooMuch, "the cases up to this one hold too much");
        }
        let fits = weight <= self.left;
        self.left = self.left.saturating_sub(weight);
        fits
    }
}

/// The texts of a list, where there is one.
fn texts(node: &Node, name: &str) -> Option<Vec<String>> {
    Some(node.get(name)?.items().iter().filter_map(Node::as_text).map(str::to_owned).collect())
}

/// A step of a case before its inputs are read.
struct Planned<'n> {
    /// What names it: the step itself, or its name in a list.
    node: &'n Node,
    /// Its name in the case.
    id: String,
    /// Its place in the table, where its name is known.
    row: Option<usize>,
    /// The name by which the file calls it.
    called: &'n str,
}

impl Planned<'_> {
    fn form<'k>(&self, known: &Known<'k>) -> Option<&'k StepForm> {
        known.steps.get(self.row?).copied()
    }
}

/// Names that are looked through, and listed, where none is near: not more than anybody reads.
const LOOKED_AT: usize = 256;
const LISTED: usize = 16;

/// What to write instead of an unknown name: the one that is near, else some that exist.
fn or_list<'n>(name: &str, known: impl Iterator<Item = &'n str>) -> String {
    let known: Vec<&str> = known.take(LOOKED_AT).collect();
    hint(nearest(name, known.iter().copied()), || match &known[..] {
        [] => "there is none".to_owned(),
        [listed @ .., _] if listed.len() >= LISTED => {
            format!("there is {}, and more", listed[..LISTED].join(", "))
        }
        all => format!("there is {}", all.join(", ")),
    })
}

/// Names that are taken, and how often each was asked for.
#[derive(Default)]
struct Ids {
    taken: BTreeSet<String>,
    asked: BTreeMap<String, u64>,
}

impl Ids {
    /// The first name that is free: the name itself, or with `-2` and so on behind it.
    fn free(&mut self, name: &str) -> String {
        let asked = self.asked.entry(name.to_owned()).or_default();
        loop {
            *asked += 1;
            let id = if *asked == 1 { name.to_owned() } else { format!("{name}-{asked}") };
            if self.taken.insert(id.clone()) {
                return id;
            }
        }
    }
}
