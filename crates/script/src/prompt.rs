//! Whether a request holds a prompt of the suite, whatever the client wrapped around it.

use crate::find::Finder;
use crate::fold::{fold, letters, letters_unescaped};
use crate::issued::Index;
use crate::scenario::{Phrasing, Scenarios};
use rehearsal_wire::turn::{Message, Role, Turn};

/// Fewer letters and digits than this are found only as they are written: they stand in too many texts by chance.
const LETTERS: usize = 8;

/// The markers and ids of a suite, ready for requests. Make it once; it belongs to the scenarios that it was made from.
#[derive(Clone, Debug)]
pub struct Picker {
    markers: Finder,
    prompts: Vec<Prompt>,
    pub(crate) index: Index,
}

/// What a phrasing is found by.
#[derive(Clone, Debug)]
struct Prompt {
    /// The lower-cased marker and prompt.
    plain: [String; 2],
    /// Their letters and digits; none where they are too few.
    letters: [Option<String>; 2],
}

/// Where a request holds the prompt of a phrasing. Messages are counted in [`Turn::messages`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found {
    /// The phrasing.
    pub phrasing: usize,
    /// The newest message that holds it.
    pub newest: usize,
    /// The first one.
    pub first: usize,
    /// Assistant turns between the prompt and the request's own messages that the server keeps, beside the one it gives
    /// back ([`rehearsal_wire::turn::KEPT`]).
    pub left_out: usize,
}

/// How a text is compared with a prompt.
#[derive(Clone, Copy)]
enum Way {
    /// As it stands, letter case of no account.
    Plain,
    /// By letters and digits alone.
    Letters,
}

impl Prompt {
    fn new(phrasing: &Phrasing) -> Self {
        let plain = [phrasing.marker_folded.clone(), fold(&phrasing.prompt).into_owned()];
        let letters = plain.each_ref().map(|text| {
            let kept = letters(text);
            (kept.chars().count() >= LETTERS).then_some(kept)
        });
        Self { plain, letters }
    }

    fn sought(&self, way: Way) -> impl Iterator<Item = &str> {
        let (plain, letters) = match way {
            Way::Plain => (Some(&self.plain), None),
            Way::Letters => (None, Some(&self.letters)),
        };
        let plain = plain.into_iter().flatten().map(String::as_str);
        plain.chain(letters.into_iter().flatten().filter_map(Option::as_deref))
    }

    /// The longest text of this phrasing that stands in one of these.
    fn longest_in(&self, way: Way, texts: &[&str]) -> Option<&str> {
        let standing = self.sought(way).filter(|sought| texts.iter().any(|text| text.contains(*sought)));
        standing.max_by_key(|sought| sought.len())
    }

    fn stands_in(&self, way: Way, message: &Message<'_>) -> bool {
        message.texts.iter().any(|text| way.with(text, |texts| self.longest_in(way, texts).is_some()))
    }
}

impl Way {
    /// Calls with the forms of a text in which a prompt is sought.
    fn with<T>(self, text: &str, look: impl FnOnce(&[&str]) -> T) -> T {
        match self {
            Self::Plain => look(&[&fold(text)]),
            Self::Letters => look(&[&letters(text), &letters_unescaped(text)]),
        }
    }
}

impl Picker {
    /// Prepares a suite.
    #[must_use]
    pub fn new(scenarios: &Scenarios) -> Self {
        let phrasings = &scenarios.phrasings;
        Self {
            markers: Finder::new(phrasings.iter().map(|phrasing| phrasing.marker_folded.clone()).collect()),
            prompts: phrasings.iter().map(Prompt::new).collect(),
            index: Index::new(phrasings),
        }
    }

    /// The phrasing that a request belongs to: user texts from the last message to the first, in each the first registered
    /// marker that stands in it, letter case of no account. With `only` (the case of a token) no phrasing but the case and
    /// its further conversations can be meant, and a prompt does as well as a marker.
    #[must_use]
    pub fn matched(&self, scenarios: &Scenarios, turn: &Turn<'_>, only: Option<usize>) -> Option<Found> {
        let found = match only {
            Some(case) => self.of_case(scenarios, turn, case),
            None => self.by_marker(turn),
        };
        match (found, self.by_kept(scenarios, turn, only)) {
            (Some(found), Some(kept)) if found.phrasing == kept.phrasing => {
                Some(Found { newest: found.newest, ..kept })
            }
            (None, kept) => kept,
            (found, _) => found,
        }
    }

    fn by_marker(&self, turn: &Turn<'_>) -> Option<Found> {
        for (newest, message) in
            turn.messages.iter().enumerate().rev().filter(|(_, message)| is_user(message))
        {
            for text in &message.texts {
                if let Some(phrasing) = self.markers.first_in(&fold(text)) {
                    let marker = self.prompts[phrasing].plain[0].as_str();
                    let holds =
                        |message: &Message<'_>| message.texts.iter().any(|text| fold(text).contains(marker));
                    return Some(Found {
                        phrasing,
                        newest,
                        first: first(turn, newest, is_user, holds),
                        left_out: 0,
                    });
                }
            }
        }
        None
    }

    /// What users say goes before what the client says in its instructions, words as they stand before mere letters.
    fn of_case(&self, scenarios: &Scenarios, turn: &Turn<'_>, case: usize) -> Option<Found> {
        [
            (is_user as fn(&Message<'_>) -> bool, Way::Plain),
            (is_user, Way::Letters),
            (is_instruction, Way::Plain),
            (is_instruction, Way::Letters),
        ]
        .into_iter()
        .find_map(|(speaks, way)| {
            let speakers = turn.messages.iter().enumerate().rev().filter(|(_, message)| speaks(message));
            for (newest, message) in speakers {
                let found = message
                    .texts
                    .iter()
                    .find_map(|text| way.with(text, |texts| self.conversation(scenarios, case, way, texts)));
                if let Some(phrasing) = found {
                    let holds = |message: &Message<'_>| self.prompts[phrasing].stands_in(way, message);
                    return Some(Found {
                        phrasing,
                        newest,
                        first: first(turn, newest, speaks, holds),
                        left_out: 0,
                    });
                }
            }
            None
        })
    }

    /// Which conversation of a case a text belongs to: the further one with the longest prompt or marker in it, else the
    /// case itself. A marker that the case's own prompt holds says nothing where that whole prompt stands.
    fn conversation(&self, scenarios: &Scenarios, case: usize, way: Way, texts: &[&str]) -> Option<usize> {
        let whole = self.prompts.get(case)?.longest_in(way, texts);
        let further = scenarios.phrasings.iter().enumerate().skip(case + 1);
        let mut best: Option<(usize, usize)> = None;
        for (part, _) in further.take_while(|(_, phrasing)| phrasing.part_of == Some(case)) {
            let Some(sought) = self.prompts[part].longest_in(way, texts) else { continue };
            let own = whole.is_none_or(|whole| !whole.contains(sought));
            if own && best.is_none_or(|(_, longest)| longest < sought.len()) {
                best = Some((part, sought.len()));
            }
        }
        best.map(|(part, _)| part).or(whole.map(|_| case))
    }
}

fn is_user(message: &Message<'_>) -> bool {
    message.role == Role::User
}

fn is_instruction(message: &Message<'_>) -> bool {
    matches!(message.role, Role::System | Role::Developer)
}

/// The first message that holds the prompt; `newest` is known to.
fn first(
    turn: &Turn<'_>,
    newest: usize,
    speaks: fn(&Message<'_>) -> bool,
    holds: impl Fn(&Message<'_>) -> bool,
) -> usize {
    let earlier = turn.messages[..newest].iter();
    earlier.enumerate().find(|(_, message)| speaks(message) && holds(message)).map_or(newest, |(at, _)| at)
}
