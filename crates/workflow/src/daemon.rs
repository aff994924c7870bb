//! The daemon of a case: a folder by which its agent finds it, a project, a port of loopback; made before the agent starts, ended
//! with it. What it takes down stands in the case's journal.

use crate::field::Field;
use crate::run::RunError;
use crate::told::DaemonTold;
use rehearsal_daemon::install::{InstallError, Installed};
use rehearsal_daemon::run::LiveInput;
use rehearsal_daemon::serve::Daemon;
use rehearsal_daemon::setting::{Manner, Setting};
use rehearsal_script::daemon;
use rehearsal_script::scenario::Phrasing;
use rehearsal_world::files;
use rehearsal_world::http::{self, Answer, App, Left, Limits, Refusal, Request};
use rehearsal_world::listen::{self, Listener};
use rehearsal_world::record::Recorder;
use rehearsal_world::task::{self, JoinHandle, Notify, oneshot};
use std::io;
use std::net::{IpAddr, Ipv4Addr};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// Most requests that a case's daemon gets before its agent is ended, where the case sets no bound. A client that polls ten times a
/// second needs a quarter of an hour for so many.
pub(crate) const MOST_REQUESTS: u64 = 10_000;
/// How long answers may go on leaving once the agent's processes are gone.
const LEAVING: Duration = Duration::from_millis(500);

/// The daemon beside a case.
#[derive(Debug)]
pub(crate) struct Beside {
    /// Where it listens.
    port: u16,
    config: PathBuf,
    project: PathBuf,
    token: String,
    app: Arc<Counted>,
    serving: Option<Serving>,
}

/// How many requests a case's daemon got.
#[derive(Debug, Default)]
pub(crate) struct Requests {
    count: AtomicU64,
    grown: Notify,
}

impl Requests {
    /// Resolves once there were more than so many.
    pub(crate) async fn exceeded(&self, most: u64) {
        loop {
            let grown = self.grown.notified();
            if self.count.load(Ordering::Acquire) > most {
                return;
            }
            grown.await;
        }
    }
}

/// The daemon as it is served.
#[derive(Debug)]
struct Serving {
    stop: oneshot::Sender<()>,
    ended: JoinHandle<io::Result<()>>,
}

impl Beside {
    /// Installs the daemon of a case that has one. It listens on a port of this machine's loopback, or will listen on `inside` in the
    /// agent's own network.
    pub(crate) fn open(
        field: &Field,
        phrasing: &Phrasing,
        case: &Path,
        recorder: &Arc<Recorder>,
        requests: &Arc<Requests>,
        inside: Option<u16>,
    ) -> Result<Option<Self>, RunError> {
        let Some(wanted) = &phrasing.daemon else { return Ok(None) };
        let (config, project) = (case.join("daemon"), case.join("project"));
        files::private_folders(&project)
            .map_err(|source| RunError::Folder { path: project.clone(), source })?;
        let installed = Installed::open(&config, None)?;
        let setting = setting(field, wanted, &installed);
        let token = installed.token.clone();
        let listener = match inside {
            Some(_) => None,
            None => Some(listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, false)?),
        };
        let port = listener.as_ref().map_or(inside.unwrap_or_default(), |it| it.address().port());
        installed.announce(port)?;
        let daemon = Daemon::new(setting, installed, Arc::clone(recorder), None);
        let app = Arc::new(Counted { daemon, requests: Arc::clone(requests) });
        let mut beside = Self { port, config, project, token, app, serving: None };
        if let Some(listener) = listener {
            beside.serve(listener);
        }
        Ok(Some(beside))
    }

    /// Serves on a listener, until [`Beside::close`].
    pub(crate) fn serve(&mut self, listener: Listener) {
        let (stop, stopped) = oneshot::channel::<()>();
        let app = Arc::clone(&self.app);
        let ended = task::spawn(async move {
            let limits = Limits { body: Setting::BODY, grace: LEAVING, ..Limits::default() };
            let clock = app.daemon.clone();
            let stopped = async {
                let _told_or_gone = stopped.await;
            };
            // The clock goes on for as long as somebody is served, and never ends by itself.
            http::serve(listener, app, limits, task::first(stopped, async move { clock.keep_time().await }))
                .await
        });
        self.serving = Some(Serving { stop, ended });
    }

    /// What its agent is told.
    pub(crate) fn told(&self) -> DaemonTold {
        DaemonTold {
            url: format!("http://127.0.0.1:{}/v2", self.port),
            config_dir: files::absolute(&self.config).display().to_string(),
            project: files::absolute(&self.project).display().to_string(),
        }
    }

    /// The secret of its clients.
    pub(crate) fn token(&self) -> &str {
        &self.token
    }

    /// Ends it.
    pub(crate) async fn close(self) {
        if let Some(Serving { stop, ended }) = self.serving {
            let _gone = stop.send(());
            let _ended = ended.await;
        }
    }
}

impl From<InstallError> for RunError {
    fn from(error: InstallError) -> Self {
        Self::Daemon(error)
    }
}

/// What a daemon is set to.
fn setting(field: &Field, wanted: &daemon::Daemon, installed: &Installed) -> Setting {
    let plain = Setting::plain(installed, field.order.choice.seed);
    let or = |said: &Option<String>, plain: String| said.clone().unwrap_or(plain);
    Setting {
        manner: manner(wanted.manner.as_deref()),
        harness: or(&wanted.harness, plain.harness),
        version: or(&wanted.engine_version, plain.version),
        sha: or(&wanted.build_sha, plain.sha),
        model: or(&wanted.model, plain.model),
        profile: or(&wanted.profile, plain.profile),
        ghost: or(&wanted.ghost_profile, plain.ghost),
        live: live_input(wanted.live_input.as_deref()),
        edits: wanted.edits.clone().map_or(plain.edits, Into::into),
        require_project: wanted.require_project,
        recovery: plain.recovery,
        scripted_clock: wanted.scripted_clock,
        scripts: field.order.suite.run_files.of(wanted),
        keep: wanted.keep_runs.unwrap_or(plain.keep),
        token: plain.token,
        runs: plain.runs,
        seed: plain.seed,
    }
}

fn manner(word: Option<&str>) -> Manner {
    let all = [Manner::Corrected, Manner::Engine, Manner::Seed];
    all.into_iter().find(|manner| Some(manner.word()) == word).unwrap_or_default()
}

fn live_input(word: Option<&str>) -> LiveInput {
    LiveInput::ALL.into_iter().find(|live| Some(live.word()) == word).unwrap_or_default()
}

/// The daemon, its requests counted.
#[derive(Debug)]
struct Counted {
    daemon: Daemon,
    requests: Arc<Requests>,
}

impl App for Counted {
    async fn answer(&self, request: Request) -> Answer {
        self.requests.count.fetch_add(1, Ordering::AcqRel);
        self.requests.grown.notify_waiters();
        self.daemon.answer(request).await
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        self.daemon.refuse(refusal).await
    }

    fn left(&self, ticket: u64, left: Left) {
        self.daemon.left(ticket, left);
    }
}

#[cfg(test)]
mod tests {
    use super::{live_input, manner};
    use rehearsal_script::daemon::Daemon;

    #[test]
    fn the_words_of_suites_are_those_of_the_daemon() {
        for word in Daemon::MANNERS {
            assert_eq!(manner(Some(word)).word(), word);
        }
        for word in Daemon::LIVE_INPUTS {
            assert_eq!(live_input(Some(word)).word(), word);
        }
        assert_eq!((manner(None).word(), live_input(None).word()), ("corrected", "mid_turn"));
    }
}
