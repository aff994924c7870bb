//! The legacy completions of the OpenAI API: `POST /v1/completions`, plain and streamed.
//!
//! A prompt has no turns: each is the first of its script. Shapes after the OpenAPI document 2.3.0 of 2026-08-21.

mod hear;
pub(in crate::dialect) mod read;
mod render;
pub(crate) mod shape;

use super::openai_chat::error;
use super::{Dialect, Route, Serves};

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: "openai-completions",
    summary: "OpenAI legacy completions, plain and streamed",
    routes: &[Route { method: "POST", path: "/v1/completions", serves: Serves::Conversation }],
    claims: |_| false,
    read: read::read,
    render: render::render,
    stream: render::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &["gpt-3.5-turbo-instruct"],
    content_type: "application/json",
    stream_type: "text/event-stream; charset=utf-8",
    id: |origin| origin.id("cmpl-gate-", 12),
    echoes: &["prompt", "echo"],
    generated: &["choices"],
    request_id: Some("x-request-id"),
    headers: &[("openai-version", "2020-10-01")],
    key: "Authorization: Bearer YOUR_KEY",
    other_keys: &[],
    keyless: 401,
    environment: super::openai_chat::ROW.environment,
    untyped: false,
    keeping: None,
};
