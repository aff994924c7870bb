//! Listening sockets: loopback unless told otherwise, never on a port that belongs to something else.

use std::collections::BTreeSet;
use std::io;
use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::sync::{Mutex, PoisonError};

/// Ports that belong to production services and are never listened on.
pub const RESERVED_PORTS: [u16; 3] = [7770, 7779, 17779];

/// How many connections may wait to be accepted.
const BACKLOG: i32 = 1024;

/// A socket that listens. It does so from the moment it exists, before anyone accepts.
#[derive(Debug)]
pub struct Listener {
    socket: TcpListener,
    address: SocketAddr,
}

impl Listener {
    /// The address really taken: for port 0, the port that the system gave.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// A socket that listens already, such as one of another process.
    ///
    /// # Errors
    /// When it is no socket of the kind.
    #[cfg(unix)]
    pub fn adopt(socket: std::os::fd::OwnedFd) -> io::Result<Self> {
        let socket = TcpListener::from(socket);
        let address = socket.local_addr()?;
        Ok(Self { socket, address })
    }

    /// The same socket under the runtime's care. Call it inside the runtime.
    pub(crate) fn into_async(self) -> io::Result<tokio::net::TcpListener> {
        self.socket.set_nonblocking(true)?;
        tokio::net::TcpListener::from_std(self.socket)
    }
}

#[cfg(unix)]
impl std::os::fd::AsFd for Listener {
    fn as_fd(&self) -> std::os::fd::BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// Why nothing listens, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum BindError {
    /// The port is one of [`RESERVED_PORTS`].
    #[error("port {0} is reserved for a production service; choose another port, or 0 for any free one")]
    Reserved(u16),
    /// The host is not loopback and nobody allowed that.
    #[error("{0} is not a loopback address; use 127.0.0.1, or allow remote clients explicitly")]
    Remote(IpAddr),
    /// Somebody else listens there.
    #[error(
        "{0} is already in use; stop the program that listens there, choose another port, or 0 for any free one"
    )]
    Busy(SocketAddr),
    /// The system does not let this user listen there.
    #[error("not permitted to listen on {0}; choose a port above 1023")]
    Denied(SocketAddr),
    /// This machine does not have the address.
    #[error("this machine has no address {0}; use 127.0.0.1")]
    NoSuchAddress(IpAddr),
    /// Anything else the system says.
    #[error("cannot listen on {address}")]
    System {
        /// Where.
        address: SocketAddr,
        /// What the system said.
        source: io::Error,
    },
}

/// Listens on `host` and `port` (0 for any free one). Hosts other than loopback need `allow_remote`.
///
/// # Errors
/// See [`BindError`].
pub fn bind(host: IpAddr, port: u16, allow_remote: bool) -> Result<Listener, BindError> {
    if RESERVED_PORTS.contains(&port) {
        return Err(BindError::Reserved(port));
    }
    if !host.is_loopback() && !allow_remote {
        return Err(BindError::Remote(host));
    }
    let wanted = SocketAddr::new(host, port);
    open(wanted).map_err(|source| match source.kind() {
        io::ErrorKind::AddrInUse => BindError::Busy(wanted),
        io::ErrorKind::PermissionDenied => BindError::Denied(wanted),
        io::ErrorKind::AddrNotAvailable => BindError::NoSuchAddress(host),
        _ => BindError::System { address: wanted, source },
    })
}

/// A port of 127.0.0.1 for a program that is told where to listen. It was free when it was taken, and nobody gets it from us again before
/// this is dropped; strangers may.
#[derive(Debug)]
pub struct FreePort(u16);

/// Ports that were given and not returned.
static GIVEN: Mutex<BTreeSet<u16>> = Mutex::new(BTreeSet::new());

impl FreePort {
    /// Takes one, none of [`RESERVED_PORTS`].
    ///
    /// # Errors
    /// See [`BindError`].
    pub fn take() -> Result<Self, BindError> {
        // Those that were given already are held while asking again.
        let mut held = Vec::new();
        loop {
            let listener = bind(Ipv4Addr::LOCALHOST.into(), 0, false)?;
            let port = listener.address().port();
            if GIVEN.lock().unwrap_or_else(PoisonError::into_inner).insert(port) {
                return Ok(Self(port));
            }
            held.push(listener);
        }
    }

    /// Its number.
    #[must_use]
    pub fn number(&self) -> u16 {
        self.0
    }
}

impl Drop for FreePort {
    fn drop(&mut self) {
        GIVEN.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.0);
    }
}

#[expect(clippy::disallowed_methods, reason = "this is the one place that opens listening sockets")]
fn open(wanted: SocketAddr) -> io::Result<Listener> {
    // The standard library sets SO_REUSEADDR on Unix; listening a second time only lengthens the queue.
    let socket = TcpListener::bind(wanted)?;
    rustix::net::listen(&socket, BACKLOG)?;
    let address = socket.local_addr()?;
    if RESERVED_PORTS.contains(&address.port()) {
        // The system gave a reserved port for port 0: hold it while asking again.
        let next = open(wanted)?;
        drop(socket);
        return Ok(next);
    }
    Ok(Listener { socket, address })
}
