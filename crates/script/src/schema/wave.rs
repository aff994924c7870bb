//! The fields of a wave file.

use super::Kind::{Either, List, Name, Object, Whole, Word};
use super::fields::{COMMENT, must, new};
use super::{Field, Kind, Need, Shape};

/// Parts that a worker may play.
pub(crate) const ROLES: [&str; 3] = ["worker", "setup", "verify"];

static NAMES: Kind = List(&Name);

pub(crate) static WAVE: Shape = Shape {
    name: "wave",
    called: "a wave file",
    doc: "Several items of work for `rehearsal drive --wave`.",
    others: None,
    fields: &[
        Field { need: Need::Required, ..new("version", &Whole(1, 1), "1.") },
        COMMENT,
        new("test", &Name, "The command that tests each item that names none itself."),
        new(
            "protect",
            &NAMES,
            "Files that no item owns, beside tests, their configuration and start-up files.",
        ),
        must("items", &List(&Object(&ITEM)), "The items, each with files of its own."),
    ],
};

static ITEM: Shape = Shape {
    name: "item",
    called: "an item",
    doc: "One task with the files that it may change.",
    others: None,
    fields: &[
        COMMENT,
        must("slug", &Name, "Its name, unique in the wave."),
        must("prompt", &Name, "What is to be done."),
        must(
            "owns",
            &List(&Either(&[&Name, &Object(&OWNED)])),
            "The files that it may change, by their paths in the work tree.",
        ),
        new("after", &NAMES, "Slugs of items that must be verified before it starts."),
        new("test", &Name, "The command that tests it, in a clean copy of the work tree."),
        new("check", &Name, "A further command that the model is not told of."),
        new("role", &Word(&ROLES), "The part that its worker plays, which says which model does it."),
        new("model", &Name, "The model that does it, whatever its role."),
    ],
};

static OWNED: Shape = Shape {
    name: "owned",
    called: "an owned file",
    doc: "A file that an item may change or make.",
    others: None,
    fields: &[
        must("path", &Name, "Its path in the work tree, `/` between the parts."),
        new(
            "mode",
            &Word(&["edit", "create"]),
            "Whether it is there already (the default) or is to be made.",
        ),
    ],
};
