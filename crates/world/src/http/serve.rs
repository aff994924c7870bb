//! Accepts connections, bounds their number, and shuts them down in order.

use std::io;
use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use super::closing::{Closing, Stage};
use super::connection;
use super::ledger::Line;
use super::{App, Limits};
use crate::listen::Listener;

/// How long nobody is accepted after the system refused a connection (most often: no descriptors left).
const ACCEPT_PAUSE: Duration = Duration::from_millis(20);

/// How long connections get to notice that they must leave.
const LEAVE_TIME: Duration = Duration::from_secs(1);

/// Serves `app` on `listener` until `shutdown` ends; then nobody is accepted, stalls end, and outstanding answers
/// get [`Limits::grace`] to finish. Call it inside the runtime.
///
/// # Errors
/// Only where the runtime cannot take the socket over. A failed accept is waited out.
pub async fn serve<A: App>(
    listener: Listener,
    app: Arc<A>,
    limits: Limits,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let listener = listener.into_async()?;
    let closing = Arc::new(Closing::default());
    let room = Arc::new(Semaphore::new(limits.connections as usize));
    tokio::select! {
        () = accept_all(&listener, &app, limits, &closing, &room) => {}
        () = shutdown => {}
    }
    drop(listener);
    for (stage, time) in [(Stage::Finish, limits.grace), (Stage::Leave, LEAVE_TIME)] {
        closing.enter(stage);
        if timeout(time, room.acquire_many(limits.connections)).await.is_ok() {
            break;
        }
    }
    Ok(())
}

/// Accepts for ever.
async fn accept_all<A: App>(
    listener: &TcpListener,
    app: &Arc<A>,
    limits: Limits,
    closing: &Arc<Closing>,
    room: &Arc<Semaphore>,
) {
    let mut conn = 0;
    // The semaphore is never closed.
    while let Ok(place) = Arc::clone(room).acquire_owned().await {
        let stream = accept(listener).await;
        conn += 1;
        let line = Line::new(conn, Arc::clone(app), limits);
        let closing = Arc::clone(closing);
        // A panic of the app ends this task and nothing else; the place is given back either way.
        tokio::spawn(async move {
            connection::run(line, stream, &closing).await;
            drop(place);
        });
    }
}

async fn accept(listener: &TcpListener) -> TcpStream {
    loop {
        match listener.accept().await {
            Ok((stream, _)) => {
                // Without it a reply in several writes waits for the client's acknowledgements; nothing worse.
                let _set = stream.set_nodelay(true);
                return stream;
            }
            // The client left before it was accepted.
            Err(error) if error.kind() == io::ErrorKind::ConnectionAborted => {}
            Err(_) => pause().await,
        }
    }
}

#[expect(clippy::disallowed_methods, reason = "no event tells that descriptors are free again")]
async fn pause() {
    tokio::time::sleep(ACCEPT_PAUSE).await;
}
