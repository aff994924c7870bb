//! A session: where it works, how it is set, what was said, and the turn under way.

use super::line::Fault;
use super::turn::Turn;
use crate::setting::Setting;
use rehearsal_script::runs::Quirk;
use rehearsal_wire::json::{Kind, Value};
use serde_json::json;

/// The modes that every session has: id and name.
const MODES: [(&str, &str); 2] = [("default", "Default"), ("plan", "Plan")];
/// The one option that every session has.
const MODEL: &str = "model";
/// Most turns that are said again when a session is loaded.
pub(super) const MOST_SAID: usize = 1000;

/// One session.
#[derive(Debug)]
pub(super) struct Session {
    pub(super) cwd: String,
    pub(super) mode: &'static str,
    pub(super) model: String,
    pub(super) title: Option<String>,
    /// What was said: whether by its user, and the text.
    pub(super) said: Vec<(bool, String)>,
    pub(super) turn: Option<Turn>,
    /// How many prompts it had.
    pub(super) prompts: u64,
    /// Whether it was closed, and not loaded or resumed since.
    pub(super) closed: bool,
    /// Quirks of the last turn.
    pub(super) quirks: Vec<Quirk>,
    /// Whether the next prompt is cancelled for nothing.
    pub(super) spoiled: bool,
}

impl Session {
    pub(super) fn new(cwd: String, setting: &Setting) -> Self {
        Self {
            cwd,
            mode: MODES[0].0,
            model: setting.model.clone(),
            title: None,
            said: Vec::new(),
            turn: None,
            prompts: 0,
            closed: false,
            quirks: Vec::new(),
            spoiled: false,
        }
    }

    /// Modes and options, as the answers to `session/new` and its like have them.
    pub(super) fn state(&self, setting: &Setting) -> serde_json::Value {
        let modes: Vec<_> = MODES.iter().map(|(id, name)| json!({"id": id, "name": name})).collect();
        json!({
            "modes": {"currentModeId": self.mode, "availableModes": modes},
            "configOptions": self.options(setting),
        })
    }

    pub(super) fn options(&self, setting: &Setting) -> serde_json::Value {
        let known = models(setting);
        let choices: Vec<_> = known.iter().map(|model| json!({"value": model, "name": model})).collect();
        json!([{
            "id": MODEL,
            "name": "Model",
            "category": "model",
            "type": "select",
            "currentValue": self.model,
            "options": choices,
        }])
    }

    pub(super) fn set_mode(&mut self, params: Option<Value<'_>>) -> Result<(), Fault> {
        let wanted = words(params, "modeId")?;
        let known = MODES.iter().find(|(id, _)| *id == wanted);
        self.mode = known.ok_or_else(|| Fault::params(format!("there is no mode {wanted:?}")))?.0;
        Ok(())
    }

    pub(super) fn set_option(&mut self, params: Option<Value<'_>>, setting: &Setting) -> Result<(), Fault> {
        let option = words(params, "configId")?;
        if option != MODEL {
            return Err(Fault::params(format!("there is no option {option:?}")));
        }
        let wanted = words(params, "value")?;
        if !models(setting).contains(&wanted) {
            return Err(Fault::params(format!("there is no model {wanted:?}")));
        }
        self.model = wanted;
        Ok(())
    }
}

fn models(setting: &Setting) -> [String; 2] {
    [setting.model.clone(), format!("{}-mini", setting.model)]
}

/// A text of the parameters.
pub(super) fn words(params: Option<Value<'_>>, name: &str) -> Result<String, Fault> {
    let text = params.and_then(|params| params.get(name)?.as_str());
    text.map(std::borrow::Cow::into_owned).ok_or_else(|| Fault::params(format!("`{name}` must be a text")))
}

/// The working directory of `session/new` and its like, whose other parameters are looked at, too.
pub(super) fn place(params: Option<Value<'_>>) -> Result<String, Fault> {
    let cwd = words(params, "cwd")?;
    if !is_absolute(&cwd) {
        return Err(Fault::params("`cwd` must be an absolute path"));
    }
    let servers = params.and_then(|params| params.get("mcpServers"));
    let servers =
        servers.ok_or_else(|| Fault::params("`mcpServers` is missing: send a list, which may be empty"))?;
    if !matches!(servers.kind(), Kind::Array | Kind::Null) {
        return Err(Fault::params("`mcpServers` must be a list"));
    }
    Ok(cwd)
}

/// Whether a path is absolute on the client's system, whatever it is.
fn is_absolute(path: &str) -> bool {
    let drive = |path: &str| path.as_bytes().get(1) == Some(&b':') && path.len() > 2;
    path.starts_with('/') || path.starts_with("\\\\") || drive(path)
}

/// The text of a prompt. Blocks of other kinds are named.
pub(super) fn prompt(params: Option<Value<'_>>) -> Result<String, Fault> {
    let blocks = params.and_then(|params| params.get("prompt")).filter(|blocks| blocks.kind() == Kind::Array);
    let blocks = blocks.filter(|blocks| !blocks.is_empty());
    let blocks = blocks.ok_or_else(|| Fault::params("`prompt` must be a list that is not empty"))?;
    let mut texts = Vec::new();
    for (at, block) in blocks.items().enumerate() {
        let wrong = |why: &str| Fault::params(format!("prompt[{at}]{why}"));
        let kind = block.get("type").and_then(Value::as_str).ok_or_else(|| wrong(".type must be a text"))?;
        match kind.as_ref() {
            "text" => {
                let text = block.get("text").and_then(Value::as_str);
                texts.push(text.ok_or_else(|| wrong(".text must be a text"))?.into_owned());
            }
            "image" | "audio" | "resource" | "resource_link" => texts.push(format!("[{kind}]")),
            _ => return Err(wrong(&format!(".type: there is no content of the type {kind:?}"))),
        }
    }
    Ok(texts.join("\n"))
}
