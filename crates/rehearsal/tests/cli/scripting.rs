//! Scenario files from recorded traffic: what an agent lived through once is what it meets in the written suite.

use crate::replaying::Server;
use crate::sandbox::{Ended, SUITE, Sandbox, finish, verdicts};
use crate::serving::Provider;
use crate::upstream::Upstream;
use std::net::SocketAddr;

/// The built-in agent on one task, against a server.
pub(crate) fn agent(sandbox: &Sandbox, address: SocketAddr, lane: &str, prompt: &str) -> Ended {
    let workspace = sandbox.path(&format!("workspace-{lane}"));
    std::fs::create_dir_all(&workspace).unwrap();
    let mut command = sandbox.command(&["agent"]);
    command.env("OPENAI_BASE_URL", format!("http://{address}/t/{lane}/v1"));
    command
        .env("OPENAI_API_KEY", "none")
        .env("REHEARSAL_PROMPT", prompt)
        .env("REHEARSAL_WORKSPACE", &workspace);
    finish(command.spawn().unwrap())
}

#[test]
fn an_agent_that_was_recorded_passes_the_suite_that_is_written_of_it() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE)]);
    let provider = Provider::start(&sandbox, &["--scenarios", "suite.yaml"]);
    let url = format!("http://{}", provider.address);
    let record = Server::start(&sandbox, &["record", "--data", "rec", "--upstream", &url]);
    for (lane, prompt) in [("tool", "Write a.txt."), ("retry", "Try again."), ("text", "Say hello.")] {
        let ended = agent(&sandbox, record.address, lane, prompt);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    assert_eq!(record.ask("GET", "/v1/models", "").status(), 200);
    assert_eq!(record.end().code, Some(0));
    drop(provider);

    let ended = sandbox.run(&["script", "from", "rec", "-o", "written.yaml"]);
    assert_eq!((ended.code, ended.out.as_str()), (Some(0), "written.yaml: 3 conversations\n"), "{ended:?}");
    // The answer that was cut is no step, and a list of models is none.
    assert!(ended.err.contains("broke off") && ended.err.contains("1 request GET /v1/models"), "{ended:?}");
    let text = std::fs::read_to_string(sandbox.path("written.yaml")).unwrap();
    for words in ["write_file", "path: a.txt", "status: 503", "times: 1", "Through.", "prompt: Write a.txt."]
    {
        assert!(text.contains(words), "{words} in {text}");
    }
    assert_eq!(sandbox.run(&["lint", "written.yaml"]).code, Some(0));
    let (ended, file, _) = sandbox.run_suite(&["written.yaml"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let mut passed = verdicts(&file);
    passed.sort_unstable();
    assert_eq!(passed, ["retry", "text", "tool"].map(|id| (id, "passed", Vec::new())));

    // The same loop against the recording itself.
    let replay = Server::start(&sandbox, &["replay", "rec", "--data", "data"]);
    for (lane, prompt) in [("tool", "Write a.txt."), ("retry", "Try again."), ("text", "Say hello.")] {
        let ended = agent(&sandbox, replay.address, lane, prompt);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    assert_eq!(replay.ask("GET", "/v1/models", "").status(), 200);
    let ended = replay.end();
    assert_eq!(ended.code, Some(0), "{ended:?}");

    let one = sandbox.run(&["script", "from", "rec", "--case", "text"]);
    assert!(
        one.code == Some(0) && one.out.contains("Say hello.") && !one.out.contains("Write a.txt."),
        "{one:?}"
    );
    let again = sandbox.run(&["script", "from", "rec", "-o", "written.yaml"]);
    assert!(again.code == Some(2) && again.err.contains("written.yaml is there already"), "{again:?}");
    let none = sandbox.run(&["script", "from", "rec", "--case", "nobody"]);
    assert!(none.code == Some(4) && none.err.contains("of case nobody"), "{none:?}");
}

#[test]
fn errors_of_a_provider_become_steps_and_what_is_no_answer_is_named() {
    let (sandbox, upstream) = (Sandbox::with(&[]), Upstream::start());
    let record = Server::record(&sandbox, &upstream, &[]);
    let body =
        |text: &str| format!(r#"{{"model":"public","messages":[{{"role":"user","content":"{text}"}}]}}"#);
    for mode in ["429", "429", "nothing", "json-cut", "no-json"] {
        let _seen = record.ask("POST", "/t/limits/v1/chat/completions", &body(&format!("mode={mode};")));
    }
    let _seen = record.ask("POST", "/v1/embeddings", r#"{"model":"m","input":"x"}"#);
    assert_eq!(record.end().code, Some(0));
    let ended = sandbox.run(&["script", "from", "rec"]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.out.contains("retry-after: \"7\"") && ended.out.matches("api_error").count() == 1,
        "{}",
        ended.out
    );
    for words in [
        "0003-limits: the provider could not be asked",
        "0004-limits: its answer broke off",
        "0005-limits: ",
        "POST /v1/embeddings",
    ] {
        assert!(ended.err.contains(words), "{words} in {}", ended.err);
    }
}
