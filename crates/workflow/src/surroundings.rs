//! What stands around an agent while it runs: a proxy that refuses, shims before the commands that its case watches, the daemon of its
//! case, and, where that is asked, a network of its own.

use crate::daemon::{Beside, Requests};
use crate::field::Field;
use crate::run::{Order, RunError};
use rehearsal_journal::event::{EscapeTried, Event, Network};
use rehearsal_script::scenario::Phrasing;
use rehearsal_world::enclosed::{self, EnclosedError, Enclosure};
use rehearsal_world::http::{self, Limits};
use rehearsal_world::listen::Listener;
use rehearsal_world::process::{self, Launch, Running};
use rehearsal_world::record::Recorder;
use rehearsal_world::sink::Sink;
use rehearsal_world::task::{self, JoinHandle, oneshot};
use rehearsal_world::{environment, files, shim};
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// What stands around an agent.
#[derive(Debug)]
pub(crate) struct Surroundings {
    recorder: Arc<Recorder>,
    proxy: Option<SocketAddr>,
    sink: Option<Sink>,
    shims: Option<PathBuf>,
    daemon: Option<Beside>,
    enclosure: Option<Enclosure>,
    inside: Option<Inside>,
}

/// The stand-in as it is served in the agent's own network.
#[derive(Debug)]
struct Inside {
    stop: oneshot::Sender<()>,
    serving: JoinHandle<io::Result<()>>,
}

impl Surroundings {
    /// Sets up what the run and the case ask for. What it sees goes into the case's journal.
    pub(crate) fn open(
        field: &Field,
        phrasing: &Phrasing,
        case: &Path,
        recorder: &Arc<Recorder>,
        requests: &Arc<Requests>,
    ) -> Result<Self, RunError> {
        let mut around = Self {
            recorder: Arc::clone(recorder),
            proxy: None,
            sink: None,
            shims: None,
            daemon: None,
            enclosure: None,
            inside: None,
        };
        let inside = field.enclosed.then(|| beside(field.address.port(), 2));
        around.daemon = Beside::open(field, phrasing, case, recorder, requests, inside)?;
        if field.enclosed {
            around.prepare(field)?;
        } else if field.order.sink {
            let sink = Sink::open(Ipv4Addr::LOCALHOST, tell(recorder))?;
            around.proxy = Some(sink.address());
            around.sink = Some(sink);
        }
        let programs = phrasing.expect_agent.commands.programs();
        if !programs.is_empty() {
            let shims = case.join("shims");
            shim::lay(&shims, &programs, &own_program()?)?;
            around.shims = Some(shims);
        }
        Ok(around)
    }

    /// In a network of its own all ports are free: the stand-in's is the same as outside, the proxy's and the daemon's are near.
    fn prepare(&mut self, field: &Field) -> Result<(), RunError> {
        let port = field.address.port();
        let mut ports = vec![port];
        if self.daemon.is_some() {
            ports.push(beside(port, 2));
        }
        if field.order.sink {
            self.proxy = Some((Ipv4Addr::LOCALHOST, beside(port, 1)).into());
            ports.push(beside(port, 1));
        }
        self.enclosure = Some(enclosed::prepare(&own_program()?, &ports)?);
        Ok(())
    }

    /// The daemon of the case.
    pub(crate) fn daemon(&self) -> Option<&Beside> {
        self.daemon.as_ref()
    }

    /// URL of the proxy.
    pub(crate) fn proxy(&self) -> Option<String> {
        self.proxy.map(|address| format!("http://{address}"))
    }

    /// The folder that stands first on PATH.
    pub(crate) fn shims(&self) -> Option<&Path> {
        self.shims.as_deref()
    }

    /// Which network the agent sees.
    pub(crate) fn network(&self) -> Network {
        if self.enclosure.is_some() || self.inside.is_some() { Network::Namespace } else { Network::Host }
    }

    /// The agent's command past the shims: its own start is no command that it ran.
    pub(crate) fn unwatched(&self, argv: &[String], order: &Order) -> Result<Vec<String>, RunError> {
        let mut argv = argv.to_vec();
        if let (Some(shims), Some(program)) = (&self.shims, argv.first_mut())
            && files::is_there(&shims.join(&*program))
        {
            *program = order.agent.find(program, &order.inherited)?.display().to_string();
        }
        Ok(argv)
    }

    /// Takes down what is known of the agent itself.
    pub(crate) fn note(&self, event: Event) {
        self.recorder.note(event);
    }

    /// Starts the agent; in a network of its own it waits at the door until [`Surroundings::enter`].
    pub(crate) fn start(&mut self, launch: Launch) -> Result<Running, RunError> {
        let launch = match &mut self.enclosure {
            Some(enclosure) => enclosure.wrap(launch),
            None => launch,
        };
        Ok(process::start(&launch)?)
    }

    /// Serves stand-in, daemon and proxy in the agent's own network, where it has one, and lets it go.
    pub(crate) async fn enter(&mut self, field: &Field, running: &Running) -> Result<(), RunError> {
        let Some(enclosure) = self.enclosure.take() else { return Ok(()) };
        let mut listeners = enclosure.listeners(running).await?.into_iter();
        if let Some(listener) = listeners.next() {
            self.inside = Some(serve(field, listener));
        }
        if let Some(daemon) = &mut self.daemon
            && let Some(listener) = listeners.next()
        {
            daemon.serve(listener);
        }
        if let Some(listener) = listeners.next() {
            self.sink = Some(Sink::on(listener, tell(&self.recorder)).map_err(EnclosedError::Talk)?);
        }
        Ok(())
    }

    /// Takes it down once the agent has ended; who has connected until now is still told of.
    pub(crate) async fn close(self) {
        if let Some(sink) = self.sink {
            sink.finish().await;
        }
        if let Some(daemon) = self.daemon {
            daemon.close().await;
        }
        if let Some(Inside { stop, serving }) = self.inside {
            let _gone = stop.send(());
            let _ended = serving.await;
        }
        if let Some(shims) = self.shims {
            // Links to our own program that say nothing of the case: where they stay, they harm nobody.
            let _left = files::remove_folder(&shims);
        }
    }
}

/// A port so many behind another one, or before it where there is none.
fn beside(port: u16, steps: u16) -> u16 {
    port.checked_add(steps).unwrap_or(port - steps)
}

fn tell(recorder: &Arc<Recorder>) -> impl Fn(EscapeTried) + Send + Sync + 'static {
    let recorder = Arc::clone(recorder);
    move |tried| recorder.note(Event::EscapeTried(tried))
}

fn serve(field: &Field, listener: Listener) -> Inside {
    let (stop, stopped) = oneshot::channel::<()>();
    let serving = task::spawn(http::serve(listener, Arc::clone(&field.board), Limits::default(), async {
        let _told_or_gone = stopped.await;
    }));
    Inside { stop, serving }
}

fn own_program() -> Result<PathBuf, RunError> {
    environment::own_program().map_err(|source| RunError::Folder { path: PathBuf::from("rehearsal"), source })
}
