//! The JSON envelope: `{"files": [{"path", "contents"}], "summary", "done"}`, whole files as strings.
//!
//! Strict first. Then what stands around the object is taken off step by step, each step recorded; the object itself is never
//! mended: no bracket is closed, no field made up.

use super::answer::{At, quoted};
use super::peel::{lead, line_of, offset_in};
use super::{Answer, Change, Format, FormatError, Leniency, Owned, Schema, Speaks, fence};
use rehearsal_wire::json::{self, Broken, Kind, Tape, Value, Why};

/// The format's row.
pub const ROW: Format = Format {
    name: "json_patch",
    summary: "one JSON object with whole files as strings; the only format that servers can enforce by a schema",
    system: SYSTEM,
    schema: Some(&SCHEMA),
    speaks: Speaks::FinalNewline,
    parse,
};

/// The schema of the answer.
pub const SCHEMA: Schema = Schema {
    name: "WorkerPatch",
    text: r#"{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"contents":{"type":"string"}},"required":["path","contents"],"additionalProperties":false}},"summary":{"type":"string"},"done":{"type":"boolean"}},"required":["files","summary","done"],"additionalProperties":false}"#,
};

const SYSTEM: &str = r#"Answer with exactly one JSON object and nothing else: no Markdown fence, no text before or after it. It follows this schema:
{"type":"object","properties":{"files":{"type":"array","items":{"type":"object","properties":{"path":{"type":"string"},"contents":{"type":"string"}},"required":["path","contents"],"additionalProperties":false}},"summary":{"type":"string"},"done":{"type":"boolean"}},"required":["files","summary","done"],"additionalProperties":false}
`files` lists the files you change, each once, with its path exactly as given and its whole new contents. Never leave a part out and never write a placeholder such as "rest unchanged": what you send replaces the file. Files that you do not change are not listed. `summary` says in a sentence or two what you did. `done` is true when the task is finished, false when something is left to do."#;

/// What an answer should look like, for messages.
const RIGHT: &str = r#"exactly one JSON object {"files":[{"path":"…","contents":"…"}],"summary":"…","done":true} and nothing else"#;

/// Reads an answer.
///
/// # Errors
/// [`FormatError`] where no reading gives exactly one object that follows the schema.
pub fn parse(text: &str, _owned: &[Owned]) -> Result<Answer, FormatError> {
    let (tape, leniencies) = envelope(text, RIGHT)?;
    read(&tape, leniencies)
}

/// The one JSON value that a text is, or is wrapped around. `right` says what it should look like.
///
/// # Errors
/// [`FormatError`] where no reading gives exactly one.
pub(in crate::worker) fn envelope<'t>(
    text: &'t str,
    right: &'static str,
) -> Result<(Tape<'t>, Vec<Leniency>), FormatError> {
    let mut leniencies = Vec::new();
    if let Ok(tape) = json::parse(text.as_bytes()) {
        return Ok((tape, leniencies));
    }
    let mut part = &text[lead(text, &mut leniencies)..];
    if let Some(inner) = unfenced(part) {
        leniencies.push(Leniency::Fence);
        part = inner;
    }
    if let Ok(tape) = json::parse(part.as_bytes()) {
        return Ok((tape, leniencies));
    }
    let object = the_object(text, part, right)?;
    let tape = json::parse(object.as_bytes())
        .map_err(|broken| not_json(text, offset_in(text, object), broken, right))?;
    leniencies.push(Leniency::ProseAround);
    Ok((tape, leniencies))
}

/// What a fence encloses, if it encloses the whole text and claims to hold JSON or nothing in particular.
fn unfenced(text: &str) -> Option<&str> {
    let (first, rest) = text.trim().split_once('\n')?;
    let fence = fence::opening(first.trim_end())?;
    let (inner, last) = rest.rsplit_once('\n')?;
    (fence.closes(last) && is_json_tag(fence.info)).then_some(inner)
}

fn is_json_tag(info: &str) -> bool {
    info.is_empty() || info.eq_ignore_ascii_case("json")
}

/// The one balanced object of a part of the answer, with nothing but prose around it.
fn the_object<'t>(text: &str, part: &'t str, right: &'static str) -> Result<&'t str, FormatError> {
    let base = offset_in(text, part);
    let line = |offset: usize| At::Line(line_of(text, base + offset));
    let Some(start) = part.find('{') else {
        let what = if text.trim().is_empty() {
            "the answer is empty"
        } else {
            "there is no JSON object in the answer"
        };
        return Err(FormatError::new("no_object", At::Whole, what, right));
    };
    let Some(length) = balanced(&part[start..]) else {
        let broken = json::parse(&part.as_bytes()[start..]).err();
        let broken = broken.unwrap_or(Broken { offset: part.len() - start, why: Why::Cut });
        return Err(not_json(text, base + start, broken, right));
    };
    let end = start + length;
    let (before, after) = (&part[..start], &part[end..]);
    if let Some(at) = after.find('{') {
        return Err(FormatError::new("two_objects", line(end + at), "a second object begins here", right));
    }
    let stray = before.find('}').or_else(|| after.find('}').map(|at| end + at));
    let stray = stray.or_else(|| before.trim_end().ends_with('[').then_some(start));
    if let Some(at) = stray {
        let what = "a bracket stands outside the object, so its extent is uncertain";
        return Err(FormatError::new("stray_bracket", line(at), what, right));
    }
    for (side, offset) in [(before, 0), (after, end)] {
        let tagged = |line: &&str| fence::opening(line.trim()).is_some_and(|fence| !is_json_tag(fence.info));
        if let Some(found) = side.lines().find(tagged) {
            let what = format!("the answer holds another fence, {}", quoted(found.trim()));
            return Err(FormatError::new("other_fence", line(offset + offset_in(side, found)), what, right));
        }
    }
    Ok(&part[start..end])
}

/// Bytes of the balanced object at the start of a text, brackets inside strings not counted.
fn balanced(text: &str) -> Option<usize> {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => depth += 1,
            b'}' | b']' if !in_string => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(at + 1);
                }
            }
            _ => {}
        }
    }
    None
}

/// The fault of a text that is not JSON, with what stands before the place.
fn not_json(text: &str, base: usize, broken: Broken, right: &'static str) -> FormatError {
    let offset = (base + broken.offset).min(text.len());
    let whole = (0..=offset).rev().find(|end| text.is_char_boundary(*end)).unwrap_or(0);
    let near = text[..whole].chars().rev().take(40).collect::<Vec<_>>();
    let near: String = near.into_iter().rev().collect();
    let (code, what) = match broken.why {
        Why::Cut => ("cut", "the JSON ends inside a value".to_owned()),
        Why::BadNumber => ("not_json", "this is no JSON number (NaN and Infinity are none)".to_owned()),
        Why::Expected(what) => ("not_json", format!("this is not JSON: expected {what}")),
        Why::ControlCharacter => (
            "not_json",
            "a line break or another control character inside a string must be escaped (\\n)".to_owned(),
        ),
        Why::BadEscape => {
            ("not_json", "an unknown escape in a string; a backslash is written \\\\".to_owned())
        }
        Why::TooDeep => ("not_json", "the JSON is nested too deep".to_owned()),
        Why::Trailing => ("trailing_text", "more text follows the object".to_owned()),
        Why::NotUtf8 | Why::ByteOrderMark | Why::Empty | Why::TooLong => {
            ("not_json", "this is not JSON".to_owned())
        }
    };
    FormatError::new(code, At::Line(line_of(text, offset)), format!("{what}, after {}", quoted(&near)), right)
}

/// The answer of a JSON text, by the schema.
fn read(tape: &Tape<'_>, leniencies: Vec<Leniency>) -> Result<Answer, FormatError> {
    let root = tape.root();
    if let Some(offset) = tape.duplicate_key {
        let right = "every key once";
        return Err(FormatError::new(
            "duplicate_key",
            pointer(root, offset),
            "this key stands here twice",
            right,
        ));
    }
    if let Some(offset) = tape.lone_surrogate {
        let what = "a \\u escape is half of a surrogate pair, which is no character";
        return Err(FormatError::new(
            "lone_surrogate",
            pointer(root, offset),
            what,
            "both halves, or the character itself",
        ));
    }
    let [files, summary, done] =
        entries(root, "", [("files", Kind::Array), ("summary", Kind::String), ("done", Kind::Bool)])?;
    let changes = files.items().enumerate().map(|(i, file)| change(file, &format!("/files/{i}")));
    Ok(Answer {
        changes: changes.collect::<Result<_, _>>()?,
        summary: summary.as_str().map(String::from).filter(|summary| !summary.is_empty()),
        done: done.as_bool().unwrap_or(false),
        leniencies,
    })
}

fn change(file: Value<'_>, at: &str) -> Result<Change, FormatError> {
    let [path, contents] = entries(file, at, [("path", Kind::String), ("contents", Kind::String)])?;
    let text = |value: Value<'_>| value.as_str().map(String::from).unwrap_or_default();
    Ok(Change { path: text(path), contents: text(contents) })
}

/// The values of an object that has exactly these keys, each of its kind.
fn entries<'v, const N: usize>(
    object: Value<'v>,
    at: &str,
    keys: [(&'static str, Kind); N],
) -> Result<[Value<'v>; N], FormatError> {
    let place = |key: &str| At::Pointer(format!("{at}/{}", escaped(key)));
    if object.kind() != Kind::Object {
        let what = format!("this is {}", object.kind().phrase());
        return Err(FormatError::new("wrong_kind", At::Pointer(at.to_owned()), what, "an object"));
    }
    let names = keys.map(|(name, _)| name).join(", ");
    for (key, _) in object.entries() {
        let key = key.as_str().unwrap_or_default();
        if !keys.iter().any(|(name, _)| *name == key) {
            let right = format!("only the keys {names}");
            return Err(FormatError::new(
                "unknown_key",
                place(&key),
                "this key is not part of the format",
                right,
            ));
        }
    }
    let mut values = [object; N];
    for ((name, kind), slot) in keys.into_iter().zip(&mut values) {
        let right = || format!("{} under `{name}`", kind.phrase());
        let Some(value) = object.get(name) else {
            return Err(FormatError::new("missing_key", place(name), "this key is missing", right()));
        };
        if value.kind() != kind {
            let what = format!("this is {}", value.kind().phrase());
            return Err(FormatError::new("wrong_kind", place(name), what, right()));
        }
        *slot = value;
    }
    Ok(values)
}

/// Where in a document a byte stands: the pointer of the deepest key or value that holds it.
fn pointer(root: Value<'_>, offset: usize) -> At {
    let holds = |value: Value<'_>| (value.offset()..=value.offset() + value.text().len()).contains(&offset);
    let (mut here, mut path) = (root, String::new());
    loop {
        let entry = here.entries().find(|(key, value)| holds(*key) || holds(*value));
        let item = here.items().enumerate().find(|(_, value)| holds(*value));
        let (part, value) = match (entry, item) {
            (Some((key, value)), _) => (escaped(&key.as_str().unwrap_or_default()), value),
            (None, Some((i, value))) => (i.to_string(), value),
            (None, None) => return At::Pointer(path),
        };
        path = format!("{path}/{part}");
        here = value;
    }
}

/// A key as a part of a pointer.
fn escaped(key: &str) -> String {
    key.replace('~', "~0").replace('/', "~1")
}
