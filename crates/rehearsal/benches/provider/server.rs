//! A server process under measurement: started, found by its first line, read from /proc, ended by its id.

use crate::bare::Form;
use crate::load::{self, Load, Measured, Size};
use std::io::{BufRead as _, BufReader};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

const SCENARIOS: &str = include_str!("scenarios.json");

/// A running server.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    started: Instant,
    folder: Option<PathBuf>,
}

impl Server {
    /// A bare server that answers as many bytes, where it drips in as many chunks.
    pub(crate) fn bare(form: Form, size: Size) -> Self {
        let word = match form {
            Form::Plain => "plain",
            Form::Dripped => "dripped",
        };
        let mut command = Command::new(std::env::current_exe().expect("this program"));
        command.args(["bare", word, &size.bytes.to_string(), &size.chunks.to_string()]);
        Self::start(command, None)
    }

    /// The stand-in with its journal on.
    pub(crate) fn stand_in() -> Self {
        let folder = new_folder();
        std::fs::write(folder.join("bench.json"), SCENARIOS).expect("a scenario file");
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command
            .args(["serve", "--port", "0", "--scenarios"])
            .arg(folder.join("bench.json"))
            .arg("--data")
            .arg(&folder);
        Self::start(command, Some(folder))
    }

    /// The recording bridge before an upstream, everything recorded, nothing counted.
    pub(crate) fn bridge(upstream: SocketAddr) -> Self {
        let folder = new_folder();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command
            .args(["record", "--upstream", &format!("http://{upstream}"), "--data"])
            .arg(folder.join("data"));
        Self::start(command, Some(folder))
    }

    /// The daemon with its journal on.
    pub(crate) fn daemon() -> Self {
        let folder = new_folder();
        let mut command = Command::new(env!("CARGO_BIN_EXE_rehearsal"));
        command.args(["daemon", "--config-dir"]).arg(&folder).arg("--data").arg(folder.join("data"));
        Self::start(command, Some(folder))
    }

    /// What clients of the daemon must know.
    pub(crate) fn token(&self) -> String {
        let folder = self.folder.as_deref().expect("a folder");
        let token = std::fs::read_to_string(folder.join("daemon/token")).expect("a token");
        token.trim().to_owned()
    }

    /// nginx before an upstream, as it comes but for its log; none where it is not installed.
    pub(crate) fn nginx(upstream: SocketAddr) -> Option<Self> {
        Command::new("nginx").arg("-v").stderr(Stdio::null()).output().ok()?;
        let folder = new_folder();
        let address =
            std::net::TcpListener::bind("127.0.0.1:0").and_then(|one| one.local_addr()).expect("a port");
        let place = folder.display();
        let text = format!(
            "daemon off;\nworker_processes auto;\npid {place}/pid;\nerror_log {place}/error.log;\nevents {{}}\nhttp {{\n\
             access_log off;\nserver {{\nlisten {address};\nlocation / {{ proxy_pass http://{upstream}; }}\n}}\n}}\n"
        );
        std::fs::write(folder.join("nginx.conf"), text).expect("its configuration");
        let child = Command::new("nginx").arg("-c").arg(folder.join("nginx.conf")).spawn().expect("nginx");
        let started = Instant::now();
        while std::net::TcpStream::connect(address).is_err() {
            assert!(started.elapsed() < Duration::from_secs(5), "nginx does not listen");
            std::thread::yield_now();
        }
        Some(Self { child, address, started, folder: Some(folder) })
    }

    fn start(mut command: Command, folder: Option<PathBuf>) -> Self {
        let started = Instant::now();
        let mut child = command.stdout(Stdio::piped()).spawn().expect("a process");
        let mut line = String::new();
        BufReader::new(child.stdout.take().expect("its output"))
            .read_line(&mut line)
            .expect("its first line");
        let address = line
            .split([' ', ',', '"', '/'])
            .find_map(|word| word.trim().parse().ok())
            .unwrap_or_else(|| panic!("no address in the first line: {line:?}"));
        Self { child, address, started, folder }
    }

    /// Runs a load and takes the server's processor time before and after.
    pub(crate) fn measure(&self, load: &Load, time: Duration) -> Measured {
        load::run(self.address, load, Duration::from_millis(300));
        let before = self.cpu_micros();
        let mut measured = load::run(self.address, load, time);
        measured.cpu = self.cpu_micros() - before;
        measured
    }

    /// Milliseconds from exec to the first whole answer.
    pub(crate) fn first_answer(&self, load: &Load) -> f64 {
        load::once(self.address, load);
        self.started.elapsed().as_secs_f64() * 1e3
    }

    /// The size of the body with which the server answers a load.
    pub(crate) fn reply_size(&self, load: &Load) -> Size {
        load::once(self.address, load)
    }

    fn cpu_micros(&self) -> f64 {
        let stat = std::fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("its times");
        let after_name = stat.rsplit(')').next().expect("its fields");
        let field = |n: usize| {
            after_name.split_whitespace().nth(n).and_then(|text| text.parse::<f64>().ok()).expect("a time")
        };
        // utime and stime in ticks of 10 ms; the 14th and 15th field of the line, the 12th and 13th after the name.
        (field(11) + field(12)) * 10_000.0
    }

    /// Resident memory in kB.
    pub(crate) fn memory_kb(&self) -> f64 {
        self.status_kb("VmRSS:")
    }

    fn status_kb(&self, name: &str) -> f64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("its status");
        let line = status.lines().find(|line| line.starts_with(name)).expect("its memory");
        line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("a size")
    }

    /// The most memory that it ever had, in kB.
    pub(crate) fn peak_kb(&self) -> f64 {
        self.status_kb("VmHWM:")
    }

    /// The journal holds a line for each request, and verifies.
    pub(crate) fn check_journal(&self, at_least: u64) {
        let folder = self.folder.as_deref().expect("a journal");
        let output =
            Command::new(env!("CARGO_BIN_EXE_rehearsal")).arg("verify").arg(folder).output().expect("verify");
        let text = String::from_utf8_lossy(&output.stdout);
        assert!(
            output.status.success(),
            "the journal does not verify: {text}{}",
            String::from_utf8_lossy(&output.stderr)
        );
        let requests: u64 = text
            .split_whitespace()
            .zip(text.split_whitespace().skip(1))
            .find(|(_, word)| word.starts_with("request"))
            .and_then(|(number, _)| number.parse().ok())
            .unwrap_or_else(|| panic!("no count of requests in {text:?}"));
        assert!(requests >= at_least, "{at_least} answered, {requests} in the journal");
    }

    /// Segments of the journal on disk.
    pub(crate) fn segments(&self) -> usize {
        fn count(folder: &Path) -> usize {
            std::fs::read_dir(folder)
                .expect("a folder")
                .map(|entry| entry.expect("an entry").path())
                .map(|path| {
                    if path.is_dir() {
                        count(&path)
                    } else {
                        usize::from(path.extension().is_some_and(|e| e == "jsonl"))
                    }
                })
                .sum()
        }
        count(self.folder.as_deref().expect("a journal"))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // nginx ends its workers only where it is asked to.
        let _asked = Command::new("kill").arg(self.child.id().to_string()).output();
        let _gone = self.child.wait();
        if let Some(folder) = &self.folder {
            let _gone = std::fs::remove_dir_all(folder);
        }
    }
}

fn new_folder() -> PathBuf {
    let folder = std::env::temp_dir().join(format!("rehearsal-bench-{}-{}", std::process::id(), unique()));
    std::fs::create_dir(&folder).expect("a folder");
    folder
}

fn unique() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}
