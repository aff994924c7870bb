//! Those of the forty defects of another driver (D01 to D40) that are about commands and files of waves. The others stand in
//! `driver/tests/defects/`.

#![cfg(unix)]

use crate::proving::provider;
use crate::sandbox::{Ended, Sandbox, files_below};
use serde_json::{Value, json};
use std::fs;
use std::os::unix::fs::PermissionsExt as _;

fn wave(sandbox: &Sandbox, endpoint: &str, wave: &Value) -> Ended {
    sandbox.write("wave.json", wave.to_string().as_bytes());
    let path = format!("{}:{}", sandbox.path("bin").display(), std::env::var("PATH").unwrap());
    let fixed = ["drive", "--wave", "wave.json", "--endpoint", endpoint, "--model", "m", "--workdir", "tree"];
    let mut command = sandbox.command(&[&fixed[..], &["--data", "drive", "--json"]].concat());
    crate::sandbox::finish(command.env("PATH", path).spawn().unwrap())
}

/// It ran git in the folder of its process, with paths of the model's unquoted, did not look how commit ended, and pushed whatever
/// was there. Ours runs no git at all: what is written is the user's to commit.
#[test]
fn d12_no_git_is_run_and_no_repository_is_touched() {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a b;touch x.txt", b"one\n");
    for file in ["HEAD", "config", "index", "hooks/pre-commit", "refs/heads/main"] {
        sandbox.write(&format!("tree/.git/{file}"), b"as it was");
    }
    // Whoever calls it by its name calls this.
    let git = format!("#!/bin/sh\necho \"$@\" >> '{}'\n", sandbox.path("git-was-run").display());
    sandbox.write("bin/git", git.as_bytes());
    fs::set_permissions(sandbox.path("bin/git"), fs::Permissions::from_mode(0o755)).unwrap();
    let answer =
        json!({"files": [{"path": "a b;touch x.txt", "contents": "two\n"}], "summary": "s", "done": true});
    let approve = r#"{"verdict":"approve","reasons":[]}"#.to_owned();
    let server = provider(&sandbox, &[answer.to_string(), approve]);
    let item = json!({"slug": "aa", "prompt": "Change two", "owns": ["a b;touch x.txt"], "test": "grep -qx two 'a b;touch x.txt'"});
    let ended = wave(&sandbox, &crate::driving::url(&server), &json!({"version": 1, "items": [item]}));
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(fs::read(sandbox.path("tree/a b;touch x.txt")).unwrap(), b"two\n");
    assert!(!sandbox.path("git-was-run").exists(), "{:?}", fs::read_to_string(sandbox.path("git-was-run")));
    let kept = files_below(&sandbox.path("tree"));
    assert_eq!(kept.len(), 6, "{kept:?}");
    assert!(
        kept.iter()
            .filter(|path| path.iter().any(|part| part == ".git"))
            .all(|path| fs::read(path).unwrap() == b"as it was")
    );
}

/// Fields of the policy stood on the item while the reader looked for them elsewhere, and fell back to what suited it. Ours has one
/// form for waves, and refuses what is not of it, with its place.
#[test]
fn d35_a_wave_has_one_form_and_what_is_not_of_it_is_refused() {
    let sandbox = Sandbox::with(&[("tree/a.py", "one\n")]);
    let item = |more: Value| {
        let mut item = json!({"slug": "aa", "prompt": "Change two", "owns": ["a.py"], "test": "true"});
        item.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        json!({"version": 1, "items": [item]})
    };
    let top = |more: Value| {
        let mut wave = item(json!({}));
        wave.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
        wave
    };
    for (given, field) in [
        (item(json!({"verificationTier": 1})), "verificationTier"),
        (item(json!({"requireAdversarialReview": false})), "requireAdversarialReview"),
        (item(json!({"repairCap": 9})), "repairCap"),
        (item(json!({"ownsFiles": ["b.py"]})), "ownsFiles"),
        (item(json!({"testCmd": "true"})), "testCmd"),
        (top(json!({"spotCheckFrac": 0})), "spotCheckFrac"),
        (top(json!({"validateAllJson": false})), "validateAllJson"),
        (top(json!({"review": false})), "review"),
        (item(json!({"test": true})), "test"),
        (item(json!({"owns": "a.py"})), "owns"),
        (top(json!({"version": 2})), "version"),
    ] {
        let ended = wave(&sandbox, "http://127.0.0.1:9/v1", &given);
        assert_eq!(ended.code, Some(2), "{field}: {ended:?}");
        assert!(ended.err.contains("wave.json:1:") && ended.err.contains(field), "{field}: {}", ended.err);
    }
    assert_eq!(fs::read(sandbox.path("tree/a.py")).unwrap(), b"one\n");
}
