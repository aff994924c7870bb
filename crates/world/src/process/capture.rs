//! Reads one output of a program: keeps the beginning, counts the rest, so that no flood fills the memory or blocks.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncReadExt as _};
use tokio::task::JoinHandle;

/// What came out.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes.
    pub kept: Vec<u8>,
    /// How many bytes came in all.
    pub bytes: u64,
}

impl Captured {
    /// Whether some were not kept.
    #[must_use]
    pub fn is_capped(&self) -> bool {
        self.bytes > self.kept.len() as u64
    }

    /// What was kept as text, with replacement characters where it is none.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.kept).into_owned()
    }

    /// As it stands in a journal.
    #[must_use]
    pub fn output(&self) -> rehearsal_journal::event::Output {
        use rehearsal_journal::digest;
        rehearsal_journal::event::Output {
            bytes: self.bytes,
            sha256: digest::text(&digest::of(&self.kept)),
            capped: self.is_capped(),
        }
    }
}

/// A reading task.
#[derive(Debug)]
pub(super) struct Capture {
    sofar: Arc<Mutex<Captured>>,
    task: JoinHandle<()>,
}

impl Capture {
    pub(super) fn start(pipe: Option<impl AsyncRead + Unpin + Send + 'static>, keep: usize) -> Self {
        let sofar = Arc::new(Mutex::new(Captured::default()));
        let into = Arc::clone(&sofar);
        let task = tokio::spawn(async move {
            let Some(mut pipe) = pipe else { return };
            let mut block = vec![0; 16 << 10];
            while let Ok(got @ 1..) = pipe.read(&mut block).await {
                let mut into = into.lock().unwrap_or_else(PoisonError::into_inner);
                let room = keep.saturating_sub(into.kept.len()).min(got);
                into.kept.extend_from_slice(&block[..room]);
                into.bytes += got as u64;
            }
        });
        Self { sofar, task }
    }

    /// What came, waiting at most `limit` for the pipe's end.
    pub(super) async fn finish(&mut self, limit: Duration) -> Captured {
        // At the limit a stranger holds the pipe: what came until now is all that counts.
        drop(tokio::time::timeout(limit, &mut self.task).await);
        self.task.abort();
        std::mem::take(&mut self.sofar.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl Drop for Capture {
    fn drop(&mut self) {
        self.task.abort();
    }
}
