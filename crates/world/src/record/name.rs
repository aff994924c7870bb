//! How the files of a journal are named, and how a name is read back.

use std::fmt::Write as _;

/// The naming of one journal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Name {
    /// `journal-0001.jsonl` and `bodies-0001.bin`.
    Journal,
    /// `<case>.jsonl` and `<case>.bodies`; from the second segment on `<case>.0002.jsonl` and `<case>.0002.bodies`.
    Case(String),
    /// The journal that belonged to no case of one part of a merged run: `journal-p<part>.jsonl` and so on, as for a case.
    Part(u32),
}

/// What the names of the journal that belongs to no case begin with; no case's do.
const OWN: &str = "journal-";

/// Longest stem before it is shortened, in bytes: file systems allow 255 for the whole name.
const LONGEST: usize = 160;

/// A case's name as the beginning of a file name: whatever is no letter, digit, `-` or `_` becomes `%XX`.
#[must_use]
pub fn file_stem(case: &str) -> String {
    let mut stem = String::with_capacity(case.len());
    for byte in case.bytes() {
        // The journal's own names must stay free.
        let reserved = stem.is_empty() && case.starts_with(OWN);
        if !reserved && (byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')) {
            stem.push(char::from(byte));
        } else {
            let written = write!(stem, "%{byte:02X}");
            debug_assert!(written.is_ok(), "writing into a string cannot fail");
        }
    }
    if stem.len() > LONGEST {
        let sum = rehearsal_journal::digest::text(&rehearsal_journal::digest::of(case.as_bytes()));
        stem.truncate(LONGEST - 17);
        stem.push('-');
        stem.push_str(&sum[..16]);
    }
    if stem.is_empty() { "%".to_owned() } else { stem }
}

impl Name {
    /// Names of the lines file and of the bodies file of a segment.
    pub(super) fn files(&self, segment: u32) -> (String, String) {
        match self {
            Self::Journal => (format!("journal-{segment:04}.jsonl"), format!("bodies-{segment:04}.bin")),
            Self::Case(_) | Self::Part(_) => {
                let stem = self.journal();
                match segment {
                    1 => (format!("{stem}.jsonl"), format!("{stem}.bodies")),
                    _ => (format!("{stem}.{segment:04}.jsonl"), format!("{stem}.{segment:04}.bodies")),
                }
            }
        }
    }

    /// What the names of its files begin with.
    #[must_use]
    pub fn journal(&self) -> String {
        match self {
            Self::Journal => "journal".to_owned(),
            Self::Case(case) => file_stem(case),
            Self::Part(part) => format!("{OWN}p{part}"),
        }
    }
}

/// A lines file, as far as its name tells.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parsed {
    /// What all segments of the journal share.
    pub(super) journal: String,
    /// Its segment.
    pub(super) segment: u32,
    /// Name of its bodies file.
    pub(super) bodies: String,
}

/// Reads a lines file's name; none where it is no such name.
pub(super) fn parse(name: &str) -> Option<Parsed> {
    let stem = name.strip_suffix(".jsonl")?;
    if let Some(segment) = stem.strip_prefix(OWN).and_then(number) {
        let bodies = format!("bodies-{segment:04}.bin");
        return Some(Parsed { journal: OWN.to_owned(), segment, bodies });
    }
    let (journal, segment) = match stem.rsplit_once('.') {
        Some((journal, segment)) => (journal, number(segment)?),
        None => (stem, 1),
    };
    Some(Parsed { journal: journal.to_owned(), segment, bodies: format!("{stem}.bodies") })
}

fn number(text: &str) -> Option<u32> {
    let digits = text.len() >= 4 && text.bytes().all(|byte| byte.is_ascii_digit());
    digits.then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read_back_as_they_were_written() {
        let cases = ["tools/p1", "journal-0001", "journal", "journal-"];
        for name in [Name::Journal, Name::Part(1), Name::Part(10_000)]
            .into_iter()
            .chain(cases.map(|case| Name::Case(case.to_owned())))
        {
            for segment in [1, 2, 9999, 10_000] {
                let (lines, bodies) = name.files(segment);
                let parsed = parse(&lines).unwrap();
                assert_eq!((parsed.segment, parsed.bodies), (segment, bodies));
                assert_eq!(parsed.journal == OWN, name == Name::Journal);
            }
        }
        assert_eq!(parse("notes.txt"), None);
        assert_eq!(parse("a.b.jsonl"), None);
    }

    #[test]
    fn a_stem_is_one_file_name_whatever_the_case_is_called() {
        for (case, stem) in [
            ("tools-1", "tools-1"),
            ("../x y", "%2E%2E%2Fx%20y"),
            ("", "%"),
            ("é", "%C3%A9"),
            ("a.0002", "a%2E0002"),
        ] {
            assert_eq!(file_stem(case), stem);
        }
        let (one, two) = (file_stem(&"é".repeat(300)), file_stem(&"é".repeat(301)));
        assert_ne!(one, two);
        assert_eq!(one.len(), LONGEST);
    }
}
