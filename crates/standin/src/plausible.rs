//! What a request beside the script is answered: short, and in the form that it asks for.

use rehearsal_wire::json::{Kind, Value, write_string, write_value};
use rehearsal_wire::turn::{Form, Role, Turn};
use std::borrow::Cow;

/// The answer where nothing else is asked for.
pub(crate) const OK: &str = "ok";

/// Most words and bytes of a title.
const TITLE: (usize, usize) = (6, 50);

/// Most values in an object that is made up for a schema, how deep they may nest, and after how many bytes it ends.
const VALUES: usize = 500;
const DEPTH: usize = 12;
const BYTES: usize = 64 << 10;

/// The text for a request that belongs to no script, or stands beside the one with this prompt.
pub(crate) fn answer(turn: &Turn<'_>, prompt: Option<&str>) -> Cow<'static, str> {
    if let Some(form) = turn.form {
        return match form {
            Form::Json => "{}".into(),
            Form::Schema(schema) => of_schema(schema).into(),
        };
    }
    match prompt {
        Some(prompt) if wants_title(turn) => title(prompt).into(),
        Some(_) | None => OK.into(),
    }
}

/// Whether the instructions or the user speak of a title.
fn wants_title(turn: &Turn<'_>) -> bool {
    let told = turn.messages.iter().filter(|message| match message.role {
        Role::System | Role::Developer | Role::User => true,
        Role::Assistant | Role::Tool | Role::Function | Role::Unknown => false,
    });
    told.flat_map(|message| &message.texts)
        .any(|text| text.as_bytes().windows("title".len()).any(|word| word.eq_ignore_ascii_case(b"title")))
}

/// The first words of a prompt.
fn title(prompt: &str) -> String {
    let (words, bytes) = TITLE;
    let mut title = String::new();
    for word in prompt.split_whitespace().take(words) {
        if title.len() + word.len() > bytes {
            break;
        }
        if !title.is_empty() {
            title.push(' ');
        }
        title.push_str(word);
    }
    title.truncate(title.trim_end_matches(['.', ',', ':', ';']).len());
    if title.is_empty() { OK.to_owned() } else { title }
}

/// The smallest value that a schema can mean, as JSON text.
fn of_schema(schema: Value<'_>) -> String {
    let mut maker = Maker { root: schema, out: Vec::new(), left: VALUES };
    maker.value(schema, 0);
    // What the writer writes is text.
    String::from_utf8(maker.out).unwrap_or_default()
}

struct Maker<'t> {
    root: Value<'t>,
    out: Vec<u8>,
    left: usize,
}

impl<'t> Maker<'t> {
    fn value(&mut self, schema: Value<'t>, depth: usize) {
        if depth > DEPTH || self.left == 0 || self.out.len() > BYTES {
            self.out.extend_from_slice(b"null");
            return;
        }
        self.left -= 1;
        let given = schema.get("const").or_else(|| schema.get("enum").and_then(|list| list.items().next()));
        if let Some(value) = given.or_else(|| schema.get("default")) {
            write_value(&mut self.out, value);
        } else if let Some(inner) = self.inner(schema) {
            self.value(inner, depth + 1);
        } else {
            self.of_type(schema, depth);
        }
    }

    /// The schema that stands for this one: what it refers to, or its first alternative.
    fn inner(&self, schema: Value<'t>) -> Option<Value<'t>> {
        if let Some(name) = schema.get("$ref").and_then(Value::as_str) {
            return self.root.at(name.strip_prefix('#')?);
        }
        ["anyOf", "oneOf", "allOf"].into_iter().find_map(|key| schema.get(key)?.items().next())
    }

    fn of_type(&mut self, schema: Value<'t>, depth: usize) {
        let kind = schema.get("type");
        // A list of types is met by its first.
        let kind =
            kind.and_then(|kind| if kind.kind() == Kind::Array { kind.items().next() } else { Some(kind) });
        // Some APIs write types in capitals.
        let kind = kind.and_then(Value::as_str).map(|kind| kind.to_ascii_lowercase());
        match kind.as_deref() {
            Some("string") => write_string(&mut self.out, OK),
            Some("number" | "integer") => match schema.get("minimum").and_then(Value::as_number) {
                Some(least) => self.out.extend_from_slice(least.as_bytes()),
                None => self.out.push(b'0'),
            },
            Some("boolean") => self.out.extend_from_slice(b"false"),
            Some("array") => self.out.extend_from_slice(b"[]"),
            Some("null") => self.out.extend_from_slice(b"null"),
            Some(_) | None => self.object(schema, depth),
        }
    }

    /// An object with the keys that it must have.
    fn object(&mut self, schema: Value<'t>, depth: usize) {
        self.out.push(b'{');
        let required = schema.get("required").filter(|list| list.kind() == Kind::Array);
        let names = required.into_iter().flat_map(Value::items).filter_map(Value::as_str);
        for (at, name) in names.take(VALUES).enumerate() {
            if self.out.len() > BYTES {
                break;
            }
            if at > 0 {
                self.out.push(b',');
            }
            write_string(&mut self.out, &name);
            self.out.push(b':');
            match schema.get("properties").and_then(|properties| properties.get(&name)) {
                Some(inner) => self.value(inner, depth + 1),
                None => self.out.extend_from_slice(b"null"),
            }
        }
        self.out.push(b'}');
    }
}
