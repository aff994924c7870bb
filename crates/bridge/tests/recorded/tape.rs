//! A folder of exchanges, made up as a record would write it.

use rehearsal_bridge::cassette::{self, Cassette, CassetteError};
use rehearsal_journal::digest;
use serde_json::{Value, json};
use std::path::{Path, PathBuf};

/// The folder; gone and made anew with each test.
pub(crate) struct Tape(PathBuf);

/// One exchange in the making.
#[derive(Clone)]
pub(crate) struct Exchange {
    pub(crate) case: Option<&'static str>,
    pub(crate) method: &'static str,
    pub(crate) target: &'static str,
    pub(crate) dialect: Option<&'static str>,
    pub(crate) asked: Vec<u8>,
    pub(crate) status: u16,
    pub(crate) headers: Value,
    pub(crate) answered: Vec<u8>,
    pub(crate) pieces: Value,
    pub(crate) complete: bool,
    pub(crate) client_left: bool,
}

impl Exchange {
    /// A conversation request for this text, answered with that one.
    pub(crate) fn of(asked: &str, answered: &str) -> Self {
        let asked = json!({"model": "m", "messages": [{"role": "user", "content": asked}]});
        let message = json!({"role": "assistant", "content": answered});
        let answered = json!({"id": "c", "model": "m", "choices": [{"index": 0, "message": message, "finish_reason": "stop"}]});
        let answered = answered.to_string().into_bytes();
        Self {
            case: None,
            method: "POST",
            target: "/v1/chat/completions",
            dialect: Some("openai-chat"),
            asked: asked.to_string().into_bytes(),
            status: 200,
            headers: json!([["content-type", "application/json"]]),
            pieces: json!([[5, answered.len()]]),
            answered,
            complete: true,
            client_left: false,
        }
    }

    pub(crate) fn on(mut self, case: &'static str) -> Self {
        self.case = Some(case);
        self
    }

    /// A list of models.
    pub(crate) fn models() -> Self {
        let other = Self::of("", "");
        Self { method: "GET", target: "/v1/models", asked: Vec::new(), ..other }
    }
}

impl Tape {
    pub(crate) fn new(name: &str, exchanges: &[Exchange]) -> Self {
        let tape = Self(rehearsal_testkit::scratch(env!("CARGO_TARGET_TMPDIR"), name));
        for (at, exchange) in exchanges.iter().enumerate() {
            tape.put(at + 1, exchange);
        }
        tape
    }

    pub(crate) fn path(&self) -> &Path {
        &self.0
    }

    pub(crate) fn open(&self) -> Result<Cassette, CassetteError> {
        cassette::open(&self.0)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        std::fs::write(self.0.join(name), bytes).unwrap();
    }

    fn put(&self, sequence: usize, exchange: &Exchange) {
        let sum = |bytes: &[u8]| digest::text(&digest::of(bytes));
        let name = format!("{sequence:04}-{}", exchange.case.unwrap_or("x"));
        let (asked, answered) = (&exchange.asked, &exchange.answered);
        let readable = json!({
            "version": 1,
            "sequence": sequence,
            "case": exchange.case,
            "dialect": exchange.dialect,
            "request": {
                "method": exchange.method,
                "target": exchange.target,
                "bytes": asked.len(),
                "sha256": sum(asked),
            },
            "forward": {"bytes": asked.len(), "sha256": sum(asked)},
            "response": {
                "status": exchange.status,
                "headers": exchange.headers,
                "headUs": 3,
                "pieces": exchange.pieces,
                "bytes": answered.len(),
                "sha256": sum(answered),
            },
            "served": {
                "status": exchange.status,
                "bytes": answered.len(),
                "sha256": sum(answered),
                "file": false,
                "pieces": [],
                "clientLeft": exchange.client_left,
            },
            "complete": exchange.complete,
        });
        self.write(&format!("{name}.request"), asked);
        self.write(&format!("{name}.response"), answered);
        self.write(&format!("{name}.json"), readable.to_string().as_bytes());
    }
}
