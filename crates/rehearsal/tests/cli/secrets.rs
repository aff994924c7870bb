//! What is secret in a person's surroundings and in an agent's requests stays out of everything that is written.

use crate::sandbox::{SUITE, Sandbox, files_below, finish};

/// In the caller's environment.
const MINE: &str = "sk-mine-hushhush-0001";
/// In the agent's own headers.
const ITS: &str = "sk-its-hushhush-0002";
/// On the agent's command line.
const ARGUED: &str = "sk-argued-hushhush-0003";

#[test]
fn no_secret_is_in_any_file_of_a_run_or_in_its_words() {
    // It prints its environment, then works under a key of its own.
    let agent = format!("env\nOPENAI_API_KEY={ITS} \"{}\" agent\n", env!("CARGO_BIN_EXE_rehearsal"));
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", &agent)]);
    let argued = format!("--token={ARGUED}");
    for form in [&["run", "suite.yaml"][..], &["run", "suite.yaml", "--json"]] {
        let mut command =
            sandbox.command(&[form, &["--", "sh", "agent.sh", "--api-key", ARGUED, &argued]].concat());
        for name in
            ["OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GITHUB_TOKEN", "DB_PASSWORD", "AWS_SECRET_ACCESS_KEY"]
        {
            command.env(name, MINE);
        }
        let ended = finish(command.spawn().unwrap());
        assert_eq!(ended.code, Some(0), "{}{}", ended.out, ended.err);
        for secret in [MINE, ITS, ARGUED] {
            assert!(
                !ended.out.contains(secret) && !ended.err.contains(secret),
                "{secret} is in {}{}",
                ended.out,
                ended.err
            );
        }
    }
    let files = files_below(&sandbox.path(".rehearsal"));
    assert!(files.len() > 20, "{} files", files.len());
    for path in files {
        let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
        for secret in [MINE, ITS, ARGUED] {
            assert!(!text.contains(secret), "{secret} is in {}", path.display());
        }
    }
}
