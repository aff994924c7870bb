//! A single task: after a kill all its files are as before, or all as after.

use super::{Provider, killed, rounds};
use crate::sandbox::{Ended, PATIENCE, Sandbox, files_below, finish};
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::time::{Duration, Instant};

const FILES: [&str; 3] = ["a.txt", "sub/b.txt", "sub/big.txt"];

/// What a file holds in one generation: all change with each.
fn content(file: &str, generation: u64) -> String {
    format!("{file} {generation:06}\n").repeat(if file == "sub/big.txt" { 5000 } else { 1 })
}

/// The file that a generation makes.
fn made(generation: u64) -> String {
    format!("new/{generation}/made.txt")
}

/// An answer that brings all files to the generation that the task names.
fn next_generation(body: &str) -> String {
    let (_, rest) = body.split_once("generation ").unwrap();
    let generation = rest.chars().take_while(char::is_ascii_digit).collect::<String>().parse().unwrap();
    let mut files: Vec<Value> =
        FILES.iter().map(|file| json!({"path": file, "contents": content(file, generation)})).collect();
    files.push(json!({"path": made(generation), "contents": "made\n"}));
    json!({"files": files, "summary": "s", "done": true}).to_string()
}

/// What `drive` is asked to bring the tree to a generation.
fn arguments(endpoint: &str, generation: u64) -> Vec<String> {
    let mut words: Vec<String> =
        ["drive", "--workdir", "tree", "--data", "drive", "--model", "m", "--attempts", "1"]
            .map(str::to_owned)
            .to_vec();
    let made = made(generation) + ":create";
    let prompt = format!("To generation {generation}.");
    words.extend(["--endpoint", endpoint, "--prompt", &prompt, "--owns", &made].map(str::to_owned));
    words.extend(FILES.iter().flat_map(|file| ["--owns".to_owned(), (*file).to_owned()]));
    words
}

fn run(sandbox: &Sandbox, words: &[String]) -> Ended {
    sandbox.run(&words.iter().map(String::as_str).collect::<Vec<_>>())
}

/// The generation of each file; none where its bytes are of no generation at all.
fn generations(sandbox: &Sandbox) -> Vec<u64> {
    let generation = |file: &&str| {
        let text = fs::read_to_string(sandbox.path("tree").join(file)).unwrap();
        let first =
            text.lines().next().and_then(|line| line.rsplit_once(' ')).map(|(_, number)| number.parse());
        let Some(Ok(generation)) = first else { panic!("{file} holds {text:?}") };
        assert!(text == content(file, generation), "{file} is not whole: {} bytes", text.len());
        generation
    };
    FILES.iter().map(generation).collect()
}

/// Files that a commit leaves until it is over.
fn left_over(sandbox: &Sandbox) -> Vec<String> {
    let files = files_below(&sandbox.path("tree"));
    let names = files.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".rehearsal")).collect()
}

/// How long a run takes, and how long from its answer to its end; the tree is at generation 3 afterwards.
fn measured(sandbox: &Sandbox, provider: &Provider) -> (Duration, Duration) {
    let (mut whole, mut after) = (PATIENCE, PATIENCE);
    for generation in 1..=3 {
        let started = Instant::now();
        let words = arguments(&provider.url(), generation);
        let child = sandbox.command(&words.iter().map(String::as_str).collect::<Vec<_>>()).spawn().unwrap();
        provider.answered.recv_timeout(PATIENCE).unwrap();
        let answered = Instant::now();
        assert_eq!(finish(child).code, Some(0));
        (whole, after) = (whole.min(started.elapsed()), after.min(answered.elapsed()));
    }
    // A little more: some kills are to come too late.
    (whole * 5 / 4, after * 5 / 4)
}

/// What is said of what an earlier process left.
fn told(ended: &Ended, what: &str) -> &'static str {
    match ended.err.split_once("what an earlier worker was writing when it was killed is ") {
        None => "nothing",
        Some((_, rest)) if rest.starts_with("undone\n") => "undone",
        Some((_, rest)) => {
            assert!(rest.starts_with("finished\n"), "{what}: {}", ended.err);
            "finished"
        }
    }
}

/// Looks at a tree that was at generation `last` before a process was killed; gives how that ended, and the generation now.
fn looked_at(sandbox: &Sandbox, last: u64, what: &str) -> (&'static str, u64) {
    // Each file is whole before anybody tidies up, too; only not all need be of one generation.
    let (before, left) = (generations(sandbox), left_over(sandbox));
    let ended = run(sandbox, &arguments("http://127.0.0.1:9/v1", last + 1));
    assert_eq!(ended.code, Some(1), "{what}: {ended:?}");
    let said = told(&ended, what);
    let what = format!("{what}: {said}");
    let now = generations(sandbox);
    assert!(now.iter().all(|generation| *generation == now[0]), "{what}: {before:?}, {now:?}");
    match said {
        "undone" => assert_eq!(now[0], last, "{what}"),
        "finished" => assert_eq!(now[0], last + 1, "{what}"),
        _ => {
            assert!([last, last + 1].contains(&now[0]), "{what}: {now:?}");
            assert!(before == now && left.is_empty(), "{what}: {before:?}, {now:?}, {left:?}");
        }
    }
    assert!(left_over(sandbox).is_empty(), "{what}");
    let made = |generation| sandbox.path("tree").join(made(generation)).exists();
    assert_eq!((made(now[0]), made(last + 1)), (true, now[0] == last + 1), "{what}");
    let folders = fs::read_dir(sandbox.path("tree/new")).unwrap().count() as u64;
    assert_eq!(folders, now[0], "{what}: each generation made its folder, and none is left over");
    (said, now[0])
}

#[test]
fn killed_at_any_moment_a_task_leaves_all_files_as_before_or_as_after() {
    let (rounds, seed, mut dice) = rounds();
    let sandbox = Sandbox::with(&[]);
    for file in FILES {
        sandbox.write(&format!("tree/{file}"), content(file, 0).as_bytes());
    }
    let provider = Provider::start(Box::new(next_generation));
    let (whole, mut after) = measured(&sandbox, &provider);
    let (mut last, mut seen) = (3, BTreeMap::<&str, u32>::new());
    for round in 0..rounds {
        let close = round % 2 == 0;
        let words = arguments(&provider.url(), last + 1);
        let moment = dice.within(if close { after } else { whole });
        let what =
            format!("round {round} of REHEARSAL_TEST_SEED={seed}, killed after {moment:?}, close {close}");
        let begun = || {
            if close {
                provider.answered.recv_timeout(PATIENCE).unwrap();
            }
        };
        killed(&mut sandbox.command(&words.iter().map(String::as_str).collect::<Vec<_>>()), begun, moment);
        while provider.answered.try_recv().is_ok() {}
        let (said, now) = looked_at(&sandbox, last, &what);
        *seen.entry(said).or_default() += 1;
        *seen.entry("written").or_default() += u32::from(now > last);
        // How busy the machine is changes: the moments follow the one at which files are written.
        after = match said {
            "nothing" if close && now > last => after * 4 / 5,
            "nothing" if close => after * 11 / 10,
            _ => after,
        };
        last = now;
    }
    println!("{rounds} kills: {seen:?}; a run takes {whole:?}, {after:?} of it after its answer");
    let verified = sandbox.run(&["verify", "drive"]);
    assert_eq!(verified.code, Some(0), "{verified:?}");
    let ended = run(&sandbox, &arguments(&provider.url(), last + 1));
    assert_eq!((ended.code, generations(&sandbox)), (Some(0), vec![last + 1; 3]), "{ended:?}");
}
