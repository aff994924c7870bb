//! Ids and times that follow from a seed, a case's name and how many operations came before; no clock is read.

use rehearsal_journal::digest;

/// The first moment of every store: 2000-01-01T00:00:00Z, milliseconds since 1970.
pub const START_MS: u64 = 946_684_800_000;

/// Hexadecimal digits of an id.
const DIGITS: usize = 12;

/// What an id is of. Its prefix says so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Sort {
    Project,
    Frame,
    Cell,
    Artifact,
    Version,
    Edge,
}

impl Sort {
    fn prefix(self) -> &'static str {
        match self {
            Self::Project => "proj_",
            Self::Frame => "f-",
            Self::Cell => "c-",
            Self::Artifact => "a-",
            Self::Version => "v-",
            Self::Edge => "e-",
        }
    }
}

/// The source of a store's ids and times. Two stores with the same seed and case that do the same have the same ids.
#[derive(Clone, Debug)]
pub struct Moments {
    seed: u64,
    case: String,
    drawn: u64,
    now_ms: u64,
}

impl Moments {
    /// Those of one case under a seed.
    #[must_use]
    pub fn new(seed: u64, case: &str) -> Self {
        Self { seed, case: case.to_owned(), drawn: 0, now_ms: START_MS }
    }

    /// The same, going on where a store stood.
    pub(super) fn gone_on(self, drawn: u64, now_ms: u64) -> Self {
        Self { drawn, now_ms, ..self }
    }

    /// How many ids were drawn.
    pub(super) fn drawn(&self) -> u64 {
        self.drawn
    }

    /// The logical time, milliseconds since 1970.
    pub(super) fn now_ms(&self) -> u64 {
        self.now_ms
    }

    /// Another operation begins: one millisecond later.
    pub(super) fn tick(&mut self) {
        self.now_ms += 1;
    }

    /// The next id.
    pub(super) fn draw(&mut self, sort: Sort) -> String {
        let mut running = digest::Running::default();
        running.update(&self.seed.to_be_bytes());
        // Its length keeps a name apart from what follows it.
        running.update(&(self.case.len() as u64).to_be_bytes());
        running.update(self.case.as_bytes());
        running.update(sort.prefix().as_bytes());
        running.update(&self.drawn.to_be_bytes());
        self.drawn += 1;
        let mut id = sort.prefix().to_owned();
        id.push_str(&digest::text(&running.finish())[..DIGITS]);
        id
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_follow_from_seed_case_sort_and_count_alone() {
        let draw = |seed, case, sort, count: u64| Moments::new(seed, case).gone_on(count, 0).draw(sort);
        let base = draw(7, "a/b", Sort::Version, 3);
        assert_eq!(base, draw(7, "a/b", Sort::Version, 3));
        assert!(base.starts_with("v-") && base.len() == 14, "{base}");
        for other in [
            draw(8, "a/b", Sort::Version, 3),
            draw(7, "a/c", Sort::Version, 3),
            draw(7, "a/b", Sort::Version, 4),
        ] {
            assert_ne!(base, other);
        }
        assert_ne!(base[2..], draw(7, "a/b", Sort::Edge, 3)[2..]);
        assert_eq!(draw(7, "a/b", Sort::Project, 0).len(), 17);
    }
}
