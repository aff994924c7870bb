//! Values that a step is given: written in the file, or what an earlier step observed (`${id.field}`).

use serde_json::{Map, Value};
use std::fmt;

/// A value of a step's `with`.
#[derive(Clone, Debug, PartialEq)]
pub enum Given {
    /// As it is written, without any reference inside.
    Value(Value),
    /// A text that is one reference and nothing else: it stands for the value itself, whatever its type.
    Reference(Reference),
    /// A text with references inside: texts as they are, other values as JSON.
    Text(Vec<Piece>),
    /// A list with references somewhere inside.
    List(Vec<Given>),
    /// A map with references somewhere inside.
    Map(Vec<(String, Given)>),
}

/// A part of a text with references.
#[derive(Clone, Debug, PartialEq)]
pub enum Piece {
    /// As it is; `$${` in a file is the text `${`.
    Text(String),
    /// What it leads to.
    Reference(Reference),
}

/// A way to a value: `${id.field}`, `${id.field.key}`, `${id.field[0]}`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reference {
    /// Place of the earlier step in its case.
    pub step: usize,
    /// The way into what it observed; at least a field.
    pub path: Vec<Part>,
    /// As it stands in the file, with `${` and `}`.
    pub text: String,
}

/// One part of a way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Part {
    /// A key of a map.
    Key(String),
    /// A place in a list, from 0.
    At(usize),
}

/// A reference that led nowhere when its step was about to run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unresolved {
    /// The reference.
    pub text: String,
}

impl fmt::Display for Unresolved {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} leads to nothing that was observed", self.text)
    }
}

impl Given {
    /// The value, with what earlier steps observed in the place of references; `observed` gives it by the step's place.
    ///
    /// # Errors
    /// When a reference leads nowhere.
    pub fn resolve<'o>(
        &self,
        observed: &impl Fn(usize) -> Option<&'o Map<String, Value>>,
    ) -> Result<Value, Unresolved> {
        match self {
            Self::Value(value) => Ok(value.clone()),
            Self::Reference(reference) => reference.find(observed).cloned(),
            Self::Text(pieces) => {
                let mut text = String::new();
                for piece in pieces {
                    match piece {
                        Piece::Text(as_it_is) => text.push_str(as_it_is),
                        Piece::Reference(reference) => match reference.find(observed)? {
                            Value::String(found) => text.push_str(found),
                            other => text.push_str(&other.to_string()),
                        },
                    }
                }
                Ok(Value::String(text))
            }
            Self::List(items) => {
                items.iter().map(|item| item.resolve(observed)).collect::<Result<_, _>>().map(Value::Array)
            }
            Self::Map(entries) => entries
                .iter()
                .map(|(key, given)| Ok((key.clone(), given.resolve(observed)?)))
                .collect::<Result<_, _>>()
                .map(Value::Object),
        }
    }
}

impl Reference {
    fn find<'o>(
        &self,
        observed: &impl Fn(usize) -> Option<&'o Map<String, Value>>,
    ) -> Result<&'o Value, Unresolved> {
        let nowhere = || Unresolved { text: self.text.clone() };
        let Some((Part::Key(field), rest)) = self.path.split_first() else { return Err(nowhere()) };
        let start = observed(self.step).and_then(|fields| fields.get(field));
        rest.iter().fold(start, |value, part| value.and_then(|value| part.of(value))).ok_or_else(nowhere)
    }
}

impl Part {
    /// What it leads to from a value.
    #[must_use]
    pub fn of<'v>(&self, value: &'v Value) -> Option<&'v Value> {
        match self {
            Self::Key(key) => value.as_object()?.get(key),
            Self::At(at) => value.as_array()?.get(*at),
        }
    }
}
