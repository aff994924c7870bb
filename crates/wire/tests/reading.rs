//! What a request says beside its conversation is read alike in every dialect: tools, room, form of the answer.

use proptest::prelude::*;
use rehearsal_wire::dialect::{DIALECTS, dialect};
use rehearsal_wire::json::{Value, parse};
use rehearsal_wire::turn::Form;

/// A dialect, a body, and what it must be read as: whether tools are offered, tokens of room, the schema of the form.
type Row = (&'static str, &'static str, bool, Option<i64>, Option<&'static str>);

const ROWS: &[Row] = &[
    ("openai-chat", r#"{}"#, false, None, None),
    ("openai-chat", r#"{"tools":[],"functions":null,"max_tokens":"9"}"#, false, None, None),
    ("openai-chat", r#"{"tools":[{"type":"x"}]}"#, true, None, None),
    ("openai-chat", r#"{"tools":{}}"#, true, None, None),
    ("openai-chat", r#"{"functions":[{"name":"f"}],"tools":[]}"#, true, None, None),
    ("openai-chat", r#"{"max_tokens":90,"max_completion_tokens":1}"#, false, Some(1), None),
    ("openai-chat", r#"{"max_output_tokens":1}"#, false, None, None),
    ("openai-chat", r#"{"response_format":{"type":"json_object"}}"#, false, None, Some("{}")),
    (
        "ollama-chat",
        r#"{"tools":[],"options":{"num_predict":7},"format":"json"}"#,
        false,
        Some(7),
        Some("{}"),
    ),
    (
        "ollama-chat",
        r#"{"tools":[{}],"options":{"num_predict":-1},"format":{"a":1}}"#,
        true,
        None,
        Some(r#"{"a":1}"#),
    ),
    ("ollama-generate", r#"{"prompt":"a","options":{"num_predict":7},"format":""}"#, false, Some(7), None),
    ("openai-completions", r#"{"tools":[{}],"max_tokens":3,"response_format":{}}"#, false, Some(3), None),
    ("openai-responses", r#"{"tools":[]}"#, false, None, None),
    ("openai-responses", r#"{"tools":[{"type":"web_search"}],"max_output_tokens":16}"#, true, Some(16), None),
    ("openai-responses", r#"{"text":{"format":{"type":"text"}}}"#, false, None, None),
    ("anthropic-messages", r#"{"tools":[],"max_tokens":1}"#, false, Some(1), None),
    ("anthropic-messages", r#"{"tools":[{"type":"web_search_1","name":"s"}]}"#, true, None, None),
    (
        "openai-chat",
        r#"{"response_format":{"type":"json_schema","json_schema":{"schema":{"a":1}}}}"#,
        false,
        None,
        Some(r#"{"a":1}"#),
    ),
    (
        "openai-responses",
        r#"{"text":{"format":{"type":"json_schema","schema":{"a":1}}}}"#,
        false,
        None,
        Some(r#"{"a":1}"#),
    ),
    (
        "anthropic-messages",
        r#"{"output_config":{"format":{"schema":{"a":1}}},"output_format":{"schema":{"b":2}}}"#,
        false,
        None,
        Some(r#"{"a":1}"#),
    ),
    (
        "anthropic-messages",
        r#"{"output_format":{"schema":{"b":2}},"output_config":{"format":{"schema":{"a":1}}}}"#,
        false,
        None,
        Some(r#"{"a":1}"#),
    ),
    (
        "anthropic-messages",
        r#"{"output_format":{"schema":{"b":2}},"output_config":{"effort":"low"}}"#,
        false,
        None,
        Some(r#"{"b":2}"#),
    ),
];

/// The same in both spellings of keys.
const GEMINI: &[Row] = &[
    ("google-gemini", r#"{}"#, false, None, None),
    ("google-gemini", r#"{"tools":[],"generationConfig":{"maxOutputTokens":5}}"#, false, Some(5), None),
    ("google-gemini", r#"{"tools":[{"googleSearch":{}}]}"#, true, None, None),
    ("google-gemini", r#"{"tools":{"function_declarations":[{"name":"f"}]}}"#, true, None, None),
    ("google-gemini", r#"{"tools":[{"functionDeclarations":[]}]}"#, false, None, None),
    (
        "google-gemini",
        r#"{"generation_config":{"max_output_tokens":5,"response_json_schema":{"a":1}}}"#,
        false,
        Some(5),
        Some(r#"{"a":1}"#),
    ),
    (
        "google-gemini",
        r#"{"generationConfig":{"responseSchema":{"a":1},"responseMimeType":"application/json"}}"#,
        false,
        None,
        Some(r#"{"a":1}"#),
    ),
    (
        "google-gemini",
        r#"{"generationConfig":{"responseMimeType":"application/json"}}"#,
        false,
        None,
        Some("{}"),
    ),
    ("google-gemini", r#"{"generationConfig":{"responseMimeType":"text/plain"}}"#, false, None, None),
];
/// JSON of any shape over words that dialects know.
fn anything() -> impl Strategy<Value = String> {
    let word = || {
        prop::sample::select(vec![
            "role",
            "user",
            "assistant",
            "tool",
            "content",
            "messages",
            "tool_calls",
            "function",
            "name",
            "arguments",
            "tool_name",
            "tool_call_id",
            "id",
            "prompt",
            "tools",
            "format",
            "options",
            "stream",
            "n",
            "model",
            "type",
        ])
    };
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("true".to_owned()),
        Just("-7.5e3".to_owned()),
        word().prop_map(|word| format!("{word:?}"))
    ];
    leaf.prop_recursive(5, 60, 6, move |inner| {
        let entry = (word(), inner.clone()).prop_map(|(key, value)| format!("{key:?}:{value}"));
        prop_oneof![
            prop::collection::vec(inner, 0..6).prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec(entry, 0..6).prop_map(|entries| format!("{{{}}}", entries.join(","))),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_body_of_any_shape_is_read_in_every_dialect(body in anything()) {
        let tape = parse(body.as_bytes()).unwrap();
        for dialect in DIALECTS {
            let turn = (dialect.read)(&tape);
            prop_assert!(turn.messages.is_sorted_by_key(|message| message.index), "{}", dialect.name);
        }
    }
}

#[test]
fn tools_room_and_form_are_read_in_every_dialect() {
    for (name, body, offers_tools, room, form) in ROWS.iter().chain(GEMINI) {
        let tape = parse(body.as_bytes()).unwrap();
        let turn = (dialect(name).unwrap().read)(&tape);
        assert_eq!((turn.offers_tools, turn.room), (*offers_tools, *room), "{name} {body}");
        let schema = turn.form.map(|form| match form {
            Form::Json => "{}",
            Form::Schema(schema) => schema.text(),
        });
        assert_eq!(schema, *form, "{name} {body}");
    }
}

#[test]
fn the_schema_of_an_offered_tool_is_found_by_its_name_in_every_dialect() {
    for (name, body, tool, schema) in [
        (
            "openai-chat",
            r#"{"tools":[{"function":{"name":"f","parameters":{"a":1}}}]}"#,
            "f",
            Some(r#"{"a":1}"#),
        ),
        ("openai-chat", r#"{"tools":[{"type":"custom","custom":{"name":"f"}}]}"#, "f", None),
        ("openai-responses", r#"{"tools":[{"name":"f","parameters":{"a":1}}]}"#, "f", Some(r#"{"a":1}"#)),
        (
            "openai-responses",
            r#"{"tools":[{"type":"namespace","name":"n","tools":[{"name":"f","parameters":{"a":1}}]}]}"#,
            "f",
            Some(r#"{"a":1}"#),
        ),
        ("openai-responses", r#"{"tools":[{"type":"web_search"}]}"#, "web_search", None),
        (
            "ollama-chat",
            r#"{"tools":[{"function":{"name":"f","parameters":{"a":1}}}]}"#,
            "f",
            Some(r#"{"a":1}"#),
        ),
        ("anthropic-messages", r#"{"tools":[{"name":"f","input_schema":{"a":1}}]}"#, "f", Some(r#"{"a":1}"#)),
        (
            "google-gemini",
            r#"{"tools":[{"functionDeclarations":[{"name":"f","parametersJsonSchema":{"a":1}}]}]}"#,
            "f",
            Some(r#"{"a":1}"#),
        ),
        (
            "google-gemini",
            r#"{"tools":[{"function_declarations":[{"name":"e"},{"name":"f","parameters":{"a":1}}]}]}"#,
            "f",
            Some(r#"{"a":1}"#),
        ),
        ("google-gemini", r#"{"tools":[{"url_context":{}}]}"#, "urlContext", None),
    ] {
        let tape = parse(body.as_bytes()).unwrap();
        let turn = (dialect(name).unwrap().read)(&tape);
        assert_eq!(turn.tool(tool).unwrap().schema.map(Value::text), schema, "{name} {body}");
        assert!(turn.tool("g").is_none(), "{name} {body}");
    }
}
