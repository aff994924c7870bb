//! A real tree, a provider whose answers are given, and what came of a task.

use rehearsal_driver::Secret;
use rehearsal_driver::endpoint::{Asker, Endpoint, Given, Manner, Policy, Prepared, Received, Transport};
use rehearsal_driver::worker::format;
use rehearsal_driver::worker::format::guard::Limits;
use rehearsal_driver::worker::ownership::{Mode, Protection, Reading, Set};
use rehearsal_driver::worker::report::Report;
use rehearsal_driver::worker::task::{Outcome, Task};
use rehearsal_driver::worker::work::work;
use rehearsal_wire::json::write_string;
use rehearsal_world::dial::DialError;
use rehearsal_world::owned::{self, Fate, Tree};
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::VecDeque;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

pub(crate) use Mode::{Create, Edit};

/// The key of all requests.
pub(crate) const KEY: &str = "sk-never-to-be-seen-1";

/// One answer of the provider; what it does besides happens while the model answers.
pub(crate) type Play = Box<dyn FnOnce() -> Result<Received, DialError> + Send>;

/// A provider that plays these in their order, whoever asks, and keeps what it was asked.
#[derive(Clone, Default)]
pub(crate) struct Provider(Arc<Mutex<(VecDeque<Play>, Vec<Asked>)>>);

/// A request as it left.
#[derive(Clone, Debug)]
pub(crate) struct Asked {
    pub(crate) url: String,
    /// Their names.
    pub(crate) headers: Vec<&'static str>,
    pub(crate) body: String,
}

impl Provider {
    pub(crate) fn new(plays: Vec<Play>) -> Self {
        Self(Arc::new(Mutex::new((plays.into(), Vec::new()))))
    }

    pub(crate) fn asked(&self) -> Vec<Asked> {
        self.0.lock().unwrap().1.clone()
    }
}

impl Transport for Provider {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let headers = prepared.headers.iter().map(|(name, _)| *name).collect();
        let url = format!("{}{}", prepared.root, prepared.target);
        let body = String::from_utf8(prepared.body.to_vec()).unwrap();
        let mut inner = self.0.lock().unwrap();
        inner.1.push(Asked { url, headers, body });
        let play = inner.0.pop_front();
        drop(inner);
        // Whoever asks more often than was foreseen is told so in the report.
        play.map_or(Err(DialError::BadTarget), |play| play())
    }
}

/// A text as JSON.
pub(crate) fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(&mut out, text);
    String::from_utf8(out).unwrap()
}

/// An answer in the model's words as JSON has them.
pub(crate) fn message(content: &str, finish: &str, usage: &str) -> Received {
    let body = format!(
        r#"{{"choices":[{{"message":{{"role":"assistant","content":{content}}},"finish_reason":{finish}}}],"usage":{usage}}}"#
    );
    body_of(200, &body)
}

pub(crate) fn body_of(status: u16, body: &str) -> Received {
    let headers = vec![("content-type".to_owned(), b"application/json".to_vec())];
    let wire_bytes = body.len() as u64;
    Received { status, headers, body: body.as_bytes().to_vec(), wire_bytes, ..Received::default() }
}

pub(crate) const USAGE: &str = r#"{"prompt_tokens":100000,"completion_tokens":10,"total_tokens":100010}"#;

pub(crate) fn received(received: Received) -> Play {
    Box::new(move || Ok(received))
}

/// The model says this.
pub(crate) fn says(text: &str) -> Play {
    received(message(&quoted(text), r#""stop""#, USAGE))
}

/// The wire breaks.
pub(crate) fn breaks(error: DialError) -> Play {
    Box::new(move || Err(error))
}

/// A whole answer in the usual format.
pub(crate) fn patch(files: &[(&str, &str)]) -> String {
    let file = |(path, contents): &(&str, &str)| {
        format!(r#"{{"path":{},"contents":{}}}"#, quoted(path), quoted(contents))
    };
    let files: Vec<String> = files.iter().map(file).collect();
    format!(r#"{{"files":[{}],"summary":"s","done":true}}"#, files.join(","))
}

/// A tree and a folder of records, gone with the test.
pub(crate) struct Stand {
    path: PathBuf,
}

/// What came of a task.
pub(crate) struct Done {
    pub(crate) report: Report,
    pub(crate) asked: Vec<Asked>,
}

impl Done {
    /// Outcome and class, `-` where it did not fail.
    pub(crate) fn came(&self) -> (&'static str, &'static str) {
        let class = self.report.error().map_or("-", |failed| failed.class.name());
        (self.report.outcome.name(), class)
    }

    pub(crate) fn json(&self) -> String {
        self.report.to_json()
    }

    /// Applied, and each file in the report as it is on the disk.
    pub(crate) fn is_applied(&self) -> bool {
        matches!(self.report.outcome, Outcome::Applied)
            && self.report.files.iter().all(|file| file.fate == Fate::Applied)
    }
}

impl Stand {
    /// A tree with these files.
    pub(crate) fn with(files: &[(&str, &str)]) -> Self {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("defects-{}-{number}", std::process::id());
        // In memory where the system has a folder for that: waiting for a disk is not what these tests are about.
        let memory = Path::new("/dev/shm").join(format!("rehearsal-{name}"));
        let path = match fs::create_dir(&memory) {
            Ok(()) => memory,
            Err(_) => Path::new(env!("CARGO_TARGET_TMPDIR")).join(name),
        };
        fs::create_dir_all(path.join("tree")).unwrap();
        let stand = Self { path };
        for (name, text) in files {
            stand.write(name, text.as_bytes());
        }
        stand
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    pub(crate) fn at(&self, name: &str) -> PathBuf {
        self.path.join("tree").join(name)
    }

    pub(crate) fn write(&self, name: &str, bytes: &[u8]) {
        let path = self.at(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.at(name)).unwrap()
    }

    pub(crate) fn holds(&self, name: &str, text: &str) {
        assert_eq!(String::from_utf8_lossy(&self.read(name)), text, "{name}");
    }

    pub(crate) fn tree(&self) -> Tree {
        Tree::open(&self.at(""), owned::Limits::default()).unwrap()
    }

    /// The folder of records. Between fork and exec of a process that another test starts, that process holds its lock, too.
    pub(crate) fn records(&self) -> Folder {
        loop {
            match Folder::own(&self.path.join("records")) {
                Err(VaultError::InUse(_)) => std::thread::yield_now(),
                owned => return owned.unwrap(),
            }
        }
    }

    /// A task with these files, whose answers come so.
    pub(crate) fn work(&self, owns: &[(&str, Mode)], plays: Vec<Play>) -> Done {
        self.work_as(task(owns), manner(), plays)
    }

    pub(crate) fn work_as(&self, task: Task, manner: Manner, plays: Vec<Play>) -> Done {
        let provider = Provider::new(plays);
        let mut asker = Asker::over(endpoint("https://models.example/v1"), manner, provider.clone());
        let (tree, records) = (self.tree(), self.records());
        let report = run(work(task, None, &tree, &records, &mut asker));
        let done = Done { report, asked: provider.asked() };
        assert!(!done.json().contains(KEY), "no field holds the key: {}", done.json());
        done
    }
}

impl Drop for Stand {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            drop(fs::remove_dir_all(&self.path));
        }
    }
}

pub(crate) fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

pub(crate) fn given(base_url: &str) -> Given {
    Given {
        base_url: base_url.to_owned(),
        key_name: "OPENAI_API_KEY".to_owned(),
        key: Some(Secret::new(KEY)),
        ..Given::default()
    }
}

pub(crate) fn endpoint(base_url: &str) -> Endpoint {
    Endpoint::read(&given(base_url)).unwrap()
}

/// Two further tries of what breaks, at once.
pub(crate) fn manner() -> Manner {
    let policy = Policy { first_wait: Duration::from_micros(1), ..Policy::default() };
    Manner { policy, ..Manner::default() }
}

/// A task as the command line makes it.
pub(crate) fn task(owns: &[(&str, Mode)]) -> Task {
    Task {
        prompt: "Do it.".to_owned(),
        model: "m".to_owned(),
        owns: Set::new(owns, &Protection::default()).unwrap(),
        format: format::find("json_patch").unwrap(),
        reading: Reading::Lenient,
        limits: Limits::default(),
        repairs: 2,
        rounds: 0,
        validate_json: true,
        limit: None,
        temperature: None,
        stream: false,
        known: std::collections::BTreeSet::new(),
    }
}
