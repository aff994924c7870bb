//! q47 to q55: URLs, keys and the way over the network.

use super::raw::{json as whole, said};
use super::{Has, Row, fault, good, row, step};
use serde_json::json;

/// A provider of plain answers that keeps what it was asked.
fn plain(quirk: u32) -> Row {
    row(quirk, Has::Raw(vec![said(&good())]))
}

pub(super) fn rows() -> Vec<Row> {
    [places(), keys(), ways()].into_iter().flatten().collect()
}

fn places() -> Vec<Row> {
    let own = "POST /v1/chat/completions HTTP/1.1";
    let missing = r#"{"error":{"message":"Not Found"}}"#;
    vec![
        Row { endpoint: |address| format!("http://{address}/v1/"), ..plain(47) }.hears(&[own]),
        Row { endpoint: |address| format!("http://{address}/v1///"), ..plain(47) }.hears(&[own]),
        plain(48).hears(&[own, "!/v1/v1"]),
        Row { endpoint: |address| format!("http://{address}/v1/chat/completions"), ..plain(48) }
            .hears(&[own]),
        Row {
            endpoint: |address| format!("http://{address}/v1/chat/completions/chat/completions"),
            ..config(48, "the base URL ends with /chat/completions")
        },
        row(48, Has::Raw(vec![whole("404 Not Found", missing)])).fails(
            "not_found",
            None,
            "/v1/chat/completions: status 404: Not Found",
        ),
        Row { endpoint: |address| format!("http://{address}/team/v1"), ..plain(49) }
            .hears(&["POST /team/v1/chat/completions HTTP/1.1"]),
        Row { endpoint: |address| format!("http://{address}/api/paas/v4"), ..plain(50) }
            .hears(&["POST /api/paas/v4/chat/completions HTTP/1.1"]),
        Row { endpoint: |address| format!("http://{address}"), ..plain(50) }
            .hears(&["POST /chat/completions HTTP/1.1"]),
    ]
}

/// What is refused before anything is sent.
fn config(quirk: u32, says: &'static str) -> Row {
    let row = plain(quirk).hears(&["!POST"]);
    Row { code: 2, says, left: row.before.clone(), ..row }
}

fn keys() -> Vec<Row> {
    let key = |value: &str| vec![("OPENAI_API_KEY", value.to_owned())];
    vec![
        plain(51).hears(&["!authorization"]),
        Row { env: key(""), ..plain(51) }.hears(&["!authorization"]),
        Row { env: key("  sk-blank-1\n"), ..plain(52) }.hears(&["authorization: Bearer sk-blank-1\r\n"]),
        Row {
            env: key("sk-blank\n1"),
            ..config(52, "the API key holds a character that no header may hold").hides("sk-blank")
        },
    ]
}

fn ways() -> Vec<Row> {
    let away = json!({"name": "redirect-https", "place": "https://elsewhere.example/v1"});
    let away = json!({"fault": away, "text": good(), "times": 9});
    let nobody = "http://127.0.0.1:9";
    let proxies = ["http_proxy", "HTTP_PROXY", "https_proxy", "all_proxy", "ALL_PROXY"];
    vec![
        Row { env: proxies.map(|name| (name, nobody.to_owned())).into(), ..plain(53) }.requests(1),
        Row { endpoint: |address| format!("http://localhost:{}/v1", address.port()), ..plain(54) },
        Row { endpoint: |_| "http://localhost:9/v1".to_owned(), ..plain(54) }
            .with(&["--attempts", "1"])
            .fails("connect", None, "http://localhost:9/v1/chat/completions"),
        Row {
            endpoint: |address| format!("http://localhost:{}/v1", address.port()),
            ..fault(55, "redirect-https:times=9")
        }
        .fails("redirect", Some("redirect_method_change"), "a redirect to https://localhost")
        .requests(1),
        row(55, Has::Script(vec![away, step(&good())]))
            .fails("redirect", Some("redirect_cross_origin"), "https://elsewhere.example")
            .requests(1),
        fault(55, "redirect-307:times=1").wants(&json!({"leniencies": []})),
    ]
}
