//! The walk over a request. Nothing is built on the way down: the place is a chain on the stack until something is wrong.

use super::super::{Asked, Verdict};
use super::{Field, Letters, Need, Null, REST, Shape, Speech, Text, Wrong, fault};
use crate::json::{Kind, Value};
use crate::reject::Reject;
use std::borrow::Cow;
use std::cell::RefCell;

/// What a rule looks for in the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in super::super) enum Look {
    /// Values that may not stand where they stand, and missing keys.
    Values,
    /// Keys that are not documented.
    Keys,
}

/// A place in the request, as a chain to the root.
#[derive(Clone, Copy)]
pub(crate) struct Place<'p> {
    /// The place of which this is a part.
    pub(crate) above: At<'p>,
    /// The step down from there.
    pub(crate) step: Step<'p>,
}

/// One step down.
#[derive(Clone, Copy)]
pub(crate) enum Step<'p> {
    /// Under this key.
    Key(&'p str),
    /// At this index.
    Index(usize),
    /// No step in the text: the object is of this variant.
    Variant(&'static str),
}

/// A place; none for the whole body.
pub(crate) type At<'p> = Option<&'p Place<'p>>;

/// A walk for one rule or for both at once.
struct Walk {
    speech: &'static Speech,
    /// Whether variants that the table does not name are wrong.
    closed: bool,
    values: bool,
    keys: bool,
    /// Some object of the body repeats a key: then only the last value of each key counts.
    repeats: bool,
    /// The first unknown key; it counts only when no value is wrong.
    unknown: RefCell<Option<Box<Reject>>>,
}

impl Walk {
    #[cold]
    fn wrong(&self, wrong: Wrong<'_>, it: Value<'_>, at: At<'_>) -> Verdict {
        Err((self.speech.words)(&wrong, it, at))
    }
}

/// Holds a body against a documented shape, with one walk for everything that is looked for.
///
/// # Errors
/// The first deviation, as the API words it, and which look found it; wrong values come before unknown keys.
pub(in super::super) fn check(
    asked: &Asked<'_>,
    shape: &Shape,
    looks: impl Fn(Look) -> bool,
) -> Result<(), (Look, Box<Reject>)> {
    let body = asked.tape.root();
    let (speech, shape) = match *shape {
        Shape::Spoken(speech, shape) => (speech, shape),
        _ => (&fault::SPEECH, shape),
    };
    let closed = (speech.closed)(asked);
    let walk = Walk {
        speech,
        closed,
        values: looks(Look::Values),
        keys: closed && looks(Look::Keys),
        repeats: asked.tape.duplicate_key.is_some(),
        unknown: RefCell::new(None),
    };
    if body.kind() == Kind::Object {
        value(body, shape, &walk, None).map_err(|reject| (Look::Values, reject))?;
    } else if walk.values {
        walk.wrong(Wrong::Body, body, None).map_err(|reject| (Look::Values, reject))?;
    }
    walk.unknown.into_inner().map_or(Ok(()), |reject| Err((Look::Keys, reject)))
}

fn value(it: Value<'_>, shape: &Shape, walk: &Walk, at: At<'_>) -> Verdict {
    match *shape {
        Shape::Any => Ok(()),
        Shape::Spoken(_, shape) => value(it, shape, walk, at),
        Shape::Object(fields) if it.kind() == Kind::Object => object(it, fields, walk, at),
        Shape::Tagged(tag, variants) if it.kind() == Kind::Object => tagged(it, tag, variants, walk, at),
        Shape::Familiar(tag, variants, untagged) if it.kind() == Kind::Object => {
            familiar(it, (tag, variants, untagged), walk, at)
        }
        Shape::List(of, min, max) if it.kind() == Kind::Array => list(it, of, (min, max), walk, at),
        Shape::Either(shapes) => match shapes.iter().find(|shape| takes(shape, it.kind())) {
            Some(shape) => value(it, shape, walk, at),
            None if walk.values => walk.wrong(Wrong::Kind(shape), it, at),
            None => Ok(()),
        },
        Shape::Map(keys, of, most) if it.kind() == Kind::Object => map(it, (keys, of, most), walk, at),
        _ if walk.values => scalar(it, shape, walk, at),
        _ => Ok(()),
    }
}

/// Whether a value of this JSON type may have this shape.
fn takes(shape: &Shape, kind: Kind) -> bool {
    match shape {
        Shape::Any => true,
        Shape::Bool => kind == Kind::Bool,
        Shape::Integer(..) | Shape::Decimal(..) => kind == Kind::Number,
        Shape::Text(_) | Shape::Word(_) => kind == Kind::String,
        Shape::List(..) => kind == Kind::Array,
        Shape::Object(_) | Shape::Map(..) | Shape::Open | Shape::Tagged(..) | Shape::Familiar(..) => {
            kind == Kind::Object
        }
        Shape::Either(shapes) => shapes.iter().any(|shape| takes(shape, kind)),
        Shape::Spoken(_, shape) => takes(shape, kind),
    }
}

fn scalar(it: Value<'_>, shape: &Shape, walk: &Walk, at: At<'_>) -> Verdict {
    if !takes(shape, it.kind()) {
        return walk.wrong(Wrong::Kind(shape), it, at);
    }
    match *shape {
        Shape::Text(rule) => text(it, rule, walk, at),
        Shape::Word(words) if !words.iter().any(|word| it.is_str(word)) => {
            walk.wrong(Wrong::Word(words), it, at)
        }
        Shape::Integer(min, max) => integer(it, (min, max), shape, walk, at),
        Shape::Decimal(min, max) => decimal(it, (min, max), walk, at),
        Shape::Any | Shape::Bool | Shape::Word(_) | Shape::Open => Ok(()),
        Shape::List(..)
        | Shape::Object(_)
        | Shape::Map(..)
        | Shape::Tagged(..)
        | Shape::Familiar(..)
        | Shape::Either(_)
        | Shape::Spoken(..) => Ok(()),
    }
}

fn object(it: Value<'_>, fields: &[Field], walk: &Walk, above: At<'_>) -> Verdict {
    let mut required = 0;
    for (key, under) in it.entries() {
        let Some(key) = key.as_str() else { continue };
        let named = walk.speech.key.map_or(Cow::Borrowed(&*key), |named| named(&key));
        let Some(field) = fields.iter().find(|field| field.name == named) else {
            if walk.keys && !fields.iter().any(|field| field.name == REST.name) {
                let place = Place { above, step: Step::Key(&key) };
                let words = || (walk.speech.words)(&Wrong::Unknown, under, Some(&place));
                walk.unknown.borrow_mut().get_or_insert_with(words);
            }
            continue;
        };
        if walk.repeats && it.get(field.name).is_some_and(|last| last.offset() != under.offset()) {
            continue;
        }
        required += usize::from(field.need != Need::Optional);
        let at = Place { above, step: Step::Key(field.name) };
        if !under.is_null() {
            value(under, &field.shape, walk, Some(&at))?;
        } else if walk.values {
            match field.null {
                Null::Allowed => {}
                Null::Refused => value(under, &field.shape, walk, Some(&at))?,
                Null::RefusedPlainly => return walk.wrong(Wrong::Null, under, Some(&at)),
            }
        }
    }
    // Counting spares the search where nothing is missing.
    let needed = fields.iter().filter(|field| field.need != Need::Optional);
    if walk.values && required < needed.clone().count() {
        let mut missing = needed.filter(|field| it.get(field.name).is_none());
        if let Some(field) = missing.find(|field| field.need != Need::RequiredElsewhere) {
            let at = Place { above, step: Step::Key(field.name) };
            return walk.wrong(Wrong::Missing(field), it, Some(&at));
        }
    }
    Ok(())
}

/// A word and the fields of objects that it stands in.
type Variant = (&'static str, &'static [Field]);

fn familiar(
    it: Value<'_>,
    (tag, variants, untagged): (&'static str, &[Variant], &[Variant]),
    walk: &Walk,
    above: At<'_>,
) -> Verdict {
    if !walk.values {
        return Ok(());
    }
    let word = it.get(tag).filter(|word| !word.is_null());
    let known = variants.iter().find(|(name, _)| word.is_some_and(|word| word.is_str(name)));
    let by_key = || untagged.iter().find(|(key, _)| it.get(key).is_some()).or_else(|| untagged.first());
    let fields = match word {
        Some(_) if !variants.is_empty() => known.map(|(_, fields)| *fields).unwrap_or_default(),
        _ => match by_key() {
            Some((_, fields)) => fields,
            None => {
                let place = Place { above, step: Step::Key(tag) };
                return walk.wrong(Wrong::Missing(&Field::required(tag, Shape::Any)), it, Some(&place));
            }
        },
    };
    let keys_of_its_own = Walk {
        speech: walk.speech,
        closed: walk.closed,
        keys: false,
        values: true,
        repeats: walk.repeats,
        unknown: RefCell::default(),
    };
    object(it, fields, &keys_of_its_own, above)
}

fn tagged(it: Value<'_>, tag: &'static str, variants: &[Variant], walk: &Walk, above: At<'_>) -> Verdict {
    let at = Place { above, step: Step::Key(tag) };
    let known = |(name, fields): &Variant| {
        object(it, fields, walk, Some(&Place { above, step: Step::Variant(name) }))
    };
    let Some(word) = it.get(tag).filter(|word| !word.is_null() || implied(variants).is_none()) else {
        let field = Field::required(tag, Shape::Any);
        return match implied(variants) {
            Some(variant) => known(&variant),
            None if walk.values => walk.wrong(Wrong::Missing(&field), it, Some(&at)),
            None => Ok(()),
        };
    };
    match variants.iter().find(|(name, _)| word.is_str(name) && !name.starts_with(IMPLIED)) {
        Some(variant) => known(variant),
        None if !walk.values => Ok(()),
        None => {
            let names = variants.iter().map(|(name, _)| *name);
            let words: Vec<&'static str> = names.filter(|name| !name.starts_with(IMPLIED)).collect();
            match word.kind() {
                Kind::String if !walk.closed => Ok(()),
                Kind::String => walk.wrong(Wrong::Tag(&words), word, Some(&at)),
                _ => walk.wrong(Wrong::TagKind(&words), word, Some(&at)),
            }
        }
    }
}

/// How the word begins that is meant where there is none.
const IMPLIED: char = '=';

/// The variant that is meant where no word says so.
fn implied(variants: &[Variant]) -> Option<Variant> {
    variants.iter().find_map(|(name, fields)| Some((name.strip_prefix(IMPLIED)?, *fields)))
}

fn list(it: Value<'_>, of: &Shape, (min, max): (usize, usize), walk: &Walk, above: At<'_>) -> Verdict {
    if walk.values && it.len() < min {
        return walk.wrong(Wrong::ShortList(min), it, above);
    }
    if walk.values && it.len() > max {
        return walk.wrong(Wrong::LongList(max), it, above);
    }
    for (index, element) in it.items().enumerate() {
        value(element, of, walk, Some(&Place { above, step: Step::Index(index) }))?;
    }
    Ok(())
}

fn map(it: Value<'_>, (keys, of, most): (Text, &Shape, usize), walk: &Walk, above: At<'_>) -> Verdict {
    if walk.values && it.len() > most {
        return walk.wrong(Wrong::LargeMap(most), it, above);
    }
    for (key, under) in it.entries() {
        let name = key.as_str().unwrap_or_default();
        let at = Place { above, step: Step::Key(&name) };
        if walk.values {
            text(key, keys, walk, Some(&at))?;
        }
        value(under, of, walk, Some(&at))?;
    }
    Ok(())
}

fn text(it: Value<'_>, rule: Text, walk: &Walk, at: At<'_>) -> Verdict {
    if rule.min == 0 && rule.max == usize::MAX {
        return Ok(());
    }
    let text = it.as_str().unwrap_or_default();
    // Bytes are never fewer than characters, so that most texts need no count.
    let length = if text.len() <= rule.max && text.len() >= rule.min && rule.min <= 1 {
        text.len()
    } else {
        text.chars().count()
    };
    if length < rule.min {
        return walk.wrong(Wrong::ShortText(length, rule.min), it, at);
    }
    if length > rule.max {
        return walk.wrong(Wrong::LongText(length, rule.max), it, at);
    }
    let (fits, pattern): (fn(char) -> bool, _) = match rule.of {
        Letters::Any => return Ok(()),
        Letters::Name => (|c| c.is_ascii_alphanumeric() || c == '_' || c == '-', "^[a-zA-Z0-9_-]+$"),
        Letters::Speaker => {
            (|c| !c.is_whitespace() && !matches!(c, '<' | '|' | '\\' | '/' | '>'), "^[^\\s<|\\\\/>]+$")
        }
    };
    if text.chars().all(fits) { Ok(()) } else { walk.wrong(Wrong::Pattern(pattern), it, at) }
}

fn integer(it: Value<'_>, (min, max): (i64, i64), shape: &Shape, walk: &Walk, at: At<'_>) -> Verdict {
    let number = it.as_number().unwrap_or_default();
    let below = || walk.wrong(Wrong::Below("integer", &min.to_string()), it, at);
    let above = || walk.wrong(Wrong::Above("integer", &max.to_string()), it, at);
    match it.as_i64() {
        Some(n) if n < min => below(),
        Some(n) if n > max => above(),
        Some(_) => Ok(()),
        // Beyond 64 bits in digits alone: whole, but out of every range.
        None if number.bytes().skip(1).all(|digit| digit.is_ascii_digit()) => {
            if number.starts_with('-') {
                below()
            } else {
                above()
            }
        }
        None => walk.wrong(Wrong::Kind(shape), it, at),
    }
}

fn decimal(it: Value<'_>, (min, max): (f64, f64), walk: &Walk, at: At<'_>) -> Verdict {
    let number: f64 = it.as_number().and_then(|text| text.parse().ok()).unwrap_or_default();
    if number < min {
        return walk.wrong(Wrong::Below("decimal", &min.to_string()), it, at);
    }
    if number > max {
        return walk.wrong(Wrong::Above("decimal", &max.to_string()), it, at);
    }
    Ok(())
}
