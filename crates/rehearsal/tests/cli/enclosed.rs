//! Agents in a network of their own: what we serve there is reached, and nothing else is.
#![cfg(target_os = "linux")]

use crate::sandbox::{PATIENCE, Sandbox};
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::enclosed::{self, EnclosedError};
use rehearsal_world::http::{self, Answer, App, Left, Limits, Refusal, Reply, Request};
use rehearsal_world::listen::{self, Listener};
use rehearsal_world::process::{self, Launch, Ran, StartError};
use rehearsal_world::sink::Sink;
use std::io::{Read as _, Write as _};
use std::net::{Ipv4Addr, SocketAddr, TcpStream, ToSocketAddrs as _};
use std::os::linux::net::SocketAddrExt;
use std::os::unix::net::SocketAddr as UnixAddress;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Answers everything.
struct Hello;

impl Hello {
    fn say() -> Answer {
        let head = ResponseHead::new(200);
        Answer { ticket: 0, reply: Reply::Whole { head, body: "served from outside".into() }, close: true }
    }
}

impl App for Hello {
    async fn answer(&self, _: Request) -> Answer {
        Self::say()
    }

    async fn refuse(&self, _: Refusal) -> Answer {
        Self::say()
    }

    fn left(&self, _: u64, _: Left) {}
}

fn own() -> &'static Path {
    Path::new(env!("CARGO_BIN_EXE_rehearsal"))
}

/// Whether the kernel lets us; says so where it does not.
#[expect(clippy::print_stderr, reason = "a test that is not tried says why")]
async fn is_possible() -> bool {
    match enclosed::possible(own()).await {
        Ok(()) => true,
        Err(why) => {
            eprintln!("not tried: {why}");
            false
        }
    }
}

fn launch(sandbox: &Sandbox, argv: &[&str], env: &[(&str, String)]) -> Launch {
    Launch {
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        env: env.iter().map(|(name, value)| (name.into(), value.into())).collect(),
        folder: sandbox.path(""),
        stdin: None,
        time_limit: PATIENCE,
        grace: PATIENCE,
        keep: 1 << 20,
    }
}

/// Runs an agent enclosed; gives the listeners inside to `serve` first.
async fn enclosed_run(
    launch: Launch,
    ports: &[u16],
    serve: impl FnOnce(Vec<Listener>),
) -> Result<Ran, EnclosedError> {
    let mut enclosure = enclosed::prepare(own(), ports)?;
    let launch = enclosure.wrap(launch);
    // Anybody may knock at the socket: they must not get in, nor in the way.
    let name = &launch.argv[launch.argv.iter().position(|word| word == "--socket").unwrap() + 1];
    let address = <UnixAddress as SocketAddrExt>::from_abstract_name(name).unwrap();
    let _stranger = std::os::unix::net::UnixStream::connect_addr(&address).unwrap();
    let running = process::start(&launch)?;
    serve(enclosure.listeners(&running).await?);
    Ok(running.finish().await)
}

const PROBE: &str = "enclosed::the_agent_that_looks_around";

/// Not a test but the agent of one: this program, started again inside.
#[test]
fn the_agent_that_looks_around() {
    let Ok(told) = std::env::var("LOOK_AROUND") else { return };
    let (base, sink) = told.split_once(' ').unwrap();
    let asked = |address: &str, said: &str| {
        let mut stream = TcpStream::connect(address.parse::<SocketAddr>().unwrap()).unwrap();
        stream.write_all(said.as_bytes()).unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer.lines().last().unwrap().to_owned()
    };
    println!("\nbase: {}", asked(base, "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"));
    println!("sink: {}", asked(sink, "CONNECT example.com:443 HTTP/1.1\r\n\r\n"));
    println!("address: {:?}", TcpStream::connect("1.1.1.1:80").unwrap_err().kind());
    println!("name: {}", ("example.com", 80).to_socket_addrs().is_err());
    println!("user: {}", user());
}

fn user() -> String {
    let told = std::process::Command::new("id").arg("-u").output().unwrap();
    String::from_utf8_lossy(&told.stdout).trim().to_owned()
}

#[tokio::test]
async fn an_enclosed_agent_reaches_what_we_serve_and_nothing_else() {
    if !is_possible().await {
        return;
    }
    let sandbox = Sandbox::with(&[]);
    let app = Arc::new(Hello);
    let outside = listen::bind(Ipv4Addr::LOCALHOST.into(), 0, false).unwrap();
    let (base, told) = (outside.address(), Arc::<Mutex<Vec<String>>>::default());
    tokio::spawn(http::serve(outside, Arc::clone(&app), Limits::default(), std::future::pending()));
    let sink = Sink::open(Ipv4Addr::LOCALHOST, |_| {}).unwrap();
    let test = std::env::current_exe().unwrap().display().to_string();
    let env = [("LOOK_AROUND", format!("{base} {}", sink.address())), ("PATH", "/usr/bin:/bin".to_owned())];
    let argv = [test.as_str(), "--exact", PROBE, "--nocapture", "--test-threads=1"];
    let mut inner = None;
    let ports = [base.port(), sink.address().port()];
    let ran = enclosed_run(launch(&sandbox, &argv, &env), &ports, |listeners| {
        let mut listeners = listeners.into_iter();
        let (served, refusing) = (listeners.next().unwrap(), listeners.next().unwrap());
        assert_eq!((served.address(), refusing.address()), (base, sink.address()));
        tokio::spawn(http::serve(served, app, Limits::default(), std::future::pending()));
        let ear = Arc::clone(&told);
        inner = Some(Sink::on(refusing, move |attempt| ear.lock().unwrap().push(attempt.target)).unwrap());
    });
    let ran = ran.await.unwrap();
    let out = ran.stdout.text();
    assert_eq!(ran.status, Some(0), "{out}{}", ran.stderr.text());
    for line in [
        "base: served from outside",
        "sink: Rehearsal lets nothing leave this machine: example.com:443",
        "address: NetworkUnreachable",
        "name: true",
        &format!("user: {}", user()),
    ] {
        assert!(out.lines().any(|said| said == line), "{line} is missing in\n{out}");
    }
    assert_eq!(*told.lock().unwrap(), ["example.com:443"]);
}

#[tokio::test]
async fn an_enclosed_agent_that_cannot_be_started_is_told_as_any_other() {
    if !is_possible().await {
        return;
    }
    let sandbox = Sandbox::with(&[("agent.txt", "no program"), ("ghost", "#!/no/such/interpreter\n")]);
    let made = std::process::Command::new("chmod").arg("+x").arg(sandbox.path("ghost")).status().unwrap();
    assert!(made.success());
    let [text, ghost] = ["agent.txt", "ghost"].map(|name| sandbox.path(name).display().to_string());
    for (program, why) in [
        ("no-such-agent", "there is no program no-such-agent".to_owned()),
        ("./no/agent", "there is no program ./no/agent".to_owned()),
        (&text, format!("{text} is not executable")),
        (&ghost, format!("{ghost} is there, but the interpreter that its first line names is not")),
    ] {
        let launch = launch(&sandbox, &[program], &[("PATH", "/usr/bin:/bin".to_owned())]);
        let refused = enclosed_run(launch, &[], |_| panic!("{program} started")).await;
        let Err(EnclosedError::Start(error)) = refused else { panic!("{program}: {refused:?}") };
        assert_eq!(error.to_string(), why);
    }
    let nowhere = Launch { folder: sandbox.path("nowhere"), ..launch(&sandbox, &["true"], &[]) };
    let refused = enclosed_run(nowhere, &[], |_| {}).await;
    assert!(matches!(refused, Err(EnclosedError::Start(StartError::Folder(_)))), "{refused:?}");
}

#[tokio::test]
async fn agents_in_networks_of_their_own_may_use_the_same_port() {
    if !is_possible().await {
        return;
    }
    let sandbox = Sandbox::with(&[]);
    let script = "read word; echo $word; exit 5";
    let fed = |word: &str| Launch {
        stdin: Some(format!("{word}\n").into_bytes()),
        ..launch(&sandbox, &["/bin/sh", "-c", script], &[])
    };
    let (one, two) =
        tokio::join!(enclosed_run(fed("one"), &[4321], |_| {}), enclosed_run(fed("two"), &[4321], |_| {}));
    for (ran, word) in [(one.unwrap(), "one\n"), (two.unwrap(), "two\n")] {
        assert_eq!((ran.status, ran.stdout.text().as_str()), (Some(5), word));
    }
}
