//! The Gemini API of Google: `models/{model}:generateContent`, whole and streamed, counts of tokens, and the list of models.
//!
//! The model and whether a stream is wanted stand in the path, how the stream is framed in the query.

mod count;
mod error;
mod hear;
pub mod read;
mod render;
pub(crate) mod shape;
pub(crate) mod speech;
mod stream;
pub(crate) mod thought;

use super::{Dialect, Environment, Route, Serves};
use crate::reply::Framing;

/// The word for it in tables.
pub(crate) const NAME: &str = "google-gemini";

/// The row.
pub(super) const ROW: Dialect = Dialect {
    name: NAME,
    summary: "Google Gemini generateContent, whole and streamed",
    routes: &[
        say("/v1beta/models/{model}:generateContent"),
        stream("/v1beta/models/{model}:streamGenerateContent"),
        count("/v1beta/models/{model}:countTokens"),
        Route { method: "GET", path: "/v1beta/models", serves: Serves::Models },
        Route { method: "GET", path: "/v1beta/models/{model}", serves: Serves::Model },
        say("/v1/models/{model}:generateContent"),
        stream("/v1/models/{model}:streamGenerateContent"),
        count("/v1/models/{model}:countTokens"),
        Route { method: "GET", path: "/v1/models", serves: Serves::Models },
        Route { method: "GET", path: "/v1/models/{model}", serves: Serves::Model },
        say("/v1alpha/models/{model}:generateContent"),
        stream("/v1alpha/models/{model}:streamGenerateContent"),
        count("/v1alpha/models/{model}:countTokens"),
        Route { method: "GET", path: "/v1alpha/models", serves: Serves::Models },
        Route { method: "GET", path: "/v1alpha/models/{model}", serves: Serves::Model },
    ],
    // Official clients send both; clients of the other dialects neither.
    claims: |headers| headers.iter().any(|(name, _)| CLAIMS.iter().any(|own| name.eq_ignore_ascii_case(own))),
    read: read::read,
    render: render::render,
    stream: stream::stream,
    hear: hear::HEAR,
    error: error::error,
    models: error::models,
    model: error::model,
    lists: &["gemini-3-pro-preview", "gemini-2.5-pro", "gemini-2.5-flash"],
    content_type: "application/json; charset=UTF-8",
    stream_type: "text/event-stream",
    id: |origin| origin.id("gate-", 16),
    echoes: &["generationConfig", "generation_config"],
    generated: &["candidates"],
    request_id: None,
    headers: &[("x-content-type-options", "nosniff")],
    key: "x-goog-api-key: YOUR_KEY",
    other_keys: &["?key=YOUR_KEY", "Authorization: Bearer YOUR_KEY"],
    keyless: 403,
    // Where GOOGLE_API_KEY stands beside this key, official clients warn of two.
    environment: Environment {
        base_url: &[],
        root_url: &["GOOGLE_GEMINI_BASE_URL"],
        key: &["GEMINI_API_KEY"],
        families: &[
            "GEMINI_",
            "GOOGLE_API_",
            "GOOGLE_GEMINI_",
            "GOOGLE_GENAI_",
            "GOOGLE_GENERATIVE_AI_",
            "GOOGLE_VERTEX_",
        ],
    },
    untyped: false,
    keeping: None,
};

const CLAIMS: &[&str] = &["x-goog-api-key", "x-goog-api-client"];

const fn say(path: &'static str) -> Route {
    Route { method: "POST", path, serves: Serves::Conversation }
}

const fn stream(path: &'static str) -> Route {
    Route { method: "POST", path, serves: Serves::Stream(framing) }
}

const fn count(path: &'static str) -> Route {
    Route { method: "POST", path, serves: Serves::Answer(count::count) }
}

/// Server-sent events where the query asks for them, else one array.
fn framing(query: &str) -> Framing {
    if query.split('&').any(|part| part == "alt=sse") { Framing::Events } else { Framing::Array }
}
