//! Programs that serve beside other steps: waited for, asked, ended.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "what goes wrong here is a failed test")]
#![expect(clippy::disallowed_methods, reason = "tests look at the system themselves")]

use rehearsal_lab::{Code, Http, Ready, Service, Start, Stop, http};
use rehearsal_testkit::scratch;
use serde_json::json;
use std::fs;
use std::time::Duration;

/// Far more than any of these needs: only a hang reaches it.
const LONG: Duration = Duration::from_secs(60);

/// Answers the first two with 503, all others with 200 and their path, and `/quit` by ending.
const SERVER: &str = "
import http.server, os, sys
seen = 0
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        global seen
        seen += 1
        body = self.path.encode()
        self.send_response(503 if seen < 3 else 200)
        self.send_header('Content-Length', str(len(body)))
        self.end_headers()
        self.wfile.write(body)
        if self.path == '/quit':
            self.wfile.flush()
            os._exit(6)
open('pid', 'w').write(str(os.getpid()))
assert sys.argv[1] == os.environ['PORT']
http.server.HTTPServer(('127.0.0.1', int(sys.argv[1])), Handler).serve_forever()
";

fn order(name: &str, argv: &[&str], ready: Ready) -> Start {
    let root = scratch(env!("CARGO_TARGET_TMPDIR"), name);
    let folder = root.join("workspace");
    fs::create_dir(&folder).unwrap();
    Start {
        fill: Vec::new(),
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        folder,
        home: root.join("home"),
        inherited: vec![("PATH".to_owned(), std::env::var("PATH").unwrap())],
        env: Vec::new(),
        ready,
        time_limit: LONG,
        grace: LONG,
    }
}

/// A server. Python is needed to build and test this workspace, so that nothing is left out where it is missing.
fn server(name: &str, ready: Ready) -> Start {
    order(name, &["python3", "-c", SERVER, "{port}"], ready)
}

async fn started(order: &Start) -> (Service, rehearsal_lab::Fact) {
    let started = tokio::time::timeout(LONG * 2, Service::start(order)).await;
    started.unwrap_or_else(|_| panic!("it hangs")).unwrap_or_else(|stop| panic!("{stop:?}"))
}

async fn stop_of(order: &Start) -> Stop {
    let started = tokio::time::timeout(LONG * 2, Service::start(order)).await;
    started.unwrap_or_else(|_| panic!("it hangs")).map(|(_, fact)| fact).unwrap_err()
}

async fn get(url: &str) -> Result<rehearsal_lab::Fact, Stop> {
    let order = Http {
        method: "GET".to_owned(),
        url: url.to_owned(),
        headers: Vec::new(),
        body: Vec::new(),
        time_limit: LONG,
        max_body: 1 << 20,
    };
    http(&order).await
}

/// Waits until a process is gone or a zombie.
async fn gone(pid: &str) {
    assert!(!pid.is_empty());
    let dead = async {
        loop {
            let told = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
            let state = String::from_utf8(told.stdout).unwrap();
            if state.trim().is_empty() || state.starts_with('Z') {
                return;
            }
            tokio::task::yield_now().await;
        }
    };
    assert!(tokio::time::timeout(LONG, dead).await.is_ok(), "process {pid} lives on");
}

#[tokio::test]
async fn it_is_waited_for_until_it_answers_and_is_ended_with_its_case() {
    let order = server("answers", Ready::Path("/ready/{port}".to_owned()));
    let (service, fact) = started(&order).await;
    let url = format!("http://127.0.0.1:{}", service.port());
    let expected = json!({"ready": true, "port": service.port(), "url": url});
    assert_eq!(serde_json::Value::from(fact.observed().clone()), expected);
    assert_eq!(fact.volatile(), ["port", "url"]);
    // The third look was the first that was answered with less than 500.
    let answer = get(&format!("{url}/x")).await.unwrap();
    assert_eq!((&answer.observed()["status"], &answer.observed()["body"]), (&json!(200), &json!("/x")));
    let stopped = service.stop().await;
    assert_eq!((stopped.stopped, stopped.signal), (true, Some(15)));
    let log = stopped.stderr.text();
    assert!(
        log.contains(&format!("GET /ready/{} ", order_port(&url))) && log.matches("\" 503 ").count() == 2,
        "{log}"
    );
    gone(&fs::read_to_string(order.folder.join("pid")).unwrap()).await;
}

fn order_port(url: &str) -> &str {
    url.rsplit(':').next().unwrap()
}

#[tokio::test]
async fn a_port_that_takes_connections_is_enough_where_no_path_is_given() {
    let order = server("port", Ready::Port);
    let (service, _) = started(&order).await;
    let (other, _) = started(&Start { folder: order.folder.clone(), ..order.clone() }).await;
    assert_ne!(service.port(), other.port());
    for service in [&service, &other] {
        let answer = get(&format!("http://127.0.0.1:{}/", service.port())).await.unwrap();
        assert_eq!(answer.observed()["status"], 503);
    }
    drop((service.stop().await, other.stop().await));
}

#[tokio::test]
async fn dropping_it_ends_it() {
    let order = server("dropped-service", Ready::Port);
    let (service, _) = started(&order).await;
    let pid = fs::read_to_string(order.folder.join("pid")).unwrap();
    drop(service);
    gone(&pid).await;
}

#[tokio::test]
async fn one_that_ended_by_itself_is_told_so() {
    let order = server("quits", Ready::Path("/".to_owned()));
    let (service, _) = started(&order).await;
    get(&format!("http://127.0.0.1:{}/quit", service.port())).await.unwrap();
    gone(&fs::read_to_string(order.folder.join("pid")).unwrap()).await;
    let ran = service.stop().await;
    assert_eq!((ran.stopped, ran.status), (false, Some(6)));
}

#[tokio::test]
async fn one_that_ends_before_it_serves_is_refused() {
    let Stop::Refused(refusal) =
        stop_of(&order("dies", &["sh", "-c", "echo 'no database' >&2; exit 3"], Ready::Port)).await
    else {
        panic!()
    };
    assert_eq!(refusal.code, Code::Exit);
    assert_eq!(refusal.message, "it served nobody yet when sh ended with status 3: no database");
    let Stop::Refused(refusal) = stop_of(&order("leaves", &["true"], Ready::Path("/".to_owned()))).await
    else {
        panic!()
    };
    assert_eq!(refusal.message, "it served nobody yet when true ended with status 0");
}

#[tokio::test]
async fn one_that_never_serves_is_timed_out_and_gone() {
    let script =
        "trap '' TERM; sleep 1000 & echo $! >pid.part; mv pid.part pid; while :; do read x </dev/null; done";
    let (time_limit, grace) = (Duration::from_secs(2), Duration::from_millis(100));
    let order =
        Start { time_limit, grace, ..order("never", &["sh", "-c", script], Ready::Path("/".to_owned())) };
    assert_eq!(stop_of(&order).await, Stop::TimedOut);
    gone(fs::read_to_string(order.folder.join("pid")).unwrap().trim()).await;
}

#[tokio::test]
async fn what_does_not_start_or_cannot_be_asked_is_told_so() {
    let missing = stop_of(&order("missing-service", &["no-such-program"], Ready::Port)).await;
    assert_eq!(missing, Stop::Failed("there is no program no-such-program".to_owned()));
    for path in ["ready", "", "/a b", "/a\r\nb"] {
        let stop = stop_of(&order("bad-path", &["sleep", "1000"], Ready::Path(path.to_owned()))).await;
        assert!(matches!(&stop, Stop::Refused(refusal) if refusal.code == Code::Input), "{path:?}: {stop:?}");
    }
}
