//! The Responses of the OpenAI API: `POST /v1/responses`, plain, streamed and in the background, and what is kept of them.

mod compact;
mod count;
mod hear;
pub(crate) mod item;
pub mod read;
mod render;
pub(crate) mod shape;
pub(crate) mod stored;
mod stream;

use super::openai_chat::error as chat;
use super::{Dialect, Keeping, Route, Serves, Visit};

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: "openai-responses",
    summary: "OpenAI Responses, plain, streamed and in the background",
    routes: &[
        Route { method: "POST", path: "/v1/responses", serves: Serves::Conversation },
        Route { method: "GET", path: "/v1/responses/{id}", serves: Serves::Kept(Visit::Read) },
        Route { method: "DELETE", path: "/v1/responses/{id}", serves: Serves::Kept(Visit::Delete) },
        Route { method: "POST", path: "/v1/responses/{id}/cancel", serves: Serves::Kept(Visit::Cancel) },
        Route { method: "GET", path: "/v1/responses/{id}/input_items", serves: Serves::Kept(Visit::Items) },
        Route { method: "POST", path: "/v1/responses/compact", serves: Serves::Answer(compact::compact) },
        Route { method: "POST", path: "/v1/responses/input_tokens", serves: Serves::Answer(count::count) },
        Route { method: "POST", path: "/v1/conversations", serves: Serves::Kept(Visit::Begin) },
    ],
    claims: |_| false,
    read: read::read,
    render: render::render,
    stream: stream::stream,
    hear: hear::HEAR,
    error: chat::error,
    models: chat::models,
    model: chat::model,
    lists: super::openai_chat::ROW.lists,
    content_type: "application/json",
    stream_type: "text/event-stream; charset=utf-8",
    id: stored::id,
    echoes: render::ECHOES,
    generated: &["output", "delta", "text", "arguments", "input", "refusal", "item", "part", "output_text"],
    request_id: Some("x-request-id"),
    headers: &[("openai-version", "2020-10-01")],
    key: "Authorization: Bearer YOUR_KEY",
    other_keys: &[],
    keyless: 401,
    environment: super::openai_chat::ROW.environment,
    untyped: false,
    keeping: Some(Keeping {
        keep: stored::keep,
        items: stored::items,
        streams_from: stored::streams_from,
        deleted: stored::deleted,
        conversation: stored::conversation,
        begun: stored::begun,
        missing: stored::missing,
        synchronous: "Cannot cancel a synchronous response.",
    }),
};
