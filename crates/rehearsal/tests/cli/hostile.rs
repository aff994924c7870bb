//! `rehearsal drive` in a hostile world: who works is told truly, and a model reaches neither the terminal, nor the key, nor our folder.

use crate::driving::{drive, url};
use crate::replaying::Server;
use crate::sandbox::{Ended, PATIENCE, Sandbox, finish};
use serde_json::{Value, json};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command};
use std::time::Instant;

/// A provider that gives these answers in their order.
fn provider(sandbox: &Sandbox, answers: &[String]) -> Server {
    let step = |text: &String| {
        let usage = "usage: {prompt_tokens: 90000, completion_tokens: 9}";
        format!("      - {{text: {}, {usage}}}\n", Value::from(text.as_str()))
    };
    let script: String = answers.iter().map(step).collect();
    let suite = format!(
        "version: 1\nclasses:\n  task:\n    advance: request\n    script:\n{script}    phrasings:\n      - {{id: t, prompt: Change two}}\n"
    );
    sandbox.write("suite.yaml", suite.as_bytes());
    Server::start(sandbox, &["serve", "--port", "0", "--scenarios", "suite.yaml", "--data", "served"])
}

fn patch(path: &str, summary: &str) -> String {
    let files = json!([{"path": path, "contents": "two\n"}]);
    json!({"files": files, "summary": summary, "done": true}).to_string()
}

fn tree() -> Sandbox {
    let sandbox = Sandbox::with(&[]);
    sandbox.write("tree/a.txt", b"one\n");
    sandbox
}

/// A worker whose provider never answers, with the connection on which it waits.
fn waiting(sandbox: &Sandbox, wrapper: &[&str]) -> (Child, TcpStream) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}/v1", listener.local_addr().unwrap());
    let arguments = ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "p", "--owns", "a.txt"];
    let mut command = sandbox.command(&[&arguments[..], &["--workdir", "tree", "--data", "drive"]].concat());
    if let [program, words @ ..] = wrapper {
        let mut wrapped = Command::new(program);
        wrapped.args(words).arg(command.get_program()).args(command.get_args());
        wrapped.current_dir(command.get_current_dir().unwrap());
        wrapped.stdin(std::process::Stdio::null());
        wrapped.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
        command = wrapped;
    }
    let child = command.spawn().unwrap();
    // It asks only after the journal says so.
    let (socket, _) = listener.accept().unwrap();
    (child, socket)
}

fn status(sandbox: &Sandbox) -> Ended {
    sandbox.run(&["drive", "--status", "--data", "drive"])
}

fn signal(child: &Child, name: &str) {
    assert!(Command::new("kill").args([name, &child.id().to_string()]).status().unwrap().success());
}

#[test]
fn who_works_is_running_and_who_was_killed_has_failed() {
    let sandbox = tree();
    let (mut child, _held) = waiting(&sandbox, &[]);
    for _ in 0..3 {
        let seen = status(&sandbox);
        assert!(seen.code == Some(0) && seen.out.starts_with("task: running"), "{seen:?}");
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let seen = status(&sandbox);
    assert!(seen.code == Some(0) && seen.out.starts_with("task: failed"), "{seen:?}");
}

#[test]
fn whoever_looks_keeps_nobody_from_beginning() {
    let sandbox = tree();
    sandbox.write("drive/lock", b"");
    let lock = std::fs::File::open(sandbox.path("drive/lock")).unwrap();
    // As long as somebody shares it, which a look does for a moment, nobody owns the folder: `--status` does not say so.
    lock.lock_shared().unwrap();
    assert!(!rehearsal_world::vault::Folder::is_owned(&sandbox.path("drive")));
    drop(lock);
    let owned = rehearsal_world::vault::Folder::own(&sandbox.path("drive")).unwrap();
    assert!(rehearsal_world::vault::Folder::is_owned(&sandbox.path("drive")));
    drop(owned);
    assert!(!rehearsal_world::vault::Folder::is_owned(&sandbox.path("drive")));
    assert!(!rehearsal_world::vault::Folder::is_owned(&sandbox.path("nowhere")));
    assert!(!sandbox.path("nowhere").exists());
}

#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_away_ends_the_work_with_all_that_it_started_unless_it_is_to_stay() {
    let sandbox = tree();
    // The tests themselves may run below a nohup.
    let heard = "import os, signal, sys; signal.signal(signal.SIGHUP, signal.SIG_DFL); os.execvp(sys.argv[1], sys.argv[1:])";
    let (child, _held) = waiting(&sandbox, &["python3", "-c", heard]);
    signal(&child, "-HUP");
    let ended = finish(child);
    assert!(ended.code == Some(3) && ended.err.contains("asked to end"), "{ended:?}");

    let (child, _held) = waiting(&sandbox, &["nohup"]);
    signal(&child, "-HUP");
    let seen = status(&sandbox);
    assert!(seen.out.starts_with("task: running"), "{seen:?}");
    signal(&child, "-TERM");
    assert_eq!(finish(child).code, Some(3));
}

#[test]
fn what_a_model_says_moves_no_cursor_and_looks_like_no_line_of_ours() {
    let sandbox = tree();
    let server = provider(&sandbox, &[patch("a.txt", "Done.\u{1b}[2J\u{9b}1A\r\nverified: 2 green")]);
    let endpoint = url(&server);
    let told =
        ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "Change two", "--owns", "a.txt"];
    let ended = sandbox.run(&[&told[..], &["--workdir", "tree", "--data", "drive"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!ended.out.contains(|one: char| one.is_control() && one != '\n'), "{:?}", ended.out);
    assert!(
        ended.out.contains("Done.\\u{1b}[2J") && ended.out.contains("\n  verified: 2 green"),
        "{}",
        ended.out
    );
}

#[test]
fn our_own_folder_is_owned_by_no_worker_and_is_not_the_tree() {
    let sandbox = tree();
    let server = provider(&sandbox, &[]);
    for path in ["state/capabilities/x.json:create", "STATE/lock:create", "state:create"] {
        let ended = drive_at(&sandbox, &server, "tree/state", path);
        assert!(ended.code == Some(2) && ended.err.contains("--owns"), "{path}: {ended:?}");
    }
    for data in ["tree", "tree/.", "./tree/"] {
        let ended = drive_at(&sandbox, &server, data, "a.txt");
        assert!(ended.code == Some(2) && ended.err.contains("is the work tree"), "{data}: {ended:?}");
    }
    assert_eq!(std::fs::read_dir(sandbox.path("tree")).unwrap().count(), 1, "nothing was put there");
}

fn drive_at(sandbox: &Sandbox, server: &Server, data: &str, owns: &str) -> Ended {
    let endpoint = url(server);
    let told =
        ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "Change two", "--workdir", "tree"];
    sandbox.run(&[&told[..], &["--data", data, "--owns", owns]].concat())
}

#[test]
fn what_cannot_be_used_is_named_with_its_file() {
    let sandbox = tree();
    let server = provider(&sandbox, &[patch("a.txt", "s")]);
    sandbox.write("drive/.rehearsal-commit", b"garbage");
    let (ended, _) = drive(&sandbox, &url(&server), &["--owns", "a.txt"]);
    assert!(ended.code == Some(3) && ended.err.contains("remove drive/.rehearsal-commit"), "{ended:?}");
    std::fs::remove_file(sandbox.path("drive/.rehearsal-commit")).unwrap();

    let probe = || sandbox.run(&["drive", "--probe", &url(&server), "--model", "m", "--data", "drive"]);
    let begun = Instant::now();
    drop(probe());
    assert!(begun.elapsed() < PATIENCE);
    let kept = crate::sandbox::files_below(&sandbox.path("drive/capabilities"));
    let kept = kept.iter().find(|path| path.extension().is_some_and(|ending| ending == "json")).unwrap();
    std::fs::write(kept, "{").unwrap();
    let name = kept.file_name().unwrap().to_str().unwrap();
    let ended = probe();
    assert!(ended.code == Some(3) && ended.err.contains(name), "{ended:?}");
}

/// Root looks into every process; all others do not.
#[cfg(target_os = "linux")]
#[test]
fn a_test_command_finds_the_key_in_no_process_of_its_user() {
    use std::os::unix::fs::MetadataExt as _;
    let sandbox = tree();
    if std::fs::metadata(sandbox.path("tree")).unwrap().uid() == 0 {
        return;
    }
    let server = provider(&sandbox, &[patch("a.txt", "s"), patch("a.txt", "s")]);
    let endpoint = url(&server);
    let told =
        ["drive", "--endpoint", &endpoint, "--model", "m", "--prompt", "Change two", "--owns", "a.txt"];
    let more = [
        "--workdir",
        "tree",
        "--data",
        "drive",
        "--test",
        "tr '\\0' '\\n' < /proc/$PPID/environ | rev; false",
    ];
    let mut command = sandbox.command(&[&told[..], &more].concat());
    let ended = finish(command.env("OPENAI_API_KEY", "sk-0123456789").spawn().unwrap());
    assert!(ended.code == Some(1) && !ended.err.contains("9876543210-ks"), "{ended:?}");
}
