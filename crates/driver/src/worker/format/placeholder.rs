//! Lines that stand for code a model left out: "rest of the code unchanged". A table of patterns over stand-alone comment lines.

/// A kind of line.
struct Pattern {
    /// Whether the words must begin with an ellipsis.
    dots: bool,
    /// Groups of words; the line holds one of each group. No group: the line holds no word at all.
    words: &'static [&'static [&'static str]],
    /// The line has no more words than this. Longer ones are sentences about something.
    most: usize,
}

const WHAT_IS_LEFT_OUT: &[&str] = &[
    "rest",
    "remainder",
    "remaining",
    "other",
    "others",
    "existing",
    "previous",
    "original",
    "everything",
    "unchanged",
    "same",
];
const OF_WHAT: &[&str] = &[
    "code",
    "file",
    "function",
    "functions",
    "method",
    "methods",
    "class",
    "classes",
    "implementation",
    "implementations",
    "lines",
    "content",
    "contents",
    "imports",
    "logic",
    "body",
    "definitions",
    "tests",
    "module",
    "script",
    "document",
    "else",
    "section",
    "sections",
    "fields",
    "cases",
    "items",
    "entries",
    "rows",
    "text",
    "part",
    "parts",
    "program",
    "component",
];
const HOW: &[&str] = &[
    "unchanged",
    "same",
    "omitted",
    "remains",
    "remain",
    "stays",
    "stay",
    "unmodified",
    "untouched",
    "skipped",
    "elided",
    "truncated",
    "before",
    "above",
];

/// What such lines look like. Each has an example in the tests, and a sentence that only resembles it.
const PATTERNS: &[Pattern] = &[
    Pattern { dots: true, words: &[], most: 0 },
    Pattern { dots: true, words: &[WHAT_IS_LEFT_OUT], most: 10 },
    Pattern {
        dots: true,
        words: &[&[
            "keep",
            "kept",
            "omitted",
            "snip",
            "snipped",
            "truncated",
            "skipped",
            "elided",
            "unmodified",
            "more",
        ]],
        most: 8,
    },
    Pattern { dots: false, words: &[WHAT_IS_LEFT_OUT, OF_WHAT, HOW], most: 10 },
    Pattern { dots: false, words: &[&["rest", "remainder"], &["of"], OF_WHAT, &["here", "goes"]], most: 8 },
    Pattern {
        dots: false,
        words: &[
            &["omitted", "truncated", "shortened", "skipped", "removed", "elided"],
            &["brevity", "clarity"],
        ],
        most: 10,
    },
    Pattern {
        dots: false,
        words: &[
            &["keep", "leave"],
            &["rest", "existing", "remaining", "original"],
            &["code", "file", "as", "unchanged", "same"],
        ],
        most: 9,
    },
    Pattern { dots: false, words: &[&["existing", "previous", "original"], &["code"], &["here"]], most: 5 },
    Pattern {
        dots: false,
        words: &[&["same"], &["as"], &["before", "above", "original", "previously"]],
        most: 5,
    },
];

/// Lines that stand for something left out by being these words alone.
const ALONE: &[&str] = &[
    "unchanged",
    "no change",
    "no changes",
    "no changes here",
    "omitted",
    "snip",
    "rest unchanged",
    "code unchanged",
    "existing code",
    "rest of code",
    "rest of the code",
    "rest of file",
    "rest of the file",
    "remaining code",
    "same as before",
    "as before",
];

/// What opens a comment, in the languages that models are asked for.
const OPENERS: &[&str] = &["{/*", "<!--", "//", "/*", "#", "--", ";", "%", "*", "\"\"\"", "'''", "REM "];
/// What closes one.
const CLOSERS: &[&str] = &["*/}", "*/", "-->", "\"\"\"", "'''"];
/// Bytes of a line that is looked at; a longer one is code.
const LONGEST: usize = 200;

/// Endings of files in which `#` and `*` open headings and lists.
const PROSE: &[&str] = &[".md", ".markdown", ".rst", ".txt", ".adoc"];

/// Whether a file is prose by its name: `#` and `*` open no comment there.
pub(super) fn is_prose(path: &str) -> bool {
    let path = path.to_ascii_lowercase();
    PROSE.iter().any(|ending| path.ends_with(ending))
}

/// Whether a line stands for text that was left out: a comment and nothing else, or words between dots and no code, that says so.
/// A line of code that holds such words in a string is none.
pub(super) fn is_placeholder(line: &str, is_prose: bool) -> bool {
    let line = line.trim();
    if line.len() > LONGEST || line.is_empty() {
        return false;
    }
    let opener = OPENERS.iter().find(|opener| line.starts_with(**opener));
    let is_comment = opener.is_some_and(|opener| !is_prose || ["{/*", "<!--", "//", "/*"].contains(opener));
    let inner = opener
        .map_or(line, |opener| line[opener.len()..].trim_start_matches(['/', '#', '!', '-', ';', '*', '%']));
    let closer = CLOSERS.iter().find(|closer| inner.ends_with(**closer));
    let inner = closer.map_or(inner, |closer| &inner[..inner.len() - closer.len()]).trim();
    let text =
        inner.trim_matches(|c: char| matches!(c, '[' | ']' | '(' | ')' | '<' | '>' | '{' | '}')).trim();
    let leads = text.starts_with("...") || text.starts_with('…');
    let trails = text.ends_with("...") || text.ends_with('…');
    let lower = text.to_lowercase();
    let words: Vec<&str> =
        lower.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| !word.is_empty()).collect();
    let is_said = |pattern: &Pattern| {
        let holds = |group: &&[&str]| words.iter().any(|word| group.contains(word));
        (leads || !pattern.dots) && words.len() <= pattern.most && pattern.words.iter().all(holds)
    };
    let says = |dots: bool| PATTERNS.iter().any(|pattern| pattern.dots <= dots && is_said(pattern));
    if is_comment {
        return ALONE.contains(&words.join(" ").as_str()) || says(true);
    }
    // Outside a comment three dots alone are code in some languages, and words after dots may be prose.
    let is_enclosed = leads && (trails || text.len() != inner.len());
    leads && !words.is_empty() && !looks_like_code(line) && says(is_enclosed)
}

/// Whether a line without a comment's mark holds what such prose does not: spread values, calls, assignments.
fn looks_like_code(line: &str) -> bool {
    let is_spread = |line: &str| !line.trim_start_matches(['[', '.', '…']).trim().contains(' ');
    line.contains([',', '=', ';', '"', '\'', '`', '{', '$']) || is_spread(line)
}
