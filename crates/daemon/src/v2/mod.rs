//! The protocol `/v2` over HTTP: routes, access, bodies, and what is answered. Runs themselves are `crate::run`.

mod access;
mod answer;
mod artifact;
pub(crate) mod body;
mod call;
mod catalogue;
mod clock;
mod control;
mod detail;
mod list;
mod message;
mod model;
mod once;
mod problem;
mod project;
mod reply;
mod route;
mod start;
mod strict;
mod timeline;
mod trust;
mod upload;

pub(crate) use access::{NOT_HERE, is_here, is_known, refused};
pub(crate) use body::Body;
pub(crate) use call::{Call, LONGEST_KEY};
pub(crate) use detail::{detail, telemetry};
pub(crate) use message::LONGEST_MESSAGE;
pub(crate) use problem::{Problem, unreadable};
pub(crate) use reply::{Form, Reply};
pub(crate) use route::{Route, route};
pub(crate) use start::{Starting, files_of, started, take_up};
pub(crate) use strict::{secret_in, unfit};
pub(crate) use timeline::{frame, is_last};

use crate::core::Step;

/// Answers a request that may be answered: the route was found, access is given.
pub(crate) fn serve(call: &mut Call<'_, '_>, found: Route<'_>) -> Step {
    match found {
        Route::Handshake => catalogue::handshake(call),
        Route::Health => call.ok(&serde_json::json!({"status": "ok"})),
        Route::Harnesses => catalogue::harnesses(call),
        Route::Operations => catalogue::operations(call),
        Route::Quota => catalogue::quota(call),
        Route::Settings => catalogue::settings(call),
        Route::SettingsWrite => call.ok(&serde_json::json!({})),
        Route::Projects => project::list(call),
        Route::ProjectRegister => project::register(call),
        Route::ProjectRemove(id) => project::remove(call, id),
        Route::Start => start::start(call),
        Route::Run { id, rest } => run(call, id, &rest),
        Route::Clock => clock::clock(call),
        // What the original fake does not have.
        _ if call.is_seed() => call.refuse(&Problem::not_found()),
        Route::QuotaRefresh => catalogue::quota(call),
        Route::Runs | Route::Status | Route::Profiles if !call.is_engine() => {
            call.refuse(&Problem::not_found())
        }
        Route::Runs => list::runs(call),
        Route::Status => catalogue::status(call),
        Route::Profiles => catalogue::profiles(call),
        Route::Uploads => upload::create(call),
        Route::Upload { id, rest } => upload::one(call, id, &rest),
        Route::Operate => model::create(call),
        Route::Operation { id, rest } => model::one(call, id, &rest),
        Route::Sources => model::sources(call),
        Route::Models(source) => model::models(call, source),
        Route::Trust => trust::read(call),
        Route::TrustWrite => trust::write(call),
        Route::Unknown => call.refuse(&Problem::not_found()),
    }
}

/// What is asked of one run. An unknown run is said before anything else.
fn run(call: &mut Call<'_, '_>, id: &str, rest: &[&str]) -> Step {
    call.decided.run = Some(id.to_owned());
    if call.state.is_gone(id) {
        let why = "the run is over and no longer kept";
        return call.refuse(&Problem::new(410, "run_expired_by_retention", why));
    }
    if call.state.run(id).is_none() {
        return call.refuse(&Problem::new(404, "run_not_found", "there is no run of this id"));
    }
    if call.state.busy.contains(id) {
        return Step::Wait;
    }
    match (call.heard.method, rest) {
        ("GET", []) => detail::read(call, id),
        ("GET", ["events"]) if !call.is_seed() => timeline::events(call, id),
        ("GET", ["artifacts"]) if !call.is_seed() => artifact::list(call, id),
        ("GET", ["artifacts", path @ ..]) if !call.is_seed() => artifact::read(call, id, path),
        ("POST", ["interactions", question, "answer"]) => answer::answer(call, id, question),
        ("POST", ["messages"]) => message::message(call, id),
        ("POST", ["control"]) => control::control(call, id),
        _ => call.refuse(&Problem::not_found()),
    }
}
