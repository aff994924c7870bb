//! What an agent can reach, by which URL it finds the provider, and who else does not.

use crate::sandbox::{Ended, SUITE, Sandbox, finish, verdicts};
use serde_json::Value;
use std::path::PathBuf;

/// A suite of one case that says hello, and has no tools.
const HELLO: &str = r#"
version: 1
classes:
  text: {script: [{text: Hello there.}], phrasings: [{id: text, prompt: Say hello., expect_agent: {output_contains: Hello there}}]}
  loop:
    script:
      - tool_calls: [{name: write_file, arguments: {path: a.txt, content: a}}]
      - {text: Done.}
    phrasings: [{id: loop, prompt: Go on., expect_agent: {max_requests: 5, time_limit: 50s}}]
"#;

/// What a run of the case `text` with an agent in Python came to; nothing where there is no Python.
struct Rehearsed {
    ended: Ended,
    file: Value,
    journal: Vec<Value>,
    said: String,
    _sandbox: Sandbox,
}

fn rehearse(case: &str, agent: &str, flags: &[&str]) -> Option<Rehearsed> {
    let python = std::process::Command::new("python3").arg("--version").output();
    if !python.is_ok_and(|ran| ran.status.success()) {
        return not_tried("python3 is not installed");
    }
    let agent = agent.replace("BIN", env!("CARGO_BIN_EXE_rehearsal"));
    let sandbox = Sandbox::with(&[("suite.yaml", HELLO), ("agent.py", &agent)]);
    let arguments = [&["run", "--json", "suite.yaml", "--case", case], flags].concat();
    let ended =
        finish(sandbox.command(&[&arguments[..], &["--", "python3", "agent.py"]].concat()).spawn().unwrap());
    let file: Value = serde_json::from_str(&ended.out).unwrap_or_else(|error| panic!("{error}: {ended:?}"));
    let folder: PathBuf = sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap());
    let lines = std::fs::read_to_string(folder.join("journals").join(format!("{case}.jsonl"))).unwrap();
    let journal = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let said = std::fs::read_to_string(folder.join("cases").join(case).join("stdout.txt")).unwrap();
    let verified = sandbox.run(&["verify", folder.to_str().unwrap()]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    Some(Rehearsed { ended, file, journal, said, _sandbox: sandbox })
}

#[expect(clippy::print_stderr, reason = "a test that is not tried says why")]
fn not_tried<T>(why: &str) -> Option<T> {
    eprintln!("not tried: {why}");
    None
}

/// The events of a kind.
fn events<'j>(journal: &'j [Value], kind: &str) -> Vec<&'j Value> {
    journal.iter().filter(|line| line.to_string().contains(&format!("\"{kind}\""))).collect()
}

/// Asks the proxy for a way out, then does its work.
const LEAVES: &str = r#"
import os, socket, subprocess, urllib.parse
proxy = urllib.parse.urlsplit(os.environ["HTTPS_PROXY"])
assert os.environ["https_proxy"] == os.environ["HTTPS_PROXY"]
assert not any(os.environ.get(name) for name in ("HTTP_PROXY", "http_proxy", "ALL_PROXY"))
out = socket.create_connection((proxy.hostname, proxy.port))
out.sendall(b"CONNECT telemetry.invalid:443 HTTP/1.1\r\nHost: telemetry.invalid:443\r\n\r\n")
print(out.recv(4096).split(b"\r\n")[0].decode(), os.environ["NO_PROXY"], os.environ["no_proxy"])
raise SystemExit(subprocess.run(["BIN", "agent"]).returncode)
"#;

#[test]
fn who_wants_to_leave_is_refused_and_taken_down() {
    let Some(ran) = rehearse("text", LEAVES, &[]) else { return };
    assert_eq!(verdicts(&ran.file)[0].1, "passed", "{}", ran.file);
    assert!(
        ran.said.starts_with("HTTP/1.1 403 Forbidden 127.0.0.1,localhost,::1 127.0.0.1,localhost,::1\n"),
        "{}",
        ran.said
    );
    let escapes = events(&ran.journal, "escape_tried");
    assert_eq!(escapes.len(), 1, "{:?}", ran.journal);
    let escape = escapes[0].to_string();
    assert!(escape.contains("\"CONNECT\"") && escape.contains("\"telemetry.invalid:443\""), "{escape}");
    assert!(events(&ran.journal, "agent_started")[0].to_string().contains("\"host\""));
}

#[test]
fn the_proxy_is_left_out_where_that_is_asked() {
    let agent = "import os, sys\nprint(sorted(name for name in os.environ if 'proxy' in name.lower()))\nsys.exit(os.system('BIN agent') >> 8)\n";
    let Some(ran) = rehearse("text", agent, &["--no-sink"]) else { return };
    assert_eq!((ran.ended.code, ran.said.lines().next()), (Some(0), Some("[]")), "{}", ran.file);
}

/// Tries to leave by itself, past the proxy, and by the proxy too.
const BREAKS_OUT: &str = r#"
import socket
try:
    socket.create_connection(("192.0.2.1", 80), timeout=20)
    print("out")
except OSError as error:
    print("errno", error.errno)
"#;

#[test]
fn an_agent_in_a_network_of_its_own_finds_the_provider_and_no_way_out() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let tried = sandbox.run(&["run", "suite.yaml", "--netns"]);
    if tried.code == Some(3) {
        assert!(
            tried.err.starts_with("rehearsal: --netns: ") && tried.err.lines().count() == 1,
            "{}",
            tried.err
        );
        let auto = sandbox.run(&["run", "suite.yaml", "--netns=auto"]);
        assert_eq!(auto.code, Some(0), "{}", auto.err);
        assert!(auto.err.contains("agents see the network of this machine: "), "{}", auto.err);
        return not_tried(&tried.err).unwrap_or_default();
    }
    assert_eq!(tried.code, Some(0), "the built-in agent passes: {}", tried.out);
    let agent = format!("{BREAKS_OUT}{LEAVES}");
    for flag in ["--netns", "--netns=require", "--netns=auto"] {
        let Some(ran) = rehearse("text", &agent, &[flag]) else { return };
        assert_eq!(verdicts(&ran.file)[0].1, "passed", "{}", ran.file);
        assert!(ran.said.starts_with("errno 101\nHTTP/1.1 403"), "the network is unreachable: {}", ran.said);
        assert_eq!(events(&ran.journal, "escape_tried").len(), 1);
        assert!(events(&ran.journal, "agent_started")[0].to_string().contains("\"namespace\""));
    }
    let missing = sandbox.run_suite(&["suite.yaml", "--netns", "--", "{case}-agent"]);
    assert_eq!(verdicts(&missing.1)[0], ("text", "broken", vec!["agent-not-started"]), "{}", missing.1);
}

/// Sees who is let in by which URL.
const LOOKS: &str = r#"
import http.client, os, sys, urllib.parse
base = urllib.parse.urlsplit(os.environ["OPENAI_BASE_URL"])
def status(path, host):
    client = http.client.HTTPConnection("127.0.0.1", base.port)
    client.request("GET", path, headers={"Host": host})
    return client.getresponse().status
print(base.hostname, os.environ["NO_PROXY"])
print(status(base.path + "/models", base.netloc), status("/v1/models", base.netloc), status("/t/guess/v1/models", base.netloc), status("/gate/health", base.netloc))
os.environ["OPENAI_BASE_URL"] = "http://127.0.0.1:%d%s" % (base.port, base.path)
sys.exit(os.system("BIN agent") >> 8)
"#;

#[test]
fn agents_are_told_the_public_url_and_nobody_else_is_let_in() {
    for flags in [&[][..], &["--host", "0.0.0.0", "--allow-remote"]] {
        let flags = [flags, &["--public-url", "http://agents.invalid:{port}/"]].concat();
        let Some(ran) = rehearse("text", LOOKS, &flags) else { return };
        assert_eq!(ran.ended.code, Some(0), "{}", ran.file);
        let lines: Vec<_> = ran.said.lines().collect();
        assert_eq!(lines[0], "agents.invalid 127.0.0.1,localhost,::1,agents.invalid");
        assert_eq!(lines[1], "200 403 403 200", "its own lane, none, a guessed one, health");
    }
    let Some(ran) = rehearse("text", LOOKS, &["--host", "0.0.0.0", "--allow-remote"]) else { return };
    assert!(ran.said.starts_with("127.0.0.1 127.0.0.1,localhost,::1\n200 403 403 200\n"), "{}", ran.said);
    let Some(ran) = rehearse("text", LOOKS, &[]) else { return };
    assert!(ran.said.starts_with("127.0.0.1 127.0.0.1,localhost,::1\n200 200 "), "{}", ran.said);
}

/// Asks the same for ever.
const LOOPS: &str = r#"
import json, os, urllib.request
ask = {"model": "m", "messages": [{"role": "user", "content": os.environ["REHEARSAL_PROMPT"]}], "tools": [
    {"type": "function", "function": {"name": "write_file", "description": "writes", "parameters": {"type": "object", "properties": {}}}}]}
n = 0
while True:
    n += 1
    ask["user"] = "u%d" % n
    request = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", json.dumps(ask).encode(), {"Content-Type": "application/json"})
    urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request).read()
"#;

#[test]
fn an_agent_that_asks_for_ever_is_ended_long_before_its_time_limit() {
    let Some(ran) = rehearse("loop", LOOPS, &[]) else { return };
    assert_eq!(ran.ended.code, Some(1), "{}", ran.file);
    let exited = events(&ran.journal, "agent_exited")[0].to_string();
    assert!(exited.contains("\"timed_out\":false"), "{exited}");
    assert!(verdicts(&ran.file)[0].2.contains(&"too-many-requests"), "{}", ran.file);
}
