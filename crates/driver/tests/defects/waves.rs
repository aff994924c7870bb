//! D08 and D27 to D29: waves. What a policy says has an effect, and who works side by side does not get in each other's way.

use crate::judging::{APPROVED, bench};
use crate::stand::*;
use rehearsal_driver::book::{Book, facts};
use rehearsal_driver::endpoint::budget::Budget;
use rehearsal_driver::endpoint::{Asker, Prepared, Received, Transport};
use rehearsal_driver::endpoint_driver::{EndpointDriver, Ground};
use rehearsal_driver::policy::Tier;
use rehearsal_driver::probe::Kept;
use rehearsal_driver::roles::{Models, Role};
use rehearsal_driver::wave::Stand as Stands;
use rehearsal_driver::wave::past::History;
use rehearsal_driver::wave::report::WaveReport;
use rehearsal_driver::wave::run as waves;
use rehearsal_driver::wave::run::{Job, Plan};
use rehearsal_driver::wave::status::{State, statuses};
use rehearsal_driver::worker::format;
use rehearsal_driver::worker::ownership::Protection;
use rehearsal_driver::worker::proof::bench::Base;
use rehearsal_driver::worker::task::Task;
use rehearsal_driver::worker::work::work;
use rehearsal_journal::drive::Fact;
use rehearsal_world::dial::DialError;
use rehearsal_world::record::{Name, read_journal};
use std::collections::BTreeSet;
use std::sync::{Arc, Barrier, Mutex};
use std::time::Duration;

/// A provider that answers each item by its own rule, however many ask at once.
#[derive(Clone)]
struct ByItem {
    answer: fn(&str) -> String,
    bodies: Arc<Mutex<Vec<String>>>,
}

impl Transport for ByItem {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let body = String::from_utf8(prepared.body.to_vec()).unwrap();
        let text = if body.contains("ReviewVerdict") { APPROVED.to_owned() } else { (self.answer)(&body) };
        self.bodies.lock().unwrap().push(body);
        // Others may come in between.
        std::thread::yield_now();
        let usage = r#"{"prompt_tokens":100000,"completion_tokens":7}"#;
        Ok(message(&quoted(&text), r#""stop""#, usage))
    }
}

/// The item that a request is of: its own file's name.
fn item(body: &str) -> String {
    let (_, rest) = body.split_once("Write item-").unwrap();
    rest.chars().take_while(char::is_ascii_alphanumeric).collect()
}

fn job(slug: &str, test: &str) -> Job {
    let path = format!("{slug}.txt");
    let task = Task { prompt: format!("Write {slug}."), rounds: u32::MAX, ..task(&[(&path, Create)]) };
    Job { slug: slug.to_owned(), after: Vec::new(), task, test: Some(test.to_owned()), check: None }
}

struct Ran {
    report: WaveReport,
    bodies: Vec<String>,
    facts: Vec<Fact>,
}

fn wave(stand: &Stand, jobs: Vec<Job>, tier: u8, at_once: usize, answer: fn(&str) -> String) -> Ran {
    let provider = ByItem { answer, bodies: Arc::default() };
    let budget = Arc::new(Budget::new(None, None));
    let tier = (Tier::of(tier).unwrap(), 0, 0);
    let plan = Plan { jobs, at_once, seed: 1, tier, budget: Arc::clone(&budget) };
    let ground = Arc::new(Ground { tree: stand.tree(), record: stand.records() });
    let book = Book::open(&ground.record, "test").unwrap();
    let endpoint = endpoint("https://models.example/v1");
    let driver = EndpointDriver {
        known: Kept::nothing(&endpoint, "m"),
        learned: Mutex::default(),
        endpoint,
        manner: manner(),
        transport: provider.clone(),
        models: Models::new("m", &[(Role::Verify, "judge".to_owned())]).unwrap(),
        format: format::find("json_patch").unwrap(),
        budget,
        ground: Arc::clone(&ground),
        book: book.clone(),
        base: None,
    };
    let working = async {
        let base = Base::read(&ground.tree, &Protection::default(), &bench(Duration::from_secs(60))).await;
        let driver = Arc::new(EndpointDriver { base: Some(base.unwrap()), ..driver });
        waves::run(plan, driver, &ground.tree, &book, |_| {}).await
    };
    let report = rehearsal_world::task::run(working).unwrap().unwrap();
    let journal = read_journal(&stand.path().join("records"), &Name::Journal).unwrap();
    let bodies = provider.bodies.lock().unwrap().clone();
    Ran { report, bodies, facts: facts(journal.events) }
}

fn good(body: &str) -> String {
    let item = item(body);
    patch(&[(&format!("item-{item}.txt"), &format!("{item}\n"))])
}

fn jobs(count: usize) -> Vec<Job> {
    (0..count).map(|at| job(&format!("item-{at}"), &format!("grep -qx {at} item-{at}.txt"))).collect()
}

/// Review, sampling and validation were numbers that nothing read; what was to be reviewed was shipped without.
#[test]
fn d08_each_number_of_a_policy_changes_what_is_done() {
    for (tier, reviews, again) in [(1, 0, 1), (2, 10, 5), (3, 10, 10), (4, 10, 10)] {
        let stand = Stand::with(&[]);
        let ran = wave(&stand, jobs(10), tier, 4, good);
        assert!(
            ran.report.items.iter().all(|(_, stand, _)| *stand == Stands::Verified),
            "{}",
            ran.report.to_json()
        );
        assert_eq!(
            ran.bodies.iter().filter(|body| body.contains("ReviewVerdict")).count(),
            reviews,
            "tier {tier}"
        );
        let looked = ran.report.items.iter().filter(|(_, _, item)| !item.again.is_empty()).count();
        assert_eq!(looked, again, "tier {tier}");
    }
    // Rounds of repair: an answer that never passes, each time another one.
    for (tier, asked) in [(1, 2), (2, 3), (3, 3), (4, 4)] {
        let stand = Stand::with(&[]);
        let other = |body: &str| patch(&[("item-0.txt", &format!("try of {} bytes\n", body.len()))]);
        let ran = wave(&stand, jobs(1), tier, 1, other);
        assert_eq!((ran.bodies.len(), ran.report.items[0].1), (asked, Stands::Failed), "tier {tier}");
        assert!(!stand.at("item-0.txt").exists(), "what is not verified is not shipped");
    }
    // JSON is looked at from tier 2 on.
    for (tier, stands) in [(1, Stands::Verified), (2, Stands::Failed)] {
        let stand = Stand::with(&[]);
        let path = "a.json";
        let task = Task { prompt: "Write item-0.".to_owned(), repairs: 0, ..task(&[(path, Create)]) };
        let job = Job { task, ..job("item-0", "true") };
        let ran = wave(&stand, vec![job], tier, 1, |_| patch(&[("a.json", "{'a': 1}\n")]));
        assert_eq!(ran.report.items[0].1, stands, "tier {tier}");
    }
}

/// A worker's id was the clock's milliseconds: five of one moment had the same, and each came back after 1,000 s.
#[test]
fn d27_each_request_of_many_at_once_has_a_name_of_its_own() {
    let stand = Stand::with(&[]);
    let ran = wave(&stand, jobs(32), 1, 32, good);
    let sent: Vec<(String, u32)> = ran
        .facts
        .iter()
        .filter_map(|fact| match fact {
            Fact::Sending { item, number } => Some((item.clone(), *number)),
            _ => None,
        })
        .collect();
    assert_eq!((sent.len(), sent.iter().collect::<BTreeSet<_>>().len()), (32, 32));
    // And each wrote what it was told, beside all others.
    assert!(
        ran.report.items.iter().all(|(_, stand, _)| *stand == Stands::Verified),
        "{}",
        ran.report.to_json()
    );
    for at in 0..32 {
        stand.holds(&format!("item-{at}.txt"), &format!("{at}\n"));
    }
    assert_eq!(std::fs::read_dir(stand.at("")).unwrap().count(), 32, "no temporary file is left");
}

/// A worker that had failed ran for ever, and was called stalled later.
#[test]
fn d28_what_is_over_stays_over_however_long_ago_it_was() {
    let stand = Stand::with(&[]);
    let answer = |body: &str| if item(body) == "1" { "no".to_owned() } else { good(body) };
    let ran = wave(&stand, jobs(3), 1, 3, answer);
    let history = History::of(&ran.facts);
    let day = Duration::from_secs(86_400);
    for (alive, quiet) in [(true, Duration::ZERO), (true, day), (false, Duration::ZERO), (false, day)] {
        let states: Vec<State> = statuses(&history, alive, quiet, Duration::from_secs(1), u64::MAX >> 1)
            .iter()
            .map(|status| status.state)
            .collect();
        assert_eq!(states, [State::Done, State::Failed, State::Done], "alive {alive}");
    }
    // One that is not over is told apart by whether its process lives and says something.
    let unfinished: Vec<Fact> =
        ran.facts.iter().filter(|fact| !matches!(fact, Fact::Ended(_))).cloned().collect();
    let history = History::of(&unfinished);
    for (alive, quiet, state) in
        [(true, Duration::ZERO, State::Running), (true, day, State::Stalled), (false, day, State::Failed)]
    {
        let states = statuses(&history, alive, quiet, Duration::from_secs(60), 0);
        assert!(states.iter().all(|status| status.state == state), "{states:?}");
    }
}

/// Eight threads added to one counter and one table without a lock.
#[test]
fn d29_what_eight_workers_spent_at_once_is_the_sum_of_what_each_of_them_did() {
    for _ in 0..4 {
        let stand = Stand::with(&[]);
        let ran = wave(&stand, jobs(24), 2, 8, good);
        let own: Vec<(u64, u64)> = ran
            .report
            .items
            .iter()
            .map(|(_, _, item)| {
                let spent = item.report.as_ref().unwrap().spent.unwrap();
                (spent.prompt, spent.completion)
            })
            .collect();
        assert!(own.iter().all(|own| *own == (200_000, 14)), "one answer and one review each: {own:?}");
        let spent = ran.report.spent;
        assert_eq!((spent.prompt, spent.completion), (24 * 200_000, 24 * 14));
        let told = History::of(&ran.facts).spent;
        assert!(
            told.len() == 24 && told.values().all(|spent| (spent.prompt, spent.completion) == own[0]),
            "the journal says the same: {told:?}"
        );
        assert_eq!(ran.bodies.len(), 48);
    }
}

/// The folder of records has room for one commit: the second of two that came at once was refused, and its answer lost.
#[test]
fn d29_workers_that_are_answered_at_the_same_moment_all_write() {
    let contents = "x = 1\n".repeat(30_000);
    for _ in 0..8 {
        let stand = Stand::with(&[]);
        let (tree, records, gate) = (stand.tree(), stand.records(), Barrier::new(4));
        std::thread::scope(|scope| {
            for at in 0..4 {
                let path = format!("{at}.py");
                let (gate, tree, records, contents) = (&gate, &tree, &records, &contents);
                scope.spawn(move || {
                    let text = patch(&[(&path, contents)]);
                    let usage = r#"{"prompt_tokens":100000,"completion_tokens":1000000}"#;
                    let plays = vec![received(message(&quoted(&text), r#""stop""#, usage))];
                    let transport = Gated { provider: Provider::new(plays), gate };
                    let mut asker = Asker::over(endpoint("https://models.example/v1"), manner(), transport);
                    let report = run(work(task(&[(&path, Create)]), None, tree, records, &mut asker));
                    assert_eq!(report.outcome.name(), "applied", "{}", report.to_json());
                });
            }
        });
        (0..4).for_each(|at| stand.holds(&format!("{at}.py"), &contents));
    }
}

/// Answers when all others answer.
struct Gated<'g> {
    provider: Provider,
    gate: &'g Barrier,
}

impl Transport for Gated<'_> {
    async fn send(&self, prepared: Prepared<'_>) -> Result<Received, DialError> {
        let answer = self.provider.send(prepared).await;
        self.gate.wait();
        answer
    }
}
