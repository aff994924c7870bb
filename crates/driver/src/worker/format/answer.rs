//! What goes into a format and what comes out: owned files, changes, leniencies, and errors that a model can act on.

/// What may be done with an owned file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// It exists and may be changed.
    Edit,
    /// It does not exist and may be made.
    Create,
}

/// How the lines of a file end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Eol {
    /// Every line with LF.
    Lf,
    /// Every line with CR LF.
    CrLf,
    /// In several ways.
    Mixed,
    /// Every line with CR alone.
    Cr,
    /// There is no line end.
    None,
}

impl Eol {
    /// How the lines of a text end.
    #[must_use]
    pub fn of(text: &str) -> Self {
        let feeds = text.matches('\n').count();
        let returns = text.matches('\r').count();
        let pairs = text.matches("\r\n").count();
        match (feeds - pairs, returns - pairs, pairs) {
            (0, 0, 0) => Self::None,
            (_, 0, 0) => Self::Lf,
            (0, 0, _) => Self::CrLf,
            (0, _, 0) => Self::Cr,
            _ => Self::Mixed,
        }
    }
}

/// A file that the worker owns, as it was when the model was asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owned {
    /// Its path as the model is told it.
    pub path: String,
    /// What may be done with it.
    pub mode: Mode,
    /// Its text without the byte order mark; `None` for a file that is to be made.
    pub text: Option<String>,
    /// How its lines end.
    pub eol: Eol,
    /// Whether it began with a byte order mark.
    pub bom: bool,
    /// Whether its last line ends.
    pub final_newline: bool,
}

/// U+FEFF at the start of a text.
pub(super) const BOM: char = '\u{FEFF}';

impl Owned {
    /// A file that exists; `text` is what its bytes say in UTF-8, with its byte order mark if it has one.
    #[must_use]
    pub fn edit(path: impl Into<String>, text: &str) -> Self {
        let bare = text.strip_prefix(BOM).unwrap_or(text);
        Self {
            path: path.into(),
            mode: Mode::Edit,
            text: Some(bare.to_owned()),
            eol: Eol::of(bare),
            bom: bare.len() != text.len(),
            final_newline: bare.ends_with(['\n', '\r']),
        }
    }

    /// A file that does not exist yet.
    #[must_use]
    pub fn create(path: impl Into<String>) -> Self {
        Self {
            path: path.into(),
            mode: Mode::Create,
            text: None,
            eol: Eol::None,
            bom: false,
            final_newline: false,
        }
    }
}

/// One file's new contents.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The path as the answer named it.
    pub path: String,
    /// The whole new text. Before [`super::guard::judge`] without byte order mark and with line ends as they came.
    pub contents: String,
}

/// A step off the strict reading that made an answer readable. Each one is reported.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Leniency {
    /// A byte order mark before the answer was left out.
    ByteOrderMark,
    /// A `<think>` block before the answer was left out.
    ThinkBlock,
    /// A fence around the whole JSON answer was taken off.
    Fence,
    /// Prose around the one JSON object was left out.
    ProseAround,
    /// A path line was not alone directly above its fence, or was decorated.
    PathLine {
        /// The path.
        path: String,
    },
    /// The numbers of a hunk header were wrong or absent; the hunk stands where its lines are.
    HunkNumbers {
        /// The file.
        path: String,
        /// Which hunk of the file, from 1.
        hunk: usize,
    },
    /// A hunk was found only without regard to white space at the ends of lines.
    TrailingSpace {
        /// The file.
        path: String,
        /// Which hunk of the file, from 1.
        hunk: usize,
    },
    /// Empty lines in a hunk were read as empty lines of the file.
    BlankContext {
        /// The file.
        path: String,
        /// Which hunk of the file, from 1.
        hunk: usize,
    },
}

impl Leniency {
    /// Its name in reports.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::ByteOrderMark => "byte_order_mark",
            Self::ThinkBlock => "think_block",
            Self::Fence => "fence",
            Self::ProseAround => "prose_around",
            Self::PathLine { .. } => "path_line",
            Self::HunkNumbers { .. } => "hunk_numbers",
            Self::TrailingSpace { .. } => "trailing_space",
            Self::BlankContext { .. } => "blank_context",
        }
    }
}

/// A read answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// What the model says it did; `None` where it said nothing.
    pub summary: Option<String>,
    /// Whether the model calls the task finished.
    pub done: bool,
    /// The files, in the answer's order. One path may stand here twice: that is for the rules of ownership to refuse.
    pub changes: Vec<Change>,
    /// What was not strict about the answer, in the order in which it was met.
    pub leniencies: Vec<Leniency>,
}

/// A place in an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum At {
    /// An RFC 6901 pointer into the JSON answer; `""` is the whole.
    Pointer(String),
    /// A line of the answer, from 1.
    Line(usize),
    /// The answer as a whole.
    Whole,
}

/// Why an answer cannot be read, in words for the model that wrote it. Its text is
/// bounded: some lines, at most 2,200 characters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FormatError {
    /// What kind of fault, as one word for reports: `not_json`, `hunk_not_found`.
    pub code: &'static str,
    /// Where.
    pub at: At,
    /// What is wrong there.
    pub what: String,
    /// What would be right.
    pub right: String,
}

/// Characters of a foreign text that an error repeats.
const QUOTED: usize = 160;
/// Characters of the longest part of an error.
const LONGEST: usize = 960;

impl FormatError {
    pub(super) fn new(code: &'static str, at: At, what: impl Into<String>, right: impl Into<String>) -> Self {
        let at = match at {
            At::Pointer(pointer) => At::Pointer(shorten(&pointer, QUOTED)),
            At::Line(_) | At::Whole => at,
        };
        Self { code, at, what: shorten(&what.into(), LONGEST), right: shorten(&right.into(), LONGEST) }
    }
}

impl std::fmt::Display for FormatError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match &self.at {
            At::Pointer(pointer) if pointer.is_empty() => f.write_str("at the top of the JSON answer: ")?,
            At::Pointer(pointer) => write!(f, "at {pointer}: ")?,
            At::Line(line) => write!(f, "at line {line} of the answer: ")?,
            At::Whole => {}
        }
        write!(f, "{}. Right would be: {}", self.what, self.right)
    }
}

impl std::error::Error for FormatError {}

/// A text in at most so many characters.
fn shorten(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

/// A foreign text as an error repeats it: on one line, in quotes, bounded.
pub(super) fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text, QUOTED))
}
