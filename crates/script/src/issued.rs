//! Tool-call ids: how ours are spelt, and what the script knows of those that come back.

use crate::pick::Picker;
use crate::scenario::{Action, Phrasing, Said, Scenarios, ScriptedCall, Step};
use rehearsal_wire::rule::{Echo, Expected, ID_PREFIX, Issued, Scripted};

/// The id of a call: `call_gate_<phrasing id>_s<step>_<k>`, both numbers from 0.
#[must_use]
pub fn call_id(phrasing: &str, step: usize, k: usize) -> String {
    format!("{ID_PREFIX}{phrasing}_s{step}_{k}")
}

/// What the id of a reply says of where it comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ReplyId<'i> {
    /// It is none of ours.
    Foreign,
    /// A reply beside every script: `resp_gate_<hex>`.
    Aside,
    /// A reply of this phrasing at this step: `resp_gate_<phrasing id>_s<step>_<hex>`, with another word in other dialects.
    Step(&'i str, usize),
}

impl<'i> ReplyId<'i> {
    pub(crate) fn of(id: &'i str) -> Self {
        let is_hex = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let Some((kind, rest)) = id.split_once("_gate_") else { return Self::Foreign };
        if !kind.bytes().all(|byte| byte.is_ascii_lowercase()) {
            return Self::Foreign;
        }
        let step = || {
            let (rest, _) = rest.rsplit_once('_').filter(|(_, hex)| is_hex(hex))?;
            let (phrasing, step) = rest.rsplit_once('_')?;
            Some(Self::Step(phrasing, number(step.strip_prefix('s')?)?))
        };
        step().unwrap_or(if is_hex(rest) { Self::Aside } else { Self::Foreign })
    }
}

/// Phrasings by id.
#[derive(Clone, Debug)]
pub(crate) struct Index(Vec<(String, usize)>);

impl Index {
    pub(crate) fn new(phrasings: &[Phrasing]) -> Self {
        let mut ids: Vec<_> =
            phrasings.iter().enumerate().map(|(i, phrasing)| (phrasing.id.clone(), i)).collect();
        ids.sort();
        Self(ids)
    }

    pub(crate) fn get(&self, id: &str) -> Option<usize> {
        let at = self.0.binary_search_by(|(known, _)| known.as_str().cmp(id)).ok()?;
        Some(self.0[at].1)
    }
}

/// Phrasing, step and place in the step; `None` unless both numbers are written as we write them.
fn parse(rest: &str) -> Option<(&str, usize, usize)> {
    let (rest, k) = rest.rsplit_once('_')?;
    let (phrasing, step) = rest.rsplit_once('_')?;
    Some((phrasing, number(step.strip_prefix('s')?)?, number(k)?))
}

/// The step of a call of this phrasing; `None` for ids that are not its own.
pub(crate) fn step_of(id: &str, phrasing: &str) -> Option<usize> {
    let (name, step, _) = parse(id.strip_prefix(ID_PREFIX)?)?;
    (name == phrasing).then_some(step)
}

/// Decimal digits without sign, blanks or leading zeros.
fn number(text: &str) -> Option<usize> {
    let canonical = text == "0" || !text.starts_with('0');
    (canonical && text.bytes().all(|byte| byte.is_ascii_digit())).then(|| text.parse().ok())?
}

impl Phrasing {
    /// How many steps have an index.
    #[must_use]
    pub fn steps(&self) -> usize {
        let trailing = self.script.last().is_some_and(|step| step.action == Action::End);
        self.script.len() - usize::from(trailing)
    }

    /// What the model says at a step, if it speaks there.
    #[must_use]
    pub fn said_at(&self, step: usize) -> Option<&Said> {
        self.step_at(step)?.action.said()
    }

    /// The step of this number; of a script that goes on and on its last one stands for all behind it.
    fn step_at(&self, step: usize) -> Option<&Step> {
        let steps = self.steps();
        let at = if self.forever { step.min(steps.saturating_sub(1)) } else { step };
        self.script.get(at)
    }

    /// Whether what the model says at a step reaches the client with other calls than the script knows.
    fn is_otherwise(&self, step: usize) -> bool {
        let Some(step) = self.step_at(step) else { return false };
        step.action.is_otherwise() || step.before.iter().any(|trouble| trouble.action.is_otherwise())
    }

    /// The call with this place at a step; also one that a fault with `times` sent before the step.
    fn call_at(&self, step: usize, k: usize) -> Option<&ScriptedCall> {
        if let Some(call) = self.said_at(step).and_then(|said| said.calls.get(k)) {
            return Some(call);
        }
        let before = &self.script.get(step)?.before;
        before.iter().find_map(|trouble| trouble.action.said()?.calls.get(k))
    }
}

impl Picker {
    /// The scripted call that has this id.
    pub(crate) fn issued<'s>(&self, scenarios: &'s Scenarios, id: &str) -> Option<&'s ScriptedCall> {
        let (name, step, k) = parse(id.strip_prefix(ID_PREFIX)?)?;
        scenarios.phrasings[self.index.get(name)?].call_at(step, k)
    }
}

/// The script's side of the checks of one request.
#[derive(Clone, Copy, Debug)]
pub struct ScriptSide<'s> {
    /// The suite.
    pub scenarios: &'s Scenarios,
    /// What was made from it.
    pub picker: &'s Picker,
    /// The phrasing that the request belongs to.
    pub matched: Option<usize>,
    /// What its step expects.
    pub expected: Option<&'s Expected>,
}

impl ScriptSide<'_> {
    fn phrasing(&self) -> Option<&Phrasing> {
        self.scenarios.phrasings.get(self.matched?)
    }
}

impl Scripted for ScriptSide<'_> {
    fn issued(&self, id: &str) -> Issued<'_> {
        let Some(rest) = id.strip_prefix(ID_PREFIX) else { return Issued::Foreign };
        let Some((name, step, k)) = parse(rest) else {
            return Issued::Never("it does not end in `_s<step>_<number>`");
        };
        let Some(at) = self.picker.index.get(name) else { return Issued::Never("no phrasing has this id") };
        let phrasing = &self.scenarios.phrasings[at];
        if phrasing.is_otherwise(step) {
            return Issued::Foreign;
        }
        if let Some(call) = phrasing.call_at(step, k) {
            let ours = self.matched == Some(at);
            return Issued::Call { step, name: &call.name, arguments: &call.arguments, ours };
        }
        if step >= phrasing.steps() && !phrasing.forever {
            return Issued::Never("the script ends before this step");
        }
        match phrasing.said_at(step) {
            Some(said) if !said.calls.is_empty() => Issued::Never("the step makes fewer calls"),
            Some(_) | None => Issued::Never("the step makes no calls"),
        }
    }

    fn ids_of_step(&self, step: usize) -> Vec<String> {
        let Some(phrasing) = self.phrasing().filter(|phrasing| !phrasing.is_otherwise(step)) else {
            return Vec::new();
        };
        let calls = phrasing.said_at(step).map_or(0, |said| said.calls.len());
        (0..calls).map(|k| call_id(&phrasing.id, step, k)).collect()
    }

    fn text_of_step(&self, step: usize) -> Option<&str> {
        self.phrasing()?.said_at(step)?.text.as_deref()
    }

    fn thinking_of_step(&self, step: usize) -> Option<&str> {
        self.phrasing()?.said_at(step)?.thinking.as_deref()
    }

    fn has_fault(&self, step: usize, name: &str) -> bool {
        let step = self.phrasing().and_then(|phrasing| phrasing.step_at(step));
        let Some(Action::Fault { faults, .. }) = step.map(|step| &step.action) else { return false };
        faults.iter().any(|call| call.name == name)
    }

    fn replied(&self, id: &str) -> bool {
        match ReplyId::of(id) {
            ReplyId::Foreign => false,
            ReplyId::Aside => true,
            ReplyId::Step(name, step) => self.picker.index.get(name).is_some_and(|at| {
                let phrasing = &self.scenarios.phrasings[at];
                // Behind the last step stands what only has `times`.
                step < phrasing.script.len() || phrasing.forever
            }),
        }
    }

    fn expected(&self) -> Option<&Expected> {
        self.expected
    }

    fn echo(&self) -> Echo {
        self.scenarios.echo
    }
}
