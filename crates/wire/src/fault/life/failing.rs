//! A stream that says of itself that it failed, in the form of its dialect.

use crate::dialect::ErrorBody;
use crate::fault::{Event, Flow, Given, Param};
use crate::json::{edit, write_string};

/// A failure of the provider that may pass.
pub(super) const SERVER_ERROR: ErrorBody<'static> = ErrorBody {
    status: 500,
    message: "The server had an error while processing your request. Sorry about that!",
    kind: Some("server_error"),
    param: None,
    code: None,
    request_id: None,
    retry_after: None,
};

/// Leaves the whole documents up to a place and puts an error behind them.
pub(super) fn fail(events: &mut Vec<Event>, given: &Given<'_>, at: &Param, error: &ErrorBody<'_>) -> bool {
    let (Some(first), Some(last)) = (events.first().cloned(), events.last().cloned()) else { return false };
    if !given.stream {
        return false;
    }
    let mut left = given.params.place(at, &Flow::of(events));
    let whole = events.iter().take_while(|event| {
        let length = event.bytes().len();
        let arrives = length <= left;
        left = left.saturating_sub(length);
        arrives
    });
    let whole = whole.count();
    events.truncate(whole);
    let body = || String::from_utf8_lossy(&(given.dialect.error)(error)).into_owned();
    match given.dialect.name {
        "openai-responses" => events.extend(response_failed(&first, whole, error)),
        "anthropic-messages" => events.push(named("error", body())),
        // The lines of an event, or what stands between and behind the elements of an array.
        _ => events.push(Event {
            before: if whole == 0 { first.before } else { last.before },
            data: body(),
            after: last.after,
        }),
    }
    true
}

fn named(kind: &str, data: String) -> Event {
    Event { before: format!("event: {kind}\ndata: "), ..Event::data(data) }
}

/// Both events in which a response fails: `error`, then `response.failed` with what the first event said of the response.
fn response_failed(first: &Event, number: usize, error: &ErrorBody<'_>) -> Vec<Event> {
    let mut what = b"\"code\":".to_vec();
    write_string(&mut what, error.code.or(error.kind).unwrap_or("server_error"));
    what.extend_from_slice(b",\"message\":");
    write_string(&mut what, error.message);
    let what = String::from_utf8_lossy(&what);
    let said = format!(r#"{{"type":"error","sequence_number":{number},{what},"param":null}}"#);
    let failed = edit::replace(&first.data, "/type", "\"response.failed\"")
        .and_then(|data| edit::replace(&data, "/sequence_number", &(number + 1).to_string()))
        .and_then(|data| edit::replace(&data, "/response/status", "\"failed\""))
        .and_then(|data| edit::set(&data, "/response", "error", &format!("{{{what}}}")));
    let failed = failed.map(|data| named("response.failed", data));
    [named("error", said)].into_iter().chain(failed).collect()
}
