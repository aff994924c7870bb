//! Uploads over HTTP. The shapes are guesses: the real daemon's are not public.

use super::once::once;
use super::{Call, Problem, Reply};
use crate::core::Step;
use crate::uploads::{Refused, Stand, Upload};
use rehearsal_journal::daemon::Fact;
use serde_json::{Value, json};

/// Largest upload, in bytes: that of any body.
const LARGEST: u64 = 10 << 20;

pub(crate) fn create(call: &mut Call<'_, '_>) -> Step {
    once(call, "upload.create", |call, key| {
        let body = &call.heard.body;
        let bytes = body.get("bytes").and_then(rehearsal_wire::json::Value::as_i64);
        let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok()).filter(|bytes| *bytes > 0);
        let bytes = bytes.ok_or_else(|| Problem::field("/bytes", "must be a whole number above 0"))?;
        if bytes > LARGEST {
            return Err(Problem::new(
                413,
                "upload_too_large",
                format!("an upload has at most {LARGEST} bytes"),
            ));
        }
        let sha256 = body.text("sha256");
        let is_digest = |text: &String| text.len() == 64 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        if body.get("sha256").is_some() && !sha256.as_ref().is_some_and(is_digest) {
            return Err(Problem::field("/sha256", "must be 64 hexadecimal digits"));
        }
        let id = format!("upl-{}", call.setting.id("upload", key, 16));
        call.state.uploads.open(id.clone(), bytes, sha256).map_err(|why| problem(&why))?;
        changed(call, &id, "open");
        let upload = call.state.uploads.get(&id);
        Ok(Reply::json(200, &upload.map_or(Value::Null, |upload| row(&id, upload))))
    })
}

/// What is asked of one upload.
pub(crate) fn one(call: &mut Call<'_, '_>, id: &str, rest: &[&str]) -> Step {
    if call.state.uploads.get(id).is_none() {
        return call.refuse(&problem(&Refused::Unknown));
    }
    let done = match (call.heard.method, rest) {
        ("GET", []) => Ok(None),
        ("PUT", ["bytes"]) => call.state.uploads.fill(id, call.heard.raw).map(|()| Some("filled")),
        ("POST", ["finalize"]) => call.state.uploads.finalize(id).map(|()| Some("finalized")),
        ("DELETE", []) => {
            call.state.uploads.remove(id);
            changed(call, id, "removed");
            return call.ok(&json!({"removed": true}));
        }
        _ => return call.refuse(&Problem::not_found()),
    };
    match done {
        Ok(state) => {
            if let Some(state) = state {
                changed(call, id, state);
            }
            let body = call.state.uploads.get(id).map_or(Value::Null, |upload| row(id, upload));
            call.ok(&body)
        }
        Err(why) => call.refuse(&problem(&why)),
    }
}

fn changed(call: &mut Call<'_, '_>, id: &str, state: &str) {
    let (item, id, state) = ("upload".to_owned(), id.to_owned(), state.to_owned());
    call.facts.push(Fact::ItemChanged { item, id, state });
}

fn row(id: &str, upload: &Upload) -> Value {
    let state = match upload.stand {
        Stand::Open => "open",
        Stand::Finalized => "finalized",
    };
    json!({
        "uploadId": id,
        "state": state,
        "bytes": upload.bytes,
        "receivedBytes": upload.got.as_ref().map_or(0, |got| got.bytes),
        "sha256": upload.got.as_ref().map(|got| got.sha256.clone()),
    })
}

fn problem(why: &Refused) -> Problem {
    match why {
        Refused::Unknown => Problem::new(404, "upload_not_found", "there is no upload of this id"),
        Refused::Closed => Problem::new(409, "upload_finalized", "the upload is finalized: its bytes stay"),
        Refused::Full => Problem::new(429, "upload_storage_full", "remove an upload first").later(),
        Refused::Length(0) => Problem::new(409, "upload_incomplete", "PUT the bytes first"),
        Refused::Length(came) => Problem::new(
            400,
            "upload_length_mismatch",
            format!("{came} bytes came, which is not what was announced"),
        ),
        Refused::Digest => Problem::new(422, "upload_digest_mismatch", "the bytes are others than announced"),
    }
}
