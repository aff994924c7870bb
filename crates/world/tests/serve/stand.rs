//! A served app that answers by target and remembers all that it was told.
#![expect(clippy::expect_used, reason = "what goes wrong here is a failed test")]
#![expect(clippy::disallowed_methods, reason = "a test has its own deadlines")]

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex};
use std::time::{Duration, Instant};

use rehearsal_testkit::RawClient;
use rehearsal_testkit::raw_client::PATIENCE;
use rehearsal_wire::head::ResponseHead;
use rehearsal_world::http::{Answer, App, Left, Limits, Refusal, Reply, Request, Why, serve};
use rehearsal_world::listen;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, oneshot};

/// What the app was told, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Told {
    Asked { conn: u64, method: String, target: String, body: Vec<u8> },
    Refused { conn: u64, status: u16, why: Why, target: Option<String>, partial: Vec<u8>, body: Vec<u8> },
    Left(u64, Left),
}

/// How the app answers.
pub(crate) type Script = Box<dyn Fn(&Request) -> (Reply, bool) + Send + Sync>;

pub(crate) struct Stand {
    pub(crate) address: SocketAddr,
    app: Arc<Scripted>,
    stop: Option<oneshot::Sender<()>>,
    stopped: std::sync::mpsc::Receiver<()>,
    _runtime: Runtime,
}

struct Scripted {
    script: Script,
    tickets: AtomicU64,
    told: Mutex<Vec<Told>>,
    more: Condvar,
    gate: Notify,
}

impl Scripted {
    fn tell(&self, told: Told) {
        self.told.lock().expect("no test panics here").push(told);
        self.more.notify_all();
    }

    fn ticket(&self) -> u64 {
        self.tickets.fetch_add(1, Ordering::SeqCst) + 1
    }
}

impl App for Scripted {
    async fn answer(&self, request: Request) -> Answer {
        self.tell(Told::Asked {
            conn: request.conn,
            method: request.head.method().into_owned(),
            target: request.head.target().into_owned(),
            body: request.body.to_vec(),
        });
        match &*request.head.target() {
            "/gate" => self.gate.notified().await,
            "/panic" => panic!("the app panics, as the test wants"),
            _ => {}
        }
        let (reply, close) = (self.script)(&request);
        Answer { ticket: self.ticket(), reply, close }
    }

    async fn refuse(&self, refusal: Refusal) -> Answer {
        let Refusal { conn, status, why, head, partial, body } = refusal;
        let target = head.map(|head| head.target().into_owned());
        self.tell(Told::Refused { conn, status, why, target, partial, body: body.to_vec() });
        Answer { ticket: self.ticket(), reply: whole(status, why.to_string()), close: true }
    }

    fn left(&self, ticket: u64, left: Left) {
        self.tell(Told::Left(ticket, left));
    }
}

/// A small reply.
pub(crate) fn whole(status: u16, body: impl Into<Vec<u8>>) -> Reply {
    let head = ResponseHead::new(status).with("content-type", "text/plain");
    Reply::Whole { head, body: body.into() }
}

/// Says back method, target and body.
pub(crate) fn echo(request: &Request) -> (Reply, bool) {
    let mut body = format!("{} {} ", request.head.method(), request.head.target()).into_bytes();
    body.extend_from_slice(&request.body);
    (whole(200, body), false)
}

/// Limits of a size that a test can wait for.
pub(crate) fn brief() -> Limits {
    Limits {
        head: 16 * 1024,
        body: 1024 * 1024,
        head_time: Duration::from_millis(300),
        body_time: Duration::from_millis(300),
        idle_time: Duration::from_millis(300),
        write_time: Duration::from_millis(300),
        grace: Duration::from_millis(500),
        ..Limits::default()
    }
}

impl Stand {
    pub(crate) fn new(script: impl Fn(&Request) -> (Reply, bool) + Send + Sync + 'static) -> Self {
        Self::with(Limits::default(), script)
    }

    pub(crate) fn with(
        limits: Limits,
        script: impl Fn(&Request) -> (Reply, bool) + Send + Sync + 'static,
    ) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .expect("a runtime");
        let listener = listen::bind(IpAddr::V4(Ipv4Addr::LOCALHOST), 0, false).expect("a free port");
        let address = listener.address();
        let app = Arc::new(Scripted {
            script: Box::new(script),
            tickets: AtomicU64::new(0),
            told: Mutex::default(),
            more: Condvar::new(),
            gate: Notify::new(),
        });
        let (stop, stop_wanted) = oneshot::channel::<()>();
        let (done, stopped) = std::sync::mpsc::channel();
        let served = Arc::clone(&app);
        runtime.spawn(async move {
            let wanted = async {
                let _dropped = stop_wanted.await;
            };
            serve(listener, served, limits, wanted).await.expect("the runtime takes the socket");
            let _gone = done.send(());
        });
        Self { address, app, stop: Some(stop), stopped, _runtime: runtime }
    }

    pub(crate) fn client(&self) -> RawClient {
        RawClient::connect(self.address)
    }

    /// Lets one request to `/gate` go on.
    pub(crate) fn open_gate(&self) {
        self.app.gate.notify_one();
    }

    /// Asks the server to stop.
    pub(crate) fn stop(&mut self) {
        self.stop.take().expect("stopped once").send(()).expect("the server runs");
    }

    /// Waits until it has.
    pub(crate) fn wait_stopped(&self) {
        self.stopped.recv_timeout(PATIENCE).expect("the server stops");
    }

    pub(crate) fn told(&self) -> Vec<Told> {
        self.app.told.lock().expect("no test panics here").clone()
    }

    /// Waits until something that was told fits, and returns what `pick` makes of it.
    pub(crate) fn wait<T>(&self, pick: impl Fn(&Told) -> Option<T>) -> T {
        let until = Instant::now() + PATIENCE;
        let mut told = self.app.told.lock().expect("no test panics here");
        loop {
            if let Some(found) = told.iter().find_map(&pick) {
                return found;
            }
            let time = until.saturating_duration_since(Instant::now());
            assert!(!time.is_zero(), "never told; only: {told:?}");
            told = self.app.more.wait_timeout(told, time).expect("no test panics here").0;
        }
    }

    pub(crate) fn wait_asked(&self, wanted: &str) {
        self.wait(|told| matches!(told, Told::Asked { target, .. } if target == wanted).then_some(()));
    }

    pub(crate) fn wait_left(&self, wanted: u64) -> Left {
        self.wait(|told| match told {
            Told::Left(ticket, left) if *ticket == wanted => Some(*left),
            _ => None,
        })
    }

    pub(crate) fn refusals(&self) -> Vec<Why> {
        let why = |told| match told {
            Told::Refused { why, .. } => Some(why),
            Told::Asked { .. } | Told::Left(..) => None,
        };
        self.told().into_iter().filter_map(why).collect()
    }
}
