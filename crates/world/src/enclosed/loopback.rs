//! Switches on the loopback of a fresh network, over netlink: the classic way, an ioctl, would need unsafe code.

use std::io;

use rustix::net::{AddressFamily, RecvFlags, SendFlags, SocketFlags, SocketType, recv, send, socket_with};

/// Index of the loopback in every fresh network.
const INDEX: i32 = 1;

// linux/netlink.h, linux/rtnetlink.h, linux/if.h
const RTM_NEWLINK: u16 = 16;
const NLM_F_REQUEST: u16 = 1;
const NLM_F_ACK: u16 = 4;
const NLMSG_ERROR: u16 = 2;
const IFF_UP: u32 = 1;
/// Length of a header, and where the error number stands in an answer.
const HEADER: usize = 16;

/// Switches it on.
pub(super) fn switch_on() -> io::Result<()> {
    // Without a protocol netlink means NETLINK_ROUTE.
    let socket = socket_with(AddressFamily::NETLINK, SocketType::RAW, SocketFlags::CLOEXEC, None)?;
    send(&socket, &request(), SendFlags::empty())?;
    let mut answer = [0; 512];
    let (length, _) = recv(&socket, &mut answer, RecvFlags::empty())?;
    outcome(&answer[..length])
}

/// "Link 1 is to be up; tell me whether it is." All numbers are in the machine's own order.
fn request() -> Vec<u8> {
    const LENGTH: u32 = 32;
    let mut out = Vec::new();
    out.extend(LENGTH.to_ne_bytes());
    out.extend(RTM_NEWLINK.to_ne_bytes());
    out.extend((NLM_F_REQUEST | NLM_F_ACK).to_ne_bytes());
    // Number of the request; zero for "to the kernel".
    out.extend(1_u32.to_ne_bytes());
    out.extend(0_u32.to_ne_bytes());
    // Any family, any type of link.
    out.extend(0_u32.to_ne_bytes());
    out.extend(INDEX.to_ne_bytes());
    // The flags, and which of them are meant.
    out.extend(IFF_UP.to_ne_bytes());
    out.extend(IFF_UP.to_ne_bytes());
    out
}

fn outcome(answer: &[u8]) -> io::Result<()> {
    let kind = answer.get(4..6).and_then(|two| two.try_into().ok()).map(u16::from_ne_bytes);
    let error = answer.get(HEADER..HEADER + 4).and_then(|four| four.try_into().ok()).map(i32::from_ne_bytes);
    match (kind, error) {
        (Some(NLMSG_ERROR), Some(0)) => Ok(()),
        (Some(NLMSG_ERROR), Some(error)) => Err(io::Error::from_raw_os_error(error.saturating_neg())),
        _ => Err(io::ErrorKind::InvalidData.into()),
    }
}
