//! Chat completions: the same answer plain, and streamed and put together by hand.

use crate::{Outcome, PROMPTS, refused, same};
use async_openai::Client;
use async_openai::config::OpenAIConfig;
use async_openai::types::chat::{
    ChatCompletionResponseStream, CreateChatCompletionRequest, CreateChatCompletionResponse,
};
use futures::StreamExt as _;
use serde_json::{Value, json};

pub async fn reads(client: &Client<OpenAIConfig>) -> Outcome {
    for prompt in PROMPTS {
        let plain = said(&client.chat().create(asked(prompt, false)?).await?)?;
        let streamed = joined(client.chat().create_stream(asked(prompt, true)?).await?).await?;
        same(prompt, &plain, &streamed)?;
    }
    println!("answers");
    refused(client.chat().create(asked("fail 400", false)?).await)?;
    println!("errors");
    Ok(())
}

fn asked(prompt: &str, stream: bool) -> Result<CreateChatCompletionRequest, serde_json::Error> {
    let tools = ["write_file", "one", "two"];
    let tools = tools.map(
        |name| json!({"type": "function", "function": {"name": name, "parameters": {"type": "object"}}}),
    );
    let mut asked = json!({
        "model": "gpt-4o-mini",
        "messages": [{"role": "user", "content": prompt}],
        "tools": tools,
    });
    if stream {
        asked["stream"] = json!(true);
        asked["stream_options"] = json!({"include_usage": true});
    }
    serde_json::from_value(asked)
}

fn said(whole: &CreateChatCompletionResponse) -> Result<Value, serde_json::Error> {
    let whole = serde_json::to_value(whole)?;
    let message = &whole["choices"][0]["message"];
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let calls: Vec<_> = calls
        .map(|call| json!([call["id"], call["function"]["name"], call["function"]["arguments"]]))
        .collect();
    Ok(json!([
        message["content"],
        message["refusal"],
        calls,
        whole["choices"][0]["finish_reason"],
        whole["usage"]["completion_tokens"],
    ]))
}

/// What the pieces of a stream say together.
async fn joined(mut stream: ChatCompletionResponseStream) -> Result<Value, Box<dyn std::error::Error>> {
    let (mut text, mut refusal) = (None::<String>, None::<String>);
    let mut calls: Vec<(String, String, String)> = Vec::new();
    let (mut reason, mut tokens) = (Value::Null, Value::Null);
    while let Some(chunk) = stream.next().await {
        let chunk = chunk?;
        if let Some(usage) = chunk.usage {
            tokens = json!(usage.completion_tokens);
        }
        for choice in chunk.choices {
            if let Some(ended) = choice.finish_reason {
                reason = serde_json::to_value(ended)?;
            }
            for (whole, piece) in [(&mut text, choice.delta.content), (&mut refusal, choice.delta.refusal)] {
                if let Some(piece) = piece {
                    whole.get_or_insert_default().push_str(&piece);
                }
            }
            for call in choice.delta.tool_calls.into_iter().flatten() {
                let function = call.function.ok_or("a call without its function")?;
                if let Some(id) = call.id {
                    calls.push((id, function.name.ok_or("a call without a name")?, String::new()));
                }
                let place = calls.get_mut(call.index as usize).ok_or("a call with a wrong index")?;
                place.2.push_str(&function.arguments.unwrap_or_default());
            }
        }
    }
    Ok(json!([text, refusal, calls, reason, tokens]))
}
