//! Who can reach the provider: by default this machine alone; others only where that was said, and with a token.

use crate::sandbox::{PATIENCE, SUITE, Sandbox};
use crate::serving::Provider;

const SCENARIOS: &[&str] = &["--scenarios", "suite.yaml"];
const CHAT: &str = "/v1/chat/completions";

fn sandbox() -> Sandbox {
    Sandbox::with(&[("suite.yaml", SUITE)])
}

#[test]
fn without_being_told_so_it_lets_nobody_in() {
    let sandbox = sandbox();
    for host in ["0.0.0.0", "::", "192.0.2.1"] {
        let ended = sandbox.run(&[&["serve", "--port", "0", "--host", host], SCENARIOS].concat());
        assert_eq!((ended.code, ended.out.as_str()), (Some(2), ""), "{}", ended.err);
        assert!(ended.err.contains("--allow-remote"), "{}", ended.err);
    }
}

#[test]
fn remote_clients_need_the_token_that_was_shown_once() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, &[SCENARIOS, &["--host", "0.0.0.0", "--allow-remote"]].concat());
    let shown = provider.out.recv_timeout(PATIENCE).unwrap();
    let port = provider.address.port();
    let (_, rest) = shown.split_once(&format!("base URL: http://127.0.0.1:{port}/t/")).unwrap();
    let token = rest.split('/').next().unwrap();
    assert_eq!(token.len(), 22, "{shown}");
    assert_eq!(provider.answer(CHAT, "machine.example", "Say hello.").0, 403);
    assert_eq!(provider.answer(&format!("/t/other{CHAT}"), "localhost", "Say hello.").0, 403);
    let (status, body) = provider.answer(&format!("/t/{token}{CHAT}"), "machine.example:1", "Say hello.");
    assert!(status == 200 && body.contains("Hello there."), "{status} {body}");
    assert_eq!(provider.terminate(), Some(0));
    for file in crate::sandbox::files_below(&sandbox.path("data")) {
        let text = String::from_utf8_lossy(&std::fs::read(&file).unwrap()).into_owned();
        assert!(!text.contains(token), "the token stands in {}", file.display());
    }
}

#[test]
fn a_given_token_is_demanded_and_not_shown() {
    let sandbox = sandbox();
    let provider = Provider::start(&sandbox, &[SCENARIOS, &["--token", "correct-horse-battery"]].concat());
    let shown = provider.out.recv_timeout(PATIENCE).unwrap();
    assert!(shown.ends_with("/t/<token>/v1") && !provider.banner.contains("horse"), "{shown}");
    assert_eq!(provider.answer(CHAT, "localhost", "Say hello.").0, 403);
    assert_eq!(provider.answer(&format!("/t/correct-horse-battery{CHAT}"), "localhost", "Say hello.").0, 200);
    let ended = sandbox.run(&[&["serve", "--port", "0", "--token", "short"], SCENARIOS].concat());
    assert_eq!(ended.code, Some(2), "{}", ended.err);
}
