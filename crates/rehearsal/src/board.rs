//! What a person sees while a run goes on: a live line for each running case, a line for each finished one.

use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use rehearsal_workflow::Progress;
use std::collections::BTreeMap;
use std::io::IsTerminal as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
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

impl Live {
    fn running(&self) -> MutexGuard<'_, BTreeMap<String, ProgressBar>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
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
            Progress::Started(case) => {
                let case = case.to_owned();
                let Some(live) = &self.live else { return };
                let line = live.lines.add(ProgressBar::new_spinner());
                if let Ok(style) = ProgressStyle::with_template("{spinner} {msg}  {elapsed}") {
                    line.set_style(style);
                }
                line.set_message(case.clone());
                line.enable_steady_tick(Duration::from_millis(120));
                live.running().insert(case, line);
            }
            Progress::Note(text) => self.say(text),
            Progress::Finished(case) => {
                let mut done = self.done.lock().unwrap_or_else(PoisonError::into_inner);
                *done += 1;
                let word = case.verdict.word();
                let name = case.label();
                let text = format!("[{}/{}] {name} {word}", *done, self.all);
                if let Some(line) = self.live.as_ref().and_then(|live| live.running().remove(&name)) {
                    line.finish_and_clear();
                }
                self.say(&text);
            }
        }
    }

    /// A line above the live ones.
    fn say(&self, text: &str) {
        match &self.live {
            // A terminal that cannot be written to shows nothing: that is no failure of the run.
            Some(live) => drop(live.lines.println(text)),
            None => crate::terminal::complain(text),
        }
    }
}

impl Drop for Board {
    /// Cases that were ended before their end leave no line behind.
    fn drop(&mut self) {
        if let Some(live) = &self.live {
            live.running().values().for_each(ProgressBar::finish_and_clear);
        }
    }
}
