//! Unified diffs: the format for large files. Hunks are placed by their lines, since models miscount.

use super::answer::{At, quoted};
use super::fence::{self, Piece};
use super::outside::said;
use super::patch::{Section, sections};
use super::peel::{lead, line_of};
use super::{Answer, Change, Format, FormatError, Mode, Owned, Speaks, apply};
use std::collections::HashMap;

/// The format's row.
pub const ROW: Format = Format {
    name: "diff",
    summary: "a unified diff; cheap for large files, and lines it does not name keep every byte",
    system: SYSTEM,
    schema: None,
    speaks: Speaks::Everything,
    parse,
};

const SYSTEM: &str = "Answer with one unified diff in a fence tagged diff. Each file has a `--- ` and a `+++ ` line with its path exactly as given (a/ and b/ before it are allowed), then its hunks:

```diff
--- a/src/example.txt
+++ b/src/example.txt
@@ -1,4 +1,4 @@
 an unchanged line
-the line that goes
+the line that comes
 an unchanged line
```

Every line of a hunk begins with a space (unchanged), - (removed) or + (added). Unchanged and removed lines are copied from the file exactly, white space included; give up to three unchanged lines before and after each change, and more if the same lines stand in the file twice. A new file has `--- /dev/null` above its `+++ ` line. A file that is to end without a line end has the line `\\ No newline at end of file` after its last one. Files are not deleted or renamed and modes are not changed. Text outside the fence says in a sentence or two what you did. The last line is DONE when the task is finished, or NOT DONE when something is left to do; without such a line it counts as finished, except that an answer without a diff must have one.";

/// Reads an answer and applies it to the text of the owned files.
///
/// # Errors
/// [`FormatError`] for what is no unified diff, for hunks that belong to no place or to several, for deletions, renames and
/// modes; with the code `unknown_file` for a diff of a file that is not owned, for there is no text to apply it to (a new file
/// that is not owned is read like any other).
pub fn parse(text: &str, owned: &[Owned]) -> Result<Answer, FormatError> {
    let mut leniencies = Vec::new();
    let start = lead(text, &mut leniencies);
    let (text, first) = (&text[start..], line_of(text, start));
    let mut outside = Vec::new();
    let mut found: Vec<Section<'_>> = Vec::new();
    if text.lines().any(|line| fence::opening(line).is_some()) {
        for piece in fence::pieces(text, first)? {
            match piece {
                Piece::Line { text, .. } => outside.push(text),
                Piece::Block { number, fence, lines, .. } => {
                    if !["", "diff", "patch", "udiff"].contains(&fence.info.to_ascii_lowercase().as_str()) {
                        let what = format!("a fence that is tagged {}", quoted(fence.info));
                        return Err(FormatError::new(
                            "other_fence",
                            At::Line(number),
                            what,
                            "one fence, tagged diff",
                        ));
                    }
                    // What stands in the fence and is none of the diff, such as an `Index:` line, is no summary.
                    found.extend(sections(&lines, number + 1, true, &mut Vec::new())?);
                }
            }
        }
    } else {
        let lines: Vec<&str> = text.split('\n').collect();
        found = sections(&lines, first, false, &mut outside)?;
    }
    let said = said(&outside);
    if found.is_empty() && said.done.is_none() {
        let what = "there is no diff in the answer, and no last line DONE or NOT DONE";
        let right = "a fence tagged diff with --- and +++ lines and @@ hunks";
        return Err(FormatError::new("no_diff", At::Whole, what, right));
    }
    let mut changes = Vec::new();
    for (path, section) in by_path(found, owned)? {
        let file = owned.iter().find(|file| file.path == path);
        check(&path, file, &section)?;
        changes.push(Change { contents: apply::apply(&path, file, &section.hunks, &mut leniencies)?, path });
    }
    Ok(Answer { summary: said.summary, done: said.done.unwrap_or(true), changes, leniencies })
}

/// One section a file: what a diff says of a file in several places is applied at once.
fn by_path<'t>(found: Vec<Section<'t>>, owned: &[Owned]) -> Result<Vec<(String, Section<'t>)>, FormatError> {
    let mut files: Vec<(String, Section<'t>)> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for section in found {
        let path = path(&section, owned)?;
        match known.get(&path) {
            Some(place) => files[*place].1.hunks.extend(section.hunks),
            None => {
                known.insert(path.clone(), files.len());
                files.push((path, section));
            }
        }
    }
    Ok(files)
}

/// Whether a section can be applied to what stands at its path.
fn check(path: &str, file: Option<&Owned>, section: &Section<'_>) -> Result<(), FormatError> {
    let at = At::Line(section.line);
    let is_new = file.is_none_or(|file| match file.mode {
        Mode::Create => true,
        Mode::Edit => file.text.is_none(),
    });
    match (section.old.is_some(), file) {
        (true, None) => {
            let what = format!("the diff changes {}, which is none of the given files", quoted(path));
            Err(FormatError::new("unknown_file", at, what, "paths exactly as given"))
        }
        (false, Some(_)) if !is_new => {
            let what = format!("the diff makes {}, which exists already", quoted(path));
            Err(FormatError::new(
                "exists",
                at,
                what,
                "a diff against the file as it is, with its path in the --- line",
            ))
        }
        (true | false, _) => Ok(()),
    }
}

/// The path that the two names of a header mean: the one that is owned, if one is, without `a/` and `b/` otherwise.
fn path(section: &Section<'_>, owned: &[Owned]) -> Result<String, FormatError> {
    let readings = |name: &str| -> Vec<String> {
        let bare = ["a/", "b/"].into_iter().find_map(|prefix| name.strip_prefix(prefix));
        bare.into_iter().chain([name]).map(String::from).collect()
    };
    let mut candidates = readings(&section.new);
    if let Some(old) = &section.old {
        let old = readings(old);
        candidates.retain(|candidate| old.contains(candidate));
    }
    let known = candidates.iter().find(|candidate| owned.iter().any(|file| file.path == **candidate));
    known.or_else(|| candidates.first()).cloned().ok_or_else(|| {
        let what = format!(
            "the sides name two files, {} and {}",
            quoted(section.old.as_deref().unwrap_or("")),
            quoted(&section.new)
        );
        FormatError::new("rename", At::Line(section.line), what, "the same path in the --- and the +++ line")
    })
}
