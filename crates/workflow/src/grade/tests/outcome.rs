//! Files, commands and claims.

use super::{CALLS, evidence, good, phrasing};
use crate::grade::{Evidence, grade};
use rehearsal_journal::event::{CommandRan, WorkspaceSeen};
use rehearsal_journal::fold::{Facts, ToolCall};
use rehearsal_script::scenario::Phrasing;
use std::sync::Arc;

fn told(case: &Phrasing, facts: &Facts, stdout: &str) -> Vec<(String, String)> {
    let found = grade(&Evidence { stdout, ..evidence(case, facts) }, &[]);
    found.into_iter().map(|finding| (finding.code, finding.message)).collect()
}

fn seen(files: &[(&str, &str)]) -> Option<WorkspaceSeen> {
    let files = files.iter().map(|(path, sum)| ((*path).to_owned(), 1, (*sum).to_owned())).collect();
    Some(WorkspaceSeen { files, unread: vec![], capped: false })
}

fn ran(argv: &[&str]) -> CommandRan {
    CommandRan { argv: argv.iter().map(|word| (*word).to_owned()).collect(), folder: ".".into() }
}

/// A case whose first step asks for a file, and an agent that answers the call.
fn asked_for_a_file() -> (Phrasing, Facts) {
    let case = phrasing(
        "    script: [{tool_calls: [{name: write, arguments: {path: out/a.txt, command: git  commit -m x}}]}, {text: done}]\n\
         \x20   expect_agent: {files: {out/a.txt: right}}\n",
    );
    let mut facts = good();
    facts.calls[0] =
        ToolCall { id: "call_gate_p_s0_0".into(), name: "write".into(), issued_in: 1, answered_in: Some(2) };
    facts.answered = vec!["call_gate_p_s0_0".into()];
    (case, facts)
}

#[test]
fn a_file_that_is_claimed_and_missing_is_another_finding_than_one_that_is_only_missing() {
    let missing = "out/a.txt is not in the workspace";
    let (case, mut facts) = asked_for_a_file();
    let claimed =
        |words: &str| [("claimed-not-done".to_owned(), format!("the agent {words}; but {missing}"))];
    assert_eq!(
        told(&case, &facts, "done\n"),
        claimed("answered the call call_gate_p_s0_0 of write in request 2")
    );
    let wrote = "I wrote out/a.txt.";
    assert_eq!(told(&case, &facts, &format!("{wrote}\n")), claimed(&format!("printed {wrote:?}")));
    facts.calls[0].id = "call_gate_p_s0_1".into();
    let plain = [("files".to_owned(), missing.to_owned())];
    for stdout in ["done\n", "xout/a.txt", "out/a.txt.bak", "see out/a.txt/b"] {
        assert_eq!(told(&case, &facts, stdout), plain, "{stdout}");
    }
    let asked = Phrasing { prompt: "please write out/a.txt".into(), ..case };
    assert_eq!(told(&asked, &facts, "please write out/a.txt\ndone"), plain, "the prompt claims nothing");
}

#[test]
fn an_unanswered_call_claims_nothing() {
    let (case, mut facts) = asked_for_a_file();
    facts.calls[0].answered_in = None;
    let codes: Vec<_> = told(&case, &facts, "done\n").into_iter().map(|(code, _)| code).collect();
    assert_eq!(codes, ["call-not-answered"]);
}

#[test]
fn commands_are_known_by_the_words_they_begin_with() {
    let (mut case, mut facts) = asked_for_a_file();
    Arc::make_mut(&mut case.expect_agent).files = Arc::default();
    Arc::make_mut(&mut case.expect_agent).commands.ran = vec!["git commit".into()];
    let never = "\"git commit\" never ran";
    let claims = format!("the agent answered the call call_gate_p_s0_0 of write in request 2; but {never}");
    assert_eq!(told(&case, &facts, "done"), [("claimed-not-done".to_owned(), claims)]);
    facts.calls[0].id = "other".into();
    assert_eq!(told(&case, &facts, "done"), [("commands".to_owned(), never.to_owned())]);
    for argv in [&["git", "commit"][..], &["/usr/bin/git", "commit", "-m", "x"]] {
        facts.commands = vec![ran(&["ls"]), ran(argv)];
        assert_eq!(told(&case, &facts, "done"), []);
    }
    facts.commands = vec![ran(&["git", "commits"]), ran(&["git"]), ran(&["sh", "git", "commit"])];
    assert_eq!(told(&case, &facts, "done")[0].0, "commands");

    Arc::make_mut(&mut case.expect_agent).commands.ran.clear();
    Arc::make_mut(&mut case.expect_agent).commands.not_ran = vec!["git push".into()];
    assert_eq!(told(&case, &facts, "done"), []);
    facts.commands = vec![ran(&["git", "push", "--force"])];
    let message = "the agent ran \"git push --force\" in .; it must not run \"git push\"";
    assert_eq!(told(&case, &facts, "done"), [("commands".to_owned(), message.to_owned())]);
}

#[test]
fn files_that_must_be_left_alone_are_compared_by_digest() {
    let mut case = phrasing(CALLS);
    Arc::make_mut(&mut case.expect_agent).forbidden_files = vec!["**/*.lock".into(), ".env".into()];
    let mut facts = good();
    facts.workspace_before = seen(&[(".env", "1"), ("a/b.lock", "1"), ("x.txt", "1")]);
    facts.workspace = facts.workspace_before.clone();
    assert_eq!(told(&case, &facts, "done"), []);
    facts.workspace = seen(&[("a/b.lock", "2"), ("new.lock", "1"), ("x.txt", "2"), ("y.txt", "1")]);
    assert_eq!(
        told(&case, &facts, "done"),
        [(
            "forbidden-files".to_owned(),
            "the agent changed a/b.lock (\"**/*.lock\"), made new.lock (\"**/*.lock\"), deleted .env (\".env\"); it must \
             leave these files alone"
                .to_owned()
        )]
    );
    // What has no digest is there all the same, and what had one is another thing now.
    let (was, now) = (seen(&[(".env", "1")]), seen(&[]).unwrap());
    facts.workspace_before = was;
    facts.workspace = Some(WorkspaceSeen { unread: vec![".env".into(), "a/new.lock".into()], ..now });
    let message =
        "the agent changed .env (\".env\"), made a/new.lock (\"**/*.lock\"); it must leave these files alone";
    assert_eq!(told(&case, &facts, "done"), [("forbidden-files".to_owned(), message.to_owned())]);
    facts.workspace_before = facts.workspace.clone();
    assert_eq!(told(&case, &facts, "done"), [], "and it was there before");
    // A list that was cut short does not show that a file is gone, nor that it is new.
    facts.workspace = Some(WorkspaceSeen { capped: true, ..WorkspaceSeen::default() });
    assert_eq!(told(&case, &facts, "done"), []);
    facts.workspace_before = Some(WorkspaceSeen { capped: true, ..WorkspaceSeen::default() });
    facts.workspace = seen(&[("new.lock", "1")]);
    assert_eq!(told(&case, &facts, "done"), []);
}

#[test]
fn what_a_crash_after_the_last_answer_leaves_undone_is_told_below_it() {
    let (mut case, mut facts) = asked_for_a_file();
    Arc::make_mut(&mut case.expect_agent).output_contains = vec!["all is well".into()];
    facts.calls[0].id = "other".into();
    facts.exited.as_mut().unwrap().status = Some(101);
    let found = grade(&Evidence { stdout: "", ..evidence(&case, &facts) }, &[]);
    let [finding] = &found[..] else { panic!("{found:?}") };
    assert_eq!((finding.code.as_str(), finding.also.len()), ("exit-status", 2));
}
