//! The secrets that the steps of one case were given, so that what echoes them is kept without them.
//!
//! Nothing is judged by what comes out of here: steps, references and expectations have the values themselves.

use rehearsal_journal::redact::{self, REDACTED, is_secret};
use serde_json::{Map, Value};

/// Bytes of the shortest text that is looked for: shorter ones are words that stand everywhere.
const SHORTEST: usize = 8;

/// What must not be kept.
#[derive(Clone, Debug, Default)]
pub(crate) struct Hush(Vec<String>);

impl Hush {
    /// Takes what stands in a step's inputs where secrets stand: under their names, in a URL, on a command line.
    pub(super) fn learn(&mut self, inputs: &Map<String, Value>) {
        for (name, value) in inputs {
            self.under(name, value);
        }
        // What holds another goes first.
        self.0.sort_unstable_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
        self.0.dedup();
    }

    fn under(&mut self, name: &str, value: &Value) {
        match value {
            Value::String(text) if is_secret(name) => self.text(text),
            Value::String(text) if is_url(name) => {
                for secret in redact::secrets(text) {
                    self.word(&String::from_utf8_lossy(&redact::unescaped(secret)));
                    self.word(secret);
                }
            }
            Value::Array(items) if is_command(name) => {
                let argv: Vec<String> =
                    items.iter().map(|item| item.as_str().unwrap_or_default().to_owned()).collect();
                for (masked, given) in redact::arguments(&argv).iter().zip(&argv) {
                    if masked != given {
                        self.text(
                            given
                                .split_once('=')
                                .filter(|_| masked != REDACTED)
                                .map_or(given, |(_, value)| value),
                        );
                    }
                }
            }
            Value::Array(items) => items.iter().for_each(|item| self.under(name, item)),
            Value::Object(fields) => fields.iter().for_each(|(name, value)| self.under(name, value)),
            Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }

    /// A secret, and the words of it: `Bearer` and `session=` are none, and what stands behind them may be told alone.
    fn text(&mut self, text: &str) {
        self.word(text);
        text.split([' ', ';', ',', '=']).for_each(|word| self.word(word));
    }

    fn word(&mut self, word: &str) {
        if word.len() >= SHORTEST {
            self.0.push(word.to_owned());
        }
    }

    /// A text without them.
    pub(crate) fn told(&self, text: &str) -> String {
        self.0.iter().fold(text.to_owned(), |text, secret| {
            if text.contains(secret.as_str()) { text.replace(secret.as_str(), REDACTED) } else { text }
        })
    }
}

/// Whether an input of this name is a URL.
pub(super) fn is_url(name: &str) -> bool {
    name == "url"
}

/// Whether an input of this name is a command line.
pub(super) fn is_command(name: &str) -> bool {
    name == "command"
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn what_was_given_as_a_secret_is_told_nowhere() {
        let mut hush = Hush::default();
        let inputs = json!({
            "headers": {"Authorization": "Bearer sk-aaaaaaaa", "cookie": "a=bbbbbbbb; c=d", "accept": "everything"},
            "json": {"tokens": ["cccccccc", "short"]},
            "url": "http://127.0.0.1/?api_key=dddd%64ddd&page=pppppppp",
            "command": ["run", "--api-key", "eeeeeeee", "--token=ffffffff", "gggggggg"],
        });
        hush.learn(inputs.as_object().unwrap());
        for (text, told) in [
            ("got sk-aaaaaaaa.", "got <redacted>."),
            ("Bearer sk-aaaaaaaa", "<redacted>"),
            ("bbbbbbbb cccccccc", "<redacted> <redacted>"),
            ("dddddddd dddd%64ddd", "<redacted> <redacted>"),
            ("eeeeeeee ffffffff", "<redacted> <redacted>"),
            ("everything short Bearer pppppppp gggggggg", "everything short Bearer pppppppp gggggggg"),
        ] {
            assert_eq!(hush.told(text), told);
        }
    }
}
