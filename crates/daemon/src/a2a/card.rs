//! The agent card: who we are, what we can and where. Facts: sections 4.4 and 8 of the specification.

use super::route::BASE;
use crate::setting::Setting;
use serde_json::{Value, json};

/// The one version of the protocol, as `Major.Minor`.
pub(crate) const VERSION: &str = "1.0";
/// Media types of what may be sent to us.
pub(crate) const INPUTS: [&str; 2] = ["text/plain", "application/json"];
/// Media types of what we send.
pub(crate) const OUTPUTS: [&str; 3] = ["text/plain", "text/markdown", "application/json"];
/// The name of the one security scheme.
const SCHEME: &str = "daemonToken";

/// The card, for whoever reached us under a host.
pub(crate) fn card(setting: &Setting, host: &str) -> Value {
    let url = format!("http://{host}{BASE}");
    let interface =
        |binding: &str| json!({"url": url, "protocolBinding": binding, "protocolVersion": VERSION});
    json!({
        "name": setting.harness,
        "description": "A stand-in for an agent: what a task does stands in the prompt that begins it, and no model is asked.",
        "version": setting.version,
        "supportedInterfaces": [interface("JSONRPC"), interface("HTTP+JSON")],
        "capabilities": {"streaming": true, "pushNotifications": false, "extendedAgentCard": false},
        "securitySchemes": {SCHEME: {"httpAuthSecurityScheme": {
            "scheme": "Bearer",
            "description": "The token in the daemon's token file.",
        }}},
        "securityRequirements": [{"schemes": {SCHEME: {"list": []}}}],
        "defaultInputModes": INPUTS,
        "defaultOutputModes": OUTPUTS,
        "skills": [{
            "id": "run",
            "name": "Run",
            "description": "Begins a run of the daemon and plays it by the markers in its prompt, or by a file of run scripts.",
            "tags": ["test", "stand-in"],
            "examples": ["[FAKE:ASK] serve it", "[FAKE:HANG] work", "[FAKE:REFUSE] work"],
        }],
    })
}
