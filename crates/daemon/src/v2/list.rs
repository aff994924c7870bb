//! The list of runs, newest first, page by page.

use super::{Call, Problem};
use crate::core::Step;
use crate::run::{Run, State};
use rehearsal_world::clock::rfc3339;
use serde_json::{Value, json};

/// How many rows a page has where its client does not say.
const PAGE: usize = 200;
/// Most rows of a page.
const LARGEST: usize = 1000;
const STATES: [State; 6] =
    [State::Queued, State::Running, State::Succeeded, State::Failed, State::Cancelled, State::Interrupted];

/// Where a run stands in the list: by its beginning, and then by its id.
type Place = (u64, String);

pub(crate) fn runs(call: &mut Call<'_, '_>) -> Step {
    let wanted = match Wanted::read(call.heard.target) {
        Ok(wanted) => wanted,
        Err(problem) => return call.refuse(&problem),
    };
    let fits = |run: &&Run| wanted.state.is_none_or(|state| run.state == state);
    let mut all: Vec<(Place, &Run)> =
        call.state.runs.values().filter(fits).map(|run| (place(run), run)).collect();
    all.retain(|(place, _)| wanted.before.as_ref().is_none_or(|before| place < before));
    all.sort_by(|(one, _), (other, _)| other.cmp(one));
    let more = all.len() > wanted.limit;
    all.truncate(wanted.limit);
    let rows: Vec<Value> = all.iter().map(|(place, run)| row(place, run)).collect();
    let next = all.last().filter(|_| more).map(|((at_ms, id), _)| format!("{at_ms}-{id}"));
    call.ok(&json!({"runs": rows, "nextCursor": next}))
}

fn place(run: &Run) -> Place {
    (run.timeline.first().map_or(0, |row| row.at_ms), run.id.clone())
}

fn row((at_ms, id): &Place, run: &Run) -> Value {
    json!({
        "id": id,
        "state": run.state.word(),
        "createdAt": rfc3339(*at_ms),
        "waitingOnUser": run.open.is_some(),
        "lastSeq": run.last_row(),
    })
}

/// What a query asks for.
struct Wanted {
    limit: usize,
    state: Option<State>,
    /// Only what stands behind this place.
    before: Option<Place>,
}

impl Wanted {
    fn read(target: &str) -> Result<Self, Problem> {
        let mut wanted = Self { limit: PAGE, state: None, before: None };
        let query = target.split_once('?').map_or("", |(_, query)| query);
        for (name, value) in query.split('&').filter_map(|pair| pair.split_once('=')) {
            let wrong =
                |why: &str| Problem::new(400, "invalid_request", format!("{name} in the query {why}"));
            match name {
                "limit" => {
                    let limit = value.parse().ok().filter(|limit| (1..=LARGEST).contains(limit));
                    wanted.limit = limit.ok_or_else(|| wrong("is a whole number from 1 to 1000"))?;
                }
                "state" => {
                    let state = STATES.into_iter().find(|state| state.word() == value);
                    wanted.state = Some(state.ok_or_else(|| wrong("is no state of runs"))?);
                }
                "cursor" => {
                    let place =
                        value.split_once('-').and_then(|(at, id)| Some((at.parse().ok()?, id.to_owned())));
                    wanted.before = Some(place.ok_or_else(|| wrong("is no nextCursor that was given"))?);
                }
                _ => {}
            }
        }
        Ok(wanted)
    }
}
