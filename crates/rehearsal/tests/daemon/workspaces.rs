//! Edits of mutating runs: in the private workspace, all or nothing, and nowhere else. Rows 1 to 7 of the known defects.

use crate::stand::{Stand, command, execution, fresh, start_body};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

const MUTATE: &str = "[FAKE:MUTATE]";

/// The start is refused with this, again with the same key, writes nothing in the folder, and leaves no run behind.
fn refused(stand: &Stand, more: &Value, refusal: (u16, &str)) {
    let (key, before) = (fresh(), stand.run_dirs());
    let got = stand.start_with(&key, MUTATE, more);
    assert_eq!(got.refusal(), refusal, "{got:?}");
    assert_eq!(stand.start_with(&key, MUTATE, more), got);
    assert_eq!(stand.run_dirs(), before);
}

const INVALID: (u16, &str) = (400, "execution_workspace_invalid");

/// Everything below a folder that is no folder itself.
fn seen(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.symlink_metadata().unwrap().is_dir() {
            found.extend(seen(&path));
        } else {
            found.push(path.display().to_string());
        }
    }
    found.sort();
    found
}

#[test]
fn a_run_without_an_absolute_workspace_is_refused_and_writes_nowhere() {
    let stand = Stand::new("no-workspace");
    fs::create_dir(stand.folder.join("sub")).unwrap();
    let before = seen(&stand.folder.join("sub"));
    refused(&stand, &json!({}), INVALID);
    for root in ["", "sub", "./sub", "..", ".", "/nowhere/at/all"] {
        refused(&stand, &json!({"execution": {"workspaceRoot": root}}), INVALID);
    }
    assert_eq!(seen(&stand.folder.join("sub")), before);
    assert!(!stand.folder.join("tracked.txt").exists());
}

#[test]
fn a_workspace_that_has_to_do_with_the_live_tree_is_refused() {
    let stand = Stand::new("live-tree");
    let (live, _) = stand.workspace("one");
    let link = stand.folder.join("link");
    symlink(&live, &link).unwrap();
    fs::create_dir(live.join("inside")).unwrap();
    let around = stand.folder.join("one");
    for work in [&live, &link, &around, &live.join("inside"), &live.join("../live")] {
        refused(&stand, &execution(work, &live), INVALID);
    }
    assert_eq!(fs::read_to_string(live.join("tracked.txt")).unwrap(), "one\n");
    assert!(!live.join("delegated_new.txt").exists());
    let more =
        json!({"execution": {"workspaceRoot": live}, "scope": {"kind": "project", "root": "one/live"}});
    refused(&stand, &more, INVALID);
    let own = stand.folder.canonicalize().unwrap().join("cfg/daemon");
    refused(&stand, &json!({"execution": {"workspaceRoot": own}}), INVALID);
}

#[test]
fn what_is_in_the_way_in_a_workspace_is_refused_and_stays_as_it_was() {
    let stand = Stand::new("in-the-way");
    let outside = stand.folder.join("outside.txt");
    fs::write(&outside, "precious\n").unwrap();
    type Block<'b> = (&'b str, &'b dyn Fn(&Path));
    let block: [Block<'_>; 5] = [
        ("link", &|path| symlink(&outside, path).unwrap()),
        ("folder", &|path| fs::create_dir(path).unwrap()),
        ("hard-link", &|path| fs::hard_link(&outside, path).unwrap()),
        ("dangling", &|path| symlink(stand.folder.join("nowhere"), path).unwrap()),
        ("pipe", &|path| {
            assert!(std::process::Command::new("mkfifo").arg(path).status().unwrap().success());
        }),
    ];
    for (name, block) in block {
        let (live, work) = stand.workspace(name);
        fs::remove_file(work.join("tracked.txt")).unwrap();
        block(&work.join("tracked.txt"));
        refused(&stand, &execution(&work, &live), (409, "workspace_edit_refused"));
        assert!(!work.join("delegated_new.txt").exists(), "{name}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious\n");
    assert!(!stand.folder.join("nowhere").exists());
    assert_eq!(
        fs::read_dir(stand.folder.join("cfg/daemon/edits")).unwrap().count(),
        0,
        "no records are left"
    );
    // Nobody had to wait for the pipe.
    assert_eq!(stand.get("/v2/quota").status, 200);
}

#[test]
fn the_original_fakes_answers_leave_files_as_safe() {
    let stand = Stand::with("as-seed", &["--as-seed"]);
    let (live, work) = stand.workspace("one");
    assert_eq!(stand.start_with(&fresh(), MUTATE, &json!({})).status, 200);
    assert_eq!(stand.start_with(&fresh(), MUTATE, &json!({"execution": {"workspaceRoot": "."}})).status, 200);
    assert!(!stand.folder.join("tracked.txt").exists());
    assert_eq!(stand.start_with(&fresh(), MUTATE, &execution(&live, &live)).refusal(), INVALID);
    fs::remove_file(work.join("tracked.txt")).unwrap();
    symlink(live.join("tracked.txt"), work.join("tracked.txt")).unwrap();
    let got = stand.start_with(&fresh(), MUTATE, &execution(&work, &live));
    assert_eq!(got.refusal(), (409, "workspace_edit_refused"));
    assert_eq!(fs::read_to_string(live.join("tracked.txt")).unwrap(), "one\n");
}

#[test]
fn edits_that_lead_out_of_a_workspace_are_refused_at_the_start() {
    let folder = rehearsal_testkit::scratch(env!("CARGO_TARGET_TMPDIR"), "daemon/bad-edits");
    for path in ["../x", "/tmp/x", "a/../../x"] {
        fs::write(folder.join("edits.json"), json!({path: "text"}).to_string()).unwrap();
        let output = command(&folder, &["--edits", "edits.json"]).output().unwrap();
        assert_eq!(output.status.code(), Some(2), "{path}");
        assert!(rehearsal_testkit::said(&output).contains("is no path below a workspace"));
    }
    assert!(!folder.join("cfg").exists());
}

#[test]
fn edits_are_written_in_order_with_their_folders_and_the_record_of_the_attempt() {
    let folder = rehearsal_testkit::scratch(env!("CARGO_TARGET_TMPDIR"), "daemon/edits");
    fs::write(folder.join("edits.json"), r#"{"deep/er/new.txt": "new\n", "tracked.txt": "other\n"}"#)
        .unwrap();
    let mut stand = Stand::in_folder(folder, &["--edits", "edits.json", "--seed", "7"]);
    let (live, work) = stand.workspace("one");
    let got = stand.start_with(&fresh(), MUTATE, &execution(&work, &live));
    assert_eq!(got.status, 200, "{got:?}");
    assert_eq!(fs::read_to_string(work.join("deep/er/new.txt")).unwrap(), "new\n");
    assert_eq!(fs::read_to_string(work.join("tracked.txt")).unwrap(), "other\n");
    assert_eq!(seen(&work).len(), 2);
    assert_eq!(seen(&live).len(), 1);
    let run = got.body["runId"].as_str().unwrap();
    let record = fs::read_to_string(stand.folder.join(format!("cfg/runs/{run}/attempts/a01/attempt.yaml")));
    assert!(record.unwrap().contains("confinement_mechanism: \"fake-sandbox\"\n"));
    assert_eq!(fs::read_dir(stand.folder.join("cfg/daemon/edits")).unwrap().count(), 0);
    stand.stop();
    let facts = serde_json::to_string(&stand.facts()).unwrap();
    assert!(facts.contains(r#""place":"workspace","path":"deep/er/new.txt""#), "{facts}");
}

#[test]
fn who_holds_one_workspace_keeps_no_other_one_waiting() {
    let stand = Stand::new("held-workspace");
    let ((live, held), (other_live, other)) = (stand.workspace("held"), stand.workspace("other"));
    let lock = fs::File::open(&held).unwrap();
    lock.lock().unwrap();
    let body = start_body(MUTATE, &execution(&held, &live)).to_string();
    let mut waits = stand.connect();
    let head = stand.head(&format!("Idempotency-Key: {}\r\nContent-Length: {}\r\n\r\n", fresh(), body.len()));
    waits.send(format!("POST /v2/runs HTTP/1.1\r\n{head}{body}"));
    assert_eq!(stand.start_with(&fresh(), MUTATE, &execution(&other, &other_live)).status, 200);
    drop(lock);
    // It would have given up before, had the other one waited for it.
    assert_eq!(waits.reply().status(), 200);
}
