//! The documented chat completion request as a table, after the OpenAPI document 2.3.0 of 2026-08-21 and the request types of
//! the official Python library 3.57.0, which are made from a later one: moderation, marks of the prompt cache, newer words.
//!
//! Beyond the document it knows what real clients send and the API takes: `name` of a tool message; what an assistant
//! message carries when clients send it back as they got it (`annotations`, the `index` of a streamed call, what the
//! typed helpers of the official Python library add: `parsed`, `parsed_arguments`; `reasoning_content`, which DeepSeek and others
//! send and want back with the calls that it led to); null where the document says nothing.

use crate::rule::shape::{Field, Letters, Need, Null, Shape, Text};

use Shape::{Any, Bool, Decimal, Either, Integer, List, Map, Object, Open, Tagged, Word};

/// No limit on a length.
const MANY: usize = usize::MAX;
const ANY_TEXT: Shape = Shape::Text(Text::ANY);
/// Names of tools, functions and schemas.
const NAME: Shape = Shape::Text(Text { min: 1, max: 64, of: Letters::Name });
/// Names of those who speak.
const SPEAKER: Shape = Shape::Text(Text { min: 1, max: 64, of: Letters::Speaker });
const TYPE: Field = Field::required("type", ANY_TEXT);
const ROLE: Field = Field::required("role", ANY_TEXT);
/// A count of tokens.
const TOKENS: Shape = Integer(1, i64::MAX);

/// The body of `POST /v1/chat/completions`.
pub(crate) const REQUEST: Shape = Object(&[
    Field { name: "model", shape: MODEL, need: Need::RequiredElsewhere, null: Null::Allowed },
    Field::required("messages", List(&MESSAGE, 1, MANY)),
    Field::nullable("stream", Bool),
    Field::nullable("tools", List(&TOOL, 1, 128)),
    Field::nullable("tool_choice", TOOL_CHOICE),
    Field::new("parallel_tool_calls", Bool),
    Field::nullable("stream_options", Object(STREAM_OPTIONS)),
    Field::nullable("temperature", Decimal(0.0, 2.0)),
    Field::nullable("top_p", Decimal(0.0, 1.0)),
    Field::nullable("max_tokens", TOKENS),
    Field::nullable("max_completion_tokens", TOKENS),
    Field::nullable("n", Integer(1, 128)),
    Field::nullable("stop", Either(&[ANY_TEXT, List(&ANY_TEXT, 1, 4)])),
    Field::nullable("seed", Integer(i64::MIN, i64::MAX)),
    Field::nullable("response_format", RESPONSE_FORMAT),
    Field::nullable("reasoning_effort", Word(&["none", "minimal", "low", "medium", "high", "xhigh", "max"])),
    Field::nullable("verbosity", Word(&["low", "medium", "high"])),
    Field::nullable("presence_penalty", Decimal(-2.0, 2.0)),
    Field::nullable("frequency_penalty", Decimal(-2.0, 2.0)),
    Field::nullable("logprobs", Bool),
    Field::nullable("top_logprobs", Integer(0, 20)),
    Field::nullable("logit_bias", Map(Text::ANY, &Integer(-100, 100), MANY)),
    Field::nullable("metadata", Map(METADATA_KEY, &METADATA_VALUE, 16)),
    Field::nullable("store", Bool),
    Field::nullable("user", ANY_TEXT),
    Field::nullable("safety_identifier", ANY_TEXT),
    Field::nullable("prompt_cache_key", ANY_TEXT),
    Field::nullable("prompt_cache_retention", Word(&["in_memory", "in-memory", "24h"])),
    Field::new("prompt_cache_options", Object(CACHE_OPTIONS)),
    Field::nullable("service_tier", Word(&["auto", "default", "flex", "scale", "priority", "fast"])),
    Field::nullable("moderation", Object(MODERATION)),
    Field::nullable("modalities", List(&Word(&["text", "audio"]), 1, MANY)),
    Field::nullable("audio", Object(AUDIO_OUT)),
    Field::nullable("prediction", Tagged("type", &[("content", &[TYPE, Field::required("content", TEXTS)])])),
    Field::nullable("web_search_options", Object(WEB_SEARCH)),
    Field::nullable("functions", List(&Object(FUNCTION), 1, 128)),
    Field::nullable("function_call", Either(&[Word(&["none", "auto"]), Object(NAMED)])),
]);

const MODEL: Shape = Shape::Text(Text { min: 1, max: MANY, of: Letters::Any });
const METADATA_KEY: Text = Text { min: 0, max: 64, of: Letters::Any };
const METADATA_VALUE: Shape = Shape::Text(Text { min: 0, max: 512, of: Letters::Any });

const STREAM_OPTIONS: &[Field] =
    &[Field::nullable("include_usage", Bool), Field::nullable("include_obfuscation", Bool)];

const CACHE_OPTIONS: &[Field] =
    &[Field::new("mode", Word(&["implicit", "explicit"])), Field::new("ttl", Word(&["30m"]))];

/// Where the part of a prompt ends that is kept.
const CACHE: Field = Field::new(
    "prompt_cache_breakpoint",
    Object(&[Field::required("mode", Word(&["explicit"])), Field::new("ttl", Word(&["30m", "12h"]))]),
);

const MODERATION: &[Field] =
    &[Field::required("model", ANY_TEXT), Field::nullable("policy", Object(MODERATION_POLICY))];

const MODERATION_POLICY: &[Field] =
    &[Field::nullable("input", Object(MODERATED)), Field::nullable("output", Object(MODERATED))];

const MODERATED: &[Field] = &[Field::required("mode", Word(&["score", "block"]))];

const AUDIO_OUT: &[Field] = &[
    Field::required("voice", Either(&[ANY_TEXT, Object(&[Field::required("id", ANY_TEXT)])])),
    Field::required("format", Word(&["wav", "aac", "mp3", "flac", "opus", "pcm16"])),
];

const WEB_SEARCH: &[Field] = &[
    Field::nullable("search_context_size", Word(&["low", "medium", "high"])),
    Field::nullable("user_location", Object(LOCATION)),
];

const LOCATION: &[Field] = &[
    Field::required("type", Word(&["approximate"])),
    Field::required(
        "approximate",
        Object(&[
            Field::nullable("country", ANY_TEXT),
            Field::nullable("region", ANY_TEXT),
            Field::nullable("city", ANY_TEXT),
            Field::nullable("timezone", ANY_TEXT),
        ]),
    ),
];

const RESPONSE_FORMAT: Shape = Tagged(
    "type",
    &[
        ("json_object", &[TYPE]),
        ("json_schema", &[TYPE, Field::required("json_schema", Object(JSON_SCHEMA))]),
        ("text", &[TYPE]),
    ],
);

const JSON_SCHEMA: &[Field] = &[
    Field::required("name", NAME),
    Field::new("description", ANY_TEXT),
    Field::new("schema", Open),
    Field::nullable("strict", Bool),
];

// Tools, their choice, their calls.

const TOOL: Shape = Tagged(
    "type",
    &[
        ("function", &[TYPE, Field::required("function", Object(FUNCTION))]),
        ("custom", &[TYPE, Field::required("custom", Object(CUSTOM))]),
    ],
);

const FUNCTION: &[Field] = &[
    Field::required("name", NAME),
    Field::new("description", ANY_TEXT),
    Field::new("parameters", Open),
    Field::nullable("strict", Bool),
];

const CUSTOM: &[Field] = &[
    Field::required("name", NAME),
    Field::new("description", ANY_TEXT),
    Field::new("format", CUSTOM_FORMAT),
];

const CUSTOM_FORMAT: Shape =
    Tagged("type", &[("text", &[TYPE]), ("grammar", &[TYPE, Field::required("grammar", Object(GRAMMAR))])]);

const GRAMMAR: &[Field] =
    &[Field::required("definition", ANY_TEXT), Field::required("syntax", Word(&["lark", "regex"]))];

const NAMED: &[Field] = &[Field::required("name", NAME)];

const TOOL_CHOICE: Shape = Either(&[
    Word(&["none", "auto", "required"]),
    Tagged(
        "type",
        &[
            ("function", &[TYPE, Field::required("function", Object(NAMED))]),
            ("custom", &[TYPE, Field::required("custom", Object(NAMED))]),
            ("allowed_tools", &[TYPE, Field::required("allowed_tools", Object(ALLOWED_TOOLS))]),
        ],
    ),
]);

const ALLOWED_TOOLS: &[Field] =
    &[Field::required("mode", Word(&["auto", "required"])), Field::required("tools", List(&Open, 1, MANY))];

const CALL: Shape = Tagged(
    "type",
    &[
        ("function", &[ID, TYPE, Field::required("function", Object(ISSUED_CALL)), STREAM_INDEX]),
        ("custom", &[ID, TYPE, Field::required("custom", Object(CUSTOM_CALL)), STREAM_INDEX]),
    ],
);

const ID: Field = Field::required("id", ANY_TEXT);
const STREAM_INDEX: Field = Field::new("index", Any);

const FUNCTION_CALL: &[Field] = &[Field::required("name", NAME), Field::required("arguments", ANY_TEXT)];
const ISSUED_CALL: &[Field] = &[
    Field::required("name", NAME),
    Field::required("arguments", ANY_TEXT),
    Field::nullable("parsed_arguments", Any),
];
const CUSTOM_CALL: &[Field] = &[Field::required("name", NAME), Field::required("input", ANY_TEXT)];

// Messages and their parts.

const MESSAGE: Shape = Tagged(
    "role",
    &[
        ("assistant", ASSISTANT),
        ("tool", TOOL_ANSWER),
        ("user", &[ROLE, content(USER_CONTENT), SPEAKS]),
        ("system", &[ROLE, content(TEXTS), SPEAKS]),
        ("developer", &[ROLE, content(TEXTS), SPEAKS]),
        ("function", FUNCTION_ANSWER),
    ],
);

const SPEAKS: Field = Field::new("name", SPEAKER);

const fn content(shape: Shape) -> Field {
    Field { name: "content", shape, need: Need::Required, null: Null::RefusedPlainly }
}

const ASSISTANT: &[Field] = &[
    ROLE,
    Field::nullable("content", Either(&[ANY_TEXT, List(&ASSISTANT_PART, 1, MANY)])),
    Field::nullable("tool_calls", List(&CALL, 1, 128)),
    Field::nullable("refusal", ANY_TEXT),
    SPEAKS,
    Field::nullable("function_call", Object(FUNCTION_CALL)),
    Field::nullable("audio", Object(&[Field::required("id", ANY_TEXT)])),
    Field::nullable("annotations", Any),
    Field::nullable("parsed", Any),
    Field::nullable("reasoning_content", ANY_TEXT),
];

const TOOL_ANSWER: &[Field] = &[
    ROLE,
    Field { name: "tool_call_id", shape: ANY_TEXT, need: Need::RequiredPlainly, null: Null::RefusedPlainly },
    content(TEXTS),
    SPEAKS,
];

const FUNCTION_ANSWER: &[Field] = &[
    ROLE,
    Field::required("name", NAME),
    Field { name: "content", shape: ANY_TEXT, need: Need::Required, null: Null::Allowed },
];

const TEXTS: Shape = Either(&[ANY_TEXT, List(&Tagged("type", &[("text", TEXT_PART)]), 1, MANY)]);
const USER_CONTENT: Shape = Either(&[ANY_TEXT, List(&USER_PART, 1, MANY)]);

const USER_PART: Shape = Tagged(
    "type",
    &[
        ("text", TEXT_PART),
        ("image_url", &[TYPE, Field::required("image_url", Object(IMAGE)), CACHE]),
        ("input_audio", &[TYPE, Field::required("input_audio", Object(AUDIO_IN)), CACHE]),
        ("file", &[TYPE, Field::required("file", Object(FILE)), CACHE]),
    ],
);

const ASSISTANT_PART: Shape =
    Tagged("type", &[("text", TEXT_PART), ("refusal", &[TYPE, Field::required("refusal", ANY_TEXT)])]);

const TEXT_PART: &[Field] =
    &[TYPE, Field::required("text", ANY_TEXT), CACHE, Field::nullable("annotations", Any)];
const IMAGE: &[Field] =
    &[Field::required("url", ANY_TEXT), Field::new("detail", Word(&["auto", "low", "high", "original"]))];
const AUDIO_IN: &[Field] =
    &[Field::required("data", ANY_TEXT), Field::required("format", Word(&["wav", "mp3"]))];
const FILE: &[Field] =
    &[Field::new("file_data", ANY_TEXT), Field::new("file_id", ANY_TEXT), Field::new("filename", ANY_TEXT)];
