//! The native completion of Ollama: `POST /api/generate`, plain and in lines of JSON.
//!
//! After the API page and the request types of Ollama 0.13 (2025-12). `context`, which a client sends back to go on, names the
//! reply that it came with.

mod hear;
mod read;
mod render;
pub(crate) mod shape;

use super::ollama_chat::{error, render::THINK};
use super::{Dialect, Origin, Route, Serves};

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: "ollama-generate",
    summary: "Ollama's native completion, streamed in lines and plain",
    routes: &[Route { method: "POST", path: "/api/generate", serves: Serves::Conversation }],
    claims: |_| false,
    read: read::read,
    render: render::render,
    stream: render::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &[],
    content_type: "application/json; charset=utf-8",
    stream_type: "application/x-ndjson",
    id,
    echoes: &[THINK],
    generated: &["response", "thinking"],
    request_id: None,
    headers: &[],
    key: "",
    other_keys: &[],
    keyless: 401,
    environment: super::ollama_chat::ROW.environment,
    untyped: true,
    keeping: None,
};

/// Says where it comes from, so that a request with its `context` goes on from there.
fn id(origin: &Origin<'_>) -> String {
    const PREFIX: &str = "gen_gate_";
    origin.id_of_step(PREFIX, 8).unwrap_or_else(|| origin.id(PREFIX, 8))
}
