//! The native chat of Ollama: `POST /api/chat`, plain and in lines of JSON; beside it models, embeddings and what else clients ask.
//!
//! After the API page and the request types of Ollama 0.13 (2025-12).

mod answers;
pub(in crate::dialect) mod error;
pub(in crate::dialect) mod escape;
pub(in crate::dialect) mod hear;
pub(in crate::dialect) mod read;
pub(in crate::dialect) mod render;
pub(crate) mod shape;
pub(in crate::dialect) mod speech;

use super::{Dialect, Environment, Route, Serves};

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: "ollama-chat",
    summary: "Ollama's native chat, streamed in lines and plain",
    routes: &[
        Route { method: "POST", path: "/api/chat", serves: Serves::Conversation },
        Route { method: "GET", path: "/api/tags", serves: Serves::Models },
        Route { method: "POST", path: "/api/show", serves: Serves::Answer(answers::show) },
        Route { method: "POST", path: "/api/embed", serves: Serves::Answer(answers::embed) },
        Route { method: "POST", path: "/api/embeddings", serves: Serves::Answer(answers::embeddings) },
        Route { method: "GET", path: "/api/ps", serves: Serves::Always(r#"{"models":[]}"#) },
        Route { method: "GET", path: "/api/version", serves: Serves::Always(r#"{"version":"0.13.5"}"#) },
    ],
    claims: |_| false,
    read: read::read,
    render: render::render,
    stream: render::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &["llama3.2:latest", "qwen3:8b", "gpt-oss:20b"],
    content_type: "application/json; charset=utf-8",
    stream_type: "application/x-ndjson",
    id: |origin| origin.id("chat-gate-", 16),
    echoes: &[render::THINK],
    generated: &["message"],
    request_id: None,
    headers: &[],
    // A local server asks for none.
    key: "",
    other_keys: &[],
    keyless: 401,
    environment: Environment {
        base_url: &[],
        root_url: &["OLLAMA_HOST"],
        key: &["OLLAMA_API_KEY"],
        families: &["OLLAMA_"],
    },
    untyped: true,
    keeping: None,
};
