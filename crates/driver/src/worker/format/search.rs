//! Where in a file some lines stand together, and where they nearly do. No file and no hunk makes a search long.

use std::collections::HashMap;

/// Lines of a hunk, and places of each in the file, that are looked at to find where it nearly fits.
const VOTERS: (usize, usize) = (60, 60);
/// A line that stands in a file no more often than this is rare.
const RARE: usize = 16;

/// The lines of a file by number, so that a search compares numbers.
pub(super) struct Index<'t> {
    numbers: HashMap<&'t str, usize>,
    lines: Vec<usize>,
    places: Vec<Vec<usize>>,
}

impl<'t> Index<'t> {
    /// The lines in their order.
    pub(super) fn new(lines: impl Iterator<Item = &'t str>) -> Self {
        let mut index = Self { numbers: HashMap::new(), lines: Vec::new(), places: Vec::new() };
        for (place, line) in lines.enumerate() {
            let number = *index.numbers.entry(line).or_insert(index.places.len());
            if number == index.places.len() {
                index.places.push(Vec::new());
            }
            index.places[number].push(place);
            index.lines.push(number);
        }
        index
    }

    /// The first two places at which these lines stand. Where one of them is rare, its places are tried; else one pass over
    /// the file tells, whatever it holds (Knuth, Morris and Pratt).
    pub(super) fn find(&self, wanted: &[&str]) -> Vec<usize> {
        let Some(wanted) =
            wanted.iter().map(|line| self.numbers.get(line).copied()).collect::<Option<Vec<_>>>()
        else {
            return Vec::new();
        };
        let rarest = wanted.iter().enumerate().min_by_key(|(_, number)| self.places[**number].len());
        let (Some((at, rarest)), Some(first)) = (rarest, wanted.first()) else { return vec![0] };
        if self.places[*rarest].len() <= RARE {
            let places = self.places[*rarest].iter().filter_map(|place| place.checked_sub(at));
            return places.filter(|place| self.lines[*place..].starts_with(&wanted)).take(2).collect();
        }
        let mut borders = vec![0; wanted.len()];
        let mut have = 0;
        for at in 1..wanted.len() {
            while have > 0 && wanted[at] != wanted[have] {
                have = borders[have - 1];
            }
            have += usize::from(wanted[at] == wanted[have]);
            borders[at] = have;
        }
        let mut found = Vec::new();
        have = 0;
        let start = self.places[*first][0];
        for (at, line) in self.lines.iter().enumerate().skip(start) {
            while have > 0 && (have == wanted.len() || wanted[have] != *line) {
                have = borders[have - 1];
            }
            have += usize::from(wanted[have] == *line);
            if have == wanted.len() {
                found.push(at + 1 - have);
                if found.len() == 2 {
                    break;
                }
            }
        }
        found
    }

    /// The place at which most of these lines would stand right, if any does.
    pub(super) fn nearly(&self, wanted: &[&str]) -> Option<usize> {
        let mut votes: HashMap<usize, usize> = HashMap::new();
        let mut best: Option<(usize, usize)> = None;
        for (at, line) in wanted.iter().enumerate().take(VOTERS.0).filter(|(_, line)| !line.trim().is_empty())
        {
            let places = self.numbers.get(line).map_or(&[][..], |number| &self.places[*number]);
            for place in places.iter().take(VOTERS.1).filter_map(|place| place.checked_sub(at)) {
                let count = votes.entry(place).or_default();
                *count += 1;
                if best.is_none_or(|(most, at)| *count > most || (*count == most && place < at)) {
                    best = Some((*count, place));
                }
            }
        }
        best.map(|(_, place)| place)
    }
}
