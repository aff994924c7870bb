//! What goes between inside and outside, over one Unix socket: the listening sockets or a failure out, the word to go on in,
//! and why the agent could not be started, if so. That the socket closes without a word means that it was.

use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::linux::net::SocketAddrExt as _;
use std::os::unix::net::SocketAddr;

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, sendmsg,
};

/// First byte of a message: what it is.
pub(super) const LISTENERS: u8 = b'L';
pub(super) const FAILURE: u8 = b'F';
pub(super) const GO: u8 = b'G';
pub(super) const NOT_STARTED: u8 = b'N';

/// Most listening sockets.
pub(super) const MOST: usize = 8;
/// Longest message.
pub(super) const MESSAGE: usize = 1024;

/// The address of a socket that has a name and no file. It is looked up in the network that one is in, so it must be reached
/// before a new one is made.
pub(super) fn address(name: &str) -> io::Result<SocketAddr> {
    SocketAddr::from_abstract_name(name)
}

/// Sends listening sockets.
pub(super) fn send(socket: impl AsFd, listeners: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    if listeners.len() > MOST || !control.push(SendAncillaryMessage::ScmRights(listeners)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    sendmsg(socket, &[IoSlice::new(&[LISTENERS])], &mut control, SendFlags::NOSIGNAL)?;
    Ok(())
}

/// Receives a message and the sockets that come with it.
pub(super) fn receive(socket: impl AsFd) -> io::Result<(Vec<u8>, Vec<OwnedFd>)> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MOST))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let mut message = vec![0; MESSAGE];
    let got = recvmsg(socket, &mut [IoSliceMut::new(&mut message)], &mut control, RecvFlags::CMSG_CLOEXEC)?;
    message.truncate(got.bytes);
    let mut sockets = Vec::new();
    for part in control.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = part {
            sockets.extend(received);
        }
    }
    Ok((message, sockets))
}
