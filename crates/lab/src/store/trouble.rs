//! Failures of the database and of content as a [`Stop`]: what the schema refuses has a code, what the world refuses a sentence.

use crate::refusal::{Code, Refusal, Stop};
use rehearsal_world::database::{DatabaseError, Rule, Trouble};
use rehearsal_world::vault::VaultError;

impl From<rusqlite::Error> for Stop {
    fn from(error: rusqlite::Error) -> Self {
        match Trouble::of(&error) {
            Trouble::Rule(rule, text) => Self::Refused(refused(rule, &text)),
            trouble => Self::Failed(sentence(&trouble)),
        }
    }
}

/// A refusal with one sentence.
pub(super) fn refuse(code: Code, message: impl Into<String>) -> Stop {
    Stop::Refused(Refusal::new(code, message))
}

/// That a database cannot be opened.
pub(super) fn failed(error: &DatabaseError) -> Stop {
    match error {
        DatabaseError::Taken(path) => {
            refuse(Code::Exists, format!("there is a session store already: {}", escaped(path)))
        }
        DatabaseError::Trouble { path, trouble } => {
            Stop::Failed(format!("{} ({})", sentence(trouble), escaped(path)))
        }
        DatabaseError::NotAFile(_) | DatabaseError::Missing(_) | DatabaseError::System { .. } => {
            Stop::Failed(format!("the session store cannot be opened: {error}"))
        }
    }
}

/// That stored bytes cannot be written or read.
pub(super) fn unkept(error: &VaultError) -> Stop {
    if error.is_full() {
        return Stop::Failed(format!("the disk is full: the session store cannot be written ({error})"));
    }
    Stop::Failed(format!("the content of the session store cannot be read or written: {error}"))
}

fn sentence(trouble: &Trouble) -> String {
    match trouble {
        Trouble::Full => "the disk is full: the session store cannot be written".to_owned(),
        Trouble::ReadOnly => {
            "the disk or the file may only be read: the session store cannot be written".to_owned()
        }
        Trouble::InUse => "the session store is in use by another process".to_owned(),
        Trouble::Damaged(text) => format!("the session store is damaged: {text}"),
        Trouble::Other(text) => format!("the session store cannot be read or written: {text}"),
        Trouble::Rule(_, text) => format!("the session store refuses it: {text}"),
    }
}

/// The code of a rule that was broken. Triggers begin their text with the word of a code.
fn refused(rule: Rule, text: &str) -> Refusal {
    let own = text.split_once(": ");
    let named = own.and_then(|(word, text)| {
        Code::ALL.iter().find(|code| code.word() == word).map(|code| Refusal::new(*code, text))
    });
    named.unwrap_or_else(|| match rule {
        Rule::Unique => Refusal::new(Code::Exists, format!("there is such a thing already: {text}")),
        Rule::Reference => Refusal::new(Code::Unknown, "it refers to something that is not in the store"),
        Rule::Value | Rule::Trigger => {
            Refusal::new(Code::Invalid, format!("the store keeps no such value: {text}"))
        }
    })
}

fn escaped(path: &std::path::Path) -> String {
    path.to_string_lossy().escape_debug().to_string()
}
