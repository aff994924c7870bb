//! A mistake in a file that somebody wrote: what, where, and what to do about it.

use crate::node::Node;
use crate::pointer;
use crate::read::File;
use crate::scenario::Place;
use rehearsal_wire::json::write_string;
use std::collections::BTreeMap;
use std::fmt;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Severity {
    /// The file cannot be used.
    Error,
    /// The file can be used, but probably does not do what its author wants.
    Warning,
}

/// What sort of mistake it is; stable, for programs that read the findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The text is not JSON, not YAML or not UTF-8.
    Syntax,
    /// A key stands twice in one map.
    DuplicateKey,
    /// Nested too deep, repeated too often, or expanded too far.
    TooMuch,
    /// The file's version is not one that this program reads.
    Version,
    /// A field that does not exist.
    UnknownField,
    /// A field that must be there is not.
    MissingField,
    /// A value of the wrong type or out of its range.
    WrongValue,
    /// A name of a rule, a fault or a parameter that does not exist.
    UnknownName,
    /// Two things bear the same name.
    Clash,
    /// Two parts of the file contradict each other, so that nothing could ever pass.
    Contradiction,
    /// Recorded traffic that a file names is not there, or is not what was recorded.
    Cassette,
    /// Legal, but likely to surprise.
    Suspicious,
}

impl Code {
    /// The code as programs read it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Syntax => "syntax",
            Self::DuplicateKey => "duplicate-key",
            Self::TooMuch => "too-much",
            Self::Version => "version",
            Self::UnknownField => "unknown-field",
            Self::MissingField => "missing-field",
            Self::WrongValue => "wrong-value",
            Self::UnknownName => "unknown-name",
            Self::Clash => "clash",
            Self::Contradiction => "contradiction",
            Self::Cassette => "cassette",
            Self::Suspicious => "suspicious",
        }
    }
}

/// One mistake.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The file as it was named.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// JSON pointer (RFC 6901) to the value, or to that of the key, that stands there. Empty for the whole file, and where the text is
    /// no JSON and no YAML.
    pub pointer: String,
    /// How much it weighs.
    pub severity: Severity,
    /// What sort of mistake it is.
    pub code: Code,
    /// What is wrong: one sentence without a full stop.
    pub message: String,
    /// What to write instead, where that is known.
    pub hint: Option<String>,
}

impl Severity {
    /// Its word, as programs read it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Error => "error",
            Self::Warning => "warning",
        }
    }
}

/// Findings as a JSON list, one a line: `file`, `line`, `column`, `pointer`, `severity`, `code`, `message` and `hint`, which may be null.
#[must_use]
pub fn to_json(findings: &[Finding]) -> String {
    let mut out = b"[".to_vec();
    for (place, finding) in findings.iter().enumerate() {
        let Finding { file, line, column, pointer, severity, code, message, hint } = finding;
        out.extend_from_slice(if place == 0 { b"\n  {\"file\": " } else { b",\n  {\"file\": " });
        write_string(&mut out, file);
        out.extend_from_slice(format!(", \"line\": {line}, \"column\": {column}").as_bytes());
        for (key, text) in [
            ("pointer", pointer.as_str()),
            ("severity", severity.word()),
            ("code", code.word()),
            ("message", message),
        ] {
            out.extend_from_slice(format!(", \"{key}\": ").as_bytes());
            write_string(&mut out, text);
        }
        out.extend_from_slice(b", \"hint\": ");
        match hint {
            Some(hint) => write_string(&mut out, hint),
            None => out.extend_from_slice(b"null"),
        }
        out.push(b'}');
    }
    out.extend_from_slice(if findings.is_empty() { b"]\n" } else { b"\n]\n" });
    String::from_utf8_lossy(&out).into_owned()
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let weight = match self.severity {
            Severity::Error => "",
            Severity::Warning => "warning: ",
        };
        write!(f, "{}:{}:{}: {weight}{}", self.file, self.line, self.column, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\n  hint: {hint}"),
            None => Ok(()),
        }
    }
}

/// Fills in the pointers of findings that were made from places, without the tree of their file.
pub fn point(findings: &mut [Finding], files: &[File<'_>]) {
    let mut lost: BTreeMap<String, Vec<&mut Finding>> = BTreeMap::new();
    for finding in findings.iter_mut().filter(|finding| finding.pointer.is_empty()) {
        lost.entry(finding.file.clone()).or_default().push(finding);
    }
    for file in files {
        if let Some(lost) = lost.remove(file.name) {
            pointer::fill(lost, file);
        }
    }
}

/// A place in the file that is being read; line and column from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Spot {
    pub(crate) line: u32,
    pub(crate) column: u32,
    /// Whether a key begins there; a map of YAML may begin where its first key does.
    pub(crate) key: bool,
}

impl Spot {
    pub(crate) const START: Self = Self { line: 1, column: 1, key: false };

    /// The same place as that of a key.
    pub(crate) fn of_key(self) -> Self {
        Self { key: true, ..self }
    }
}

/// All that was found in one file so far.
pub(crate) struct Findings<'f> {
    pub(crate) file: &'f str,
    list: Vec<(Spot, Finding)>,
}

impl<'f> Findings<'f> {
    pub(crate) fn new(file: &'f str) -> Self {
        Self { file, list: Vec::new() }
    }

    /// A place in this file, for what outlives it.
    pub(crate) fn place(&self, at: Spot) -> Place {
        Place { file: self.file.to_owned(), line: at.line as usize, column: at.column as usize }
    }

    pub(crate) fn error(&mut self, at: Spot, code: Code, message: impl Into<String>) {
        self.push(at, Severity::Error, code, message.into(), None);
    }

    pub(crate) fn error_with_hint(
        &mut self,
        at: Spot,
        code: Code,
        message: impl Into<String>,
        hint: impl Into<String>,
    ) {
        self.push(at, Severity::Error, code, message.into(), Some(hint.into()));
    }

    pub(crate) fn warning(&mut self, at: Spot, message: impl Into<String>, hint: impl Into<String>) {
        self.push(at, Severity::Warning, Code::Suspicious, message.into(), Some(hint.into()));
    }

    fn push(&mut self, at: Spot, severity: Severity, code: Code, message: String, hint: Option<String>) {
        let (line, column) = (at.line as usize, at.column as usize);
        let (file, pointer) = (self.file.to_owned(), String::new());
        self.list.push((at, Finding { file, line, column, pointer, severity, code, message, hint }));
    }

    /// The findings in the order of the file, each once: a script that several phrasings share is read for each. Their pointers
    /// come from the file's tree, where there is one.
    pub(crate) fn into_sorted(self, root: Option<&Node>) -> Vec<Finding> {
        let mut list = match root {
            Some(root) => pointer::filled(self.list, root),
            None => self.list.into_iter().map(|(_, finding)| finding).collect(),
        };
        list.sort_by(|a, b| {
            (a.line, a.column, a.severity, a.code, &a.message)
                .cmp(&(b.line, b.column, b.severity, b.code, &b.message))
        });
        list.dedup();
        list
    }
}
