//! The request is read and never answered.

use super::{Dialects, Fault, Faulted, Wanted};
use crate::act::{Act, After, Plan};

pub(super) const ROW: Fault = Fault {
    name: "black-hole",
    summary: "the request is read, then nothing: not one byte, the connection stays open",
    dialects: Dialects::All,
    params: &[],
    example: r#"{"fault": "black-hole"}"#,
    right_reaction: "a read timeout of its own, a bounded number of retries, then a clear failure",
    hostile: true,
    plan,
};

fn plan(_: &Wanted<'_>) -> Faulted {
    Faulted { plan: Plan { acts: vec![Act::Stall], after: After::Close }, status: None, delivered: None }
}
