//! The one-line-a-request log of `serve --log`: a projection with fixed field names in a fixed order.

use crate::event::{Asked, Kind};
use std::io::Write as _;

/// What a record says that the event does not.
#[derive(Clone, Copy, Debug)]
pub struct Around<'a> {
    /// When the body had been read, microseconds since 1970.
    pub unix_us: u64,
    /// Mode of the server: `normal` or a hostile mode.
    pub mode: &'a str,
    /// Number of the record, from 1.
    pub seq: u64,
    /// Id of the run, so that appended runs can be told apart.
    pub run: &'a str,
    /// Where the raw bytes of a broken body lie: a path, or why there is none. Looked at for broken bodies only.
    pub dump: Result<&'a str, &'a str>,
    /// Length of the body as it was read.
    pub raw_len: u64,
}

/// Whether a request gets a record: what is posted does, also what the HTTP layer refused, the rest is beside the log.
#[must_use]
pub fn is_recorded(asked: &Asked) -> bool {
    match asked.kind {
        Kind::Unreadable => true,
        Kind::Aside => false,
        Kind::Scenario
        | Kind::Background
        | Kind::Overrun
        | Kind::BadJson
        | Kind::WrongPath
        | Kind::Hostile => asked.method == "POST",
    }
}

/// Appends the record with its line feed to `out`.
pub fn record(asked: &Asked, around: &Around<'_>, out: &mut Vec<u8>) {
    // Refused by a whole-server mode or an unknown route is how it should be: the log has always called it ok.
    let judged = !matches!(asked.kind, Kind::WrongPath | Kind::Hostile);
    let reject = asked.reject.as_ref().filter(|_| judged);
    let rejected = reject.is_some() || matches!(asked.kind, Kind::BadJson | Kind::Unreadable);
    let mut fields = Fields { out, empty: true };
    fields.plain("ts", format_args!("{}.{:06}", around.unix_us / 1_000_000, around.unix_us % 1_000_000));
    fields.text("path", Some(&asked.path));
    fields.text("mode", Some(around.mode));
    fields.text("kind", Some(asked.kind.word()));
    fields.text("scenario_class", asked.class.as_deref());
    fields.text("phrasing", asked.phrasing.as_deref());
    fields.number("step", asked.step);
    fields.number("n_messages", Some(asked.n_messages));
    fields.number("n_assistant", Some(asked.n_assistant));
    fields.text("validation", Some(if rejected { "rejected" } else { "ok" }));
    fields.text("validation_detail", reject.map(|reject| reject.message.as_str()));
    delivered(asked, rejected, &mut fields);
    fields.number("http_status", asked.http_status.map(u64::from));
    if let Some(bad) = &asked.bad_json {
        fields.number("raw_len", Some(around.raw_len));
        match around.dump {
            Ok(path) => fields.text("raw_dump", Some(path)),
            Err(why) => fields.text("raw_dump", Some(&format!("not written: {why}"))),
        }
        fields.number("err_pos", Some(bad.offset));
        fields.text("err_byte", bad.byte.as_deref());
        fields.text("err_near", Some(&bad.near));
    }
    fields.number("seq", Some(around.seq));
    fields.text("run", Some(around.run));
    out.extend_from_slice(b"}\n");
}

/// Only scripted answers count as delivered; the words of background and overrun replies do not.
fn delivered(asked: &Asked, rejected: bool, fields: &mut Fields<'_>) {
    let scripted = !rejected && matches!(asked.kind, Kind::Scenario | Kind::Hostile);
    let sent = &asked.delivered;
    fields.name("delivered");
    let mut inner = Fields { out: fields.out, empty: true };
    inner.name("tool_calls");
    inner.out.push(b'[');
    for (index, (_, name)) in sent.calls.iter().filter(|_| scripted).enumerate() {
        inner.out.extend_from_slice(if index == 0 { b"" } else { b", " });
        inner.quoted(name);
    }
    inner.out.push(b']');
    inner.text("finish_reason", sent.finish_reason.as_deref().filter(|_| scripted));
    inner.number("api_error", sent.api_error.filter(|_| scripted).map(u64::from));
    inner.out.push(b'}');
}

struct Fields<'o> {
    out: &'o mut Vec<u8>,
    empty: bool,
}

impl Fields<'_> {
    fn name(&mut self, name: &str) {
        self.out.extend_from_slice(if self.empty { b"{\"" } else { b", \"" });
        self.empty = false;
        self.out.extend_from_slice(name.as_bytes());
        self.out.extend_from_slice(b"\": ");
    }

    fn plain(&mut self, name: &str, value: std::fmt::Arguments<'_>) {
        self.name(name);
        let written = self.out.write_fmt(value);
        assert!(written.is_ok(), "writing into a vector cannot fail");
    }

    fn number(&mut self, name: &str, value: Option<u64>) {
        match value {
            Some(value) => self.plain(name, format_args!("{value}")),
            None => self.plain(name, format_args!("null")),
        }
    }

    fn text(&mut self, name: &str, value: Option<&str>) {
        match value {
            Some(value) => {
                self.name(name);
                self.quoted(value);
            }
            None => self.plain(name, format_args!("null")),
        }
    }

    fn quoted(&mut self, text: &str) {
        let written = serde_json::to_writer(&mut *self.out, text);
        assert!(written.is_ok(), "text is always JSON");
    }
}
