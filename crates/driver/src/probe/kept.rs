//! What was found of an endpoint, as a file: written whole, read strictly, added up only where it is of the same thing.

use super::quirk::Observed;
use super::row::{Finding, Findings, Verdict};
use super::sample;
use crate::endpoint::config::Endpoint;
use crate::policy::Tier;
use crate::worker::report::object::Object;
use rehearsal_journal::digest;
use rehearsal_wire::json::{self, Value};
use rehearsal_world::vault::Folder;
use std::path::Path;

/// Version of the file's form.
pub const VERSION: u64 = 1;

/// The folder of such files below the data folder of `drive`.
pub const FOLDER: &str = "capabilities";

/// Largest such file, in bytes.
const LARGEST: u64 = 1 << 20;

/// All that is known of an endpoint and a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// The URL that is asked. No key is in it.
    pub url: String,
    /// The API, by the name of its dialect.
    pub api: String,
    /// The model.
    pub model: String,
    /// When it was probed, milliseconds since 1970.
    pub probed_ms: u64,
    /// Requests of that probe, retries among them.
    pub requests: u64,
    /// What was found.
    pub findings: Findings,
    /// How accurate its answers were, by format.
    pub accuracy: Vec<Accuracy>,
}

/// How many answers in a format were right.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Accuracy {
    /// The format.
    pub format: String,
    /// Version of the fixtures.
    pub fixtures: u64,
    /// The number of the sample that is next.
    pub next: u64,
    /// Right answers.
    pub good: u64,
    /// All answers.
    pub all: u64,
}

/// Why a file cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum KeptError {
    /// It is no such file.
    #[error("{0} is no file of capabilities")]
    Form(&'static str),
    /// It was written by another version.
    #[error("it has format {0}; this program reads format {VERSION}")]
    Version(i64),
    /// It cannot be read or written.
    #[error("{0}")]
    World(String),
}

/// What a file holds; else its name, and why it cannot be used.
pub type Named = Result<Kept, (String, KeptError)>;

impl Kept {
    /// Nothing known of an endpoint yet.
    #[must_use]
    pub fn nothing(endpoint: &Endpoint, model: &str) -> Self {
        let (url, api) = (endpoint.mask().hide(&endpoint.url()), endpoint.dialect().name().to_owned());
        Self { url, api, model: model.to_owned(), ..Self::default() }
    }

    /// The name of its file: a digest of URL, API and model.
    #[must_use]
    pub fn file_name(&self) -> String {
        let sum = digest::of(format!("{}\n{}\n{}", self.url, self.api, self.model).as_bytes());
        format!("{}.json", digest::text(&sum))
    }

    /// A row that was found.
    #[must_use]
    pub fn row(&self, name: &str) -> Option<&Finding> {
        self.findings.rows.iter().find(|row| row.name == name)
    }

    /// Whether the endpoint answered at all.
    #[must_use]
    pub fn answers(&self) -> bool {
        self.row("answers").is_some_and(|row| row.verdict == Verdict::Yes)
    }

    /// The samples of a format; nothing measured where there are none, or of other fixtures.
    #[must_use]
    pub fn accuracy_of(&self, format: &str) -> Accuracy {
        let fits = |one: &&Accuracy| one.format == format && one.fixtures == sample::VERSION;
        let none = Accuracy { format: format.to_owned(), fixtures: sample::VERSION, ..Accuracy::default() };
        self.accuracy.iter().find(fits).cloned().unwrap_or(none)
    }

    /// Puts the samples of a format in the place of those that were there.
    pub fn measured(&mut self, accuracy: Accuracy) {
        self.accuracy.retain(|one| one.format != accuracy.format);
        self.accuracy.push(accuracy);
    }

    /// The tier of answers in a format, and how many of how many were right.
    #[must_use]
    pub fn tier(&self, format: &str) -> (Tier, u64, u64) {
        let Accuracy { good, all, .. } = self.accuracy_of(format);
        (Tier::measured(good, all), good, all)
    }

    /// The file as JSON, one line.
    #[must_use]
    pub fn to_json(&self) -> String {
        let mut object = Object::begin();
        object.number("version", VERSION);
        object.text("url", &self.url);
        object.text("api", &self.api);
        object.text("model", &self.model);
        object.number("probedMs", self.probed_ms);
        object.number("requests", self.requests);
        object.list("capabilities", &self.findings.rows, |row| {
            let mut object = Object::begin();
            object.text("name", &row.name);
            object.text("verdict", row.verdict.name());
            object.text("note", &row.note);
            object.end()
        });
        object.list("quirks", &self.findings.quirks, |quirk| {
            let mut object = Object::begin();
            object.text("name", &quirk.name);
            object.text("note", &quirk.note);
            object.text("row", &quirk.row);
            object.end()
        });
        object.list("accuracy", &self.accuracy, |one| {
            let mut object = Object::begin();
            object.text("format", &one.format);
            object.number("fixtures", one.fixtures);
            object.number("next", one.next);
            object.number("good", one.good);
            object.number("all", one.all);
            object.number("tier", Tier::measured(one.good, one.all).number().into());
            object.end()
        });
        object.end()
    }

    /// Reads such a file.
    ///
    /// # Errors
    /// [`KeptError`] where it is none, or of another version.
    pub fn read(text: &[u8]) -> Result<Self, KeptError> {
        let tape = json::parse(text.trim_ascii()).map_err(|_| KeptError::Form("what is no JSON"))?;
        let root = tape.root();
        match root.get("version").and_then(Value::as_i64) {
            None => return Err(KeptError::Form("a file without a version")),
            Some(version) if u64::try_from(version) != Ok(VERSION) => {
                return Err(KeptError::Version(version));
            }
            Some(_) => {}
        }
        Ok(Self {
            url: string(root, "url")?,
            api: string(root, "api")?,
            model: string(root, "model")?,
            probed_ms: count(root, "probedMs")?,
            requests: count(root, "requests")?,
            findings: Findings {
                rows: list(root, "capabilities", |row| {
                    let verdict = string(row, "verdict")?;
                    let verdict = Verdict::ALL.into_iter().find(|one| one.name() == verdict);
                    let verdict = verdict.ok_or(KeptError::Form("a file with another verdict"))?;
                    Ok(Finding { name: string(row, "name")?, verdict, note: string(row, "note")? })
                })?,
                quirks: list(root, "quirks", |quirk| {
                    let (name, note) = (string(quirk, "name")?, string(quirk, "note")?);
                    Ok(Observed { name, note, row: string(quirk, "row")? })
                })?,
            },
            accuracy: list(root, "accuracy", |one| {
                let (good, all) = (count(one, "good")?, count(one, "all")?);
                if good > all {
                    return Err(KeptError::Form("a file with more right answers than answers"));
                }
                let (fixtures, next) = (count(one, "fixtures")?, count(one, "next")?);
                Ok(Accuracy { format: string(one, "format")?, fixtures, next, good, all })
            })?,
        })
    }

    /// What is kept of an endpoint and a model below a data folder; none where nothing is.
    ///
    /// # Errors
    /// [`KeptError`] where there is a file that cannot be used.
    pub fn load(data: &Path, endpoint: &Endpoint, model: &str) -> Result<Option<Self>, KeptError> {
        let wanted = Self::nothing(endpoint, model);
        let Ok(folder) = Folder::look_into(&data.join(FOLDER)) else { return Ok(None) };
        let bytes = folder.read(&wanted.file_name(), LARGEST).map_err(|error| world(&error))?;
        let Some(bytes) = bytes else { return Ok(None) };
        let kept = Self::read(&bytes)?;
        // A file under another's name says nothing of this endpoint.
        let is_of_it = (&kept.url, &kept.api, &kept.model) == (&wanted.url, &wanted.api, &wanted.model);
        if is_of_it { Ok(Some(kept)) } else { Err(KeptError::Form("a file under another's name")) }
    }

    /// All that is kept below a data folder, by the names of the files; what cannot be used with its reason.
    ///
    /// # Errors
    /// [`KeptError`] where the folder cannot be read.
    pub fn load_all(data: &Path) -> Result<Vec<Named>, KeptError> {
        let Ok(folder) = Folder::look_into(&data.join(FOLDER)) else { return Ok(Vec::new()) };
        let names = folder.names().map_err(|error| world(&error))?;
        let files = names.into_iter().filter(|name| name.ends_with(".json"));
        let read = |name: String| match folder.read(&name, LARGEST) {
            Ok(Some(bytes)) => Self::read(&bytes).map_err(|error| (name, error)),
            Ok(None) => Err((name, KeptError::Form("what is gone"))),
            Err(error) => Err((name, world(&error))),
        };
        Ok(files.map(read).collect())
    }

    /// Keeps it below a data folder, in the place of what was kept of the same.
    ///
    /// # Errors
    /// [`KeptError::World`] where it cannot be written; then the old file is as it was.
    pub fn keep(&self, data: &Path) -> Result<(), KeptError> {
        let folder = Folder::own(&data.join(FOLDER)).map_err(|error| world(&error))?;
        let text = self.to_json() + "\n";
        folder.replace(&self.file_name(), text.as_bytes(), true).map_err(|error| world(&error))
    }
}

/// The tier for an endpoint, a model and a format by what is kept below a data folder, with the right answers and all of them; that
/// of nobody who was measured where nothing is, or nothing that can be used.
#[must_use]
pub fn tier(data: &Path, endpoint: &Endpoint, model: &str, format: &str) -> (Tier, u64, u64) {
    match Kept::load(data, endpoint, model) {
        Ok(Some(kept)) => kept.tier(format),
        Ok(None) | Err(_) => (Tier::UNMEASURED, 0, 0),
    }
}

fn world(error: &dyn std::fmt::Display) -> KeptError {
    KeptError::World(error.to_string())
}

fn string(object: Value<'_>, key: &str) -> Result<String, KeptError> {
    let text = object.get(key).and_then(Value::as_str);
    text.map(std::borrow::Cow::into_owned).ok_or(KeptError::Form("a file that lacks a text"))
}

fn count(object: Value<'_>, key: &str) -> Result<u64, KeptError> {
    let number = object.get(key).and_then(Value::as_i64).and_then(|number| u64::try_from(number).ok());
    number.ok_or(KeptError::Form("a file that lacks a number"))
}

fn list<T>(
    object: Value<'_>,
    key: &str,
    read: impl Fn(Value<'_>) -> Result<T, KeptError>,
) -> Result<Vec<T>, KeptError> {
    let list = object.get(key).ok_or(KeptError::Form("a file that lacks a list"))?;
    list.items().map(read).collect()
}

#[cfg(test)]
mod tests;
