//! The table as a JSON Schema.

use super::{FILE, Kind, Need, RUNS, Shape, WAVE, WORKFLOW};
use rehearsal_wire::json::write_string;
use std::collections::BTreeMap;
use std::fmt::Write as _;

/// A kind of file that people write.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Scenarios: the files of a suite, with `version: 1`.
    Suite,
    /// Items of work for several workers.
    Wave,
    /// Run scripts of the agent-run daemon.
    Runs,
    /// Workflows in our own form, with `version: 1`.
    Workflow,
}

impl FileKind {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Suite, Self::Wave, Self::Runs, Self::Workflow];

    /// Its word.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Suite => "suite",
            Self::Wave => "wave",
            Self::Runs => "runs",
            Self::Workflow => "workflow",
        }
    }

    fn shape(self) -> &'static Shape {
        match self {
            Self::Suite => &FILE,
            Self::Wave => &WAVE,
            Self::Runs => &RUNS,
            Self::Workflow => &WORKFLOW,
        }
    }
}

/// The JSON Schema (draft 2020-12) of a kind of file, as indented text.
#[must_use]
pub fn json_schema(kind: FileKind) -> String {
    let mut shapes = BTreeMap::new();
    collect(kind.shape(), &mut shapes);
    let mut out = String::from("{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n");
    let top = kind.shape().name;
    let _ = write!(out, "  \"$ref\": \"#/$defs/{top}\",\n  \"$defs\": {{\n");
    for (i, shape) in shapes.values().enumerate() {
        let _ = write!(out, "    {}: ", quoted(shape.name));
        object(&mut out, shape);
        out.push_str(if i + 1 < shapes.len() { ",\n" } else { "\n" });
    }
    out.push_str("  }\n}\n");
    out
}

fn collect(shape: &'static Shape, into: &mut BTreeMap<&'static str, &'static Shape>) {
    if into.insert(shape.name, shape).is_none() {
        shape.fields.iter().for_each(|field| collect_kind(field.kind, into));
    }
}

fn collect_kind(kind: &'static Kind, into: &mut BTreeMap<&'static str, &'static Shape>) {
    match kind {
        Kind::Object(shape) => collect(shape, into),
        Kind::List(inner) | Kind::Map(inner) | Kind::Paths(inner) | Kind::OrNull(inner) => {
            collect_kind(inner, into)
        }
        Kind::Either(kinds) => kinds.iter().for_each(|kind| collect_kind(kind, into)),
        Kind::Anything
        | Kind::Text
        | Kind::Name
        | Kind::Flag
        | Kind::Scalar
        | Kind::Whole(..)
        | Kind::Factor
        | Kind::Word(_)
        | Kind::Span => {}
    }
}

fn object(out: &mut String, shape: &Shape) {
    let _ = write!(out, "{{\n      \"type\": \"object\",\n      \"description\": {},\n", quoted(shape.doc));
    let others = if shape.others.is_some() { "true" } else { "false" };
    let _ = writeln!(out, "      \"additionalProperties\": {others},");
    let required: Vec<String> = shape
        .fields
        .iter()
        // In the file form with a version, the version itself must be there.
        .filter(|field| field.need == Need::Required || field.name == "version")
        .map(|field| quoted(field.name))
        .collect();
    let _ = writeln!(out, "      \"required\": [{}],", required.join(", "));
    out.push_str("      \"properties\": {\n");
    for (i, field) in shape.fields.iter().enumerate() {
        let kind = schema_of(field.kind);
        let comma = if i + 1 < shape.fields.len() { "," } else { "" };
        let doc = quoted(field.doc);
        let between = if kind.is_empty() { "" } else { ", " };
        let _ =
            writeln!(out, "        {}: {{\"description\": {doc}{between}{kind}}}{comma}", quoted(field.name));
    }
    out.push_str("      }\n    }");
}

/// The keywords of a kind, without braces.
fn schema_of(kind: &Kind) -> String {
    match kind {
        Kind::Anything => String::new(),
        Kind::Text => "\"type\": \"string\"".to_owned(),
        Kind::Name => "\"type\": \"string\", \"pattern\": \"\\\\S\"".to_owned(),
        Kind::Flag => "\"type\": \"boolean\"".to_owned(),
        Kind::Scalar => "\"type\": [\"string\", \"number\", \"boolean\"]".to_owned(),
        // A range that is only a guard would tell an editor nothing; the field's own sentence does.
        Kind::Whole(least, _) if *least < 0 => "\"type\": \"integer\"".to_owned(),
        Kind::Whole(least, most) => {
            format!("\"type\": \"integer\", \"minimum\": {least}, \"maximum\": {most}")
        }
        Kind::Factor => "\"type\": \"number\", \"minimum\": 0".to_owned(),
        Kind::Word(words) => {
            let words: Vec<String> = words.iter().map(|word| quoted(word)).collect();
            format!("\"enum\": [{}]", words.join(", "))
        }
        Kind::Span => "\"type\": \"string\", \"pattern\": \"^[0-9]+(\\\\.[0-9]+)?(ms|s|m|h)$\"".to_owned(),
        Kind::Object(shape) => format!("\"$ref\": \"#/$defs/{}\"", shape.name),
        Kind::List(inner) => format!("\"type\": \"array\", \"items\": {{{}}}", schema_of(inner)),
        Kind::Map(inner) | Kind::Paths(inner) => {
            format!("\"type\": \"object\", \"additionalProperties\": {{{}}}", schema_of(inner))
        }
        Kind::OrNull(inner) => format!("\"anyOf\": [{{\"type\": \"null\"}}, {{{}}}]", schema_of(inner)),
        Kind::Either(kinds) => {
            let kinds: Vec<String> = kinds.iter().map(|kind| format!("{{{}}}", schema_of(kind))).collect();
            format!("\"anyOf\": [{}]", kinds.join(", "))
        }
    }
}

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(&mut out, text);
    String::from_utf8_lossy(&out).into_owned()
}
