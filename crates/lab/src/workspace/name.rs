//! Which texts name a file of a workspace: one spelling each, and none that any system would read as something else.
//!
//! Names only: nothing here looks at a disk. What passes here means the same file on Linux, macOS and Windows, shows all of its
//! characters, and is no name under which secrets or the histories of version control are kept.

use crate::refusal::Code;
use unicode_normalization::{UnicodeNormalization as _, is_nfc};

/// Most bytes of a part of a path: what file systems take.
const PART: usize = 255;

/// Most bytes of a path.
const WHOLE: usize = 1024;

/// How much of a path that is too long is shown.
const SHOWN: usize = 256;

/// Characters that Windows takes in no name. The separators `\` and `:` have sentences of their own.
const UNUSABLE: &[char] = &['<', '>', '"', '|', '?', '*'];

/// Names that Windows keeps for devices, in every folder and with every ending. The digits of the last two may be superscripts,
/// and for the console there are two more.
/// (<https://learn.microsoft.com/en-us/windows/win32/fileio/naming-a-file>)
const DEVICES: &[&str] = &["con", "prn", "aux", "nul", "conin$", "conout$"];
const NUMBERED: &[&str] = &["com", "lpt"];

/// Whole names under which secrets are kept; beside those that the reference program lists stand the keys of OpenSSH that have
/// the same form, and git's store of passwords.
const SECRETS: &[&str] =
    &[".env", "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".netrc", ".pgpass", ".git-credentials"];

/// Ends of such names, and beginnings.
const SECRET_ENDS: &[&str] = &[".env", ".pem", ".key"];
const SECRET_BEGINNINGS: &[&str] = &[".env."];

/// Folders that nobody writes to or reads from here, wherever they stand. The second is the short name that NTFS gives to the
/// first; below the third lies what we know ourselves.
const DENIED: &[&str] = &[".git", "git~1", ".rehearsal"];

/// Why a text is no path: its code, and the reason as a part of a sentence.
pub(super) type Fault = (Code, String);

/// The parts of a path, where it is one.
///
/// The order is fixed, so that a path with several faults always has the same one. The whole of it: empty, a zero, a beginning
/// that is absolute, a part `..` by either separator, characters that are not seen, the form of Unicode, lengths and depth. Then
/// part by part from the left: reserved, denied, secret.
pub(super) fn parts(path: &str, depth: usize) -> Result<Vec<&str>, Fault> {
    let fault = |code, why: &str| Err((code, why.to_owned()));
    if matches!(path, "" | ".") {
        return fault(Code::PathEmpty, "it names no file");
    }
    if path.contains('\0') {
        return fault(Code::PathNul, "it holds the character zero");
    }
    if let Some(why) = absolute(path) {
        return fault(Code::PathAbsolute, why);
    }
    if path.split(['/', '\\']).any(|part| part == "..") {
        return fault(Code::PathParent, "a part of it is `..`");
    }
    if let Some(unseen) = path.chars().find(|c| is_unseen(*c)) {
        return Err((Code::PathControl, format!("it holds the character U+{:04X}", u32::from(unseen))));
    }
    if !is_nfc(path) {
        return fault(Code::PathEncoding, "it is not in Unicode normal form C");
    }
    if path.len() > WHOLE {
        return Err((Code::PathTooLong, format!("it is longer than {WHOLE} bytes")));
    }
    let parts: Vec<_> = path.split('/').collect();
    if parts.iter().any(|part| part.len() > PART) {
        return Err((Code::PathTooLong, format!("a part of it is longer than {PART} bytes")));
    }
    if parts.len() > depth {
        return Err((Code::PathTooLong, format!("it has more than {depth} parts")));
    }
    match parts.iter().find_map(|part| part_fault(part)) {
        Some(fault) => Err(fault),
        None => Ok(parts),
    }
}

fn absolute(path: &str) -> Option<&'static str> {
    if path.starts_with("//") || path.starts_with(r"\\") {
        return Some("it begins with the name of a server");
    }
    if path.starts_with(['/', '\\']) {
        return Some("it begins at the root");
    }
    if path.starts_with('~') {
        return Some("it begins at a home");
    }
    match path.as_bytes() {
        [drive, b':', ..] if drive.is_ascii_alphabetic() => Some("it begins with a drive"),
        _ => None,
    }
}

fn part_fault(part: &str) -> Option<Fault> {
    if let Some(why) = reserved(part) {
        return Some((Code::PathReserved, why.to_owned()));
    }
    let folded = fold(part);
    // Beside its folder stand files of our own, for a moment each.
    if DENIED.contains(&folded.as_str()) || folded.starts_with(rehearsal_world::beneath::OURS) {
        return Some((Code::DeniedPrefix, format!("nobody writes or reads below `{}` here", escaped(part))));
    }
    let is_secret = SECRETS.contains(&folded.as_str())
        || SECRET_ENDS.iter().any(|end| folded.ends_with(end))
        || SECRET_BEGINNINGS.iter().any(|beginning| folded.starts_with(beginning));
    is_secret.then(|| (Code::SecretName, format!("secrets are kept under names such as `{}`", escaped(part))))
}

fn reserved(part: &str) -> Option<&'static str> {
    match part {
        "" => return Some("it has an empty part, or ends in `/`"),
        "." => return Some("a part of it is `.`"),
        _ => {}
    }
    if part.contains('\\') {
        return Some("it holds a backslash, which separates parts on some systems");
    }
    if part.contains(':') {
        return Some("it holds a colon, behind which some systems keep another file");
    }
    if part.contains(UNUSABLE) {
        return Some("it holds one of the characters < > \" | ? *, which some systems take in no name");
    }
    if part.ends_with('.') || part.ends_with(char::is_whitespace) {
        return Some("a part of it ends in a dot or a space, which some systems drop");
    }
    if part.starts_with(char::is_whitespace) {
        return Some("a part of it begins with a space");
    }
    is_device(part).then_some("a part of it is the name of a device on some systems")
}

fn is_device(part: &str) -> bool {
    let stem = part.split('.').next().unwrap_or(part).trim_end().to_ascii_lowercase();
    let is_number = |rest: &str| {
        let mut digits = rest.chars();
        let digit = digits.next();
        digits.next().is_none() && digit.is_some_and(|c| c.is_ascii_digit() || matches!(c, '¹' | '²' | '³'))
    };
    DEVICES.contains(&stem.as_str())
        || NUMBERED.iter().any(|kind| stem.strip_prefix(kind).is_some_and(is_number))
}

/// A name in a form that is equal where some file system takes two names for one: composed, and upper and then lower case of each
/// character, which brings together what case folding does (sharp s and `ss`, both small sigmas, the Kelvin sign).
pub(super) fn fold(name: &str) -> String {
    if name.is_ascii() {
        return name.to_ascii_lowercase();
    }
    name.nfc().flat_map(char::to_uppercase).flat_map(char::to_lowercase).nfc().collect()
}

/// A path as it may stand in a message or a report: nothing in it moves a cursor, hides, or turns the direction of writing, and
/// two paths never look the same. One that is too long to be one is cut.
pub(super) fn escaped(path: &str) -> String {
    let mut out = String::with_capacity(path.len());
    for (at, c) in path.char_indices() {
        if path.len() > WHOLE && at >= SHOWN {
            out.push('…');
            break;
        }
        match c {
            '\\' => out.push_str("\\\\"),
            c if is_unseen(c) => out.extend(c.escape_default()),
            c => out.push(c),
        }
    }
    out
}

/// Control characters, and characters that show nothing or change what stands around them: those of the Unicode general
/// categories Cc, Cf, Zl and Zp, and those with the property `Default_Ignorable_Code_Point` (Unicode 16,
/// `DerivedCoreProperties.txt`). Some file systems ignore some of them in names.
pub(crate) fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c,
            '\u{ad}'
            | '\u{34f}'
            | '\u{600}'..='\u{605}'
            | '\u{61c}'
            | '\u{6dd}'
            | '\u{70f}'
            | '\u{890}'..='\u{891}'
            | '\u{8e2}'
            | '\u{115f}'..='\u{1160}'
            | '\u{17b4}'..='\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{feff}'
            | '\u{ffa0}'
            | '\u{fff0}'..='\u{fffb}'
            | '\u{110bd}'
            | '\u{110cd}'
            | '\u{13430}'..='\u{1343f}'
            | '\u{1bca0}'..='\u{1bca3}'
            | '\u{1d173}'..='\u{1d17a}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests;
