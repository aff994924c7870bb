//! `chat URL` and `responses URL` read every answer of that suite, plain and streamed; `agent` is a whole agent.

mod agent;
mod chat;
mod responses;

use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::error::OpenAIError;
use serde_json::Value;
use std::error::Error;
use std::fmt::Debug;

type Outcome = Result<(), Box<dyn Error>>;

/// What the prompts of both suites have in common, and one that no script knows.
const PROMPTS: [&str; 8] = [
    "say text",
    "say call",
    "say both",
    "say refusal",
    "say length",
    "say filter",
    "say json",
    "something else",
];

#[tokio::main(flavor = "current_thread")]
async fn main() -> Outcome {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    match words[..] {
        ["chat", url] => chat::reads(&client(url)).await,
        ["responses", url] => responses::reads(&client(url)).await,
        ["agent"] => agent::run().await,
        _ => Err("chat URL, responses URL or agent".into()),
    }
}

fn client(url: &str) -> Client<OpenAIConfig> {
    Client::with_config(OpenAIConfig::new().with_api_base(url).with_api_key("test"))
}

/// Both must say the same.
fn same(prompt: &str, plain: &Value, streamed: &Value) -> Outcome {
    match plain == streamed {
        true => Ok(()),
        false => Err(format!("{prompt}: plain {plain}, streamed {streamed}").into()),
    }
}

/// The answer to `fail 400` must be the error of the suite.
fn refused<A: Debug>(answer: Result<A, OpenAIError>) -> Outcome {
    match answer {
        Err(OpenAIError::ApiError(error)) if error.api_error.message == "bad" => Ok(()),
        other => Err(format!("fail 400: {other:?}").into()),
    }
}
