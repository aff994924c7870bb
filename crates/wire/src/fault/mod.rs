//! Faults: named deviations of the wire. One row each; how to add one stands in docs/add-a-fault.md.
//!
//! A row turns what the model wanted to say into acts on a socket. It must not know sockets, clocks or scenario files.

mod black_hole;
pub mod chunked;
mod mid_body_drop;
mod param;
mod tool_pending_forever;
mod wanted;

pub use crate::dialect::Dialects;
pub use param::{Param, ParamFault, ParamKind, check_params};
pub use wanted::{Faulted, Wanted};

use crate::names::equal;

/// All faults.
pub const FAULTS: &[Fault] = &[black_hole::ROW, mid_body_drop::ROW, tool_pending_forever::ROW];

const _: () = {
    let mut i = 0;
    while i < FAULTS.len() {
        let mut j = 0;
        while j < i {
            assert!(!equal(FAULTS[i].name, FAULTS[j].name), "two faults have one name");
            j += 1;
        }
        i += 1;
    }
};

/// A named deviation of the wire.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Name of the row: the word in files, tables and on the command line.
    pub name: &'static str,
    /// What happens on the wire, in one line.
    pub summary: &'static str,
    /// The dialects that can have it.
    pub dialects: Dialects,
    /// What a file may set.
    pub params: &'static [Param],
    /// A scenario step that plays it, as JSON text.
    pub example: &'static str,
    /// What a correct client or agent does.
    pub right_reaction: &'static str,
    /// Whether an agent that meets it again and again can only give up.
    pub hostile: bool,
    /// The reply as acts on the socket.
    pub plan: fn(&Wanted<'_>) -> Faulted,
}

/// The row of this name.
#[must_use]
pub fn fault(name: &str) -> Option<&'static Fault> {
    FAULTS.iter().find(|row| row.name == name)
}
