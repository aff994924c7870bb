//! Requests as bytes, replies taken apart, and the lines of a corpus.

use rehearsal_testkit::Seen;
use rehearsal_wire::dialect::Dialect;
use serde_json::{Value, json};

/// A reply: status, headers with lower-case names, body without chunk framing.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(seen: &Seen) -> Self {
        let (status, headers, raw) = (seen.status(), headers(&seen.text()), seen.body().to_vec());
        let chunked = headers.iter().any(|(name, value)| name == "transfer-encoding" && value == "chunked");
        Self { status, headers, body: if chunked { unchunked(&raw) } else { raw } }
    }

    /// The value of a header that stands at most once.
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let mut all = self.headers.iter().filter(|(known, _)| known == name);
        let first = all.next().map(|(_, value)| value.as_str());
        assert!(all.next().is_none(), "{name} stands twice in {:?}", self.headers);
        first
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.text()))
    }

    /// The code of the error in it; null where there is none.
    pub(crate) fn code(&self) -> Value {
        self.json()["error"]["code"].clone()
    }

    /// The message of the error in it.
    pub(crate) fn message(&self) -> String {
        self.json()["error"]["message"].as_str().unwrap_or_default().to_owned()
    }

    /// The text of the first choice.
    pub(crate) fn said(&self) -> String {
        self.json()["choices"][0]["message"]["content"].as_str().unwrap_or_default().to_owned()
    }
}

fn headers(text: &str) -> Vec<(String, String)> {
    let head = text.split("\r\n\r\n").next().unwrap_or_default();
    let lines = head.split("\r\n").skip(1);
    lines
        .filter_map(|line| line.split_once(':'))
        .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
        .collect()
}

/// A chunked body read strictly: whole chunks, the last one, nothing after it.
pub(crate) fn unchunked(raw: &[u8]) -> Vec<u8> {
    let (mut body, mut rest) = (Vec::new(), raw);
    loop {
        let end = rest.windows(2).position(|two| two == b"\r\n").unwrap();
        let size = usize::from_str_radix(std::str::from_utf8(&rest[..end]).unwrap(), 16).unwrap();
        let data = &rest[end + 2..];
        assert_eq!(&data[size..size + 2], b"\r\n", "a chunk ends with its line");
        if size == 0 {
            assert_eq!(data, b"\r\n", "nothing follows the last chunk");
            return body;
        }
        body.extend_from_slice(&data[..size]);
        rest = &data[size + 2..];
    }
}

/// A request with these headers beside Host and Content-Length, where they name neither. A header without a value is
/// left out, also one that is otherwise added.
pub(crate) fn request(method: &str, path: &str, headers: &[(&str, Option<&str>)], body: &[u8]) -> Vec<u8> {
    let has = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let mut head = format!("{method} {path} HTTP/1.1\r\n");
    if !has("host") {
        head.push_str("Host: 127.0.0.1\r\n");
    }
    for (name, value) in headers.iter().filter_map(|(name, value)| Some((name, value.as_ref()?))) {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    if !has("content-length") && !has("transfer-encoding") && (!body.is_empty() || method == "POST") {
        head.push_str(&format!("Content-Length: {}\r\n", body.len()));
    }
    // A corpus writes targets with single bytes beyond ASCII.
    let mut bytes: Vec<u8> = head.chars().map(|letter| u8::try_from(letter).unwrap()).collect();
    bytes.extend_from_slice(b"\r\n");
    bytes.extend_from_slice(body);
    bytes
}

/// The headers of a corpus line, null for those to be left out, with defaults for those that it does not name.
pub(crate) fn headers_of<'l>(
    line: &'l Value,
    defaults: &[(&'l str, &'l str)],
) -> Vec<(&'l str, Option<&'l str>)> {
    let given = line["headers"].as_object().unwrap();
    let mut headers: Vec<_> = given.iter().map(|(name, value)| (name.as_str(), value.as_str())).collect();
    let named = |name: &str| given.keys().any(|known| known.eq_ignore_ascii_case(name));
    headers
        .extend(defaults.iter().filter(|(name, _)| !named(name)).map(|(name, value)| (*name, Some(*value))));
    headers
}

/// The headers that no client of a dialect leaves out.
pub(crate) fn headers_for(dialect: &'static Dialect) -> Vec<(&'static str, Option<&'static str>)> {
    let key = dialect.key.split_once(": ").map(|(name, key)| (name, Some(key)));
    let version = ("anthropic-version", Some("2023-06-01"));
    let version = (dialect.name == "anthropic-messages").then_some(version);
    [("Content-Type", Some("application/json"))].into_iter().chain(key).chain(version).collect()
}

/// A POST as any client sends it.
pub(crate) fn post(path: &str, body: &str) -> Vec<u8> {
    let headers = [("Content-Type", Some("application/json")), ("Authorization", Some("Bearer test"))];
    request("POST", path, &headers, body.as_bytes())
}

/// A chat request: one user message, with more top-level members.
pub(crate) fn chat(prompt: &str, more: Value) -> Value {
    history(prompt, &[], more)
}

/// A chat request with a history behind the user message.
pub(crate) fn history(prompt: &str, later: &[Value], more: Value) -> Value {
    let mut messages = vec![json!({"role": "user", "content": prompt})];
    messages.extend_from_slice(later);
    let mut body = json!({"model": "gpt-4o-mini", "messages": messages});
    let Value::Object(more) = more else { panic!("members are an object") };
    body.as_object_mut().unwrap().extend(more);
    body
}

/// One function tool of this name.
pub(crate) fn tool(name: &str) -> Value {
    let parameters = json!({"type": "object", "properties": {}});
    json!({"type": "function", "function": {"name": name, "description": "Does it.", "parameters": parameters}})
}

/// The lines of a corpus.
pub(crate) fn lines(corpus: &str) -> Vec<Value> {
    corpus.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// The bytes of base64 text with padding.
pub(crate) fn base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut held) = (Vec::new(), 0_u32, 0);
    for byte in text.bytes().filter(|byte| *byte != b'=') {
        bits = bits << 6 | u32::try_from(LETTERS.iter().position(|letter| *letter == byte).unwrap()).unwrap();
        held += 6;
        if held >= 8 {
            held -= 8;
            out.push((bits >> held & 0xFF) as u8);
        }
    }
    out
}
