//! Holds messages of the Agent Client Protocol against its official schema: JSON lines on standard input, each with `what` was said,
//! its `method` and its `body`. Ends with 1 at the first that the schema does not know, and says why.

use agent_client_protocol_schema::v1::{
    AgentNotification, AgentRequest, AgentResponse, ClientNotification, ClientRequest,
};
use serde_json::Value;
use std::io::BufRead as _;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut count = 0;
    for line in std::io::stdin().lock().lines() {
        let line = match line {
            Ok(line) => line,
            Err(error) => return refused(&format!("standard input: {error}")),
        };
        if let Err(why) = hold(&line) {
            return refused(&format!("{why}: {line}"));
        }
        count += 1;
    }
    println!("{count} held");
    ExitCode::SUCCESS
}

fn refused(why: &str) -> ExitCode {
    eprintln!("{why}");
    ExitCode::FAILURE
}

fn hold(line: &str) -> Result<(), String> {
    let said: Value = serde_json::from_str(line).map_err(|error| error.to_string())?;
    let text = |key: &str| said[key].as_str().ok_or_else(|| format!("no `{key}`"));
    let (what, method, body) = (text("what")?, text("method")?, &said["body"]);
    match what {
        "agent_request" if AgentRequest::supports_method(method) => {
            again(body, AgentRequest::from_method_and_params(method, body))
        }
        "agent_notification" => again(body, AgentNotification::from_method_and_params(method, body)),
        "agent_response" if ClientRequest::supports_method(method) => {
            again(body, AgentResponse::from_method_and_result(method, body.clone()))
        }
        "client_notification" if ClientNotification::supports_method(method) => {
            again(body, ClientNotification::from_method_and_params(method, body))
        }
        // What the protocol does not name is nobody's business.
        "agent_request" | "agent_response" | "client_notification" => Ok(()),
        _ => Err(format!("what is {what:?}?")),
    }
}

/// Whatever was said is known to the schema: read and written again it says the same, but for what goes without saying.
fn again<T: serde::Serialize, E: std::fmt::Display>(said: &Value, read: Result<T, E>) -> Result<(), String> {
    let read = read.map_err(|error| error.to_string())?;
    let again = serde_json::to_value(read).map_err(|error| error.to_string())?;
    same(said, &again)
}

fn same(said: &Value, again: &Value) -> Result<(), String> {
    match (said, again) {
        (Value::Object(said), Value::Object(again)) => said.iter().try_for_each(|(name, value)| {
            let default =
                matches!((name.as_str(), value.as_str()), ("kind", Some("other")) | ("status", Some("pending")));
            match again.get(name) {
                Some(again) => same(value, again),
                None if default => Ok(()),
                None => Err(format!("the schema does not know `{name}`")),
            }
        }),
        (Value::Array(said), Value::Array(again)) if said.len() == again.len() => {
            said.iter().zip(again).try_for_each(|(said, again)| same(said, again))
        }
        _ if said == again => Ok(()),
        _ => Err(format!("{said} is read as {again}")),
    }
}
