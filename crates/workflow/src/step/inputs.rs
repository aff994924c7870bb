//! The inputs of a step, read by type. What a reference led to can be of any type, so it is looked at here.

use rehearsal_lab::{Refusal, Stop};
use rehearsal_script::span;
use serde_json::{Map, Value};
use std::time::Duration;

/// The inputs of one step, references replaced.
#[derive(Clone, Debug, Default)]
pub(crate) struct Inputs(pub(crate) Map<String, Value>);

fn refused(name: &str, wanted: &str, value: &Value) -> Stop {
    let is = match value {
        Value::Null => "null",
        Value::Bool(_) => "true or false",
        Value::Number(_) => "a number",
        Value::String(_) => "a text",
        Value::Array(_) => "a list",
        Value::Object(_) => "a map",
    };
    Stop::Refused(Refusal::of_input(format!("`{name}` must be {wanted}, and is {is}")))
}

impl Inputs {
    pub(crate) fn value(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// A text, where one is given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Stop> {
        match self.0.get(name) {
            None => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(refused(name, "a text", other)),
        }
    }

    /// A text that must be there.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, Stop> {
        self.text(name)?.ok_or_else(|| Stop::Refused(Refusal::of_input(format!("`{name}` is missing"))))
    }

    /// true or false; false where nothing is given.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Stop> {
        match self.0.get(name) {
            None => Ok(false),
            Some(Value::Bool(flag)) => Ok(*flag),
            Some(other) => Err(refused(name, "true or false", other)),
        }
    }

    /// A duration, where one is given.
    pub(crate) fn span(&self, name: &str) -> Result<Option<Duration>, Stop> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let unread =
            || Stop::Refused(Refusal::of_input(format!("`{name}` must be a duration; {}", span::FORM)));
        span::parse(text).map(Some).ok_or_else(unread)
    }

    /// Texts; none where nothing is given.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, Stop> {
        let Some(value) = self.0.get(name) else { return Ok(Vec::new()) };
        let texts = value
            .as_array()
            .and_then(|items| items.iter().map(|item| item.as_str().map(str::to_owned)).collect());
        texts.ok_or_else(|| refused(name, "a list of texts", value))
    }

    /// Names with texts; none where nothing is given.
    pub(crate) fn text_map(&self, name: &str) -> Result<Vec<(String, String)>, Stop> {
        let Some(value) = self.0.get(name) else { return Ok(Vec::new()) };
        let pair = |(key, value): (&String, &Value)| Some((key.clone(), value.as_str()?.to_owned()));
        let pairs = value.as_object().and_then(|fields| fields.iter().map(pair).collect());
        pairs.ok_or_else(|| refused(name, "a map of texts", value))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn inputs(value: &Value) -> Inputs {
        Inputs(value.as_object().cloned().unwrap())
    }

    fn why<T: std::fmt::Debug>(read: Result<T, Stop>) -> String {
        let Stop::Refused(refusal) = read.unwrap_err() else { panic!("it must be refused") };
        assert_eq!(refusal.code, rehearsal_lab::Code::Input);
        refusal.message
    }

    #[test]
    fn inputs_of_another_type_are_refused_by_name() {
        let inputs = inputs(&json!({"t": "x", "n": 1, "l": ["a", 1], "m": {"a": 1}, "d": "soon"}));
        assert_eq!(inputs.text("t").unwrap(), Some("x"));
        assert_eq!(inputs.text("gone").unwrap(), None);
        assert_eq!(why(inputs.text("n")), "`n` must be a text, and is a number");
        assert_eq!(why(inputs.needed("gone")), "`gone` is missing");
        assert_eq!(why(inputs.flag("t")), "`t` must be true or false, and is a text");
        assert_eq!(why(inputs.texts("l")), "`l` must be a list of texts, and is a list");
        assert_eq!(why(inputs.text_map("m")), "`m` must be a map of texts, and is a map");
        assert!(why(inputs.span("d")).starts_with("`d` must be a duration"));
    }
}
