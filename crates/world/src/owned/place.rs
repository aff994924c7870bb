//! One file in its folder: opened without following anything, looked at, read and compared.

use super::refusal::Refusal;
use crate::handle::{Facts, Folder, Kind};
use rehearsal_journal::digest::{self, Running};
use std::fs::File;
use std::io::{self, Read as _};

/// Most bytes of a path and of one of its parts.
const PATH: usize = 4000;
const PART: usize = 255;

/// The folder's path and the name of a path; the folder's is empty for what lies in the tree itself.
pub(super) fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

/// What is wrong with a path before anything is opened. Handles would hold without it; this makes the answer clear, and
/// keeps a record's lines apart.
pub(super) fn fault(path: &str) -> Option<&'static str> {
    if path.is_empty() {
        return Some("it is empty");
    }
    if path.starts_with('/') {
        return Some("it is not relative");
    }
    if path.chars().any(char::is_control) {
        return Some("it holds a control character");
    }
    if cfg!(windows) && path.contains(['\\', ':']) {
        return Some("it holds a backslash or a colon");
    }
    if path.len() > PATH {
        return Some("it is too long");
    }
    path.split('/').find_map(|part| match part {
        "" => Some("it has an empty part"),
        "." | ".." => Some("it has a part `.` or `..`"),
        _ if part.len() > PART => Some("it has a part longer than 255 bytes"),
        _ => None,
    })
}

/// Opens the folder of a path; of a link on the way it says that it is one.
pub(super) fn parent(root: &Folder, path: &str) -> Result<Folder, Refusal> {
    root.beneath(path).map_err(|error| match Refusal::from(error) {
        Refusal::NotFolder if has_link(root, path) => Refusal::Link,
        why => why,
    })
}

fn has_link(root: &Folder, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| {
        let (above, name) = split(&path[..end]);
        let seen = root.beneath(above).and_then(|folder| folder.look(name));
        seen.is_ok_and(|seen| seen.is_some_and(|facts| facts.kind == Kind::Link))
    })
}

/// Opens a regular file with one name. It is looked at before, since opening some devices has an effect of its own, and after,
/// since something else may have taken its place.
pub(super) fn open(folder: &Folder, name: &str) -> Result<(File, Facts), Refusal> {
    owned(&folder.look(name)?.ok_or(Refusal::Missing)?)?;
    let file = folder.file(name)?;
    let facts = Facts::of(&file)?;
    owned(&facts)?;
    Ok((file, facts))
}

fn owned(facts: &Facts) -> Result<(), Refusal> {
    match facts.kind {
        Kind::File if facts.links == 1 => Ok(()),
        // One that was removed after it was opened.
        Kind::File if facts.links == 0 => Err(Refusal::Changed),
        Kind::File => Err(Refusal::HardLinked(facts.links)),
        Kind::Folder => Err(Refusal::Folder),
        Kind::Link => Err(Refusal::Link),
        Kind::Other => Err(Refusal::NotRegular),
    }
}

/// Digest of a file of so many bytes; none where it has another number of them.
pub(super) fn digest_of(file: &File, size: u64) -> io::Result<Option<[u8; 32]>> {
    let (mut running, mut len) = (Running::default(), 0);
    let mut file = file.take(size + 1);
    let mut block = vec![0; 64 << 10];
    loop {
        let got = file.read(&mut block)?;
        if got == 0 {
            return Ok((len == size).then(|| running.finish()));
        }
        running.update(&block[..got]);
        len += got as u64;
    }
}

/// Digest of whatever regular file is at a path now, as text; none where there is none that can be read, or one of more than
/// 1 GiB: this is for a report only.
pub(super) fn seen_at(root: &Folder, path: &str) -> Option<String> {
    const MOST: u64 = 1 << 30;
    let (above, name) = split(path);
    let (file, facts) = open(&parent(root, above).ok()?, name).ok()?;
    let sum = if facts.size > MOST { None } else { digest_of(&file, facts.size).ok()? };
    sum.map(|sum| digest::text(&sum))
}

/// Path of a file beside another.
pub(super) fn beside(path: &str, name: &str) -> String {
    match split(path).0 {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}
