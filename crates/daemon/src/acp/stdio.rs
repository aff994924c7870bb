//! Joins the front to the world: lines from standard input, what becomes of them taken down, and then lines to standard output.

use super::front::{Front, Out};
use crate::setting::Setting;
use rehearsal_journal::daemon::Fact;
use rehearsal_journal::event::Event;
use rehearsal_world::clock;
use rehearsal_world::process;
use rehearsal_world::record::{Lines, RecordError, Recorder};
use rehearsal_world::stdio::{Input, Output, StdioError};
use rehearsal_world::task;
use serde_json::json;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;

/// Why it ended badly.
#[derive(Debug, Error)]
pub enum AcpError {
    /// What came could not be read, or what leaves not be written.
    #[error(transparent)]
    Stdio(#[from] StdioError),
    /// The journal or the wire log cannot be written: nothing leaves that they do not have.
    #[error(transparent)]
    Record(#[from] RecordError),
}

/// Plays an agent for one client until it closes our input. With `auth` it must authenticate first.
///
/// # Errors
/// When a line cannot be read, written, or taken down.
pub async fn serve(
    setting: Setting,
    auth: bool,
    recorder: Arc<Recorder>,
    wire: Option<Lines>,
) -> Result<(), AcpError> {
    recorder.keep_fresh();
    let began = Fact::Began { unix_ms: clock::unix_ms(), pid: process::own_id(), setting: setting.sum() };
    recorder.note(Event::Daemon(began));
    let mut front = Front::new(setting, auth);
    let mut input = Input::start();
    let output = Output::start();
    loop {
        let (mut heard, mut came) = (None, false);
        let wait = front.next_due().filter(|_| front.clock_ms.is_none());
        let wait = wait.map(|due| Duration::from_millis(due.saturating_sub(clock::unix_ms())));
        let line = async {
            heard = input.line().await.transpose();
            came = true;
        };
        match wait {
            Some(wait) => task::first(line, task::after(wait)).await,
            None => line.await,
        }
        let mut outs = match (came, heard) {
            (true, None) => break,
            (true, Some(line)) => {
                let line = line?;
                if let Some(wire) = &wire {
                    wire.append(&logged("client", &String::from_utf8_lossy(&line)))?;
                }
                front.heard(&line, now_ms(&front))
            }
            (false, _) => Vec::new(),
        };
        outs.extend(front.tick(now_ms(&front)));
        leave(outs, &recorder, wire.as_ref(), &output).await?;
    }
    let outs = front.left(now_ms(&front));
    leave(outs, &recorder, wire.as_ref(), &output).await
}

fn now_ms(front: &Front) -> u64 {
    front.clock_ms.unwrap_or_else(clock::unix_ms)
}

/// Takes down what became of a line, and then lets lines leave.
async fn leave(
    outs: Vec<Out>,
    recorder: &Recorder,
    wire: Option<&Lines>,
    output: &Output,
) -> Result<(), AcpError> {
    let mut events = Vec::new();
    let (mut lines, mut log) = (Vec::new(), Vec::new());
    for out in outs {
        match out {
            Out::Fact(fact) => events.push(Event::Daemon(fact)),
            Out::Line(line) => {
                log.extend(logged("agent", &line));
                lines.extend_from_slice(line.as_bytes());
                lines.push(b'\n');
            }
        }
    }
    if !events.is_empty() {
        let ticket = recorder.noted(events);
        recorder.commit(ticket).await?;
    }
    if let Some(wire) = wire {
        wire.append(&log)?;
    }
    if !lines.is_empty() {
        output.write(lines).await?;
    }
    Ok(())
}

/// A line as the wire log has it.
fn logged(from: &str, line: &str) -> Vec<u8> {
    format!("{}\n", json!({"from": from, "line": line})).into_bytes()
}
