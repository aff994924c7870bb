//! Scripts: steps in order, repeated, with what stands before them.

use super::action::action;
use super::class::{Context, Levels, MAX_STEPS};
use super::expect;
use super::repeat::{self, Repeat};
use crate::finding::{Code, Findings, Spot};
use crate::node::Node;
use crate::scenario::{Action, Pacing, Step, Trouble};
use crate::span;
use rehearsal_wire::rule::Expected;
use std::time::Duration;

/// A script after reading.
#[derive(Default)]
pub(super) struct Script {
    pub(super) steps: Vec<Step>,
    /// Whether the last step answers every later request.
    pub(super) forever: bool,
}

/// Reads a script.
pub(super) fn script(
    node: &Node,
    levels: Levels<'_>,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> Script {
    let mut script = Script::default();
    // Steps with `times`, waiting for the step before which they stand.
    let mut waiting = Vec::new();
    let last = node.items().len().saturating_sub(1);
    for (i, written) in node.items().iter().enumerate() {
        let repeat = repeat::of(written, context.older, findings);
        let is_trouble = !context.older && written.get("times").is_some();
        times(written, is_trouble, repeat, findings);
        if repeat == Repeat::Forever && i < last {
            let message = "only the last step can repeat forever";
            findings.error_with_hint(
                spot(written, "repeat"),
                Code::Contradiction,
                message,
                "the steps after it would never be reached",
            );
        }
        let count = match repeat {
            Repeat::None | Repeat::Forever => 1,
            Repeat::Times(count) => count,
        };
        if !afford(written, count, script.steps.len(), context, findings) {
            return script;
        }
        for number in 1..=count {
            let copy;
            let step = if matches!(repeat, Repeat::Times(_)) {
                copy = repeat::numbered(written, number, findings);
                &copy
            } else {
                written
            };
            let expected = expect::request(levels, step, context, findings);
            let action = action(step, context, findings);
            if is_trouble {
                waiting.push(Trouble { times: count_of(step), action, expected });
            } else {
                let pacing = pacing(levels.all("pacing").chain(step.get("pacing")), context.older);
                script.steps.push(Step { before: std::mem::take(&mut waiting), action, expected, pacing });
            }
        }
        script.forever |=
            i == last && !is_trouble && (repeat == Repeat::Forever || is_endless(&script, context));
    }
    if !waiting.is_empty() {
        let (expected, pacing) = (Expected::default(), Pacing::default());
        script.steps.push(Step { before: waiting, action: Action::End, expected, pacing });
    }
    script
}

/// Whether the last step read so far is a fault that nobody gets past.
fn is_endless(script: &Script, context: &Context<'_>) -> bool {
    match script.steps.last().map(|step| &step.action) {
        Some(Action::Fault { faults, .. }) => {
            faults.iter().any(|fault| context.known.is_hostile(&fault.name))
        }
        Some(Action::Say(_) | Action::Error(_) | Action::End) | None => false,
    }
}

pub(super) fn spot(step: &Node, field: &str) -> Spot {
    step.get(field).map_or(step.at, |node| node.at)
}

fn count_of(step: &Node) -> u32 {
    step.get("times").and_then(Node::as_whole).and_then(|times| u32::try_from(times).ok()).unwrap_or(1)
}

fn times(step: &Node, is_trouble: bool, repeat: Repeat, findings: &mut Findings<'_>) {
    if !is_trouble {
        return;
    }
    let at = spot(step, "times");
    if step.get("api_error").is_none() && step.get("fault").is_none() {
        let message = "`times` stands only beside `api_error` or `fault`";
        findings.error_with_hint(
            at,
            Code::Contradiction,
            message,
            "to write a step several times use `repeat`",
        );
    }
    if repeat != Repeat::None {
        let message = "`times` and `repeat` stand in one step";
        findings.error_with_hint(
            at,
            Code::Contradiction,
            message,
            "keep `times`: it counts requests, not steps",
        );
    }
}

/// Whether there is room for so many copies of a step.
fn afford(
    step: &Node,
    count: usize,
    already: usize,
    context: &mut Context<'_>,
    findings: &mut Findings<'_>,
) -> bool {
    let at = spot(step, "repeat");
    if already.saturating_add(count) > MAX_STEPS {
        let message = format!("a script holds at most {MAX_STEPS} steps");
        findings.error_with_hint(
            at,
            Code::TooMuch,
            message,
            "`repeat: forever` on the last step has no end (`version: 1`)",
        );
        return false;
    }
    let weight = step.weight().saturating_mul(count);
    match (context.steps_left.checked_sub(count), context.weight_left.checked_sub(weight)) {
        (Some(steps), Some(weight)) => {
            context.steps_left = steps;
            context.weight_left = weight;
            true
        }
        _ => {
            let message = "all scripts of the suite together are too long";
            findings.error_with_hint(at, Code::TooMuch, message, "repeat less, or split the suite");
            false
        }
    }
}

fn pacing<'n>(nodes: impl Iterator<Item = &'n Node>, older: bool) -> Pacing {
    let mut pacing = Pacing::default();
    for node in nodes.filter(|_| !older) {
        if let Some(ttft) = node.get("ttft") {
            let millis =
                ttft.as_whole().and_then(|millis| u64::try_from(millis).ok()).map(Duration::from_millis);
            pacing.ttft = millis.or_else(|| span::parse(ttft.as_text()?)).unwrap_or_default();
        }
        let whole = |name: &str| node.get(name).and_then(Node::as_whole);
        if let Some(speed) = whole("tokens_per_second") {
            pacing.tokens_per_second = u32::try_from(speed).unwrap_or(0);
        }
        if let Some(piece) = whole("chunk") {
            pacing.piece = usize::try_from(piece).unwrap_or(0);
        }
    }
    pacing
}
