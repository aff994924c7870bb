//! Hunks on a file's text: where each one belongs, and what comes out. Lines that no hunk changes keep every byte.

use super::answer::{At, FormatError, quoted};
use super::hunk::{Hunk, HunkLine, Sign};
use super::lines::{Line, split, usual};
use super::search::Index;
use super::{Eol, Leniency, Owned};

/// Lines of a file that an error shows.
const SHOWN: usize = 5;

/// The text of a file after these hunks. `file` is `None` for a file that is new.
///
/// # Errors
/// [`FormatError`] where a hunk belongs to no place, or to more than one.
pub(super) fn apply(
    path: &str,
    file: Option<&Owned>,
    hunks: &[Hunk<'_>],
    leniencies: &mut Vec<Leniency>,
) -> Result<String, FormatError> {
    let (text, eol) = file.map_or(("", Eol::None), |file| (file.text.as_deref().unwrap_or(""), file.eol));
    let lines = split(text, eol);
    let target = Target { path, lines: &lines, eol };
    let places = match target.by_numbers(hunks) {
        Some(places) => places,
        None => target.by_context(hunks, leniencies)?,
    };
    for (i, _) in hunks.iter().enumerate().filter(|(_, hunk)| hunk.blanks) {
        leniencies.push(Leniency::BlankContext { path: path.to_owned(), hunk: i + 1 });
    }
    target.join(hunks, &places)
}

struct Target<'a> {
    path: &'a str,
    lines: &'a [Line<'a>],
    eol: Eol,
}

/// A line of the result.
struct Out<'t> {
    text: &'t str,
    end: &'t str,
}

impl Target<'_> {
    fn name(&self, hunks: &[Hunk<'_>], i: usize) -> String {
        format!("hunk {} of {} for {}", i + 1, hunks.len(), quoted(self.path))
    }

    /// The places that the headers name, if every number of every header is right and every line is there: then the diff is
    /// applied as `patch` does. Once one number is wrong, none is trusted.
    fn by_numbers(&self, hunks: &[Hunk<'_>]) -> Option<Vec<usize>> {
        let (mut added, mut removed, mut last) = (0, 0, 0);
        let mut places = Vec::new();
        for hunk in hunks {
            let numbers = hunk.numbers?;
            // A side without lines is said to start at the line before it.
            let old =
                if numbers.old_count == 0 { numbers.old_start } else { numbers.old_start.checked_sub(1)? };
            let new =
                if numbers.new_count == 0 { numbers.new_start } else { numbers.new_start.checked_sub(1)? };
            let there = self.lines.get(old..old.checked_add(numbers.old_count)?)?;
            let fits = hunk.old().zip(there).all(|(line, there)| line.text == there.text);
            let has_context = numbers.old_count > 0 || self.lines.is_empty();
            if !fits || !has_context || old < last || new.checked_add(removed)? != old + added {
                return None;
            }
            (added, removed, last) =
                (added + numbers.new_count, removed + numbers.old_count, old + numbers.old_count);
            places.push(old);
        }
        Some(places)
    }

    /// The places at which the old lines stand: exactly, else without regard to white space at line ends. Each must be the only one.
    fn by_context(
        &self,
        hunks: &[Hunk<'_>],
        leniencies: &mut Vec<Leniency>,
    ) -> Result<Vec<usize>, FormatError> {
        let exact = Index::new(self.lines.iter().map(|line| line.text));
        let mut loose = None;
        // Each hunk has a line of the file for itself; more of them are not looked for one by one.
        if let Some(hunk) = hunks.get(self.lines.len().max(1)) {
            return Err(self.overlap(hunks, self.lines.len().max(1), hunk));
        }
        let mut places = Vec::new();
        for (i, hunk) in hunks.iter().enumerate() {
            let old: Vec<&str> = hunk.old().map(|line| line.text).collect();
            if old.is_empty() && !self.lines.is_empty() {
                let what =
                    format!("{} has no line of the file, so its place is unknown", self.name(hunks, i));
                let right =
                    "up to three unchanged lines before and after the change, each with a space before it";
                return Err(FormatError::new("hunk_without_context", At::Line(hunk.line), what, right));
            }
            let mut found = exact.find(&old);
            if found.is_empty() {
                let trimmed: Vec<&str> = old.iter().map(|line| line.trim_end()).collect();
                let loose = loose
                    .get_or_insert_with(|| Index::new(self.lines.iter().map(|line| line.text.trim_end())));
                found = loose.find(&trimmed);
                if !found.is_empty() {
                    leniencies.push(Leniency::TrailingSpace { path: self.path.to_owned(), hunk: i + 1 });
                }
            }
            match found[..] {
                [] => return Err(self.missed(hunks, i, &old, &exact)),
                [place] => places.push(place),
                [first, second, ..] => {
                    let what = format!(
                        "{} fits at line {} of the file as well as at line {}",
                        self.name(hunks, i),
                        first + 1,
                        second + 1
                    );
                    let right =
                        "more unchanged lines around the change, until they stand in the file only once";
                    return Err(FormatError::new("hunk_ambiguous", At::Line(hunk.line), what, right));
                }
            }
            let says = hunk.numbers.map(|numbers| {
                if numbers.old_count == 0 { numbers.old_start + 1 } else { numbers.old_start }
            });
            if says != places.last().map(|place| place + 1) {
                leniencies.push(Leniency::HunkNumbers { path: self.path.to_owned(), hunk: i + 1 });
            }
        }
        Ok(places)
    }

    fn overlap(&self, hunks: &[Hunk<'_>], i: usize, hunk: &Hunk<'_>) -> FormatError {
        let what = format!("{} changes lines that another hunk changes", self.name(hunks, i));
        FormatError::new("hunks_overlap", At::Line(hunk.line), what, "each line in one hunk only")
    }

    /// The error of a hunk that stands nowhere, with the place where most of its lines stand.
    fn missed(&self, hunks: &[Hunk<'_>], i: usize, old: &[&str], index: &Index<'_>) -> FormatError {
        let hunk = &hunks[i];
        let near = index.nearly(old);
        let mut what = format!(
            "{} does not fit: its unchanged and removed lines do not stand in the file as they are",
            self.name(hunks, i)
        );
        let from = if let Some(place) = near {
            let differs = old
                .iter()
                .enumerate()
                .find(|(at, line)| self.lines.get(place + at).is_none_or(|there| there.text != **line));
            if let Some((at, line)) = differs {
                let there = self.lines.get(place + at).map_or_else(
                    || "the file has ended".to_owned(),
                    |line| format!("the file has {}", quoted(line.text)),
                );
                what += &format!("; at line {} {there}, the hunk has {}", place + at + 1, quoted(line));
                (place + at).saturating_sub(SHOWN / 2)
            } else {
                place
            }
        } else {
            hunk.claimed.unwrap_or(1).saturating_sub(1 + SHOWN / 2)
        };
        let from = from.min(self.lines.len().saturating_sub(SHOWN));
        if self.lines.is_empty() {
            what += "; the file has no lines";
        } else {
            what += "; the file there:";
        }
        for (number, line) in self.lines.iter().enumerate().skip(from).take(SHOWN) {
            let text: String = line.text.chars().take(80).collect();
            what += &format!("\n{:>6} | {text}", number + 1);
        }
        FormatError::new(
            "hunk_not_found",
            At::Line(hunk.line),
            what,
            "lines copied from the file exactly as they are",
        )
    }

    /// The result, given where each hunk belongs.
    fn join(&self, hunks: &[Hunk<'_>], places: &[usize]) -> Result<String, FormatError> {
        let mut order: Vec<usize> = (0..hunks.len()).collect();
        order.sort_by_key(|i| places[*i]);
        let mut out: Vec<Out<'_>> = Vec::new();
        let mut at = 0;
        // What the last line would be without its end, if it was put in by a hunk.
        let mut last_added: Option<(&Hunk<'_>, &HunkLine<'_>)> = None;
        for i in order {
            let hunk = &hunks[i];
            let Some(kept) = self.lines.get(at..places[i]) else {
                return Err(self.overlap(hunks, i, hunk));
            };
            out.extend(kept.iter().map(|line| Out { text: line.text, end: line.end }));
            if !kept.is_empty() {
                last_added = None;
            }
            at = places[i];
            let begin = at;
            for line in &hunk.lines {
                match line.sign {
                    Sign::Context => {
                        out.extend(self.lines.get(at).map(|line| Out { text: line.text, end: line.end }));
                        (at, last_added) = (at + 1, None);
                    }
                    Sign::Removed => at += 1,
                    Sign::Added => {
                        // Only where the file has no line ends does the diff know them better.
                        let is_own = line.has_return && self.eol == Eol::None;
                        let end = if is_own { "\r\n" } else { self.end_at(begin, at) };
                        out.push(Out { text: line.text, end });
                        last_added = Some((hunk, line));
                    }
                }
            }
        }
        let kept = self.lines.get(at..).unwrap_or_default();
        out.extend(kept.iter().map(|line| Out { text: line.text, end: line.end }));
        let last_added = last_added.filter(|_| kept.is_empty());
        Ok(self.text(&out, last_added.is_some_and(|(hunk, line)| !line.ends || self.keeps_no_end(hunk))))
    }

    /// The end of a line that is put in at `at` by a hunk that begins at `begin`: as the file has them; in a file that mixes
    /// them as the old line before it in the hunk, else as the next one, else as the one above.
    fn end_at(&self, begin: usize, at: usize) -> &'static str {
        if self.eol != Eol::Mixed {
            return usual(self.eol);
        }
        let before = at.checked_sub(1).filter(|before| *before >= begin);
        let places = [before, Some(at), at.checked_sub(1), at.checked_sub(2)];
        let ends =
            places.into_iter().flatten().filter_map(|place| self.lines.get(place)).map(|line| line.end);
        ends.into_iter()
            .find(|end| !end.is_empty())
            .map_or("\n", |end| if end == "\r\n" { "\r\n" } else { "\n" })
    }

    /// Whether a new last line gets no end: the file has none, and the hunk does not know of it.
    fn keeps_no_end(&self, hunk: &Hunk<'_>) -> bool {
        self.lines.last().is_some_and(|line| line.end.is_empty()) && hunk.old().all(|line| line.ends)
    }

    fn text(&self, out: &[Out<'_>], bare_end: bool) -> String {
        let mut text = String::new();
        let last = self.lines.len().saturating_sub(1);
        for (i, line) in out.iter().enumerate() {
            text += line.text;
            let is_last = i + 1 == out.len();
            text += match (is_last, line.end) {
                (true, _) if bare_end => "",
                // What was the last line of a file without a last line end is not the last any more.
                (false, "") => self.end_at(last, last),
                (_, end) => end,
            };
        }
        text
    }
}
