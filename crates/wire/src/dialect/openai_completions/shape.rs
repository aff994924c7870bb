//! The documented completion request as a table, after the OpenAPI document 2.3.0 of 2026-08-21.

use crate::rule::shape::{Field, Need, Null, Shape, Text};

use Shape::{Bool, Decimal, Either, Integer, List, Map, Object};

const ANY_TEXT: Shape = Shape::Text(Text::ANY);
const MANY: usize = usize::MAX;
const TOKEN: Shape = Integer(0, i64::MAX);

/// The body of `POST /v1/completions`.
pub(crate) const REQUEST: Shape = Object(&[
    Field { name: "model", shape: ANY_TEXT, need: Need::Required, null: Null::Refused },
    // The document requires it and says what stands there where it is left out; clients leave it out.
    Field::nullable("prompt", PROMPT),
    Field::nullable("suffix", ANY_TEXT),
    Field::nullable("max_tokens", Integer(0, i64::MAX)),
    Field::nullable("temperature", Decimal(0.0, 2.0)),
    Field::nullable("top_p", Decimal(0.0, 1.0)),
    Field::nullable("n", Integer(1, 128)),
    Field::nullable("stream", Bool),
    Field::nullable("stream_options", Object(STREAM_OPTIONS)),
    Field::nullable("logprobs", Integer(0, 5)),
    Field::nullable("echo", Bool),
    Field::nullable("stop", Either(&[ANY_TEXT, List(&ANY_TEXT, 1, 4)])),
    Field::nullable("presence_penalty", Decimal(-2.0, 2.0)),
    Field::nullable("frequency_penalty", Decimal(-2.0, 2.0)),
    Field::nullable("best_of", Integer(0, 20)),
    Field::nullable("logit_bias", Map(Text::ANY, &Integer(-100, 100), MANY)),
    Field::nullable("seed", Integer(i64::MIN, i64::MAX)),
    Field::nullable("user", ANY_TEXT),
]);

/// A text, several, the tokens of one, or of several.
const PROMPT: Shape = Either(&[ANY_TEXT, List(&Either(&[ANY_TEXT, TOKEN, List(&TOKEN, 1, MANY)]), 1, MANY)]);

const STREAM_OPTIONS: &[Field] =
    &[Field::nullable("include_usage", Bool), Field::nullable("include_obfuscation", Bool)];
