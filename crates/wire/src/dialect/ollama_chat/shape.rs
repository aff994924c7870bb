//! The documented chat request as a table, after the request types of Ollama 0.13 (2025-12). Null is the same as nothing
//! there, and keys that the types do not have are passed over, as Go's reader of JSON does.

use super::speech;
use crate::rule::shape::{Field, Letters, Shape, Speech, Text};

use Shape::{Any, Bool, Decimal, Either, Integer, List, Object, Open, Spoken};

const ANY_TEXT: Shape = Shape::Text(Text::ANY);
const MANY: usize = usize::MAX;

/// The name of a model, which must be there.
pub(crate) const MODEL: Field =
    Field::required("model", Shape::Text(Text { min: 1, max: MANY, of: Letters::Any }));
/// How long a model stays loaded: `"5m"`, or seconds.
pub(crate) const KEEP_ALIVE: Field =
    Field::nullable("keep_alive", Either(&[ANY_TEXT, Decimal(f64::MIN, f64::MAX)]));
/// Whether it thinks, or how hard.
pub(crate) const THINK: Field = Field::nullable("think", Either(&[Bool, ANY_TEXT]));
/// `"json"`, or a schema.
pub(crate) const FORMAT: Field = Field::nullable("format", Any);

/// The body of `POST /api/chat`.
pub(crate) const REQUEST: Shape = Spoken(
    &Speech {
        words: |wrong, it, at| speech::said("ChatRequest", wrong, it, at),
        closed: |_| false,
        key: None,
    },
    &Object(&[
        MODEL,
        Field::nullable("messages", List(&Object(MESSAGE), 0, MANY)),
        Field::nullable("stream", Bool),
        FORMAT,
        KEEP_ALIVE,
        Field::nullable("tools", List(&Object(TOOL), 0, MANY)),
        Field::nullable("options", Open),
        THINK,
    ]),
);

const MESSAGE: &[Field] = &[
    Field::nullable("role", ANY_TEXT),
    Field::nullable("content", ANY_TEXT),
    Field::nullable("thinking", ANY_TEXT),
    Field::nullable("images", List(&ANY_TEXT, 0, MANY)),
    Field::nullable("tool_calls", List(&Object(CALL), 0, MANY)),
    Field::nullable("tool_name", ANY_TEXT),
    Field::nullable("tool_call_id", ANY_TEXT),
];

const CALL: &[Field] = &[Field::nullable("id", ANY_TEXT), Field::nullable("function", Object(CALLED))];

const CALLED: &[Field] = &[
    Field::nullable("index", Integer(i64::MIN, i64::MAX)),
    Field::nullable("name", ANY_TEXT),
    Field::nullable("arguments", Open),
];

const TOOL: &[Field] = &[Field::nullable("type", ANY_TEXT), Field::nullable("function", Object(FUNCTION))];

const FUNCTION: &[Field] = &[
    Field::nullable("name", ANY_TEXT),
    Field::nullable("description", ANY_TEXT),
    Field::nullable("parameters", Open),
];
