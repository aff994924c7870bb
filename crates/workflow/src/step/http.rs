//! `http`: one request to a server on this machine.

use super::permission::{self, Needs};
use super::{Outside, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::{Http, Refusal, Stop, Used, http};
use rehearsal_script::workflow::{Input, InputKind, StepForm, Trigger};
use std::time::Duration;

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "http",
        reference: &[],
        summary: "Asks a server on this machine, once; no redirect is followed.",
        inputs: &[
            Input { name: "url", kind: InputKind::Text, required: true, doc: "Where: a loopback address." },
            Input {
                name: "method",
                kind: InputKind::Text,
                required: false,
                doc: "The method; GET where none is given, POST with a body.",
            },
            Input { name: "headers", kind: InputKind::TextMap, required: false, doc: "Headers." },
            Input { name: "body", kind: InputKind::Text, required: false, doc: "The body." },
            Input {
                name: "json",
                kind: InputKind::Anything,
                required: false,
                doc: "A value that is sent as JSON, in place of a body.",
            },
        ],
        gives: &[
            ("status", "the answer's status"),
            ("headers", "its headers, names in small letters, without `date`"),
            ("body", "its body, where it is UTF-8, the first 64 KiB"),
            ("json", "its body as JSON, where its content type says JSON and it is that"),
            ("bytes", "how long its body is"),
            ("sha256", "digest of its body, hexadecimal"),
        ],
        gives_more: false,
        refuses: &["E_NOT_LOOPBACK", "E_HTTP", "E_QUOTA"],
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: http\nwith: {url: \"${web.url}/health\"}\nexpect: {status: 200}\n",
    },
    needs: Needs::Always(permission::LOOPBACK),
    work: Work::Outside(work),
};

/// Largest body of an answer, bytes.
const MAX_BODY: usize = 16 << 20;

fn work<'b>(_: &'b mut Bench, inputs: &'b Inputs, limit: Duration) -> Outside<'b> {
    Box::pin(async move {
        match order(inputs, limit) {
            Ok(order) => (http(&order).await, Used::default()),
            Err(stop) => (Err(stop), Used::default()),
        }
    })
}

fn order(inputs: &Inputs, time_limit: Duration) -> Result<Http, Stop> {
    let mut headers = inputs.text_map("headers")?;
    let body = match (inputs.text("body")?, inputs.value("json")) {
        (Some(_), Some(_)) => return Err(Refusal::of_input("`body` and `json` cannot stand together").into()),
        (Some(text), None) => Some(text.as_bytes().to_vec()),
        (None, Some(value)) => {
            if !headers.iter().any(|(name, _)| name.eq_ignore_ascii_case("content-type")) {
                headers.push(("content-type".to_owned(), "application/json".to_owned()));
            }
            Some(value.to_string().into_bytes())
        }
        (None, None) => None,
    };
    let method = inputs.text("method")?.unwrap_or(if body.is_some() { "POST" } else { "GET" }).to_owned();
    let url = inputs.needed("url")?.to_owned();
    Ok(Http { method, url, headers, body: body.unwrap_or_default(), time_limit, max_body: MAX_BODY })
}
