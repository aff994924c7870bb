//! Values as YAML text: words as people write them, long texts as blocks, and quotes wherever anything could be read otherwise.

use rehearsal_wire::json::{Kind, Value};

/// Most characters of a map or list that stands in one line.
const LINE: usize = 72;

/// Writes a text behind a key or a dash, with the line's end. `depth` is that of lines below it, two blanks each.
pub(super) fn text(out: &mut String, text: &str, depth: usize) {
    if is_block(text) {
        out.push_str(if text.ends_with('\n') { " |\n" } else { " |-\n" });
        for line in text.lines() {
            if !line.is_empty() {
                indent(out, depth);
            }
            out.push_str(line);
            out.push('\n');
        }
    } else {
        out.push(' ');
        scalar(out, text, Place::Block);
        out.push('\n');
    }
}

/// Writes a value behind a key in the same way. It nests no deeper than [`fits`] was asked for.
pub(super) fn value(out: &mut String, value: Value<'_>, depth: usize) {
    node(out, value, depth, false);
}

/// `dashed` where it stands behind a dash, in whose line its first member can begin.
fn node(out: &mut String, value: Value<'_>, depth: usize, dashed: bool) {
    let mut line = String::new();
    if value.kind() != Kind::String && flow(&mut line, value) && !holds_block(value) {
        out.push(' ');
        out.push_str(&line);
        out.push('\n');
        return;
    }
    let begin = |out: &mut String, at: usize| match (dashed, at) {
        (true, 0) => out.push(' '),
        (false, 0) => {
            out.push('\n');
            indent(out, depth);
        }
        (_, _) => indent(out, depth),
    };
    match value.kind() {
        Kind::Object => {
            for (at, (name, inner)) in value.entries().enumerate() {
                begin(out, at);
                out.push_str(&key(&name.as_str().unwrap_or_default()));
                out.push(':');
                node(out, inner, depth + 1, false);
            }
        }
        Kind::Array => {
            for (at, inner) in value.items().enumerate() {
                begin(out, at);
                out.push('-');
                node(out, inner, depth + 1, true);
            }
        }
        Kind::String => text(out, &value.as_str().unwrap_or_default(), depth),
        Kind::Null | Kind::Bool | Kind::Number => {
            out.push(' ');
            out.push_str(value.text());
            out.push('\n');
        }
    }
}

/// A key without its colon.
pub(super) fn key(name: &str) -> String {
    let mut out = String::new();
    scalar(&mut out, name, Place::Flow);
    out
}

/// Whether a value nests no deeper than this and has no longer key, in bytes.
pub(super) fn fits(value: Value<'_>, depth: usize, longest: usize) -> bool {
    match value.kind() {
        Kind::Null | Kind::Bool | Kind::Number | Kind::String => true,
        Kind::Array => depth > 0 && value.items().all(|inner| fits(inner, depth - 1, longest)),
        Kind::Object => {
            let sound = |(key, inner): (Value<'_>, Value<'_>)| {
                key.text().len() <= longest && fits(inner, depth - 1, longest)
            };
            depth > 0 && value.entries().all(sound)
        }
    }
}

fn indent(out: &mut String, depth: usize) {
    out.extend(std::iter::repeat_n("  ", depth));
}

/// Writes a value in one line; says no, and stops, where it grows too long. A single text may be as long as it is.
fn flow(out: &mut String, value: Value<'_>) -> bool {
    let (open, close) = match value.kind() {
        Kind::Object => ('{', '}'),
        Kind::Array => ('[', ']'),
        Kind::String => {
            scalar(out, &value.as_str().unwrap_or_default(), Place::Flow);
            return out.len() <= LINE;
        }
        Kind::Null | Kind::Bool | Kind::Number => {
            out.push_str(value.text());
            return out.len() <= LINE;
        }
    };
    out.push(open);
    let mut first = true;
    let mut part = |out: &mut String, name: Option<Value<'_>>, inner| {
        if !std::mem::take(&mut first) {
            out.push_str(", ");
        }
        if let Some(name) = name {
            scalar(out, &name.as_str().unwrap_or_default(), Place::Flow);
            out.push_str(": ");
        }
        flow(out, inner)
    };
    let whole = value.items().all(|inner| part(out, None, inner))
        && value.entries().all(|(name, inner)| part(out, Some(name), inner));
    out.push(close);
    whole && out.len() <= LINE
}

/// Whether a text in it is better read as a block.
fn holds_block(value: Value<'_>) -> bool {
    match value.kind() {
        Kind::Null | Kind::Bool | Kind::Number => false,
        Kind::String => value.as_str().is_some_and(|text| is_block(&text)),
        Kind::Array => value.items().any(holds_block),
        Kind::Object => value.entries().any(|(_, inner)| holds_block(inner)),
    }
}

/// Whether a text can stand as a block of lines: it has several, and none that a reader could take otherwise.
fn is_block(text: &str) -> bool {
    let body = text.strip_suffix('\n').unwrap_or(text);
    // Lines of blanks, blank beginnings and several breaks at the end need marks that nobody remembers.
    let blank = |line: &str| !line.is_empty() && line.trim_matches([' ', '\t']).is_empty();
    body.contains('\n')
        && !body.ends_with('\n')
        && !body.starts_with(['\n', ' ', '\t'])
        && body.chars().all(|letter| matches!(letter, '\n' | '\t') || is_printable(letter))
        && !body.split('\n').any(|line| blank(line) || line.starts_with('\t'))
}

/// Where a scalar stands.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    /// Alone behind a key or a dash.
    Block,
    /// As a key, or between brackets.
    Flow,
}

fn scalar(out: &mut String, text: &str, place: Place) {
    if is_plain(text, place) { out.push_str(text) } else { quoted(out, text) }
}

/// Words that some readers of YAML take for something else.
const WORDS: [&str; 8] = ["null", "true", "false", "yes", "no", "on", "off", "nan"];

/// Whether a text needs no quotes: it begins with a letter and holds nothing that means anything.
fn is_plain(text: &str, place: Place) -> bool {
    let (Some(first), Some(last)) = (text.chars().next(), text.chars().next_back()) else { return false };
    let inner = |letter: char| {
        let safe =
            letter.is_alphanumeric() || matches!(letter, ' ' | '_' | '-' | '.' | '/' | '(' | ')' | '+' | '=');
        safe || place == Place::Block && matches!(letter, ',' | ';' | '!' | '?' | '\'')
    };
    first.is_alphabetic()
        && last != ' '
        && text.chars().all(inner)
        && !WORDS.contains(&text.to_lowercase().as_str())
}

/// Whether a letter may stand in a file as it is: no control, no break, no mark that cannot be seen.
fn is_printable(letter: char) -> bool {
    let hidden = matches!(letter, '\u{2028}' | '\u{2029}' | '\u{FEFF}' | '\u{FFFE}' | '\u{FFFF}');
    !letter.is_control() && !hidden
}

fn quoted(out: &mut String, text: &str) {
    out.push('"');
    for letter in text.chars() {
        match letter {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            letter if is_printable(letter) => out.push(letter),
            letter => out.push_str(&format!("\\u{:04X}", u32::from(letter))),
        }
    }
    out.push('"');
}
