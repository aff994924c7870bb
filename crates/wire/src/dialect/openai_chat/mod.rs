//! The chat completions of the OpenAI API: `POST /v1/chat/completions`, plain and streamed; beside it
//! embeddings, moderation and the list of models.

mod embeddings;
pub(super) mod error;
pub(in crate::dialect) mod hear;
mod logprobs;
mod moderations;
pub mod read;
pub(super) mod render;
pub(crate) mod shape;
mod stream;

use super::{Dialect, Environment, Route, Serves};

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: "openai-chat",
    summary: "OpenAI chat completions, plain and streamed",
    routes: &[
        Route { method: "POST", path: "/v1/chat/completions", serves: Serves::Conversation },
        Route { method: "POST", path: "/v1/embeddings", serves: Serves::Answer(embeddings::embeddings) },
        Route { method: "POST", path: "/v1/moderations", serves: Serves::Answer(moderations::moderations) },
        Route { method: "GET", path: "/v1/models", serves: Serves::Models },
        Route { method: "GET", path: "/v1/models/{model}", serves: Serves::Model },
    ],
    claims: |_| false,
    read: read::read,
    render: render::render,
    stream: stream::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &["gpt-4o-mini", "gpt-4o", "gpt-5", "gate-openai-model"],
    content_type: "application/json",
    stream_type: "text/event-stream; charset=utf-8",
    id: |origin| origin.id("chatcmpl-gate-", 12),
    echoes: &[],
    generated: &["choices"],
    request_id: Some("x-request-id"),
    headers: &[("openai-version", "2020-10-01")],
    key: "Authorization: Bearer YOUR_KEY",
    keyless: 401,
    environment: Environment {
        base_url: &["OPENAI_BASE_URL", "OPENAI_API_BASE"],
        root_url: &[],
        key: &["OPENAI_API_KEY"],
        families: &["OPENAI_", "AZURE_OPENAI_"],
    },
    untyped: false,
    keeping: None,
    other_keys: &[],
};
