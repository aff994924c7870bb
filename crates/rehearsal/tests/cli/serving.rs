//! The provider by itself: its banner, its log, its end, and what a second one must not do to the first.

use crate::sandbox::{Ended, PATIENCE, SUITE, Sandbox, finish};
use rehearsal_testkit::RawClient;
use rehearsal_testkit::program::lines;
use std::net::SocketAddr;
use std::process::{Child, Command, Stdio};
use std::sync::mpsc;

/// A running provider.
pub(crate) struct Provider {
    child: Child,
    pub(crate) banner: String,
    pub(crate) address: SocketAddr,
    /// Lines on standard output after the banner, and on standard error.
    pub(crate) out: mpsc::Receiver<String>,
    pub(crate) err: mpsc::Receiver<String>,
}

impl Provider {
    pub(crate) fn start(sandbox: &Sandbox, arguments: &[&str]) -> Self {
        let mut child = sandbox
            .command(&[&["serve", "--port", "0", "--data", "data"], arguments].concat())
            .spawn()
            .unwrap();
        let (out, err) = (lines(child.stdout.take().unwrap()), lines(child.stderr.take().unwrap()));
        let banner = out.recv_timeout(PATIENCE).unwrap();
        let address =
            banner.split(' ').find_map(|word| word.parse().ok()).unwrap_or_else(|| panic!("{banner:?}"));
        Self { child, banner, address, out, err }
    }

    fn ask(&self, prompt: &str) -> u16 {
        self.answer("/v1/chat/completions", "localhost", prompt).0
    }

    /// Status and whole text of an answer.
    pub(crate) fn answer(&self, path: &str, host: &str, prompt: &str) -> (u16, String) {
        self.post(
            path,
            host,
            &format!(r#"{{"model": "m", "messages": [{{"role": "user", "content": "{prompt}"}}]}}"#),
        )
    }

    fn post(&self, path: &str, host: &str, body: &str) -> (u16, String) {
        let head = format!("POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Type: application/json\r\n");
        let mut client = RawClient::connect(self.address);
        let reply = client.send(format!("{head}Content-Length: {}\r\n\r\n{body}", body.len())).reply();
        (reply.status(), String::from_utf8_lossy(reply.body()).into_owned())
    }

    /// Asks it to end, as a shell or a supervisor does.
    pub(crate) fn terminate(mut self) -> Option<i32> {
        // The shell's own `kill`: the program of that name is missing on small machines.
        let sent = Command::new("sh").args(["-c", &format!("kill {}", self.child.id())]).status().unwrap();
        assert!(sent.success());
        self.child.wait().unwrap().code()
    }
}

impl Drop for Provider {
    fn drop(&mut self) {
        let _over = self.child.kill();
        let _gone = self.child.wait();
    }
}

fn sandbox() -> Sandbox {
    Sandbox::with(&[("suite.yaml", SUITE)])
}

fn log(sandbox: &Sandbox) -> Vec<serde_json::Value> {
    let text = std::fs::read_to_string(sandbox.path("log")).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

const WITH_LOG: &[&str] = &["--scenarios", "suite.yaml", "--log", "log"];

#[test]
fn the_banner_says_where_it_listens_and_what_it_holds() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, WITH_LOG);
    for fact in ["[normal]", "/v1/chat/completions", "3 markers registered", "log=log", "127.0.0.1:"] {
        assert!(provider.banner.contains(fact), "{fact} is missing in {}", provider.banner);
    }
    assert_ne!(provider.address.port(), 0, "the port that was taken, not the one that was asked for");
    let hostile = Provider::start(&sandbox, &["--mode", "tool-pending-forever"]);
    assert!(hostile.banner.contains("[tool-pending-forever]"), "{}", hostile.banner);
    assert_eq!(hostile.ask("anything"), 200);
    // A line of its own: programs read the first one as it is.
    for provider in [&provider, &hostile] {
        let second = provider.out.recv_timeout(PATIENCE).unwrap();
        assert_eq!(second, format!("base URL: http://{}/v1", provider.address));
    }
}

#[test]
fn a_second_provider_on_the_same_port_leaves_the_first_ones_log_alone() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, WITH_LOG);
    assert_eq!(provider.ask("Say hello."), 200);
    let before = std::fs::read(sandbox.path("log")).unwrap();
    let port = provider.address.port().to_string();
    let second = [&["serve", "--port", &port, "--data", "data"], WITH_LOG].concat();
    let Ended { code, out, err } = sandbox.run(&second);
    assert_eq!((code, out.as_str()), (Some(3), ""), "{err}");
    assert!(err.contains("already in use"), "{err}");
    assert_eq!(std::fs::read(sandbox.path("log")).unwrap(), before);
    assert_eq!(provider.ask("Say hello."), 200);
    let seqs: Vec<_> = log(&sandbox).iter().map(|record| record["seq"].as_u64()).collect();
    assert_eq!(seqs, [Some(1), Some(2)]);
}

/// What a supervisor sees: from the banner on, being asked to end is an orderly end with closed journals.
#[test]
fn a_provider_ends_well_as_soon_as_its_banner_stands() {
    let sandbox = sandbox();
    for _ in 0..30 {
        assert_eq!(Provider::start(&sandbox, WITH_LOG).terminate(), Some(0));
    }
    assert_eq!(sandbox.run(&["verify", ".rehearsal"]).out.matches("not closed").count(), 0);
}

#[test]
fn a_provider_that_is_started_again_goes_on_with_its_log() {
    let sandbox = sandbox();
    for _ in 0..2 {
        let provider = Provider::start(&sandbox, WITH_LOG);
        assert_eq!(provider.ask("Say hello."), 200);
        assert_eq!(provider.terminate(), Some(0));
    }
    let log = log(&sandbox);
    assert_eq!(log.len(), 2);
    assert_ne!(log[0]["run"], log[1]["run"], "records tell the runs apart");
}

#[test]
fn asked_to_end_it_closes_its_journal() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, WITH_LOG);
    let statuses: Vec<_> =
        ["Say hello.", "Try again.", "nothing scripted"].iter().map(|prompt| provider.ask(prompt)).collect();
    assert_eq!(statuses, [200, 503, 200]);
    assert_eq!(provider.terminate(), Some(0));
    let verified = sandbox.run(&["verify", "data"]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    assert!(
        verified.out.contains("3 requests, unchanged") && !verified.out.contains("not closed"),
        "{}",
        verified.out
    );
}

#[test]
fn killed_it_has_lost_nothing_that_was_answered() {
    let sandbox = sandbox();
    let mut provider = Provider::start(&sandbox, WITH_LOG);
    for _ in 0..20 {
        assert_eq!(provider.ask("Say hello."), 200);
    }
    provider.child.kill().unwrap();
    provider.child.wait().unwrap();
    let verified = sandbox.run(&["verify", "data"]);
    assert_eq!(verified.code, Some(0), "{}", verified.err);
    assert!(verified.out.contains("20 requests, unchanged; 1 not closed"), "{}", verified.out);
    assert_eq!(log(&sandbox).len(), 20);
}

#[test]
fn a_request_beside_the_script_is_explained_once_for_each_reason() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, WITH_LOG);
    let probe = r#"{"model": "m", "max_tokens": 1, "messages": [{"role": "user", "content": "Say hello."}]}"#;
    assert_eq!(provider.ask("Say hello."), 200);
    for _ in 0..2 {
        assert_eq!(provider.ask("Write a.txt."), 200);
        assert_eq!(provider.post("/v1/chat/completions", "localhost", probe).0, 200);
    }
    assert_eq!(provider.ask("nothing scripted"), 200);
    let beside = "so it was answered beside the script";
    let said = |err: &mpsc::Receiver<String>| err.recv_timeout(PATIENCE).unwrap();
    assert_eq!(
        [said(&provider.err), said(&provider.err)],
        [
            format!("rehearsal: request 2 holds the prompt of tool but offers no tools, {beside}"),
            format!(
                "rehearsal: request 3 holds the prompt of text but leaves no room for an answer, {beside}"
            ),
        ]
    );
    let mut provider = provider;
    provider.child.kill().unwrap();
    provider.child.wait().unwrap();
    assert_eq!(provider.err.recv_timeout(PATIENCE), Err(mpsc::RecvTimeoutError::Disconnected));
}

#[test]
fn scenarios_may_be_named_several_times_and_flags_reach_the_provider() {
    let more =
        "version: 1\nclasses: {c: {script: [{text: more}], phrasings: [{id: more, prompt: One more.}]}}\n";
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("more.yaml", more)]);
    let files = ["--scenarios", "suite.yaml", "--scenarios", "more.yaml"];
    let provider = Provider::start(&sandbox, &[&files[..], &["--require-key"]].concat());
    assert!(provider.banner.contains("4 markers registered"), "{}", provider.banner);
    assert_eq!(provider.ask("One more."), 401);
    let lenient = Provider::start(&sandbox, &[&files[..], &["--profile", "lenient"]].concat());
    assert_eq!(lenient.ask("One more."), 200);
}

#[test]
fn a_shell_tool_is_that_of_the_built_in_agent_for_whoever_asks() {
    let suite = r#"
version: 1
classes:
  shell:
    expect_request: {tools_include: shell}
    script: [{tool_calls: [{tool: shell, arguments: {command: ls}}]}]
    phrasings: [{id: shell, prompt: Look around.}]
"#;
    let sandbox = Sandbox::with(&[("suite.yaml", suite)]);
    let provider = Provider::start(&sandbox, WITH_LOG);
    let body = r#"{"model": "m", "messages": [{"role": "user", "content": "Look around."}],
        "tools": [{"type": "function", "function": {"name": "run_command", "description": "Runs it."}}]}"#;
    let (status, answer) = provider.post("/v1/chat/completions", "localhost", body);
    assert_eq!(status, 200, "{answer}");
    let answer: serde_json::Value = serde_json::from_str(&answer).unwrap();
    let call = &answer["choices"][0]["message"]["tool_calls"][0]["function"];
    assert_eq!((&call["name"], &call["arguments"]), (&"run_command".into(), &r#"{"command": "ls"}"#.into()));
}

#[test]
fn without_a_terminal_nothing_is_coloured() {
    let sandbox = sandbox();
    let ended = finish(sandbox.command(&["run", "suite.yaml"]).stdin(Stdio::null()).spawn().unwrap());
    assert_eq!(ended.code, Some(0), "{}", ended.err);
    assert!(!ended.out.contains('\u{1b}') && !ended.err.contains('\u{1b}'), "{}{}", ended.out, ended.err);
}
