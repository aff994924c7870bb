//! The rules that are switched on: a profile's own, then switches by name.

use super::{Profile, RULES, Rule};
use crate::dialect::{DIALECTS, Dialect, Dialects};
use crate::names::{equal, hint, nearest};

/// Which rules of the table hold. Cheap to copy and to ask.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RuleSet(u128);

const _: () = assert!(RULES.len() < 128, "a rule set has one bit for each rule");

/// For each dialect the rules that can read its requests, a bit each.
const READERS: [u128; DIALECTS.len()] = {
    let mut readers = [0; DIALECTS.len()];
    let (mut dialect, mut rule) = (0, 0);
    while dialect < readers.len() {
        while rule < RULES.len() {
            if includes(RULES[rule].dialects, DIALECTS[dialect].name) {
                readers[dialect] |= 1 << rule;
            }
            rule += 1;
        }
        (dialect, rule) = (dialect + 1, 0);
    }
    readers
};

/// [`Dialects::include`] while the program is compiled.
const fn includes(dialects: Dialects, name: &str) -> bool {
    match dialects {
        Dialects::All => true,
        Dialects::Only(names) => {
            let mut at = 0;
            while at < names.len() {
                if equal(names[at], name) {
                    return true;
                }
                at += 1;
            }
            false
        }
    }
}

/// A switch names a rule that does not exist.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownRule {
    /// The name that was given.
    pub name: String,
    /// The rule that is probably meant.
    pub nearest: Option<&'static str>,
}

impl std::fmt::Display for UnknownRule {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let hint = hint(self.nearest, || "`rehearsal lint --rules` prints all rules".to_owned());
        write!(f, "no rule is named `{}`; {hint}", self.name)
    }
}

impl std::error::Error for UnknownRule {}

impl RuleSet {
    /// Every rule of the table.
    pub(super) const ALL: Self = Self(u128::MAX >> (128 - RULES.len()));

    /// Those from one index of the table to before another.
    pub(super) const fn between(self, from: usize, end: usize) -> Self {
        Self(self.0 & (Self::ALL.0 >> from << from) & !(Self::ALL.0 >> end << end))
    }

    pub(super) fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    pub(super) fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    pub(super) fn with(self, index: usize) -> Self {
        Self(self.0 | 1 << index)
    }

    /// Takes the first one out; its index.
    pub(super) fn take_first(&mut self) -> Option<usize> {
        let first = (self.0 != 0).then(|| self.0.trailing_zeros() as usize)?;
        self.0 &= self.0 - 1;
        Some(first)
    }

    /// The rules themselves, in table order.
    pub(super) fn rules(self) -> impl Iterator<Item = &'static Rule> {
        let mut left = self;
        std::iter::from_fn(move || left.take_first().map(|first| RULES[first]))
    }

    /// The rules of a profile, with some switched on or off by name; of two switches of one rule the later wins.
    ///
    /// # Errors
    /// [`UnknownRule`] for the first name that no rule has.
    pub fn new(profile: Profile, switches: &[(String, bool)]) -> Result<Self, UnknownRule> {
        let mut set = Self(0);
        for (index, rule) in RULES.iter().enumerate() {
            set.switch(index, rule.profiles.contains(&profile));
        }
        for (name, on) in switches {
            match RULES.iter().position(|rule| rule.name == name) {
                Some(index) => set.switch(index, *on),
                None => {
                    let nearest = nearest(name, RULES.iter().map(|rule| rule.name));
                    return Err(UnknownRule { name: name.clone(), nearest });
                }
            }
        }
        Ok(set)
    }

    /// Whether the rule with this index in the table holds.
    #[must_use]
    pub fn holds(&self, index: usize) -> bool {
        self.0 >> index & 1 == 1
    }

    /// Whether the rule of this name holds; false for a name that no rule has.
    #[must_use]
    pub fn holds_name(&self, name: &str) -> bool {
        RULES.iter().position(|rule| rule.name == name).is_some_and(|index| self.holds(index))
    }

    /// Those that can read a dialect's requests.
    #[must_use]
    pub fn of(&self, dialect: &Dialect) -> Self {
        let known = DIALECTS.iter().position(|row| row.name == dialect.name);
        Self(known.map_or(0, |index| self.0 & READERS[index]))
    }

    fn switch(&mut self, index: usize, on: bool) {
        if on {
            self.0 |= 1 << index;
        } else {
            self.0 &= !(1 << index);
        }
    }
}
