//! What files with `version: 1` say of a suite's agent, of findings, of files and commands, and of further conversations.

use rehearsal_script::daemon::Runs;
use rehearsal_script::drill::drill;
use rehearsal_script::finding::Severity;
use rehearsal_script::scenario::{
    Action, Advance, AgentCommand, ExpectCommands, Phrasing, Place, Scenarios, Weight,
};
use rehearsal_script::{File, Known, lint, read};
use rehearsal_wire::fault::FAULTS;
use std::sync::Arc;
use std::time::Duration;

fn known() -> Known<'static> {
    Known {
        rules: &[],
        faults: FAULTS,
        codes: &["files", "commands", "overrun"],
        regex: |_| Ok(()),
        steps: &[],
        refusals: &[],
    }
}

fn suite(files: &[(&str, &str)]) -> Scenarios {
    let files: Vec<_> = files.iter().map(|(name, text)| File { name, bytes: text.as_bytes() }).collect();
    let warnings = lint(&files, &known());
    assert!(warnings.iter().all(|finding| finding.severity == Severity::Warning), "{}", warnings[0]);
    read(&files, &known()).unwrap_or_else(|findings| panic!("{}", findings[0]))
}

fn quiet(text: &str) -> Scenarios {
    assert_eq!(lint(&[File { name: "s.yaml", bytes: text.as_bytes() }], &known()), []);
    suite(&[("s.yaml", text)])
}

fn ids(suite: &Scenarios) -> Vec<(&str, Option<usize>)> {
    suite.phrasings.iter().map(|phrasing| (phrasing.id.as_str(), phrasing.part_of)).collect()
}

const CLASSES: &str = "classes: {c: {script: [{text: a}], phrasings: [{id: p, prompt: do it}]}}\n";

#[test]
fn an_agent_is_read_with_all_its_texts() {
    let text = format!(
        r#"version: 1
agent:
  command: python3 "my agent.py" --url={{base_url}} '{{prompt}}'
  env: {{TEXT: "{{model}}", WHOLE: 007, PART: 1.50, FLAG: true, EMPTY: ""}}
  files:
    "{{home}}/.config/agent.json": '{{"model": "{{model}}"}}'
    "{{workspace}}/AGENTS.md": Be kind.
  stdin: "{{prompt}}\n"
  time_limit: 90s
{CLASSES}"#
    );
    let suite = quiet(&text);
    let both = |name: &str, value: &str| (name.to_owned(), value.to_owned());
    let wanted = AgentCommand {
        command: ["python3", "my agent.py", "--url={base_url}", "{prompt}"].map(str::to_owned).to_vec(),
        env: vec![
            both("TEXT", "{model}"),
            both("WHOLE", "7"),
            both("PART", "1.50"),
            both("FLAG", "true"),
            both("EMPTY", ""),
        ],
        files: vec![
            both("{home}/.config/agent.json", r#"{"model": "{model}"}"#),
            both("{workspace}/AGENTS.md", "Be kind."),
        ],
        stdin: Some("{prompt}\n".to_owned()),
        time_limit: Some(Duration::from_secs(90)),
        place: Place { file: "s.yaml".to_owned(), line: 2, column: 1 },
    };
    assert_eq!(suite.agent, Some(wanted));
}

#[test]
fn the_words_of_a_list_are_taken_as_they_stand() {
    let suite = quiet(&format!("version: 1\nagent: {{command: [a b, \"'c'\", \"\"]}}\n{CLASSES}"));
    assert_eq!(suite.agent.unwrap().command, ["a b", "'c'", ""]);
}

#[test]
fn a_suite_without_an_agent_has_none_and_equal_ones_are_one() {
    assert_eq!(quiet(&format!("version: 1\n{CLASSES}")).agent, None);
    let one = format!("version: 1\nagent: {{command: ./a b}}\n{CLASSES}");
    let other = "version: 1\nclasses: {}\nagent: {command: [./a, b]}\n";
    let suite = suite(&[("one.yaml", &one), ("other.yaml", other)]);
    assert_eq!(suite.agent.unwrap().place.file, "one.yaml");
}

#[test]
fn weights_of_findings_come_from_all_files() {
    let one = format!("version: 1\nfindings: {{files: off, overrun: warning}}\n{CLASSES}");
    let other = "version: 1\nclasses: {}\nfindings: {commands: note, files: off}\n";
    let suite = suite(&[("one.yaml", &one), ("other.yaml", other)]);
    let weights = suite.weights.iter().map(|(code, weight)| (code.as_str(), *weight)).collect::<Vec<_>>();
    assert_eq!(weights, [("commands", Weight::Note), ("files", Weight::Off), ("overrun", Weight::Warning)]);
}

#[test]
fn every_word_for_a_weight_means_one() {
    let meant = Weight::WORDS.map(Weight::named);
    let all = [Weight::Error, Weight::Warning, Weight::Note, Weight::Off].map(Some);
    assert_eq!((meant, Weight::named("fatal")), (all, None));
}

#[test]
fn forbidden_files_and_commands_are_inherited_key_by_key() {
    let suite = quiet(
        "version: 1
defaults:
  expect_agent:
    forbidden_files: '**/*.env'
    commands: {not_ran: [git push, rm], watch: git}
classes:
  c:
    script: [{text: a}]
    phrasings:
      - {id: p, prompt: first}
      - id: q
        prompt: second
        expect_agent: {forbidden_files: [a.txt, b/**], commands: {ran: cargo test, watch: []}}
",
    );
    let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let [first, second] = &suite.phrasings[..] else { panic!() };
    let (first, second) = (&first.expect_agent, &second.expect_agent);
    assert_eq!(first.forbidden_files, ["**/*.env"]);
    assert_eq!(second.forbidden_files, ["a.txt", "b/**"]);
    let not_ran = texts(&["git push", "rm"]);
    let wanted = ExpectCommands { ran: Vec::new(), not_ran: not_ran.clone(), watch: texts(&["git"]) };
    assert_eq!(first.commands, wanted);
    let wanted = ExpectCommands { ran: texts(&["cargo test"]), not_ran, watch: Vec::new() };
    assert_eq!(second.commands, wanted);
    assert_eq!(second.commands.programs(), ["cargo", "git", "rm"]);
}

#[test]
fn a_request_advances_by_what_its_form_and_its_level_say() {
    let newer = "version: 1
defaults: {DEFAULT}
classes:
  c:
    script: [{text: a}]
    phrasings:
      - {id: p, prompt: first, conversations: [{id: x, prompt: sub, script: [{text: b}]}]}
      - {id: q, prompt: second, advance: assistants, conversations: [{id: x, prompt: sup, script: [{text: b}], advance: request}]}
";
    let advances =
        |suite: &Scenarios| suite.phrasings.iter().map(|phrasing| phrasing.advance).collect::<Vec<_>>();
    use Advance::{Assistants, Auto, Request};
    let auto = suite(&[("s.yaml", &newer.replace("DEFAULT", "advance: auto"))]);
    assert_eq!(advances(&auto), [Auto, Auto, Assistants, Request]);
    assert_eq!(advances(&suite(&[("s.yaml", &newer.replace("DEFAULT", ""))])), advances(&auto));
    let request = suite(&[("s.yaml", &newer.replace("DEFAULT", "advance: request"))]);
    assert_eq!(advances(&request), [Request, Request, Assistants, Request]);
    let older = r#"{"classes": {"c": {"advance": "request", "script": [{"text": "a"}], "phrasings": [{"id": "p", "marker": "m"}]}}}"#;
    assert_eq!(advances(&suite(&[("s.json", older)])), [Assistants]);
}

const SUB_AGENTS: &str = "version: 1
defaults: {expect_request: {require_tools: true}}
classes:
  c:
    script: [{text: a}]
    expect_request: {system_contains: main}
    conversations:
      - {id: search, prompt: Find the file, script: [{tool_calls: [{name: grep, arguments: {}}]}, {text: found}]}
    phrasings:
      - id: p
        prompt: first of all
        expect_agent: {exit: 3}
        conversations:
          - id: count
            prompt: Count the lines of a.txt
            marker: COUNT
            expect_request: {require_tools: false}
            pacing: {chunk: 3}
            script: [{text: '3'}]
      - {id: q, prompt: second to none}
  d:
    script: [{text: b}]
    phrasings: [{id: r, prompt: at last}]
";

#[test]
fn conversations_stand_right_behind_their_case() {
    let suite = quiet(SUB_AGENTS);
    let wanted = [
        ("p", None),
        ("p.search", Some(0)),
        ("p.count", Some(0)),
        ("q", None),
        ("q.search", Some(3)),
        ("r", None),
    ];
    assert_eq!(ids(&suite), wanted);
    assert!(suite.cases().eq([0, 3, 5]));
    let parts: Vec<Vec<usize>> = suite.cases().map(|case| suite.parts(case).collect()).collect();
    assert_eq!(parts, [vec![1, 2], vec![4], vec![]]);
    assert_eq!(suite.parts(1).count() + suite.parts(usize::MAX).count(), 0);
}

#[test]
fn a_conversation_has_names_a_script_and_expectations_of_its_own() {
    let suite = quiet(SUB_AGENTS);
    let [_, search, count, ..] = &suite.phrasings[..] else { panic!() };
    let names = |phrasing: &Phrasing| {
        [&phrasing.class, &phrasing.marker, &phrasing.marker_folded, &phrasing.prompt].map(String::clone)
    };
    assert_eq!(names(search), ["c", "Find the file", "find the file", "Find the file"]);
    assert_eq!(names(count), ["c", "COUNT", "count", "Count the lines of a.txt"]);
    assert_eq!((search.steps(), count.steps()), (2, 1));
    let expected = &search.script[0].expected;
    assert!(expected.require_tools && expected.system_contains.is_empty(), "only the defaults hold for it");
    assert!(!count.script[0].expected.require_tools);
    assert_eq!((search.script[0].pacing.piece, count.script[0].pacing.piece), (0, 3));
    assert_eq!(count.expect_agent, Default::default());
    assert_eq!((count.place.line, count.place.column), (14, 13));
}

#[test]
fn a_case_is_hostile_where_one_of_its_conversations_is() {
    let text = "version: 1
classes:
  c:
    script: [{text: a}]
    conversations: [{id: x, prompt: Go on, script: [{fault: black-hole}]}]
    phrasings:
      - {id: p, prompt: first}
      - {id: q, prompt: second, hostile: false}
";
    let hostile: Vec<bool> = quiet(text).phrasings.into_iter().map(|phrasing| phrasing.hostile).collect();
    assert_eq!(hostile, [true, true, false, true]);
}

#[test]
fn conversations_count_against_the_limits_of_a_suite() {
    let phrasings: String =
        (0..30).map(|n| format!("      - {{id: p{n:02}, prompt: number {n:02}}}\n")).collect();
    let text = format!(
        "version: 1\nclasses:\n  c:\n    script: [{{text: a}}]\n    conversations: [{{id: x, prompt: Go on, script: [{{text: b, repeat: 9999}}]}}]\n    phrasings:\n{phrasings}"
    );
    let findings = read(&[File { name: "s.yaml", bytes: text.as_bytes() }], &known()).unwrap_err();
    assert_eq!(findings[0].message, "all scripts of the suite together are too long");
}

#[test]
fn faults_lie_over_the_steps_that_hold_what_they_break() {
    let text = r#"version: 1
classes:
  c:
    script: [{text: First.}, {tool_calls: [{name: look, arguments: {path: a.txt}}]}, {text: Last.}]
    phrasings: [{id: p, prompt: do it}]
"#;
    let suite = quiet(text);
    for (faults, wanted) in [
        ("sse-crlf", ["sse-crlf", "sse-crlf", "sse-crlf"]),
        ("tool-args-invalid", ["", "tool-args-invalid", ""]),
        ("sse-crlf+tool-args-invalid", ["sse-crlf", "sse-crlf+tool-args-invalid", "sse-crlf"]),
        // Where no turn is left, the first step stands behind its trouble.
        ("cut-clean", ["cut-clean, then", "", ""]),
    ] {
        let drilled = drill(faults).unwrap().over(&suite);
        let names = |action: &Action| match action {
            Action::Fault { faults, .. } => {
                faults.iter().map(|call| call.name.as_str()).collect::<Vec<_>>().join("+")
            }
            Action::Say(_) | Action::Error(_) | Action::End => String::new(),
        };
        let steps = drilled.phrasings[0].script.iter().map(|step| {
            let before = step.before.iter().map(|trouble| names(&trouble.action) + ", then");
            before.chain([names(&step.action)]).collect::<String>()
        });
        assert_eq!(steps.collect::<Vec<_>>(), wanted, "{faults}");
    }
}

#[test]
fn phrasings_share_what_their_class_says_and_say_their_own_beside_it() {
    let text = "version: 1
daemon: {runs: [{id: port, steps: [{note: x}]}]}
defaults:
  expect_agent: {files: {made.txt: x}, output_contains: done}
classes:
  c:
    workspace: {given.txt: x}
    phrasings:
      - {id: p, prompt: do it}
      - {id: q, prompt: do that}
      - {id: r, prompt: do more, expect_agent: {exit: 3}}
      - {id: s, prompt: do less, workspace: {own.txt: y}, expect_agent: {files: {other.txt: z}}, daemon: {runs: []}}
";
    let suite = quiet(text);
    let [p, q, r, s] = suite.phrasings.as_slice() else { panic!("{:?}", ids(&suite)) };
    assert!(Arc::ptr_eq(&p.expect_agent, &q.expect_agent));
    assert!(Arc::ptr_eq(&p.expect_agent.files, &r.expect_agent.files));
    assert!(Arc::ptr_eq(&p.expect_agent.given_files, &r.expect_agent.given_files));
    assert_eq!((r.expect_agent.exit, p.expect_agent.exit), (Some(3), None));
    assert_eq!(r.expect_agent.output_contains, ["done"]);
    let paths = |phrasing: &Phrasing| -> Vec<String> {
        let given = phrasing.expect_agent.given_files.iter().map(|(path, _)| path.clone());
        given.chain(phrasing.expect_agent.files.iter().map(|file| file.path.clone())).collect()
    };
    assert_eq!(
        (paths(p), paths(s)),
        (vec!["given.txt".into(), "made.txt".into()], vec!["own.txt".into(), "other.txt".into()])
    );
    let runs = |phrasing: &Phrasing| match &phrasing.daemon.as_ref().unwrap().runs {
        Runs::Here(runs) => Arc::clone(runs),
        Runs::File { .. } => panic!("{:?}", phrasing.daemon),
    };
    assert!(Arc::ptr_eq(&runs(p), &runs(r)));
    assert_eq!((runs(p).runs.len(), runs(s).runs.len()), (1, 0));
}

#[test]
fn what_a_class_contradicts_is_told_once_and_what_a_phrasing_does_at_its_own_words() {
    let text = "version: 1
classes:
  c:
    script: [{text: a}]
    expect_agent: {files: {a.txt: x}, forbidden_files: ['*.md']}
    phrasings:
      - {id: p, prompt: do it}
      - {id: q, prompt: do that, expect_agent: {files: {b.md: x}}}
      - {id: r, prompt: do more, expect_agent: {forbidden_files: ['a.*']}}
  d:
    script: [{text: a}]
    expect_agent: {files: {a.txt: x}, forbidden_files: ['*.txt']}
    phrasings: [{id: s, prompt: do the first}, {id: t, prompt: do the second, expect_agent: {exit: 1}}]
  e:
    script: [{text: a}]
    expect_agent: {files: {a.txt: x}, forbidden_files: ['*.txt']}
    phrasings: [{id: u, prompt: do the last, expect_agent: {files: {}}}]
";
    let found = lint(&[File { name: "s.yaml", bytes: text.as_bytes() }], &known());
    let told: Vec<_> = found.iter().map(|finding| (finding.line, finding.message.as_str())).collect();
    let forbids = |path: &str, pattern: &str| {
        format!("`{path}` is expected, and `{pattern}` in `forbidden_files` forbids it")
    };
    assert_eq!(
        told,
        [
            (5, forbids("a.txt", "a.*").as_str()),
            (8, forbids("b.md", "*.md").as_str()),
            (12, forbids("a.txt", "*.txt").as_str()),
        ]
    );
}
