//! What a task leaves: the files that its run wrote, and its final text.

use super::show::View;
use crate::run::{Row, Run, State, What, final_text, output_beginning, output_bytes};
use rehearsal_script::runs::Act;
use serde_json::{Value, json};

/// Most bytes of a final text that a task shows: that of the daemon's own detail.
const PREVIEW: usize = 256 * 1024;
/// Most bytes of it in one event of a stream.
const CHUNK: usize = 64 * 1024;
/// Id of the artifact that holds it.
const OUTPUT: &str = "output";

impl View<'_> {
    /// What the task left up to a row.
    pub(super) fn artifacts(&self, upto: u64) -> Vec<Value> {
        let mut out = Vec::new();
        for row in self.rows(0, upto) {
            out.extend(self.files(row));
            if let Some(output) = self.output(row) {
                out.push(output_artifact(&output.text, output.bytes));
            }
        }
        out
    }

    /// The files that a row wrote, as artifacts.
    pub(super) fn files(&self, row: &Row) -> Vec<Value> {
        let (What::Edited(paths), Some(run)) = (&row.what, self.run) else { return Vec::new() };
        let is_edit = |row: &&Row| matches!(row.what, What::Edited(_));
        let before = self.rows(0, row.seq - 1).filter(is_edit).count();
        let edits = run.script.steps.iter().filter_map(|step| match &step.act {
            Act::Edit(files) => Some(files.as_deref()),
            _ => None,
        });
        let files = edits.into_iter().nth(before).flatten().unwrap_or(&self.setting.edits);
        let file = |(at, path): (usize, &String)| {
            let text = files.iter().find(|(name, _)| name == path).map_or("", |(_, text)| text);
            json!({
                "artifactId": format!("file-{}-{}", row.seq, at + 1),
                "name": path,
                "parts": [{"text": text, "filename": path, "mediaType": "text/plain"}],
            })
        };
        paths.iter().enumerate().map(file).collect()
    }

    /// The final text, where a row brings it.
    pub(super) fn output(&self, row: &Row) -> Option<Output> {
        let run = self.run?;
        let is_whole = match row.what {
            What::Ended(State::Succeeded) => true,
            What::Ended(State::Failed) => !run.script.required_inputs.is_empty(),
            _ => false,
        };
        is_whole.then(|| Output { text: final_beginning(run), bytes: output_bytes(run) })
    }
}

/// A final text, or its beginning.
pub(super) struct Output {
    pub(super) text: String,
    pub(super) bytes: u64,
}

/// The final text, or a piece of it, as an artifact.
pub(super) fn output_artifact(text: &str, bytes: u64) -> Value {
    json!({
        "artifactId": OUTPUT,
        "name": "output/final.md",
        "parts": [{"text": text, "mediaType": "text/markdown"}],
        "metadata": {"bytes": bytes, "truncated": bytes > PREVIEW as u64},
    })
}

/// As much of the final text as is shown.
pub(super) fn final_beginning(run: &Run) -> String {
    let text =
        if output_bytes(run) > PREVIEW as u64 { output_beginning(run, PREVIEW) } else { final_text(run) };
    let end = boundary(&text, PREVIEW);
    text[..end].to_owned()
}

/// The last place not behind `most` where a character ends.
fn boundary(text: &str, most: usize) -> usize {
    let mut end = text.len().min(most);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    end
}

/// A text in pieces that fit one event each; at least one.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    let mut out = Vec::new();
    let mut rest = text;
    loop {
        let (piece, further) = rest.split_at(boundary(rest, CHUNK));
        out.push(piece);
        if further.is_empty() {
            return out;
        }
        rest = further;
    }
}

#[cfg(test)]
mod tests {
    use super::{CHUNK, pieces};

    #[test]
    fn a_long_text_leaves_in_pieces_of_whole_characters() {
        let text = "é".repeat(CHUNK);
        let cut = pieces(&text);
        assert_eq!(cut.concat(), text);
        assert!(cut.iter().all(|piece| piece.len() <= CHUNK));
        assert_eq!(pieces(""), [""]);
    }
}
