//! Reads values of a request as JSON of Protocol Buffers does: null is absent, defaults are absent, whole numbers may be texts. What is
//! wrong is said with its JSON pointer; fields that nobody knows are passed by (section 5.7 of the specification).

use super::fault::Fault;
use rehearsal_wire::json::{Kind, Value};
use serde_json::{Map, Number};

/// Deepest value that is kept to be shown again.
const DEEPEST: usize = 64;

/// A place in a request, where something may stand.
#[derive(Clone, Debug)]
pub(crate) struct Field<'t> {
    value: Option<Value<'t>>,
    pointer: String,
    /// Whether all values are texts, as in a query.
    loose: bool,
}

impl<'t> Field<'t> {
    /// The parameters as a whole.
    pub(crate) fn root(value: Option<Value<'t>>, loose: bool) -> Self {
        Self { value: value.filter(|value| !value.is_null()), pointer: String::new(), loose }
    }

    /// Whether something stands there.
    pub(crate) fn is_there(&self) -> bool {
        self.value.is_some()
    }

    /// What stands there.
    pub(crate) fn value(&self) -> Option<Value<'t>> {
        self.value
    }

    /// A field of it.
    pub(crate) fn get(&self, key: &str) -> Self {
        let value = self.value.and_then(|value| value.get(key)).filter(|value| !value.is_null());
        Self { value, pointer: format!("{}/{key}", self.pointer), loose: self.loose }
    }

    /// A refusal of what stands there.
    pub(crate) fn wrong(&self, why: impl AsRef<str>) -> Fault {
        Fault::at(&self.pointer, why)
    }

    fn not(&self, value: Value<'_>, wanted: &str) -> Fault {
        self.wrong(format!("must be {wanted}, not {}", value.kind().phrase()))
    }

    /// A text; none where it is empty.
    pub(crate) fn text(&self) -> Result<Option<String>, Fault> {
        let Some(value) = self.value else { return Ok(None) };
        let text = value.as_str().ok_or_else(|| self.not(value, "a text"))?;
        Ok(Some(text.into_owned()).filter(|text| !text.is_empty()))
    }

    /// A text that must be there, as the field of an object.
    pub(crate) fn needed(&self, of: &Self) -> Result<String, Fault> {
        self.text()?.ok_or_else(|| self.missing(of))
    }

    /// It is not there. A field in the spelling of the proto file is pointed out.
    pub(crate) fn missing(&self, of: &Self) -> Fault {
        let name = self.pointer.rsplit('/').next().unwrap_or_default();
        let spelt: String = name
            .chars()
            .flat_map(|letter| {
                let line = letter.is_ascii_uppercase().then_some('_');
                line.into_iter().chain(std::iter::once(letter.to_ascii_lowercase()))
            })
            .collect();
        let there = spelt != name && of.get(&spelt).is_there();
        let hint = if there { format!("; {spelt} is spelt {name} in JSON") } else { String::new() };
        self.wrong(format!("is required{hint}"))
    }

    /// A whole number within bounds.
    pub(crate) fn whole(&self, least: i64, most: i64) -> Result<Option<i64>, Fault> {
        let Some(value) = self.value else { return Ok(None) };
        let number = value.as_i64().or_else(|| value.as_str()?.parse().ok());
        let number = number.filter(|number| (least..=most).contains(number));
        let wanted = || format!("must be a whole number from {least} to {most}, not {}", shown(value));
        number.map(Some).ok_or_else(|| self.wrong(wanted()))
    }

    /// Yes or no; no where nothing stands there.
    pub(crate) fn flag(&self) -> Result<bool, Fault> {
        let Some(value) = self.value else { return Ok(false) };
        let text = value.as_str().filter(|_| self.loose);
        let flag = value.as_bool().or(match text.as_deref() {
            Some("true") => Some(true),
            Some("false") => Some(false),
            Some(_) | None => None,
        });
        flag.ok_or_else(|| self.not(value, "true or false"))
    }

    /// An object, where something stands there.
    pub(crate) fn object(&self) -> Result<(), Fault> {
        match self.value {
            Some(value) if value.kind() != Kind::Object => Err(self.not(value, "an object")),
            _ => Ok(()),
        }
    }

    /// The items of a list; none where nothing stands there.
    pub(crate) fn list(&self) -> Result<Vec<Self>, Fault> {
        let Some(list) = self.value else { return Ok(Vec::new()) };
        if list.kind() != Kind::Array {
            return Err(self.not(list, "a list"));
        }
        let item = |(at, value)| Self {
            value: Some(value),
            pointer: format!("{}/{at}", self.pointer),
            loose: self.loose,
        };
        Ok(list.items().enumerate().map(item).collect())
    }

    /// The texts of a list.
    pub(crate) fn texts(&self) -> Result<Vec<String>, Fault> {
        let items = self.list()?;
        items.iter().map(|item| item.text().map(Option::unwrap_or_default)).collect()
    }

    /// What stands there, to be shown again.
    pub(crate) fn copy(&self) -> Result<Option<serde_json::Value>, Fault> {
        let Some(value) = self.value else { return Ok(None) };
        copy(value, DEEPEST).map(Some).ok_or_else(|| self.wrong(format!("is deeper than {DEEPEST} levels")))
    }
}

/// The beginning of what stands there.
fn shown(value: Value<'_>) -> String {
    value.text().chars().take(40).collect()
}

fn copy(value: Value<'_>, depth: usize) -> Option<serde_json::Value> {
    let depth = depth.checked_sub(1)?;
    Some(match value.kind() {
        Kind::Null => serde_json::Value::Null,
        Kind::Bool => value.as_bool().into(),
        Kind::Number => number(value).map_or(serde_json::Value::Null, serde_json::Value::Number),
        Kind::String => value.as_str().unwrap_or_default().into(),
        Kind::Array => value.items().map(|item| copy(item, depth)).collect::<Option<Vec<_>>>()?.into(),
        Kind::Object => {
            let mut out = Map::new();
            for (key, value) in value.entries() {
                out.insert(key.as_str().unwrap_or_default().into_owned(), copy(value, depth)?);
            }
            out.into()
        }
    })
}

fn number(value: Value<'_>) -> Option<Number> {
    let text = value.as_number()?;
    let whole = text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from));
    whole.ok().or_else(|| Number::from_f64(text.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::Field;
    use rehearsal_wire::json::parse;

    const TEXT: &[u8] =
        br#"{"a": "x", "n": "12", "z": 1e1, "b": true, "t": "true", "l": [1, "y"], "o": {}, "empty": "",
        "message_id": "m", "nothing": null}"#;

    #[test]
    fn fields_are_read_as_protocol_buffers_do() {
        let tape = parse(TEXT).unwrap();
        let root = Field::root(Some(tape.root()), false);
        assert_eq!(root.get("a").text(), Ok(Some("x".to_owned())));
        assert_eq!(root.get("empty").text(), Ok(None));
        assert_eq!(root.get("nothing").text(), Ok(None));
        assert_eq!(root.get("n").whole(0, 12), Ok(Some(12)));
        assert_eq!(root.get("z").whole(0, 12), Ok(Some(10)));
        assert_eq!(root.get("b").flag(), Ok(true));
        assert_eq!(root.get("o").object(), Ok(()));
        assert_eq!(Field::root(Some(tape.root()), true).get("t").flag(), Ok(true));
        assert_eq!(root.get("z").copy().unwrap().unwrap().to_string(), "10.0");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        let tape = parse(TEXT).unwrap();
        let root = Field::root(Some(tape.root()), false);
        let said = [
            root.get("b").text().unwrap_err(),
            root.get("n").whole(0, 11).unwrap_err(),
            root.get("t").flag().unwrap_err(),
            root.get("l").texts().unwrap_err(),
            root.get("a").list().unwrap_err(),
            root.get("l").object().unwrap_err(),
            root.get("messageId").needed(&root).unwrap_err(),
            root.get("taskId").needed(&root).unwrap_err(),
        ]
        .map(|fault| fault.message);
        assert_eq!(
            said,
            [
                "/b: must be a text, not a boolean",
                "/n: must be a whole number from 0 to 11, not \"12\"",
                "/t: must be true or false, not a string",
                "/l/0: must be a text, not a number",
                "/a: must be a list, not a string",
                "/l: must be an object, not an array",
                "/messageId: is required; message_id is spelt messageId in JSON",
                "/taskId: is required",
            ]
        );
    }

    #[test]
    fn what_is_too_deep_is_not_kept() {
        let deep = format!("{{\"d\": {}1{}}}", "[".repeat(100), "]".repeat(100));
        let tape = parse(deep.as_bytes()).unwrap();
        let fault = Field::root(Some(tape.root()), false).get("d").copy().unwrap_err();
        assert_eq!(fault.message, "/d: is deeper than 64 levels");
    }
}
