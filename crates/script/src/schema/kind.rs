//! Kinds in words: whether a value's type fits, what a message says is wanted, and what an author probably meant.

use super::Kind;
use crate::node::{Content, Node};
use crate::span;

/// For a number that stands in quotes.
pub(super) const BARE_NUMBER: &str = "write the number without quotes";

impl Kind {
    /// Whether the type of the value is right; ranges and words are looked at later.
    pub(super) fn fits(&self, node: &Node) -> bool {
        match (self, &node.content) {
            (Self::Anything, _) | (Self::OrNull(_), Content::Null) => true,
            (Self::OrNull(inner), _) => inner.fits(node),
            (Self::Either(kinds), _) => kinds.iter().any(|kind| kind.fits(node)),
            (Self::Text | Self::Name | Self::Word(_) | Self::Span, content) => {
                matches!(content, Content::Text(_))
            }
            (Self::Flag, content) => matches!(content, Content::Bool(_)),
            (Self::Scalar, content) => {
                matches!(content, Content::Text(_) | Content::Number(_) | Content::Bool(_))
            }
            (Self::Whole(..) | Self::Factor, content) => matches!(content, Content::Number(_)),
            (Self::List(_), content) => matches!(content, Content::List(_)),
            (Self::Object(_) | Self::Map(_) | Self::Paths(_), content) => matches!(content, Content::Map(_)),
        }
    }

    /// The type that is wanted, with its article.
    pub(super) fn wanted(&self) -> String {
        match self {
            Self::Anything => "a value".to_owned(),
            Self::Text | Self::Name => "a text".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Scalar => "a text, a number, true or false".to_owned(),
            Self::Whole(..) => "a whole number".to_owned(),
            Self::Factor => "a number".to_owned(),
            Self::Word(words) => format!("the text {}", words.join(" or ")),
            Self::Span => "a duration as text".to_owned(),
            Self::Object(_) | Self::Map(_) | Self::Paths(_) => "a map".to_owned(),
            Self::List(_) => "a list".to_owned(),
            Self::OrNull(inner) => format!("{} or null", inner.wanted()),
            Self::Either(kinds) => kinds.iter().map(|kind| kind.wanted()).collect::<Vec<_>>().join(" or "),
        }
    }

    /// What the author of a value of the wrong type probably meant.
    pub(super) fn hint(&self, node: &Node) -> Option<&'static str> {
        match &node.content {
            Content::Bool(_) | Content::Number(_) => {
                let duration = self.allows(|kind| matches!(kind, Self::Span)).then_some(span::FORM);
                let text = self.allows(|kind| matches!(kind, Self::Text | Self::Name));
                duration.or(text.then_some("put it in double quotes"))
            }
            Content::Text(text) if self.allows(|kind| matches!(kind, Self::Flag)) => {
                // YAML 1.2 knows only true and false; older habits are texts.
                let meant = matches!(text.as_str(), "yes" | "no" | "on" | "off" | "true" | "false");
                meant.then_some("write true or false, without quotes")
            }
            Content::Text(text) if self.allows(|kind| matches!(kind, Self::Whole(..))) => {
                text.parse::<i64>().is_ok().then_some(BARE_NUMBER)
            }
            Content::Text(text) if self.allows(|kind| matches!(kind, Self::Factor)) => {
                text.parse::<f64>().is_ok().then_some(BARE_NUMBER)
            }
            Content::Text(text) => self.has_field(text).then_some("put a colon and a value behind it"),
            Content::Null | Content::List(_) | Content::Map(_) => None,
        }
    }

    /// Whether it is a map in which such a field may stand.
    fn has_field(&self, name: &str) -> bool {
        let Self::Object(shape) = self else { return false };
        shape.fields.iter().any(|field| field.name == name)
    }

    /// Whether it or one of its alternatives is such a kind.
    fn allows(&self, such: fn(&Self) -> bool) -> bool {
        match self {
            Self::Either(kinds) => kinds.iter().any(|kind| kind.allows(such)),
            Self::OrNull(inner) => inner.allows(such),
            Self::Anything | Self::Text | Self::Name | Self::Flag | Self::Scalar => such(self),
            Self::Whole(..) | Self::Factor | Self::Word(_) | Self::Span => such(self),
            Self::Object(_) | Self::List(_) | Self::Map(_) | Self::Paths(_) => such(self),
        }
    }
}
