//! Too many requests; how long to wait is said as a date.

use super::{REPORTS, limited};
use crate::calendar::Moment;
use crate::fault::{Answer, Arrives, Dialects, Fault, Given, Group, Param, ParamKind, Work};

const SECONDS: Param = Param {
    name: "seconds",
    kind: ParamKind::Count,
    default: "1",
    doc: "how far the date is behind that of the reply",
};

pub(in crate::fault) const ROW: Fault = Fault {
    name: "429-retry-after-date",
    group: Group::Http,
    summary: "429 with `retry-after` as an HTTP date: that of the reply, which no clock has made, and so many seconds",
    dialects: Dialects::All,
    params: &[SECONDS],
    example: r#"{"fault": "429-retry-after-date", "text": "hello"}"#,
    reports: REPORTS,
    right_reaction: "the date is read as one; it is past for a real clock, so the request may be repeated at once, a bounded number of times",
    arrives: Arrives::Not,
    may_give_up: false,
    hostile: true,
    works: &[Work::Answer(answer)],
};

fn answer(answer: &mut Answer, given: &Given<'_>) -> bool {
    let seconds = u64::try_from(given.params.count(&SECONDS)).unwrap_or_default();
    let at = given.envelope.created.saturating_add(seconds).min(LAST);
    limited(answer, given, Some(("retry-after", Moment::of(at).http())))
}

/// The last second of the year 9999: the form has four digits for a year.
const LAST: u64 = 253_402_300_799;
