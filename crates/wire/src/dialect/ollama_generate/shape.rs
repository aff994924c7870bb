//! The documented completion request as a table, after the request types of Ollama 0.13 (2025-12).

use super::super::ollama_chat::shape::{FORMAT, KEEP_ALIVE, MODEL, THINK};
use super::super::ollama_chat::speech;
use crate::rule::shape::{Field, Shape, Speech, Text};

use Shape::{Bool, Integer, List, Object, Open, Spoken};

const ANY_TEXT: Shape = Shape::Text(Text::ANY);
const MANY: usize = usize::MAX;

/// The body of `POST /api/generate`.
pub(crate) const REQUEST: Shape = Spoken(
    &Speech {
        words: |wrong, it, at| speech::said("GenerateRequest", wrong, it, at),
        closed: |_| false,
        key: None,
    },
    &Object(&[
        MODEL,
        Field::nullable("prompt", ANY_TEXT),
        Field::nullable("suffix", ANY_TEXT),
        Field::nullable("system", ANY_TEXT),
        Field::nullable("template", ANY_TEXT),
        Field::nullable("context", List(&Integer(i64::MIN, i64::MAX), 0, MANY)),
        Field::nullable("stream", Bool),
        Field::nullable("raw", Bool),
        FORMAT,
        KEEP_ALIVE,
        Field::nullable("images", List(&ANY_TEXT, 0, MANY)),
        Field::nullable("options", Open),
        THINK,
    ]),
);
