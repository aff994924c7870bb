//! How echoed arguments are compared with the scripted ones: equality of JSON values, and what may excuse a difference.

use super::{Asked, Echo};
use crate::json::{Kind, Likeness, Tape, Value, likeness, parse};
use crate::reply::custom_input;
use crate::turn::Call;

/// What comes of a comparison.
pub(super) enum Outcome {
    /// The same value.
    Same,
    /// The script broke the call on purpose: whatever comes back is right.
    Broken,
    /// Another name.
    Renamed,
    /// A JSON string that holds the JSON text.
    DoubleEncoded,
    /// Another value, for a reason that correct clients have: a code and a sentence.
    Explained(&'static str, &'static str),
    /// Another value; the words continue "the arguments of … ".
    Differs(&'static str),
}

/// Whether the script broke the arguments on purpose, so that a correct client cannot give them back.
pub(super) fn is_broken(scripted: &str, echo: Echo) -> bool {
    parse(scripted.as_bytes()).map_or(true, |tape| is_no_object(&tape, echo))
}

/// Where values may pass through a client's own reading, anything but an object is broken too: no client can fill a
/// tool's parameters from it.
fn is_no_object(issued: &Tape<'_>, echo: Echo) -> bool {
    echo == Echo::Double && issued.root().kind() != Kind::Object
}

/// Compares an echoed call with the name and the arguments that the script issued.
pub(super) fn compare(asked: &Asked<'_>, call: &Call<'_>, (name, scripted): (&str, &str)) -> Outcome {
    let echo = asked.script.echo();
    // The input of a custom tool is no JSON, or JSON of the model's own choice.
    if call.custom && call.name == name {
        if call.arguments == custom_input(scripted) {
            return Outcome::Same;
        } else if parse(call.arguments.as_bytes()).is_err() {
            return Outcome::Differs("are not the text that was issued");
        }
    }
    let Ok(issued) = parse(scripted.as_bytes()) else { return Outcome::Broken };
    if is_no_object(&issued, echo) {
        return Outcome::Broken;
    }
    if call.name != name {
        return Outcome::Renamed;
    }
    if call.arguments == scripted {
        return Outcome::Same;
    }
    let echoed = parse(call.arguments.as_bytes());
    if echoed.as_ref().is_ok_and(|echoed| is_double_encoded(&issued, echoed.root())) {
        return Outcome::DoubleEncoded;
    }
    if echo == Echo::Bytes {
        return Outcome::Differs("are not byte for byte what was issued");
    }
    let Ok(echoed) = echoed else {
        return Outcome::Differs("are not JSON any more");
    };
    if echoed.duplicate_key.is_some() {
        return Outcome::Differs("hold a key twice");
    }
    if echoed.lone_surrogate.is_some() && issued.lone_surrogate.is_none() {
        return Outcome::Differs("hold half a surrogate pair");
    }
    match likeness(issued.root(), echoed.root()) {
        Likeness::Same => return Outcome::Same,
        Likeness::ThroughDoubles if echo == Echo::Double => return THROUGH_DOUBLES,
        Likeness::ThroughDoubles | Likeness::Different => {}
    }
    match (
        echo,
        explained(issued.root(), echoed.root(), asked.turn.tool(&call.name).and_then(|tool| tool.schema)),
    ) {
        (Echo::Double, true) => STRIPPED,
        (Echo::Exact | Echo::Bytes, _) | (Echo::Double, false) => {
            Outcome::Differs("have another value than was issued")
        }
    }
}

const THROUGH_DOUBLES: Outcome = Outcome::Explained(
    "arguments-through-doubles",
    "numbers came back rounded to doubles, as clients in JavaScript send them",
);

const STRIPPED: Outcome = Outcome::Explained(
    "arguments-stripped",
    "keys that the offered schema does not name were left out of the echoed arguments",
);

fn is_double_encoded(issued: &Tape<'_>, echoed: Value<'_>) -> bool {
    let Some(inner) = echoed.as_str() else { return false };
    parse(inner.as_bytes()).is_ok_and(|inner| likeness(issued.root(), inner.root()) != Likeness::Different)
}

/// Whether rounding to doubles and dropping keys that the schema does not name make the one value of the other.
fn explained(issued: Value<'_>, echoed: Value<'_>, schema: Option<Value<'_>>) -> bool {
    let below = |key| schema.and_then(|schema| schema.get(key));
    match (issued.kind(), echoed.kind()) {
        (Kind::Object, Kind::Object) => {
            let named = below("properties");
            let kept = issued.entries().all(|(key, value)| {
                let Some(key) = key.as_str() else { return false };
                let schema = named.and_then(|named| named.get(&key));
                match echoed.get(&key) {
                    Some(other) => explained(value, other, schema),
                    None => named.is_some() && schema.is_none(),
                }
            });
            kept && echoed
                .entries()
                .all(|(key, _)| key.as_str().is_some_and(|key| issued.get(&key).is_some()))
        }
        (Kind::Array, Kind::Array) => {
            let items = below("items");
            issued.len() == echoed.len()
                && issued.items().zip(echoed.items()).all(|(a, b)| explained(a, b, items))
        }
        _ => likeness(issued, echoed) != Likeness::Different,
    }
}
