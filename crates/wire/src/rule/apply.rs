//! Applies the rule table to a request, stage by stage.

use super::{Asked, Check, Note, RULES, Rule, RuleSet, Stage, Verdict, pairing, shape};
use crate::reject::Reject;
use std::sync::LazyLock;

/// Applies the rules of one stage that are switched on, in table order.
///
/// Neighbouring rows that look at tools (or at messages) walk them together, so that per element the rows come in
/// table order: the first bad tool is named, not the first rule that some tool breaks.
///
/// # Errors
/// The first refusal, with the name of its rule.
pub fn check(asked: &Asked<'_>, rules: &RuleSet, stage: Stage, notes: &mut Vec<Note>) -> Verdict {
    let mut left = rules.and(STAGES[stage as usize]);
    while let Some(first) = left.take_first() {
        let rule = RULES[first];
        match rule.check {
            // Most rows: called straight, for a walk takes longer to begin than they take to look.
            Check::Request(check) => check(asked).map_err(|reject| by(rule, reject))?,
            Check::Noting(check) => check(asked, notes).map_err(|reject| by(rule, reject))?,
            Check::Body(..) | Check::Pairs(_) | Check::Tool(_) | Check::Message(_) => {
                let joined = left.and(RUNS[first]);
                walk(asked, rule, joined.with(first))?;
                left = left.without(joined);
            }
        }
    }
    Ok(())
}

/// For each row the rows that share its walk: itself and the neighbours after it that join it.
static RUNS: LazyLock<Vec<RuleSet>> = LazyLock::new(|| {
    let run = |(index, first): (usize, &&Rule)| {
        let joined = RULES[index..].iter().take_while(|other| joins(first, other)).count().max(1);
        RuleSet::ALL.between(index, index + joined)
    };
    RULES.iter().enumerate().map(run).collect()
});

/// The rows of each stage.
const STAGES: [RuleSet; Stage::ALL.len()] = {
    let mut stages = [RuleSet::ALL; Stage::ALL.len()];
    let (mut at, mut stage) = (0, 0);
    while stage < stages.len() {
        let first = at;
        while at < RULES.len() && RULES[at].stage as usize == stage {
            at += 1;
        }
        stages[stage] = RuleSet::ALL.between(first, at);
        stage += 1;
    }
    assert!(at == RULES.len(), "the rule table is ordered by stage");
    stages
};

fn joins(first: &Rule, other: &Rule) -> bool {
    match first.check {
        Check::Request(_) | Check::Noting(_) => false,
        Check::Body(shape, _) => matches!(other.check, Check::Body(other, _) if std::ptr::eq(shape, other)),
        Check::Tool(_) => matches!(other.check, Check::Tool(_)),
        Check::Message(_) => matches!(other.check, Check::Message(_)),
        Check::Pairs(_) => matches!(other.check, Check::Pairs(_)),
    }
}

fn walk(asked: &Asked<'_>, first: &Rule, run: RuleSet) -> Verdict {
    let on = || run.rules();
    let list = match first.check {
        Check::Request(_) | Check::Noting(_) => unreachable!("it walks over nothing"),
        Check::Body(shape, _) => {
            let rule =
                |sought| on().find(|rule| matches!(rule.check, Check::Body(_, look) if look == sought));
            let checked = shape::check(asked, shape, |look| rule(look).is_some());
            return checked.map_err(|(look, reject)| by(rule(look).unwrap_or(first), reject));
        }
        Check::Pairs(_) => {
            let rule = |sought| on().find(|rule| matches!(rule.check, Check::Pairs(pair) if pair == sought));
            let checked = pairing::check(asked, |pair| rule(pair).is_some());
            return checked.map_err(|(pair, reject)| by(rule(pair).unwrap_or(first), reject));
        }
        Check::Tool(_) => "tools",
        Check::Message(_) => "messages",
    };
    let Some(list) = asked.top(list) else { return Ok(()) };
    for element in list.items().enumerate() {
        for rule in on() {
            match rule.check {
                Check::Tool(check) | Check::Message(check) => {
                    check(asked, element).map_err(|reject| by(rule, reject))?;
                }
                Check::Request(_) | Check::Noting(_) | Check::Body(..) | Check::Pairs(_) => {
                    unreachable!("a run holds rows of one scope")
                }
            }
        }
    }
    Ok(())
}

/// Signs a refusal with the rule that gave it.
fn by(rule: &Rule, mut reject: Box<Reject>) -> Box<Reject> {
    reject.rule = rule.name;
    reject
}
