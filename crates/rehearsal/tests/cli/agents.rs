//! Agents that do not behave: absent, silent, wrong, endless.

use crate::sandbox::{SUITE, Sandbox, verdicts};
use serde_json::Value;

/// Runs one case of the suite with an agent written in shell.
fn rehearse(case: &str, script: &str) -> (Option<i32>, Value) {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", script)]);
    let (ended, file, _) =
        sandbox.run_suite(&["suite.yaml", "--case", case, "--time-limit", "20s", "--", "sh", "agent.sh"]);
    (ended.code, file)
}

#[test]
fn an_agent_that_cannot_be_started_is_said_once_before_anything_runs() {
    let sandbox = Sandbox::with(&[
        ("suite.yaml", SUITE),
        ("agent.txt", "no program"),
        ("ghost", "#!/no/such/interpreter\n"),
    ]);
    executable(&sandbox, "ghost");
    for (agent, why) in [
        ("no-such-agent", "there is no program no-such-agent"),
        ("./no-such-agent", "there is no program ./no-such-agent"),
        ("./agent.txt", "agent.txt is not executable"),
        ("./ghost", "interpreter"),
    ] {
        let ended = sandbox.run(&["run", "suite.yaml", "--", agent]);
        assert_eq!((ended.code, ended.out.as_str()), (Some(3), ""), "{agent}: {}", ended.err);
        assert!(ended.err.contains(why) && ended.err.lines().count() == 1, "{agent}: {}", ended.err);
        assert!(!sandbox.path(".rehearsal").exists(), "{agent}: nothing ran");
    }
}

fn executable(sandbox: &Sandbox, name: &str) {
    let made = std::process::Command::new("chmod").args(["+x"]).arg(sandbox.path(name)).status().unwrap();
    assert!(made.success());
}

#[test]
fn an_agent_that_only_a_start_shows_to_be_none_leaves_its_cases_unjudged() {
    // Its interpreter is a script itself, whose interpreter is not there.
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("between", "#!/no/such/interpreter\n")]);
    let between = sandbox.path("between").display().to_string();
    sandbox.write("ghost", format!("#!{between}\n").as_bytes());
    executable(&sandbox, "between");
    executable(&sandbox, "ghost");
    let (ended, file, _) = sandbox.run_suite(&["suite.yaml", "--", "./ghost"]);
    assert_eq!(ended.code, Some(3), "{file}");
    assert_eq!(verdicts(&file).len(), 3);
    for (case, verdict, codes) in verdicts(&file) {
        assert_eq!((verdict, codes), ("broken", vec!["agent-not-started"]), "{case}");
    }
    assert!(ended.err.lines().last().unwrap().contains("interpreter"), "{}", ended.err);
}

#[test]
fn an_agent_that_never_asks_fails_and_is_told_why() {
    let (code, file) = rehearse("text", "echo 'Hello there. I am done.'\n");
    assert_eq!((code, verdicts(&file)), (Some(1), vec![("text", "failed", vec!["never-asked"])]));
}

#[test]
fn an_agent_is_judged_by_its_exit_status_too() {
    let script =
        "\"$REHEARSAL_BIN\" agent\nexit 7\n".replace("$REHEARSAL_BIN", env!("CARGO_BIN_EXE_rehearsal"));
    let (code, file) = rehearse("text", &script);
    assert_eq!((code, verdicts(&file)), (Some(1), vec![("text", "failed", vec!["exit-status"])]));
    let script = script.replace("exit 7", "kill -9 $$");
    let (code, file) = rehearse("text", &script);
    assert_eq!((code, verdicts(&file)), (Some(1), vec![("text", "failed", vec!["agent-killed"])]));
}

#[test]
fn an_agent_that_claims_more_than_it_did_fails() {
    // The model's last word never reached it, and the file that it claims to have written is another.
    let script = "\"BIN\" agent >/dev/null\necho changed > a.txt\necho 'I wrote a.txt exactly as asked.'\n";
    let (code, file) = rehearse("tool", &script.replace("BIN", env!("CARGO_BIN_EXE_rehearsal")));
    assert_eq!((code, verdicts(&file)), (Some(1), vec![("tool", "failed", vec!["claimed-not-done"])]));
    let message = file["cases"][0]["findings"][0]["message"].as_str().unwrap();
    assert!(
        message.starts_with("the agent printed \"I wrote a.txt exactly as asked.\"; but a.txt holds"),
        "{message}"
    );
}

#[test]
fn an_agent_finds_what_it_was_told_and_nothing_of_the_callers() {
    let sandbox = Sandbox::with(&[
        ("suite.yaml", SUITE),
        ("agent.sh", "pwd; ls -A . \"$HOME\"; env; printf '%s|' \"$@\"\n"),
    ]);
    let arguments = [
        "run",
        "suite.yaml",
        "--case",
        "text",
        "--model",
        "some-model",
        "--json",
        "--",
        "sh",
        "agent.sh",
        "{prompt}",
        "{model}",
        "{case}",
        "{workspace}",
        "{base_url}",
    ];
    let mut command = sandbox.command(&arguments);
    command
        .env("OPENAI_ORG_ID", "org-mine")
        .env("HTTPS_PROXY", "http://proxy.invalid")
        .env("HOME", "/nowhere/mine");
    let ended = crate::sandbox::finish(command.spawn().unwrap());
    let file: Value = serde_json::from_str(&ended.out).unwrap();
    let case = sandbox.path(".rehearsal/runs").join(file["run"].as_str().unwrap()).join("cases/text");
    let said = std::fs::read_to_string(case.join("stdout.txt")).unwrap();
    let workspace = std::fs::canonicalize(case.join("workspace")).unwrap().display().to_string();
    assert_eq!(said.lines().next().unwrap(), workspace);
    let value =
        |name: &str| said.lines().find_map(|line| line.strip_prefix(&format!("{name}="))).map(str::to_owned);
    assert_eq!(value("REHEARSAL_PROMPT").as_deref(), Some("Say hello."));
    assert_eq!(value("REHEARSAL_CASE").as_deref(), Some("text"));
    assert_eq!(value("REHEARSAL_MODEL").as_deref(), Some("some-model"));
    let base = value("OPENAI_BASE_URL").unwrap();
    assert!(base.starts_with("http://127.0.0.1:") && base.contains("/t/") && base.ends_with("/v1"), "{base}");
    assert_eq!(value("OPENAI_API_BASE").as_ref(), Some(&base));
    assert!(value("HOME").unwrap().contains(".rehearsal"), "{said}");
    assert!(
        !said.contains("org-mine") && !said.contains("proxy.invalid") && !said.contains("/nowhere/mine"),
        "{said}"
    );
    let last = said.lines().last().unwrap();
    assert!(
        last.starts_with("Say hello.|some-model|text|") && last.ends_with(&format!("|{base}|")),
        "{last}"
    );
}

/// An agent that ignores being asked to end, with a child that does so too.
const STUBBORN: &str = r#"trap '' TERM
sh -c 'trap "" TERM; echo $$ > grandchild; while :; do sleep 600; done' &
echo $$ > child
while :; do wait; sleep 600; done
"#;

#[test]
fn an_endless_agent_is_ended_with_all_its_children_at_the_time_limit() {
    let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", STUBBORN)]);
    let (ended, file, folder) =
        sandbox.run_suite(&["suite.yaml", "--case", "text", "--time-limit", "500ms", "--", "sh", "agent.sh"]);
    assert_eq!(ended.code, Some(1), "{}", ended.err);
    assert_eq!(verdicts(&file), [("text", "failed", vec!["never-asked"])]);
    let also = &file["cases"][0]["findings"][0]["also"];
    assert!(also.to_string().contains("when its time limit of 500 ms was over"), "{also}");
    for who in ["child", "grandchild"] {
        let pid = std::fs::read_to_string(folder.join("cases/text/workspace").join(who)).unwrap();
        assert!(is_gone(pid.trim()), "{who} {pid} lives on");
    }
    assert_eq!(sandbox.run(&["verify", folder.to_str().unwrap()]).code, Some(0));
}

/// Whether a process runs. One that is dead but not yet collected does not.
fn is_alive(pid: &str) -> bool {
    let stat = if std::path::Path::new("/proc/self/stat").exists() {
        // The state follows the program's name in brackets, which may hold brackets itself.
        let line = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        line.rsplit_once(") ").map(|(_, rest)| rest.to_owned()).unwrap_or_default()
    } else {
        let told = std::process::Command::new("ps").args(["-o", "stat=", "-p", pid]).output().unwrap();
        String::from_utf8_lossy(&told.stdout).trim().to_owned()
    };
    !stat.is_empty() && !stat.starts_with('Z')
}

/// Whether a process is gone, or goes: one that was killed a moment ago still shows while the kernel takes it down. Those of the tests
/// would live much longer than this waits.
pub(crate) fn is_gone(pid: &str) -> bool {
    let begun = std::time::Instant::now();
    while is_alive(pid) {
        if begun.elapsed() > crate::sandbox::PATIENCE {
            return false;
        }
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    true
}

#[test]
fn more_output_than_is_kept_harms_nobody() {
    let script =
        "head -c 3000000 /dev/zero | tr '\\0' x\nhead -c 3000000 /dev/zero | tr '\\0' y >&2\n\"BIN\" agent\n";
    let sandbox = Sandbox::with(&[
        ("suite.yaml", SUITE),
        ("agent.sh", &script.replace("BIN", env!("CARGO_BIN_EXE_rehearsal"))),
    ]);
    let (ended, file, folder) = sandbox.run_suite(&["suite.yaml", "--case", "text", "--", "sh", "agent.sh"]);
    // What it printed before hides the answer, so the case cannot pass; but it is judged.
    assert_eq!((ended.code, verdicts(&file)), (Some(1), vec![("text", "failed", vec!["output-contains"])]));
    for name in ["stdout.txt", "stderr.txt"] {
        assert!(folder.join("cases/text").join(name).metadata().unwrap().len() <= 1 << 20);
    }
}

#[test]
fn whatever_an_agent_does_to_its_workspace_its_case_is_judged() {
    for trick in [
        "mkfifo a.txt",
        "ln -s /etc/hostname a.txt",
        "mkdir a.txt",
        "rm -rf \"$PWD\"",
        "rmdir \"$PWD\"; ln -s /etc \"$PWD\"",
        "echo '{}' > notes.jsonl; mkfifo other.jsonl",
    ] {
        let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", trick)]);
        let (ended, file, folder) = sandbox.run_suite(&[
            "suite.yaml",
            "--case",
            "tool",
            "--time-limit",
            "20s",
            "--",
            "sh",
            "agent.sh",
        ]);
        assert_eq!(ended.code, Some(1), "{trick}: {}", ended.err);
        assert_eq!(verdicts(&file), [("tool", "failed", vec!["never-asked"])], "{trick}");
        let also = file["cases"][0]["findings"][0]["also"].to_string();
        assert!(
            also.contains("a.txt is not in the workspace") || also.contains("a.txt holds"),
            "{trick}: {also}"
        );
        let verified = sandbox.run(&["verify", folder.to_str().unwrap()]);
        assert_eq!(verified.code, Some(0), "{trick}: {}", verified.err);
        let journal = std::fs::read_to_string(folder.join("journals/tool.jsonl")).unwrap();
        assert!(!journal.contains("passwd"), "{trick}: what lies elsewhere was listed");
    }
}

#[test]
fn a_run_that_is_asked_to_end_ends_its_agents_too() {
    for signal in ["-TERM", "-INT"] {
        let sandbox = Sandbox::with(&[("suite.yaml", SUITE), ("agent.sh", STUBBORN)]);
        let run = sandbox
            .command(&["run", "suite.yaml", "--case", "text", "--", "sh", "agent.sh"])
            .spawn()
            .unwrap();
        let runs = sandbox.path(".rehearsal/runs");
        let pid_of = |who: &str| {
            let begun = std::time::Instant::now();
            loop {
                let folder = std::fs::read_dir(&runs).ok().and_then(|mut folders| folders.next()?.ok());
                let path = folder.map(|folder| folder.path().join("cases/text/workspace").join(who));
                if let Some(pid) =
                    path.and_then(|path| std::fs::read_to_string(path).ok()).filter(|pid| pid.ends_with('\n'))
                {
                    return pid.trim().to_owned();
                }
                assert!(begun.elapsed() < crate::sandbox::PATIENCE, "{who} does not start");
                std::thread::sleep(std::time::Duration::from_millis(10));
            }
        };
        let pids = ["child", "grandchild"].map(pid_of);
        let told = std::process::Command::new("kill").args([signal, &run.id().to_string()]).status().unwrap();
        assert!(told.success());
        let ended = crate::sandbox::finish(run);
        assert_eq!(ended.code, Some(3), "{}", ended.err);
        assert!(ended.err.contains("asked to end"), "{}", ended.err);
        for pid in &pids {
            assert!(is_gone(pid), "{signal}: {pid} lives on");
        }
        assert_eq!(sandbox.run(&["verify", runs.to_str().unwrap()]).code, Some(0), "what was seen is kept");
    }
}
