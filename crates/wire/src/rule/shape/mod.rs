//! A documented request as data, and the walk that holds a request against it.
//!
//! The table of a dialect says what may stand where; the walk says what the API would say of the first thing that
//! does not. Must not know: any dialect, any rule.

mod fault;
mod walk;

use super::Asked;
use crate::json::Value;
use crate::reject::Reject;
pub(crate) use fault::place;
use std::borrow::Cow;
pub(crate) use walk::{At, Place, Step};
pub(super) use walk::{Look, check};

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// `true` or `false`.
    Bool,
    /// A whole number within these bounds.
    Integer(i64, i64),
    /// A number within these bounds.
    Decimal(f64, f64),
    /// A string.
    Text(Text),
    /// One of these strings.
    Word(&'static [&'static str]),
    /// An array: of what, least and most elements.
    List(&'static Shape, usize, usize),
    /// An object with these keys.
    Object(&'static [Field]),
    /// An object with any keys, and how many at most.
    Map(Text, &'static Shape, usize),
    /// Any object.
    Open,
    /// An object whose keys depend on the word under this key. A word that begins with `=` is meant where there is none.
    Tagged(&'static str, &'static [(&'static str, &'static [Field])]),
    /// An object that grows with each version of the API: a known word under this key decides which values are looked at. Where
    /// there is none, the first key of the second list that the object has decides, or else the first of that list; the word is
    /// missing where that is empty. Unknown words and further keys are let pass.
    Familiar(
        &'static str,
        &'static [(&'static str, &'static [Field])],
        &'static [(&'static str, &'static [Field])],
    ),
    /// One of these, told apart by their JSON types.
    Either(&'static [Shape]),
    /// The same, of which its dialect speaks in its own way. Only a whole body is so.
    Spoken(&'static Speech, &'static Shape),
}

/// How a dialect speaks of its documented request.
#[derive(Debug)]
pub(crate) struct Speech {
    /// What is said of a deviation: what is wrong, the value, its place.
    pub(crate) words: fn(&Wrong<'_>, Value<'_>, At<'_>) -> Box<Reject>,
    /// Whether the table is all that this request may hold; else it may hold keys and tagged objects of a version that
    /// the table does not know.
    pub(crate) closed: fn(&Asked<'_>) -> bool,
    /// A key as the table spells it, where a request may spell keys in more than one way.
    pub(crate) key: Option<fn(&str) -> Cow<'_, str>>,
}

/// How a value deviates from its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Wrong<'w> {
    /// The body is no object.
    Body,
    /// The key is not documented. The place is its own.
    Unknown,
    /// The key is missing. The place is that where it should be.
    Missing(&'w Field),
    /// Null, where the API says so in its older words.
    Null,
    /// Another type than this.
    Kind(&'w Shape),
    /// The word under the tag is no string. The place is the tag's.
    TagKind(&'w [&'static str]),
    /// The word under the tag is none of these. The place is the tag's.
    Tag(&'w [&'static str]),
    /// None of these words.
    Word(&'w [&'static str]),
    /// A string with letters that this pattern does not allow.
    Pattern(&'static str),
    /// A string of so many characters and fewer than so many.
    ShortText(usize, usize),
    /// A string of so many characters and more than so many.
    LongText(usize, usize),
    /// An array of fewer elements than this.
    ShortList(usize),
    /// An array of more elements than this.
    LongList(usize),
    /// An object of more entries than this.
    LargeMap(usize),
    /// A number below this; the word is `integer` or `decimal`.
    Below(&'static str, &'w str),
    /// A number above this.
    Above(&'static str, &'w str),
}

/// A key that stands for all that a table does not name.
pub(crate) const REST: Field = Field::nullable("*", Shape::Any);

/// What a string may be.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Text {
    /// Fewest characters.
    pub(crate) min: usize,
    /// Most characters.
    pub(crate) max: usize,
    /// Which characters.
    pub(crate) of: Letters,
}

impl Text {
    /// Any string.
    pub(crate) const ANY: Self = Self { min: 0, max: usize::MAX, of: Letters::Any };
}

/// Which characters a string may hold.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Letters {
    /// Any.
    Any,
    /// Letters, digits, `_` and `-` of ASCII: names of tools.
    Name,
    /// Neither white space nor `<`, `|`, `\`, `/`, `>`: names of speakers.
    Speaker,
}

/// A key of an object.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    /// The key.
    pub(crate) name: &'static str,
    /// What may stand under it.
    pub(crate) shape: Shape,
    /// Whether it must be there.
    pub(crate) need: Need,
    /// What null under it means.
    pub(crate) null: Null,
}

/// Whether a key must be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// It may be left out.
    Optional,
    /// It must be there.
    Required,
    /// It must be there, and the API says so in its older words, with the place as `messages.[0].key` and no code.
    RequiredPlainly,
    /// It must be there, and another rule says so.
    RequiredElsewhere,
}

/// What null under a key means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Null {
    /// The same as leaving it out.
    Allowed,
    /// A value of the wrong type.
    Refused,
    /// The same, but the API says so in its older words, with the place as `messages.[0].key` and no code.
    RefusedPlainly,
}

impl Field {
    /// A key that may be left out.
    pub(crate) const fn new(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, need: Need::Optional, null: Null::Refused }
    }

    /// A key that must be there.
    pub(crate) const fn required(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, need: Need::Required, null: Null::Refused }
    }

    /// A key that may be left out or null.
    pub(crate) const fn nullable(name: &'static str, shape: Shape) -> Self {
        Self { name, shape, need: Need::Optional, null: Null::Allowed }
    }
}
