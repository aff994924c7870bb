//! The fields of workflow files, in our form and in the reference's.

use super::Kind::{
    Anything, Either, Factor, Flag, List, Map, Name, Object, OrNull, Scalar, Span, Text, Whole, Word,
};
use super::fields::{COMMENT, must, new};
use super::{Field, Kind, Need, Shape};
use crate::workflow::{Control, Outcome, PERMISSIONS};

static NAMES: Kind = List(&Name);
static OUTCOMES: Kind = Word(&Outcome::WORDS);

static TITLE: Field = new("title", &Text, "What it is about, for people.");
static PERMITTED: Field = new(
    "permissions",
    &List(&Word(&PERMISSIONS)),
    "What its steps may use; a step that needs another permission is refused. None by default.",
);
static ARTIFACTS: Field = new(
    "artifacts",
    &NAMES,
    "Names of artifacts that must exist at the end, each with a digest. What a workflow lists here holds for cases in which no step refuses.",
);
static TIME_LIMIT: Field = new("time_limit", &Span, "How long a case may take: `10s`, `500ms`, `2m`.");

pub(crate) static WORKFLOW: Shape = Shape {
    name: "workflow",
    called: "a workflow file",
    doc: "Pieces of work whose steps drive real subsystems, and how each must end.",
    others: None,
    fields: &[
        must("version", &Whole(1, 1), "The number 1."),
        COMMENT,
        must(
            "workflow",
            &Name,
            "Its name, the first part of the names of its cases: letters, digits, `.`, `_`, `-`, and `/` between.",
        ),
        TITLE,
        new("summary", &Text, "The same, longer."),
        PERMITTED,
        ARTIFACTS,
        TIME_LIMIT,
        must("cases", &List(&Object(&CASE)), "The cases; each is run by itself."),
    ],
};

static CASE: Shape = Shape {
    name: "workflow_case",
    called: "a case",
    doc: "Steps, and how they must end.",
    others: None,
    fields: &[
        COMMENT,
        must("id", &Name, "Its name in the workflow: letters, digits, `.`, `_`, `-`, and `/` between."),
        TITLE,
        must("outcome", &OUTCOMES, "How it must end."),
        new(
            "refusal",
            &Object(&REFUSAL),
            "The step that must refuse, and the code with which: for the outcomes `failure` and `permission_denied`.",
        ),
        new(
            "control",
            &Word(&Control::WORDS),
            "For a case that shows that others can fail: it passes only where it does not end as declared.",
        ),
        new(
            "because",
            &Name,
            "What a control must fail with: the code of a finding, such as `not-proven`, or of a refusal, such as `E_NO_EDGE`.",
        ),
        new("skip", &Name, "Why it is not run."),
        new("needs", &NAMES, "Programs without which it is skipped."),
        PERMITTED,
        ARTIFACTS,
        TIME_LIMIT,
        must("steps", &List(&Object(&STEP)), "What is done, one after the other."),
    ],
};

static REFUSAL: Shape = Shape {
    name: "workflow_refusal",
    called: "`refusal`",
    doc: "A step that must refuse.",
    others: None,
    fields: &[
        must("step", &Name, "The id of the step."),
        must("code", &Name, "The code with which it must refuse, such as `E_PATH_PARENT`."),
    ],
};

static STEP: Shape = Shape {
    name: "workflow_step",
    called: "a step",
    doc: "One operation of a subsystem.",
    others: None,
    fields: &[
        COMMENT,
        must("use", &Name, "The operation."),
        new(
            "id",
            &Name,
            "Its name in the case, for `${id.field}`: a small letter, then small letters, digits, `_` and `-`. By default that of the operation, with `-2` and so on where it comes again.",
        ),
        new(
            "with",
            &Map(&Anything),
            "Its inputs. `${id.field}` is what an earlier step observed; `$${` is the text `${`.",
        ),
        new(
            "expect",
            &Map(&OrNull(&Either(&[&Object(&CHECK), &Scalar, &List(&Anything)]))),
            "What must hold of what it observes, by field (`field`, `field.key`, `field[0]`): operators, or a value to be equal to.",
        ),
        new("time_limit", &Span, "How long it may take."),
    ],
};

/// The operators; a test holds them to those that the reader knows.
static CHECK: Shape = Shape {
    name: "workflow_check",
    called: "an expectation",
    doc: "Operators; all of them must hold.",
    others: None,
    fields: &[
        new("eq", &Anything, "Equal, types included: true is not 1. Numbers are compared by their value."),
        new("ne", &Anything, "There, and not equal."),
        new("absent", &Flag, "true: there is no such field."),
        new("present", &Flag, "true: there is such a field, whatever it holds."),
        new("contains", &Anything, "A text that holds this text, or a list that holds an equal value."),
        new("matches", &Text, "A text that this regular expression meets from its first to its last letter."),
        new(
            "len",
            &Whole(0, 1_000_000_000),
            "A text of so many characters, or a list or map of so many entries.",
        ),
        // `gte` and `lte` of other languages are as near to one as to the other; the first one is told.
        new("ge", &Anything, "A number not below this one."),
        new("gt", &Anything, "A number above this one."),
        new("le", &Anything, "A number not above this one."),
        new("lt", &Anything, "A number below this one."),
        new("one_of", &List(&Anything), "Equal to one of these."),
        new(
            "sha256_of",
            &Name,
            "The SHA-256 of this file of the workspace, 64 lowercase hexadecimal digits.",
        ),
        new(
            "exists",
            &Flag,
            "A path of the workspace at which there is (or, with false, is not) a regular file.",
        ),
    ],
};

const fn filled(name: &'static str, kind: &'static Kind, doc: &'static str) -> Field {
    Field { name, kind, need: Need::Filled, older: true, doc }
}

pub(crate) static REFERENCE: Shape = Shape {
    name: "reference",
    called: "a workflow file of the reference's form",
    doc: "A workflow file of the reference's form.",
    others: None,
    fields: &[
        filled("id", &Name, "Its name."),
        filled("version", &Either(&[&Name, &Factor]), "A text or a number."),
        filled("title", &Text, "What it is about."),
        filled("summary", &Text, "The same, longer."),
        filled("steps", &NAMES, "Names of steps, for each case that names none itself."),
        filled("failure_conditions", &NAMES, "When it fails, for people."),
        new("permissions", &List(&Text), "What its steps use."),
        new("artifacts", &List(&Text), "Names of artifacts."),
        filled("cases", &List(&Object(&REFERENCE_CASE)), "The cases."),
    ],
};

static REFERENCE_CASE: Shape = Shape {
    name: "reference_case",
    called: "a case",
    doc: "A case of the reference's form.",
    others: None,
    fields: &[
        filled("id", &Name, "Its name, `workflow/name`."),
        filled("title", &Text, "What it is about."),
        filled("outcome", &OUTCOMES, "How it must end."),
        new("inputs", &Map(&Map(&Anything)), "Inputs by the name of a step; `*` is for every step."),
        new("expect", &Map(&Anything), "What must hold of all that was observed."),
        new("steps", &NAMES, "Names of steps, in place of the workflow's."),
        new("notes", &Text, "Anything else."),
    ],
};

#[cfg(test)]
mod tests {
    use super::CHECK;
    use crate::workflow::Check;

    #[test]
    fn the_schema_knows_the_operators_that_are_read() {
        let names: Vec<_> = CHECK.fields.iter().map(|field| field.name).collect();
        assert_eq!(names, Check::WORDS);
    }
}
