//! What a person sees while a run goes on: a live line for each running case, a line for each finished one.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rehearsal_journal::run::Verdict;
use rehearsal_workflow::Progress;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

/// The lines of a running suite, on standard error.
pub(crate) struct Board {
    live: Option<Live>,
    done: Mutex<usize>,
    all: usize,
}

struct Live {
    lines: MultiProgress,
    running: Mutex<BTreeMap<String, ProgressBar>>,
}

impl Board {
    /// A board for so many cases; live where standard error is a terminal, else one line for each finished case.
    pub(crate) fn new(all: usize) -> Self {
        let live = std::io::stderr()
            .is_terminal()
            .then(|| Live { lines: MultiProgress::new(), running: Mutex::default() });
        Self { live, done: Mutex::new(0), all }
    }

    pub(crate) fn show(&self, progress: Progress<'_>) {
        match progress {
            Progress::Started { case } => {
                let Some(live) = &self.live else { return };
                let line = live.lines.add(ProgressBar::new_spinner());
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                    line.set_style(style);
                }
                line.set_message(case.to_owned());
                line.enable_steady_tick(Duration::from_millis(120));
                live.running.lock().unwrap_or_else(PoisonError::into_inner).insert(case.to_owned(), line);
            }
            Progress::Finished(case) => {
                let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
                *done += 1;
                let word = match case.verdict {
                    Verdict::Passed => "passed",
                    Verdict::Failed => "failed",
                    Verdict::Broken => "broken",
                };
                let text = format!("[{}/{}] {} {word}", *done, self.all, case.phrasing);
                match &self.live {
                    Some(live) => {
                        let line = live
                            .running
                            .lock()
                            .unwrap_or_else(PoisonError::into_inner)
                            .remove(&case.phrasing);
                        if let Some(line) = line {
                            line.finish_and_clear();
                        }
                        // A terminal that cannot be written to shows nothing: that is no failure of the run.
                        let _gone = live.lines.println(text);
                    }
                    None => crate::terminal::complain(&text),
                }
            }
        }
    }
}
