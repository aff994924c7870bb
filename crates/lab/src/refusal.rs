//! Why a subsystem did not do what it was asked for: a refusal with a code, or the world's failure.

/// Why an operation has no fact.
#[derive(Clone, Debug, PartialEq)]
pub enum Stop {
    /// The subsystem refuses, and says why. A case can declare that it must.
    Refused(Refusal),
    /// The world failed: a full disk, a missing program. Never what a case declares.
    Failed(String),
    /// It took longer than its time limit, and was ended.
    TimedOut,
    /// This system cannot do that at all.
    Unsupported(String),
}

/// A refusal.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// What sort it is.
    pub code: Code,
    /// One sentence without a full stop. Names from outside are escaped in it.
    pub message: String,
    /// The path that was asked for, where there was one, escaped: no control characters.
    pub path: Option<String>,
    /// What the system answered, such as `ELOOP`, where it was asked.
    pub system: Option<&'static str>,
}

impl Refusal {
    pub(crate) fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), path: None, system: None }
    }
}

/// What whoever runs the steps refuses before a subsystem is asked.
impl Refusal {
    /// A refusal of this code: one sentence that says why.
    #[must_use]
    pub fn of(code: Code, message: impl Into<String>) -> Self {
        Self::new(code, message)
    }

    /// An input that is of no use: one sentence that says which and why.
    #[must_use]
    pub fn of_input(message: impl Into<String>) -> Self {
        Self::new(Code::Input, message)
    }

    /// A reference that led nowhere: one sentence that says which.
    #[must_use]
    pub fn of_reference(message: impl Into<String>) -> Self {
        Self::new(Code::Reference, message)
    }

    /// A permission that is not listed.
    #[must_use]
    pub fn of_permission(message: impl Into<String>) -> Self {
        Self::new(Code::Permission, message)
    }
}

impl Stop {
    /// Why, in one sentence without a full stop; a refusal with its code.
    #[must_use]
    pub fn sentence(&self) -> String {
        match self {
            Self::Refused(refusal) => format!("{}: {}", refusal.code.word(), refusal.message),
            Self::Failed(why) | Self::Unsupported(why) => why.clone(),
            Self::TimedOut => "it was ended at its time limit".to_owned(),
        }
    }
}

impl From<Refusal> for Stop {
    fn from(refusal: Refusal) -> Self {
        Self::Refused(refusal)
    }
}

/// What a code means to people.
struct Words {
    word: &'static str,
    /// Whether it says that something is not permitted.
    permission: bool,
    /// The exception that the reference program raises for it.
    raised: &'static str,
    meaning: &'static str,
    remedy: &'static str,
}

/// The closed set of codes. Those that begin with `E_PATH`, and the kinds of file, are the workspace's.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Code {
    /// The path is empty, or names the workspace itself.
    PathEmpty,
    /// The path begins at a root, a drive or a home.
    PathAbsolute,
    /// A part of the path is `..`.
    PathParent,
    /// The path holds the character zero.
    PathNul,
    /// The path is not in the one form of Unicode that names have.
    PathEncoding,
    /// The path holds a control character or one that turns the direction of writing.
    PathControl,
    /// The path or a part of it is too long.
    PathTooLong,
    /// A part of the path is a name that some systems keep for themselves.
    PathReserved,
    /// The path would lead out of the workspace.
    PathEscape,
    /// A symbolic link stands in the way.
    Symlink,
    /// A link of `/proc` stands in the way.
    Magiclink,
    /// The file has a second name somewhere.
    Hardlink,
    /// What stands there is no regular file.
    NotRegular,
    /// What stands there is on another file system.
    CrossDevice,
    /// The name is one under which secrets are kept.
    SecretName,
    /// The path begins where nobody may write.
    DeniedPrefix,
    /// A name beside it differs only in its case.
    CaseCollision,
    /// The file may not be written.
    Readonly,
    /// The session has used up what it may write.
    Quota,
    /// What stood there changed while it was used.
    Race,
    /// The workflow's permissions do not list what the step needs.
    Permission,
    /// The address is not on this machine.
    NotLoopback,
    /// There is no such file.
    NoFile,
    /// There is no such thing in the store.
    Unknown,
    /// There is such a thing already.
    Exists,
    /// The thing belongs to another session or project.
    Foreign,
    /// A value is not one that the store keeps.
    Invalid,
    /// There is no such line of descent.
    NoEdge,
    /// The line of descent would lead back to itself.
    Cycle,
    /// Stored bytes are not those that were stored.
    Digest,
    /// No session is open.
    NoSession,
    /// A program ended with a failure.
    Exit,
    /// Nobody answered as HTTP should be answered.
    Http,
    /// An input of the step is of no use.
    Input,
    /// A reference led to nothing that was observed. No case can declare it: it says nothing of what was to be tested.
    Reference,
}

impl Code {
    /// All of them.
    pub const ALL: &[Self] = &[
        Self::PathEmpty,
        Self::PathAbsolute,
        Self::PathParent,
        Self::PathNul,
        Self::PathEncoding,
        Self::PathControl,
        Self::PathTooLong,
        Self::PathReserved,
        Self::PathEscape,
        Self::Symlink,
        Self::Magiclink,
        Self::Hardlink,
        Self::NotRegular,
        Self::CrossDevice,
        Self::SecretName,
        Self::DeniedPrefix,
        Self::CaseCollision,
        Self::Readonly,
        Self::Quota,
        Self::Race,
        Self::Permission,
        Self::NotLoopback,
        Self::NoFile,
        Self::Unknown,
        Self::Exists,
        Self::Foreign,
        Self::Invalid,
        Self::NoEdge,
        Self::Cycle,
        Self::Digest,
        Self::NoSession,
        Self::Exit,
        Self::Http,
        Self::Input,
        Self::Reference,
    ];

    /// Its word, as in files and reports.
    #[must_use]
    pub fn word(self) -> &'static str {
        self.words().word
    }

    /// Whether it says that something is not permitted.
    #[must_use]
    pub fn is_permission(self) -> bool {
        self.words().permission
    }

    /// The exception that the reference program raises in its place.
    #[must_use]
    pub fn raised(self) -> &'static str {
        self.words().raised
    }

    /// What it means: a sentence without a full stop.
    #[must_use]
    pub fn meaning(self) -> &'static str {
        self.words().meaning
    }

    /// What to do about it.
    #[must_use]
    pub fn remedy(self) -> &'static str {
        self.words().remedy
    }

    fn words(self) -> &'static Words {
        &WORDS[self as usize]
    }
}

const fn permission(
    word: &'static str,
    raised: &'static str,
    meaning: &'static str,
    remedy: &'static str,
) -> Words {
    Words { word, permission: true, raised, meaning, remedy }
}

const fn failure(
    word: &'static str,
    raised: &'static str,
    meaning: &'static str,
    remedy: &'static str,
) -> Words {
    Words { word, permission: false, raised, meaning, remedy }
}

/// The words of the codes, in the order of [`Code`]; a test holds the two together.
const WORDS: &[Words] = &[
    permission(
        "E_PATH_EMPTY",
        "ValueError",
        "the path is empty or names the workspace itself",
        "name a file below the workspace",
    ),
    permission(
        "E_PATH_ABSOLUTE",
        "ValueError",
        "the path begins at a root, a drive or a home",
        "write it relative to the workspace",
    ),
    permission("E_PATH_PARENT", "ValueError", "a part of the path is `..`", "write the path without `..`"),
    permission(
        "E_PATH_NUL",
        "ValueError",
        "the path holds the character zero, behind which many programs see nothing",
        "remove it",
    ),
    permission(
        "E_PATH_ENCODING",
        "ValueError",
        "the path is not in Unicode's composed form (NFC), so it may look like another one",
        "write its letters in the composed form",
    ),
    permission(
        "E_PATH_CONTROL",
        "ValueError",
        "the path holds a control character or one that turns the direction of writing",
        "remove it",
    ),
    permission(
        "E_PATH_TOO_LONG",
        "ValueError",
        "the path is longer than 1,024 bytes, a part of it than 255, or it is too deep",
        "shorten it",
    ),
    permission(
        "E_PATH_RESERVED",
        "ValueError",
        "a part of the path is a name that does not mean the same file on every system: a device name, one with `:` or `\\`, one with a space or dot at its end, `.`, or an empty one",
        "choose another name",
    ),
    permission(
        "E_PATH_ESCAPE",
        "ValueError",
        "the path would lead out of the workspace",
        "stay inside the workspace",
    ),
    permission("E_SYMLINK", "ValueError", "a symbolic link stands in the way", "name the file itself"),
    permission(
        "E_MAGICLINK",
        "ValueError",
        "a link of the kernel's, as below `/proc`, stands in the way",
        "name the file itself",
    ),
    permission(
        "E_HARDLINK",
        "ValueError",
        "the file has a second name, which may lie outside",
        "remove the file, then write it anew",
    ),
    permission(
        "E_NOT_REGULAR",
        "ValueError",
        "what stands there is a folder, a pipe, a socket or a device",
        "name a regular file",
    ),
    permission(
        "E_CROSS_DEVICE",
        "ValueError",
        "what stands there is on another file system than the workspace",
        "keep the workspace on one file system",
    ),
    permission(
        "E_SECRET_NAME",
        "ValueError",
        "the name is one under which secrets are kept, such as `.env` or `id_rsa`",
        "choose another name",
    ),
    permission(
        "E_DENIED_PREFIX",
        "ValueError",
        "the path begins where nobody may write, such as `.git/`",
        "choose another folder",
    ),
    permission(
        "E_CASE_COLLISION",
        "ValueError",
        "a name beside it differs only in its case, so that some systems would take them for one",
        "choose another name",
    ),
    permission(
        "E_READONLY",
        "PermissionError",
        "the file may not be written",
        "give it the permission to be written, or choose another one",
    ),
    permission(
        "E_QUOTA",
        "ValueError",
        "the session has used up the files, folders or bytes that it may write, or an answer is too large",
        "write or ask for less",
    ),
    permission(
        "E_RACE",
        "ValueError",
        "what stood at the path changed while it was used",
        "let one at a time work on it",
    ),
    permission(
        "E_PERMISSION",
        "PermissionError",
        "the step needs a permission that the workflow does not list",
        "list it in `permissions`, or leave the step out",
    ),
    permission(
        "E_NOT_LOOPBACK",
        "PermissionError",
        "the address is not on this machine",
        "ask under a loopback address",
    ),
    failure(
        "E_NO_FILE",
        "RuntimeError",
        "there is no such file in the workspace",
        "write it in an earlier step",
    ),
    failure(
        "E_UNKNOWN",
        "KeyError",
        "there is no such thing in the store",
        "use what an earlier step gave, as `${id.field}`",
    ),
    failure("E_EXISTS", "ValueError", "there is such a thing already", "choose another name"),
    failure(
        "E_FOREIGN",
        "ValueError",
        "the thing belongs to another session or project",
        "use one of this session",
    ),
    failure("E_INVALID", "ValueError", "a value is not one that the store keeps", "give it another value"),
    failure(
        "E_NO_EDGE",
        "RuntimeError",
        "the store knows no such line of descent",
        "name its inputs when the artifact is saved",
    ),
    failure(
        "E_CYCLE",
        "ValueError",
        "the line of descent would lead back to itself",
        "an artifact cannot come from what was made of it",
    ),
    failure(
        "E_DIGEST",
        "RuntimeError",
        "the bytes are not those that were stored, or not those whose digest was given",
        "store them again",
    ),
    failure("E_NO_SESSION", "KeyError", "no session is open", "begin with the step `open_session`"),
    failure(
        "E_EXIT",
        "RuntimeError",
        "a program ended with a failure",
        "read what it printed, or give `may_fail: true` and expect its `status`",
    ),
    failure(
        "E_HTTP",
        "RuntimeError",
        "nobody answered as HTTP is answered",
        "look whether the server runs and at what it sends",
    ),
    failure("E_INPUT", "ValueError", "an input of the step is of no use", "correct what the message names"),
    failure(
        "E_REFERENCE",
        "KeyError",
        "a reference leads to nothing that was observed, such as to a field that is not always there; no case can declare it",
        "refer to a field that the step surely observes, or look at that step first with `expect`",
    ),
];

const _: () = assert!(WORDS.len() == Code::ALL.len(), "each code has its words");

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_code_finds_its_own_words() {
        let words: BTreeSet<_> = Code::ALL.iter().map(|code| code.word()).collect();
        assert_eq!(words.len(), Code::ALL.len());
        for (at, code) in Code::ALL.iter().enumerate() {
            assert_eq!(*code as usize, at, "{code:?} stands elsewhere in `ALL` than among the codes");
            // E_PATH_EMPTY belongs to PathEmpty.
            let name: String = format!("{code:?}").to_lowercase();
            assert_eq!(code.word().trim_start_matches("E_").replace('_', "").to_lowercase(), name);
        }
    }
}
