//! `kill -9` of `drive` at random moments: over the whole time of a run, and close to the moment at which files are written.
//!
//! REHEARSAL_TEST_KILLS sets how often (100), REHEARSAL_TEST_SEED repeats the moments of a run that failed.

#![expect(clippy::print_stdout, reason = "a test that kills says by which seed it does, and how often")]

mod task;
mod wave;

use rehearsal_testkit::dice::{Dice, kills};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// How often is killed, and by which seed.
fn rounds() -> (u64, u64, Dice) {
    let dice = Dice::thrown();
    println!("REHEARSAL_TEST_SEED={}", dice.seed());
    (kills(100), dice.seed(), dice)
}

/// Starts a program, and kills it after a while that begins when `begun` returns.
fn killed(command: &mut Command, begun: impl FnOnce(), moment: Duration) {
    let mut child = command.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    begun();
    std::thread::park_timeout(moment);
    child.kill().unwrap();
    child.wait().unwrap();
}

/// What a provider says to a body.
type Answer = Box<dyn Fn(&str) -> String + Send + Sync>;

/// A provider that many may ask at once, and that lives as long as the test's process.
struct Provider {
    address: SocketAddr,
    /// All bodies, as they came.
    asked: Arc<Mutex<Vec<String>>>,
    /// A word for each answer that left.
    answered: Receiver<()>,
}

impl Provider {
    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let (asked, answer) = (Arc::<Mutex<Vec<String>>>::default(), Arc::new(answer));
        let (said, answered) = channel();
        let heard = Arc::clone(&asked);
        std::thread::spawn(move || {
            for socket in listener.incoming().map_while(Result::ok) {
                let (heard, answer, said) = (Arc::clone(&heard), Arc::clone(&answer), said.clone());
                std::thread::spawn(move || serve(socket, &heard, &answer, &said));
            }
        });
        Self { address, asked, answered }
    }

    fn url(&self) -> String {
        format!("http://{}/v1", self.address)
    }

    fn count(&self, is: impl Fn(&str) -> bool) -> usize {
        self.asked.lock().unwrap().iter().filter(|body| is(body)).count()
    }
}

/// One request of one connection; whoever asked may be gone at any moment.
fn serve(
    mut socket: TcpStream,
    heard: &Mutex<Vec<String>>,
    answer: &Answer,
    said: &Sender<()>,
) -> Option<()> {
    let (mut head, mut byte) = (Vec::new(), [0]);
    while !head.ends_with(b"\r\n\r\n") {
        socket.read_exact(&mut byte).ok()?;
        head.push(byte[0]);
    }
    let head = String::from_utf8(head).ok()?.to_ascii_lowercase();
    let length = head.split("content-length: ").nth(1)?.lines().next()?.parse().ok()?;
    let mut body = vec![0; length];
    socket.read_exact(&mut body).ok()?;
    let body = String::from_utf8(body).ok()?;
    let text = answer(&body);
    heard.lock().ok()?.push(body);
    let message = json!({"choices": [{"message": {"role": "assistant", "content": text}, "finish_reason": "stop"}],
                         "usage": {"prompt_tokens": 100_000, "completion_tokens": 10}});
    let message = message.to_string();
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n",
        message.len()
    );
    socket.write_all((head + &message).as_bytes()).ok()?;
    said.send(()).ok()
}
