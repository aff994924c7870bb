//! The request is read and never answered.

use super::{Arrives, Dialects, Fault, Faulted, Group, Wanted, Work};
use crate::act::{Act, After, Plan};

pub(super) const ROW: Fault = Fault {
    name: "black-hole",
    group: Group::Life,
    summary: "the request is read, then nothing: not one byte, the connection stays open",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "black-hole"}"#,
    reports: &[],
    right_reaction: "a read timeout of its own, a bounded number of retries, then a clear failure",
    arrives: Arrives::Not,
    may_give_up: true,
    hostile: true,
    works: &[Work::Plan(plan)],
};

fn plan(_: &Wanted<'_>) -> Faulted {
    let plan = Plan { acts: vec![Act::Stall], after: After::Close };
    Faulted { names: vec![ROW.name], plan, status: None, retry_after_ms: None, delivered: None }
}
