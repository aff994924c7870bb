//! The recorder: nothing acknowledged is lost, nothing secret is kept, what is written verifies.
#![expect(clippy::disallowed_methods, reason = "tests look at the files themselves")]

mod scratch;

use bytes::Bytes;
use rehearsal_journal::event::{Answered, Asked, BadJson, End, Event, Kind, Noted, Rejected};
use rehearsal_wire::follow::{Follower, RequestHead};
use rehearsal_world::clock::Clock;
use rehearsal_world::record::{
    CheckError, Name, RecordError, Recorder, SEGMENT_BYTES, Settings, StubLog, read_journal, read_journals,
    verify_journals,
};
use scratch::Scratch;
use std::path::Path;
use std::sync::Arc;

fn settings(folder: &Path) -> Settings {
    Settings {
        folder: folder.to_owned(),
        name: Name::Journal,
        run: "20261129-201500-a1b2c3".to_owned(),
        case: None,
        seed: 7,
        program: "rehearsal 0.1.0".to_owned(),
        segment_bytes: SEGMENT_BYTES,
        keep: None,
    }
}

fn open(settings: Settings) -> Recorder {
    Recorder::open(settings, Clock::start(), None).unwrap_or_else(|error| panic!("{error}"))
}

fn asked(kind: Kind) -> Box<Asked> {
    Box::new(Asked { conn: 1, n_messages: 1, http_status: Some(200), ..Asked::of(kind) })
}

fn answered(exchange: u64) -> Answered {
    Answered { exchange, bytes: 10, sha256: "a".repeat(64), end: End::Complete }
}

async fn ask(recorder: &Recorder, kind: Kind, body: &str) -> u64 {
    let ticket = recorder.asked(asked(kind), Some(head()), Bytes::copy_from_slice(body.as_bytes()));
    recorder.commit(ticket).await.unwrap_or_else(|error| panic!("{error}"));
    ticket.exchange
}

/// A head with a secret in its target and one in its headers.
fn head() -> RequestHead {
    let mut follower = Follower::new(1 << 16);
    follower.feed(
        b"POST /v1/chat/completions?api_key=sk-secret HTTP/1.1\r\nHost: 127.0.0.1\r\n\
          Authorization: Bearer sk-secret\r\naccept: */*\r\n\r\n",
    );
    follower.next_head().unwrap_or_else(|| panic!("a whole head"))
}

fn all_asked(events: &[Event]) -> Vec<&Asked> {
    events
        .iter()
        .filter_map(|event| match event {
            Event::Asked(asked) => Some(&**asked),
            _ => None,
        })
        .collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn many_at_once_make_one_gapless_chain_and_what_is_committed_is_in_the_file() {
    let scratch = Scratch::new("many");
    let folder = scratch.path().join("journal");
    let recorder = Arc::new(open(Settings { segment_bytes: 100_000, ..settings(&folder) }));
    recorder.keep_fresh();
    let mut tasks = tokio::task::JoinSet::new();
    for task in 0..32 {
        let (recorder, folder) = (Arc::clone(&recorder), folder.clone());
        tasks.spawn(async move {
            for turn in 0..40 {
                // Long bodies go another way than short ones; both are taken at once here.
                let long = "x".repeat(if turn % 2 == 0 { 10 } else { 6000 });
                let body = format!("{{\"say\":\"{long}\",\"n\":\"{task}-{turn}\"}}");
                let exchange = ask(&recorder, Kind::Scenario, &body).await;
                recorder.answered(answered(exchange));
                if turn == 20 {
                    let line = format!("\"event\":\"asked\",\"exchange\":{exchange},");
                    let mut files = std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path());
                    assert!(files.any(|file| {
                        file.extension().is_some_and(|end| end == "jsonl")
                            && std::fs::read_to_string(file).unwrap().contains(&line)
                    }));
                }
            }
        });
    }
    tasks.join_all().await;
    let head = recorder.close().unwrap();
    assert_eq!(head.requests, 32 * 40);
    assert!(head.segments > 1);
    let journals = read_journals(&folder).unwrap();
    let [journal] = &journals[..] else { panic!("one journal, not {}", journals.len()) };
    assert_eq!((journal.verified.lines, &journal.verified.head), (head.lines, &head.sum));
    assert!(journal.verified.closed);
    let exchanges: Vec<u64> = all_asked(&journal.events).iter().map(|asked| asked.exchange).collect();
    assert_eq!(exchanges, (1..=32 * 40).collect::<Vec<u64>>());
}

#[tokio::test]
async fn secrets_are_masked_equal_headers_left_out_and_equal_bodies_called_attempts() {
    let scratch = Scratch::new("secrets");
    let recorder = open(settings(scratch.path()));
    for (kind, body) in [
        (Kind::Scenario, "one"),
        (Kind::Scenario, "one"),
        (Kind::Background, "title"),
        (Kind::Scenario, "one"),
        (Kind::Scenario, "two"),
        (Kind::Scenario, "one"),
        (Kind::Background, "one"),
        (Kind::Aside, ""),
        (Kind::WrongPath, ""),
        (Kind::WrongPath, ""),
    ] {
        ask(&recorder, kind, body).await;
    }
    recorder.close().unwrap();
    let journals = read_journals(scratch.path()).unwrap();
    let asked = all_asked(&journals[0].events);
    let attempts: Vec<_> = asked.iter().map(|asked| asked.attempt_of).collect();
    assert_eq!(attempts, [None, Some(1), None, Some(1), None, None, None, None, None, None]);
    assert!(asked[0].headers.is_some());
    assert!(asked[1..].iter().all(|asked| asked.headers.is_none()));
    assert_eq!(asked[0].path, "/v1/chat/completions?api_key=<redacted>");
    assert_eq!(asked[1].attempt_of, Some(1));
    assert_eq!(asked[8].body, None);
    for entry in std::fs::read_dir(scratch.path()).unwrap() {
        let bytes = std::fs::read(entry.unwrap().path()).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("sk-secret"));
    }
}

#[tokio::test]
async fn a_full_segment_is_followed_by_one_that_reads_alone_and_old_ones_can_be_thrown_away() {
    for (keep, first) in [(None, 1), (Some(2), 3)] {
        let scratch = Scratch::new(&format!("rotate-{first}"));
        let case = Some("tools/p1".to_owned());
        let recorder = open(Settings {
            name: Name::Case("tools/p1".to_owned()),
            case: case.clone(),
            segment_bytes: 3000,
            keep,
            ..settings(scratch.path())
        });
        let mut asked = 0;
        while !scratch.path().join("tools%2Fp1.0004.jsonl").exists() {
            asked += 1;
            assert!(asked < 1000, "no fourth segment");
            ask(&recorder, Kind::Scenario, &format!("{{\"the same\":\"beginning\",\"n\":{asked}}}")).await;
        }
        let head = recorder.close().unwrap();
        assert_eq!((head.segments, head.requests), (4, asked));
        let verified = verify_journals(scratch.path()).unwrap().remove(0).verified;
        assert_eq!((verified.first_segment, verified.head, verified.case), (first, head.sum, case));
        assert_eq!(std::fs::read_dir(scratch.path()).unwrap().count() as u32, 2 * (5 - first));
        let alone =
            verify_journals(&scratch.path().join("tools%2Fp1.0003.jsonl")).unwrap().remove(0).verified;
        assert_eq!((alone.first_segment, alone.closed), (3, false));
        let gap = scratch.path().join("tools%2Fp1.0003.jsonl");
        if first == 1 {
            let whole = read_journal(scratch.path(), &Name::Case("tools/p1".to_owned())).unwrap();
            assert_eq!(all_asked(&whole.events).len() as u64, asked, "all segments are read");
            assert!(whole.verified.closed);
            std::fs::remove_file(gap).unwrap();
            let error = verify_journals(scratch.path()).unwrap_err().to_string();
            assert!(error.contains("tools%2Fp1.0004.jsonl: line 1: its number jumps from"), "{error}");
        }
    }
}

#[tokio::test]
async fn a_journal_that_is_there_is_never_touched_and_no_symlink_is_followed() {
    let scratch = Scratch::new("twice");
    let folder = scratch.path().join("journal");
    let recorder = open(settings(&folder));
    ask(&recorder, Kind::Scenario, "one").await;
    let second = Recorder::open(settings(&folder), Clock::start(), None).unwrap_err();
    assert!(second.to_string().contains("bodies-0001.bin: File exists"), "{second}");
    ask(&recorder, Kind::Scenario, "two").await;
    assert_eq!(recorder.close().unwrap().requests, 2);
    assert!(verify_journals(&folder).unwrap()[0].verified.closed);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        assert_eq!(mode(&folder.join("journal-0001.jsonl")), 0o600);
        assert_eq!(mode(&folder.join("bodies-0001.bin")), 0o600);
        let link = scratch.path().join("link");
        std::os::unix::fs::symlink(&folder, &link).unwrap();
        let error = Recorder::open(settings(&link), Clock::start(), None).unwrap_err();
        assert!(matches!(error, RecordError::Folder { .. }), "{error}");
        let other = scratch.path().join("other");
        std::fs::create_dir(&other).unwrap();
        std::os::unix::fs::symlink("/dev/null", other.join("bodies-0001.bin")).unwrap();
        let error = Recorder::open(settings(&other), Clock::start(), None).unwrap_err();
        assert!(matches!(error, RecordError::Create { .. }), "{error}");
    }
}

#[tokio::test]
async fn after_the_closing_nothing_is_taken_down() {
    let scratch = Scratch::new("closed");
    let recorder = open(settings(scratch.path()));
    let closed = recorder.close().unwrap();
    let late = recorder.asked(asked(Kind::Scenario), Some(head()), Bytes::from_static(b"late"));
    assert!(matches!(recorder.commit(late).await, Err(RecordError::Closed)));
    recorder.answered(answered(1));
    recorder.flush().unwrap();
    assert_eq!(verify_journals(scratch.path()).unwrap()[0].verified.head, closed.sum);
}

#[tokio::test]
async fn a_line_that_nobody_waits_for_is_written_soon_and_at_the_latest_with_the_end() {
    let scratch = Scratch::new("lazy");
    let recorder = Arc::new(open(settings(scratch.path())));
    let file = scratch.path().join("journal-0001.jsonl");
    let lines = || std::fs::read_to_string(&file).unwrap().lines().count();
    recorder.answered(answered(1));
    assert_eq!(lines(), 1, "only the opening is there");
    recorder.keep_fresh();
    tokio::time::timeout(std::time::Duration::from_secs(10), async {
        while lines() < 2 {
            tokio::task::yield_now().await;
        }
    })
    .await
    .unwrap();
    recorder.answered(answered(1));
    drop(recorder);
    assert_eq!(lines(), 3);
}

#[test]
fn a_folder_without_journals_and_a_changed_journal_are_told_apart() {
    let scratch = Scratch::new("none");
    assert!(matches!(verify_journals(scratch.path()), Err(CheckError::None(_))));
    assert!(matches!(verify_journals(&scratch.path().join("no")), Err(CheckError::Read { .. })));
    open(settings(scratch.path())).close().unwrap();
    let file = scratch.path().join("journal-0001.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    std::fs::write(&file, text.replace("\"seed\":7", "\"seed\":8")).unwrap();
    let error = verify_journals(scratch.path()).unwrap_err().to_string();
    assert!(error.ends_with("journal-0001.jsonl: line 1: its sum does not match"), "{error}");
}

#[tokio::test]
async fn the_stub_log_is_appended_to_and_holds_a_record_before_the_reply_may_leave() {
    let scratch = Scratch::new("seedlog");
    let log = scratch.path().join("log.jsonl");
    std::fs::write(&log, "{\"seq\": 1}\n{\"half").unwrap();
    let stub_log = StubLog::open(&log, "normal", "r2").unwrap();
    let recorder =
        Recorder::open(settings(&scratch.path().join("j")), Clock::start(), Some(stub_log)).unwrap();
    ask(&recorder, Kind::Scenario, "one").await;
    let text = std::fs::read_to_string(&log).unwrap();
    let lines: Vec<&str> = text.lines().collect();
    assert_eq!(lines[..2], ["{\"seq\": 1}", "{\"half"]);
    assert_eq!(lines.len(), 3);
    assert!(
        lines[2].contains("\"kind\": \"scenario\"") && lines[2].ends_with("\"seq\": 1, \"run\": \"r2\"}")
    );
    ask(&recorder, Kind::Aside, "").await;
    assert_eq!(
        std::fs::read_to_string(&log).unwrap(),
        text,
        "what lies beside the conversation gets no record"
    );
}

#[tokio::test]
async fn every_broken_body_is_kept_as_it_came_and_a_failed_dump_is_told() {
    let scratch = Scratch::new("badbody");
    let log = scratch.path().join("log");
    let stub_log = StubLog::open(&log, "normal", "r2").unwrap();
    let recorder =
        Recorder::open(settings(&scratch.path().join("j")), Clock::start(), Some(stub_log)).unwrap();
    // The second has its name taken by an earlier run, the third has none left.
    std::fs::write(scratch.path().join("log.badbody.2"), "earlier").unwrap();
    std::fs::create_dir(scratch.path().join("log.badbody.3")).unwrap();
    std::fs::create_dir(scratch.path().join("log.badbody.3.r2")).unwrap();
    for body in ["{one", "{two", "{three"] {
        let mut asked = asked(Kind::BadJson);
        asked.bad_json = Some(BadJson {
            offset: 1,
            byte: Some("0x6f".to_owned()),
            near: body.to_owned(),
            why: "no key".to_owned(),
        });
        let ticket = recorder.asked(asked, Some(head()), Bytes::from(body));
        recorder.commit(ticket).await.unwrap();
    }
    let read = |name: &str| std::fs::read_to_string(scratch.path().join(name)).unwrap();
    assert_eq!(read("log.badbody.1"), "{one");
    assert_eq!(read("log.badbody.2"), "earlier");
    assert_eq!(read("log.badbody.2.r2"), "{two");
    let text = read("log");
    let lines: Vec<&str> = text.lines().collect();
    assert!(lines[0].contains("log.badbody.1\", \"err_pos\": 1, \"err_byte\": \"0x6f\""), "{}", lines[0]);
    assert!(lines[0].contains("\"raw_len\": 4"));
    assert!(lines[1].contains("log.badbody.2.r2\""), "{}", lines[1]);
    assert!(lines[2].contains("\"raw_dump\": \"not written: "), "{}", lines[2]);
}

#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_stub_log_that_cannot_be_written_fails_the_commit() {
    let scratch = Scratch::new("seedfull");
    let stub_log = StubLog::open(Path::new("/dev/full"), "normal", "r").unwrap();
    let recorder = Recorder::open(settings(scratch.path()), Clock::start(), Some(stub_log)).unwrap();
    let ticket = recorder.asked(asked(Kind::Scenario), Some(head()), Bytes::from_static(b"one"));
    let error = recorder.commit(ticket).await.unwrap_err();
    assert!(error.to_string().starts_with("cannot write /dev/full: No space left"), "{error}");
}

/// The test runs itself again below a limit on file sizes, since a real full disk is hard to come by.
#[cfg(target_os = "linux")]
#[tokio::test]
async fn a_full_disk_fails_every_commit_from_then_on_and_leaves_whole_lines() {
    use rehearsal_world::process::{Launch, run};
    const INSIDE: &str = "REHEARSAL_TEST_FULL_DISK";
    if let Ok(folder) = std::env::var(INSIDE) {
        return fill_up(Path::new(&folder)).await;
    }
    let scratch = Scratch::new("full");
    let folder = scratch.path().join("journal");
    let program = std::env::current_exe().unwrap().display().to_string();
    let script = "trap '' XFSZ; ulimit -f 64; exec \"$@\"";
    let name = "a_full_disk_fails_every_commit_from_then_on_and_leaves_whole_lines";
    let argv = ["/bin/sh", "-c", script, "sh", &program, "--exact", name].map(str::to_owned).to_vec();
    let launch = Launch {
        argv,
        env: vec![(INSIDE.into(), folder.clone().into())],
        folder: scratch.path().to_owned(),
        stdin: None,
        time_limit: std::time::Duration::from_secs(60),
        grace: std::time::Duration::from_secs(1),
        keep: 1 << 16,
    };
    let ran = run(&launch).await.unwrap();
    assert_eq!(ran.status, Some(0), "{}{}", ran.stdout.text(), ran.stderr.text());
    let verified = verify_journals(&folder).unwrap().remove(0).verified;
    assert!(verified.requests > 1 && !verified.closed);
    assert_eq!(verified.cut, None, "the failed write was taken back");
}

#[cfg(target_os = "linux")]
async fn fill_up(folder: &Path) {
    let recorder = open(settings(folder));
    let mut failed = 0;
    for turn in 0..10_000 {
        let ticket = recorder.asked(asked(Kind::Scenario), Some(head()), Bytes::from(format!("body {turn}")));
        match recorder.commit(ticket).await {
            Ok(()) => assert_eq!(failed, 0, "a failed journal stays failed"),
            Err(error) => {
                assert!(error.to_string().contains("journal-0001.jsonl: File too large"), "{error}");
                failed += 1;
            }
        }
        if failed == 3 {
            assert!(recorder.failure().is_some());
            assert!(recorder.close().is_err());
            return;
        }
    }
    panic!("the limit was never reached");
}

#[tokio::test]
async fn what_agents_leave_beside_the_journals_of_a_run_is_no_journal() {
    let scratch = Scratch::new("beside");
    let (run, folder) = (scratch.path().join("run"), scratch.path().join("run/journals"));
    for name in [Name::Journal, Name::Case("journal".to_owned()), Name::Case("cases".to_owned())] {
        let recorder = open(Settings { name, ..settings(&folder) });
        ask(&recorder, Kind::Scenario, "one").await;
        recorder.close().unwrap();
    }
    let workspace = run.join("cases/one/workspace");
    std::fs::create_dir_all(&workspace).unwrap();
    std::fs::write(workspace.join("notes.jsonl"), "{}\n").unwrap();
    let journals = verify_journals(scratch.path()).unwrap();
    assert_eq!(journals.len(), 3, "a case may be called as the journal that belongs to no case");
}

#[cfg(unix)]
#[tokio::test]
async fn a_pipe_in_the_place_of_a_journals_file_is_refused_and_not_waited_for() {
    for name in ["journal-0001.jsonl", "bodies-0001.bin"] {
        let scratch = Scratch::new(&format!("pipe-{name}"));
        let recorder = open(settings(scratch.path()));
        ask(&recorder, Kind::Scenario, "one").await;
        recorder.close().unwrap();
        let path = scratch.path().join(name);
        std::fs::remove_file(&path).unwrap();
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        for folder_or_file in [scratch.path().to_owned(), scratch.path().join("journal-0001.jsonl")] {
            let refused = verify_journals(&folder_or_file).unwrap_err().to_string();
            let why = ["not a regular file", "holds no journal"];
            assert!(why.iter().any(|why| refused.contains(why)), "{refused}");
        }
    }
}

#[tokio::test]
async fn however_long_what_a_peer_sent_is_its_line_can_be_read_back() {
    let scratch = Scratch::new("long");
    let recorder = open(settings(scratch.path()));
    let long = "\u{1}é".repeat(7 << 20);
    let texts: [&dyn Fn(&mut Asked); 4] = [
        &|asked| asked.answers = vec![long.clone(); 2],
        &|asked| asked.answers = vec!["\u{1}".repeat(40); 500_000],
        &|asked| {
            let noted = Noted { code: "c".to_owned(), pointer: long.clone(), message: long.clone() };
            asked.notes = vec![noted; 3];
        },
        &|asked| {
            let long = || long.clone();
            let (code, param) = (Some(long()), Some(long()));
            let (rule, kind) = ("r".to_owned(), "k".to_owned());
            asked.reject = Some(Rejected { rule, kind, code, param, pointer: long(), message: long() });
        },
    ];
    for make in texts {
        let mut asked = asked(Kind::Scenario);
        make(&mut asked);
        let ticket = recorder.asked(asked, None, Bytes::from_static(b"body"));
        recorder.commit(ticket).await.unwrap();
    }
    recorder.close().unwrap();
    let journals = read_journals(scratch.path()).unwrap();
    let asked = all_asked(&journals[0].events);
    assert!(asked[0].answers[0].ends_with('…') && asked[0].answers.len() == 2);
    assert!(asked[1].answers.len() > 1000 && asked[1].answers.len() < 500_000);
}
