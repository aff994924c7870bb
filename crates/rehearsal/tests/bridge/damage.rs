//! A record of which one file is gone, emptied or cut: what was spent stays spent, or nothing starts.

use crate::once::all_files;
use crate::stand::{CHAT, Refused, Running, Stand, body, case};
use crate::upstream::{Gate, Step, completion, event, head, open_chunks};
use serde_json::json;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

type Files = BTreeMap<PathBuf, Vec<u8>>;

/// The record as it was, in the place of what is there.
fn restore(stand: &Stand, files: &Files) {
    fs::remove_dir_all(&stand.data).unwrap();
    fs::create_dir_all(stand.data.join("private/exchanges")).unwrap();
    for (path, bytes) in files {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }
}

/// Every way in which a file is damaged: what is left of it, none where it is gone.
fn damages(bytes: &[u8]) -> Vec<(String, Option<Vec<u8>>)> {
    let mut damages = vec![("gone".to_owned(), None), ("emptied".to_owned(), Some(Vec::new()))];
    if !bytes.is_empty() {
        damages.push(("cut in half".to_owned(), Some(bytes[..bytes.len() / 2].to_vec())));
        let borders = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1);
        let borders = borders.filter(|at| *at < bytes.len());
        damages.extend(borders.map(|at| (format!("cut at {at}, a line's end"), Some(bytes[..at].to_vec()))));
    }
    damages
}

/// Damages each file in each way and starts again; `holds` is asked whether what was spent is spent. Gives how often it started and
/// how often it did not.
fn try_all(stand: &Stand, holds: impl Fn(&Running, &str)) -> (usize, usize) {
    let files = all_files(&stand.data);
    let (mut started, mut refused) = (0, 0);
    for (path, bytes) in &files {
        for (damage, left) in damages(bytes) {
            restore(stand, &files);
            match left {
                None => fs::remove_file(path).unwrap(),
                Some(left) => fs::write(path, left).unwrap(),
            }
            let what = format!("{} is {damage}", path.strip_prefix(&stand.data).unwrap().display());
            match stand.try_start() {
                Ok(running) => {
                    holds(&running, &what);
                    started += 1;
                }
                Err(error) => {
                    is_clear(&error, &stand.data, &what);
                    refused += 1;
                }
            }
        }
    }
    (started, refused)
}

/// One sentence that says where.
fn is_clear(refused: &Refused, data: &Path, what: &str) {
    assert_eq!(refused.code, Some(3), "{what}: {refused:?}");
    assert_eq!(refused.err.lines().count(), 1, "{what}: {refused:?}");
    assert!(refused.err.starts_with(&format!("rehearsal: {}", data.display())), "{what}: {refused:?}");
}

#[test]
fn no_damage_to_one_file_makes_a_spent_case_unspent() {
    let stand = Stand::cases("damage", 3);
    let running = stand.start();
    assert_eq!(running.send(0, true).status, 200);
    stand.forwarded(&case(0));
    // One that a kill interrupted in its answer, and one that is armed.
    let gate = Gate::default();
    let waits = gate.clone();
    stand.upstream.plays(move |_| {
        let head = head("text/event-stream", "Transfer-Encoding: chunked");
        vec![Step::Say(head), Step::Say(open_chunks(&event("Hello"))), Step::Wait(waits.clone())]
    });
    assert_eq!(running.arm(&case(1)).status, 200);
    let mut client = running.client();
    client.send(running.bytes("POST", CHAT, &[], &body(1, true).to_string()));
    client.read_at_least(200);
    running.kill();
    gate.open();
    stand.upstream.plays(crate::upstream::ordinary);
    let running = stand.start();
    assert_eq!(running.arm(&case(2)).status, 200);
    running.kill();
    let (started, refused) = try_all(&stand, |running, what| {
        for at in [0, 1] {
            let spent = (409, "case_budget_consumed".to_owned());
            // With another case armed, a spent one's request does not fit that.
            assert_eq!(running.arm(&case(at)).refusal(), spent, "{what}");
            let status = running.post(&body(at, false)).status;
            assert_eq!(status, 409, "{what}");
            assert_eq!(running.row(at)["backendForwards"], 1, "{what}");
        }
        assert_eq!(stand.upstream.count(), 2, "{what}");
    });
    assert!(started > 10 && refused > 5, "{started} started, {refused} did not");
}

/// The same for budgets that count requests, and for those that count what answers cost.
#[test]
fn no_damage_to_one_file_gives_a_budget_back() {
    for (name, flag, most) in [("requests", "--budget-requests", "2"), ("tokens", "--budget-tokens", "22")] {
        let stand = Stand::open(&format!("damage-{name}"), &[flag, most]);
        let running = stand.start();
        let chat = json!({"model": "m", "messages": [{"role": "user", "content": "x"}]}).to_string();
        let ask = |running: &Running| running.ask("POST", CHAT, &[], &chat);
        assert!(String::from_utf8(completion()).unwrap().contains("\"total_tokens\":11"));
        for at in 1..3 {
            assert_eq!(ask(&running).status, 200);
            stand.end(|done| done.forwarded && done.sequence == at);
        }
        let spent = (429, "recording_budget_consumed".to_owned());
        assert_eq!(ask(&running).refusal(), spent);
        running.kill();
        let (started, refused) =
            try_all(&stand, |running, what| assert_eq!(ask(running).refusal(), spent, "{name}: {what}"));
        assert!(started > 10 && refused > 5, "{started} started, {refused} did not");
        assert_eq!(stand.upstream.count(), 2);
    }
}
