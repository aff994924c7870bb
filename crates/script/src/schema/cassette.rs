//! The fields of `cassette`.

use super::Kind::{Either, Factor, Flag, List, Name, Object, Word};
use super::fields::{COMMENT, must, new};
use super::{Field, Shape};
use crate::scenario::Cassette;

pub(super) static CASSETTE_FIELD: Field = new(
    "cassette",
    &Either(&[&Name, &Object(&CASSETTE)]),
    "In place of `script`: recorded traffic that plays the provider, by its path relative to this file, or with more.",
);

static CASSETTE: Shape = Shape {
    name: "cassette",
    called: "`cassette`",
    doc: "Recorded traffic that plays the provider; what is asked must have been recorded, and what was recorded must be asked.",
    others: None,
    fields: &[
        COMMENT,
        must(
            "path",
            &Name,
            "The folder of `rehearsal record`, its folder `exchanges`, or the .json file of one exchange; relative to this file.",
        ),
        new("case", &Name, "The name of the case whose recordings are meant; all by default."),
        new(
            "ignore",
            &List(&Word(&Cassette::PARTS)),
            "Parts of a call that make no difference, such as `system` or `tools`.",
        ),
        new("repeat", &Flag, "Whether the last recording of a call is served again once all of them were."),
        new("speed", &Factor, "How many times as fast as it was recorded; 0, the default, does not wait."),
        new("allow_unused", &Flag, "Whether the case passes though some recordings were never asked for."),
    ],
};
