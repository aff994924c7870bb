//! A small agent: chat completions, one tool, and patience with a provider that is busy, which the library leaves to others.

use async_openai::Client;
use async_openai::error::OpenAIError;
use async_openai::types::chat::{CreateChatCompletionRequest, CreateChatCompletionResponse};
use serde_json::{Value, json};
use std::env;
use std::process::Command;
use std::time::Duration;

const ATTEMPTS: u32 = 3;

pub async fn run() -> crate::Outcome {
    let client = Client::new();
    let mut messages = vec![json!({"role": "user", "content": env::var("REHEARSAL_PROMPT")?})];
    loop {
        let asked: CreateChatCompletionRequest = serde_json::from_value(json!({
            "model": env::var("REHEARSAL_MODEL")?,
            "messages": messages,
            "tools": [{"type": "function", "function": {
                "name": "run_command",
                "description": "Run a shell command in the workspace.",
                "parameters": {"type": "object", "properties": {"command": {"type": "string"}}, "required": ["command"]},
            }}],
        }))?;
        let answer = patiently(&client, &asked).await?;
        let message = serde_json::to_value(&answer.choices.first().ok_or("no choice")?.message)?;
        let calls = message["tool_calls"].as_array().cloned().unwrap_or_default();
        if calls.is_empty() {
            println!("{}", message["content"].as_str().unwrap_or_default());
            return Ok(());
        }
        messages.push(json!({"role": "assistant", "content": message["content"], "tool_calls": calls}));
        for call in calls {
            let content = ran(&call["function"])?;
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": content}));
        }
    }
}

async fn patiently(
    client: &Client<async_openai::config::OpenAIConfig>,
    asked: &CreateChatCompletionRequest,
) -> Result<CreateChatCompletionResponse, OpenAIError> {
    let mut attempt = 1;
    loop {
        match client.chat().create(asked.clone()).await {
            Err(OpenAIError::ApiError(error))
                if attempt < ATTEMPTS && matches!(error.status_code.as_u16(), 429 | 500..) =>
            {
                attempt += 1;
                tokio::time::sleep(Duration::from_secs(1)).await;
            }
            other => return other,
        }
    }
}

fn ran(function: &Value) -> Result<String, Box<dyn std::error::Error>> {
    let arguments: Value = serde_json::from_str(function["arguments"].as_str().unwrap_or_default())?;
    let command = arguments["command"].as_str().ok_or("no command")?;
    let ran = Command::new("sh").args(["-c", command]).output()?;
    let said = [ran.stdout, ran.stderr].concat();
    Ok(format!("{}{}", String::from_utf8_lossy(&said), ran.status))
}
