//! Writes the standard input of a program beside everything else: one that never reads holds up nobody.

use tokio::io::AsyncWriteExt as _;
use tokio::process::ChildStdin;
use tokio::task::JoinHandle;

/// A writing task. Dropping it closes the pipe.
#[derive(Debug)]
pub(super) struct Feed(Option<JoinHandle<()>>);

impl Feed {
    pub(super) fn start(pipe: Option<ChildStdin>, bytes: Option<Vec<u8>>) -> Self {
        Self(pipe.zip(bytes).map(|(mut pipe, bytes)| {
            tokio::spawn(async move {
                // A program that ended without reading all is none of our business. The pipe closes here.
                let _taken = pipe.write_all(&bytes).await;
            })
        }))
    }
}

impl Drop for Feed {
    fn drop(&mut self) {
        if let Some(task) = &self.0 {
            task.abort();
        }
    }
}
