//! What is refused, in the form of each binding.

use super::{ask, begin, got, id, message, rest, rpc, sending};
use crate::stand::{Got, Stand};
use serde_json::json;

/// Code, reason and pointer of an error over JSON-RPC.
fn rpc_error(got: &Got) -> (i64, &str, &str) {
    assert_eq!(got.body["jsonrpc"], "2.0", "{got:?}");
    let error = &got.body["error"];
    let info = &error["data"][0];
    assert_eq!(info["@type"], "type.googleapis.com/google.rpc.ErrorInfo");
    assert_eq!(info["domain"], "a2a-protocol.org");
    let pointer = info["metadata"]["pointer"].as_str().unwrap_or_default();
    (error["code"].as_i64().unwrap(), info["reason"].as_str().unwrap(), pointer)
}

/// Status, reason and pointer of an error over HTTP+JSON.
fn rest_error(got: &Got) -> (u16, &str, &str) {
    let error = &got.body["error"];
    assert_eq!(error["code"], got.status, "{got:?}");
    assert!(got.head.contains("content-type: application/json"), "{got:?}");
    let info = &error["details"][0];
    (got.status, info["reason"].as_str().unwrap(), info["metadata"]["pointer"].as_str().unwrap_or_default())
}

#[test]
fn the_card_is_open_and_all_else_asks_for_the_token() {
    let stand = Stand::new("a2a-access");
    let plain = |method: &str, path: &str, head: &str, body: &str| {
        let mut client = stand.connect();
        let length = body.len();
        client.send(format!(
            "{method} {path} HTTP/1.1\r\n{head}A2A-Version: 1.0\r\nContent-Length: {length}\r\n\r\n{body}"
        ));
        Got::of(&client.reply())
    };
    let here = "Host: localhost:4\r\n";
    let card = plain("GET", "/.well-known/agent-card.json", here, "");
    assert_eq!(card.status, 200);
    for header in ["cache-control: max-age=", "etag: \"", "content-type: application/json"] {
        assert!(card.head.contains(header), "{header} is missing: {}", card.head);
    }
    let bindings: Vec<_> = card.body["supportedInterfaces"].as_array().unwrap().iter().collect();
    assert!(
        bindings.iter().all(|one| one["url"] == "http://localhost:4/a2a" && one["protocolVersion"] == "1.0")
    );

    let call = json!({"jsonrpc": "2.0", "id": 1, "method": "GetTask", "params": {"id": "x"}}).to_string();
    for wrong in ["", "Authorization: Bearer x\r\n", "Authorization: Basic eA==\r\n"] {
        let head = format!("{here}{wrong}");
        let told = plain("POST", "/a2a", &head, &call);
        assert_eq!((told.status, rpc_error(&told)), (401, (-32000, "UNAUTHENTICATED", "")));
        assert!(told.head.contains("www-authenticate: bearer"), "{}", told.head);
        for path in ["/a2a/tasks", "/a2a/tasks/x", "/a2a/nothing", "/a2a/extendedAgentCard"] {
            let told = plain("GET", path, &head, "");
            assert_eq!(rest_error(&told), (401, "UNAUTHENTICATED", ""), "{path}");
        }
    }
    let elsewhere = plain("GET", "/.well-known/agent-card.json", "Host: evil.example\r\n", "");
    assert_eq!(rest_error(&elsewhere), (403, "PERMISSION_DENIED", ""));
    let led = format!("{here}Origin: https://evil.example\r\nAuthorization: Bearer {}\r\n", stand.token);
    assert_eq!(plain("POST", "/a2a", &led, &call).status, 403);
}

#[test]
fn calls_that_are_no_json_rpc_are_refused_with_the_code_for_it() {
    let stand = Stand::new("a2a-rpc");
    let call = |id: &str, method: &str, params: &str| {
        format!("{{\"jsonrpc\": \"2.0\", \"id\": {id}, \"method\": {method}, \"params\": {params}}}")
    };
    let table: Vec<(String, &str, i64, &str)> = vec![
        (String::new(), "null", -32700, ""),
        ("{".to_owned(), "null", -32700, ""),
        ("[".repeat(100_000), "null", -32700, ""),
        ("[]".to_owned(), "null", -32600, ""),
        (format!("[{}]", call("1", "\"GetTask\"", "{}")), "null", -32600, ""),
        ("\"x\"".to_owned(), "null", -32600, ""),
        ("{\"jsonrpc\": \"2.0\", \"method\": \"GetTask\"}".to_owned(), "null", -32600, "/id"),
        (call("{}", "\"GetTask\"", "{}"), "null", -32600, "/id"),
        (call("true", "\"GetTask\"", "{}"), "null", -32600, "/id"),
        (call("7", "\"GetTask\"", "[]"), "7", -32600, "/params"),
        (call("7", "5", "{}"), "7", -32600, "/method"),
        ("{\"id\": 7, \"method\": \"GetTask\"}".to_owned(), "7", -32600, "/jsonrpc"),
        (
            "{\"id\": 7, \"id\": 8, \"jsonrpc\": \"2.0\", \"method\": \"GetTask\"}".to_owned(),
            "null",
            -32600,
            "",
        ),
        (call("\"\\ud800\"", "\"GetTask\"", "{}"), "null", -32600, ""),
        (call("\"a\\u0062\"", "\"tasks/get\"", "{}"), "\"ab\"", -32601, ""),
        (call("1.50", "\"Nothing\"", "{}"), "1.5", -32601, ""),
        (call("null", "\"GetTask\"", "{}"), "null", -32602, "/params/id"),
        (call("1", "\"GetTask\"", "null"), "1", -32602, "/params/id"),
        (call("1", "\"GetTask\"", "{\"id\": 5}"), "1", -32602, "/params/id"),
        (
            call("1", "\"GetTask\"", "{\"id\": \"x\", \"historyLength\": -1}"),
            "1",
            -32602,
            "/params/historyLength",
        ),
        (call("1", "\"ListTasks\"", "{\"pageSize\": 0}"), "1", -32602, "/params/pageSize"),
        (call("1", "\"GetTask\"", "{\"id\": \"x\"}"), "1", -32001, ""),
        (call("1", "\"CancelTask\"", "{\"id\": \"x\"}"), "1", -32001, ""),
        (call("1", "\"SubscribeToTask\"", "{\"id\": \"x\"}"), "1", -32001, ""),
        (call("1", "\"SendMessage\"", "{}"), "1", -32602, "/params/message"),
        (call("1", "\"SendStreamingMessage\"", "{}"), "1", -32602, "/params/message"),
        (call("1", "\"CreateTaskPushNotificationConfig\"", "{}"), "1", -32003, ""),
        (call("1", "\"GetTaskPushNotificationConfig\"", "{}"), "1", -32003, ""),
        (call("1", "\"ListTaskPushNotificationConfigs\"", "{}"), "1", -32003, ""),
        (call("1", "\"DeleteTaskPushNotificationConfig\"", "{}"), "1", -32003, ""),
        (call("1", "\"GetExtendedAgentCard\"", "{}"), "1", -32004, ""),
    ];
    for (body, id, code, pointer) in table {
        let told =
            got(&ask(&stand, "POST", "/a2a", "Content-Type: application/json\r\n", &body).read_to_end());
        let short = &body[..body.len().min(100)];
        assert_eq!(told.status, 200, "{short}");
        let (said, _, place) = rpc_error(&told);
        assert_eq!((said, place), (code, pointer), "{short}: {told:?}");
        assert_eq!(told.body["id"].to_string(), id, "{short}");
    }
    let near = rpc(&stand, "message/send", &json!({}));
    assert!(near.body["error"]["message"].as_str().unwrap().contains("did you mean SendMessage?"));
}

#[test]
fn requests_over_http_are_refused_with_their_status_and_the_place_of_the_mistake() {
    let stand = Stand::new("a2a-rest");
    let work = begin(&stand, "m", "[FAKE:HANG]");
    let cancel = format!("/tasks/{}:cancel", id(&work));
    let mut elsewhere = message("n", "x");
    elsewhere["taskId"] = json!("nobody");
    let table = [
        ("GET", "/nothing", json!(null), (404, "METHOD_NOT_FOUND", "")),
        ("GET", "/message:send", json!(null), (404, "METHOD_NOT_FOUND", "")),
        ("DELETE", "/tasks", json!(null), (404, "METHOD_NOT_FOUND", "")),
        ("GET", "/tasks/x", json!(null), (404, "TASK_NOT_FOUND", "")),
        ("GET", "/tasks/x?historyLength=a", json!(null), (400, "INVALID_PARAMS", "/historyLength")),
        ("GET", "/tasks?pageSize=150", json!(null), (400, "INVALID_PARAMS", "/pageSize")),
        ("GET", "/tasks?status=working", json!(null), (400, "INVALID_PARAMS", "/status")),
        ("GET", "/tasks?pageToken=x", json!(null), (400, "INVALID_PARAMS", "/pageToken")),
        ("POST", "/tasks/x:cancel", json!(null), (404, "TASK_NOT_FOUND", "")),
        ("POST", &cancel, json!({"id": "other"}), (400, "INVALID_PARAMS", "/id")),
        ("POST", "/message:send", json!(null), (400, "INVALID_PARAMS", "/message")),
        ("POST", "/message:send", json!([]), (400, "INVALID_REQUEST", "")),
        ("POST", "/message:stream", json!({"message": {}}), (400, "INVALID_PARAMS", "/message/messageId")),
        ("POST", "/message:send", json!({"message": elsewhere}), (404, "TASK_NOT_FOUND", "")),
        ("POST", "/tasks/x/pushNotificationConfigs", json!({}), (400, "PUSH_NOTIFICATION_NOT_SUPPORTED", "")),
        (
            "DELETE",
            "/tasks/x/pushNotificationConfigs/y",
            json!(null),
            (400, "PUSH_NOTIFICATION_NOT_SUPPORTED", ""),
        ),
        ("GET", "/extendedAgentCard", json!(null), (400, "UNSUPPORTED_OPERATION", "")),
    ];
    for (method, path, body, wanted) in table {
        let told = rest(&stand, method, path, &body);
        assert_eq!(rest_error(&told), wanted, "{method} {path} {body}");
    }
    assert_eq!(rest(&stand, "POST", &cancel, &json!({})).status, 200);
    assert_eq!(rest_error(&rest(&stand, "POST", &cancel, &json!({}))), (400, "TASK_NOT_CANCELABLE", ""));
    let late = super::to(id(&work), "late", "x");
    assert_eq!(rest_error(&rest(&stand, "POST", "/message:send", &late)), (400, "UNSUPPORTED_OPERATION", ""));
    let subscribe = format!("/tasks/{}:subscribe", id(&work));
    assert_eq!(
        rest_error(&rest(&stand, "GET", &subscribe, &json!(null))),
        (400, "UNSUPPORTED_OPERATION", "")
    );
}

#[test]
fn other_versions_and_content_types_are_refused_before_anything_is_done() {
    let stand = Stand::new("a2a-version");
    let body = sending("m", "work", &json!({})).to_string();
    let post = |headers: &str, path: &str| {
        let head = stand.head(&format!("{headers}Content-Length: {}\r\n\r\n", body.len()));
        let mut client = stand.connect();
        got(&client.send(format!("POST {path} HTTP/1.1\r\n{head}{body}")).reply())
    };
    for headers in ["", "A2A-Version: 0.3\r\n", "A2A-Version: 1.1\r\n", "A2A-Version: 2.0\r\n"] {
        let told = post(headers, "/a2a/message:send");
        assert_eq!(rest_error(&told), (400, "VERSION_NOT_SUPPORTED", ""), "{headers}");
        let info = &told.body["error"]["details"][0]["metadata"];
        assert_eq!(info["supportedVersions"], "1.0");
        assert_eq!(rpc_error(&post(headers, "/a2a")).0, -32009, "{headers}");
    }
    let other = "A2A-Version: 1.0\r\nContent-Type: text/plain\r\n";
    assert_eq!(rest_error(&post(other, "/a2a/message:send")), (400, "CONTENT_TYPE_NOT_SUPPORTED", ""));
    assert_eq!(rpc_error(&post(other, "/a2a")).0, -32005);
    assert_eq!(stand.run_dirs().len(), 0);
    assert_eq!(
        post("Content-Type: application/a2a+json\r\n", "/a2a/message:send?A2A-Version=1.0").status,
        200
    );
    assert_eq!(stand.run_dirs().len(), 1);
}

#[test]
fn bodies_that_are_too_large_are_refused_in_the_form_of_the_binding() {
    let stand = Stand::new("a2a-large");
    let post = |path: &str, token: &str| {
        let mut client = stand.connect();
        let length = 11 << 20;
        client.send(format!(
            "POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nA2A-Version: 1.0\r\nAuthorization: Bearer {token}\r\nContent-Length: {length}\r\n\r\n"
        ));
        Got::of(&client.reply())
    };
    let rpc = post("/a2a", &stand.token);
    assert_eq!((rpc.status, rpc_error(&rpc).0), (413, -32600));
    assert_eq!(rest_error(&post("/a2a/message:send", &stand.token)), (413, "INVALID_REQUEST", ""));
    assert_eq!(rest_error(&post("/a2a/message:send", "x")), (401, "UNAUTHENTICATED", ""));
    let mut client = stand.connect();
    client.send("POST /a2a HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: abc\r\n\r\n");
    let told = Got::of(&client.reply());
    assert_eq!((told.status, told.body["error"]["code"].as_i64()), (400, Some(-32600)));
}

#[test]
fn the_original_fake_has_no_a2a() {
    let stand = Stand::with("a2a-seed", &["--as-seed"]);
    for path in ["/.well-known/agent-card.json", "/a2a/tasks"] {
        assert_eq!(stand.get(path).refusal(), (404, "not_found"), "{path}");
    }
}
