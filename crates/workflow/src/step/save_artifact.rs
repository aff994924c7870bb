//! `save_artifact`: a file of the workspace as a version of an artifact, with what it was made of.

use super::permission::Needs;
use super::{PATHS, Step, Work};
use crate::step::inputs::Inputs;
use crate::work::bench::Bench;
use rehearsal_lab::store::{Basis, EdgeKind, Save, Source};
use rehearsal_lab::{Fact, Refusal, Stop};
use rehearsal_script::workflow::{Form, Input, InputKind, StepForm, Trigger};

/// What it can refuse with: what the boundary can, and what the store can.
static REFUSES: [&str; PATHS.len() + 6] =
    super::with_paths(["E_NO_SESSION", "E_UNKNOWN", "E_EXISTS", "E_FOREIGN", "E_INVALID", "E_DIGEST"]);

pub(super) const ROW: Step = Step {
    form: StepForm {
        name: "save_artifact",
        reference: &["save_artifact", "save_raw", "save_derived"],
        summary: "Saves a file of the workspace as a version of an artifact: its bytes are copied and hashed by the store.",
        inputs: &[
            Input {
                name: "filename",
                kind: InputKind::Text,
                required: true,
                doc: "The file, and the artifact's name. Saved again it is a further version.",
            },
            Input {
                name: "content",
                kind: InputKind::Text,
                required: false,
                doc: "What is written to the file first; without it the file must be there.",
            },
            Input {
                name: "content_type",
                kind: InputKind::Text,
                required: false,
                doc: "Its media type; `text/plain` where none is given.",
            },
            Input {
                name: "derived_from",
                kind: InputKind::Texts,
                required: false,
                doc: "Version ids of what it was made of; in the reference's form names under which they were saved.",
            },
            Input {
                name: "kind",
                kind: InputKind::Word(EdgeKind::WORDS),
                required: false,
                doc: "How it was made of them; `derived` where nothing is given.",
            },
            Input {
                name: "sha256",
                kind: InputKind::Text,
                required: false,
                doc: "The digest that its bytes must have.",
            },
            Input {
                name: "as",
                kind: InputKind::Text,
                required: false,
                doc: "Reference form: the name under which later steps find it; the filename where none is given.",
            },
        ],
        gives: &[
            ("artifact_id", "id of the artifact"),
            ("version_id", "id of this version"),
            ("version", "its number, from 1"),
            ("filename", "the artifact's name"),
            ("checksum", "SHA-256 of its bytes, hexadecimal"),
            ("size", "bytes"),
            ("edges", "ids of the edges to what it was made of"),
        ],
        gives_more: false,
        refuses: &REFUSES,
        judges: false,
        interrupts: Trigger::Never,
        breaks: Trigger::Never,
        example: "use: save_artifact\nid: raw\nwith: {filename: raw.csv, content: \"a,1\\n\"}\nexpect: {checksum: {sha256_of: raw.csv}, version: 1}\n",
    },
    needs: Needs::WriteWith(&["content"]),
    work: Work::Lab(work),
};

fn work(bench: &mut Bench, inputs: &Inputs) -> Result<Fact, Stop> {
    let filename = inputs.needed("filename")?;
    let kind = inputs.text("kind")?.unwrap_or(EdgeKind::Derived.word());
    let kind = EdgeKind::of(kind)
        .ok_or_else(|| Refusal::of_input(format!("`kind` is one of {}", EdgeKind::WORDS.join(", "))))?;
    let named = inputs.texts("derived_from")?;
    let ids = named.iter().map(|name| bench.version(name)).collect::<Result<Vec<_>, _>>()?;
    let sources: Vec<_> =
        ids.iter().map(|id| Source { version_id: id, kind, basis: Basis::Declared }).collect();
    bench.store()?;
    if let Some(content) = inputs.text("content")? {
        bench.workspace.write(filename, content.as_bytes())?;
    }
    let mut content = bench.workspace.reader(filename)?;
    let step = bench.step.clone();
    let fact = bench.store()?.save_artifact(Save {
        filename,
        content_type: inputs.text("content_type")?.unwrap_or("text/plain"),
        content: &mut content,
        sha256: inputs.text("sha256")?,
        sources: &sources,
        artifact: None,
        frame: None,
        step: &step,
    })?;
    if let (Form::Reference, Some(version)) =
        (bench.form, fact.observed().get("version_id").and_then(|id| id.as_str()))
    {
        let name = inputs.text("as")?.unwrap_or(filename);
        bench.names.insert(name.to_owned(), version.to_owned());
    }
    Ok(fact)
}
