//! Listening and shutting down.

use std::net::{IpAddr, Ipv4Addr, TcpStream};
use std::time::Duration;

use rehearsal_testkit::End;
use rehearsal_wire::act::{Act, After, Plan};
use rehearsal_world::http::{Limits, Reply};
use rehearsal_world::listen::{BindError, RESERVED_PORTS, bind};

use crate::stand::{Stand, brief, echo, whole};

const LOCALHOST: IpAddr = IpAddr::V4(Ipv4Addr::LOCALHOST);

#[test]
fn reserved_ports_remote_hosts_and_busy_ports_are_refused_with_advice() {
    for port in RESERVED_PORTS {
        let error = bind(LOCALHOST, port, true).unwrap_err();
        assert!(matches!(error, BindError::Reserved(refused) if refused == port));
        assert!(error.to_string().contains("choose another port"), "{error}");
    }
    let anywhere = IpAddr::V4(Ipv4Addr::UNSPECIFIED);
    assert!(matches!(bind(anywhere, 0, false).unwrap_err(), BindError::Remote(_)));
    assert!(bind(anywhere, 0, true).is_ok());
    let taken = bind(LOCALHOST, 0, false).unwrap();
    assert_ne!(taken.address().port(), 0);
    let error = bind(LOCALHOST, taken.address().port(), false).unwrap_err();
    assert!(matches!(error, BindError::Busy(address) if address == taken.address()), "{error:?}");
    assert!(error.to_string().contains("already in use"), "{error}");
    let nowhere = IpAddr::V4(Ipv4Addr::new(192, 0, 2, 1));
    assert!(matches!(bind(nowhere, 0, true).unwrap_err(), BindError::NoSuchAddress(_)));
}

#[test]
fn a_shutdown_finishes_outstanding_answers_and_ends_idle_connections_and_stalls() {
    let mut stand = Stand::new(|request| match &*request.head.target() {
        "/stall" => (Reply::Acts(Plan { acts: vec![Act::Stall], after: After::Close }), false),
        _ => echo(request),
    });
    let mut idle = stand.client();
    assert_eq!(idle.send("GET /idle HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    let mut stalled = stand.client();
    stalled.send("GET /stall HTTP/1.1\r\nHost: x\r\n\r\n");
    let mut asked = stand.client();
    asked.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
    stand.wait_asked("/stall");
    stand.wait_asked("/gate");
    stand.stop();
    assert_eq!(idle.read_to_end().bytes, b"");
    assert_eq!(stalled.read_to_end().bytes, b"");
    stand.open_gate();
    let seen = asked.read_to_end();
    assert_eq!((seen.body(), seen.end), (&b"GET /gate "[..], End::Eof));
    drop(asked);
    stand.wait_stopped();
    #[expect(clippy::disallowed_methods, reason = "the test looks whether the port is free")]
    let refused = TcpStream::connect(stand.address);
    assert!(refused.is_err());
}

#[test]
fn a_shutdown_does_not_wait_for_ever() {
    let mut stand = Stand::with(brief(), echo);
    let mut client = stand.client();
    client.send("GET /gate HTTP/1.1\r\nHost: x\r\n\r\n");
    stand.wait_asked("/gate");
    stand.stop();
    assert_eq!(client.read_to_end().bytes, b"");
    stand.wait_stopped();
}

#[test]
fn a_shutdown_does_not_wait_for_clients_that_keep_idle_connections() {
    let long = Duration::from_secs(3600);
    let mut stand = Stand::with(Limits { grace: long, drain_time: long, ..Limits::default() }, echo);
    let mut idle = stand.client();
    assert_eq!(idle.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n").reply().status(), 200);
    let mut closed = stand.client();
    closed.send("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    assert_eq!(closed.read_to_end().status(), 200);
    stand.stop();
    stand.wait_stopped();
}

#[test]
fn an_answer_that_closes_says_so_and_closes() {
    let stand = Stand::with(Limits::default(), |_| (whole(200, "bye"), true));
    let mut client = stand.client();
    client.send("GET / HTTP/1.1\r\nHost: x\r\n\r\n");
    let seen = client.read_to_end();
    assert!(seen.text().contains("connection: close\r\n"), "{}", seen.text());
    assert_eq!((seen.body(), seen.end), (&b"bye"[..], End::Eof));
}
