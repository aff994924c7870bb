//! What a run leaves behind: its whole output, of which the detail shows the beginning.

use super::{Call, Form, Problem, Reply};
use crate::core::Step;
use crate::run::{Run, final_text, output_bytes};
use bytes::Bytes;
use serde_json::{Value, json};

/// The one artifact.
pub(crate) const OUTPUT: &str = "output/final.md";
/// Its media type.
const MEDIA: &str = "text/markdown; charset=utf-8";
/// Largest artifact that is served, in bytes.
const LARGEST: u64 = 16 << 20;

/// The rows of a run's artifacts; none while it runs.
pub(crate) fn rows(run: &Run) -> Vec<Value> {
    if !run.is_over() {
        return Vec::new();
    }
    vec![json!({"path": OUTPUT, "bytes": output_bytes(run), "mediaType": MEDIA})]
}

pub(crate) fn list(call: &mut Call<'_, '_>, id: &str) -> Step {
    let rows = call.state.run(id).map(rows).unwrap_or_default();
    call.ok(&json!({"artifacts": rows}))
}

pub(crate) fn read(call: &mut Call<'_, '_>, id: &str, path: &[&str]) -> Step {
    let Some(run) = call.state.run(id) else { return call.refuse(&Problem::not_found()) };
    if path.join("/") != OUTPUT {
        return call.refuse(&Problem::new(
            404,
            "artifact_not_found",
            format!("the one artifact is {OUTPUT}"),
        ));
    }
    if !run.is_over() {
        let why = "the run is under way: its output is not whole yet";
        return call.refuse(&Problem::new(409, "artifact_not_ready", why).later());
    }
    let bytes = output_bytes(run);
    if bytes > LARGEST {
        let why = format!("the artifact has {bytes} bytes; at most {LARGEST} are served");
        return call.refuse(&Problem::new(413, "artifact_too_large", why));
    }
    let form = Form::Whole(MEDIA, Bytes::from(final_text(run)));
    call.say(Reply { status: 200, form })
}
