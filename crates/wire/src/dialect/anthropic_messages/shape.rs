//! The documented messages request as a table, after the request types of the official Python library 2.14.0, which are
//! generated from the API's OpenAPI document (API version 2026-10-21); limits after the API reference of the same time.
//!
//! Blocks, tools and keys that need a beta are listed by name and taken as they come. What a beta that is not listed here
//! adds is taken too: where a request names one, the table is open ([`super::speech`]).

use super::speech::SPEECH;
use crate::rule::shape::{Field, Letters, Need, Null, REST, Shape, Text};

use Shape::{Any, Bool, Decimal, Either, Integer, List, Object, Open, Spoken, Tagged};

/// No limit on a length.
const MANY: usize = usize::MAX;
const ANY_TEXT: Shape = Shape::Text(Text::ANY);
/// Something in a string.
const SOME_TEXT: Shape = Shape::Text(Text { min: 1, max: MANY, of: Letters::Any });
/// Ids of calls.
const ID: Shape = Shape::Text(Text { min: 1, max: MANY, of: Letters::Name });
/// Names of tools.
const TOOL_NAME: Shape = Shape::Text(Text { min: 1, max: 128, of: Letters::Name });
const TYPE: Field = Field::required("type", ANY_TEXT);
const CACHE: Field = Field::nullable("cache_control", Any);

/// The body of `POST /v1/messages`.
pub(crate) const REQUEST: Shape = Spoken(&SPEECH, &BODY);

const BODY: Shape = Object(&[
    Field::required("model", SOME_TEXT),
    Field::required("messages", List(&MESSAGE, 1, 100_000)),
    Field::required("max_tokens", Integer(0, i64::MAX)),
    Field::nullable("system", Either(&[ANY_TEXT, List(&Tagged("type", &[("text", TEXT)]), 0, MANY)])),
    Field::nullable("tools", List(&TOOL, 0, MANY)),
    Field::nullable("tool_choice", TOOL_CHOICE),
    Field::nullable("stream", Bool),
    Field::nullable("temperature", Decimal(0.0, 1.0)),
    Field::nullable("top_p", Decimal(0.0, 1.0)),
    Field::nullable("top_k", Integer(0, i64::MAX)),
    Field::nullable("stop_sequences", List(&ANY_TEXT, 0, MANY)),
    Field::nullable("thinking", THINKING),
    Field::nullable("metadata", Object(&[Field::nullable("user_id", ANY_TEXT)])),
    Field::nullable("service_tier", Shape::Word(&["auto", "standard_only"])),
    Field::nullable("output_config", Open),
    Field::nullable("thread", THREAD),
    Field::nullable("cache_control", Any),
    Field::nullable("container", Any),
    Field::nullable("context_management", Any),
    Field::nullable("mcp_servers", List(&Open, 0, MANY)),
    Field::nullable("diagnostics", Any),
    Field::nullable("inference_geo", ANY_TEXT),
    Field::nullable("speed", Any),
    Field::nullable("user_profile_id", ANY_TEXT),
    Field::nullable("workspace_id", ANY_TEXT),
    Field::nullable("output_format", Any),
    Field::nullable("compaction", Any),
    Field::nullable("billing_policy", Any),
    Field::nullable("fallbacks", Any),
    Field::nullable("fallback_credit_token", Any),
]);

const THINKING: Shape = Tagged(
    "type",
    &[
        ("enabled", &[TYPE, Field::required("budget_tokens", Integer(1024, i64::MAX)), DISPLAY, BINDING]),
        ("adaptive", &[TYPE, DISPLAY, BINDING]),
        ("between_tools", &[TYPE, REST]),
        ("disabled", &[TYPE]),
    ],
);

/// `updates` is of a beta, and so is the binding of blocks.
const DISPLAY: Field = Field::nullable("display", Shape::Word(&["summarized", "omitted", "updates"]));
const BINDING: Field = Field::nullable("block_binding", Any);

const THREAD: Shape = Tagged(
    "type",
    &[("create", &[TYPE]), ("continue", &[TYPE, Field::required("previous_message_id", SOME_TEXT)])],
);

// Tools and their choice.

const TOOL: Shape = Tagged(
    "type",
    &[
        ("=custom", CUSTOM),
        ("custom", CUSTOM),
        ("bash_20241022", SERVER),
        ("bash_20250124", SERVER),
        ("code_execution_20250522", SERVER),
        ("code_execution_20250825", SERVER),
        ("code_execution_20260120", SERVER),
        ("code_execution_20260521", SERVER),
        ("browser_toolset_20260801", SERVER),
        ("computer_20241022", SERVER),
        ("computer_20250124", SERVER),
        ("computer_20251124", SERVER),
        ("computer_toolset_20260801", SERVER),
        ("memory_20250818", SERVER),
        ("text_editor_20241022", SERVER),
        ("text_editor_20250124", SERVER),
        ("text_editor_20250429", SERVER),
        ("text_editor_20250728", SERVER),
        ("web_search_20250305", SERVER),
        ("web_search_20260209", SERVER),
        ("web_search_20260318", SERVER),
        ("web_fetch_20250910", SERVER),
        ("web_fetch_20260209", SERVER),
        ("web_fetch_20260309", SERVER),
        ("web_fetch_20260318", SERVER),
        ("advisor_20260301", SERVER),
        ("tool_search_tool_bm25", SERVER),
        ("tool_search_tool_bm25_20251119", SERVER),
        ("tool_search_tool_regex", SERVER),
        ("tool_search_tool_regex_20251119", SERVER),
        ("mcp_toolset", SERVER),
    ],
);

const CUSTOM: &[Field] = &[
    Field::required("name", TOOL_NAME),
    Field::required("input_schema", Open),
    Field::nullable("type", ANY_TEXT),
    Field::nullable("description", ANY_TEXT),
    Field::nullable("cache_control", Any),
    Field::nullable("strict", Bool),
    Field::nullable("defer_loading", Bool),
    Field::nullable("eager_input_streaming", Bool),
    Field::nullable("allowed_callers", List(&ANY_TEXT, 0, MANY)),
    Field::nullable("input_examples", List(&Open, 0, MANY)),
];

const SERVER: &[Field] = &[TYPE, REST];

const TOOL_CHOICE: Shape = Tagged(
    "type",
    &[
        ("auto", &[TYPE, PARALLEL]),
        ("any", &[TYPE, PARALLEL]),
        ("tool", &[TYPE, Field::required("name", SOME_TEXT), PARALLEL]),
        ("none", &[TYPE]),
    ],
);

const PARALLEL: Field = Field::nullable("disable_parallel_tool_use", Bool);

// Messages and their blocks.

const MESSAGE: Shape = Tagged("role", &[("user", SAYS), ("assistant", SAYS), ("system", INSTRUCTS)]);

const ROLE: Field = Field::required("role", ANY_TEXT);
const CONTENT: Shape = Either(&[ANY_TEXT, List(&BLOCK, 0, MANY)]);
const SAYS: &[Field] = &[ROLE, Field::required("content", CONTENT)];

/// Instructions in the list. In the beta they may set how the answer is made in the place of any words.
const INSTRUCTS: &[Field] = &[
    ROLE,
    Field { name: "content", shape: CONTENT, need: Need::RequiredElsewhere, null: Null::Refused },
    Field::nullable("output_config", Open),
    Field::nullable("clear_at", Shape::Word(&["next_user_message", "never"])),
];

const BLOCK: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        ("tool_use", TOOL_USE),
        ("tool_result", TOOL_RESULT),
        ("thinking", &[TYPE, Field::required("thinking", ANY_TEXT), Field::required("signature", ANY_TEXT)]),
        ("redacted_thinking", &[TYPE, Field::required("data", ANY_TEXT)]),
        ("image", &[TYPE, Field::required("source", Open), CACHE, REST]),
        ("document", &[TYPE, Field::required("source", Open), CACHE, REST]),
        ("search_result", OTHER),
        ("server_tool_use", OTHER),
        ("web_search_tool_result", OTHER),
        ("web_fetch_tool_result", OTHER),
        ("code_execution_tool_result", OTHER),
        ("bash_code_execution_tool_result", OTHER),
        ("text_editor_code_execution_tool_result", OTHER),
        ("tool_search_tool_result", OTHER),
        ("advisor_tool_result", OTHER),
        ("container_upload", OTHER),
        ("mcp_tool_use", OTHER),
        ("mcp_tool_result", OTHER),
        ("mcp_tool_listing", OTHER),
        ("tool_addition", OTHER),
        ("tool_removal", OTHER),
        ("tool_reference", OTHER),
        ("browser_state", OTHER),
        ("compaction", OTHER),
        ("fallback", OTHER),
    ],
);

const OTHER: &[Field] = &[TYPE, REST];

const TEXT: &[Field] = &[TYPE, Field::required("text", ANY_TEXT), CACHE, Field::nullable("citations", Any)];

const TOOL_USE: &[Field] = &[
    TYPE,
    Field::required("id", ID),
    Field::required("name", SOME_TEXT),
    Field::required("input", Open),
    CACHE,
    Field::nullable("caller", Any),
    Field::nullable("toolset_name", ANY_TEXT),
];

const TOOL_RESULT: &[Field] = &[
    TYPE,
    Field::required("tool_use_id", ID),
    Field::nullable("content", Either(&[ANY_TEXT, List(&RESULT_BLOCK, 0, MANY)])),
    Field::nullable("is_error", Bool),
    CACHE,
    Field::nullable("toolset_name", ANY_TEXT),
];

/// What a tool may answer.
const RESULT_BLOCK: Shape = Tagged(
    "type",
    &[
        ("text", TEXT),
        ("image", &[TYPE, Field::required("source", Open), CACHE, REST]),
        ("document", OTHER),
        ("search_result", OTHER),
        ("tool_reference", OTHER),
        ("browser_state", OTHER),
    ],
);
