//! D09 to D11, D33 and D37: what proves an answer, and what must not pass for a proof.

use crate::stand::*;
use rehearsal_driver::endpoint::Asker;
use rehearsal_driver::policy::{Candidate, Tier, sample};
use rehearsal_driver::worker::ownership::{Protection, Set, SetError};
use rehearsal_driver::worker::proof::bench::Base;
use rehearsal_driver::worker::proof::verification::Look;
use rehearsal_driver::worker::proof::{Bench, Proof};
use rehearsal_driver::worker::task::Task;
use rehearsal_driver::worker::work::work;
use rehearsal_world::dial::DialError;
use rehearsal_world::process::Caps;
use std::fs;
use std::time::{Duration, Instant};

pub(crate) const APPROVED: &str = r#"{"verdict":"approve","reasons":[]}"#;

/// How commands run: with nothing but where programs are.
pub(crate) fn bench(time_limit: Duration) -> Bench {
    let path = ("PATH".into(), std::env::var_os("PATH").unwrap());
    let caps = Caps { file_mib: 64, cpu_seconds: 60, memory_mib: None, processes: None };
    Bench { time_limit, caps, env: vec![path], without: Vec::new() }
}

/// A proof of the tier of one whose accuracy nobody measured.
fn proof(test: &str) -> Proof {
    Proof {
        test: test.to_owned(),
        check: None,
        tier: Tier::UNMEASURED,
        measured: (0, 0),
        second_look: true,
        reviewer: "judge".to_owned(),
    }
}

/// Works on `a.py` with a proof.
fn prove(stand: &Stand, proof: &Proof, rounds: u32, plays: Vec<Play>) -> Done {
    let provider = Provider::new(plays);
    let mut asker = Asker::over(endpoint("https://models.example/v1"), manner(), provider.clone());
    let (tree, records) = (stand.tree(), stand.records());
    let bench =
        bench(if proof.test.contains("1000") { Duration::from_millis(500) } else { Duration::from_secs(60) });
    let task = Task { rounds, ..task(&[("a.py", Edit)]) };
    let report = run(async {
        let base = Base::read(&tree, &Protection::default(), &bench).await.unwrap();
        work(task, Some((proof, &base)), &tree, &records, &mut asker).await
    });
    let done = Done { report, asked: provider.asked() };
    assert!(!done.json().contains(KEY), "{}", done.json());
    done
}

fn good() -> Play {
    says(&patch(&[("a.py", "two\n")]))
}

fn looks(done: &Done) -> &[Look] {
    &done.report.verification.looks
}

/// The reviewer could rewrite what it reviewed, its word counted for nothing, and one that failed was content.
#[test]
fn d09_a_reviewer_writes_nothing_its_word_counts_and_its_failure_is_no_approval() {
    let refuted = r#"{"verdict":"refute","reasons":["it does half of it"]}"#;
    let broken = || breaks(DialError::Reset);
    let rewritten = patch(&[("a.py", "the reviewer's\n")]);
    let verdicts: Vec<(&str, Vec<Play>)> = vec![
        ("review_refuted", vec![says(refuted)]),
        ("review_failed", vec![says(&rewritten), says(&rewritten)]),
        ("review_failed", vec![broken(), broken(), broken()]),
        ("review_failed", vec![received(body_of(403, r#"{"error":{"message":"no"}}"#))]),
        ("review_failed", vec![received(message(&quoted(APPROVED), r#""length""#, USAGE))]),
        ("review_failed", vec![says("I approve."), says("Approved!")]),
    ];
    for (reason, plays) in verdicts {
        let stand = Stand::with(&[("a.py", "one\n")]);
        let mut all = vec![good()];
        all.extend(plays);
        let done = prove(&stand, &proof("grep -q two a.py"), 0, all);
        let error = done.report.error().unwrap();
        assert_eq!((error.class.name(), error.reason), ("unverified", Some(reason)), "{}", done.json());
        assert!(looks(&done).iter().all(Look::is_green), "the test was green: {}", done.json());
        // It is shown both texts as data, and asked for a verdict, not for files.
        let asked = &done.asked[1].body;
        assert!(asked.contains("ReviewVerdict") && !asked.contains("WorkerPatch"), "{asked}");
        stand.holds("a.py", "one\n");
    }
    let stand = Stand::with(&[("a.py", "one\n")]);
    let done = prove(&stand, &proof("grep -q two a.py"), 0, vec![good(), says(APPROVED)]);
    assert!(done.is_applied(), "{}", done.json());
}

/// The spot check ran the same command in the same tree, on the first names of the alphabet.
#[test]
fn d10_what_is_looked_at_again_cannot_be_foreseen_and_runs_elsewhere_with_more_than_was_told() {
    let names: Vec<String> = (b'a'..=b't').map(|letter| char::from(letter).to_string()).collect();
    let candidates: Vec<Candidate<'_>> =
        names.iter().map(|slug| Candidate { slug, suspect: false }).collect();
    let drawn: Vec<Vec<&str>> = (0..20).map(|seed| sample(seed, &candidates, 10)).collect();
    assert!(drawn.iter().all(|drawn| drawn.len() == 2));
    assert!(names.iter().filter(|name| drawn.iter().flatten().any(|drawn| drawn == name)).count() > 10);
    // What the test leaves behind does not help it in the second look, and the hidden check is another one.
    let stand = Stand::with(&[("a.py", "one\n")]);
    let fake = Proof {
        check: Some("test ! -e left-behind && grep -qx two a.py".to_owned()),
        ..proof("touch left-behind; grep -q two a.py")
    };
    let plays = vec![says(&patch(&[("a.py", "not two\n")])), says(APPROVED)];
    let done = prove(&stand, &fake, 0, plays);
    assert_eq!(done.report.error().unwrap().reason, Some("fake_green"), "{}", done.json());
    assert!(done.asked.iter().all(|asked| !asked.body.contains("-qx")), "nobody was told of the check");
    let stand = Stand::with(&[("a.py", "one\n")]);
    let once = proof("test ! -e left-behind && touch left-behind && grep -q two a.py");
    let done = prove(&stand, &once, 0, vec![good(), says(APPROVED)]);
    assert!(done.is_applied(), "each look has a copy of its own: {}", done.json());
    assert!(!stand.at("left-behind").exists());
}

/// A worker could own the test that judged it, its configuration, or what runs before it.
#[test]
fn d11_no_worker_writes_what_it_is_judged_by() {
    for name in [
        "tests/test_a.py",
        "test_a.py",
        "src/a_test.go",
        "a.spec.ts",
        "conftest.py",
        "src/CONFTEST.py",
        "pyproject.toml",
        "package.json",
        "sitecustomize.py",
        "Makefile",
        ".github/workflows/ci.yml",
    ] {
        let refused = Set::new(&[(name, Create)], &Protection::default());
        assert!(matches!(refused, Err(SetError::Protected(_))), "{name}");
    }
    // Nor does what it writes: code that turns the test green from inside.
    let stand = Stand::with(&[("a.py", "one\n"), ("tests/want", "two\n")]);
    let test = "sh ./a.py; cmp a.py tests/want";
    let done = prove(&stand, &proof(test), 0, vec![says(&patch(&[("a.py", "cp a.py tests/want\n")]))]);
    assert_eq!(done.report.error().unwrap().reason, Some("test_inputs_changed"), "{}", done.json());
    assert_eq!(looks(&done)[0].changed, ["tests/want"]);
    stand.holds("tests/want", "two\n");
    stand.holds("a.py", "one\n");
}

/// Commands ran without end and without bound, and bytes that were no text broke them.
#[test]
fn d33_a_command_ends_in_time_with_all_that_it_started_and_its_output_has_bounds() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let started = Instant::now();
    let done = prove(&stand, &proof("(sleep 1000 &) ; setsid sleep 1000 & sleep 1000"), 0, vec![good()]);
    assert!(started.elapsed() < Duration::from_secs(60));
    let look = &looks(&done)[0];
    assert!(look.timed_out && !look.is_green(), "{}", done.json());
    assert_eq!(done.report.error().unwrap().reason, Some("test_failed"));
    let noisy = r"printf 'begin \377\376 '; head -c 900000 /dev/zero | tr '\0' x; printf ' end'; exit 3";
    let done = prove(&stand, &proof(noisy), 0, vec![good()]);
    let look = &looks(&done)[0];
    assert_eq!(look.status, Some(3), "{}", done.json());
    assert!(look.output.starts_with("begin \u{fffd}\u{fffd} x") && look.output.ends_with("x end"));
    assert!(look.output.len() < 10_000, "{}", look.output.len());
    let done = prove(&stand, &proof("head -c 9000000 /dev/zero; exit 3"), 0, vec![good()]);
    let look = &looks(&done)[0];
    assert!(
        look.output.ends_with(" bytes more were not kept") && look.output.len() < 10_000,
        "a flood is told"
    );
    stand.holds("a.py", "one\n");
}

/// A repair said "failed with exit None" or "exit 1", and nothing of what the test had said.
#[test]
fn d37_the_model_is_told_what_the_test_said_of_its_own_answer() {
    let stand = Stand::with(&[("a.py", "one\n")]);
    let test = "echo \"expected two, got $(cat a.py)\"; grep -qx two a.py";
    let plays = vec![says(&patch(&[("a.py", "three\n")])), good(), says(APPROVED)];
    let done = prove(&stand, &proof(test), 1, plays);
    assert!(done.is_applied(), "{}", done.json());
    let repair = &done.asked[1].body;
    assert!(repair.contains("it exited with 1") && repair.contains("expected two, got three"), "{repair}");
    assert!(repair.contains(quoted(&patch(&[("a.py", "three\n")])).trim_matches('"')), "{repair}");
    // A question that failed is no answer that failed: nothing is repaired.
    let stand = Stand::with(&[("a.py", "one\n")]);
    let done = prove(&stand, &proof(test), 3, vec![received(body_of(401, "{}"))]);
    assert_eq!((done.came(), done.asked.len(), looks(&done).len()), (("failed", "auth"), 1, 0));
    assert!(!done.json().to_lowercase().contains("exit none"));
    assert_eq!(fs::read_dir(stand.at("")).unwrap().count(), 1);
}
