//! The walk over a request. Nothing is built on the way down: the place is a chain on the stack until something is wrong.

use super::super::Verdict;
use super::fault;
use super::{Field, Letters, Need, Null, Shape, Text};
use crate::json::{Kind, Tape, Value};
use crate::reject::Reject;
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
pub(super) struct Place<'p> {
    pub(super) above: Option<&'p Place<'p>>,
    pub(super) step: Step<'p>,
}

/// One step down.
#[derive(Clone, Copy)]
pub(super) enum Step<'p> {
    Key(&'p str),
    Index(usize),
}

type At<'p> = Option<&'p Place<'p>>;

/// A walk for one rule or for both at once.
struct Walk {
    values: bool,
    keys: bool,
    /// Some object of the body repeats a key: then only the last value of each key counts.
    repeats: bool,
    /// The first unknown key; it counts only when no value is wrong.
    unknown: RefCell<Option<Box<Reject>>>,
}

/// Holds a body against a documented shape, with one walk for everything that is looked for.
///
/// # Errors
/// The first deviation, as the API words it, and which look found it; wrong values come before unknown keys.
pub(in super::super) fn check(
    tape: &Tape<'_>,
    shape: &Shape,
    looks: impl Fn(Look) -> bool,
) -> Result<(), (Look, Box<Reject>)> {
    let body = tape.root();
    let walk = Walk {
        values: looks(Look::Values),
        keys: looks(Look::Keys),
        repeats: tape.duplicate_key.is_some(),
        unknown: RefCell::new(None),
    };
    if body.kind() == Kind::Object {
        value(body, shape, &walk, None).map_err(|reject| (Look::Values, reject))?;
    } else if walk.values {
        return Err((Look::Values, fault::no_object(body)));
    }
    walk.unknown.into_inner().map_or(Ok(()), |reject| Err((Look::Keys, reject)))
}

fn value(it: Value<'_>, shape: &Shape, walk: &Walk, at: At<'_>) -> Verdict {
    match *shape {
        Shape::Any => Ok(()),
        Shape::Object(fields) if it.kind() == Kind::Object => object(it, fields, walk, at),
        Shape::Tagged(tag, variants) if it.kind() == Kind::Object => tagged(it, tag, variants, walk, at),
        Shape::Familiar(tag, variants, untagged) if it.kind() == Kind::Object => {
            familiar(it, (tag, variants, untagged), walk, at)
        }
        Shape::List(of, min, max) if it.kind() == Kind::Array => list(it, of, (min, max), walk, at),
        Shape::Either(shapes) => match shapes.iter().find(|shape| takes(shape, it.kind())) {
            Some(shape) => value(it, shape, walk, at),
            None if walk.values => Err(fault::kind(it, shape, at)),
            None => Ok(()),
        },
        Shape::Map(keys, of, most) if it.kind() == Kind::Object => map(it, (keys, of, most), walk, at),
        _ if walk.values => scalar(it, shape, at),
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
    }
}

fn scalar(it: Value<'_>, shape: &Shape, at: At<'_>) -> Verdict {
    if !takes(shape, it.kind()) {
        return Err(fault::kind(it, shape, at));
    }
    match *shape {
        Shape::Text(rule) => text(it, rule, at),
        Shape::Word(words) if !words.iter().any(|word| it.is_str(word)) => Err(fault::word(it, words, at)),
        Shape::Integer(min, max) => integer(it, (min, max), shape, at),
        Shape::Decimal(min, max) => decimal(it, (min, max), at),
        Shape::Any | Shape::Bool | Shape::Word(_) | Shape::Open => Ok(()),
        Shape::List(..)
        | Shape::Object(_)
        | Shape::Map(..)
        | Shape::Tagged(..)
        | Shape::Familiar(..)
        | Shape::Either(_) => Ok(()),
    }
}

fn object(it: Value<'_>, fields: &[Field], walk: &Walk, above: At<'_>) -> Verdict {
    let mut required = 0;
    for (key, under) in it.entries() {
        let Some(key) = key.as_str() else { continue };
        let Some(field) = fields.iter().find(|field| field.name == key) else {
            if walk.keys {
                let place = Place { above, step: Step::Key(&key) };
                walk.unknown.borrow_mut().get_or_insert_with(|| fault::unknown(&place));
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
                Null::RefusedPlainly => return Err(fault::null(&at)),
            }
        }
    }
    // Counting spares the search where nothing is missing.
    let needed = fields.iter().filter(|field| field.need != Need::Optional);
    if walk.values && required < needed.clone().count() {
        let mut missing = needed.filter(|field| it.get(field.name).is_none());
        if let Some(field) = missing.find(|field| field.need != Need::RequiredElsewhere) {
            return Err(fault::missing(field, &Place { above, step: Step::Key(field.name) }));
        }
    }
    Ok(())
}

fn familiar(
    it: Value<'_>,
    (tag, variants, untagged): (&'static str, &[(&'static str, &'static [Field])], Option<&'static [Field]>),
    walk: &Walk,
    above: At<'_>,
) -> Verdict {
    if !walk.values {
        return Ok(());
    }
    let word = it.get(tag).filter(|word| !word.is_null());
    let known = variants.iter().find(|(name, _)| word.is_some_and(|word| word.is_str(name)));
    let fields = match (word, untagged) {
        (Some(_), _) if !variants.is_empty() => known.map(|(_, fields)| *fields).unwrap_or_default(),
        (_, Some(fields)) => fields,
        (_, None) => {
            let place = Place { above, step: Step::Key(tag) };
            return Err(fault::missing(&Field::required(tag, Shape::Any), &place));
        }
    };
    let keys_of_its_own =
        Walk { keys: false, values: true, repeats: walk.repeats, unknown: RefCell::default() };
    object(it, fields, &keys_of_its_own, above)
}

fn tagged(
    it: Value<'_>,
    tag: &'static str,
    variants: &[(&'static str, &'static [Field])],
    walk: &Walk,
    above: At<'_>,
) -> Verdict {
    let at = Place { above, step: Step::Key(tag) };
    let Some(word) = it.get(tag) else {
        let field = Field::required(tag, Shape::Any);
        return if walk.values { Err(fault::missing(&field, &at)) } else { Ok(()) };
    };
    match variants.iter().find(|(name, _)| word.is_str(name)) {
        Some((_, fields)) => object(it, fields, walk, above),
        None if !walk.values => Ok(()),
        None => {
            let words: Vec<&'static str> = variants.iter().map(|(name, _)| *name).collect();
            Err(match word.kind() {
                Kind::String => fault::word(word, &words, Some(&at)),
                _ => fault::tag(word, &words, &at),
            })
        }
    }
}

fn list(it: Value<'_>, of: &Shape, (min, max): (usize, usize), walk: &Walk, above: At<'_>) -> Verdict {
    if walk.values && it.len() < min {
        return Err(fault::short_list(it, min, above));
    }
    if walk.values && it.len() > max {
        return Err(fault::long_list(it, max, above));
    }
    for (index, element) in it.items().enumerate() {
        value(element, of, walk, Some(&Place { above, step: Step::Index(index) }))?;
    }
    Ok(())
}

fn map(it: Value<'_>, (keys, of, most): (Text, &Shape, usize), walk: &Walk, above: At<'_>) -> Verdict {
    if walk.values && it.len() > most {
        return Err(fault::large_map(it, most, above));
    }
    for (key, under) in it.entries() {
        let name = key.as_str().unwrap_or_default();
        let at = Place { above, step: Step::Key(&name) };
        if walk.values {
            text(key, keys, Some(&at))?;
        }
        value(under, of, walk, Some(&at))?;
    }
    Ok(())
}

fn text(it: Value<'_>, rule: Text, at: At<'_>) -> Verdict {
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
        return Err(fault::short_text(length, rule.min, at));
    }
    if length > rule.max {
        return Err(fault::long_text(length, rule.max, at));
    }
    let (fits, pattern): (fn(char) -> bool, _) = match rule.of {
        Letters::Any => return Ok(()),
        Letters::Name => (|c| c.is_ascii_alphanumeric() || c == '_' || c == '-', "^[a-zA-Z0-9_-]+$"),
        Letters::Speaker => {
            (|c| !c.is_whitespace() && !matches!(c, '<' | '|' | '\\' | '/' | '>'), "^[^\\s<|\\\\/>]+$")
        }
    };
    if text.chars().all(fits) { Ok(()) } else { Err(fault::pattern(pattern, at)) }
}

fn integer(it: Value<'_>, (min, max): (i64, i64), shape: &Shape, at: At<'_>) -> Verdict {
    let number = it.as_number().unwrap_or_default();
    match it.as_i64() {
        Some(n) if n < min => Err(fault::bound("integer", it, Err(&min.to_string()), at)),
        Some(n) if n > max => Err(fault::bound("integer", it, Ok(&max.to_string()), at)),
        Some(_) => Ok(()),
        // Beyond 64 bits in digits alone: whole, but out of every range.
        None if number.bytes().skip(1).all(|digit| digit.is_ascii_digit()) => {
            Err(if number.starts_with('-') {
                fault::bound("integer", it, Err(&min.to_string()), at)
            } else {
                fault::bound("integer", it, Ok(&max.to_string()), at)
            })
        }
        None => Err(fault::kind(it, shape, at)),
    }
}

fn decimal(it: Value<'_>, (min, max): (f64, f64), at: At<'_>) -> Verdict {
    let number: f64 = it.as_number().and_then(|text| text.parse().ok()).unwrap_or_default();
    if number < min {
        return Err(fault::bound("decimal", it, Err(&min.to_string()), at));
    }
    if number > max {
        return Err(fault::bound("decimal", it, Ok(&max.to_string()), at));
    }
    Ok(())
}
