//! How a mistake in a request is told.

use super::{ANSWERS, READY, taken};
use crate::probe::draft::Draft;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use crate::probe::sight::Shape;

pub(super) const ROW: Probe = Probe {
    name: "mistake",
    finds: "says in words what is wrong with a request",
    needs: ANSWERS,
    asks: Asks::Turn(|_| Some(Draft { broken: true, ..Draft::ask(READY) })),
    judge,
};

fn judge(seen: &Seen<'_>) -> Judged {
    let failed = match &seen.exchange.result {
        Ok(_) => return Judged::new(Verdict::No, "a number in the place of the messages was answered"),
        Err(failed) => failed,
    };
    let (Some(status), Some(received)) = (failed.status, &seen.exchange.received) else {
        return Judged::new(Verdict::Unknown, taken::short(&failed.message));
    };
    let shape = Shape::of(&received.body);
    let verdict = match status {
        400..=499 if shape.is_readable() => Verdict::Yes,
        _ => Verdict::No,
    };
    Judged::new(verdict, format!("status {status}, {}", shape.words()))
}
