//! The Responses API: the same answer plain, streamed, and retrieved.

use crate::{Outcome, PROMPTS, refused, same};
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::responses::CreateResponse;
use futures::StreamExt as _;
use serde_json::{Value, json};

pub async fn reads(client: &Client<OpenAIConfig>) -> Outcome {
    for prompt in PROMPTS.into_iter().chain(["say custom"]) {
        let plain = client.responses().create(asked(prompt, false)?).await?;
        let mut stream = client.responses().create_stream(asked(prompt, true)?).await?;
        let mut last = Value::Null;
        while let Some(event) = stream.next().await {
            last = serde_json::to_value(event?)?;
        }
        let plain = serde_json::to_value(plain)?;
        same(prompt, &said(&plain), &said(&last["response"]))?;
        let id = plain["id"].as_str().ok_or("a response without an id")?;
        let again = serde_json::to_value(client.responses().retrieve(id).await?)?;
        same(prompt, &plain, &again)?;
        let items = client.responses().list_input_items(id).await?;
        same(prompt, &json!(items.data.len()), &json!(1))?;
    }
    println!("answers");
    refused(client.responses().create(asked("fail 400", false)?).await)?;
    println!("errors");
    Ok(())
}

fn asked(prompt: &str, stream: bool) -> Result<CreateResponse, serde_json::Error> {
    let tools = ["write_file", "one", "two"].map(
        |name| json!({"type": "function", "name": name, "parameters": {"type": "object"}, "strict": false}),
    );
    let custom =
        json!({"type": "custom", "name": "apply_patch", "description": "d", "format": {"type": "text"}});
    serde_json::from_value(json!({
        "model": "gpt-5",
        "input": prompt,
        "stream": stream,
        "tools": tools.into_iter().chain([custom]).collect::<Vec<_>>(),
        "reasoning": {"summary": "auto"},
        "include": ["reasoning.encrypted_content"],
    }))
}

/// What two answers to the same question have in common.
fn said(response: &Value) -> Value {
    json!([
        response["output"],
        response["status"],
        response["incomplete_details"],
        response["usage"],
        response["tools"]
    ])
}
