//! What providers, gateways and local servers send beside what the API documents say, and what is heard of it.
//!
//! Shapes after the public streaming references of OpenAI, Anthropic, Google and Ollama, and threads that quote bodies of Azure,
//! DeepSeek, Groq, Mistral, OpenRouter and vLLM.

#![expect(clippy::unwrap_used, reason = "a helper of tests fails as they do")]

use rehearsal_wire::dialect::dialect;
use rehearsal_wire::dialect::heard::{Heard, hear};

/// What was heard, one line for each thing that was.
fn told(heard: &Heard) -> Vec<String> {
    let Heard { reply, model, id, ended, error, counted: _, done, notes } = heard;
    let named = |name: &str, text: &Option<String>| text.as_ref().map(|text| format!("{name}: {text}"));
    let mut told = vec![format!("{}", if *done { "done" } else { "not done" })];
    told.extend(
        [("model", model), ("id", id), ("ended", ended)].iter().filter_map(|(name, text)| named(name, text)),
    );
    let said = [
        ("thinking", &reply.thinking),
        ("text", &reply.text),
        ("refusal", &reply.refusal),
        ("finish", &reply.finish),
    ];
    told.extend(said.iter().filter_map(|(name, text)| named(name, text)));
    told.extend(reply.calls.iter().map(|call| format!("{}: {} {}", call.id, call.name, call.arguments)));
    if reply.usage.prompt + reply.usage.completion > 0 {
        told.push(format!("usage: {} {}", reply.usage.prompt, reply.usage.completion));
    }
    if let Some(error) = error {
        let words = [&error.kind, &error.code, &error.param].map(|word| word.as_deref().unwrap_or("-"));
        told.push(format!("error: {} {}", words.join(" "), error.message));
    }
    told.extend(notes.iter().map(|note| format!("note: {note}")));
    told
}

/// Each line as an event, or several lines of one event as they are.
fn events(lines: &[&str]) -> String {
    lines
        .iter()
        .map(|line| {
            if line.contains(':') && !line.starts_with('{') {
                format!("{line}\n\n")
            } else {
                format!("data: {line}\n\n")
            }
        })
        .collect()
}

fn check(name: &str, body: &str, wanted: &[&str]) {
    assert_eq!(told(&hear(dialect(name).unwrap(), "", body.as_bytes())), wanted, "{body}");
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn hears_what_servers_of_the_chat_api_send() {
    for (lines, wanted) in [
        // Azure: a first chunk about the prompt's filters, nulls, usage in a chunk without choices.
        (
            &[
                r#"{"choices":[],"created":0,"id":"","model":"","object":"","prompt_filter_results":[{"prompt_index":0}]}"#,
                r#"{"choices":[{"content_filter_results":{},"delta":{"content":"","refusal":null,"role":"assistant"},"finish_reason":null,"index":0,"logprobs":null}],"id":"chatcmpl-1","model":"gpt-4o-2024-11-20","usage":null}"#,
                r#"{"choices":[{"delta":{"content":"Hi"},"finish_reason":null,"index":0}],"id":"chatcmpl-1","model":"gpt-4o-2024-11-20"}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"stop","index":0}],"id":"chatcmpl-1","model":"gpt-4o-2024-11-20"}"#,
                r#"{"choices":[],"id":"chatcmpl-1","model":"gpt-4o-2024-11-20","usage":{"prompt_tokens":9,"completion_tokens":2,"total_tokens":11}}"#,
                "[DONE]",
            ][..],
            &["done", "model: gpt-4o-2024-11-20", "id: chatcmpl-1", "ended: stop", "text: Hi", "usage: 9 2"]
                [..],
        ),
        // DeepSeek and OpenRouter: thoughts under two keys, comments between, an error code as number.
        (
            &[
                ": OPENROUTER PROCESSING",
                r#"{"id":"gen-1","choices":[{"index":0,"delta":{"role":"assistant","content":null,"reasoning_content":"Let me"}}]}"#,
                r#"{"id":"gen-1","choices":[{"index":0,"delta":{"content":"","reasoning":" see.","reasoning_details":[{"text":" see."}]}}]}"#,
                r#"{"id":"gen-1","choices":[{"index":0,"delta":{"content":"Four."},"finish_reason":null}]}"#,
                r#"{"id":"gen-1","error":{"code":502,"message":"Provider disconnected","metadata":{}},"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}]}"#,
            ],
            &[
                "done",
                "id: gen-1",
                "ended: error",
                "thinking: Let me see.",
                "text: Four.",
                "finish: error",
                "error: - 502 - Provider disconnected",
            ],
        ),
        // Calls whole in one delta, without an index, with an object for arguments; Groq's usage.
        (
            &[
                r#"{"choices":[{"delta":{"tool_calls":[{"id":"a","type":"function","function":{"name":"read","arguments":"{\"p\":1}"}}]}}]}"#,
                r#"{"choices":[{"delta":{"tool_calls":[{"id":"b","type":"function","function":{"name":"read","arguments":{"p": [2, "x y"]}}}]}}]}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"tool_calls"}],"x_groq":{"usage":{"prompt_tokens":1,"completion_tokens":2}}}"#,
                "[DONE]",
            ],
            &["done", "ended: tool_calls", "a: read {\"p\":1}", "b: read {\"p\":[2,\"x y\"]}", "usage: 1 2"],
        ),
        // Pieces of two calls through each other, the second begun first.
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"id":"b","function":{"name":"two","arguments":""}},{"index":0,"id":"a","function":{"name":"one","arguments":""}}]}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":1,"function":{"arguments":"{}"}},{"index":0,"function":{"arguments":"[0"}}]}}]}"#,
                r#"{"choices":[{"index":1,"delta":{"content":"another choice"}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"function":{"arguments":"]"}}]},"finish_reason":"tool_calls"}]}"#,
                "[DONE]",
            ],
            &[
                "done",
                "ended: tool_calls",
                "a: one [0]",
                "b: two {}",
                "note: There are several choices, of which the first is heard.",
            ],
        ),
        // A legacy call, and the usage inside a choice.
        (
            &[
                r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":null,"function_call":{"name":"f","arguments":""}}}]}"#,
                r#"{"choices":[{"index":0,"delta":{"function_call":{"arguments":"{}"}},"finish_reason":"function_call","usage":{"prompt_tokens":3,"completion_tokens":4}}]}"#,
                "DONE",
            ],
            &["done", "ended: function_call", ": f {}", "usage: 3 4"],
        ),
        // The plain answer as an event; a custom tool.
        (
            &[
                r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c","type":"custom","custom":{"name":"sh","input":"ls \"x\""}}]},"finish_reason":"tool_calls"}]}"#,
            ],
            &["done", "ended: tool_calls", "c: sh {\"input\":\"ls \\\"x\\\"\"}"],
        ),
        (
            &[r#"{"choices":[{"delta":{"content":"x"}}]}"#, "{\"choices\":", "data: {}"],
            &[
                "not done",
                "text: x",
                "note: A part of the answer is not JSON: the text ends inside a value at byte 11.",
                "note: A document is no part of a reply of this dialect.",
                "note: The stream ends without its last event.",
            ],
        ),
    ] {
        check("openai-chat", &events(lines), wanted);
    }
}

#[test]
fn hears_whole_answers_of_the_chat_api() {
    for (body, wanted) in [
        (
            r#" {"choices":[{"message":{"role":"assistant","content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"Four."},{"type":"image","x":1}]},"finish_reason":"length"}]}
data: [DONE]"#,
            &[
                "done",
                "ended: length",
                "thinking: Hm.",
                "text: Four.",
                "finish: length",
                "note: A part of the content of type image is left out.",
            ][..],
        ),
        (
            r#"{"error":{"message":"Slow down.","type":"requests","param":null,"code":"rate_limit_exceeded"}}"#,
            &["done", "error: requests rate_limit_exceeded - Slow down."],
        ),
        (
            r#"[{"error":{"code":400,"message":"No.","status":"INVALID_ARGUMENT"}}]"#,
            &["done", "error: INVALID_ARGUMENT 400 - No."],
        ),
        (r#"{"error":"model not found"}"#, &["done", "error: - - - model not found"]),
        (r#"{"detail":"Not Found"}"#, &["done", "error: - - - Not Found"]),
        (
            r#"{"object":"list","data":[{"id":"gpt-4o"}]}"#,
            &["done", "note: The body lists models, embeddings or the like and holds no reply."],
        ),
        ("<html>502 Bad Gateway</html>", &["not done", "note: The body is not JSON from byte 0 on."]),
        ("", &["not done", "note: The body is empty."]),
        (
            r#"{"object":"x","choices":null}"#,
            &["done", "note: A document of type x is no part of a reply of this dialect."],
        ),
    ] {
        check("openai-chat", body, wanted);
    }
}

#[test]
fn hears_two_calls_of_one_id_as_two() {
    let whole = r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"f","arguments":"{\"a\":1}"}},{"id":"c","function":{"name":"f","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#;
    let wanted = ["done", "ended: tool_calls", r#"c: f {"a":1}"#, "c: f {}"];
    check("openai-chat", whole, &wanted);
    let body = events(&[
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\"a\":"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","function":{"name":"f","arguments":"{"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"c","function":{"arguments":"1}"}}]}}]}"#,
        r#"{"choices":[{"delta":{"tool_calls":[{"index":1,"id":"c","function":{"arguments":"}"}}]},"finish_reason":"tool_calls"}]}"#,
        "data: [DONE]",
    ]);
    check("openai-chat", &body, &wanted);
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn hears_what_the_messages_api_sends() {
    for (lines, wanted) in [
        (
            &[
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"model\":\"claude-x\",\"id\":\"msg_1\",\"type\":\"message\",\"role\":\"assistant\",\"content\":[],\"stop_reason\":null,\"usage\":{\"input_tokens\":3,\"cache_creation_input_tokens\":10,\"cache_read_input_tokens\":100,\"output_tokens\":1}}}",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":0,\"content_block\":{\"type\":\"thinking\",\"thinking\":\"\",\"signature\":\"\"}}",
                "event: ping\ndata: {\"type\": \"ping\"}",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"thinking_delta\",\"thinking\":\"Hm.\"}}",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"signature_delta\",\"signature\":\"Eq\"}}",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"redacted_thinking\",\"data\":\"Em\"}}",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":2,\"content_block\":{\"type\":\"server_tool_use\",\"id\":\"srvtoolu_1\",\"name\":\"web_search\",\"input\":{}}}",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":2,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"{}\"}}",
                "event: content_block_start\ndata: {\"type\":\"content_block_start\",\"index\":3,\"content_block\":{\"type\":\"tool_use\",\"id\":\"toolu_1\",\"name\":\"list\",\"input\":{}}}",
                "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":3,\"delta\":{\"type\":\"input_json_delta\",\"partial_json\":\"\"}}",
                "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\",\"stop_sequence\":null},\"usage\":{\"output_tokens\":40}}",
                "event: message_stop\ndata: {\"type\":\"message_stop\"}",
                "data: [DONE]",
            ][..],
            &[
                "done",
                "model: claude-x",
                "id: msg_1",
                "ended: tool_use",
                "thinking: Hm.",
                "toolu_1: list {}",
                "usage: 113 40",
                "note: A block of type redacted_thinking is left out.",
                "note: A block of type server_tool_use is left out.",
                "note: More follows behind the last event; it is left out.",
            ][..],
        ),
        (
            &[
                "event: message_start\ndata: {\"type\":\"message_start\",\"message\":{\"id\":\"msg_2\",\"usage\":{\"input_tokens\":3,\"output_tokens\":1}}}",
                "event: error\ndata: {\"type\":\"error\",\"error\":{\"type\":\"overloaded_error\",\"message\":\"Overloaded\",\"details\":null}}",
            ],
            &["done", "id: msg_2", "usage: 3 1", "error: overloaded_error - - Overloaded"],
        ),
        // A proxy: no types in the data, the input whole at once.
        (
            &[
                "event: content_block_start\ndata: {\"index\":0,\"content_block\":{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"f\",\"input\":{\"a\": 1}}}",
                "event: content_block_start\ndata: {\"index\":1,\"content_block\":{\"type\":\"text\",\"text\":\"Late.\"}}",
                "event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"max_tokens\"}}",
                "event: message_stop\ndata: {}",
            ],
            &[
                "done",
                "ended: max_tokens",
                "text: Late.",
                "finish: length",
                "t: f {\"a\":1}",
                "note: Words stand behind a call; the reply has them before it.",
            ],
        ),
    ] {
        check("anthropic-messages", &events(lines), wanted);
    }
    check(
        "anthropic-messages",
        r#"{"type":"error","error":{"type":"rate_limit_error","message":"Slow."},"request_id":"req_1"}"#,
        &["done", "error: rate_limit_error - - Slow."],
    );
    check(
        "anthropic-messages",
        r#"{"id":"msg_3","type":"message","content":[{"type":"text","text":"One ","citations":[]},{"type":"text","text":"two."}],"stop_reason":"stop_sequence","stop_sequence":"x","usage":{"input_tokens":1,"cache_read_input_tokens":null,"output_tokens":2}}"#,
        &[
            "done",
            "id: msg_3",
            "ended: stop_sequence",
            "text: One two.",
            "finish: stop_sequence",
            "usage: 1 2",
        ],
    );
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table")]
fn hears_what_the_responses_api_sends() {
    let call = r#"{"type":"response.output_item.added","output_index":1,"item":{"id":"fc_1","type":"function_call","status":"in_progress","arguments":"","call_id":"call_1","name":"read"}}"#;
    for (lines, wanted) in [
        // A last event without the output, as the backend of Codex sends it.
        (
            &[
                r#"{"type":"response.created","response":{"id":"resp_1","model":"gpt-5","status":"in_progress","error":null,"output":[]}}"#,
                r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":0}"#,
                r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":0,"delta":"One."}"#,
                r#"{"type":"response.reasoning_summary_part.added","output_index":0,"summary_index":1}"#,
                r#"{"type":"response.reasoning_summary_text.delta","output_index":0,"summary_index":1,"delta":"Two."}"#,
                r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","summary":[{"type":"summary_text","text":"One."},{"type":"summary_text","text":"Two."}]}}"#,
                call,
                r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","output_index":1,"delta":"{\"a\""}"#,
                r#"{"type":"response.function_call_arguments.delta","item_id":"fc_1","delta":":1}"}"#,
                r#"{"type":"response.web_search_call.searching","output_index":2}"#,
                r#"{"type":"response.completed","response":{"id":"resp_1","status":"completed","output":[],"usage":{"input_tokens":5,"output_tokens":6}}}"#,
            ][..],
            &[
                "done",
                "model: gpt-5",
                "id: resp_1",
                "ended: completed",
                "thinking: One.\n\nTwo.",
                "call_1: read {\"a\":1}",
                "usage: 5 6",
            ][..],
        ),
        // Only whole items; the words of a message that was cut.
        (
            &[
                r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","content":[{"type":"output_text","text":"Half"}]}}"#,
                r#"{"type":"response.output_item.done","output_index":1,"item":{"type":"web_search_call","id":"ws_1"}}"#,
                r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}}"#,
            ],
            &[
                "done",
                "ended: max_output_tokens",
                "text: Half",
                "finish: length",
                "note: An item of type web_search_call is left out.",
            ],
        ),
        (
            &[
                r#"{"type":"response.output_text.delta","delta":"Ha"}"#,
                r#"{"type":"response.failed","response":{"id":"r","status":"failed","error":{"code":"server_error","message":"Oh."}}}"#,
            ],
            &["done", "id: r", "ended: failed", "text: Ha", "error: - server_error - Oh."],
        ),
        (
            &[
                r#"{"type":"error","code":"rate_limit_exceeded","message":"Slow.","param":null,"sequence_number":1}"#,
            ],
            &["done", "error: - rate_limit_exceeded - Slow."],
        ),
        (
            &[r#"{"type":"error","error":{"type":"tokens","code":"rate_limit_exceeded","message":"Slow."}}"#],
            &["done", "error: tokens rate_limit_exceeded - Slow."],
        ),
        (&[call], &["not done", "call_1: read ", "note: The stream ends without its last event."]),
    ] {
        check("openai-responses", &events(lines), wanted);
    }
    check(
        "openai-responses",
        r#"{"id":"resp_2","object":"response","status":"queued","error":null,"output":[]}"#,
        &["not done", "id: resp_2", "note: The response is not made yet."],
    );
}

#[test]
fn hears_what_gemini_sends() {
    for (body, wanted) in [
        (
            "[{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hm.\", \"thought\": true}], \"role\": \"model\"}}]}\n,\r\n{\"candidates\": [{\"content\": {\"parts\": [{\"functionCall\": {\"name\": \"read\", \"args\": {\"p\": 1}}, \"thoughtSignature\": \"Cg\"}, {\"functionCall\": {\"name\": \"read\"}}]}, \"finishReason\": \"STOP\"}], \"usageMetadata\": {\"promptTokenCount\": 4, \"candidatesTokenCount\": 5, \"thoughtsTokenCount\": 6}, \"modelVersion\": \"gemini-x\"}]",
            &[
                "done",
                "model: gemini-x",
                "ended: STOP",
                "thinking: Hm.",
                "read (functionCalls[0]): read {\"p\":1}",
                "read (functionCalls[1]): read {}",
                "usage: 4 11",
            ][..],
        ),
        (
            r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"},"usageMetadata":{"promptTokenCount":4}}"#,
            &["done", "ended: SAFETY", "finish: content_filter", "usage: 4 0"],
        ),
        (
            r#"{"candidates":[{"content":{},"finishReason":"MALFORMED_FUNCTION_CALL","finishMessage":"Malformed function call: x"}]}"#,
            &[
                "done",
                "ended: MALFORMED_FUNCTION_CALL",
                "finish: MALFORMED_FUNCTION_CALL",
                "note: The model's call went wrong (MALFORMED_FUNCTION_CALL), which a reply cannot say.",
            ],
        ),
        (
            "data: {\"response\": {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hi\"}, {\"executableCode\": {}}]}, \"finishReason\": \"MAX_TOKENS\", \"index\": 0}]}}\n\n",
            &[
                "done",
                "ended: MAX_TOKENS",
                "text: Hi",
                "finish: length",
                "note: A part of type executableCode is left out.",
            ],
        ),
        (
            r#"{"error":{"code":429,"message":"Quota.","status":"RESOURCE_EXHAUSTED","details":[{"@type":"type.googleapis.com/google.rpc.Help"},{"@type":"type.googleapis.com/google.rpc.ErrorInfo","reason":"RATE_LIMIT_EXCEEDED"}]}}"#,
            &["done", "error: RESOURCE_EXHAUSTED RATE_LIMIT_EXCEEDED - Quota."],
        ),
        (
            "[{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"Hi\"}]}, \"finishReason\": \"STOP\"}]}",
            &["not done", "ended: STOP", "text: Hi", "note: The body ends within its JSON."],
        ),
    ] {
        check("google-gemini", body, wanted);
    }
}

#[test]
fn hears_what_ollama_sends() {
    for (name, body, wanted) in [
        (
            "ollama-chat",
            "{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\",\"tool_calls\":[{\"function\":{\"name\":\"read\",\"arguments\":{\"p\":\"a b\"}}}]},\"done\":false}\n{\"model\":\"m\",\"message\":{\"role\":\"assistant\",\"content\":\"\"},\"done\":true,\"done_reason\":\"stop\",\"prompt_eval_count\":7,\"eval_count\":8}\n",
            &["done", "model: m", "ended: stop", "read (tool_calls[0]): read {\"p\":\"a b\"}", "usage: 7 8"]
                [..],
        ),
        ("ollama-chat", "{\"message\":{\"content\":\"Hal\"},\"done\":false}\n", &["not done", "text: Hal"]),
        (
            "ollama-chat",
            "{\"message\":{\"content\":\"Hal\"},\"done\":false}\n{\"error\":\"an error was encountered\"}\n",
            &["done", "text: Hal", "error: - - - an error was encountered"],
        ),
        (
            "ollama-generate",
            "{\"model\":\"m\",\"response\":\"Hi\",\"done\":true,\"done_reason\":\"length\",\"context\":[1]}",
            &["done", "model: m", "ended: length", "text: Hi", "finish: length"],
        ),
        (
            "ollama-chat",
            "{\"models\":[]}",
            &["done", "note: The body lists models, embeddings or the like and holds no reply."],
        ),
        (
            "openai-completions",
            "{\"choices\":[{\"text\":\"Hi\",\"index\":0,\"finish_reason\":\"stop\"},{\"text\":\"Ho\",\"index\":1,\"finish_reason\":\"stop\"}]}",
            &[
                "done",
                "ended: stop",
                "text: Hi",
                "note: There are several choices, of which the first is heard.",
            ],
        ),
    ] {
        check(name, body, wanted);
    }
}

#[test]
fn bytes_that_are_no_text_and_a_byte_order_mark_do_no_harm() {
    let row = dialect("openai-chat").unwrap();
    let heard = hear(row, "", b"\xEF\xBB\xBF{\"choices\":[{\"message\":{\"content\":\"\xFFx\"}}]}");
    assert_eq!(told(&heard), ["done", "text: \u{FFFD}x", "note: The body is not UTF-8 throughout."]);
}

#[test]
fn a_long_id_before_many_events_is_no_burden() {
    let row = dialect("openai-chat").unwrap();
    let body = format!("id: {}\n{}", "x".repeat(1 << 20), "data: {\"choices\":[]}\n\n".repeat(20_000));
    assert!(!hear(row, "text/event-stream", body.as_bytes()).done);
}
