//! What is legal in a suite but likely to surprise.

use crate::scenario::Scenarios;
use crate::finding::Finding;

pub(crate) fn surprises(_scenarios: &Scenarios) -> Vec<Finding> { Vec::new() }
