//! Whether the model stands in the endpoint's own list.

use super::short;
use crate::probe::row::{Asks, Judged, Probe, Seen, Verdict};
use rehearsal_wire::json::{self, Value};

pub(super) const ROW: Probe =
    Probe { name: "models", finds: "lists the model at GET models", needs: &[], asks: Asks::Models, judge };

fn judge(seen: &Seen<'_>) -> Judged {
    let received = match (&seen.exchange.received, &seen.exchange.result) {
        (Some(received), _) => received,
        (None, Err(failed)) => return Judged::new(Verdict::Unknown, short(&failed.message)),
        (None, Ok(_)) => return Judged::new(Verdict::Unknown, ""),
    };
    if received.status != 200 {
        return Judged::new(Verdict::Unknown, format!("status {}", received.status));
    }
    let Ok(tape) = json::parse(received.body.trim_ascii()) else {
        return Judged::new(Verdict::Unknown, "the list is no JSON");
    };
    let ids = tape.root().get("data").into_iter().flat_map(Value::items).filter_map(|model| model.get("id"));
    let (mut all, mut has) = (0, false);
    for id in ids {
        all += 1;
        has |= id.is_str(seen.model);
    }
    match (has, all) {
        (true, _) => Judged::new(Verdict::Yes, format!("one of {all}")),
        (false, 0) => Judged::new(Verdict::Unknown, "the list is empty"),
        (false, _) => Judged::new(Verdict::No, format!("not among {all}")),
    }
}
