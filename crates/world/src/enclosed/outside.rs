//! The outside: starts an agent enclosed and takes over the sockets that listen in its network.

use std::io;
use std::os::fd::AsFd as _;
use std::os::unix::net::UnixListener as StdListener;
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::io::{AsyncWriteExt as _, Interest};
use tokio::net::{UnixListener, UnixStream};
use tokio::time::timeout;

use super::{EnclosedError, pass};
use crate::listen::Listener;
use crate::process::{self, Launch, Running};
use crate::{environment, ids};

/// How long a network may take to come up: making many at once is slow in the kernel.
const PATIENCE: Duration = Duration::from_secs(30);

/// A network in the making, for one agent.
#[derive(Debug)]
pub struct Enclosure {
    door: UnixListener,
    name: String,
    own_program: PathBuf,
    ports: Vec<u16>,
    program: String,
    folder: PathBuf,
}

/// Whether agents can have networks of their own here: tries it once, in a process of `own_program`.
///
/// # Errors
/// Why not, in words for a person.
pub async fn possible(own_program: &Path) -> Result<(), String> {
    let argv = [&*own_program.to_string_lossy(), "enclose", "--try"].map(str::to_owned).to_vec();
    let launch = Launch {
        argv,
        env: Vec::new(),
        folder: environment::current_folder().map_err(|error| error.to_string())?,
        stdin: None,
        time_limit: PATIENCE,
        grace: Duration::ZERO,
        keep: pass::MESSAGE,
    };
    let ran = process::run(&launch).await.map_err(|error| error.to_string())?;
    if ran.status == Some(0) {
        return Ok(());
    }
    let said = ran.stderr.text();
    let why = said.trim().trim_start_matches("rehearsal: ");
    Err(if why.is_empty() { EnclosedError::Late.to_string() } else { why.to_owned() })
}

/// Prepares a network with listening sockets on these ports of 127.0.0.1, 8 at most. Call it inside the runtime.
///
/// # Errors
/// When no socket can be had to talk to it.
pub fn prepare(own_program: &Path, ports: &[u16]) -> Result<Enclosure, EnclosedError> {
    let name = format!("rehearsal-{}", ids::case_token().map_err(io::Error::other)?);
    let door = StdListener::bind_addr(&pass::address(&name)?)?;
    door.set_nonblocking(true)?;
    Ok(Enclosure {
        door: UnixListener::from_std(door)?,
        name,
        own_program: own_program.to_owned(),
        ports: ports.to_vec(),
        program: String::new(),
        folder: PathBuf::new(),
    })
}

impl Enclosure {
    /// The same launch, by way of the network.
    #[must_use]
    pub fn wrap(&mut self, launch: Launch) -> Launch {
        let mut agent = launch.argv.iter().cloned();
        self.program = agent.next().unwrap_or_default();
        self.folder.clone_from(&launch.folder);
        let mut argv = vec![self.own_program.to_string_lossy().into_owned(), "enclose".to_owned()];
        argv.extend(["--socket".to_owned(), self.name.clone()]);
        argv.extend(self.ports.iter().flat_map(|port| ["--port".to_owned(), port.to_string()]));
        argv.push("--".to_owned());
        // Inside, the current folder is the agent's; here it is still ours.
        argv.push(process::located(&self.program).unwrap_or_default().to_string_lossy().into_owned());
        argv.extend(agent);
        Launch { argv, ..launch }
    }

    /// Waits until the agent runs in its network and gives the sockets that listen there, in the order of the ports. The
    /// agent may connect before anyone accepts.
    ///
    /// # Errors
    /// When the kernel forbids it or the agent cannot be started; nothing of it has run then.
    pub async fn listeners(self, running: &Running) -> Result<Vec<Listener>, EnclosedError> {
        timeout(PATIENCE, self.talk(running.pid())).await.unwrap_or(Err(EnclosedError::Late))
    }

    async fn talk(self, pid: u32) -> Result<Vec<Listener>, EnclosedError> {
        let mut inside = self.reached_by(pid).await?;
        let (message, sockets) = receive(&inside).await?;
        match message.split_first() {
            Some((&pass::LISTENERS, _)) if sockets.len() == self.ports.len() => {}
            Some((&pass::FAILURE, why)) => {
                return Err(EnclosedError::Refused(String::from_utf8_lossy(why).into_owned()));
            }
            _ => {
                return Err(EnclosedError::Refused("the agent's network ended before it came up".to_owned()));
            }
        }
        let listeners = sockets.into_iter().map(Listener::adopt).collect::<io::Result<_>>()?;
        inside.write_all(&[pass::GO]).await?;
        // The socket closes when the program becomes the agent.
        let (message, _) = receive(&inside).await?;
        match message.split_first() {
            None => Ok(listeners),
            Some((&pass::NOT_STARTED, number)) => {
                let number = number.try_into().map(i32::from_ne_bytes).unwrap_or_default();
                let error = io::Error::from_raw_os_error(number);
                Err(process::refused(&self.program, &self.folder, error).into())
            }
            Some(_) => {
                Err(EnclosedError::Refused("the agent's network does not keep to the order".to_owned()))
            }
        }
    }

    /// Anyone on this machine may knock; only the process that we started is let in.
    async fn reached_by(&self, pid: u32) -> io::Result<UnixStream> {
        loop {
            let (stream, _) = self.door.accept().await?;
            let peer = stream.peer_cred()?.pid().and_then(|peer| u32::try_from(peer).ok());
            if peer == Some(pid) {
                return Ok(stream);
            }
        }
    }
}

async fn receive(inside: &UnixStream) -> io::Result<(Vec<u8>, Vec<std::os::fd::OwnedFd>)> {
    inside.async_io(Interest::READABLE, || pass::receive(inside.as_fd())).await
}
