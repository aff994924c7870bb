//! `agent:` of a suite: the command that its cases are run with.

use super::agent::time_limit;
use super::class::Context;
use crate::finding::{Code, Findings};
use crate::node::{Content, Key, Node};
use crate::scenario::{AgentCommand, Place};
use crate::{paths, placeholder};

/// Reads `agent` into the suite; a second one must say the same as the first.
pub(super) fn agent(root: &Node, context: &mut Context<'_>, findings: &mut Findings<'_>) {
    let found = root.entries().iter().find(|(key, _)| key.name == "agent");
    let Some((key, node)) = found.filter(|(_, node)| matches!(node.content, Content::Map(_))) else { return };
    let place = findings.place(key.at);
    let command = node.get("command").map(|node| command(node, findings)).unwrap_or_default();
    let entries = |name: &str| node.get(name).map_or(&[][..], Node::entries);
    let env = entries("env").iter().filter_map(|(key, value)| variable(key, value, findings)).collect();
    let files = entries("files").iter().filter_map(|(path, content)| file(path, content, findings)).collect();
    let stdin = node.get("stdin").and_then(Node::as_text).map(str::to_owned);
    let time_limit = time_limit(node, findings);
    slips(node, findings);
    let agent = AgentCommand { command, env, files, stdin, time_limit, place };
    match &context.agent {
        None => context.agent = Some(agent),
        Some(first) if *first == (AgentCommand { place: first.place.clone(), ..agent }) => {}
        Some(first) => {
            let Place { file, line, column } = &first.place;
            let message = format!("`agent` is another here than in {file}");
            let hint = format!("a suite has one `agent`; the first stands at {file}:{line}:{column}");
            findings.error_with_hint(key.at, Code::Contradiction, message, hint);
        }
    }
}

fn command(node: &Node, findings: &mut Findings<'_>) -> Vec<String> {
    let words = match node.as_text() {
        Some(line) => match split(line) {
            Ok(words) => words,
            Err(quote) => {
                let message = format!("the quote {quote} in `command` is not closed");
                let hint = "close it, or write the command as a list of its words";
                findings.error_with_hint(node.at, Code::WrongValue, message, hint);
                return Vec::new();
            }
        },
        None => node.items().iter().filter_map(Node::as_text).map(str::to_owned).collect(),
    };
    let blank = words.first().is_none_or(|program| program.trim().is_empty());
    // A blank line and a list with something else in it are mistakes that have been told.
    let told = node.as_text().is_some_and(|line| line.trim().is_empty())
        || node.items().first().is_some_and(|item| item.as_text().is_none());
    if blank && !told {
        let message = "`command` names no program";
        findings.error_with_hint(node.at, Code::WrongValue, message, "its first word is the program");
    }
    if words.iter().any(|word| word.contains('\0')) {
        findings.error(node.at, Code::WrongValue, "`command` holds a zero character");
    }
    words
}

/// The words of a line: blanks part them, but not within single or double quotes, which are dropped. A backslash is a letter
/// like others: paths of Windows hold it. An error is the quote that nobody closes.
fn split(line: &str) -> Result<Vec<String>, char> {
    let (mut words, mut word, mut open) = (Vec::new(), None::<String>, None);
    for c in line.chars() {
        match open {
            Some(quote) if c == quote => open = None,
            Some(_) => word.get_or_insert_default().push(c),
            None if c == '"' || c == '\'' => {
                open = Some(c);
                word.get_or_insert_default();
            }
            None if c.is_whitespace() => words.extend(word.take()),
            None => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    open.map_or(Ok(words), Err)
}

fn variable(key: &Key, value: &Node, findings: &mut Findings<'_>) -> Option<(String, String)> {
    let text = match &value.content {
        Content::Text(text) | Content::Number(text) => text.clone(),
        Content::Bool(flag) => flag.to_string(),
        Content::Null | Content::List(_) | Content::Map(_) => return None,
    };
    if key.name.is_empty() {
        findings.error(key.at, Code::WrongValue, "a variable needs a name");
    } else if key.name.contains(|c: char| c == '=' || c.is_control()) {
        let message = format!("`{}` is no name of a variable", key.name.escape_debug());
        findings.error(key.at, Code::WrongValue, message);
    }
    if text.contains('\0') {
        findings.error(value.at, Code::WrongValue, format!("`{}` holds a zero character", key.name));
    }
    Some((key.name.clone(), text))
}

fn file(path: &Key, content: &Node, findings: &mut Findings<'_>) -> Option<(String, String)> {
    let inside = ["{home}/", "{workspace}/"].iter().find_map(|folder| path.name.strip_prefix(folder));
    let form = "write `{home}/` or `{workspace}/`, then a path with `/` between its parts and without `..`";
    let wrong = match inside {
        None => Some((format!("`{}` begins with neither `{{home}}/` nor `{{workspace}}/`", path.name), form)),
        Some(inside) if !paths::is_inside(inside) => {
            Some((format!("`{}` leaves its folder", path.name), form))
        }
        Some(inside) => placeholder::held(inside).next().map(|held| {
            let message = format!("`{{{held}}}` cannot stand inside the path of a file");
            (message, "what is filled in could lead anywhere; variables and contents may hold it")
        }),
    };
    if let Some((message, hint)) = wrong {
        findings.error_with_hint(path.at, Code::WrongValue, message, hint);
    }
    Some((path.name.clone(), content.as_text()?.to_owned()))
}

/// Warns of what is nearly a placeholder in one of the texts.
fn slips(node: &Node, findings: &mut Findings<'_>) {
    for (written, meant) in node.as_text().into_iter().flat_map(placeholder::slips) {
        let message = format!("`{{{written}}}` is passed on as it is");
        findings.warning(node.at, message, format!("did you mean `{{{meant}}}`?"));
    }
    let values = node.entries().iter().map(|(_, value)| value);
    node.items().iter().chain(values).for_each(|inner| slips(inner, findings));
}

#[cfg(test)]
mod tests {
    use super::split;

    #[test]
    fn a_line_is_split_at_blanks_outside_quotes() {
        for (line, words) in [
            ("agent run", &["agent", "run"][..]),
            (" agent\t\n run ", &["agent", "run"]),
            ("a \"b c\" 'd \"e'", &["a", "b c", "d \"e"]),
            ("a --x=\"b c\"d ''", &["a", "--x=b cd", ""]),
            ("C:\\bin\\a.exe {prompt}", &["C:\\bin\\a.exe", "{prompt}"]),
            ("", &[]),
        ] {
            assert_eq!(split(line).unwrap(), words, "{line}");
        }
        assert_eq!(split("a 'b \"c\""), Err('\''));
        assert_eq!(split("a \"it's"), Err('"'));
    }
}
