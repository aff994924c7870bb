//! Watched commands: links on PATH that report each call and then become the command itself.
#![cfg(unix)]

use crate::sandbox::{Ended, Sandbox, finish};
use serde_json::Value;
use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpListener};
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

/// Takes reports as a case does.
struct Case {
    address: SocketAddr,
    reports: Arc<Mutex<Vec<(String, Value)>>>,
}

impl Case {
    fn open() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let reports = Arc::<Mutex<Vec<(String, Value)>>>::default();
        let into = Arc::clone(&reports);
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut said = Vec::new();
                let mut block = [0; 4096];
                let (head, body) = loop {
                    let count = stream.read(&mut block).unwrap();
                    said.extend_from_slice(&block[..count]);
                    let text = String::from_utf8(said.clone()).unwrap();
                    let Some((head, body)) = text.split_once("\r\n\r\n") else { continue };
                    let length = head.lines().find_map(|line| {
                        let (name, value) = line.split_once(": ")?;
                        name.eq_ignore_ascii_case("content-length").then(|| value.parse::<usize>().unwrap())
                    });
                    if body.len() == length.unwrap() {
                        break (head.to_owned(), body.to_owned());
                    }
                };
                let line = head.lines().next().unwrap().to_owned();
                into.lock().unwrap().push((line, serde_json::from_str(&body).unwrap()));
                stream.write_all(b"HTTP/1.1 204 No Content\r\n\r\n").unwrap();
            }
        });
        Self { address, reports }
    }

    fn base(&self) -> String {
        format!("http://{}/t/token", self.address)
    }

    fn reports(&self) -> Vec<(String, Value)> {
        self.reports.lock().unwrap().clone()
    }
}

/// Runs a script with shims for these programs first on PATH.
fn run(sandbox: &Sandbox, base: &str, programs: &[&str], script: &str) -> Ended {
    let shims = sandbox.path("shims");
    rehearsal_world::shim::lay(&shims, programs, Path::new(env!("CARGO_BIN_EXE_rehearsal"))).unwrap();
    let real = sandbox.path("real");
    std::fs::create_dir_all(&real).unwrap();
    let path = format!("{}:{}:/usr/bin:/bin", shims.display(), real.display());
    let mut command = Command::new("/bin/sh");
    command.args(["-c", script]).current_dir(sandbox.path("")).env_clear().env("PATH", path);
    command.env("REHEARSAL_SHIM", base).env("REHEARSAL_WORKSPACE", sandbox.path(""));
    command.stdin(std::process::Stdio::null());
    command.stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    finish(command.spawn().unwrap())
}

fn report(argv: &[&str], folder: &str) -> (String, Value) {
    let line = "POST /t/token/gate/command HTTP/1.1".to_owned();
    (line, serde_json::json!({ "argv": argv, "folder": folder }))
}

/// A program that tells how it was called.
const TOOL: &str = "#!/bin/sh\nprintf '%s|' \"${0##*/}\" \"$@\"; cat; echo $REHEARSAL_SHIM; exit 7\n";

fn with_tool() -> Sandbox {
    use std::os::unix::fs::PermissionsExt as _;
    let sandbox = Sandbox::with(&[("real/tool", TOOL), ("real/other", "#!/bin/sh\ntool from other\n")]);
    for name in ["real/tool", "real/other"] {
        std::fs::set_permissions(sandbox.path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    sandbox
}

#[test]
fn a_watched_command_is_reported_and_runs_as_if_nobody_watched() {
    let (sandbox, case) = (with_tool(), Case::open());
    let ended = run(&sandbox, &case.base(), &["tool"], "mkdir sub; cd sub; echo in | tool 'a  b' '' ü");
    assert_eq!(ended.out, format!("tool|a  b||ü|in\n{}\n", case.base()), "{}", ended.err);
    assert_eq!((ended.code, ended.err.as_str()), (Some(7), ""));
    assert_eq!(case.reports(), [report(&["tool", "a  b", "", "ü"], "sub")]);
}

#[test]
fn what_a_watched_command_runs_is_watched_too() {
    let (sandbox, case) = (with_tool(), Case::open());
    let ended = run(&sandbox, &case.base(), &["tool", "other"], "cd /; other");
    assert_eq!(ended.code, Some(7), "{}", ended.err);
    assert_eq!(case.reports(), [report(&["other"], "/"), report(&["tool", "from", "other"], "/")]);
}

#[test]
fn a_command_that_is_nowhere_is_reported_and_not_found() {
    let (sandbox, case) = (with_tool(), Case::open());
    let ended = run(&sandbox, &case.base(), &["no-such-tool"], "no-such-tool --now");
    assert_eq!((ended.code, ended.err.as_str()), (Some(127), "no-such-tool: command not found\n"));
    assert_eq!(case.reports(), [report(&["no-such-tool", "--now"], ".")]);
}

#[test]
fn a_report_that_does_not_arrive_stops_nobody() {
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    for base in [format!("http://{closed}/t/token"), "nonsense".to_owned()] {
        let sandbox = with_tool();
        let ended = run(&sandbox, &base, &["tool"], "tool");
        assert_eq!((ended.code, ended.out), (Some(7), format!("tool|{base}\n")));
        assert!(ended.err.starts_with("rehearsal: this call of tool runs unreported: "), "{}", ended.err);
    }
}

#[test]
fn a_command_whose_environment_was_emptied_is_still_that_command() {
    let (sandbox, case) = (with_tool(), Case::open());
    for script in ["env -i PATH=\"$PATH\" tool init", "unset REHEARSAL_SHIM; exec \"${PATH%%:*}/tool\" init"]
    {
        let ended = run(&sandbox, &case.base(), &["tool"], script);
        assert_eq!((ended.code, ended.out.as_str()), (Some(7), "tool|init|\n"), "{script}: {}", ended.err);
        assert!(ended.err.starts_with("rehearsal: this call of tool runs unreported: "), "{}", ended.err);
        std::fs::remove_dir_all(sandbox.path("shims")).unwrap();
    }
}

/// Python looks for its libraries by `argv[0]` and PATH: a bare name would lead it to the shim.
#[test]
fn python_in_a_virtual_environment_keeps_it() {
    let sandbox = Sandbox::with(&[]);
    let made =
        Command::new("python3").args(["-m", "venv", "--without-pip"]).arg(sandbox.path("real-venv")).status();
    if !made.is_ok_and(|status| status.success()) {
        eprintln!("not tried: python3 with venv is missing");
        return;
    }
    let case = Case::open();
    let script =
        "PATH=${PATH%%:*}:$PWD/real-venv/bin:/usr/bin:/bin; python3 -c 'import sys, json; print(sys.prefix)'";
    let ended = run(&sandbox, &case.base(), &["python3"], script);
    assert_eq!(ended.out.trim_end(), sandbox.path("real-venv").display().to_string(), "{}", ended.err);
    assert_eq!(case.reports().len(), 1);
}

#[test]
fn by_its_own_name_the_program_is_itself_also_where_commands_are_watched() {
    let (sandbox, case) = (with_tool(), Case::open());
    let script = format!("'{}' --version", env!("CARGO_BIN_EXE_rehearsal"));
    let ended = run(&sandbox, &case.base(), &["tool"], &script);
    assert!(ended.out.starts_with("rehearsal "), "{ended:?}");
    assert_eq!(case.reports(), []);
}
