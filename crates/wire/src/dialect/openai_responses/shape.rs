//! The documented request for a response as a table, after the OpenAPI document 2.3.0 of 2026-08-21 and the request types of
//! the official Python library 3.57.0, which are made from a later one.
//!
//! Clients send items back as they got them, with keys of later versions, so the keys of items, parts and tools are not held to
//! the document: only the values of known keys are, and only in items of a known type. Beyond the document it knows what
//! real clients send and the API takes: `client_metadata`, messages without a `type`, tools of types that are not in it.

use crate::rule::shape::{Field, Letters, Need, Null, Shape, Text};

use Shape::{Any, Bool, Decimal, Either, Familiar, Integer, List, Map, Object, Open, Tagged, Word};

/// No limit on a length.
const MANY: usize = usize::MAX;
const ANY_TEXT: Shape = Shape::Text(Text::ANY);
const NAME: Shape = Shape::Text(Text { min: 1, max: 64, of: Letters::Name });
/// Names of calls that come back: a model may have made one up.
const CALLED: Shape = Shape::Text(Text { min: 1, max: MANY, of: Letters::Any });
const MODEL: Shape = CALLED;
const METADATA_KEY: Text = Text { min: 0, max: 64, of: Letters::Any };
const METADATA_VALUE: Shape = Shape::Text(Text { min: 0, max: 512, of: Letters::Any });

/// The body of `POST /v1/responses`.
pub(crate) const REQUEST: Shape = Object(&[
    // A stored prompt may name the model.
    Field { name: "model", shape: MODEL, need: Need::RequiredElsewhere, null: Null::Allowed },
    Field::nullable("input", Either(&[ANY_TEXT, List(&ITEM, 0, MANY)])),
    Field::nullable("instructions", ANY_TEXT),
    Field::nullable("stream", Bool),
    Field::nullable("stream_options", Object(&[Field::nullable("include_obfuscation", Bool)])),
    Field::nullable("tools", List(&TOOL, 0, MANY)),
    Field::nullable("tool_choice", TOOL_CHOICE),
    Field::nullable("parallel_tool_calls", Bool),
    Field::nullable("previous_response_id", ANY_TEXT),
    Field::nullable("conversation", Either(&[ANY_TEXT, Open])),
    Field::nullable("prompt", Open),
    Field::nullable("store", Bool),
    Field::nullable("background", Bool),
    Field::nullable("include", List(&ANY_TEXT, 0, MANY)),
    Field::nullable("max_output_tokens", Integer(16, i64::MAX)),
    Field::nullable("max_tool_calls", Integer(1, i64::MAX)),
    Field::nullable("temperature", Decimal(0.0, 2.0)),
    Field::nullable("top_p", Decimal(0.0, 1.0)),
    Field::nullable("top_logprobs", Integer(0, 20)),
    Field::nullable("presence_penalty", Any),
    Field::nullable("frequency_penalty", Any),
    Field::nullable("reasoning", Familiar("effort", &[], &[("effort", REASONING)])),
    Field::nullable("text", Familiar("", &[], &[("format", TEXT)])),
    Field::nullable("truncation", Word(&["auto", "disabled"])),
    Field::nullable("metadata", Map(METADATA_KEY, &METADATA_VALUE, 16)),
    Field::nullable("client_metadata", Any),
    Field::nullable("context_management", Any),
    Field::nullable("moderation", Any),
    Field::nullable("user", ANY_TEXT),
    Field::nullable("safety_identifier", ANY_TEXT),
    Field::nullable("prompt_cache_key", ANY_TEXT),
    Field::nullable("prompt_cache_options", Any),
    Field::nullable("prompt_cache_retention", Word(&["in_memory", "in-memory", "24h"])),
    Field::nullable("service_tier", Word(TIERS)),
    Field::new("access_programs", Open),
    Field::new("background_options", Open),
    Field::new("image", Open),
    // Of the beta `responses_multi_agent`.
    Field::nullable("multi_agent", Open),
]);

const TIERS: &[&str] = &["auto", "default", "flex", "scale", "priority", "fast", "ultrafast"];

const REASONING: &[Field] = &[
    Field::nullable("effort", ANY_TEXT),
    Field::nullable("summary", Word(&["auto", "concise", "detailed"])),
    Field::nullable("generate_summary", Word(&["auto", "concise", "detailed"])),
];

const TEXT: &[Field] =
    &[Field::nullable("format", FORMAT), Field::nullable("verbosity", Word(&["low", "medium", "high"]))];

const FORMAT: Shape = Tagged(
    "type",
    &[
        ("text", &[TYPE]),
        ("json_object", &[TYPE]),
        (
            "json_schema",
            &[
                TYPE,
                Field::required("name", NAME),
                Field::nullable("description", ANY_TEXT),
                Field::required("schema", Open),
                Field::nullable("strict", Bool),
            ],
        ),
        (
            "grammar",
            &[TYPE, Field::new("grammar", Any), Field::new("definition", Any), Field::new("syntax", Any)],
        ),
        ("python", &[TYPE]),
    ],
);

const TYPE: Field = Field::required("type", ANY_TEXT);

// Tools and their choice.

const TOOL: Shape = Familiar(
    "type",
    &[
        (
            "function",
            &[
                Field::required("name", NAME),
                Field::nullable("description", ANY_TEXT),
                Field::nullable("parameters", Open),
                Field::nullable("strict", Bool),
            ],
        ),
        (
            "custom",
            &[
                Field::required("name", NAME),
                Field::nullable("description", ANY_TEXT),
                Field::nullable("format", Open),
            ],
        ),
        ("namespace", &[Field::required("name", NAME), Field::required("tools", List(&Open, 0, MANY))]),
        ("mcp", &[Field::required("server_label", ANY_TEXT)]),
    ],
    &[],
);

const TOOL_CHOICE: Shape = Either(&[
    Word(&["none", "auto", "required"]),
    Familiar(
        "type",
        &[
            ("function", &[Field::required("name", NAME)]),
            ("custom", &[Field::required("name", NAME)]),
            (
                "allowed_tools",
                &[
                    Field::required("mode", Word(&["auto", "required"])),
                    Field::required("tools", List(&Open, 0, MANY)),
                ],
            ),
        ],
        &[],
    ),
]);

// Items and their parts.

const ITEM: Shape = Familiar(
    "type",
    &[
        ("message", MESSAGE),
        (
            "function_call",
            &[
                Field::required("call_id", ANY_TEXT),
                Field::required("name", CALLED),
                Field::required("arguments", ANY_TEXT),
            ],
        ),
        (
            "custom_tool_call",
            &[
                Field::required("call_id", ANY_TEXT),
                Field::required("name", CALLED),
                Field::required("input", ANY_TEXT),
            ],
        ),
        ("function_call_output", FUNCTION_ANSWER),
        ("custom_tool_call_output", ANSWER),
        (
            "reasoning",
            &[
                Field::required("summary", List(&Open, 0, MANY)),
                Field::nullable("encrypted_content", ANY_TEXT),
            ],
        ),
        ("item_reference", REFERENCE),
    ],
    // Messages and references may come without a type.
    &[("role", MESSAGE), ("content", MESSAGE), ("id", REFERENCE)],
);

const MESSAGE: &[Field] = &[
    Field::required("role", Word(&["assistant", "system", "developer", "user"])),
    Field::required("content", Either(&[ANY_TEXT, List(&PART, 0, MANY)])),
];

const REFERENCE: &[Field] = &[Field::required("id", ANY_TEXT)];

const ANSWER: &[Field] = &[Field::required("call_id", ANY_TEXT), OUTPUT];
/// Which call it answers need not be said where its tool is.
const FUNCTION_ANSWER: &[Field] =
    &[Field { name: "call_id", shape: ANY_TEXT, need: Need::RequiredElsewhere, null: Null::Allowed }, OUTPUT];
const OUTPUT: Field = Field::required("output", Either(&[ANY_TEXT, List(&Open, 0, MANY)]));

/// The types are those that the API lists when it refuses one.
const PART: Shape = Familiar(
    "type",
    &[
        ("input_text", &[Field::required("text", ANY_TEXT)]),
        ("output_text", &[Field::required("text", ANY_TEXT)]),
        ("refusal", &[Field::required("refusal", ANY_TEXT)]),
    ],
    &[],
);
