//! JSON objects, written one member after the other.

use rehearsal_wire::json::{quoted, write_number};

/// An object in the making.
pub(crate) struct Object(String);

impl Object {
    pub(crate) fn begin() -> Self {
        Self("{".to_owned())
    }

    pub(crate) fn raw(&mut self, key: &str, value: &str) {
        if self.0.len() > 1 {
            self.0.push(',');
        }
        self.0.push_str(&quoted(key));
        self.0.push(':');
        self.0.push_str(value);
    }

    pub(crate) fn flag(&mut self, key: &str, value: bool) {
        self.raw(key, if value { "true" } else { "false" });
    }

    pub(crate) fn text(&mut self, key: &str, value: &str) {
        self.raw(key, &quoted(value));
    }

    pub(crate) fn maybe(&mut self, key: &str, value: Option<&str>) {
        self.raw(key, &value.map_or_else(|| "null".to_owned(), quoted));
    }

    pub(crate) fn number(&mut self, key: &str, value: u64) {
        let mut out = Vec::new();
        write_number(&mut out, value);
        self.raw(key, &String::from_utf8(out).unwrap_or_default());
    }

    pub(crate) fn count(&mut self, key: &str, value: Option<u64>) {
        match value {
            Some(value) => self.number(key, value),
            None => self.raw(key, "null"),
        }
    }

    pub(crate) fn list<T>(&mut self, key: &str, items: &[T], item: impl Fn(&T) -> String) {
        let items: Vec<String> = items.iter().map(item).collect();
        self.raw(key, &format!("[{}]", items.join(",")));
    }

    pub(crate) fn end(self) -> String {
        self.0 + "}"
    }
}
