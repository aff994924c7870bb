//! Equality of JSON values: order and escapes of no account, numbers by exact decimal value.

use super::{Kind, Value};
use std::borrow::Cow;
use std::collections::BTreeMap;

/// How alike two values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Likeness {
    /// Different values.
    Different,
    /// Equal once every number is rounded to a double, as JavaScript clients do.
    ThroughDoubles,
    /// Equal values: 1 = 1.0 = 1e0, -0 = 0, but 1 is not true.
    Same,
}

/// An object with more entries than this is compared through a sorted map instead of by search.
const SEARCHED_ENTRIES: usize = 12;

/// Compares two values. The depth is bounded by [`super::MAX_DEPTH`].
#[must_use]
pub fn likeness(a: Value<'_>, b: Value<'_>) -> Likeness {
    use Likeness::{Different, Same};
    let repeats = a.tape.duplicate_key.is_some() || b.tape.duplicate_key.is_some();
    if a.kind() != b.kind() || (a.len() != b.len() && !(repeats && a.kind() == Kind::Object)) {
        return Different;
    }
    match a.kind() {
        Kind::Null => Same,
        Kind::Bool => {
            if a.text() == b.text() {
                Same
            } else {
                Different
            }
        }
        Kind::String => {
            if a.decoded() == b.decoded() {
                Same
            } else {
                Different
            }
        }
        Kind::Number => numbers(a.text(), b.text()),
        Kind::Array => worst(a.items().zip(b.items()).map(|(a, b)| likeness(a, b))),
        Kind::Object if a.len() <= SEARCHED_ENTRIES && !repeats => {
            worst(a.entries().map(|(key, a)| b.get(&key.decoded()).map_or(Different, |b| likeness(a, b))))
        }
        Kind::Object => by_key(a, b),
    }
}

/// Compares two objects through sorted maps; of a repeated key the last value counts.
fn by_key(a: Value<'_>, b: Value<'_>) -> Likeness {
    let (a, b): (BTreeMap<Cow<'_, str>, Value<'_>>, BTreeMap<Cow<'_, str>, Value<'_>>) = (
        a.entries().map(|(key, value)| (key.decoded(), value)).collect(),
        b.entries().map(|(key, value)| (key.decoded(), value)).collect(),
    );
    if a.len() != b.len() {
        return Likeness::Different;
    }
    worst(a.iter().zip(&b).map(
        |((key, a), (other, b))| {
            if key == other { likeness(*a, *b) } else { Likeness::Different }
        },
    ))
}

fn worst(parts: impl Iterator<Item = Likeness>) -> Likeness {
    let mut worst = Likeness::Same;
    for part in parts {
        worst = worst.min(part);
        if worst == Likeness::Different {
            break;
        }
    }
    worst
}

fn numbers(a: &str, b: &str) -> Likeness {
    if a == b || Decimal::of(a) == Decimal::of(b) {
        return Likeness::Same;
    }
    match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) if a == b && a.is_finite() => Likeness::ThroughDoubles,
        _ => Likeness::Different,
    }
}

/// A number text as `0.digits` times ten to a power, without leading or trailing zeros: equal texts of one number meet here.
#[derive(PartialEq, Eq)]
struct Decimal<'n> {
    negative: bool,
    digits: Vec<u8>,
    power: Power<'n>,
}

/// The power of ten; one too large to count is kept as text, so that it never expands.
#[derive(PartialEq, Eq)]
enum Power<'n> {
    Counted(i128),
    Text(&'n str),
}

impl<'n> Decimal<'n> {
    fn of(text: &'n str) -> Self {
        let (negative, rest) = text.strip_prefix('-').map_or((false, text), |rest| (true, rest));
        let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let all = whole.bytes().chain(fraction.bytes());
        let zeros = all.clone().take_while(|&digit| digit == b'0').count();
        let mut digits: Vec<u8> = all.skip(zeros).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        if digits.is_empty() {
            return Self { negative: false, digits, power: Power::Counted(0) };
        }
        let power = match exponent.parse::<i64>() {
            Ok(exponent) => Power::Counted(i128::from(exponent) + whole.len() as i128 - zeros as i128),
            Err(_) => Power::Text(text),
        };
        Self { negative, digits, power }
    }
}

pub(super) fn to_i64(text: &str) -> Option<i64> {
    // As nearly all are written; nineteen digits may be too many.
    let digits = text.strip_prefix('-').unwrap_or(text);
    if digits.len() <= 18 && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return text.parse().ok();
    }
    let number = Decimal::of(text);
    let Power::Counted(power) = number.power else { return None };
    let missing = usize::try_from(power).ok()?.checked_sub(number.digits.len())?;
    if power > 19 {
        return None;
    }
    let digits = std::str::from_utf8(&number.digits).ok()?;
    let sign = if number.negative { "-" } else { "" };
    format!("{sign}{digits}{}", "0".repeat(missing)).parse().ok().or((digits.is_empty()).then_some(0))
}
