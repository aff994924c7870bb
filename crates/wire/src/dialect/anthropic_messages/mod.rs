//! The Messages API of Anthropic: `POST /v1/messages`, plain and streamed, counts of tokens, and the list of models.

mod batches;
mod count;
mod error;
mod hear;
mod ids;
pub mod read;
mod render;
pub(crate) mod shape;
pub(crate) mod speech;
mod stream;
pub(crate) mod thought;

use super::batch::Visit;
use super::{Dialect, Environment, Origin, Route, Serves};

/// The word for it in tables.
pub(crate) const NAME: &str = "anthropic-messages";

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: NAME,
    summary: "Anthropic messages, plain and streamed",
    routes: &[
        Route { method: "POST", path: "/v1/messages", serves: Serves::Conversation },
        Route { method: "POST", path: "/v1/messages/count_tokens", serves: Serves::Answer(count::count) },
        batch("POST", "/v1/messages/batches", Visit::Begin),
        batch("GET", "/v1/messages/batches", Visit::List),
        batch("GET", "/v1/messages/batches/{id}", Visit::Read),
        batch("GET", "/v1/messages/batches/{id}/results", Visit::Results),
        batch("POST", "/v1/messages/batches/{id}/cancel", Visit::Cancel),
        batch("DELETE", "/v1/messages/batches/{id}", Visit::Delete),
        Route { method: "GET", path: "/v1/models", serves: Serves::Models },
        Route { method: "GET", path: "/v1/models/{model}", serves: Serves::Model },
    ],
    // Every official client sends it; clients of the other dialects never do.
    claims: |headers| headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("anthropic-version")),
    read: read::read,
    render: render::render,
    stream: stream::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &["claude-opus-4-8", "claude-sonnet-4-5", "claude-haiku-4-5"],
    content_type: "application/json",
    stream_type: "text/event-stream; charset=utf-8",
    id,
    echoes: &[render::THINKING],
    generated: &["content", "content_block", "delta"],
    request_id: Some("request-id"),
    headers: &[("anthropic-organization-id", "00000000-0000-4000-8000-000000000000")],
    key: "x-api-key: YOUR_KEY",
    other_keys: &["Authorization: Bearer YOUR_KEY"],
    keyless: 401,
    environment: Environment {
        base_url: &[],
        root_url: &["ANTHROPIC_BASE_URL"],
        key: &["ANTHROPIC_API_KEY"],
        families: &["ANTHROPIC_"],
    },
    untyped: false,
    keeping: None,
};

const fn batch(method: &'static str, path: &'static str, visit: Visit) -> Route {
    Route { method, path, serves: Serves::Batch(visit, &batches::BATCHES) }
}

/// Says where it comes from, so that a thread can go on from it: `msg_gate_<phrasing>_s<step>_<hex>`.
fn id(origin: &Origin<'_>) -> String {
    const PREFIX: &str = "msg_gate_";
    origin.id_of_step(PREFIX, 12).unwrap_or_else(|| origin.id(PREFIX, 16))
}
