//! The files that say which cases a bridge may forward: the list of cases, the models list of the provider.
//!
//! Their form is that of the original bridge. Where they lie and who reads them is not known here.

use rehearsal_journal::digest;
use rehearsal_wire::json::{Kind, Value, parse};
use rehearsal_wire::relay::same_input::normal;
use std::collections::BTreeMap;
use thiserror::Error;

/// One case: a prompt that may be forwarded once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Case {
    /// Its id.
    pub id: String,
    /// The prompt with LF line ends.
    pub prompt: String,
    /// The prompt as it is compared.
    pub normal: String,
    /// SHA-256 of the prompt, hexadecimal.
    pub sha256: String,
}

impl Case {
    /// A case of this prompt, whose line ends become LF.
    #[must_use]
    pub fn new(id: String, prompt: &str) -> Self {
        let prompt = prompt.replace("\r\n", "\n").replace('\r', "\n");
        Self { id, normal: normal(&prompt), sha256: digest::text(&digest::of(prompt.as_bytes())), prompt }
    }
}

/// A line of the list of cases.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// The case's id.
    pub id: String,
    /// The file of its prompt, below the folder of the list.
    pub prompt_file: String,
}

/// What is wrong with a file of the configuration.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum CaseError {
    /// It is no JSON.
    #[error("it is not JSON: {0}")]
    NotJson(String),
    /// The list is none.
    #[error("it must be a list of {{\"id\": …, \"promptFile\": …}}, one for each case")]
    NoList,
    /// An element of it is none.
    #[error("case {0} must be an object with the texts \"id\" and \"promptFile\"")]
    NoCase(usize),
    /// An empty list.
    #[error("it names no case")]
    Empty,
    /// The models list names none.
    #[error("\"data\"[0].\"id\" must be the provider's name of the model, and not empty")]
    NoModel,
    /// Two cases would be taken for each other.
    #[error(
        "the prompts of {0} and {1} are the same once line ends, indentation, blank lines and list marks are left out of account: no request could be told to belong to one of them"
    )]
    Alike(String, String),
}

/// Reads the list of cases. Of an id that stands twice, the last one counts, in the place of the first.
///
/// # Errors
/// What is wrong with it.
pub fn read_list(bytes: &[u8]) -> Result<Vec<Listed>, CaseError> {
    let tape = parse(bytes).map_err(|broken| CaseError::NotJson(broken.to_string()))?;
    if tape.root().kind() != Kind::Array {
        return Err(CaseError::NoList);
    }
    let mut listed: Vec<Listed> = Vec::new();
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (at, entry) in tape.root().items().enumerate() {
        let text = |key| entry.get(key).and_then(Value::as_str).map(|text| text.into_owned());
        let (Some(id), Some(prompt_file)) = (text("id"), text("promptFile")) else {
            return Err(CaseError::NoCase(at));
        };
        let place = *places.entry(id.clone()).or_insert(listed.len());
        match listed.get_mut(place) {
            Some(known) => known.prompt_file = prompt_file,
            None => listed.push(Listed { id, prompt_file }),
        }
    }
    if listed.is_empty() { Err(CaseError::Empty) } else { Ok(listed) }
}

/// Reads the provider's list of models: its first model is the one that is asked.
///
/// # Errors
/// What is wrong with it.
pub fn read_model(bytes: &[u8]) -> Result<String, CaseError> {
    let tape = parse(bytes).map_err(|broken| CaseError::NotJson(broken.to_string()))?;
    let first = tape.root().get("data").and_then(|data| data.items().next());
    let id = first.and_then(|model| model.get("id")).and_then(Value::as_str);
    id.filter(|id| !id.is_empty()).map(|id| id.into_owned()).ok_or(CaseError::NoModel)
}

/// Refuses cases that no request could be told to belong to.
///
/// # Errors
/// The first two that are alike.
pub fn all_differ(cases: &[Case]) -> Result<(), CaseError> {
    let mut known: BTreeMap<&str, &Case> = BTreeMap::new();
    for case in cases {
        if let Some(other) = known.insert(&case.normal, case) {
            return Err(CaseError::Alike(other.id.clone(), case.id.clone()));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_of_an_id_counts() {
        let list =
            br#"[{"id":"a","promptFile":"1"},{"id":"b","promptFile":"2"},{"id":"a","promptFile":"3"}]"#;
        let files: Vec<_> =
            read_list(list).unwrap().into_iter().map(|row| (row.id, row.prompt_file)).collect();
        assert_eq!(files, [("a".to_owned(), "3".to_owned()), ("b".to_owned(), "2".to_owned())]);
    }

    #[test]
    fn mistakes_of_the_files_are_named() {
        for (bytes, error) in [
            (&b"{}"[..], CaseError::NoList),
            (b"[]", CaseError::Empty),
            (b"[{\"id\":\"a\",\"promptFile\":\"1\"},{\"id\":5}]", CaseError::NoCase(1)),
        ] {
            assert_eq!(read_list(bytes), Err(error));
        }
        assert!(matches!(read_list(b"["), Err(CaseError::NotJson(_))));
        for bytes in [&b"{}"[..], b"{\"data\":[]}", b"{\"data\":[{\"id\":\"\"}]}", b"{\"data\":[{\"id\":7}]}"]
        {
            assert_eq!(read_model(bytes), Err(CaseError::NoModel));
        }
        assert_eq!(read_model(b"{\"data\":[{\"id\":\"m\"},{\"id\":\"n\"}]}").unwrap(), "m");
    }

    #[test]
    fn prompts_that_are_compared_equal_are_refused() {
        let case = |id: &str, prompt| Case::new(id.to_owned(), prompt);
        let alike = [case("a", "- x\n y"), case("b", "z"), case("c", "* x\r\n\r\ny ")];
        assert_eq!(all_differ(&alike), Err(CaseError::Alike("a".to_owned(), "c".to_owned())));
        assert_eq!(all_differ(&alike[..2]), Ok(()));
    }
}
