//! The operations of a driver: those of an endpoint over a scripted transport, and a wave whose driver is no endpoint at all.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "the tests look at what lies on the disk and stop at the first surprise"
)]

use rehearsal_driver::Secret;
use rehearsal_driver::book::Book;
use rehearsal_driver::endpoint::budget::Budget;
use rehearsal_driver::endpoint::{Endpoint, Given, Manner, Policy, Prepared, Received, Transport};
use rehearsal_driver::endpoint_driver::{EndpointDriver, Ground, digest_of};
use rehearsal_driver::operations::{Driver, Work};
use rehearsal_driver::policy::Tier;
use rehearsal_driver::probe::run::find;
use rehearsal_driver::probe::{Finding, Kept};
use rehearsal_driver::roles::{Models, Role};
use rehearsal_driver::wave::report::WaveReport;
use rehearsal_driver::wave::run::{self, Job, Plan};
use rehearsal_driver::wave::status::{State, Status};
use rehearsal_driver::worker::format::{self, guard::Limits};
use rehearsal_driver::worker::ownership::{Mode, Protection, Reading, Set};
use rehearsal_driver::worker::proof::bench::Base;
use rehearsal_driver::worker::proof::verification::{Look, Sort, Verification};
use rehearsal_driver::worker::proof::{Bench, Proof};
use rehearsal_driver::worker::report::Report;
use rehearsal_driver::worker::task::{Outcome, Task};
use rehearsal_journal::drive::{Fact, Sent};
use rehearsal_world::dial::DialError;
use rehearsal_world::owned::{self, Tree};
use rehearsal_world::process::Caps;
use rehearsal_world::vault::{Folder, VaultError};
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// A transport that plays these answers, refuses a schema where it is told to, and keeps what it was asked.
#[derive(Clone, Debug, Default)]
struct Scripted(Arc<Mutex<Play>>);

#[derive(Debug, Default)]
struct Play {
    answers: VecDeque<String>,
    refuses_schema: bool,
    asked: Vec<String>,
}

impl Transport for Scripted {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let mut play = self.0.lock().unwrap();
        let asked = String::from_utf8(prepared.body.to_vec()).unwrap();
        let refused = play.refuses_schema && asked.contains("json_schema");
        play.asked.push(asked);
        if refused {
            let error = r#"{"error":{"message":"not supported","param":"response_format","code":"unsupported_parameter"}}"#;
            return Ok(Received { status: 400, body: error.into(), ..Received::default() });
        }
        let body = play.answers.pop_front().ok_or(DialError::BadTarget)?;
        Ok(Received { status: 200, body: body.into_bytes(), ..Received::default() })
    }
}

/// A folder of a test, empty.
fn folder(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join("operations").join(name);
    drop(std::fs::remove_dir_all(&path));
    std::fs::create_dir_all(path.join("tree")).unwrap();
    path
}

fn ground(at: &Path) -> Ground {
    std::fs::write(at.join("tree/a.txt"), "old\n").unwrap();
    let tree = Tree::open(&at.join("tree"), owned::Limits::default()).unwrap();
    Ground { tree, record: Folder::own(&at.join("data")).unwrap() }
}

fn task(owns: &str) -> Task {
    Task {
        prompt: "Make it new.".to_owned(),
        model: "m".to_owned(),
        owns: Set::new(&[(owns, Mode::Edit)], &Protection::default()).unwrap(),
        format: format::find("json_patch").unwrap(),
        reading: Reading::Lenient,
        limits: Limits::default(),
        repairs: 0,
        rounds: 0,
        validate_json: true,
        limit: None,
        temperature: None,
        stream: false,
        known: std::collections::BTreeSet::new(),
    }
}

fn proof(test: &str) -> Proof {
    // The best tier has no review.
    let (tier, measured) = (Tier::measured(1000, 1000), (1000, 1000));
    Proof { test: test.to_owned(), check: None, tier, measured, second_look: true, reviewer: "v".to_owned() }
}

/// A driver in a folder, with these answers of its model.
fn driver(at: &Path, answers: &[&str]) -> (EndpointDriver<Scripted>, Scripted) {
    let given = Given {
        base_url: "https://h.example/v1".to_owned(),
        key_name: "OPENAI_API_KEY".to_owned(),
        key: Some(Secret::new("sk-1")),
        ..Given::default()
    };
    let endpoint = Endpoint::read(&given).unwrap();
    let body = |text: &&str| {
        format!(
            r#"{{"choices":[{{"message":{{"content":{text:?}}},"finish_reason":"stop"}}],"usage":{{"prompt_tokens":90,"completion_tokens":10}}}}"#
        )
    };
    let play = Play { answers: answers.iter().map(body).collect(), ..Play::default() };
    let transport = Scripted(Arc::new(Mutex::new(play)));
    let ground = Arc::new(ground(at));
    let models = Models::new("m", &[(Role::Verify, "v".to_owned())]).unwrap();
    let driver = EndpointDriver {
        known: Kept::nothing(&endpoint, "m"),
        learned: Mutex::default(),
        endpoint,
        manner: Manner { bytes_per_token: None, ..Manner::default() },
        transport: transport.clone(),
        models,
        format: format::find("json_patch").unwrap(),
        budget: Arc::new(Budget::new(None, None)),
        book: Book::open(&ground.record, "a test").unwrap(),
        ground,
        base: None,
    };
    (driver, transport)
}

fn run<T>(future: impl Future<Output = T>) -> T {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

fn bench() -> Bench {
    let caps = Caps { file_mib: 64, cpu_seconds: 60, memory_mib: None, processes: None };
    let path = ("PATH".into(), "/usr/local/bin:/usr/bin:/bin".into());
    Bench { time_limit: Duration::from_secs(60), caps, env: vec![path], without: Vec::new() }
}

const NEW: &str = r#"{"files": [{"path": "a.txt", "contents": "new\n"}], "summary": "s", "done": true}"#;

#[test]
fn an_endpoint_s_driver_does_a_task_and_tells_of_it_before_and_after() {
    let at = folder("task");
    let (driver, transport) = driver(&at, &[NEW]);
    let models: Vec<&str> = Role::ALL.iter().map(|role| driver.resolve_model(*role)).collect();
    assert_eq!(models, ["m", "m", "v"]);
    assert_eq!(driver.tokens_spent(), Some(0));
    assert!(driver.describe().is_ascii() && driver.describe().contains("tier 4"), "{}", driver.describe());
    let base = run(Base::read(&driver.ground.tree, &Protection::default(), &bench())).unwrap();
    let driver = EndpointDriver { base: Some(base), ..driver };
    let commands = [(Sort::Test, "grep -qx old a.txt"), (Sort::Check, "exit 7"), (Sort::Again, "true")];
    let looks = run(driver.run_commands(&commands));
    assert_eq!(looks.iter().map(|look| look.status).collect::<Vec<_>>(), [Some(0), Some(7)]);
    assert_eq!(driver.worker_status("one").state, State::Unknown);

    let work = Work { item: "one".to_owned(), task: task("a.txt"), proof: Some(proof("grep -qx new a.txt")) };
    let report = run(driver.dispatch(work)).unwrap();
    assert_eq!(report.outcome, Outcome::Applied, "{}", report.to_json());
    assert_eq!(report.verification.missing, None);
    assert_eq!(std::fs::read_to_string(at.join("tree/a.txt")).unwrap(), "new\n");
    let status = driver.worker_status("one");
    assert_eq!((status.state, status.detail.as_str()), (State::Done, "1 request, applied, verified"));
    assert_eq!((driver.tokens_spent(), transport.0.lock().unwrap().asked.len()), (Some(100), 1));

    // What fails stays failed, however long ago it was.
    let failing = Work { item: "two".to_owned(), task: task("a.txt"), proof: None };
    let report = run(driver.dispatch(failing)).unwrap();
    assert!(report.error().is_some(), "{}", report.to_json());
    assert_eq!(driver.worker_status("two").state, State::Failed);
}

#[test]
fn what_an_endpoint_refuses_is_sent_once_in_all_work() {
    let (driver, transport) = driver(&folder("learned"), &[NEW, NEW]);
    transport.0.lock().unwrap().refuses_schema = true;
    let work = |item: &str| Work { item: item.to_owned(), task: task("a.txt"), proof: None };
    let steps: Vec<_> = ["one", "two"].map(|item| run(driver.dispatch(work(item))).unwrap().steps).into();
    assert_eq!(steps, [&["dropped_schema"][..], &[]]);
    let asked = &transport.0.lock().unwrap().asked;
    assert_eq!(
        asked.iter().map(|body| body.contains("json_schema")).collect::<Vec<_>>(),
        [true, false, false]
    );
}

#[test]
fn what_is_to_be_proved_is_not_done_where_nothing_can_be_proved() {
    let at = folder("unproved");
    let (driver, transport) = driver(&at, &[NEW]);
    let looks = run(driver.run_commands(&[(Sort::Test, "true")]));
    assert!(looks.len() == 1 && looks[0].trouble.is_some());
    let work = Work { item: "one".to_owned(), task: task("a.txt"), proof: Some(proof("true")) };
    let report = run(driver.dispatch(work)).unwrap();
    assert!(report.error().is_some() && transport.0.lock().unwrap().asked.is_empty(), "{}", report.to_json());
    assert_eq!(std::fs::read_to_string(at.join("tree/a.txt")).unwrap(), "old\n");
}

#[test]
fn a_probe_finds_what_the_transport_shows_and_an_endpoint_that_says_nothing_promises_nothing() {
    let (driver, _) = driver(&folder("probe"), &[]);
    let kept = run(driver.probe());
    assert!(!kept.answers() && kept.url == "https://h.example/v1/chat/completions", "{}", kept.to_json());
    assert_eq!(kept.tier("json_patch").0, Tier::UNMEASURED);
}

/// A transport on which every other request is lost.
#[derive(Clone, Debug, Default)]
struct Lossy(Arc<Mutex<usize>>);

impl Transport for Lossy {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let mut sent = self.0.lock().unwrap();
        // The list of models is looked at once, whatever comes of it.
        *sent += usize::from(prepared.method == "POST");
        if *sent % 2 == 1 {
            return Err(DialError::Reset);
        }
        let body = br#"{"choices":[{"message":{"content":"ready"},"finish_reason":"stop"}]}"#;
        Ok(Received { status: 200, body: body.to_vec(), ..Received::default() })
    }
}

#[test]
fn each_question_of_a_probe_has_attempts_of_its_own() {
    let (driver, _) = driver(&folder("lossy"), &[]);
    let policy = Policy { first_wait: Duration::from_millis(1), ..Policy::default() };
    let manner = Manner { policy, ..driver.manner };
    let kept = run(find(&driver.endpoint, "m", manner, Lossy::default()));
    let told: Vec<&Finding> =
        kept.findings.rows.iter().filter(|row| row.note.starts_with("connect")).collect();
    assert!(kept.answers() && told.is_empty(), "{told:?}");
}

/// A driver without any endpoint: its workers say what the test wants of them.
struct Puppets {
    /// Items whose work is verified.
    good: &'static [&'static str],
    done: Mutex<Vec<String>>,
}

impl Driver for Puppets {
    async fn probe(&self) -> Kept {
        Kept::default()
    }

    async fn dispatch(&self, work: Work) -> Result<Report, VaultError> {
        self.done.lock().unwrap().push(work.item.clone());
        let report = Report { outcome: Outcome::Applied, ..Report::nothing("nowhere") };
        match work.proof.filter(|_| self.good.contains(&work.item.as_str())) {
            Some(proof) => {
                let verification = Verification { missing: None, ..Verification::of(&proof) };
                Ok(Report { verification, ..report })
            }
            None => Ok(report),
        }
    }

    fn worker_status(&self, item: &str) -> Status {
        Status { item: item.to_owned(), state: State::Unknown, age: None, detail: String::new() }
    }

    async fn run_commands(&self, commands: &[(Sort, &str)]) -> Vec<Look> {
        let look = |(sort, command): &(Sort, &str)| Look {
            status: Some(i32::from(*command == "fails later")),
            ..Look::nothing(*sort)
        };
        commands.iter().map(look).collect()
    }

    fn resolve_model(&self, _: Role) -> &str {
        "m"
    }

    fn tokens_spent(&self) -> Option<u64> {
        None
    }

    fn describe(&self) -> String {
        "puppets".to_owned()
    }
}

fn wave(
    name: &str,
    jobs: Vec<Job>,
    good: &'static [&'static str],
    budget: Budget,
) -> (WaveReport, Vec<String>) {
    wave_after(name, &[], jobs, good, budget)
}

/// The same where an earlier process left these facts.
fn wave_after(
    name: &str,
    before: &[Fact],
    jobs: Vec<Job>,
    good: &'static [&'static str],
    budget: Budget,
) -> (WaveReport, Vec<String>) {
    let Ground { tree, record } = ground(&folder(name));
    let book = Book::open(&record, "a test").unwrap();
    for fact in before {
        book.note(fact.clone()).unwrap();
    }
    let puppets = Arc::new(Puppets { good, done: Mutex::default() });
    let tier = (Tier::UNMEASURED, 0, 0);
    let plan = Plan { jobs, at_once: 1, seed: 0, tier, budget: Arc::new(budget) };
    let report = run(run::run(plan, Arc::clone(&puppets), &tree, &book, |_| {})).unwrap();
    let done = puppets.done.lock().unwrap().clone();
    (report, done)
}

fn job(slug: &str, after: &[&str], test: &str) -> Job {
    Job {
        slug: slug.to_owned(),
        after: after.iter().map(|slug| (*slug).to_owned()).collect(),
        task: task(&format!("{slug}.txt")),
        test: Some(test.to_owned()),
        check: None,
    }
}

#[test]
fn a_wave_runs_on_any_driver() {
    let jobs = || {
        vec![job("c", &["b"], "t"), job("b", &["a"], "t"), job("a", &[], "t"), job("d", &[], "fails later")]
    };
    let (report, done) = wave("wave", jobs(), &["a", "b", "c", "d"], Budget::new(None, None));
    assert_eq!(done, ["a", "b", "c", "d"]);
    let stands: Vec<&str> = report.items.iter().map(|(_, stand, _)| stand.name()).collect();
    assert_eq!(stands, ["verified", "verified", "verified", "failed"], "the second look is heard");
    let (report, done) = wave("blocked", jobs(), &["d"], Budget::new(None, None));
    assert_eq!(done, ["a", "d"]);
    let stands: Vec<&str> = report.items.iter().map(|(_, stand, _)| stand.name()).collect();
    assert_eq!(stands, ["blocked", "blocked", "failed", "failed"]);
    let (report, done) = wave("ceiling", jobs(), &["a"], Budget::new(Some(0), None));
    assert_eq!((done.len(), report.stopped.as_deref()), (0, Some("cost_ceiling_exceeded")));
}

#[test]
fn a_ceiling_counts_what_was_spent_on_the_same_work_before_told_or_not_and_nothing_else() {
    let work = digest_of(&job("a", &[], "t").task, Some(&proof("t")));
    let item = || "a".to_owned();
    let started = Fact::Started { item: item(), work, model: "m".to_owned(), unix_ms: 1 };
    let sent = Sent {
        item: item(),
        number: 1,
        class: None,
        status: Some(200),
        wait_ms: 0,
        took_ms: 0,
        bytes_out: 2000,
        bytes_in: 2000,
        prompt_tokens: None,
        completion_tokens: Some(5),
        may_cost: true,
    };
    let before = [started, Fact::Sent(Box::new(sent))];
    let after = |name: &str, test: &str, most: u64| {
        let jobs = vec![job("a", &[], test)];
        let (report, done) = wave_after(name, &before, jobs, &["a"], Budget::new(Some(most), None));
        (report.stopped.is_some(), done.len(), report.spent.prompt)
    };
    assert_eq!(after("spent", "t", 1005), (true, 0, 1000));
    assert_eq!(after("not-spent", "t", 1006), (false, 1, 1000));
    assert_eq!(after("other-work", "another", 1), (false, 1, 0));
}
