//! Asks a server on this machine for one thing, once: nothing is followed, repeated or kept.

mod address;

use crate::plain::{fields, line, text};
use crate::{Code, Fact, Refusal, Stop};
pub(crate) use address::Address;

use rehearsal_journal::digest;
use rehearsal_world::dial::{Answer, Client, DialError, Limits, Request, Trust, is_ours};
use serde_json::{Map, Value};
use std::time::Duration;

/// A request.
#[derive(Clone, Debug)]
pub struct Http {
    /// Any method but `CONNECT`, as it is sent.
    pub method: String,
    /// Whole, such as `http://127.0.0.1:8000/items?all`. Its host is a loopback address or `localhost`. A fragment is not sent.
    pub url: String,
    /// Names and values, in order. Those of the connection (`Host`, `Content-Length` and their like) are ours, and are refused.
    pub headers: Vec<(String, String)>,
    /// The body.
    pub body: Vec<u8>,
    /// Time for everything, to the last byte of the answer.
    pub time_limit: Duration,
    /// Most bytes of the answer's body.
    pub max_body: usize,
}

/// Sends a request and reads its answer. Any status is an answer.
///
/// Fields of the fact: `status`, `headers` (by names in lower case; several of one name are joined by `, `; `date` is left out, as
/// it differs from run to run), `body` (the first 64 KiB; absent where the whole is no UTF-8), `json` (absent where the type of the
/// content does not say JSON, or it is none), `bytes` and `sha256` of the whole body as it came.
///
/// # Errors
/// [`Code::NotLoopback`] for a host elsewhere, of which nothing is looked up; [`Code::Input`] for what cannot be sent;
/// [`Code::Http`] where nobody answers as HTTP is answered; [`Code::Quota`] for a body that is too large; [`Stop::TimedOut`].
pub async fn http(order: &Http) -> Result<Fact, Stop> {
    let address = Address::read(&order.url)?;
    if let Some((name, _)) = order.headers.iter().find(|(name, _)| is_ours(name)) {
        let why = format!("the header {} is the connection's own and cannot be set", line(name));
        return Err(Refusal::new(Code::Input, why).into());
    }
    let mut answer = ask(order, &address).await.map_err(|error| stop(&error))?;
    let (status, headers) = (answer.status(), headers(&answer));
    let body = answer.whole().await.map_err(|error| stop(&error))?;
    let mut observed = fields([
        ("status", status.into()),
        ("bytes", body.len().into()),
        ("sha256", digest::text(&digest::of(&body)).into()),
    ]);
    let says_json = headers.get("content-type").and_then(Value::as_str).is_some_and(is_json);
    if let Some(json) = says_json.then(|| serde_json::from_slice(&body).ok()).flatten() {
        observed.insert("json".to_owned(), json);
    }
    if std::str::from_utf8(&body).is_ok() {
        observed.insert("body".to_owned(), text(&body).0.into());
    }
    observed.insert("headers".to_owned(), headers.into());
    Ok(Fact::of(observed))
}

async fn ask(order: &Http, address: &Address) -> Result<Answer, DialError> {
    let limit = order.time_limit;
    let limits = Limits { connect: limit, idle: limit, total: limit, body: order.max_body };
    let headers: Vec<(&str, &[u8])> =
        order.headers.iter().map(|(name, value)| (name.as_str(), value.as_bytes())).collect();
    let request = Request {
        method: &order.method,
        target: &address.target,
        headers: &headers,
        body: order.body.clone().into(),
    };
    Client::new(Trust::system()).connect(&address.base, limits, true).await?.ask(request).await
}

fn headers(answer: &Answer) -> Map<String, Value> {
    let mut all: Map<String, Value> = Map::new();
    for (name, value) in answer.headers().filter(|(name, _)| *name != "date") {
        let value = String::from_utf8_lossy(value);
        match all.get_mut(name) {
            Some(Value::String(before)) => *before = format!("{before}, {value}"),
            Some(_) | None => drop(all.insert(name.to_owned(), value.into())),
        }
    }
    all
}

/// Whether a type of content is JSON's own or one made of it, such as `application/problem+json`.
fn is_json(content_type: &str) -> bool {
    let kind = content_type.split(';').next().unwrap_or_default().trim().to_ascii_lowercase();
    kind == "application/json" || kind.ends_with("+json")
}

fn stop(error: &DialError) -> Stop {
    let code = match error {
        DialError::ConnectTimeout(_) | DialError::Idle(_) | DialError::Total(_) => return Stop::TimedOut,
        DialError::TooLarge(_) => Code::Quota,
        DialError::NotLoopback => Code::NotLoopback,
        DialError::BadMethod | DialError::BadTarget | DialError::BadHeader(_) => Code::Input,
        DialError::Unresolved(_)
        | DialError::Refused
        | DialError::Unreachable(_)
        | DialError::NoneOf(_)
        | DialError::Untrusted(_)
        | DialError::WrongName
        | DialError::Handshake(_)
        | DialError::Reset
        | DialError::Cut
        | DialError::BadResponse(_) => Code::Http,
    };
    Refusal::new(code, line(&error.to_string())).into()
}
