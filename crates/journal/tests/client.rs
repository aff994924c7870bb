//! The normalised form of a journal in which a stand-in for an agent-run daemon stands.

use rehearsal_journal::daemon::{Closed, Decided, Fact, Place, Sum};
use rehearsal_journal::event::{Answered, Asked, End, Event, Kind};
use rehearsal_journal::normal::normalised;

/// What a client makes anew each time, and how often it looks.
struct Varies {
    key: &'static str,
    run: &'static str,
    looks: u64,
    folder: &'static str,
}

const ONE: Varies =
    Varies { key: "f47ac10b-0001", run: "0123456789abcdef", looks: 0, folder: "/one/project" };
const TWO: Varies =
    Varies { key: "a0000000-0002", run: "fedcba9876543210", looks: 3, folder: "/two/project" };

#[derive(Default)]
struct Journal {
    events: Vec<Event>,
    requests: u64,
}

impl Journal {
    fn ask(&mut self, path: &str, mut decided: Decided, facts: Vec<Fact>) {
        self.requests += 1;
        let exchange = self.requests;
        let path = path.to_owned();
        decided.exchange = exchange;
        self.events.push(Event::Asked(Box::new(Asked { exchange, path, ..Asked::of(Kind::Aside) })));
        self.events.push(Event::Daemon(Fact::Decided(decided)));
        self.events.extend(facts.into_iter().map(Event::Daemon));
        let (bytes, sha256) = (exchange * 100, String::new());
        self.events.push(Event::Answered(Answered { exchange, bytes, sha256, end: End::Complete }));
    }
}

fn journal(varies: &Varies) -> Vec<Event> {
    let Varies { key, run, looks, folder } = varies;
    let mut journal = Journal::default();
    let about = |operation: &str| Decided {
        operation: operation.into(),
        run: Some((*run).into()),
        status: 200,
        ..Decided::default()
    };
    let question = format!("int-{}", &run[..8]);
    let sum = || Sum { bytes: folder.len() as u64, sha256: (*folder).to_owned() };
    journal.events.push(Event::Daemon(Fact::Began { unix_ms: *looks, pid: 7, setting: "same".into() }));
    let start = Decided {
        operation: "run.start".into(),
        key: Some((*key).into()),
        digest: Some((*folder).into()),
        status: 200,
        ..Decided::default()
    };
    let started = Fact::RunStarted {
        run: (*run).into(),
        key: (*key).into(),
        script: "ASK".into(),
        prompt: (*folder).into(),
    };
    journal.ask("/v2/runs", start, vec![started]);
    let asked = Fact::QuestionAsked { run: (*run).into(), question: question.clone() };
    journal.ask(&format!("/v2/runs/{run}"), about("run.read"), vec![asked]);
    for _ in 0..*looks {
        journal.ask(&format!("/v2/runs/{run}"), about("run.read"), vec![]);
    }
    let closed =
        Fact::QuestionClosed { run: (*run).into(), question: question.clone(), how: Closed::Answered };
    journal.ask(&format!("/v2/runs/{run}/interactions/{question}/answer"), about("run.answer"), vec![closed]);
    let refused = Fact::WriteRefused { run: (*run).into(), why: format!("{folder}/a is a pipe") };
    let written = Fact::FileWritten {
        run: (*run).into(),
        place: Place::Run,
        path: "final/telemetry.yaml".into(),
        content: sum(),
    };
    let ended = Fact::RunEnded { run: (*run).into(), state: "succeeded".into(), failure: None };
    journal.ask(&format!("/v2/runs/{run}"), about("run.read"), vec![ended, written, refused]);
    let requests = journal.requests;
    journal.events.push(Event::Closed { requests });
    journal.events
}

fn lines(varies: &Varies) -> Vec<String> {
    normalised(&journal(varies), &[(varies.folder, "{project}")])
}

#[test]
fn how_often_a_client_looked_and_what_it_called_things_does_not_show() {
    let one = lines(&ONE);
    assert_eq!(one, lines(&TWO));
    let text = one.join("\n");
    for word in
        ["\"run-1\"", "\"key-1\"", "int-run-1", "/v2/runs/run-1/interactions/int-run-1/answer", "{project}/a"]
    {
        assert!(text.contains(word), "{word}: {text}");
    }
    for gone in [ONE.run, ONE.key, ONE.folder, &ONE.run[..8]] {
        assert!(!text.contains(gone), "{gone}: {text}");
    }
}

#[test]
fn what_a_read_changed_and_a_read_that_failed_show() {
    let one = lines(&ONE);
    let without = |such: fn(&Event) -> bool| {
        let mut events = journal(&ONE);
        events.retain(|event| !such(event));
        normalised(&events, &[(ONE.folder, "{project}")])
    };
    assert_ne!(one, without(|event| matches!(event, Event::Daemon(Fact::RunEnded { .. }))));
    let mut events = journal(&TWO);
    for event in &mut events {
        if let Event::Daemon(Fact::Decided(decided)) = event
            && decided.operation == "run.read"
            && decided.exchange == 4
        {
            decided.broken = Some("garbage".into());
        }
    }
    let broken = normalised(&events, &[(TWO.folder, "{project}")]);
    assert_ne!(one, broken);
    assert!(broken.iter().any(|line| line.contains("garbage")));
}
