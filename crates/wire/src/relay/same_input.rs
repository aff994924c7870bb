//! When two prompts count as the same, and which text of a chat request is the prompt.

use crate::json::{Kind, Value};

/// What of a text is compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// As the original recorder compares: line ends, blank lines, white space at both ends of a line, and `* ` against `- `
    /// do not matter. So indentation is ignored: two prompts that differ only in how code or a list is nested are the same.
    Loose,
    /// Every character counts but the kind of line end.
    Exact,
}

impl Form {
    /// What is compared of this text.
    #[must_use]
    pub fn normal(self, text: &str) -> String {
        let text = text.replace("\r\n", "\n");
        match self {
            Self::Exact => text,
            Self::Loose => {
                let lines = text.split('\n').map(|line| line.trim_matches(is_space));
                let lines = lines.filter(|line| !line.is_empty());
                let lines: Vec<String> = lines
                    .map(|line| line.strip_prefix("* ").map_or(line.to_owned(), |rest| format!("- {rest}")))
                    .collect();
                lines.join("\n")
            }
        }
    }
}

/// What [`Form::Loose`] compares.
#[must_use]
pub fn normal(text: &str) -> String {
    Form::Loose.normal(text)
}

/// White space as the original recorder strips it (Python's `str.strip`): Unicode's, and the four ASCII separators.
fn is_space(letter: char) -> bool {
    letter.is_whitespace() || ('\u{1C}'..='\u{1F}').contains(&letter)
}

/// The text of the last user message of a chat request: a string, or parts that are all text, joined without a separator.
///
/// `None` where there is no such message or it holds anything else. Half a surrogate pair reads as U+FFFD.
#[must_use]
pub fn last_user_text(root: Value<'_>) -> Option<String> {
    let is_user = |message: &Value<'_>| message.get("role").is_some_and(|role| role.is_str("user"));
    let content = root.get("messages")?.items().filter(is_user).last()?.get("content")?;
    match content.kind() {
        Kind::String => content.as_str().map(std::borrow::Cow::into_owned),
        Kind::Array => content.items().map(part_text).collect(),
        Kind::Null | Kind::Bool | Kind::Number | Kind::Object => None,
    }
}

fn part_text(part: Value<'_>) -> Option<std::borrow::Cow<'_, str>> {
    part.get("type").filter(|kind| kind.is_str("text"))?;
    part.get("text")?.as_str()
}
