//! The open table of what can be found out of an endpoint. A row is its file and two lines here.
//!
//! Prompts are such that any model that follows instructions can answer them with a few tokens.

mod answers;
mod content_parts;
mod context;
mod history;
mod json_object;
mod json_schema;
mod keep_alive;
mod limits;
mod mistake;
mod models;
mod n;
mod parallel_calls;
mod roles_repeat;
mod schema_keywords;
mod seed;
mod stop;
mod stream;
mod stream_tools;
mod stream_usage;
mod stream_usage_unasked;
mod system;
mod taken;
mod temperature;
mod tool_arguments;
mod tools;
mod usage;

use super::row::Probe;
pub(super) use taken::short;

/// All rows, in the order in which they are asked. A row stands behind those that it needs.
pub const PROBES: &[&Probe] = &[
    &answers::ROW,
    &models::ROW,
    &usage::ROW,
    &system::ROW,
    &stream::ROW,
    &stream_usage_unasked::ROW,
    &stream_usage::ROW,
    &json_schema::ROW,
    &schema_keywords::ROW,
    &json_object::ROW,
    &tools::ROW,
    &tool_arguments::ROW,
    &parallel_calls::ROW,
    &stream_tools::ROW,
    &temperature::ROW,
    &limits::MAX_TOKENS,
    &limits::MAX_COMPLETION_TOKENS,
    &limits::BOTH,
    &roles_repeat::ROW,
    &history::ROW,
    &content_parts::ROW,
    &n::ROW,
    &seed::ROW,
    &stop::ROW,
    &keep_alive::ROW,
    &context::ROW,
    &mistake::ROW,
];

/// Nothing else is asked of an endpoint that does not answer.
const ANSWERS: &[&str] = &["answers"];

/// What most rows ask for.
const READY: &str = "Answer with the single word ready.";
