//! The list of tasks: newest status first, page by page.

use super::answer::Binding;
use super::fault::Fault;
use super::field::Field;
use super::request::{self, Listing};
use super::show::{Frame, View};
use super::shown::Shown;
use crate::core::Step;
use crate::v2::Call;
use serde_json::{Value, json};
use std::cmp::Reverse;

/// Lists tasks. That is no read of their runs.
pub(crate) fn list(call: &mut Call<'_, '_>, binding: &Binding, params: &Field<'_>) -> Result<Step, Fault> {
    let listing = request::listing(params)?;
    let page = page(call, &listing);
    Ok(call.say(binding.ok(&page)))
}

fn page(call: &Call<'_, '_>, listing: &Listing) -> Value {
    let state = &call.state;
    // A task whose files are being made is not there yet.
    let known =
        state.tasks.all().filter(|task| !state.busy.contains(&task.id) || state.run(&task.id).is_some());
    let mut found: Vec<_> = known
        .map(|task| View { setting: call.setting, task, run: state.run(&task.id) })
        .map(|view| (view, view.status(u64::MAX)))
        .filter(|(view, status)| fits(listing, view, status.shown, status.at_ms))
        .map(|(view, status)| ((status.at_ms, view.task.number), view))
        .collect();
    found.sort_by_key(|(place, _)| Reverse(*place));
    let total = found.len();
    let rest = found.iter().filter(|(place, _)| listing.after.is_none_or(|after| *place < after));
    let mut page: Vec<_> = rest.take(listing.size + 1).collect();
    let more = page.len() > listing.size;
    page.truncate(listing.size);
    let next = page.last().filter(|_| more).map(|(place, _)| request::token(*place));
    let frame = Frame { artifacts: listing.artifacts, ..Frame::now(listing.history) };
    let tasks: Vec<Value> = page.iter().map(|(_, view)| view.task(frame)).collect();
    json!({
        "tasks": tasks,
        "nextPageToken": next.unwrap_or_default(),
        "pageSize": listing.size,
        "totalSize": total,
    })
}

fn fits(listing: &Listing, view: &View<'_>, shown: Shown, at_ms: u64) -> bool {
    listing.context.as_ref().is_none_or(|context| *context == view.task.context)
        && listing.state.is_none_or(|state| state == shown)
        && listing.since_ms.is_none_or(|since| at_ms >= since)
}
